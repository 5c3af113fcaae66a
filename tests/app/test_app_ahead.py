"""What is still ahead in a run is taken out of it again: by undo, and from the timeline."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lab_edits import ADD, MOVE, RACK
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot
from session_bench import Bench
from usual_cases import usually

from twin.app.files.recovery import run_of
from twin.app.session.recording import read_recording
from twin.app.timeline.marks import still_ahead
from twin.cli.moment import moment_of_run
from twin.commands.edit.command import Given
from twin.commands.place.place import AddPart
from twin.commands.wiring.connect_new import WiredIn
from twin.scenario import Change, Patch, load, parse_injection
from twin.scenario.generators.all_jobs import jobs_of
from twin.sim.engine.engine import Engine

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow


@pytest.fixture
def bench(qtbot: QtBot, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("TWIN_STATE_DIR", str(tmp_path / "state"))
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    made = Bench(path)
    yield made
    made.session.close()


def test_undo_and_redo_of_what_is_ahead(bench: Bench, lab: Path) -> None:
    bench.go(600.0)
    bench.do(lambda: bench.editor.do(ADD))
    bench.go(900.0)
    bench.do(lambda: bench.editor.do(MOVE))
    assert bench.epoch == 2
    bench.begin_again()
    bench.go(300.0)
    assert bench.epoch == 0
    for _ in range(2):
        bench.do(bench.editor.undo)
    assert bench.done[-2:] == ["Undo move rack", "Undo add rack"]
    assert not bench.ids
    draft = bench.session.draft
    assert draft is not None
    assert draft.file.text == lab.read_text()
    bench.go(400.0)
    bench.do(bench.editor.redo)
    assert bench.ids == ["edit-1"]
    bench.go(700.0)
    assert bench.epoch == 1
    bench.do(bench.editor.redo)  # its time is still to come
    bench.go(1000.0)
    assert bench.epoch == 2
    bench.do(bench.editor.undo)  # now it lies behind
    assert bench.ids == ["edit-1", "edit-2", "edit-3"]
    bench.go(1200.0)
    assert bench.epoch == 3
    assert bench.is_run_of_its_file()
    assert not bench.refused


def test_an_undo_that_comes_too_late_is_an_edit(bench: Bench) -> None:
    bench.go(600.0)
    bench.do(lambda: bench.editor.do(ADD))
    bench.begin_again()
    bench.go(300.0)
    bench.run_to(700.0)  # the window believes that it is still ahead
    assert bench.session.t_s == 300.0
    bench.do(bench.editor.undo)
    assert bench.done[-1].startswith("Undo add rack: the run keeps what it has done")
    assert bench.ids == ["edit-1", "edit-2"]
    bench.go(800.0)
    assert bench.epoch == 2
    assert bench.is_run_of_its_file()
    assert not bench.refused


def test_a_redo_that_comes_too_late_acts_at_once(bench: Bench) -> None:
    bench.go(600.0)
    bench.do(lambda: bench.editor.do(ADD))
    bench.begin_again()
    bench.go(300.0)
    bench.do(bench.editor.undo)
    bench.run_to(700.0)
    bench.do(bench.editor.redo)
    bench.go(800.0)
    assert bench.epoch == 1
    assert bench.session.draft is not None
    (edit,) = bench.session.draft.file.scenario.edits
    assert 700.0 <= edit.at_s < 700.01
    assert bench.is_run_of_its_file()


def test_an_edit_of_the_scene_is_taken_out_and_put_back(bench: Bench) -> None:
    bench.go(600.0)
    bench.do(lambda: bench.editor.do(ADD))
    bench.go(900.0)
    bench.do(lambda: bench.editor.do(MOVE))
    bench.begin_again()
    bench.go(300.0)
    assert [one.title for one in still_ahead(bench.session, 0.0, 1e9)] == ["Add rack", "Move rack"]
    assert not bench.editor.take_out("edit-1")
    assert "x-1" in bench.refused[-1]
    bench.do(lambda: bench.editor.take_out("edit-2"))
    assert bench.done[-1] == "Remove edit: move rack"
    assert bench.ids == ["edit-1"]
    bench.do(bench.editor.undo)
    assert sorted(bench.ids) == ["edit-1", "edit-2"]
    bench.do(bench.editor.redo)
    bench.go(1200.0)
    assert bench.epoch == 1
    assert bench.is_run_of_its_file()
    bench.begin_again()
    bench.session.begun = False
    assert bench.editor.take_out("edit-1")
    assert not bench.ids


def test_nodes_of_another_kind_come_by_hand_where_jobs_come_from_streams(bench: Bench, lab: Path) -> None:
    bench.session.open(lab.parent / "hybrid-burst.twin.yaml")
    bench.session.poll()
    bench.go(70_000.0)
    bench.do(lambda: bench.editor.do(WiredIn(AddPart("DGX-A100", at=(12.0, 20.0)))))
    assert not bench.refused
    bench.go(80_000.0)
    assert bench.epoch == 1
    assert bench.session.document is not None
    assert [job.rows for job in jobs_of(bench.session.document.scenario)] == [("gpu",)] * 10
    bench.do(bench.editor.undo)
    bench.go(90_000.0)
    assert bench.epoch == 2
    assert bench.is_run_of_its_file()
    assert not bench.refused


def test_jobs_of_a_trace_are_those_of_the_run_whatever_fits_into_the_hall_now(
    bench: Bench, lab: Path, tmp_path: Path
) -> None:
    rows = "\n".join(
        f"{n} {600 * n} 0 900 {(8, 24)[n % 2]}" for n in range(12)
    )  # 24 GPUs are more than there are
    (tmp_path / "a.swf").write_text(rows)
    scene = tmp_path / "traced.twin.yaml"
    scene.write_text(f"{lab.read_text()}\ntraces: [{{id: old, file: a.swf}}]\n")
    bench.session.open(scene)
    bench.session.poll()
    bench.go(2000.0)
    bench.do(lambda: bench.editor.do(ADD))
    bench.go(3000.0)
    assert bench.epoch == 1
    engine, document = bench.client.engine_session.engine, bench.session.document
    assert engine is not None
    assert document is not None
    ran = [job.id for job in engine.jobs.specs]  # type: ignore[attr-defined]
    assert len(ran) == 7
    assert [job.id for job in jobs_of(document.scenario)] == ran
    assert bench.is_run_of_its_file()
    assert bench.editor.fold()  # a run of that hall draws its own
    assert bench.session.document is not None
    assert len(jobs_of(bench.session.document.scenario)) == 13


def test_after_a_crash_what_was_taken_out_stays_out(bench: Bench) -> None:
    bench.go(600.0)
    bench.do(lambda: bench.editor.do(ADD))
    bench.begin_again()
    bench.go(300.0)
    draft = bench.session.draft
    assert draft is not None
    noted = draft.file  # the program ends before it puts down what follows
    bench.do(bench.editor.undo)
    run_file = bench.session.run_file
    bench.client.close()
    left = run_of(noted, run_file)
    assert left.snapshot is not None
    assert not left.document.scenario.edits
    again = run_of(draft.file, run_file)
    assert again.snapshot is not None
    assert not again.document.scenario.edits
    engine = Engine.restore(left.document.scenario, left.snapshot.data)
    engine.advance(1000.0)
    plain = Engine(left.document.scenario)
    plain.advance(1000.0)
    assert engine.event_hash() == plain.event_hash()
    assert run_file is not None
    recorded = read_recording(run_file)  # opened by itself it has nothing of it either
    assert not recorded.draft.file.scenario.edits
    moment = moment_of_run(str(run_file), 300.0, None)
    assert moment.frame.t_s == 300.0


@pytest.mark.parametrize("seed", usually(range(3), 1))
def test_whatever_is_done_and_undone_the_run_is_that_of_its_file(bench: Bench, lab: Path, seed: int) -> None:
    die, t_s = random.Random(seed), 0.0
    editor, session = bench.editor, bench.session
    acts = ("go", "late", "add", "label", "undo", "undo", "redo", "out", "again")
    for number in range(25):
        draft, act = session.draft, die.choice(acts)
        assert draft is not None
        rows = [one.id for one in draft.shown.scenario.halls[0].rows]
        if act in ("go", "late"):
            t_s += die.uniform(1.0, 900.0)
            (bench.go if act == "go" else bench.run_to)(t_s)
        elif act == "again":
            t_s = 1.0
            bench.begin_again()
            bench.go(t_s)
        elif act == "add":
            name = f"y-{number}"
            rack = RACK.replace("x-1", name).replace("20 m", f"{20 + 2 * number} m")
            said = f"[{', '.join((*rows, name))}]"
            changes = Change(f"halls[lab].rows[{name}]", rack), Change("cooling.loops[crah].serves", said)
            editor.do(Given(Patch(changes, f"Add {name}")))
        elif act == "label":
            change = Change(f"halls[lab].rows[{die.choice(rows)}].label", f"L{number}")
            editor.do(Given(Patch((change,), f"Label {number}")))
        elif act == "out" and bench.ids:
            editor.take_out(die.choice(bench.ids))
        elif act in ("undo", "redo"):
            (editor.undo if act == "undo" else editor.redo)()
        for _ in range(4):
            session.poll()
        assert not editor.busy
    bench.go(t_s + 1000.0)
    assert bench.is_run_of_its_file()
    assert bench.epoch >= 0
    bench.begin_again()
    assert draft is not None
    draft.settle()
    while draft.undo():
        pass
    assert draft.file.text == lab.read_text()


def test_a_fault_that_is_ahead_is_taken_out_on_the_timeline(
    use_window: Callable[[Path], MainWindow], lab: Path, qtbot: QtBot
) -> None:
    window = use_window(lab)
    session, line = window.session, window.timeline
    qtbot.waitUntil(lambda: session.run_file is not None)
    told: list[str] = []
    line.said.connect(told.append)
    late = parse_injection("5 h fail gpu/0/1")
    session.intervene(late)
    qtbot.waitUntil(lambda: session.live.by_hand == [late])
    assert late.at_s in line.strip.shown.acts
    assert "1 INJECTED" in window.hall.mark.words
    line.offer(QPoint(300, 300), late.at_s + 3 * line.strip.scale.px_s)
    menu = line.findChildren(QMenu)[-1]
    out = next(action for action in menu.actions() if action.text() == "Remove from the run")
    out.trigger()
    menu.close()
    qtbot.waitUntil(lambda: not session.live.by_hand)
    assert late.at_s not in line.strip.shown.acts
    assert "INJECTED" not in window.hall.mark.words
    assert "gpu/0/1" in told[-1]
    line.offer(QPoint(300, 300), late.at_s)
    menu = line.findChildren(QMenu)[-1]
    assert not any("from the run" in action.text() for action in menu.actions())
    menu.close()
    session.intervene(late, out=True)
    troubles: list[str] = []
    session.trouble.connect(lambda trouble: troubles.append(trouble.text))
    qtbot.waitUntil(lambda: bool(troubles))
    assert "is not scheduled in this run" in troubles[0]
    session.set_speed(float("inf"))
    session.play()
    qtbot.waitUntil(lambda: session.finished)
    plain = Engine(load(lab).scenario)
    plain.advance(plain.end_s)
    assert [(one.t_s, one.kind) for one in session.events] == [(one.t_s, one.kind) for one in plain.events(0)]
