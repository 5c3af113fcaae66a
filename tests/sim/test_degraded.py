"""Nodes that work badly: what a job loses by it, how long, and how it is found."""

from __future__ import annotations

from typing import Any

import pytest
from fabric_scenes import hall, model
from sim_scenes import assert_books_close, events, inject, job, run_to_state, tiny

from twin import scenario
from twin.record.channels import JobState
from twin.sim.engine.engine import Engine

DAY_S = 86400.0
EFFECTS = ("slow", "hang", "corrupt", "remap", "pcie", "flap")


def _cause(effect: str, rate: str = "0.1 per node-day", **more: Any) -> dict[str, Any]:
    repair = "restart" if effect == "remap" else "gpu"
    lasting = {"found": "3 h"} if effect in ("slow", "corrupt", "pcie", "flap") else {}
    return {"id": f"{effect}_fault", "rate": rate, "repair": repair, "effect": effect} | lasting | more


def _failing(*some: dict[str, Any]) -> dict[str, Any]:
    return {"repair_constant": "2 h", "causes": list(some)}


def _step_s(engine: Engine, at_s: float) -> float:
    engine.advance(at_s)
    return engine.jobs.pace[0].step_s


def test_one_slow_gpu_slows_its_job_and_is_booked_as_a_straggler() -> None:
    engine = inject(Engine(tiny(), 1), "1 h slow gpu/0/0/0/3 value=70% for=2h")
    before = _step_s(engine, 3500.0)
    slow = _step_s(engine, 2 * 3600.0)
    parts = engine.summary()["jobs"][0]["step_parts_s"]
    after = _step_s(engine, 3 * 3600.0 + 100.0)
    clocked = engine.jobs.work[0].clocked_s
    assert slow - before == pytest.approx(
        clocked * (1 / 0.7 - 1), rel=0.06
    )  # another node has the slowest die
    assert parts["straggler"] == pytest.approx(slow - before, rel=0.05)
    assert after == pytest.approx(before, rel=2e-3)
    assert [one.kind for one in events(engine, "node_degraded", "node_sound")] == [
        "node_degraded",
        "node_sound",
    ]
    assert engine.summary()["failures"]["degraded_node_h"] == {"slow": pytest.approx(2.0)}
    assert_books_close(engine)


def test_a_slow_node_that_holds_no_job_slows_none() -> None:
    engine = inject(Engine(tiny(), 1), "1 h slow gpu/0/3/0 value=50%")
    assert _step_s(engine, 2 * 3600.0) == pytest.approx(_step_s(engine, 3500.0), rel=1e-6)


def test_a_hang_lasts_until_the_watchdog_looks() -> None:
    engine = inject(Engine(tiny(), 1), "5000 s hang train")
    engine.advance(5000.0)
    row = engine.jobs.rows[0]
    assert row.state == JobState.DETECTING
    assert run_to_state(engine, JobState.RESTARTING) == pytest.approx(
        5300.0
    )  # its watchdog looks after 300 s
    assert len(events(engine, "hang")) == 1
    assert row.interruptions == 1
    assert_books_close(engine)


def test_the_node_that_hung_a_job_goes_to_repair_when_the_watchdog_looked() -> None:
    engine = Engine(tiny(failures=_failing(_cause("hang", "0.5 per node-day"))), 2)
    while not events(engine, "hang"):
        engine.advance(engine.timers.next_s())
    hung_s = engine.now_s
    engine.advance(hung_s + 299.0)
    assert not (engine.nodes.condition == 1).any()
    engine.advance(hung_s + 301.0)
    assert (engine.nodes.condition == 1).sum() == 1
    assert len(events(engine, "spare_taken")) == 1


def test_wrong_results_are_undone_back_to_before_they_began() -> None:
    engine = Engine(tiny(), 1)
    engine.advance(20_000.0)
    durable = engine.jobs.rows[0].durable
    inject(engine, "20001 s corrupt gpu/0/1/0/2 for=2h")
    engine.advance(20_001.0 + 7190.0)
    row = engine.jobs.rows[0]
    assert row.progress > durable + 5000  # it went on, and nobody knew
    engine.advance(20_001.0 + 7201.0)
    assert durable <= row.progress < durable + 800  # one checkpoint at most was on its way when it began
    found = events(engine, "corruption_found")
    assert [one.subject for one in found] == ["train"]
    assert found[0].data["steps"] > 5000
    assert engine.nodes.condition[1] == 1  # its node went to repair
    assert row.lost_gpu_s > 7000 * 16 * 0.95
    engine.advance(engine.now_s + 3600.0)
    assert row.state == JobState.RUNNING
    assert_books_close(engine)


def test_a_job_that_left_the_node_is_still_wrong() -> None:
    engine = inject(Engine(tiny(), 1), "20000 s corrupt gpu/0/1/0 for=3h", "21000 s fail gpu/0/1/0 for=1h")
    engine.advance(26_000.0)
    assert engine.jobs.rows[0].nodes == [0, 2]
    engine.advance(20_000.0 + 3 * 3600.0 + 1.0)
    assert [one.subject for one in events(engine, "corruption_found")] == ["train"]
    assert engine.jobs.rows[0].interruptions == 2
    assert_books_close(engine)


def test_fewer_lanes_narrow_the_cards_of_a_node() -> None:
    engine = inject(Engine(hall(model("llm", 8), nodes=16), 1), "2 h pcie gpu/0/0/1 value=25% for=1h")
    before = _step_s(engine, 7000.0)
    narrow = _step_s(engine, 2.5 * 3600.0)
    mine = engine.outages.cards(1)
    assert (engine.network.bytes_s[mine] / engine.network.links.bytes_s[mine]).tolist() == [0.25] * int(
        mine.sum()
    )
    after = _step_s(engine, 3.5 * 3600.0)
    assert narrow > 1.02 * before
    assert after == pytest.approx(before, rel=2e-3)


def test_fewer_lanes_without_a_fabric_are_refused() -> None:
    said = Engine(tiny(), 1).intervene(scenario.parse_injection("1 h pcie gpu/0/0/0"))
    assert said is not None
    assert "has no NIC on a fabric" in said


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("1 h slow gpu/0/0/0 value=120%", "5 % to 99 %"),
        ("1 h slow train", "train"),
        ("1 h hang nobody", "nobody"),
        ("1 h corrupt gpu/0/0/0 value=3", "takes for"),
    ],
)
def test_what_cannot_be_is_refused_in_words(line: str, word: str) -> None:
    said = Engine(tiny(), 1).intervene(scenario.parse_injection(line))
    assert said is not None
    assert word in said


@pytest.mark.parametrize("effect", EFFECTS)
def test_every_effect_comes_by_itself_and_is_seen(effect: str) -> None:
    scene = hall(model("llm", 4), nodes=8, failures=_failing(_cause(effect)), duration="30 day")
    engine = Engine(scene, 4)
    engine.advance(12 * DAY_S)
    figures = engine.summary()
    struck = figures["failures"]["by_cause"][f"{effect}_fault"]
    assert 3 <= struck <= 20
    kind = {"hang": "hang", "remap": "failure"}.get(effect, "node_degraded")
    assert 0 < len(events(engine, kind)) <= struck
    if effect in ("hang", "remap"):
        assert figures["failures"]["degraded_node_h"] == {}
    else:
        assert figures["failures"]["degraded_node_h"][effect] > 0
        assert len(events(engine, "node_found")) >= struck - 2
    assert figures["interruptions"]["by_cause"][f"{effect}_fault"] > 0
    assert bool(events(engine, "corruption_found")) == (effect == "corrupt")
    assert (figures["failures"]["down"]["most"] > 0) == (effect != "remap")
    assert_books_close(engine)


def test_a_run_with_all_effects_restores_to_the_same_future() -> None:
    some = [
        _cause(effect, "0.15 per node-day", found="6 h") for effect in ("slow", "corrupt", "pcie", "flap")
    ]
    scene = hall(model("llm", 4), nodes=8, failures=_failing(*some, _cause("hang")), duration="30 day")
    whole = Engine(scene, 6)
    while len(whole.degraded.faults) < 3:
        whole.advance(whole.timers.next_s())
    again, until_s = Engine.restore(scene, whole.snapshot()), whole.now_s + 4 * DAY_S
    for engine in (whole, again):
        engine.advance(until_s)
    assert whole.event_hash() == again.event_hash()
    assert whole.summary()["failures"] == again.summary()["failures"]


def _straggling(share: str, jobs: int, factor: float = 1.3) -> Engine:
    some = tuple(job(1, id=f"job-{k}") for k in range(jobs))
    failures = {"causes": [], "stragglers": share, "straggler_factor": factor}
    return Engine(tiny(nodes=jobs, jobs=some, failures=failures), 7)


@pytest.mark.slow
def test_the_told_share_of_jobs_sees_stragglers_of_the_told_size() -> None:
    engine = _straggling("42 %", 60)
    engine.advance(DAY_S / 2)
    seen = {one.subject for one in events(engine, "straggler_on")}
    assert abs(len(seen) / 60 - 0.42) < 3 * (0.42 * 0.58 / 60) ** 0.5
    size = [one.number("slower") for one in events(engine, "straggler_on")]
    assert sum(size) / len(size) == pytest.approx(0.3, abs=3 * 0.3 / len(size) ** 0.5)
    booked = engine.summary()["ledger_gpu_s"]
    quiet = _straggling("0 %", 2)
    quiet.advance(DAY_S / 2)
    still = quiet.summary()["ledger_gpu_s"]
    assert booked["straggler"] / booked["productive"] > 0.02 + still["straggler"] / still["productive"]
    assert_books_close(engine)


def test_a_straggler_is_paid_in_the_step_and_goes_again() -> None:
    engine = _straggling("100 %", 1)
    while not events(engine, "straggler_on"):
        engine.advance(engine.timers.next_s())
    extra_s, planned_s = engine.stragglers.extra_s(0), engine.jobs.work[0].step_s
    assert engine.jobs.pace[0].step_s == pytest.approx(planned_s + extra_s, rel=0.01)
    again = Engine.restore(engine.scenario, engine.snapshot())
    while not events(engine, "straggler_off"):
        engine.advance(engine.timers.next_s())
    assert engine.jobs.pace[0].step_s == pytest.approx(planned_s, rel=0.01)
    again.advance(engine.now_s)
    assert again.event_hash() == engine.event_hash()


def test_a_job_that_waits_goes_back_behind_wrong_results_too() -> None:
    jobs = (job(id="train"), job(4, id="wide", submit="2000 s", steps=2000, priority=5))
    engine = Engine(tiny(jobs=jobs, scheduler={"policy": "priority"}, duration="6 h"))
    inject(engine, "1500 s corrupt gpu/0/0/0 for=2000 s", "2000 s requeue train")
    engine.advance(3000.0)
    row = engine.jobs.rows[0]
    assert row.state == JobState.QUEUED
    before = row.progress
    engine.advance(3600.0)
    found = events(engine, "corruption_found")
    assert [event.subject for event in found][:1] == ["train"]
    assert "ended" not in found[0].text
    assert 0 < row.progress < before  # what it saved before 1,500 s is right
    assert_books_close(engine)
