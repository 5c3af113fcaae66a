"""Moving jobs to partitions: what a drag carries, who may go where, and what is asked of the run. No widgets."""

from __future__ import annotations

from twin.app.queue.history import JobHistory
from twin.language import tr
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.faults import Intervention
from twin.scenario.schema.scheduling import Partition

JOBS_MIME = "application/x-twin-jobs"
"""What a drag of jobs carries: their ids, one a line."""


def why_not(scenario: Scenario, history: JobHistory, job_id: str, partition_id: str) -> str:
    """Return why a job cannot be moved to a partition as far as the scene says it; "" where nothing speaks against.

    The run has the last word: it may refuse what is allowed here.
    """
    partition = next((item for item in scenario.partitions if item.id == partition_id), None)
    job = history.index.get(job_id)
    if partition is None:
        return tr("there is no partition {partition_id}", partition_id=partition_id)
    if job is None:
        return tr("there is no job {job_id}", job_id=job_id)
    spec = history.jobs[job]
    if history.partition_of(job) == partition_id:
        return tr("{job_id} is in {name} already", job_id=job_id, name=_name(partition))
    if partition.tenants and (spec.tenant or "") not in partition.tenants:
        whose = spec.tenant or tr("jobs without a tenant")
        return tr(
            "{name} is for {tenants}, not for {whose}",
            name=_name(partition),
            tenants=", ".join(partition.tenants),
            whose=whose,
        )
    if partition.limit_s is not None and (spec.limit_s or 0.0) > partition.limit_s:
        return tr("{job_id} requests more time than {name} allows", job_id=job_id, name=_name(partition))
    if job not in history.waiting:
        return tr("{job_id} is not queued: only queued jobs can be moved", job_id=job_id)
    return ""


def offer(scenario: Scenario, job_id: str, partition_id: str) -> str:
    """Return what a drop would do, in words."""
    name = next((_name(item) for item in scenario.partitions if item.id == partition_id), partition_id)
    return tr("Move {job_id} to {name}", job_id=job_id, name=name)


def move(job_id: str, partition_id: str, t_s: float) -> Intervention:
    """Return what moves a job to a partition at simulated time `t_s` [s]."""
    return Intervention(at=t_s, kind="move", target=job_id, value=partition_id)


def _name(partition: Partition) -> str:
    return partition.title or partition.id
