"""A scene as a page to hand out: its story, each chapter with picture, text and the figures of its moment, sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from twin.markdown_text import as_html, read_markdown, with_figures
from twin.plant.tables import Plant
from twin.record.frame import Frame
from twin.record.reader import Reader
from twin.report.markup import Child, Markup, tag
from twin.report.pages import document
from twin.report.run_report import ReportPicture, figure_of
from twin.report.studio import Shot, Studio, about, png
from twin.report.tour_figures import MomentFigures
from twin.report.tour_film import LABEL_SCALE, clock_words, moments_of, shot_of
from twin.report.tour_times import TourStop, stops_of_run
from twin.scenario.schema.document import Scenario


@dataclass(frozen=True)
class HandoutChapter:
    """A chapter at its moment.

    Parameters
    ----------
    stop
        The chapter.
    at_s
        The moment that figures and picture are of [s].
    moment
        Scene, hall and figures then.
    text
        As HTML of our own making.
    picture
        Of the hall; None where none can be taken.
    """

    stop: TourStop
    at_s: float
    moment: tuple[Scenario, Plant, Frame]
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
        When the run shows none.
    """
    found = stops_of_run(reader.header.scenario, reader.t_end_s)
    moments, made = moments_of(reader), []
    for stop in found:
        at_s = stop.time_s(stop.wall_s / 2)
        moment = moments.at(at_s)
        blocks = with_figures(read_markdown(stop.chapter.text), MomentFigures(*moment, at_s))
        made.append(HandoutChapter(stop, at_s, moment, Markup(as_html(blocks))))
    return tuple(made)


def with_pictures(
    reader: Reader, chapters: Sequence[HandoutChapter], shot: Shot
) -> tuple[HandoutChapter, ...]:
    """Return chapters with pictures of the hall; raises `NoPicture`.

    Parameters
    ----------
    shot
        Size and theme, and how the hall is looked at before a chapter says more.
    """
    studio, first, made = Studio(shot, reader.header.seed, left=True), shot, []
    studio.enlarge(LABEL_SCALE)
    try:
        for chapter in chapters:
            scenario, plant, frame = chapter.moment
            shot = shot_of(chapter.stop.chapter, plant, shot, first)
            studio.aim(shot, chapter.stop.chapter.select)
            taken = png(studio.picture(scenario, plant, frame), about(reader, chapter.at_s))
            made.append(
                replace(chapter, picture=ReportPicture(taken, clock_words(scenario, chapter.at_s, full=True)))
            )
        return tuple(made)
    finally:
        studio.close()
