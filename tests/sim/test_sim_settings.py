"""Values set while the hall runs."""

from itertools import pairwise

from tests.sim.sim_scenes import load_job, tiny
from twin import scenario
from twin.sim.engine.engine import Engine


def _checkpoint_times(engine: Engine) -> list[float]:
    return [event.t_s for event in engine.events(0) if event.kind == "checkpoint"]


def test_a_shorter_interval_acts_from_its_time_on() -> None:
    lab = scenario.load("builtin:lab-16").scenario
    engine = Engine(lab, 1)
    wanted = scenario.parse_injection("2 h set jobs[llama3].checkpoint.interval value='5 min'")
    assert engine.intervene(wanted) is None
    engine.advance(4 * 3600)
    times = _checkpoint_times(engine)
    before = [b - a for a, b in pairwise(times) if b < 7200]
    after = [b - a for a, b in pairwise(times) if a > 7500]
    pause_s = lab.jobs[0].checkpoint.pause_s
    step_s = engine.jobs.pace[0].step_s
    assert min(before) > 2 * 300
    assert all(abs(gap - 300 - pause_s) <= step_s for gap in after)


def test_it_survives_a_snapshot() -> None:
    lab = scenario.load("builtin:lab-16").scenario
    engine = Engine(lab, 1)
    engine.intervene(scenario.parse_injection("1 h set jobs[llama3].checkpoint.interval value='5 min'"))
    engine.advance(9000)
    restored = Engine.restore(lab, engine.snapshot())
    assert restored.advance(40_000) == engine.advance(40_000)
    assert restored.event_hash() == engine.event_hash()


def test_what_would_be_another_hall_is_refused() -> None:
    engine = Engine(scenario.load("builtin:lab-16").scenario, 1)
    refusal = engine.intervene(scenario.parse_injection("2 h set jobs[llama3].nodes value=1"))
    assert refusal is not None
    assert "--set" in refusal


def test_another_policy_looks_at_the_queue_at_its_time() -> None:
    lines = [("j0", 0, 6, 10), ("j1", 1, 7, 5), ("j2", 2, 10, 5), ("j3", 3, 3, 20)]
    jobs = tuple(load_job(*line) for line in lines)
    scene = tiny(10, jobs, scheduler={"policy": "fifo"}, duration="1 h")
    change = scenario.parse_injection("4 s set scheduler.policy value=easy")
    known = Engine(scene.model_copy(update={"interventions": (change,)}))
    known.advance(3600.0)
    assert [row.start_s for row in known.jobs.rows] == [0.0, 10.0, 24.0, 4.0]  # in order: 0, 10, 15, 20
    assert known.summary()["queue"]["policy"] == "easy"
    told = Engine(scene)
    told.advance(3.5)
    assert told.intervene(change) is None
    told.advance(6.0)
    again = Engine.restore(scene, told.snapshot())
    again.advance(3600.0)
    assert again.event_hash() == known.event_hash()
    assert [row.start_s for row in again.jobs.rows] == [0.0, 10.0, 24.0, 4.0]


def test_what_a_scheduler_cannot_do_is_refused() -> None:
    engine = Engine(scenario.load("builtin:lab-16").scenario, 1)
    refusal = engine.intervene(scenario.parse_injection("2 h set scheduler.policy value=random"))
    assert refusal is not None
    assert "random" in refusal
