"""Chance drawn anew from a time on: what was is kept, what was to come is forgotten, and nothing else moves."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from edit_scenes import edit, racks, with_edits
from numpy.typing import NDArray
from sim_scenes import causes, events, job, tiny
from usual_cases import usually

from twin.analysis.verify import verify
from twin.physics import reliability
from twin.record.reader import Reader
from twin.record.redraw import Redraw
from twin.runtime.inline import run
from twin.scenario import parse_injection
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.faults import Cause
from twin.sim.core.draws import Draws
from twin.sim.engine.engine import Engine
from twin.sim.hazard.hazard_clocks import ClockSet

N, DAY_S, T_S = 20_000, 86400.0, 40 * 86400.0
KS_999 = 1.95
"""Kolmogorov's distance times the root of the count that one sample of a thousand passes."""


def clocks(shape: float | None = None, seed: int = 3, count: int = N) -> ClockSet:
    """Return clocks that strike once in 50 days, some of them faster."""
    cause = Cause.model_validate({"id": "gpu", "rate": "0.02 per node-day", "repair": "gpu", "shape": shape})
    keys = reliability.component_keys(f"node {k}" for k in range(count))
    quality = np.where(np.arange(count) % 3 == 0, 2.5, 1.0)
    return ClockSet(keys, (cause,), Draws(seed), "", quality)


def redrawn(made: ClockSet, t_s: float, seed: int) -> ClockSet:
    made.draws.redraws.append(Redraw(t_s, seed))
    made.draws.begin(len(made.draws.redraws) - 1)
    made.redraw(t_s)
    return made


def even(uniform: NDArray[np.float64]) -> float:
    """Return Kolmogorov's distance of a sample from the uniform law, times the root of its count."""
    ordered, n = np.sort(uniform), len(uniform)
    place = np.arange(n)
    distance = max(np.abs(ordered - place / n).max(), np.abs(ordered - (place + 1) / n).max())
    return float(distance * math.sqrt(n))


@pytest.mark.parametrize("shape", [None, 0.6, 2.0])
def test_what_is_left_knows_only_that_nothing_has_happened(shape: float | None) -> None:
    made = clocks(shape)
    made.set_up(7, 10 * DAY_S, False)  # it stood for a while
    made.hasten(np.full(500, 1.7), np.arange(1000, 1500), 20 * DAY_S)
    waits = made.due_s > T_S
    before, reached = made.threshold.copy(), made.reached(T_S)
    redrawn(made, T_S, 11)
    assert (made.threshold >= reached).all()
    assert (made.due_s[made.up] >= T_S).all()
    k = 1.0 if shape is None else shape
    hazard = lambda age: (age * math.gamma(1.0 + 1.0 / k)) ** k  # noqa: E731
    further = hazard(made.threshold[waits]) - hazard(reached[waits])
    assert even(np.exp(-further)) < KS_999
    old = hazard(before[waits]) - hazard(reached[waits])  # conditioned, these are as good, and others
    assert even(np.exp(-old)) < KS_999
    assert abs(np.corrcoef(further, old)[0, 1]) < 4 / math.sqrt(waits.sum())


def test_one_clock_by_hand() -> None:
    made = redrawn(clocks(count=2), T_S, 11)
    for node, quality in enumerate((2.5, 1.0)):
        key = made.keys[node : node + 1]
        left = float(reliability.unit_exponential(11, key, f"failure beyond {T_S!r}", 0)[0])
        rate = 0.02 / DAY_S * quality
        assert math.isclose(made.threshold[node], T_S * rate + left, rel_tol=1e-12)
        assert math.isclose(made.due_s[node], T_S + left / rate, rel_tol=1e-12)
    due_s, first = made.next()
    made.begin_anew(first, due_s)
    own = float(reliability.unit_exponential(11, made.keys[first : first + 1], "failure", 1)[0])
    assert made.threshold[first] == own  # the next one is of the new seed, as if it had always been


def test_the_own_seed_and_a_second_redraw_are_as_good() -> None:
    made = clocks()
    waits, reached = made.due_s > T_S, made.reached(T_S)
    redrawn(made, T_S, 3)
    assert even(np.exp(-(made.threshold - reached)[waits])) < KS_999
    again_s = T_S + 15 * DAY_S
    still, reached = waits & (made.due_s > again_s), made.reached(again_s)
    redrawn(made, again_s, 3)
    assert even(np.exp(-(made.threshold - reached)[still])) < KS_999


@pytest.mark.slow
def test_an_engine_of_many_nodes_fails_at_the_quoted_rate_after_a_redraw() -> None:
    failures = {
        "repair_constant": "1 s",
        "causes": [{"id": "bug", "rate": "0.05 per node-day", "repair": "restart"}],
    }
    scene = tiny(nodes=200, jobs=(), failures=failures, duration="20 day")
    counts = []
    for seed in range(12):
        engine = Engine(scene, 1)
        engine.redraw(Redraw(5 * DAY_S, seed))
        engine.advance(20 * DAY_S)
        counts.append(sum(one.t_s > 5 * DAY_S for one in events(engine, "failure")))
    expected = 200 * 0.05 * 15
    assert abs(np.mean(counts) - expected) < 3.5 * math.sqrt(expected / len(counts))
    assert 0.4 < np.var(counts, ddof=1) / expected < 2.5


# --- a run in which every kind of chance plays

CUT_S = 2.6 * DAY_S


def eventful(**more: Any) -> Scenario:
    """Return a hall in which lemons fail in bursts, links and switches too, some nodes limp, and jobs straggle."""
    rates = [
        *causes(0.15),
        {"id": "limp", "rate": "0.3 per node-day", "repair": "gpu", "effect": "slow", "found": "20 h"},
        {"id": "old", "rate": "0.1 per node-day", "repair": "fan", "shape": 1.8},
        {"id": "rack", "rate": "0.02 per day", "repair": "restart", "on": "rack"},
        {"id": "pump", "rate": "0.05 per day", "repair": "restart", "on": "row"},
    ]
    failures = {
        "causes": rates,
        "lemons": True,
        "lemon_rule": {"failures": 2, "within": "3 day", "replace": "1 day"},
        "stragglers": 1.0,
        "straggler_factor": 1.3,
        "bursts": {"domain": "row", "chance": 0.3, "mean": 1.5, "within": "6 h"},
        "checks": [{"id": "burn_in", "every": "1 day", "coverage": 0.5, "finds": ["slow"]}],
    }
    made = {"failures": failures, "duration": "4.5 day", "jobs": (job(4), job(2, "second"))}
    return tiny(**({"nodes": 8} | made | more))


def same(one: Engine, other: Engine) -> None:
    assert one.event_hash() == other.event_hash()
    assert one.summary() == other.summary()
    assert one.failures.state() == other.failures.state()


def test_the_past_is_kept_and_only_the_past() -> None:
    scene, futures = eventful(), []
    plain = Engine(scene, 1)
    plain.advance(plain.end_s)
    for seed in (1, 2):
        engine = Engine(scene, 1)
        engine.redraw(Redraw(CUT_S, seed))
        engine.advance(CUT_S - 1.0)
        there = Engine(scene, 1)
        there.advance(CUT_S - 1.0)
        assert engine.event_hash() == there.event_hash()
        assert engine.summary() == there.summary()
        engine.advance(engine.end_s)
        futures.append(engine.event_hash())
        until = [event for event in plain.events(0) if event.t_s < CUT_S]
        assert list(engine.events(0))[: len(until)] == until
    assert len({*futures, plain.event_hash()}) == 3  # its own seed drawn anew is another future, too


@pytest.mark.parametrize("changed", usually(["nothing", "cap", "hall"], ["hall"]))
def test_a_pair_from_a_snapshot_is_the_pair_from_the_start(changed: str) -> None:
    scene = eventful()
    parent = Engine(scene, 1)
    parent.advance(CUT_S - 0.2 * DAY_S)
    snapshot = parent.snapshot()
    if changed == "cap":
        cap = parse_injection("0 s power_cap all value='400 W'").model_copy(update={"at_s": CUT_S})
        scene = scene.model_copy(update={"interventions": (cap,)})
    elif changed == "hall":
        scene = with_edits(scene, edit(CUT_S, "more", racks(10)))
    found = []
    for seed in (5, 6):
        begun = Engine(scene, 1)
        begun.redraw(Redraw(CUT_S, seed))
        gone_on = Engine.restore(scene, snapshot)
        gone_on.redraw(Redraw(CUT_S, seed))
        for engine in (begun, gone_on):
            engine.advance(engine.end_s)
        same(begun, gone_on)
        found.append(begun.event_hash())
    assert found[0] != found[1]


def test_another_hall_draws_the_same_for_whom_both_have() -> None:
    """Nobody works, so that a node fails by nothing but its own clocks."""
    scene = eventful(jobs=(), failures={"causes": causes(0.8)})
    strikes = []
    for one in (scene, with_edits(scene, edit(CUT_S, "more", racks(14)))):
        engine = Engine(one, 1)
        engine.redraw(Redraw(CUT_S, 9))
        engine.advance(engine.end_s)
        known = [one for one in events(engine, "failure") if int(one.subject.split("/")[2]) < 8]
        strikes.append([(one.t_s, one.subject, one.text) for one in known])
    assert strikes[0] == strikes[1]
    assert sum(at_s > CUT_S for at_s, _, _ in strikes[0]) > 5


def test_a_snapshot_behind_a_redraw_holds_it_and_so_does_an_edited_hall() -> None:
    scene = with_edits(eventful(), edit(3.25 * DAY_S, "more", racks(9)))
    engine = Engine(scene, 1)
    engine.redraw(Redraw(CUT_S, 4))
    for days in (1.5, 3, 3.5, 4):  # before it, behind it, behind the edit
        engine.advance(days * DAY_S)
        again = Engine.restore(scene, engine.snapshot())
        again.redraw(Redraw(CUT_S, 4))  # it knows: it is made once
        assert again.redraws == (Redraw(CUT_S, 4),)
        for one in (again, engine):
            one.advance((days + 0.5) * DAY_S)
        same(engine, again)
    with pytest.raises(ValueError, match="past"):
        engine.redraw(Redraw(CUT_S, 5))


@pytest.mark.slow
def test_a_run_file_tells_its_redraws_and_verifies(tmp_path: Path) -> None:
    scene, path, plain = eventful(), tmp_path / "again.twinrun", tmp_path / "plain.twinrun"
    wanted = (Redraw(CUT_S, 8), Redraw(3.5 * DAY_S, 2))
    result = run(scene, seed=1, record=path, redraws=wanted)
    with Reader(path) as reader:
        assert reader.header.redraws == wanted
        assert reader.header.seed == 1
        assert reader.event_hash == result.engine.event_hash()
    assert verify(path).clean
    run(scene, seed=1, record=plain)
    with Reader(plain) as reader:
        assert reader.header.redraws == ()
