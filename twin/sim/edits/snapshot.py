"""A run as bytes, and back: JSON of every table and timer. Numbers keep all their bits; nothing in it executes."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from twin.physics.thermal import AcceptedStep, EnergyTerms, Rungs
from twin.physics.thermal_network import ThermalState
from twin.record.hash import EventHash
from twin.sim.core.timers import Timer
from twin.sim.jobs.job_snapshots import untold
from twin.sim.run.parts import PARTS
from twin.sim.thermal.heat import HeatTotals

if TYPE_CHECKING:
    from twin.sim.edits.editing import EditedRun


def pack(engine: EditedRun) -> bytes:
    """Return the state of `engine`."""
    state = {
        "seed": engine.seed,
        **engine.draws.state(),
        "now_s": engine.now_s,
        "env_s": engine.timers.now_s,
        "timers": [tuple(row) for row in engine.timers.rows()],
        "rows": engine.log.rows,
        "hash": [engine.log.hash.state.hex(), engine.log.hash.count],
        "heat": _heat(engine),
        "edits": engine.edits.state(),
        **{name: getattr(engine, name).state() for name in PARTS if name != "jobs"},
        "jobs": engine.jobs.texts.state(),
    }
    return zlib.compress(json.dumps(state, separators=(",", ":")).encode(), 1)


def unpack(data: bytes) -> dict[str, Any]:
    """Return the state that `pack` wrote, to be given to `restore`."""
    state: dict[str, Any] = json.loads(zlib.decompress(data))
    return {**state, "jobs": untold(state["jobs"])}


def restore(engine: EditedRun, state: dict[str, Any]) -> None:
    """Put a freshly built engine into `state`."""
    engine.now_s = state["now_s"]
    for name in PARTS:
        getattr(engine, name).restore(state[name])
    engine.log.first_row = state["rows"]
    digest, count = state["hash"]
    engine.log.hash = EventHash(bytes.fromhex(digest), count)
    _restore_heat(engine, state["heat"])
    engine.timers.restore([Timer(*row) for row in state["timers"]])
    engine.pacing.look_at_all()


def _temperatures(state: ThermalState) -> list[Any]:
    return [state.chain.tolist(), state.upper.tolist()]


def _state(saved: list[Any]) -> ThermalState:
    return ThermalState(np.array(saved[0], float).reshape(-1, 4, 2), np.array(saved[1], float))


def _heat(engine: EditedRun) -> dict[str, Any]:
    heat = engine.heat
    step = heat.ahead
    totals = asdict(heat.totals)
    totals["loop_max_c"] = heat.totals.loop_max_c.tolist()
    totals["loop_throttle_gpu_s"] = heat.totals.loop_throttle_gpu_s.tolist()
    inputs = heat.integrator.stepper.inputs
    return {
        "totals": totals,
        "step": [step.t0_s, step.t1_s, step.error_k, list(step.energy), step.rungs, step.heading, step.bound],
        "course": heat.course.state(),
        "before": _temperatures(step.state0),
        "after": _temperatures(step.state1),
        "dt_cap_s": heat.integrator.dt_cap_s,
        "hottest_c": heat.hottest_c,
        "sink": [inputs.sink_c.tolist(), inputs.sink_since_s],
        "heat_w": [heat.loop_heat_w.tolist(), heat.hall_heat_w.tolist()],
    }


def _restore_heat(engine: EditedRun, saved: dict[str, Any]) -> None:
    heat, totals = engine.heat, dict(saved["totals"])
    for name in ("loop_max_c", "loop_throttle_gpu_s"):
        totals[name] = np.array(totals[name], float)
    heat.totals = HeatTotals(**totals)
    t0, t1, error, energy, rungs, *ahead = saved["step"]
    before, after = _state(saved["before"]), _state(saved["after"])
    step = AcceptedStep(t0, t1, before, after, error, EnergyTerms(*energy), Rungs(*rungs), *ahead)
    heat.course.restore(saved["course"])
    heat.hottest_c = saved["hottest_c"]
    heat.resume(step, saved["sink"], saved["heat_w"], saved["dt_cap_s"])
