"""What a person sees when a file cannot be opened, or its scene cannot be played."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu
from pytestqt.qtbot import QtBot
from usual_cases import usually

from twin.analysis.branch import branch_scene, parent_scene
from twin.app.branches.branches_dock import GOODPUT
from twin.app.shell.main_window import MainWindow
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import Document, load

MakeWindow = Callable[..., MainWindow]
pytestmark = pytest.mark.gl


def test_a_bad_file_shows_its_problems_and_keeps_the_scene(
    make_window: MakeWindow, qtbot: QtBot, lab: Path, tmp_path: Path
) -> None:
    window = make_window(lab)
    open_document = window.session.document
    bad = tmp_path / "bad.twin.yaml"
    bad.write_text(lab.read_text().replace("duration: 1 day", "duraton: 1 day"))
    assert not window.files.open(bad)
    dialog = window.files.problems
    assert dialog is not None
    assert dialog.isVisible()
    assert dialog.windowTitle() == "This scene cannot be opened"
    assert dialog.problems[0].line > 0
    assert "duraton" in dialog.problems[0].key
    assert window.session.document is open_document
    dialog.close()
    qtbot.waitUntil(lambda: window.files.problems is None)
    broken = tmp_path / "broken.twinrun"
    broken.write_text("no run")
    assert not window.files.open(broken)
    assert window.files.problems is not None
    assert window.files.problems.windowTitle() == "This run file cannot be opened"


def test_a_scene_that_cannot_be_played_is_refused_and_the_former_run_goes_on(
    make_window: MakeWindow, qtbot: QtBot, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window(lab)
    session = window.session
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 600.0)
    came_to_s, events = session.t_s, len(session.events)
    bad = tmp_path / "five.twin.yaml"
    bad.write_text(lab.read_text())
    monkeypatch.setattr("twin.app.session.session.load", load_with_five_nodes)
    assert window.files.open(bad)
    session.play()
    qtbot.waitUntil(lambda: window.files.problems is not None)
    assert window.files.problems is not None
    assert "asks for 5 nodes" in window.files.problems.problems[0].reason
    assert not session.playing
    assert session.path == window.files.path == lab
    assert bad.resolve() not in window.settings.recent
    assert window.hall.isVisible()
    qtbot.waitUntil(lambda: session.t_s >= came_to_s and session.frame is not None)
    assert len(session.events) >= events
    session.play()
    qtbot.waitUntil(lambda: session.t_s > came_to_s + 600.0)
    assert [event.row for event in session.events] == list(range(len(session.events)))


@pytest.mark.parametrize("plays", usually([False, True], [True]))
def test_an_unplayable_first_scene_leads_to_the_welcome_page(
    make_window: MakeWindow, qtbot: QtBot, lab: Path, monkeypatch: pytest.MonkeyPatch, plays: bool
) -> None:
    window = make_window()
    monkeypatch.setattr("twin.app.session.session.load", load_with_five_nodes)
    assert window.files.open(lab)
    if plays:  # as from the command line
        window.session.play()
    qtbot.waitUntil(lambda: window.files.problems is not None)
    assert window.files.problems is not None
    assert "asks for 5 nodes" in window.files.problems.problems[0].reason
    assert window.session.document is None
    assert window.welcome.isVisible()


@pytest.fixture
def damaged(tmp_path: Path, lab: Path) -> Path:
    """A scene of one's own with a branch, and beside both a run of which the summary is damaged."""
    scene, recorded = tmp_path / "own.twin.yaml", tmp_path / "own.twinrun"
    scene.write_bytes(lab.read_bytes())
    run(load(scene).scenario, record=recorded, until_s=3600.0)
    with Reader(recorded) as reader:
        extends = parent_scene(reader, tmp_path)
        (tmp_path / "cut.twin.yaml").write_text(branch_scene(extends, tmp_path, reader, 1800.0, [], "Cut"))
    shutil.copy(recorded, tmp_path / "cut.twinrun")
    for path, change in (
        (recorded, "json_remove(summary, '$.ledger_gpu_s')"),
        (
            tmp_path / "cut.twinrun",
            """replace(summary, '"events":', '"progress": {"events": Infinity}, "events":')""",
        ),
    ):
        with closing(sqlite3.connect(path)) as file, file:
            file.execute(f"UPDATE progress SET summary = {change}")
    return scene


@pytest.mark.slow
def test_a_scene_beside_which_a_damaged_run_lies_is_opened_played_and_the_run_refused_in_words(
    make_window: MakeWindow, qtbot: QtBot, damaged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    session, dock = window.session, window.docks.branches
    told: set[str] = set()
    dock.told.connect(lambda title, _text: told.add(title))  # notes go by themselves

    def choose(path: Path) -> None:
        """Press Ctrl+O, and choose a file."""
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_a, **_k: (str(path), ""))
        QTest.keyClick(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)

    def played(path: Path) -> bool:
        """Play the open scene for a while."""
        qtbot.waitUntil(lambda: session.path == path and session.frame is not None)
        session.set_speed(3600.0)
        session.play()
        qtbot.waitUntil(lambda: session.t_s > 600.0)
        session.pause()
        return window.files.problems is None

    choose(damaged)
    assert played(damaged)
    window.docks.show("branches")
    qtbot.waitUntil(lambda: bool(dock.roots))
    (root,) = dock.roots
    (cut,) = root.branches
    assert "ledger_gpu_s is missing" in root.unread
    assert "Infinity is no number" in cut.unread
    item = dock.tree.topLevelItem(0).child(0)
    assert item.text(GOODPUT) == "run file damaged"
    choose(damaged.with_name("own.twinrun"))
    qtbot.waitUntil(lambda: window.files.problems is not None)
    assert window.files.problems is not None
    (problem,) = window.files.problems.problems
    assert "the summary of this run file is damaged: ledger_gpu_s is missing" in problem.reason
    assert session.path == damaged
    window.files.problems.close()
    qtbot.waitUntil(lambda: window.files.problems is None)
    assert played(damaged)  # it goes on as it was
    dock.tree.setCurrentItem(item)
    dock.open_button.click()
    assert played(damaged.with_name("cut.twin.yaml"))
    assert told == {"Recording unreadable"}
    menu = next(menu for menu in window.findChildren(QMenu) if menu.title() == "Open recent")
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text().startswith("own.twin.yaml")).trigger()
    assert played(damaged)


def test_what_is_no_scene_is_refused_in_words(make_window: MakeWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window = make_window()
    missing, binary, folder = (tmp_path / f"{kind}.twin.yaml" for kind in ("missing", "binary", "folder"))
    binary.write_bytes(bytes(range(256)))
    folder.mkdir()
    for path in (missing, binary, folder):
        assert not window.files.open(path)
        assert window.files.problems is not None
        assert window.files.problems.problems[0].reason
        window.files.problems.close()
        qtbot.waitUntil(lambda: window.files.problems is None)


def load_with_five_nodes(path: Path) -> Document:
    """Load the laboratory as if nothing had noticed that its job asks for more nodes than there are."""
    document = load(path)
    job = document.scenario.jobs[0].model_copy(update={"nodes": 5})
    return replace(document, scenario=document.scenario.model_copy(update={"jobs": (job,)}))
