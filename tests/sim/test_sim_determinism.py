"""The same scene and seed give the same run, however it is driven, looked at, saved or resumed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sim_scenes import causes, events, frame, inject, job, shipped, tiny
from usual_cases import usually

from twin.record.hash import EventHash
from twin.runtime import inline
from twin.runtime.protocol import Happened
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

UNTIL_S = 43200.0
INCIDENTS = (
    "30 min pump_stop cdu/0 for=60s",
    "2 h power_cap llama3 value=800W for=1h",
    "3 h fail gpu/0/2/4",
    "4 h heat_rejection_loss water for=25min",
    "6 h pump_stop cdu/2 for=20s",
    "9 h drain gpu/0/5 for=2h",
)
AIR_INCIDENTS = (
    "2 h fan_stop crah/0 for=10min",
    "3 h power_cap all value=500W for=1h",
    "4 h set jobs[a].checkpoint.interval value='5 min'",
    "5 h heat_rejection_loss water for=30min",
)


def failing() -> Scenario:
    """Return a hall where something happens every few minutes."""
    jobs = (job(2, id="a"), job(2, id="b", steps=8000), job(3, id="c", submit="1 h"))
    drains = {"interval": "300 s", "pause": "5 s", "drain": "100 s"}
    return tiny(
        nodes=5,
        jobs=(*jobs[:2], jobs[2] | {"checkpoint": drains}),
        duration="12 h",
        failures={"lemons": True, "repair_constant": "1 h", "causes": causes(3.0)},
        site={"climate": {"dry_bulb": "18 degC", "wet_bulb": "12 degC", "swing": "14 K"}},
    )


def end_of(engine: Engine, until_s: float) -> tuple[str, dict[str, object]]:
    """Run to `until_s` and return what can be said of the run."""
    engine.advance(until_s)
    return engine.event_hash(), engine.summary()


@pytest.fixture(scope="module")
def plain() -> tuple[str, dict[str, object]]:
    return end_of(Engine(failing(), 7), UNTIL_S)


def test_twice_in_one_process(plain: tuple[str, dict[str, object]]) -> None:
    assert end_of(Engine(failing(), 7), UNTIL_S) == plain
    assert plain[1]["events"] > 100


def test_another_seed_is_another_run(plain: tuple[str, dict[str, object]]) -> None:
    assert end_of(Engine(failing(), 8), UNTIL_S)[0] != plain[0]


def test_in_another_process() -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from sim_scenes import shipped\n"
        "from twin.sim.engine.engine import Engine\n"
        "engine = Engine(shipped('lab-16'), 5); engine.advance(1e9); print(engine.event_hash())"
    )
    here = str(Path(__file__).parent)
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    done = subprocess.run(
        [sys.executable, "-c", script, here], capture_output=True, text=True, check=True, env=environment
    )
    engine = Engine(shipped("lab-16"), 5)
    engine.advance(1e9)
    assert done.stdout.strip() == engine.event_hash()


def test_slices_and_observers_change_nothing(plain: tuple[str, dict[str, object]]) -> None:
    engine = Engine(failing(), 7)
    rng = np.random.default_rng(1)
    while engine.now_s < UNTIL_S:
        engine.advance(min(UNTIL_S, engine.now_s + rng.exponential(400.0)))
        frame(engine)
        engine.summary()
        engine.snapshot()
    assert (engine.event_hash(), engine.summary()) == plain


def test_event_by_event_and_under_a_wall_budget(plain: tuple[str, dict[str, object]]) -> None:
    engine = Engine(failing(), 7)
    while engine.step_event() < 20000.0:
        pass
    while engine.now_s < UNTIL_S:
        engine.advance(UNTIL_S, 1e-4)
    assert (engine.event_hash(), engine.summary()) == plain


def test_recorded_or_not(plain: tuple[str, dict[str, object]], tmp_path: Path) -> None:
    for record in (None, tmp_path / "run.twinrun"):
        result = inline.run(failing(), 7, UNTIL_S, record)
        assert isinstance(result.engine, Engine)
        assert (result.engine.event_hash(), result.engine.summary()) == plain


def test_live_or_headless(plain: tuple[str, dict[str, object]], tmp_path: Path) -> None:
    client, told = inline.InlineClient(), EventHash()
    client.load(failing(), 7, tmp_path / "live.twinrun")
    client.play()
    try:
        while client.pump(0.05):
            client.latest_frame()
            for message in client.poll():
                for event in message.events if isinstance(message, Happened) else ():
                    told.update(event)
        for message in client.poll():
            for event in message.events if isinstance(message, Happened) else ():
                told.update(event)
    finally:
        client.close()
    assert told.hexdigest() == plain[0]


@pytest.mark.parametrize(
    ("name", "lines", "until_s"),
    usually(
        [("failing", AIR_INCIDENTS, UNTIL_S), ("lab-16", (), UNTIL_S), ("nvl72-row", INCIDENTS, 12 * 3600.0)],
        2,
    ),
)
def test_a_run_goes_on_from_a_snapshot_as_if_nothing_had_been(
    name: str, lines: tuple[str, ...], until_s: float
) -> None:
    scene = failing() if name == "failing" else shipped(name)
    whole = end_of(inject(Engine(scene, 7), *lines), until_s)
    engine = inject(Engine(scene, 7), *lines)
    rng = np.random.default_rng(3)
    marks = sorted(
        {0.0, *rng.uniform(0, until_s, 6).tolist(), 1805.0, 1815.5, 1830.0, 7300.0, 7700.0, 4 * 3600 + 900.0}
    )
    for mark in marks:
        engine.advance(mark)
        engine = _resumed(engine, scene)
    assert end_of(engine, until_s) == whole


def _resumed(engine: Engine, scene: Scenario) -> Engine:
    """Return the run restored from a snapshot of `engine`, at which it looks the same."""
    again = Engine.restore(scene, engine.snapshot())
    assert again.summary() == engine.summary()
    assert again.snapshot() == engine.snapshot()
    before, after = frame(engine), frame(again)
    for id, values in before.values.items():
        assert np.array_equal(values, after.values[id], equal_nan=True), id
    return again


def test_snapshots_at_every_single_event() -> None:
    scene = failing()
    whole = end_of(Engine(scene, 11), 2 * 3600.0)
    engine = Engine(scene, 11)
    while engine.timers.next_s() <= 2 * 3600.0:
        engine.advance(engine.timers.next_s())
        engine = Engine.restore(scene, engine.snapshot())
    assert end_of(engine, 2 * 3600.0) == whole


def test_an_intervention_taken_live_is_one_asked_for_at_the_start() -> None:
    asked = inject(Engine(failing(), 7), "5000 s fail gpu/0/0/0 cause=gpu")
    live = Engine(failing(), 7)
    live.advance(5000.0 - 1e-3)
    inject(live, "5000 s fail gpu/0/0/0 cause=gpu")
    assert end_of(asked, UNTIL_S)[0] == end_of(live, UNTIL_S)[0]


def test_an_intervention_leaves_failures_of_other_nodes_alone() -> None:
    plain, touched = Engine(failing(), 7), inject(Engine(failing(), 7), "1 h fail gpu/0/0/0 cause=gpu")
    for engine in (plain, touched):
        engine.advance(UNTIL_S)
    strikes = [
        [(e.t_s, e.subject, e.text) for e in events(engine, "failure", "maintenance")]
        for engine in (plain, touched)
    ]
    elsewhere = [[s for s in one if not s[1].startswith("gpu/0/0/0")] for one in strikes]
    assert elsewhere[0] == elsewhere[1]
    assert len(elsewhere[0]) > 10


@pytest.mark.slow
def test_days_of_the_large_scene() -> None:
    scene = shipped("llama3-16k")
    whole = end_of(Engine(scene, 1), 4 * 86400.0)
    engine = Engine(scene, 1)
    for mark in (1e4, 123456.7, 2.5 * 86400):
        engine.advance(mark)
        engine = _resumed(engine, scene)
    assert end_of(engine, 4 * 86400.0) == whole
