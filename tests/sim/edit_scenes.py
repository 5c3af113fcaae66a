"""Scenes whose halls are edited while they run, and ways to look at such a run."""

from __future__ import annotations

import numpy as np
from sim_scenes import events, job, tiny

from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit
from twin.sim.engine.engine import Engine

NOW_S = 0.0


def edit(at_s: float, id: str, *changes: tuple[str, str | None], title: str = "") -> Edit:
    """Return an edit from (path, YAML text) pairs; no text: taken away."""
    said = [{"path": path} | ({} if value is None else {"value": value}) for path, value in changes]
    return Edit.model_validate({"id": id, "at": f"{at_s!r} s", "title": title, "changes": said})


def racks(count: int, row: str = "gpu") -> tuple[str, str]:
    """Return the change that gives a row so many racks."""
    return f"halls[hall].rows[{row}].racks.count", str(count)


def absent(rack: str, yes: bool = True) -> tuple[str, str | None]:
    """Return the change that takes a rack away, or brings it back."""
    return f"halls[hall].overrides[{rack}].absent", "true" if yes else None


def with_edits(scene: Scenario, *edits: Edit) -> Scenario:
    """Return a scene with edits."""
    return scene.model_copy(update={"edits": edits})


def take(engine: Engine, *edits: Edit) -> Engine:
    """Let edits be taken by a run, each of which must be; return the engine."""
    for one in edits:
        assert engine.intervene(one) is None
    return engine


def replayed(scene: Scenario, until_s: float, *edits: Edit) -> Engine:
    """Return the run of a scene with edits in its file, at a time."""
    engine = Engine(with_edits(scene, *edits))
    engine.advance(until_s)
    return engine


def gpu_s(engine: Engine) -> float:
    """Return the GPU-seconds of all accounts."""
    return float(sum(engine.summary()["ledger_gpu_s"].values()))


def closed(engine: Engine, installed_gpu_s: float) -> None:
    """Assert that GPU-seconds and energy of a run add up, booked in steps and read in between."""
    assert abs(gpu_s(engine) - installed_gpu_s) <= 1e-9 * max(installed_gpu_s, 1.0)
    totals = engine.heat.totals
    assert abs(totals.in_j - totals.out_j - totals.stored_j) <= 1e-12 * max(totals.in_j, 1.0)
    assert (engine.summary()["energy"]["residual"] or 0.0) <= 1e-12
    held = sum(row.held for row in engine.jobs.active)
    resting = float(engine.ledger.resting.sum())
    assert np.isclose(held + resting, float(engine.nodes.gpus.sum()))


__all__ = [
    "absent",
    "closed",
    "edit",
    "events",
    "gpu_s",
    "job",
    "racks",
    "replayed",
    "take",
    "tiny",
    "with_edits",
]
