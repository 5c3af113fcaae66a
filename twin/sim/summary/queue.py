"""The queue in the summary of a run: waits, slow-down, what was held of the site and by whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from twin.arrays import Floats
from twin.record.accounts import ACCOUNTS, KEPT_STEP, RESTING
from twin.record.channels import JobState
from twin.sim.core.ledger import INDEX
from twin.sim.jobs.job_row import AWAY, JobRow
from twin.sim.jobs.jobs import Jobs

if TYPE_CHECKING:
    from twin.sim.run.parts import RunParts


BOUND_S = 10.0
"""Slow-down counts shorter runs as so long, as is usual: else jobs of a second would rule the mean [s]."""
QUEUE = AWAY.index("queue")
USED = [INDEX[name] for name in KEPT_STEP if name != "idle_no_load"]
"""Accounts of GPUs that are at work: utilisation is their share of the GPU-seconds that jobs held."""


def queue_figures(engine: RunParts, ledger: dict[str, float], energy_j: Floats) -> dict[str, Any]:
    """Return what became of the queue up to now; None where nothing is known.

    Parameters
    ----------
    ledger
        GPU-seconds by account up to now.
    energy_j
        Of each job [J].
    """
    rows, now = engine.jobs.rows, engine.now_s
    waited_s = np.array([row.waited_s for row in rows if row.start_s is not None])
    installed = sum(ledger.values())
    held = _held(ledger)
    steps = sum(ledger[ACCOUNTS[account]] for account in USED)
    outcomes = [row.outcome for row in rows]
    return {
        "policy": engine.incidents.settings.scenario.scheduler.policy,
        "waiting": len(engine.scheduler.queue),
        **_waits(waited_s),
        "slowdown_mean": _mean(np.array([slowdown for row in rows if (slowdown := _slowdown(row))])),
        "allocation": allocation(ledger),
        "fragmentation": ledger["idle_fragmented"] / installed if installed else None,
        "utilisation": steps / held if held > 0 else None,
        "by_tenant": _by_tenant(engine, installed, energy_j),
        "refused": outcomes.count("refused"),
        "killed": outcomes.count("killed"),
        "cancelled": outcomes.count("cancelled"),
        "preemptions": sum(row.preemptions for row in rows),
        "requeues": sum(row.requeues for row in rows),
        "longest_queued_s": max((now - row.queued_s for row in _waiting(engine)), default=0.0),
    }


def allocation(ledger: Mapping[str, float]) -> float | None:
    """Return the share of the installed GPU-seconds of a ledger that jobs held; None: there were none."""
    installed = sum(ledger.values())
    return _held(ledger) / installed if installed > 0 else None


def _held(ledger: Mapping[str, float]) -> float:
    return sum(ledger.values()) - sum(ledger[name] for name in RESTING)


def wait_s(engine: RunParts, row: JobRow) -> float | None:
    """Return how long a job has waited in all for its nodes, here or in a cloud [s]; None before it was submitted."""
    now_s, stay = engine.now_s, engine.clouds.stays.get(row.index)
    if now_s < row.submit_s:
        return None
    if row.state == JobState.QUEUED:
        return row.waited_s + now_s - max(row.queued_s, row.submit_s)
    coming = stay is not None and now_s < stay.ready_s  # its data or its nodes are on their way
    return row.waited_s + (now_s - row.entered_s if coming else 0.0)


def spent_gpu_s(jobs: Jobs, row: JobRow, now_s: float) -> Floats:
    """Return the GPU-seconds a job has held, by account; steps that no checkpoint holds yet count as kept."""
    return jobs.spent(row) + jobs.spends(row) * (now_s - row.since_s)


def _waiting(engine: RunParts) -> list[JobRow]:
    return [engine.jobs.rows[index] for index in engine.scheduler.queue]


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def _waits(waited_s: Floats) -> dict[str, float | None]:
    """Figures of all waits that are over."""
    if not len(waited_s):
        return {"wait_mean_s": None, "wait_median_s": None, "wait_p95_s": None}
    return {
        "wait_mean_s": float(waited_s.mean()),
        "wait_median_s": float(np.median(waited_s)),
        "wait_p95_s": float(np.quantile(waited_s, 0.95)),
    }


def _slowdown(row: JobRow) -> float | None:
    """Bounded slow-down of a job that has ended, here or in a cloud; None of others."""
    if row.end_s is None or row.start_s is None:
        return None
    run_s = row.end_s - row.start_s - row.away_s[QUEUE]
    return max(1.0, (row.waited_s + run_s) / max(run_s, BOUND_S))


def _by_tenant(engine: RunParts, installed: float, energy_j: Floats) -> dict[str, dict[str, Any]]:
    """Return what each tenant got; "" for jobs that are nobody's, where there are any."""
    rows_of: dict[str, list[JobRow]] = {entry.id: [] for entry in engine.scenario.tenants}
    for row in engine.jobs.rows:
        if row.submit_s <= engine.now_s:
            rows_of.setdefault(engine.jobs.specs[row.index].tenant or "", []).append(row)
    found = {}
    for tenant, rows in rows_of.items():
        spent = [spent_gpu_s(engine.jobs, row, engine.now_s) for row in rows if row.start_s is not None]
        gpu_s, used_gpu_s = (
            (float(np.sum(spent)), float(np.sum(spent, axis=0)[USED].sum())) if spent else (0.0, 0.0)
        )
        waited_s = np.array([row.waited_s for row in rows if row.start_s is not None])
        found[tenant] = {
            "jobs": len(rows),
            "gpu_s": gpu_s,
            "wait_mean_s": _mean(waited_s),
            "allocation": gpu_s / installed if installed else None,
            "utilisation": used_gpu_s / gpu_s if gpu_s else None,
            "energy_j": float(energy_j[[row.index for row in rows]].sum()) if rows else 0.0,
        }
    return found
