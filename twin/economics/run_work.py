"""What a run did with its GPU time: hours of each kind, tokens, model FLOP, by job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from twin.catalog import Catalog
from twin.planning.job.result import PlanError
from twin.planning.job.scenario_job import estimate_of, trained_model
from twin.planning.profile.figures import ProfileError
from twin.record.accounts import RESTING
from twin.record.site_year import HOUR_S
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.schema.work import Job
from twin.scenario.schema.workload import LlmTraining

PFLOP_DAY = 1e15 * 86_400.0
OUT_OF_SERVICE = ("idle_drained", "idle_in_repair", "idle_no_power")
"""Accounts of GPUs that nobody can have."""


@dataclass(frozen=True)
class GpuHours:
    """GPU-hours of a period, each within the one before.

    Parameters
    ----------
    installed
        All, spares and those in repair included.
    available
        In service: neither drained nor in repair, and powered.
    allocated
        Held by jobs.
    productive
        Of kept steps at the actual clock, without what they wait.
    """

    installed: float
    available: float | None = None
    allocated: float | None = None
    productive: float | None = None


@dataclass(frozen=True)
class JobWork:
    """What one job did.

    Parameters
    ----------
    id, tenant
        Whose.
    gpus
        That it asked for.
    held_s
        From its start to its end, or to that of the run [s].
    steps
        Kept, with those that no checkpoint holds yet.
    tokens
        Of kept steps; None: it reads none.
    model_flop
        Of kept steps [FLOP]; None: unknown.
    """

    id: str
    tenant: str | None
    gpus: int
    held_s: float
    steps: int
    tokens: float | None
    model_flop: float | None


@dataclass(frozen=True)
class WorkDone:
    """What a run did.

    Parameters
    ----------
    hours
        Its GPU-hours.
    jobs
        Those that stepped.
    """

    hours: GpuHours
    jobs: tuple[JobWork, ...] = ()

    @property
    def tokens(self) -> float | None:
        """Return the tokens of all trainings; None: none reads any."""
        return _known(job.tokens for job in self.jobs)

    @property
    def pflop_days(self) -> float | None:
        """Return the model FLOP of all jobs [PFLOP-day]; None where that of one is unknown."""
        flop = [job.model_flop for job in self.jobs]
        return sum(value or 0.0 for value in flop) / PFLOP_DAY if flop and None not in flop else None


def work_of(scenario: Scenario, summary: Mapping[str, Any], gpus: Mapping[str, int]) -> WorkDone:
    """Return what a run did.

    Parameters
    ----------
    scenario, summary
        Of the finished run.
    gpus
        Installed GPUs by part; of several the FLOP of jobs count as on the most frequent.
    """
    ledger: Mapping[str, float] = summary["ledger_gpu_s"]
    whole = sum(ledger.values())
    held = whole - sum(ledger.get(name, 0.0) for name in RESTING)
    served = whole - sum(ledger.get(name, 0.0) for name in OUT_OF_SERVICE)
    hours = GpuHours(whole / HOUR_S, served / HOUR_S, held / HOUR_S, ledger.get("productive", 0.0) / HOUR_S)
    part = max(gpus, key=lambda name: gpus[name], default="")
    written = {job.id: job for job in jobs_of(scenario)}
    done = [
        _of_job(written.get(row["id"]), row, part, summary["simulated_s"], catalog_of(scenario))
        for row in summary["jobs"]
        if row["steps"]
    ]
    return WorkDone(hours, tuple(done))


def work_asked(scenario: Scenario, part: str, node_gpus: int) -> WorkDone:
    """Return the work that the jobs of a scene ask for, whoever does it: all their steps.

    Parameters
    ----------
    part, node_gpus
        GPU of its nodes, and how many a node has.
    """
    asked = [
        {
            "id": job.id,
            "tenant": job.tenant,
            "gpus": job.nodes * node_gpus,
            "steps": job.steps,
            "start_s": 0.0,
            "end_s": 0.0,
        }
        for job in jobs_of(scenario)
        if job.steps
    ]
    written = {job.id: job for job in jobs_of(scenario)}
    catalog = catalog_of(scenario)
    return WorkDone(
        GpuHours(0.0), tuple(_of_job(written[str(row["id"])], row, part, 0.0, catalog) for row in asked)
    )


def _of_job(job: Job | None, row: Mapping[str, Any], part: str, until_s: float, catalog: Catalog) -> JobWork:
    steps, tokens, flop = int(row["steps"]), None, None
    if job is not None:
        try:
            if isinstance(job.workload, LlmTraining):
                tokens = float(steps) * trained_model(job.workload, catalog).seq * job.workload.global_batch
            step_flop = estimate_of(job, int(row["gpus"]), part, 0.0, catalog=catalog).parts.model_flop
            flop = steps * step_flop if step_flop > 0.0 else None
        except (PlanError, ProfileError):
            flop = None
    held_s = (until_s if row["end_s"] is None else row["end_s"]) - (row["start_s"] or 0.0)
    return JobWork(row["id"], row.get("tenant"), int(row["gpus"]), held_s, steps, tokens, flop)


def _known(values: Any) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
