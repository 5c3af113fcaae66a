"""A scene as a page to hand out: its story, each chapter with picture, text and the figures of its moment, sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from twin.markdown_text import as_html, read_markdown, with_figures
from twin.record.reader import Reader
from twin.report.markup import Child, Markup, tag
from twin.report.run_report import ReportPicture, document, figure_of
from twin.report.studio import Shot, Studio, about, png
from twin.report.tour_figures import MomentFigures
from twin.report.tour_film import MomentsOfRun, NoChapters, moments_of, shot_of
from twin.report.tour_times import TourStop, stops
from twin.scenario.schema.document import Scenario

_LABELS = 1.3


@dataclass(frozen=True)
class HandoutChapter:
    """A chapter at its moment.

    Parameters
    ----------
    stop
        The chapter.
    at_s
        The moment that figures and picture are of [s].
    text
        As HTML of our own making.
    picture
        Of the hall; None where none can be taken.
    """

    stop: TourStop
    at_s: float
    text: Markup
    picture: ReportPicture | None = None


def handout(reader: Reader, chapters: Sequence[HandoutChapter], without: str = "") -> str:
    """Return the page of a recorded run of a scene.

    Parameters
    ----------
    chapters
        As `chapters_of` gives them, with or without pictures.
    without
        Why there are no pictures, in a sentence.
    """
    scenario = reader.header.scenario
    notes = [tag("p", part) for part in scenario.notes.split("\n\n")] if scenario.notes else []
    sections: list[tuple[str, str, Child]] = [
        ("story", "What it is about", [*notes, tag("p", without) if without else None])
    ]
    sections += [
        (
            f"chapter-{chapter.stop.number}",
            f"{chapter.stop.number}. {chapter.stop.chapter.title}",
            [figure_of(chapter.picture) if chapter.picture is not None else None, chapter.text],
        )
        for chapter in chapters
    ]
    if scenario.sources:
        listed = tag("ul", [tag("li", source) for source in scenario.sources])
        sections.append(("sources", "Sources", listed))
    lead = f"{scenario.start:%d %B %Y}, seed {reader.header.seed}: simulated, not measured"
    return document(scenario.title, lead, sections, reader.header.versions.get("twin", ""))


def chapters_of(reader: Reader) -> tuple[HandoutChapter, ...]:
    """Return the chapters of a run, each in the middle of what it shows, with the figures of that moment.

    Raises
    ------
    NoChapters
        When the run has none.
    """
    found = stops(reader.header.scenario, reader.t_end_s)
    if not found:
        raise NoChapters("the scene of this run has no chapters; write some under chapters: in its file")
    moments, made = moments_of(reader), []
    for stop in found:
        at_s = stop.time_s(stop.wall_s / 2)
        scenario, plant, frame = moments.at(at_s)
        figures = MomentFigures(scenario, plant, frame, at_s)
        blocks = with_figures(read_markdown(stop.chapter.text), figures)
        made.append(HandoutChapter(stop, at_s, Markup(as_html(blocks))))
    return tuple(made)


def with_pictures(
    reader: Reader, chapters: Sequence[HandoutChapter], shot: Shot
) -> tuple[HandoutChapter, ...]:
    """Return chapters with pictures of the hall; raises `NoPicture`."""
    moments, studio = moments_of(reader), Studio(shot, reader.header.seed, left=True)
    studio.enlarge(_LABELS)
    try:
        made = []
        for chapter in chapters:
            shot = shot_of(chapter.stop.chapter, shot)
            made.append(_pictured(reader, moments, studio, shot, chapter))
        return tuple(made)
    finally:
        studio.close()


def _pictured(
    reader: Reader, moments: MomentsOfRun, studio: Studio, shot: Shot, chapter: HandoutChapter
) -> HandoutChapter:
    scenario, plant, frame = moments.at(chapter.at_s)
    studio.aim(shot, chapter.stop.chapter.select)
    rgb = studio.picture(scenario, plant, frame)
    picture = ReportPicture(png(rgb, about(reader, chapter.at_s)), _says(scenario, chapter.at_s))
    return replace(chapter, picture=picture)


def _says(scenario: Scenario, at_s: float) -> str:
    return f"{scenario.start + timedelta(seconds=at_s):%A %d %B, %H:%M:%S}"
