"""Values set while the hall runs."""

from itertools import pairwise

from twin import scenario
from twin.sim.engine import Engine


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
