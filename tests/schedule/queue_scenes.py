"""Small queues for the tests of policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from twin.scenario.schema.scheduling import Green, Preemption, Weights
from twin.scenario.schema.work import Tenant
from twin.schedule.planner import Planner
from twin.schedule.policies import PRESETS, Policy
from twin.schedule.queue import NodeLabels, Request, Requests
from twin.schedule.replay import Replayed, replay
from twin.schedule.tenants import Tenants
from twin.schedule.windows import Window


def policy(name: str, **more: Any) -> Policy:
    """Return a preset with changes."""
    order, backfill, placement = PRESETS[name]
    return Policy(**({"order": order, "backfill": backfill, "placement": placement} | more))


def ask(submit_s: float, nodes: int, estimate_s: float, **more: Any) -> Request:
    """Return a job of whole nodes of one GPU each."""
    return Request(**({"nodes": nodes, "gpus": nodes, "submit_s": submit_s, "estimate_s": estimate_s} | more))


def flat(nodes: int) -> NodeLabels:
    """Return nodes that stand each by itself, in one pod."""
    own = np.arange(nodes)
    return NodeLabels(own, own, np.zeros(nodes, np.int64), own)


def run(
    rows: Sequence[Request],
    said: Policy,
    *,
    nodes: int = 10,
    gpus: int = 1,
    run_s: Sequence[float] | None = None,
    tenants: Sequence[Tenant] = (),
    windows: Sequence[Window] = (),
    labels: NodeLabels | None = None,
    places: Sequence[tuple[np.ndarray, ...]] | None = None,
    until_s: float = np.inf,
) -> Replayed:
    """Return what a policy makes of `rows`, which run as long as estimated unless `run_s` says otherwise."""
    planner = Planner(
        said,
        Requests(rows),
        places or [(np.ones(nodes, bool),)],
        labels or flat(nodes),
        Tenants.of(tenants),
        windows,
        np.full(nodes, gpus),
    )
    lasts = run_s if run_s is not None else [row.estimate_s for row in rows]
    return replay(planner, lasts, np.full(nodes, gpus), until_s)


__all__ = ["Green", "Preemption", "Weights", "ask", "flat", "policy", "run"]
