"""Small scenes for the tests of the engine, as documents, and ways to look at a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from twin import scenario
from twin.record.channels import JobState
from twin.record.events import Event
from twin.record.frame import Frame
from twin.resources import folder
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

WORKLOAD = {
    "kind": "vision",
    "model": "made up",
    "sample_flop": 3e13,
    "parameters": 1e9,
    "batch_per_gpu": 8,
    "sample": "1 kB",
    "dataset": "1 PB",
}
RECOVERY = {
    "detect": "10 s",
    "watchdog": "300 s",
    "swap": "40 s",
    "container": "50 s",
    "init": "20 s",
    "load": "1 GB/s",
    "warmup": "30 s",
}
CLIMATE = {"climate": {"dry_bulb": "5 degC", "wet_bulb": "3 degC", "swing": "0 K"}}


def job(nodes: int = 2, id: str = "train", **more: Any) -> dict[str, Any]:
    """Return a job of two nodes that checkpoints every 600 s, blocking for 10 s."""
    one = {
        "id": id,
        "nodes": nodes,
        "workload": WORKLOAD,
        "checkpoint": {"interval": "600 s", "pause": "10 s"},
        "recovery": RECOVERY,
    }
    return one | more


def tiny(
    nodes: int = 4, jobs: tuple[dict[str, Any], ...] | None = None, part: str = "DGX-H100", **more: Any
) -> Scenario:
    """Return a hall of one row, a node a rack, on one air loop; nothing fails by itself."""
    document = {
        "format": "twin/scenario",
        "version": 3,
        "catalog": "2026.11",
        "title": "tiny",
        "duration": "30 day",
        "site": CLIMATE,
        "halls": [
            {
                "id": "hall",
                "rows": [
                    {
                        "id": "gpu",
                        "racks": {"count": nodes, "nodes": [{"part": part, "count": 1, "first_u": 3}]},
                    }
                ],
            }
        ],
        "cooling": air_cooling(["gpu"]),
        "jobs": list(jobs if jobs is not None else (job(),)),
        "failures": {"repair_constant": "2 h", "causes": causes(0.0)},
    }
    return Scenario.model_validate(document | more)


def air_cooling(rows: Sequence[str], **loop: Any) -> dict[str, Any]:
    """Return one air loop that serves rows of racks, and the dry cooler behind it."""
    crah = {"id": "crah", "kind": "air", "part": "CRAH-chilled", "plant": "water", "supply": "22 degC"}
    return {
        "plants": [{"id": "water", "kind": "dry-cooler", "supply": "14 degC"}],
        "loops": [crah | {"serves": list(rows)} | loop],
    }


def load_job(id: str, submit_s: float, nodes: int, run_s: float, **more: Any) -> dict[str, Any]:
    """Return a job that steps at once and never writes."""
    return {
        "id": id,
        "submit": f"{submit_s} s",
        "nodes": nodes,
        "run": f"{run_s} s",
        "workload": {"kind": "load", "gpu": 0.5},
        "checkpoint": {"interval": "none"},
        "recovery": {"constant": "0 s"},
    } | more


def causes(per_node_day: float) -> list[dict[str, Any]]:
    """Return one cause of each sort, the rate of each as given."""
    rate = f"{per_node_day} per node-day"
    return [
        {"id": "gpu", "rate": rate, "repair": "gpu"},
        {"id": "bug", "rate": rate, "repair": "restart"},
        {"id": "hang", "rate": rate, "repair": "restart", "detection": "watchdog"},
        {"id": "work", "rate": rate, "repair": "maintenance", "planned": True},
    ]


def liquid(racks: int = 2, loops: int = 2, **more: Any) -> Scenario:
    """Return racks of GB200 NVL72 on their own coolant loops, the job on half of them."""
    cooling = {
        "plants": [{"id": "water", "kind": "dry-cooler", "supply": "24 degC"}],
        "loops": [
            {
                "id": "cdu",
                "kind": "liquid",
                "part": "CDU-inrow-1350",
                "count": loops,
                "plant": "water",
                "serves": ["gpu"],
                "supply": "28 degC",
            },
            {
                "id": "crah",
                "kind": "air",
                "part": "CRAH-chilled",
                "plant": "water",
                "serves": ["gpu"],
                "supply": "28 degC",
            },
        ],
    }
    halls = [{"id": "hall", "rows": [{"id": "gpu", "racks": {"count": racks, "part": "GB200-NVL72"}}]}]
    return tiny(**({"halls": halls, "cooling": cooling, "jobs": (job(18 * racks // 2),)} | more))


def shipped(name: str) -> Scenario:
    """Return a scene of the distribution."""
    return scenario.load(Path(str(folder("scenes"))) / f"{name}.twin.yaml").scenario


def finding(name: str) -> Scenario:
    """Return a scene of `tests/findings`."""
    return scenario.load(Path(__file__).parents[1] / "findings" / f"{name}.twin.yaml").scenario


def inject(engine: Engine, *lines: str) -> Engine:
    """Ask for interventions, each of which must be taken; return the engine."""
    for line in lines:
        assert engine.intervene(scenario.parse_injection(line)) is None
    return engine


def events(engine: Engine, *kinds: str) -> list[Event]:
    """Return the events of the named kinds, in order."""
    return [event for event in engine.events(0) if event.kind in kinds]


def times(engine: Engine, *kinds: str) -> list[float]:
    """Return when the events of the named kinds were [s]."""
    return [event.t_s for event in events(engine, *kinds)]


def run_to_state(engine: Engine, state: JobState, index: int = 0) -> float:
    """Run event by event until job `index` is in `state`; return the time [s]."""
    while engine.jobs.rows[index].state != state:
        assert engine.now_s < engine.end_s
        engine.advance(engine.timers.next_s())
    return engine.now_s


def frame(engine: Engine) -> Frame:
    """Return all channels now."""
    one = Frame.empty(engine.layout)
    engine.fill(one)
    return one


def assert_books_close(engine: Engine) -> None:
    """Check every law that holds at any moment of any run."""
    figures = engine.summary()
    booked = figures["ledger_gpu_s"]
    installed = figures["gpus"] * engine.now_s
    assert abs(sum(booked.values()) - installed) <= 1e-9 * max(installed, 1.0)
    assert min(booked.values()) >= -1e-9 * max(installed, 1.0)
    if engine.now_s > 0:
        assert figures["energy"]["residual"] <= 1e-9
    nodes, jobs = engine.nodes, engine.jobs
    held = [node for row in jobs.rows for node in row.nodes]
    assert len(held) == len(set(held))
    for row in jobs.rows:
        assert sorted(row.nodes) == np.flatnonzero(nodes.job == row.index).tolist()
        assert row.held == int(nodes.gpus[row.nodes].sum())
    resting = np.zeros_like(engine.ledger.resting)
    for node in range(len(nodes.job)):
        account = nodes.account(node)
        if account is not None:
            resting[list(booked).index(account)] += nodes.gpus[node] - nodes.held[node]
    assert resting.tolist() == engine.ledger.resting.tolist()
    assert resting.sum() + sum(row.held for row in jobs.rows) == figures["gpus"]
