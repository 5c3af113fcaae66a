"""What if from here: a branch is asked for, made and run in the real window, its parent kept; the tree of them."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.app.window_steps import run_to, what_if
from twin.analysis.verify import verify
from twin.app.branches.branches_dock import GOODPUT
from twin.app.branches.choices import Sort, folder_of, free_path
from twin.app.branches.dialog import BranchDialog
from twin.app.shell.main_window import MainWindow
from twin.commands.place.move import MoveThings
from twin.record.hash import EventHash
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load, loads, parse_injection

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl


def asked_after_an_hour(window: MainWindow, qtbot: QtBot) -> tuple[BranchDialog, float]:
    """Let an hour run; return the question of a branch then, and when that is [s]."""
    run_to(window, qtbot, 3600.0, 50_000.0)
    return what_if(window), window.session.t_s


def look_back(window: MainWindow, qtbot: QtBot, t_s: float) -> float:
    """Look at a time that is over; return that of the picture."""
    session = window.session
    session.replay.look(t_s)
    qtbot.waitUntil(lambda: session.looking_s is not None)
    return session.shown_s


def has_happened(window: MainWindow, qtbot: QtBot, kind: str) -> None:
    qtbot.waitUntil(lambda: any(one.kind == kind for one in window.session.events))


def reaches_s(run_file: Path) -> float:
    with Reader(run_file) as reader:
        return reader.t_end_s


def choose(dialog: BranchDialog, sort: Sort) -> None:
    dialog.sort_box.setCurrentIndex(dialog.sort_box.findData(sort.value))


def goes_on(window: MainWindow, qtbot: QtBot, path: Path, at_s: float) -> None:
    session = window.session
    qtbot.waitUntil(lambda: session.path == path)
    qtbot.waitUntil(lambda: session.t_s >= at_s - 1e-6 and session.frame is not None)


def test_a_branch_of_a_live_run_keeps_its_past_and_goes_its_own_way(
    use_window: UseWindow, qtbot: QtBot, my_lab: Path
) -> None:
    window = use_window(my_lab)
    run_to(window, qtbot, 6 * 3600.0, 50_000.0)
    session, at_s = window.session, window.session.t_s
    parent, events = session.run_file, list(session.events)
    dialog = what_if(window)
    assert not session.running
    choose(dialog, Sort.CAP)
    assert dialog.target_box.currentText() == "all"
    dialog.value_box.setCurrentText("much")
    dialog.go()
    qtbot.waitUntil(dialog.problem.isVisible)  # not before the file holds the run up to the cut
    assert "much" in dialog.problem.text()
    dialog.value_box.setCurrentText("500 W")
    assert dialog.name_field.text().startswith("Power cap: all jobs, 500 W from ")
    assert dialog.add()
    choose(dialog, Sort.CHECKPOINT)
    dialog.value_box.setCurrentText("5 min")
    dialog.name_field.setText("Capped")
    dialog.name_field.textEdited.emit("Capped")
    path = dialog.path
    assert path == my_lab.parent / "capped.twin.yaml"
    dialog.go()
    goes_on(window, qtbot, path, at_s)
    assert [(one.kind, one.at_s) for one in load(path).scenario.interventions][-2:] == [
        ("power_cap", pytest.approx(at_s, abs=2e-3)),
        ("set", pytest.approx(at_s, abs=2e-3)),
    ]
    assert session.run_file == path.parent / "capped.twinrun"
    has_happened(window, qtbot, "power_cap")
    assert session.events[: len(events)] == events
    session.pause()
    assert parent is not None
    with Reader(parent) as reader, Reader(path.parent / parent.name) as kept:
        assert reader.t_end_s >= at_s
        assert kept.event_hash == reader.event_hash
    qtbot.waitUntil(lambda: reaches_s(path.parent / "capped.twinrun") > at_s)
    verdict = verify(
        path.parent / "capped.twinrun"
    )  # simulated anew from t = 0, held against what was recorded
    assert verdict.divergence is None
    assert verdict.t_s > at_s
    window.docks.show("branches")
    dock = window.docks.branches
    qtbot.waitUntil(lambda: bool(dock.roots))
    (root,) = dock.roots
    assert root.name == my_lab.name
    (child,) = root.branches
    assert child.changes == ("Power cap: all jobs, 500 W", "Checkpoint interval of llama3: 5 min")
    assert dock.chosen == child  # the one that is open
    assert not dock.open_button.isEnabled()
    pairs: list[tuple[Path, Path]] = []
    dock.compare_wanted.connect(lambda one, other: pairs.append((one, other)))
    qtbot.mouseClick(dock.compare_button, Qt.MouseButton.LeftButton)
    assert pairs == [(path.parent / parent.name, path.parent / "capped.twinrun")]


def test_what_is_asked_of_the_past_is_what_the_branch_begins_with(
    use_window: UseWindow, qtbot: QtBot, my_lab: Path
) -> None:
    window = use_window(my_lab)
    run_to(window, qtbot, 5 * 3600.0, 50_000.0)
    session = window.session
    at_s = look_back(window, qtbot, 2 * 3600.0)
    session.intervene(parse_injection("0 s pump_stop water for=1h"))
    dialog = window.branching.dialog
    assert dialog is not None
    assert "Pumps stop: water for 1 h" in dialog.changes_label.text()
    path = dialog.path
    dialog.go()
    goes_on(window, qtbot, path, at_s)
    has_happened(window, qtbot, "pump_stop")
    (stopped,) = [event for event in session.events if event.kind == "pump_stop"]
    assert stopped.t_s == pytest.approx(at_s, abs=2e-3)
    assert session.looking_s is None
    session.pause()


def test_what_the_run_refuses_brings_the_parent_back(
    use_window: UseWindow, qtbot: QtBot, my_lab: Path
) -> None:
    window = use_window(my_lab)
    dialog, at_s = asked_after_an_hour(window, qtbot)
    session = window.session
    choose(dialog, Sort.CAP)
    dialog.value_box.setCurrentText("1 W")
    path = dialog.path
    dialog.go()
    qtbot.waitUntil(lambda: window.files.problems is not None)
    assert window.files.problems is not None
    assert "power_cap takes" in window.files.problems.problems[0].reason
    window.files.problems.close()
    assert session.path == my_lab
    assert not path.exists()
    assert not path.with_name("capped.twinrun").exists()
    qtbot.waitUntil(lambda: session.t_s >= at_s)


def test_what_is_selected_is_on_offer_first_and_what_is_no_thing_is_refused_in_words(
    use_window: UseWindow, qtbot: QtBot, my_lab: Path
) -> None:
    window = use_window(my_lab)
    run_to(window, qtbot, 3600.0, 50_000.0)
    window.hall.state.selection = ("gpu/0/1/0/3",)
    dialog = what_if(window)
    choose(dialog, Sort.FAULT)
    assert dialog.target_box.currentText() == "gpu/0/1/0/3"
    assert dialog.fault is not None
    dialog.target_box.setCurrentText("gpu/0/1/o")
    dialog.go()
    assert dialog.isVisible()
    assert dialog.problem.text() == ("gpu/0/1/o cannot be a target here. Did you mean gpu/0/1/0?")
    assert "gpu/0/1/o" not in dialog.name_field.text()
    choose(dialog, Sort.CHECKPOINT)
    assert dialog.value_row[0].text() == "Value, now 30 min"
    dialog.close()


def test_nothing_yet_stands_at_the_cut_and_is_edited_there(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    dialog, at_s = asked_after_an_hour(window, qtbot)
    session = window.session
    assert dialog.sort is Sort.NOTHING
    assert not dialog.add_button.isVisible()
    path = dialog.path
    assert path.parent == folder_of(lab)  # a shipped scene is left alone
    dialog.go()
    goes_on(window, qtbot, path, at_s)
    QTest.qWait(50)
    assert session.t_s == pytest.approx(at_s, abs=2e-3)
    assert not session.running
    assert load(path).files[1].name == "lab-16.twin.yaml"
    session.intervene(parse_injection("0 s power_cap all value='400 W'"))
    session.play()
    has_happened(window, qtbot, "power_cap")
    session.pause()
    assert len(session.by_hand) == 1


def test_a_branch_with_another_past_than_it_says_is_told(
    use_window: UseWindow, qtbot: QtBot, my_lab: Path
) -> None:
    window = use_window(my_lab)
    dialog, at_s = asked_after_an_hour(window, qtbot)
    session = window.session
    path = dialog.path
    dialog.go()
    goes_on(window, qtbot, path, at_s)
    run_to(window, qtbot, at_s + 600.0, 50_000.0)
    titles = [note.trouble.title for note in window.notifications.notes]
    assert "Past differs from the branch" not in titles
    sent = path.with_name("sent.twin.yaml")
    branch = load(path).scenario.branch
    assert branch is not None
    sent.write_text(path.read_text().replace(branch.event_hash, "a" * 64))
    assert window.files.open(sent)
    run_to(window, qtbot, at_s + 600.0, 50_000.0)
    assert session.path == sent
    note = window.notifications.notes[-1].trouble
    assert note.title == "Past differs from the branch"
    assert "This branch differs from its run" in note.text


def test_a_scene_without_branches_says_how_to_make_one(
    use_window: UseWindow, qtbot: QtBot, my_lab: Path
) -> None:
    window = use_window(my_lab)
    window.docks.show("branches")
    dock = window.docks.branches
    qtbot.waitUntil(lambda: dock.none.isVisible())
    assert "What if from here" in dock.none.text()
    assert not dock.tree.isVisible()
    assert not dock.open_button.isEnabled()
    assert not dock.compare_button.isEnabled()
    assert free_path(my_lab.parent, "My lab").name == "my-lab-2.twin.yaml"


def test_an_edit_of_the_past_is_the_first_of_a_branch(
    use_window: UseWindow, qtbot: QtBot, my_lab: Path
) -> None:
    window = use_window(my_lab)
    run_to(window, qtbot, 4 * 3600.0, 50_000.0)
    session = window.session
    at_s = look_back(window, qtbot, 1.5 * 3600.0)
    assert window.editing.editor.do(MoveThings(("gpu/0/0",), (0.0, 1.2)))
    dialog = window.branching.dialog
    assert dialog is not None
    path = dialog.path
    dialog.go()
    goes_on(window, qtbot, path, at_s)
    has_happened(window, qtbot, "edited")
    session.pause()
    (one,) = load(path).scenario.edits
    assert one.at_s == pytest.approx(at_s, abs=2e-3)
    assert session.plant is not None
    assert session.plant.epoch == 1


def test_a_recording_that_was_sent_is_branched_without_its_scene(
    use_window: UseWindow, qtbot: QtBot, my_lab: Path, tmp_path: Path
) -> None:
    text = my_lab.read_text(encoding="utf-8").replace("title: A laboratory", "title: Another laboratory")
    sent = tmp_path / "post" / "sent.twinrun"
    sent.parent.mkdir()
    run(loads(text).scenario, record=sent, until_s=4 * 3600.0)
    window = use_window(my_lab)
    session = window.session
    assert window.files.open(sent)
    at_s = look_back(window, qtbot, 2 * 3600.0)
    dialog = what_if(window)
    choose(dialog, Sort.CAP)
    dialog.value_box.setCurrentText("500 W")
    path = dialog.path
    assert path.parent == sent.parent
    dialog.go()
    goes_on(window, qtbot, path, at_s)
    has_happened(window, qtbot, "power_cap")
    session.pause()
    assert session.recording is None
    assert [one.name for one in load(path).files] == [path.name, "sent.twin.yaml"]


def test_branches_are_held_against_each_other_at_their_ends_and_a_lost_run_is_told(
    use_window: UseWindow, qtbot: QtBot, my_lab: Path
) -> None:
    parent = my_lab.with_name("my-lab.twinrun")
    run(load(my_lab).scenario, record=parent)
    cut = f"{{at: 0.001 s, run: {parent.name}, events: 0, hash: {EventHash().hexdigest()}}}"
    text = f"""format: twin/scenario
version: 3
catalog: "2026.11"
extends: {my_lab.name}
title: Gone
branch: {cut}
"""
    gone = my_lab.with_name("gone.twin.yaml")
    gone.write_text(text)
    ran = my_lab.with_name("ran.twin.yaml")
    ran.write_text(text.replace("Gone", "Ran"))
    run(load(ran).scenario, record=my_lab.with_name("ran.twinrun"), until_s=8 * 3600.0)
    with closing(sqlite3.connect(my_lab.with_name("ran.twinrun"))) as file, file:
        file.execute("UPDATE progress SET summary = NULL")  # as of one that still runs
    window = use_window(my_lab)
    assert window.files.open(parent)
    assert f" \N{EM DASH} {parent.name} \N{EM DASH} " in window.windowTitle()
    window.docks.show("branches")
    dock = window.docks.branches
    qtbot.waitUntil(lambda: bool(dock.roots))
    top = dock.tree.topLevelItem(0)
    assert top is not None
    with Reader(parent) as reader:
        assert reader.summary is not None
        ends = f"{100 * reader.summary['goodput']:.2f} %"
    assert dock.tree.headerItem().text(GOODPUT) == "Goodput at end"
    assert top.text(GOODPUT) == ends
    look_back(window, qtbot, 2 * 3600.0)
    qtbot.waitUntil(lambda: window.session.shown is not None)
    assert top.text(GOODPUT) == ends, "the time looked at is no end"
    said = {top.child(row).text(0): top.child(row) for row in range(2)}
    assert said["Ran"].text(GOODPUT).endswith(" % so far (8 h)")
    assert said["Gone"].text(GOODPUT) == "run file missing"
    dock.tree.setCurrentItem(said["Gone"])
    dock.open()
    assert window.session.path == gone
    assert parent.name not in window.windowTitle()
    assert any("gone.twinrun is not beside" in note.trouble.text for note in window.notifications.notes)


@pytest.mark.slow
def test_at_an_event_the_branch_begins_behind_it_and_at_the_end_there_is_none(
    use_window: UseWindow, qtbot: QtBot, my_lab: Path
) -> None:
    window = use_window(my_lab)
    session = window.session
    for _ in range(4):
        rows = len(session.events)
        session.step()
        qtbot.waitUntil(lambda rows=rows: len(session.events) > rows)
    qtbot.waitUntil(lambda: session.events[-1].t_s == session.t_s)
    before, at_s = list(session.events), session.t_s
    dialog = what_if(window)
    assert at_s < dialog.at_s <= at_s + 2e-3
    choose(dialog, Sort.CAP)
    dialog.value_box.setCurrentText("500 W")
    path = dialog.path
    dialog.go()
    goes_on(window, qtbot, path, at_s)
    has_happened(window, qtbot, "power_cap")
    assert session.events[: len(before)] == before
    session.set_speed(math.inf)
    qtbot.waitUntil(lambda: session.finished)
    window.menus.execute("run.branch")
    assert window.branching.dialog is None
    assert "The run ends here" in window.statusBar().currentMessage()
