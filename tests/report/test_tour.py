"""Chapters outside the window: their figures, captions, film and handout; and those of the shipped scenes."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from lab_scene import HEAD
from usual_cases import but_largest

from twin.app.shell import dock_table
from twin.arrays import Bytes
from twin.markdown_text import figures_of, read_markdown
from twin.record.channels import COLOUR_BY
from twin.record.figure_name import read_name
from twin.record.reader import Reader
from twin.report.captions import as_vtt, captions_of, reading_s
from twin.report.film import Frames
from twin.report.tour_figures import MomentFigures
from twin.report.tour_times import NoChapters, stops, stops_of_run
from twin.runtime.inline import run
from twin.scenario import Scenario, load, loads
from twin.scenario.checks.chapters import injection
from twin.scenario.file.set_option import set_texts, set_value
from twin.scenario.reading.extend import builtin_names
from twin.scenario.schema.chapter import COLOURS, DOCK_NAMES, LAYER_NAMES, VIEWS
from twin.view3d.base.state import LAYERS
from twin.view3d.place.presets import PRESETS

TOLD = f"""\
{HEAD}chapters:
  - title: Both <nodes> train
    at: 1 h
    until: 1 h 10 min
    speed: 600
    text: "A step takes **{{job.step_s llama3}}** at {{clock}}; 1 \\\\< 2 & 3."
  - title: Idle
    at: "09:00"
    until: "09:10"
    speed: 600
    camera: gpu/0/1
    colour_by: gpu.state
    text: "It is {{job.state llama3}}."
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tour") / "told.twinrun"
    run(loads(TOLD).scenario, record=path)
    return path


def test_the_names_of_the_schema_are_those_of_the_window() -> None:
    assert tuple(COLOUR_BY) == COLOURS
    assert LAYER_NAMES == LAYERS
    assert VIEWS == PRESETS
    assert tuple(entry.name for entry in dock_table.DOCKS) == DOCK_NAMES


@pytest.mark.parametrize("name", but_largest(builtin_names()))
def test_chapters_of_shipped_scenes_are_within_the_run_and_all_they_try_is_possible(name: str) -> None:
    document = load(f"builtin:{name}")
    scenario = document.scenario
    assert 4 <= len(scenario.chapters) <= 7
    for stop in stops(scenario):
        chapter = stop.chapter
        assert stop.until_s <= scenario.duration_s
        assert stop.wall_s < 60.0, f"{chapter.title}: nobody watches that long"
        unknown = [figure for figure in figures_of(read_markdown(chapter.text)) if read_name(figure) is None]
        assert not unknown, (chapter.title, unknown)
        for trial in chapter.trials:
            changed: Scenario = set_texts(document, trial.settings).scenario
            for number, text in enumerate(trial.inject):
                asked = injection(text, stop.at_s, scenario)
                entry = f"{{at: {asked.at_s} s, kind: {asked.kind}, target: {asked.target}"
                entry += "".join(
                    f", {key}: {value}"
                    for key, value in (
                        ("for", asked.duration_s and f"{asked.duration_s} s"),
                        ("count", asked.count),
                        ("value", asked.value),
                    )
                    if value is not None
                )
                changed = set_value(
                    changed, f"interventions[tried-{number}]", f"{entry}, id: tried-{number}}}"
                )


def test_figures_of_a_moment(recorded: Path) -> None:
    with Reader(recorded) as reader:
        from twin.report.tour_film import moments_of

        moments = moments_of(reader)
        figure = MomentFigures(*moments.at(3600.0), 3600.0)
        assert figure("clock") == "01:00:00"
        assert re.fullmatch(r"\d\.\d\d\xa0s", figure("job.step_s llama3"))
        assert figure("job.state llama3") == "running"
        assert re.fullmatch(r"1\d(\.\d)?\xa0kW", figure("site.it_w"))
        assert figure("gpu.temp_c max").split("\xa0")[0] in figure("site.gpu_max_c"), (
            "the same, in fewer digits"
        )
        assert figure("job.state nobody") == "?"
        assert figure("no.such") == "?"
        later = MomentFigures(*moments.at(32500.0), 32500.0)
        assert later("job.state llama3") == "waiting"
        assert later("rack.power_w gpu/0/1") != figure("rack.power_w gpu/0/1")


@pytest.mark.parametrize(
    "name", ["site.it_w max", "gpu.temp_c", "job.state max", "clock now", "site.nothing"]
)
def test_names_of_no_figure(name: str) -> None:
    assert read_name(name) is None


def test_captions_are_read_in_time_and_written_as_webvtt() -> None:
    text = (
        "One sentence. " * 3
        + "\n\nA *long* one, "
        + "with many words " * 12
        + "and {site.pue} & <.".replace("<", "\\<")
    )
    lasts_s = reading_s(text)
    captions = captions_of(text, 10.0, lasts_s)
    assert captions[0].begin_s == 10.0
    assert captions[-1].end_s == pytest.approx(10.0 + lasts_s)
    words = [caption.words(lambda name: f"<{name}>") for caption in captions]
    assert all(len(piece) <= 130 for piece in words)
    assert " ".join(words).endswith("and <site.pue> & <.")
    assert all(one.end_s == other.begin_s for one, other in itertools.pairwise(captions))
    made = as_vtt(zip(captions, words, strict=True))
    assert made.startswith("WEBVTT\n\n1\n00:00:10.000 --> 00:00:1")
    assert "&lt;site.pue&gt; &amp; &lt;." in made


def test_signs_that_mark_figures_in_captions_may_stand_in_a_text() -> None:
    (caption,) = captions_of("a \ue0007\ue001 b {site.pue}", 0.0, 4.0)
    assert caption.words(lambda name: f"<{name}>") == "a 7 b <site.pue>"


class Kept:
    """A sink that keeps pictures."""

    def __init__(self) -> None:
        self.pictures: list[Bytes] = []
        self.closed = False

    def add(self, rgb: Bytes, fields: object) -> None:
        self.pictures.append(rgb)

    def close(self) -> None:
        self.closed = True

    def abandon(self) -> None:
        self.pictures.clear()


def test_a_film_of_chapters(recorded: Path, qapp: object) -> None:
    from twin.report.studio import Shot
    from twin.report.tour_film import TourFilm

    kept = Kept()
    with Reader(recorded) as reader:
        film = TourFilm(reader, Shot(size=(480, 300)), 1, kept)
        while film.step():
            pass
    assert kept.closed
    assert len(kept.pictures) == film.count
    assert {picture.shape for picture in kept.pictures} == {(300, 480, 3)}
    hall = [picture[:240] for picture in kept.pictures]
    assert np.ptp(hall[0].astype(int)) > 100, "the hall is drawn"
    second = round(film.scenes[1].begin_s)
    assert (hall[0] != hall[-1]).any()
    assert (kept.pictures[0][240:] != kept.pictures[second + 2][240:]).any(), "another caption"
    assert "A step takes 6.6" in film.vtt
    assert "1 &lt; 2 &amp; 3." in film.vtt


def test_a_handout_of_chapters(recorded: Path, qapp: object) -> None:
    from twin.report.handout import chapters_of, handout, with_pictures
    from twin.report.studio import Shot

    with Reader(recorded) as reader:
        chapters = with_pictures(reader, chapters_of(reader), Shot(theme="light", size=(320, 200)))
        page = handout(reader, chapters)
    assert page.count("<img") == 2
    assert "1. Both &lt;nodes&gt; train" in page
    assert re.search(r"A step takes <strong>6\.6\d?\xa0s</strong> at 01:05:00; 1 &lt; 2 &amp; 3\.", page)
    assert "Grattafiori" in page, "sources"
    assert "<script" not in page
    assert "http" not in re.sub(r"xmlns[^>]*", "", page.split("<body")[1])


GROWS = f"""\
{HEAD.replace("10 h", "2 h")}edits:
  - id: more
    at: 1 h
    changes: [{{path: "power[pdu].count", value: "3"}}, {{path: "halls[lab].rows[gpu].racks.count", value: "3"}}]
chapters:
  - {{title: Gone, at: 10 min, until: 12 min, speed: 600, camera: gpu/0/9, select: [gpu/0/9], text: a}}
  - {{title: Late, at: 5 h}}
  - {{title: Added, at: 70 min, until: 72 min, speed: 600, camera: gpu/0/2, select: [gpu/0/2], text: b}}
"""


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tour") / "grown.twinrun"
    run(loads(GROWS).scenario, record=path)
    return path


def test_a_camera_at_what_comes_or_goes_stops_neither_film_nor_handout(grown: Path, qapp: object) -> None:
    from twin.report.handout import chapters_of, handout, with_pictures
    from twin.report.studio import Shot
    from twin.report.tour_film import TourFilm, shot_of

    with Reader(grown) as reader:
        chapters = chapters_of(reader)
        made = with_pictures(reader, chapters, Shot(theme="light", size=(320, 200)))
        assert handout(reader, made).count("<img") == 2
        film = TourFilm(reader, Shot(size=(240, 150)), 1, Kept())
        while film.step():
            pass
    assert [chapter.stop.number for chapter in made] == [1, 3], "as the file counts them"
    assert {scene.stop.count for scene in film.scenes} == {3}
    first = Shot(camera="row")
    gone, added = chapters
    small, large = gone.moment[1], added.moment[1]
    assert shot_of(gone.stop.chapter, small, first, first).camera == "row", "it stays"
    at_it = shot_of(added.stop.chapter, large, first, first)
    assert at_it.camera == "gpu/0/2"
    assert shot_of(gone.stop.chapter, small, at_it, first).camera == "overview", "that is gone too"


def test_a_film_too_long_says_so(recorded: Path, qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from twin.report import tour_film
    from twin.report.studio import Shot

    monkeypatch.setattr(tour_film, "MAX_FRAMES", 5)
    with (
        Reader(recorded) as reader,
        pytest.raises(NoChapters, match=r"take 9.58 s of film, 10 pictures, and 5 is the most"),
    ):
        tour_film.TourFilm(reader, Shot(size=(240, 150)), 1, Kept())


@pytest.mark.parametrize(
    ("chapters", "said"),
    [
        ("", "has no chapters; write some"),
        ("chapters: [{title: A, at: 5 h}]\n", "the only chapter begins after the end of the run at 10 min"),
        ("chapters: [{title: A, at: 5 h}, {title: B, at: 6 h}]\n", "all 2 chapters begin after the end"),
    ],
)
def test_a_run_that_shows_no_chapters_is_refused(chapters: str, said: str) -> None:
    scenario = loads(HEAD.replace("10 h", "10 min") + chapters).scenario
    with pytest.raises(NoChapters, match=said):
        stops_of_run(scenario, 600.0)


def test_a_refused_film_leaves_the_pictures_of_the_one_before(tmp_path: Path) -> None:
    older, captions = tmp_path / "000001.png", tmp_path / "captions.vtt"
    older.write_bytes(b"older")
    captions.write_text("WEBVTT")
    (tmp_path / "000002.png").write_bytes(b"older")
    frames = Frames(tmp_path, replace=True)
    assert older.read_bytes() == b"older"
    frames.add(np.zeros((4, 4, 3), np.uint8), {})
    assert [path.name for path in tmp_path.iterdir()] == ["000001.png"]
    assert older.read_bytes() != b"older"
