"""How failures, spares and checkpoints of one job of a scene play together: quick answers by the Monte Carlo path."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from twin.catalog import Catalog
from twin.physics.checkpoint import (
    FirstOrderLoss,
    daly_interval_s,
    first_order_loss,
    renewal_ettr,
    young_interval_s,
)
from twin.planning.job.job import JobEstimate
from twin.planning.job.result import PlanError
from twin.planning.job.scenario_job import allowed_nodes, estimate_of
from twin.planning.risk.failure_table import repair_of
from twin.planning.risk.reliability_model import AwayTime, ReliabilityModel, SampledCause
from twin.planning.risk.reliability_sample import (
    FigureSpread,
    Histories,
    UptimeShares,
    best_interval_s,
    sample,
    spread,
    with_checkpoints,
)
from twin.plant.node_contents import counts_of_nodes
from twin.plant.tables import Plant
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.generators.allowed_rows import rows_of
from twin.scenario.generators.rented import is_member, shape_part, shapes_of, terms_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.faults import Cause
from twin.scenario.schema.work import Job, Recovery

SPARE_STEPS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""Numbers of spares that are compared, by that of the scene."""


@dataclass(frozen=True, slots=True)
class JobRisk:
    """Failures that a job of a scene is exposed to, and how it saves its state.

    Attributes
    ----------
    model
        Failures, repairs, spares, restarts.
    interval_s, pause_s, drain_s
        Work between checkpoints, blocking part of a write, time after it until it is durable [s].
    left_out
        What of the scene it does not hold, for people.
    """

    job: str
    model: ReliabilityModel
    interval_s: float
    pause_s: float
    drain_s: float
    left_out: tuple[str, ...]

    @property
    def saves(self) -> bool:
        """Whether the job writes checkpoints at all."""
        return not math.isinf(self.interval_s)

    @property
    def rule_intervals(self) -> tuple[float, float] | None:
        """Best intervals by Young's and by Daly's rule [s]; None: no stop undoes work, or a write costs nothing."""
        between_s = self.model.mean_between_losses_s
        if math.isinf(between_s) or self.pause_s <= 0.0:
            return None
        return young_interval_s(self.pause_s, between_s), daly_interval_s(self.pause_s, between_s)

    def loss_at(self, interval_s: float) -> FirstOrderLoss:
        """Return what checkpoints and lost work take at an interval [s], to the first order."""
        return first_order_loss(interval_s, self.pause_s, self.model.mean_between_losses_s)

    @property
    def exact_ettr(self) -> float | None:
        """ETTR by the renewal formula, if restarts always took their usual time.

        None without checkpoints, or where some stops lose no work.
        """
        if not self.saves or any(cause.saves for cause in self.model.causes):
            return None
        rate = self.model.nodes * self.model.node_rate_s
        shares = [(cause.rate_s, cause.detection_s, cause.mean_repair_s > 0) for cause in self.model.causes]
        total = sum(share for share, _, _ in shares) or 1.0
        usual_s = self.model.restart_s + sum(
            share / total * (detection_s + (self.model.swap_s if away else 0.0))
            for share, detection_s, away in shares
        )
        return float(renewal_ettr(self.interval_s, self.pause_s, usual_s, rate))


def risk_of(
    scenario: Scenario, plant: Plant, catalog: Catalog, job_id: str | None = None, spares: int | None = None
) -> JobRisk:
    """Return the failure exposure of one job of a scene.

    Parameters
    ----------
    scenario, plant, catalog
        The scene, built, and its parts.
    job_id
        Which job; none: the largest.
    spares
        Nodes that stand by for it; none: those of its rows that no job asks for.

    Raises
    ------
    PlanError
        When there is no such job, or it has no nodes it could use.
    """
    job = _job(scenario, job_id)
    allowed = allowed_nodes(plant, rows_of(scenario, job))
    available = int(allowed.sum())
    if available < job.nodes:
        raise PlanError(f"job {job.id!r} requests {job.nodes} nodes; its rows have {available}")
    if spares is None:
        asked: Counter[tuple[str, ...]] = Counter()
        for queued in jobs_of(scenario):
            asked[rows_of(scenario, queued)] += queued.nodes if queued.id != job.id else 0
        asked_by_others = sum(n for rows, n in asked.items() if (allowed & allowed_nodes(plant, rows)).any())
        spares = max(0, available - job.nodes - asked_by_others)
    first = int(allowed.argmax())
    gpus = int(plant.nodes.gpu_count[first]) * job.nodes
    part = plant.gpu_parts[int(plant.gpus.part[int(plant.nodes.gpu_first[first])])]
    node = plant.node_parts[int(plant.nodes.part[first])]
    work = estimate_of(job, gpus, part, catalog.gpu(part).memory_bytes, catalog=catalog, node=node)
    failures, recovery = scenario.failures, job.recovery
    stopping, left_out = _stopping(scenario, plant)
    causes = tuple(
        SampledCause(
            cause.per_node_s * float(counts_of_nodes(plant, cause.each)[allowed].mean()),
            repair_of(cause, failures.repair_constant_s),
            _detection_s(cause, recovery),
            cause.planned,
        )
        for cause in stopping
    )
    constant, starting_s = recovery.constant_s, recovery.container_s + recovery.init_s + recovery.warmup_s
    model = ReliabilityModel(
        nodes=job.nodes,
        spares=spares,
        causes=(*causes, *_reclaims(scenario, plant, catalog, allowed, job)),
        horizon_s=max(1.0, scenario.duration_s - job.submit_s),
        first_start_s=starting_s if constant is None else constant,
        restart_s=starting_s + _load_s(job, plant, work.checkpoint_bytes) if constant is None else constant,
        swap_s=recovery.swap_s if constant is None else 0.0,
        lemons=failures.lemons,
    )
    checkpoint = job.checkpoint
    return JobRisk(
        job.id,
        model,
        _interval_s(job, model, work),
        checkpoint.pause_s,
        checkpoint.drain_s,
        (*left_out, *_beyond(scenario, job)),
    )


def _job(scenario: Scenario, job_id: str | None) -> Job:
    jobs = jobs_of(scenario)
    if not jobs:
        raise PlanError("the scene has no job; give it one")
    if job_id is None:
        return max(jobs, key=lambda job: job.nodes)
    for job in jobs:
        if job.id == job_id:
            return job
    some = ", ".join(job.id for job in jobs[:8])
    raise PlanError(f"there is no job {job_id!r}; the scene has {some}{' ...' if len(jobs) > 8 else ''}")


def _stopping(scenario: Scenario, plant: Plant) -> tuple[list[Cause], list[str]]:
    """Return the sampled causes, and sentences on the others that the halls can have."""
    failures = scenario.failures
    if not failures.enabled:
        return [], ["random failures are disabled in this scene"]
    taken = [cause for cause in failures.acting if cause.on == "node" and cause.stops]
    not_sampled = [
        cause.id
        for cause in failures.acting
        if cause not in taken and counts_of_nodes(plant, cause.each)[plant.nodes.present].any()
    ]
    remarks = (
        [f"not sampled, as they fail no single node or stop no job: {', '.join(not_sampled)}"]
        if not_sampled
        else []
    )
    weibull = [cause.id for cause in taken if cause.shape is not None]
    if weibull:
        remarks.append(f"failures by {', '.join(weibull)} have their mean rate, independent of node age")
    return taken, remarks


def _beyond(scenario: Scenario, job: Job) -> list[str]:
    """Return the parts of the scene that are not sampled."""
    failures, recovery = scenario.failures, job.recovery
    facts = (
        (failures.bursts is not None, "bursts"),
        (failures.trace is not None, "the fault trace"),
        (failures.repairs.crew is not None or bool(failures.repairs.parts), "crews and spare parts"),
        (failures.lemon_rule is not None, "the lemon rule"),
        (bool(failures.checks), "health checks"),
        (failures.stragglers > 0, "stragglers"),
        (bool(job.checkpoint.tiers), "checkpoint tiers besides the storage system"),
        (recovery.policy != "spare", f"policy {recovery.policy}(sampled as spare)"),
        (recovery.partial != "none", "partial restarts"),
        (job.checkpoint.interval == "adaptive", "the adaptive interval (Daly's at the mean rate)"),
    )
    missing = [words for present, words in facts if present]
    return [f"not sampled: {', '.join(missing)}; twin run models them"] if missing else []


def _reclaims(
    scenario: Scenario, plant: Plant, catalog: Catalog, allowed: NDArray[np.bool_], job: Job
) -> Iterator[SampledCause]:
    """Yield how owners take rented nodes back of those that a job may use, the mean of these nodes.

    With notice enough for a checkpoint the job saves one and leaves; else it works until they are gone.
    """
    there = np.flatnonzero(plant.nodes.present & (plant.nodes.gpu_count > 0)) if scenario.rentals else ()
    escape_s = job.checkpoint.pause_s + job.checkpoint.drain_s
    for rental in scenario.rentals:
        rented = [node for node in there if is_member(rental, plant.nodes.ids[node])]
        part = shape_part(rental, catalog)
        shape = np.array(
            shapes_of(plant.nodes.gpu_count[rented].tolist(), None if part is None else part.n_gpu), np.intp
        )
        shapes = len(np.unique(shape))
        terms, its_own = terms_of(rental, shapes, catalog), len(np.unique(shape[allowed[rented]]))
        if terms.reclaim_per_s * its_own <= 0.0:
            continue
        saves = escape_s <= terms.notice_s > 0.0 and job.checkpoint.interval != "none"
        after_s = escape_s if saves else terms.notice_s  # from the notice until the job stops
        yield SampledCause(
            its_own / int(allowed.sum()) / (1.0 / terms.reclaim_per_s + after_s),
            AwayTime(terms.notice_s - after_s, terms.away_s),
            0.0 if saves or job.recovery.constant_s is not None else job.recovery.detect_s,
            reclaims=round(len(rented) / shapes),
            saves=saves,
        )


def _detection_s(cause: Cause, recovery: Recovery) -> float:
    if recovery.constant_s is not None:
        return 0.0
    return recovery.watchdog_s if cause.is_silent else recovery.detect_s


def _load_s(job: Job, plant: Plant, checkpoint_bytes: float) -> float:
    bandwidth = job.recovery.load_bytes_s or math.inf
    if job.checkpoint.storage in plant.storage.ids:
        read = float(plant.storage.read_bytes_s[plant.storage.ids.index(job.checkpoint.storage)])
        bandwidth = min(bandwidth, read if not math.isnan(read) else math.inf)
    return checkpoint_bytes / bandwidth


def _interval_s(job: Job, model: ReliabilityModel, work: JobEstimate) -> float:
    """Return the work between checkpoints, whole steps [s]; infinite: none is saved."""
    checkpoint, step_s = job.checkpoint, work.parts.step_s
    if isinstance(checkpoint.interval, float):
        wanted_s = checkpoint.interval
    elif checkpoint.interval == "none":
        return math.inf
    else:
        rule = young_interval_s if checkpoint.interval == "young" else daly_interval_s
        wanted_s = rule(checkpoint.pause_s, model.mean_between_losses_s)
    if math.isinf(wanted_s):
        return math.inf
    return max(1, round(wanted_s / step_s)) * step_s


# --- what it comes to


@dataclass(frozen=True, slots=True)
class RiskOutcome:
    """A job sampled many times.

    Attributes
    ----------
    history, kept
        What `sample` and `with_checkpoints` returned.
    """

    risk: JobRisk
    history: Histories
    kept: UptimeShares

    @property
    def figures(self) -> dict[str, FigureSpread]:
        """Everything of interest by name, over all runs; times are shares of the horizon."""
        history, kept, whole_s = self.history, self.kept, self.history.horizon_s
        rented = {"reclaims": spread(history.reclaims)} if self.risk.model.reclaim_rate_s else {}
        return {
            "ettr": spread(kept.ettr),
            "unexpected": spread(history.unexpected),
            **rented,
            "planned": spread(history.planned),
            "lost": spread(kept.lost_s / whole_s),
            "checkpoints": spread(kept.checkpoint_s / whole_s),
            "detection": spread(history.detection_s / whole_s),
            "restart": spread(history.restart_s / whole_s),
            "waiting": spread(history.waiting_s / whole_s),
            "nodes_down": spread(history.down),
        }

    @property
    def best_interval_s(self) -> float | None:
        """Work between checkpoints that would keep most [s]; None where writes or failures cost nothing."""
        if self.risk.pause_s == 0 or not self.history.interruptions.any():
            return None
        return best_interval_s(self.history, self.risk.pause_s, self.risk.drain_s)


def outcome(risk: JobRisk, runs: int = 1000, seed: int = 1) -> RiskOutcome:
    """Return the outcome of a job in `runs` runs; the same seed gives the same failures whatever the intervals."""
    history = sample(risk.model, runs, seed)
    return RiskOutcome(risk, history, with_checkpoints(history, risk.interval_s, risk.pause_s, risk.drain_s))


def ettr_at(found: RiskOutcome, interval_s: float) -> FigureSpread:
    """Return the ETTR of the same runs at another interval."""
    risk = found.risk
    return spread(with_checkpoints(found.history, interval_s, risk.pause_s, risk.drain_s).ettr)


def by_spares(risk: JobRisk, runs: int, seed: int, numbers: Sequence[int] = ()) -> dict[int, RiskOutcome]:
    """Return the outcome of the job by number of spares; by default some below and above its own number."""
    base = max(risk.model.spares, 1)
    wanted = sorted(set(numbers) or {round(step * base) for step in SPARE_STEPS})
    return {
        number: outcome(replace(risk, model=replace(risk.model, spares=number)), runs, seed)
        for number in wanted
    }
