"""Undo means the last act: interventions by hand go back between the edits, before and after they happened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_edits import ADD
from pytestqt.qtbot import QtBot
from session_bench import Bench

from twin.app.session.acts_by_hand import ActByHand
from twin.scenario import parse_injection


@pytest.fixture
def bench(qtbot: QtBot, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("TWIN_STATE_DIR", str(tmp_path / "state"))
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    made = Bench(path)
    yield made
    made.session.close()


def drain(bench: Bench, at_s: float, what: str) -> None:
    bench.session.intervene(parse_injection(f"{at_s} s {what}", None))
    for _ in range(3):
        bench.session.poll()


def drained(bench: Bench) -> int:
    engine = bench.client.engine_session.engine
    assert engine is not None
    engine.advance(engine.now_s)
    return int(engine.nodes.cordoned.sum())


def test_undo_takes_back_a_drain_before_the_edit_below_it(bench: Bench) -> None:
    node = bench_node(bench)
    bench.go(600.0)
    bench.do(lambda: bench.editor.do(ADD))
    drain(bench, 600.0, f"drain {node}")
    assert bench.editor.undo_title == f"Drain {node}"
    assert drained(bench) == 1
    assert bench.editor.undo()
    bench.session.poll()
    assert drained(bench) == 0
    assert bench.ids == ["edit-1"], "the rack is still there"
    assert bench.editor.undo_title == "Add rack"
    assert bench.editor.redo_title == f"Drain {node}"
    assert bench.editor.redo()
    bench.session.poll()
    assert drained(bench) == 1
    assert bench.editor.undo_title == f"Drain {node}"
    bench.editor.undo()
    bench.do(bench.editor.undo)
    assert bench.ids == []
    assert bench.editor.redo_title == "Add rack"


def test_undo_takes_an_act_that_is_ahead_out_of_the_run(bench: Bench) -> None:
    node = bench_node(bench)
    bench.go(600.0)
    drain(bench, 900.0, f"drain {node}")
    assert len(bench.session.by_hand) == 1
    assert bench.editor.undo()
    bench.session.poll()
    assert not bench.session.by_hand
    bench.go(1000.0)
    assert drained(bench) == 0


def test_what_nothing_takes_back_is_told_and_lets_the_act_before_be_undone(bench: Bench) -> None:
    node, told = bench_node(bench), list[ActByHand]()
    bench.editor.acts.lasting.connect(told.append)
    bench.go(600.0)
    drain(bench, 600.0, f"drain {node}")
    drain(bench, 600.0, f"fail {node}")
    bench.go(700.0)
    assert not bench.editor.undo()
    assert [act.title for act in told] == [f"Fails: {node}"]
    assert bench.editor.undo_title == f"Drain {node}"
    bench.begin_again()
    assert not bench.editor.undo_title


def test_undo_of_an_act_is_told_when_the_run_has_answered(bench: Bench) -> None:
    node = bench_node(bench)
    bench.go(600.0)
    drain(bench, 600.0, f"drain {node}")
    assert bench.editor.undo()
    assert bench.done == []
    bench.session.poll()
    assert bench.done == [f"Undo: Drain {node}"]


def test_redo_where_the_opposite_edit_stands_takes_that_out_again(bench: Bench) -> None:
    bench.go(600.0)
    bench.do(lambda: bench.editor.do(ADD))
    draft = bench.session.draft
    assert draft is not None
    text = draft.file.text
    bench.go(900.0)
    for _ in range(2):
        bench.do(bench.editor.undo)
        assert bench.ids == ["edit-1", "edit-2"], "the run has continued: the opposite acts"
        assert bench.editor.redo_title == "Add rack"
        bench.do(bench.editor.redo)
        assert draft.file.text == text
        assert bench.editor.undo_title == "Add rack"
        assert not bench.editor.redo_title
    assert bench.epoch == 1
    assert bench.is_run_of_its_file()
    bench.do(bench.editor.undo)
    bench.go(1200.0)
    bench.do(bench.editor.redo)
    assert bench.ids == ["edit-1", "edit-2", "edit-3"], "the run has left the opposite behind"
    assert bench.is_run_of_its_file()


def bench_node(bench: Bench) -> str:
    plant = bench.session.plant
    assert plant is not None
    return plant.nodes.ids[0]
