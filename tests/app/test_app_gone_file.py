"""The file of the run on screen is deleted or replaced while it is open: that is told once, and a copy can be kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from twin.app.files.missing_run_file import KEEP, PATIENCE
from twin.app.shell.main_window import MainWindow
from twin.app.toolkit.notifications import Note
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl
HOUR_S = 3600.0
TITLE = "The run's file is missing"


@pytest.fixture
def recorded(lab: Path, tmp_path: Path) -> Path:
    scene = load(lab).scenario.model_copy(update={"duration_s": 2 * HOUR_S})
    path = tmp_path / "open.twinrun"
    run(scene, record=path)
    return path


def told(window: MainWindow) -> list[Note]:
    return [note for note in window.notifications.notes if note.trouble.title == TITLE]


def look(window: MainWindow, times: int = PATIENCE) -> None:
    for _ in range(times):
        window.gone.look()


def opened(use_window: UseWindow, lab: Path, recorded: Path) -> MainWindow:
    window = use_window(lab)
    assert window.files.open(recorded)
    window.session.replay.look(HOUR_S)
    look(window)
    assert not window.gone.gone
    assert not told(window)
    return window


@pytest.mark.slow
def test_a_deleted_one_is_told_once_and_goes_on_in_a_copy(
    use_window: UseWindow, lab: Path, recorded: Path, tmp_path: Path
) -> None:
    window = opened(use_window, lab, recorded)
    session = window.session
    before = session.frame
    assert before is not None
    with Reader(recorded) as reader:
        events, digest = reader.events(), reader.event_hash
    recorded.unlink()
    window.gone.look()
    assert not told(window)  # it may be moved aside for a moment
    look(window, 5)
    (note,) = told(window)
    assert str(recorded) in note.trouble.text
    assert "deleted" in note.trouble.text
    assert "(file gone)" in window.windowTitle()
    session.replay.look(1.5 * HOUR_S)  # the halls go on
    assert session.looking_s == 1.5 * HOUR_S
    session.replay.look(HOUR_S)
    assert KEEP in note.buttons
    copy = tmp_path / "kept.twinrun"
    assert window.gone.keep(copy)
    assert session.recording == copy
    assert session.looking_s == HOUR_S
    assert session.frame is not None
    assert np.array_equal(session.frame.values["gpu.temp_c"], before.values["gpu.temp_c"])
    with Reader(copy) as reader:
        assert (reader.events(), reader.event_hash, reader.damaged()) == (events, digest, ())
    look(window, 5)
    assert not told(window)
    assert "(file gone)" not in window.windowTitle()


def test_one_in_whose_place_another_stands_is_told_and_kept(
    use_window: UseWindow, lab: Path, recorded: Path, tmp_path: Path
) -> None:
    window = opened(use_window, lab, recorded)
    scene = window.session.document
    assert scene is not None
    other = tmp_path / "other.twinrun"
    run(scene.scenario, 99, until_s=600.0, record=other)
    with Reader(recorded) as reader:
        digest = reader.event_hash
    other.replace(recorded)
    look(window)
    (note,) = told(window)
    assert "replaced by another file" in note.trouble.text
    assert window.gone.keep(tmp_path / "kept.twinrun")
    with Reader(tmp_path / "kept.twinrun") as reader:
        assert reader.event_hash == digest


def test_one_that_comes_back_is_no_trouble_any_more(use_window: UseWindow, lab: Path, recorded: Path) -> None:
    window = opened(use_window, lab, recorded)
    aside = recorded.with_name("aside.twinrun")
    recorded.rename(aside)
    look(window, 3)
    assert told(window)
    aside.rename(recorded)
    look(window)
    assert not told(window)
    assert not window.gone.gone
    shutil.copy(recorded, aside)
    look(window)
    assert not told(window)


def test_of_a_live_run_plain_words_say_what_is_lost(use_window: UseWindow, lab: Path) -> None:
    window = use_window(lab)
    look(window, 1)
    run_file = window.session.run_file
    assert run_file is not None
    run_file.unlink()
    look(window)
    (note,) = told(window)
    assert "start it again" in note.trouble.text
    assert not note.buttons
    assert "(file gone)" in window.windowTitle()
    look(window, 4)
    assert len(told(window)) == 1


def test_a_copy_that_cannot_be_written_is_said(
    use_window: UseWindow, lab: Path, recorded: Path, tmp_path: Path
) -> None:
    window = opened(use_window, lab, recorded)
    recorded.unlink()
    look(window)
    assert not window.gone.keep(tmp_path / "nowhere" / "kept.twinrun")
    assert any(note.trouble.title == "Copy not saved" for note in window.notifications.notes)
    assert window.gone.gone
    assert window.session.recording == recorded
