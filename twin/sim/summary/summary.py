"""The summary of a run: the object that ``twin run --json`` prints, less the wall clock figures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from twin.arrays import Floats
from twin.planning.profile.standing import standing_of
from twin.planning.profile.uncertainty import Interval
from twin.planning.risk.failure_table import fails
from twin.plant.links import link_id
from twin.record.accounts import ACCOUNTS
from twin.record.channels import JobState
from twin.record.inputs import app_version, inputs_hash
from twin.sim.jobs.job_row import AWAY, JobRow
from twin.sim.summary.cloud import clouds
from twin.sim.summary.facility import energy
from twin.sim.summary.queue import queue_figures, spent_gpu_s, wait_s

if TYPE_CHECKING:
    from twin.sim.run.parts import RunParts


def summarise(engine: RunParts) -> dict[str, Any]:
    """Return what the run up to now amounts to; unknown values are None. Reads only."""
    now = engine.now_s
    incidents = engine.incidents
    started = [row for row in engine.jobs.rows if row.start_s is not None]
    by_cause = {**incidents.unexpected, **incidents.planned}
    ledger, job_j = ledger_gpu_s(engine), engine.meter.job_energy_j(engine.heat, now)
    fell = fails(engine.first[0]) or any(by_cause.values()) or any(incidents.tally.struck.values())
    figures = {
        "scene": engine.scenario.title,
        "seed": engine.seed,
        "gpus": int(engine.plant.gpus.present.sum()),
        "nodes": int(engine.plant.nodes.present.sum()),
        "version": app_version(),
        "inputs_hash": inputs_hash(engine.first[0]),
        "simulated_s": now,
        "events": engine.log.rows,
        "event_hash": engine.log.hash.hexdigest(),
        "interruptions": {
            "unexpected": sum(incidents.unexpected.values())
            if fell
            else None,  # nothing can fail: not 0, but nothing
            "planned": sum(incidents.planned.values()) if fell else None,
            "by_cause": dict(sorted(by_cause.items())),
        },
        "ettr": _mean(engine, started, engine.jobs.ettr),
        "goodput": _mean(engine, started, engine.jobs.goodput),
        "ledger_gpu_s": ledger,
        "installed_gpu_s": engine.ledger.installed_gpu_s(now),
        "queue": queue_figures(engine, ledger, job_j),
        **energy(engine),
        "failures": _failures(engine),
        "repairs": engine.repairs.figures(),
        "health": engine.health.figures(),
        "lemons": engine.repairs.lemons.figures(),
        "thermal": _thermal(engine),
        "stores": engine.stores.figures(engine.now_s),
        "fabrics": _fabrics(engine),
        "jobs": [_job(engine, row, float(job_j[row.index])) for row in engine.jobs.rows],
    }
    return {**figures, **clouds(engine, figures)}


def _failures(engine: RunParts) -> dict[str, Any]:
    """What struck, whomever it hit: by cause; node-hours of degraded work by effect; nodes in repair at once."""
    incidents = engine.incidents
    return {
        "by_cause": dict(sorted(incidents.tally.struck.items())),
        "degraded_node_h": incidents.degraded.hours(),
        "down": engine.nodes.down.figures(engine.now_s),
    }


def _mean(engine: RunParts, rows: list[JobRow], figure: Any) -> float | None:
    """GPU-weighted mean of a figure over jobs that have started."""
    values = [
        (row.gpus * ((row.end_s or engine.now_s) - (row.start_s or 0.0)), figure(row, engine.now_s))
        for row in rows
    ]
    known = [(w, v) for w, v in values if v is not None]
    weight = sum(w for w, _ in known)
    return sum(w * v for w, v in known) / weight if weight else None


def ledger_gpu_s(engine: RunParts) -> dict[str, float]:
    """Return the GPU-seconds of each account since the start, what is not settled yet where it was spent."""
    ledger = engine.ledger
    total = (
        ledger.total + ledger.resting * (engine.now_s - ledger.since_s) + engine.jobs.unbooked(engine.now_s)
    )
    return dict(zip(ACCOUNTS, total.tolist(), strict=True))


def job_gpu_s(engine: RunParts) -> Floats:
    """Return the same of each job, and in the last row of GPUs at rest, shape (jobs + 1, accounts)."""
    spent = [spent_gpu_s(engine.jobs, row, engine.now_s) for row in engine.jobs.rows]
    by_job = np.array(spent).reshape(-1, len(ACCOUNTS))
    whole = np.array([*ledger_gpu_s(engine).values()])
    return np.concatenate([by_job, np.maximum(whole - by_job.sum(axis=0), 0.0)[None]])


def _thermal(engine: RunParts) -> dict[str, Any]:
    totals, plant = engine.heat.totals, engine.plant
    shut_down = plant.nodes.gpu_count * engine.incidents.shutdowns.was_off
    off_gpus = np.bincount(np.maximum(plant.nodes.loop, 0), shut_down, minlength=len(plant.loops.ids))
    return {
        "gpu_max_c": _number(totals.gpu_max_c),
        "throttle_gpu_s": float(totals.loop_throttle_gpu_s.sum()),
        "by_loop": [
            {
                "id": id,
                "gpu_max_c": _number(float(totals.loop_max_c[i])),
                "throttle_gpu_s": float(totals.loop_throttle_gpu_s[i]),
                "shutdown_gpus": int(off_gpus[i]),
            }
            for i, id in enumerate(plant.loops.ids)
        ],
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _job(engine: RunParts, row: JobRow, energy_j: float) -> dict[str, Any]:
    jobs, now = engine.jobs, engine.now_s
    work, plan = jobs.work[row.index], engine.plans[row.index]
    partitions = engine.scenario.partitions
    standing = standing_of(jobs.specs[row.index].workload.kind, work.confidence, work.interval)
    elsewhere = (
        bool(row.site) and row.run_s == 0
    )  # it held nothing here: what it lost and drew there nobody knows
    return {
        "id": row.id,
        "tenant": jobs.specs[row.index].tenant,
        "partition": partitions[plan.partition].id if plan.partition >= 0 else None,
        "site": row.site or None,
        "outcome": row.outcome or None,
        "wait_s": wait_s(engine, row),
        "limit_s": plan.limit_s,
        "energy_j": None if elsewhere else energy_j,
        "requeues": row.requeues,
        "preemptions": row.preemptions,
        "submit_s": row.submit_s,
        "start_s": row.start_s,
        "end_s": row.end_s,
        "gpus": row.gpus,
        "nodes": jobs.specs[row.index].nodes,
        "state": "not_submitted" if now < row.submit_s else JobState(row.state).name.lower(),
        "steps": int(jobs.progress_at(row, now)),
        "step_s": jobs.pace[row.index].step_s,
        "step_parts_s": {
            name: seconds
            for name, seconds in zip(
                ACCOUNTS, (jobs.pace[row.index].share * jobs.pace[row.index].step_s).tolist(), strict=True
            )
            if seconds > 0
        },
        "mfu": jobs.mfu(row, now),
        "input_wait": jobs.input_wait(row, now),
        "lost_s": None if elsewhere else row.lost_gpu_s / row.gpus,
        "interruptions": None if elsewhere else row.interruptions,
        "ettr": jobs.ettr(row, now),
        "goodput": jobs.goodput(row, now),
        "width": row.width or None,
        "restarts": None if elsewhere else row.restarts,
        "away_s": dict(zip(AWAY, jobs.away_s(row, now), strict=True)),
        "checkpoint_bytes": work.checkpoint_bytes,
        "confidence": work.confidence,
        "standing": None if standing is None else standing.word,
        "low_confidence": list(work.doubts),
        **_expected(work.interval, jobs.pace[row.index].step_s),
        "fits": not work.misfit,
        "reason": work.misfit or None,
        "network": _network(engine, row),
        "network_reason": _unmodelled(engine, row),
    }


def _expected(interval: Interval | None, step_s: float) -> dict[str, Any]:
    """Return where nine in ten measured step times are expected, and what that rests on."""
    low_s, high_s = (None, None) if interval is None else interval.around(step_s)
    return {
        "step_low_s": low_s,
        "step_high_s": high_s,
        "step_rests_on": None if interval is None else interval.words,
    }


def _network(engine: RunParts, row: JobRow) -> dict[str, Any] | None:
    """What the fabric gives a job now against its profile's own network; None before it stepped over one."""
    network = engine.network
    alone, left, fabric = network.alone(row.index), network.left(row.index), network.fabric_of(row.index)
    if alone is None or left is None or fabric is None:
        return None
    return {
        "fabric": engine.plant.fabrics[fabric],
        "factor": left,
        "alone": {kind: min(1.0, getattr(alone, kind)) for kind in network.used(row.index)},
        "hop_extra_s": alone.hop_extra_s,
        "contention_s": network.contention_s(row.index),
    }


def _unmodelled(engine: RunParts, row: JobRow) -> str | None:
    """Why a job has no network of its own here; None when it has one, or will have."""
    network = engine.network
    if row.site:
        return f"runs in {row.site}, whose network is not modelled"
    if network.alone(row.index) is not None:
        return None
    if not network.talks(row.index):
        return "sends no traffic over a fabric"
    if network.fabric_of(row.index) is None:
        return "the scene has no fabric: network not modelled, as fast as the calibration fabric"
    return "has not completed a step yet"


BUSIEST = 5
"""Links of a fabric that the summary names."""


def _fabrics(engine: RunParts) -> list[dict[str, Any]]:
    """The fabrics now: busiest links, what is down, which nodes are cut off."""
    network, plant = engine.network, engine.plant
    links = network.links
    load = network.load()
    busier = np.maximum(load[0::2], load[1::2])
    dead = engine.outages.dead_switches()
    rows = []
    for number, name in enumerate(plant.fabrics):
        of_fabric = np.flatnonzero(links.fabric == number)
        busiest = of_fabric[np.argsort(-busier[of_fabric], kind="stable")[:BUSIEST]]
        nodes = np.unique(np.concatenate([links.node_a[of_fabric], links.node_b[of_fabric], [-1]]))[1:]
        rows.append(
            {
                "id": name,
                "technology": plant.fabric_table.technology[number] or None,
                "busiest": [
                    {"id": link_id(plant, int(link)), "load": float(busier[link])}
                    for link in busiest
                    if busier[link] > 0
                ],
                "links_down": int((network.bytes_s[of_fabric] <= 0).sum()),
                "switches_down": sum(int(plant.switches.fabric[slot]) == number for slot in dead),
                "nodes_cut_off": int(engine.nodes.cut[nodes].sum()),
            }
        )
    return rows
