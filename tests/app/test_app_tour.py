"""Presenting a scene: chapters by clicker keys, what they try, the notes; and all is as it was afterwards."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lab_scene import HEAD
from patient_bot import PatientBot
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from twin.app.files.video_dialog import VideoDialog
from twin.report.tour_times import current, stops
from twin.scenario import loads

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

pytestmark = [pytest.mark.gl, pytest.mark.usefixtures("coarse_workers")]

TOLD = """\
chapters:
  - title: Both nodes train
    at: 1 h
    until: 1 h 10 min
    speed: 600
    camera: overview
    colour_by: gpu.power_w
    text: "*Goodput* is **{site.goodput_now}**, a step takes {job.step_s llama3}. \\\\<img src=x> is words: 1 \\\\< 2."
    notes: Begin slowly.
  - title: A GPU falls off the bus
    at: "09:00"
    until: "09:20"
    slow_at: ["09:00"]
    speed: 600
    camera: gpu/0/0
    colour_by: gpu.state
    select: [gpu/0/0]
    layers: [racks, trays]
    text: Hot.
    try:
      - {label: Fail the other node, inject: [fail gpu/0/1/0 for=2h]}
      - {label: Checkpoints every hour, set: ["jobs[llama3].checkpoint.interval=1 h"], when: start}
      - {label: Why, dock: why}
  - {title: Restored, at: 9 h 30 min, until: 9 h 30 min}
"""
TRIED = """\
chapters:
  - title: Much to try
    at: 10 min
    until: 10 min
    camera: gpu/0/9
    select: [gpu/0/9]
    try:
      - {label: Half, set: ["jobs[llama3].checkpoint.pause=20 s"], inject: [fial gpu/0/0/0]}
      - {label: Unlike, set: ["jobs[llama3].checkpoint.pause=20 s", "jobs[llama3].nodes"]}
      - {label: Anew, set: ["jobs[nobody].nodes=2"], when: start}
      - {label: Gone, inject: [fail gpu/0/9/0], when: start}
"""


@pytest.fixture
def told(tmp_path: Path) -> Path:
    path = tmp_path / "told.twin.yaml"
    path.write_text(HEAD + TOLD)
    return path


Use = Callable[[Path], "MainWindow"]


def press(window: MainWindow, key: Qt.Key) -> None:
    QTest.keyClick(window, key)


def test_times_of_chapters_and_their_pace() -> None:
    first, failure, last = stops(loads(HEAD + TOLD).scenario)
    assert (first.at_s, first.until_s, first.wall_s) == (3600.0, 4200.0, 1.0)
    assert failure.slow == 60.0
    assert failure.pieces == ((32400.0, 32880.0, 60.0), (32880.0, 33600.0, 600.0))
    assert failure.wall_s == 8.0 + 1.2
    assert [failure.time_s(wall_s) for wall_s in (0.0, 4.0, 8.6, 99.0)] == [
        32400.0,
        32640.0,
        33240.0,
        33600.0,
    ]
    assert failure.piece_at(32880.0) == (600.0, 33600.0)
    assert (last.wall_s, last.time_s(3.0)) == (0.0, 34200.0)
    assert [current([first, failure, last], at_s) for at_s in (0.0, 3600.0, 32399.0, 36000.0)] == [
        None,
        0,
        0,
        2,
    ]


def test_presented_by_keys_and_put_back(use_window: Use, told: Path, qtbot: PatientBot) -> None:
    window = use_window(told)
    presenting, session, state = window.presenting, window.session, window.hall.state
    tour, card = presenting.tour, presenting.card
    before = window.hall.view.pose, state.colour_by, state.layers, window.look.text_scale
    shown = [entry.name for entry in window.docks.table if window.docks.is_shown(entry.name)]
    window.menus.qt_actions["tour.present"].trigger()
    assert presenting.on
    assert window.menuBar().isHidden()
    assert not any(window.docks.is_shown(name) for name in shown)
    assert (tour.place, state.colour_by) == (0, "gpu.power_w")
    assert card.isVisible()
    assert card.title.text() == "Both nodes train"
    qtbot.waitUntil(lambda: tour.phase == "over")
    assert session.t_s == pytest.approx(4200.0), "the run stops at the end of the chapter"
    assert "Goodput is 9" in card.words.plain
    assert "a step takes 6.6" in card.words.plain
    assert card.words.plain.endswith("<img src=x> is words: 1 < 2.")
    press(window, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: tour.place == 1 and tour.phase == "plays")
    assert (state.colour_by, state.selection, state.layers) == ("gpu.state", ("gpu/0/0",), {"racks", "trays"})
    press(window, Qt.Key.Key_Space)
    assert tour.phase == "paused"
    assert not session.running
    press(window, Qt.Key.Key_3)
    assert window.docks.is_shown("why")
    press(window, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: tour.place == 0 and session.looking_s is not None)
    assert session.shown_s < 4200.0, "back is a look at the record, not another run"
    assert session.t_s >= 32400.0
    press(window, Qt.Key.Key_Escape)
    assert not presenting.on
    assert not window.menuBar().isHidden()
    assert [entry.name for entry in window.docks.table if window.docks.is_shown(entry.name)] == shown
    assert (window.hall.view.pose, state.colour_by, state.layers, window.look.text_scale) == before
    assert not card.isVisible()


@pytest.mark.slow
def test_what_is_tried_is_an_act_like_any_other(use_window: Use, told: Path, qtbot: PatientBot) -> None:
    window = use_window(told)
    presenting, session = window.presenting, window.session
    presenting.begin(1)
    qtbot.waitUntil(lambda: presenting.tour.phase == "plays")
    press(window, Qt.Key.Key_Space)
    assert session.looking_s is None
    press(window, Qt.Key.Key_1)
    qtbot.waitUntil(lambda: len(session.by_hand) == 1)
    done = session.by_hand[0]
    assert (done.kind, done.target, done.duration_s) == ("fail", "gpu/0/1/0", 7200.0)
    assert "gpu/0/1/0" in window.editing.editor.undo_title
    presenting.card.buttons[1].click()
    draft = session.draft
    assert draft is not None
    assert draft.file.scenario.jobs[0].checkpoint.interval == 3600.0
    qtbot.waitUntil(lambda: presenting.tour.phase == "plays" and session.t_s >= 32400.0)
    assert session.by_hand == [], "the run began again"
    presenting.leave()
    session.restart()
    assert window.editing.editor.undo()
    assert draft.file.text == HEAD + TOLD


def test_notes_stand_in_a_window_of_their_own(use_window: Use, told: Path, qtbot: PatientBot) -> None:
    window = use_window(told)
    presenting = window.presenting
    presenting.begin(0)
    press(window, Qt.Key.Key_N)
    notes = presenting.notes
    assert notes.isVisible()
    assert notes.isWindow()
    assert notes.title.text() == "1. Both nodes train"
    assert notes.notes.plain == "Begin slowly."
    assert "A GPU falls off the bus" in notes.next.text()
    qtbot.waitUntil(lambda: notes.time.text() >= "00:00:01")
    presenting.leave()
    assert not notes.isVisible()
    assert window.settings.kept("presenter screen") == [notes.screen().name()]


def test_what_is_typed_in_a_dock_goes_there(use_window: Use, told: Path, qtbot: PatientBot) -> None:
    window = use_window(told)
    presenting, field = window.presenting, window.docks.events.search
    presenting.begin(2)
    window.docks.show("events")
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    QTest.keyClicks(field, "n 1")
    assert field.text() == "n 1"
    assert not presenting.notes.isVisible()
    assert presenting.tour.phase != "paused"
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not presenting.on


def test_the_story_lists_chapters_and_the_timeline_marks_them(
    use_window: Use, told: Path, qtbot: PatientBot
) -> None:
    window = use_window(told)
    listed = window.docks.story.chapters
    assert [line.text() for line in listed.lines] == [
        "Both nodes train",
        "A GPU falls off the bus",
        "Restored",
    ]
    assert window.timeline.strip.notes(3600.0, 3600.0) == ["Chapter: Both nodes train"]
    window.timeline.strip.grab()
    assert list(window.timeline.strip.shown.chapters) == [3600.0, 32400.0, 34200.0]
    listed.lines[0].click()
    qtbot.waitUntil(lambda: window.session.t_s >= 3600.0 and not window.session.running)
    assert window.session.t_s == pytest.approx(3600.0), "it goes there and stands"
    assert not window.presenting.on


@pytest.mark.slow
def test_a_recorded_run_is_presented(use_window: Use, told: Path, qtbot: PatientBot, tmp_path: Path) -> None:
    window = use_window(told)
    session = window.session
    session.play(1e9)
    qtbot.waitUntil(lambda: session.finished)
    kept = tmp_path / "kept.twinrun"
    assert session.run_file is not None
    session.replay.look(0.0)
    session.replay.save_copy(kept)
    assert window.files.open(kept)
    presenting = window.presenting
    presenting.begin(1)
    tour = presenting.tour
    assert session.looking_s == pytest.approx(32400.0, abs=60.0)
    press(window, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: tour.place == 2 and tour.phase == "over")
    assert session.looking_s == pytest.approx(34200.0)
    presenting.leave()


@pytest.mark.slow
def test_a_recorded_run_that_was_broken_off_is_presented_to_where_it_ends(
    use_window: Use, told: Path, qtbot: PatientBot, tmp_path: Path
) -> None:
    window = use_window(told)
    session = window.session
    session.play(math.inf, 32430.0)
    qtbot.waitUntil(lambda: session.t_s >= 32430.0)
    session.halt()
    kept = tmp_path / "kept.twinrun"
    session.replay.look(0.0)
    session.replay.save_copy(kept)
    assert window.files.open(kept)
    assert not session.finished
    presenting = window.presenting
    presenting.begin(1)
    qtbot.waitUntil(lambda: presenting.tour.phase == "over")
    assert session.looking_s == pytest.approx(session.t_s)
    presenting.leave()


def test_a_button_that_cannot_do_all_it_says_does_nothing(
    use_window: Use, tmp_path: Path, qtbot: PatientBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tried.twin.yaml"
    path.write_text(HEAD + TRIED)
    window = use_window(path)
    presenting, session = window.presenting, window.session
    presenting.begin(0)
    qtbot.waitUntil(lambda: presenting.tour.phase == "over")
    asked: list[object] = []
    monkeypatch.setattr(session, "intervene", asked.append)
    told = []
    for button in presenting.card.buttons:
        button.click()
        told.append(window.notifications.notes[-1].trouble.text)
    assert told == [
        "Half: unknown fault kind 'fial'; did you mean 'fail'?",
        "Unlike: must be PATH=VALUE; write it like jobs[llama3].checkpoint.pause=20 s",
        "Anew: jobs[nobody]: needs the key 'workload'; workload of a step",
        "Gone: interventions[tried-1].target: 'gpu/0/9/0' does not exist: 'gpu' has 2 racks in a row, counted from 0",
    ]
    assert not asked
    assert session.t_s == pytest.approx(600.0), "the run stays"
    presenting.leave()


def test_text_of_a_file_is_never_markup(use_window: Use, told: Path) -> None:
    window = use_window(told)
    presenting = window.presenting
    presenting.begin(0)
    for words in presenting.card.findChildren(QLabel):
        assert words.textFormat() == Qt.TextFormat.PlainText
    assert "<img src=x>" in presenting.card.words.plain
    assert "<img" not in presenting.card.words.toHtml()
    presenting.leave()


@pytest.mark.slow
def test_a_film_of_the_chapters_has_captions_beside_it(
    use_window: Use, told: Path, qtbot: PatientBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = use_window(told)
    session = window.session
    session.play(1e9)
    qtbot.waitUntil(lambda: session.finished)
    dialog = VideoDialog(window.look, session, window.hall, window)
    dialog.range.setCurrentIndex(dialog.range.findData("chapters"))
    dialog.kind.setCurrentIndex(dialog.kind.findData("pictures"))
    dialog.size_box.setCurrentIndex(dialog.size_box.count() - 1)
    assert not dialog.seconds.isEnabled()
    dialog.fps.addItem("1", 1)
    dialog.fps.setCurrentIndex(dialog.fps.findData(1))
    captions = tmp_path / "film" / "captions.vtt"
    captions.parent.mkdir()
    captions.write_text("mine")
    dialog.make(tmp_path / "film")
    assert dialog.words.text() == f"{captions} exists already: choose another name"
    assert captions.read_text() == "mine"
    captions.unlink()
    dialog.make(tmp_path / "film")
    qtbot.waitUntil(lambda: dialog.film is None)
    assert dialog.made == tmp_path / "film"
    assert (tmp_path / "film" / "000001.png").is_file()
    assert "a step takes 6.6" in captions.read_text()
    assert not dialog.seconds.isEnabled()  # chapters are still chosen

    def full(path: Path, _data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("twin.app.files.video_dialog.write_whole", full)
    dialog.make(tmp_path / "other")
    qtbot.waitUntil(lambda: dialog.film is None)
    assert dialog.made == tmp_path / "other"
    done, failed = dialog.words.text().split("\n")
    assert done.endswith(f"pictures: {tmp_path / 'other'}")
    assert failed.startswith("Captions not written: ")
    with qtbot.waitSignal(dialog.destroyed):
        dialog.show()
        dialog.reject()
