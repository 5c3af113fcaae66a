"""The parts of the app that need no window."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twin.app.files.scene_list import picture_of, read_card, shipped_scenes
from twin.app.planner.facts import plan_rows
from twin.app.session.bounded_history import BoundedHistory
from twin.app.toolkit.fuzzy import score
from twin.app.toolkit.text import duration, elapsed, quantity, speed
from twin.app.world.part_figures import figure_title, figure_value
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.plant.build import build
from twin.report.platform_choice import platform_environment
from twin.scenario import load
from twin.shown_text import spelled


def test_history_keeps_the_whole_past_in_bounded_memory() -> None:
    history = BoundedHistory(("a", "b"), capacity=100)
    for i in range(5000):
        history.append(float(i), (float(i), -float(i)))
    times_s = history.times_s()
    assert len(history) <= 100
    assert times_s[0] == 0.0
    assert times_s[-1] == 4999.0
    assert np.all(np.diff(times_s) > 0)
    assert np.array_equal(history.series("a"), times_s)
    assert np.array_equal(history.series("b"), -times_s)
    assert np.diff(times_s).max() < 500.0


@given(st.integers(0, 4999), st.integers(0, 4999))
@settings(max_examples=20)
def test_a_single_dip_and_a_single_peak_stay_however_long_the_run(dip: int, peak: int) -> None:
    history = BoundedHistory(("a",), capacity=64)
    values = np.full(5000, 5.0)
    values[dip], values[peak] = 1.0, 9.0
    for i, value in enumerate(values.tolist()):
        history.append(float(i), (value,))
    assert history.series("a").min() == values.min()
    assert history.series("a").max() == values.max()


def test_the_record_takes_the_place_of_frames_unless_they_show_more() -> None:
    history = BoundedHistory(("a",))
    for t_s in (0.0, 40.0, 80.0, 120.0):
        history.append(t_s, (1.0,))
    history.merge(np.array([np.arange(0.0, 100.0, 10.0), np.full(10, 2.0)]))
    assert history.times_s().tolist() == [*np.arange(0.0, 100.0, 10.0), 120.0]
    assert history.series("a")[:-1].tolist() == [2.0] * 10
    for t_s in np.arange(121.0, 140.0):
        history.append(float(t_s), (3.0,))
    history.merge(np.array([[100.0, 110.0, 130.0], [4.0, 4.0, 4.0]]))
    assert np.all(np.diff(history.times_s()) > 0)
    assert 4.0 in history.series("a")
    assert np.count_nonzero(history.series("a") == 3.0) >= 18  # a slow run keeps what its frames saw


def test_history_refuses_time_that_stands_still() -> None:
    history = BoundedHistory(("a",))
    assert history.append(1.0, (0.0,))
    assert not history.append(1.0, (0.0,))


@given(st.text(max_size=12), st.text(max_size=40))
def test_a_title_matches_when_its_letters_come_in_order(typed: str, title: str) -> None:
    letters, rest = typed.lower().replace(" ", ""), iter(title.lower())
    assert (score(typed, title) is not None) == all(letter in rest for letter in letters)


def test_letters_that_start_words_win() -> None:
    titles = ["Run Faster", "View Frame the selection", "Window Full screen"]
    assert max(titles, key=lambda t: score("frame", t) or -1.0) == "View Frame the selection"
    assert max(titles, key=lambda t: score("fs", t) or -1.0) in titles[1:]


@pytest.mark.parametrize(
    ("environ", "nvidia", "expected"),
    [
        ({"DISPLAY": ":0"}, True, {"PYOPENGL_PLATFORM": "glx"}),
        (
            {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"},
            True,
            {"QT_QPA_PLATFORM": "xcb", "PYOPENGL_PLATFORM": "glx"},
        ),
        (
            {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"},
            False,
            {"QT_QPA_PLATFORM": "wayland", "PYOPENGL_PLATFORM": "egl"},
        ),
        ({"WAYLAND_DISPLAY": "wayland-0", "QT_QPA_PLATFORM": "wayland"}, True, {"PYOPENGL_PLATFORM": "egl"}),
        ({}, True, {}),
    ],
)
def test_qt_and_opengl_talk_to_the_same_window_system(
    environ: dict[str, str], nvidia: bool, expected: dict[str, str]
) -> None:
    assert platform_environment(environ, linux=True, nvidia=nvidia) == expected
    assert platform_environment(environ, linux=False, nvidia=nvidia) == {}


def test_numbers_read_as_people_write_them() -> None:
    assert quantity(999_900.0, "W") == "1.00 MW"
    assert quantity(0.0, "W") == "0 W"
    assert elapsed(86400.0) == "1 d 00:00:00"
    assert duration(59.99) == "1 min"
    assert speed(100 * 86400.0) == "100 day/s"


def test_cards_tell_title_story_and_size() -> None:
    cards = [read_card(path) for path in shipped_scenes()]
    assert cards[0].path.name == "llama3-16k.twin.yaml"
    assert len({card.title for card in cards}) == len(cards) >= 5
    assert all(card.story and len(card.story) <= 171 and card.gpus >= 16 for card in cards)
    assert all((picture := picture_of(path)) is None or picture.suffix == ".png" for path in shipped_scenes())


def test_no_figure_of_the_catalogue_is_shown_in_shorthand() -> None:
    catalog = load_catalog()
    for part in catalog.ids():
        for figure in catalog.figures(part):
            title, value = figure_title(figure.key), figure_value(figure)
            assert not any(word in title for word in ("[", "_", "N GPU", "Max op")), figure
            assert "degC" not in value, figure
            assert "lpm" not in value or "/" in value, figure
            if figure.unit in ("W", "U", "USD"):
                assert value[-1].isalpha(), figure
    figures = {figure.key: figure_value(figure) for figure in catalog.figures("DGX-H100")}
    assert figures["max_w"] == "10.2 kW"
    assert figures["height_u"] == "8 U"
    assert figures["nics[0]"] == "8 × CX-7-400G"


def test_causes_are_written_with_their_abbreviations() -> None:
    assert spelled("gpu hbm3 memory; repair time 3 h") == "GPU HBM3 memory; repair time 3 h"
    assert spelled("llama3 stops: nccl watchdog timeouts on gpu/3/12/1.") == (
        "llama3 stops: NCCL watchdog timeouts on gpu/3/12/1."
    )
    assert spelled("io expansion board") == "IO expansion board"
    assert spelled("audio") == "audio"


def test_the_planner_speaks_of_a_job_that_does_not_fit() -> None:
    scenario = load(next(path for path in shipped_scenes() if path.name == "lab-16.twin.yaml")).scenario
    world = World(scenario, build(scenario), load_catalog(), None)
    job = scenario.jobs[0]
    rows = {row.label: row.value for row in plan_rows(world, job)}
    assert rows["Confidence"] == "\N{BLACK CIRCLE} calibrated"
    assert rows["Fits in memory"] == "yes"
    too_large = job.workload.model_copy(update={"model": "llama3-70b"})
    rows = {row.label: row.value for row in plan_rows(world, job.model_copy(update={"workload": too_large}))}
    assert rows["Fits in memory"].startswith("no: needs ")
