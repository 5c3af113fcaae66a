"""Hardware by hand in runs whose jobs come from streams, or take any row: they keep to what they had."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from edit_scenes import closed, edit, take, with_edits
from sim_scenes import events, job, tiny
from usual_cases import usually

from twin.commands.edit.draft import Draft
from twin.commands.place.place import AddPart
from twin.commands.wiring.connect_new import WiredIn
from twin.resources import folder
from twin.scenario import load
from twin.scenario.schema.edit import Edit
from twin.sim.engine.engine import Engine

H = 3600.0


def added(name: str, part: str) -> tuple[Draft, Edit]:
    """Return a shipped scene, and the edit that puts a node of a kind it has not into it, wired in."""
    draft = Draft(load(f"builtin:{name}"))
    proposal = draft.propose(WiredIn(AddPart(part, at=(12.0, 20.0))))
    return draft, draft.edit(proposal, 20 * H + 10.0)


def same(one: Engine, other: Engine) -> None:
    assert one.event_hash() == other.event_hash()
    mine, theirs = (made.summary() | {"inputs_hash": ""} for made in (one, other))
    assert json.dumps(mine, default=str) == json.dumps(theirs, default=str)


@pytest.mark.parametrize("seed", usually([1, 4], 1))
def test_another_kind_of_node_comes_while_streams_name_no_rows(seed: int) -> None:
    draft, change = added("hybrid-burst", "DGX-A100")
    scene = draft.file.scenario
    assert any(one.path == "streams[risk].rows" for one in change.changes)
    live = Engine(scene, seed)
    live.advance(20 * H)
    began = {event.subject: event.t_s for event in events(live, "job_started")}
    take(live, change)
    live.advance(21 * H)
    assert live.plant.epoch == 1
    gpus = int(live.plant.gpus.present.sum())
    assert gpus == 16 * 8 + 8
    again = Engine.restore(scene, live.snapshot())
    assert again.jobs.specs == live.jobs.specs
    risk = [one for one in live.jobs.specs if one.id.startswith("risk-")]
    assert [one.rows for one in risk] == [("gpu",)] * 8
    back = Draft(load("builtin:hybrid-burst"))
    back.land_edit(back.propose(WiredIn(AddPart("DGX-A100", at=(12.0, 20.0)))), change)
    undo = back.edit(back.propose_undo(opposite=True), 26 * H)  # type: ignore[arg-type]
    for one in (live, again):
        take(one, undo)
        one.advance(30 * H)
    replay = Engine(with_edits(scene, change, undo), seed)
    replay.advance(30 * H)
    assert live.plant.epoch == 2
    same(live, replay)
    same(again, replay)
    closed(live, (16 * 8) * 30 * H + 8 * (6 * H - 10.0))
    assert began.items() <= {event.subject: event.t_s for event in events(live, "job_started")}.items()


SWF = "\n".join(
    f"{n} {600 * n} 0 3600 {(8, 16, 32, 160)[n % 4]} -1 -1 {(8, 16, 32, 160)[n % 4]} 7200 -1 1 1 1 1 1 1 -1 -1"
    for n in range(30)
)


def test_another_kind_of_node_comes_while_traces_name_no_rows(tmp_path: Path) -> None:
    text = (folder("scenes") / "hybrid-burst.twin.yaml").read_text()
    for begin, end, instead in (
        ("clouds:\n", "ownership:", ""),
        ("streams:\n", "failures:\n", "traces:\n  - {id: old, file: a.swf}\n  - {id: old-n, file: a.swf}\n"),
    ):
        text = text[: text.index(begin)] + instead + text[text.index(end) :]
    (tmp_path / "a.swf").write_text(SWF)
    (tmp_path / "s.twin.yaml").write_text(text)
    draft = Draft(load(tmp_path / "s.twin.yaml"))
    scene = draft.file.scenario
    proposal = draft.propose(WiredIn(AddPart("DGX-A100", at=(12.0, 20.0), count=2)))
    said = {one.path: one.value for one in proposal.changes}
    assert said["traces[old].map.rows"] == said["traces[old-n].map.rows"] == "[gpu]"
    change = draft.edit(proposal, 20 * H)
    live = Engine(scene)
    jobs = len(live.jobs.specs)
    live.advance(19 * H)
    take(live, change)
    live.advance(21 * H)
    again = Engine.restore(scene, live.snapshot())
    replay = Engine(with_edits(scene, change))
    for one in (live, again, replay):
        one.advance(30 * H)
        assert [job.rows for job in one.jobs.specs] == [("gpu",)] * jobs
    same(live, replay)
    same(again, replay)
    why = live.intervene(edit(31 * H, "no", ("traces[old].map.time", "2")))
    assert why is not None
    assert "traces of jobs cannot change during a run, except to rows" in why
    only = edit(31 * H, "one", ("traces[old-n].map.rows", "[gpu, net]"))
    assert live.intervene(only) is None
    live.advance(32 * H)
    rows = {one.id: one.rows for one in live.jobs.specs}
    assert rows["old-1"] == ("gpu",)
    assert rows["old-n-1"] == ("gpu", "net")


def test_jobs_that_take_any_row_keep_to_those_with_nodes() -> None:
    draft, change = added("hybrid-burst", "DGX-A100")
    scene = draft.file.scenario.model_copy(update={"streams": ()})
    rest = [one for one in change.changes if not one.path.startswith("streams")]
    engine = Engine(scene)
    engine.advance(20 * H)
    take(engine, change.model_copy(update={"changes": tuple(rest)}))
    engine.advance(20.5 * H)
    assert [one.rows for one in engine.jobs.specs] == [("gpu",), ("gpu",)]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("streams[more].rows", "[other]"),
        ("streams[more].count", "9"),
        ("streams[more].lengths.mean", "2 h"),
        ("streams[more]", None),
    ],
)
def test_nothing_else_of_a_stream_changes(path: str, value: str | None) -> None:
    stream = {
        "id": "more",
        "count": 4,
        "begin": "1 h",
        "arrivals": {"kind": "even", "gap": "10 min"},
        "sizes": {"gpus": [8]},
        "lengths": {"kind": "constant", "mean": "1 h"},
        "workload": {"kind": "load", "gpu": 0.9},
    }
    scene = tiny(nodes=4, jobs=(job(2),), streams=[stream], duration="1 day")
    row = "{id: other, at: {y: 6 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"
    engine = Engine(scene)
    bring = edit(0.0, "row", ("halls[hall].rows[other]", row), ("cooling.loops[crah].serves", "[gpu, other]"))
    take(engine, bring)
    engine.advance(100.0)
    why = engine.intervene(edit(200.0, "no", (path, value)))
    assert why is not None
    assert "streams of jobs cannot change during a run, except to rows" in why
    assert engine.intervene(edit(200.0, "yes", ("streams[more].rows", "[gpu, other]"))) is None
