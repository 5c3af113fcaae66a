"""Fabrics that tests of jobs on networks share, and how they run one."""

from __future__ import annotations

from typing import Any

from fabric_scenes import model
from sim_scenes import assert_books_close, inject

from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

LINE = 0.9
"""Share of its card's line rate that a rank of the H100 profile reaches."""

NARROW = {"oversubscription": 4}
FOUR_SPINES = {"spine": {"part": "QM9700", "count": 4}}


FABRICS: list[dict[str, Any]] = [
    FOUR_SPINES,
    NARROW,
    {"kind": "rail-optimised", "homes": 2},
    {"kind": "rail-only"},
    {"kind": "dragonfly-plus"},
    {"kind": "fat-tree", "core": {"part": "QM9700"}, "unit_nodes": None},
    {
        "kind": "torus",
        "dims": [4, 4],
        "technology": "InfiniBand-NDR",
        "leaf": None,
        "spine": None,
        "unit_nodes": None,
    },
    {"technology": "RoCE-400"},
]
TORUS = 6
AROUND = ["gpu/0/0/3~gpu/0/0/0", "gpu/0/0/0~gpu/0/1/0", "gpu/0/2/2~gpu/0/2/3"]
PIPE = model("a", 16, 64, "llama3-70b", tensor=8, pipeline=2)


def run(scene: Scenario, *lines: str, until_s: float = 3000.0) -> Engine:
    """Return a run at a time, its books checked."""
    engine = inject(Engine(scene, 1), *lines)
    engine.advance(until_s)
    assert_books_close(engine)
    return engine


def told(engine: Engine, index: int = 0) -> dict[str, Any]:
    """Return the summary of a job."""
    found: dict[str, Any] = engine.summary()["jobs"][index]
    return found
