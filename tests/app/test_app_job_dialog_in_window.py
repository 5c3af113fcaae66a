"""The job dialog in the window: on which job it opens, how it follows the run, what it adds to the scene."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from twin.app.shell.main_window import MainWindow

pytestmark = pytest.mark.gl


def test_ctrl_j_opens_the_dialog_on_the_job_and_it_follows_the_run(
    make_window: Callable[..., MainWindow], qtbot: QtBot, lab: Path
) -> None:
    window = make_window(lab)
    QTest.keyClick(window, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    dialog = window.planner.dialog
    assert dialog is not None
    assert dialog.isVisible()
    assert not dialog.isModal()
    assert "Llama 3 8B, continued training" in dialog.windowTitle()
    window.session.set_speed(3600.0)
    window.session.play()
    qtbot.waitUntil(lambda: "in the run now" in dialog.results.tiles["step"].accessibleName())
    window.session.pause()
    dialog.form.gpus.box.setValue(8)
    assert dialog.draft.gpus == 8


def test_a_job_that_a_run_refuses_is_added_at_its_start(
    make_window: Callable[..., MainWindow], qtbot: QtBot, lab: Path, tmp_path: Path
) -> None:
    """Jobs of streams: none can be added once the run has begun."""
    stream = "streams: [{id: sweep, arrivals: {gap: 10 h}, sizes: {gpus: [1]}, lengths: {mean: 1 h}}]"
    scene = tmp_path / "with-stream.twin.yaml"
    scene.write_text(lab.read_text(encoding="utf-8") + f"\n{stream}\n", encoding="utf-8")
    window = make_window(scene)
    session, planner = window.session, window.planner
    session.play()
    qtbot.waitUntil(lambda: session.begun)
    session.pause()
    planner.open()
    dialog = planner.dialog
    assert dialog is not None
    before = len(session.draft.file.scenario.jobs)
    dialog.add_to_scene()
    qtbot.waitUntil(lambda: "was not added: " in dialog.said.text())
    assert "streams" in dialog.said.text()
    assert len(session.draft.file.scenario.jobs) == before
    assert not dialog.anew_button.isHidden()
    dialog.anew_button.click()
    qtbot.waitUntil(lambda: "was added to the scene; Undo removes it" in dialog.said.text())
    assert len(session.draft.file.scenario.jobs) == before + 1
    assert dialog.anew_button.isHidden()


def test_dock_and_inspector_open_the_dialog_on_their_job(
    make_window: Callable[..., MainWindow], qtbot: QtBot, lab: Path
) -> None:
    window = make_window(lab)
    window.go_to("llama3")
    assert window.docks.inspector.job == "llama3"
    assert window.docks.inspector.plan_button.isVisibleTo(window.docks.inspector)
    window.docks.inspector.plan_button.click()
    dialog = window.planner.dialog
    assert dialog is not None
    assert dialog.followed == "llama3"
    dialog.form.gpus.box.setValue(8)
    qtbot.waitUntil(dialog.isActiveWindow)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    window.go_to("gpu/0/0/0")
    assert window.docks.inspector.job is None
    window.job_actions.plan_job()
    assert dialog.isVisible()
    assert dialog.draft.gpus == 8  # as it was left
    table = window.docks.jobs.table
    window.docks.jobs.raise_()
    QTest.mouseClick(
        table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(table.model().index(0, 0)).center()
    )
    window.docks.jobs.plan_wanted.emit("llama3")
    assert dialog.draft.gpus == 16


def test_the_dialog_plans_without_a_scene_and_takes_the_next_one(
    make_window: Callable[..., MainWindow], lab: Path
) -> None:
    window = make_window()
    window.menus.execute("run.plan_job")
    dialog = window.planner.dialog
    assert dialog is not None
    assert not dialog.draft.hardware.in_scene
    assert dialog.judged.estimate is not None
    assert window.files.open(lab)
    assert dialog.draft.hardware.in_scene
    assert dialog.draft.gpus == 16
