"""A what-if in the real window: run and branch go on aside while people work, then both stand there with an answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.app.window_steps import run_to, what_if
from twin.analysis.compare import Basis, sample_of
from twin.app.branches.choices import Sort
from twin.app.branches.dialog import BranchDialog
from twin.app.compare.dialog import CompareDialog
from twin.app.shell.main_window import MainWindow
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load
from twin.units import spoken

UseWindow = Callable[[Path], MainWindow]
pytestmark = [pytest.mark.gl, pytest.mark.usefixtures("coarse_workers")]


def begun(use_window: UseWindow, my_lab: Path, qtbot: QtBot) -> MainWindow:
    """Return a window with the laboratory some hours into its day."""
    made = use_window(my_lab)
    run_to(made, qtbot, 3 * 3600.0, 50_000.0)
    return made


def asked(window: MainWindow) -> BranchDialog:
    dialog = what_if(window)
    dialog.sort_box.setCurrentIndex(dialog.sort_box.findData(Sort.CHECKPOINT.value))
    dialog.value_box.setCurrentText("5 min")
    return dialog


def opened(window: MainWindow, qtbot: QtBot) -> CompareDialog:
    qtbot.waitUntil(lambda: window.run_comparing.dialog is not None)
    dialog = window.run_comparing.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.halls is not None)
    return dialog


def test_a_what_if_is_answered_while_the_run_here_goes_on(
    use_window: UseWindow, my_lab: Path, qtbot: QtBot
) -> None:
    window = begun(use_window, my_lab, qtbot)
    session, dialog = window.session, asked(window)
    at_s, path, live = dialog.at_s, session.path, session.run_file
    assert dialog.answer_button.isVisible()
    assert dialog.answer_button.isDefault()
    dialog.futures.box.setChecked(True)
    dialog.futures.count.setValue(2)
    branch = dialog.path
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.answering.running)
    assert window.answering.isVisible()
    cancel = window.answering.cancel_button
    qtbot.waitUntil(lambda: cancel.height() >= cancel.iconSize().height())  # a cross, no dot
    qtbot.waitUntil(lambda: window.answering.words.shown == window.answering.words.text())
    assert "checkpoint interval of llama3 5 min instead of 30 min" in window.answering.words.text()
    assert (session.path, session.run_file) == (path, live)
    session.play()  # nobody has to wait
    qtbot.waitUntil(lambda: session.t_s > at_s + 60.0)
    shown = opened(window, qtbot)
    assert not window.answering.isVisible()
    assert session.path == path
    said = shown.answer.text()
    assert said.startswith("Checkpoint interval of llama3 5 min instead of 30 min: goodput -")
    assert "(paired, 2 seeds: " in said
    assert shown.verdict.text().startswith(f"Same past until {spoken(round(at_s, 3))}. ")
    assert shown.shown.basis is Basis.SAME_PAST
    assert shown.shown.since_s == at_s
    assert shown.shown.simulated_s == (86400.0, 86400.0)
    assert {"goodput", "energy_j", "lost_gpu_h"} <= set(shown.shown.differences)
    assert shown.seeds.words.text().startswith("2 seeds of each, ")
    run_of, branch_run = (one.path for one in shown.runs)
    assert branch_run == branch.with_name(branch.name.replace(".twin.yaml", ".twinrun"))
    with Reader(run_of) as a, Reader(branch_run) as b:
        assert a.t_end_s == b.t_end_s == 86400.0
        whole = run(load(path).scenario).engine.summary()
        assert sample_of(a.summary) == sample_of(whole)
        assert b.summary["event_hash"] == run(load(branch).scenario).engine.event_hash()
    # both are kept, and held against each other from the list, too
    shown.close()
    dock = window.docks.branches
    dock.look_again()
    dock.show()
    dock.read()
    assert [one.path for one in dock.roots[0].branches] == [branch]
    window.run_comparing.show(run_of, branch_run)
    again = opened(window, qtbot)
    assert again.answer.text().startswith("Checkpoint interval of llama3 5 min instead of 30 min: goodput -")
    assert "one run of each" in again.answer.text()
    pair = again.seeds.pair()
    assert (pair.basis, pair.since_s, pair.until_s) == (Basis.SAME_PAST, at_s, None)
    again.close()


def test_what_is_given_up_leaves_nothing_but_the_run(
    use_window: UseWindow, my_lab: Path, qtbot: QtBot
) -> None:
    window = begun(use_window, my_lab, qtbot)
    dialog = asked(window)
    folder = dialog.path.parent
    before = set(folder.iterdir())
    dialog.answer()
    qtbot.waitUntil(lambda: window.answering.running)
    second = asked(window)
    second.answer()
    assert "another what-if is running" in second.problem.text()
    second.close()
    QTest.mouseClick(window.answering.cancel_button, Qt.MouseButton.LeftButton)
    assert not window.answering.running
    assert not window.answering.isVisible()
    assert set(folder.iterdir()) == before
    assert window.run_comparing.dialog is None


def test_a_branch_that_is_refused_is_told_and_leaves_nothing(
    use_window: UseWindow, my_lab: Path, qtbot: QtBot
) -> None:
    window = begun(use_window, my_lab, qtbot)
    dialog = asked(window)
    folder = dialog.path.parent
    before = set(folder.iterdir())
    dialog.sort_box.setCurrentIndex(dialog.sort_box.findData(Sort.CAP.value))
    dialog.value_box.setCurrentText("1 mW")
    dialog.answer()
    qtbot.waitUntil(lambda: bool(window.notifications.notes))
    assert window.notifications.notes[0].trouble.title == "What-if failed"
    assert not window.answering.running
    assert set(folder.iterdir()) == before


def test_nothing_to_answer_without_a_change(use_window: UseWindow, my_lab: Path, qtbot: QtBot) -> None:
    window = begun(use_window, my_lab, qtbot)
    dialog = asked(window)
    dialog.sort_box.setCurrentIndex(0)
    assert not dialog.answer_button.isVisible()
    assert dialog.go_button.isDefault()
    dialog.answer()
    assert dialog.problem.text().startswith("No change yet")
