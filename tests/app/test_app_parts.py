"""The parts of the app that need no window."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.app.fuzzy import score
from twin.app.history import History
from twin.app.platform_choice import platform_environment
from twin.app.scene_list import picture_of, read_card, shipped_scenes
from twin.app.text import duration, elapsed, quantity, speed


def test_history_keeps_the_whole_past_in_bounded_memory() -> None:
    history = History(("a", "b"), capacity=100)
    for i in range(5000):
        history.append(float(i), (float(i), -float(i)))
    times_s = history.times_s()
    assert len(history) <= 100
    assert times_s[0] == 0.0
    assert times_s[-1] > 4800.0
    assert np.all(np.diff(times_s) > 0)
    assert np.array_equal(history.series("a"), times_s)
    assert np.array_equal(history.series("b"), -times_s)
    assert np.diff(times_s).max() < 4 * np.median(np.diff(times_s))


def test_history_refuses_time_that_stands_still() -> None:
    history = History(("a",))
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
    assert duration(59.99) == "60.0 s"
    assert speed(100 * 86400.0) == "100 day/s"


def test_cards_tell_title_story_and_size() -> None:
    cards = [read_card(path) for path in shipped_scenes()]
    assert cards[0].path.name == "llama3-16k.twin.yaml"
    assert len({card.title for card in cards}) == len(cards) >= 5
    assert all(card.story and len(card.story) <= 171 and card.gpus >= 16 for card in cards)
    assert all((picture := picture_of(path)) is None or picture.suffix == ".png" for path in shipped_scenes())
