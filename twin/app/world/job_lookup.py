"""Jobs of a scene by name: quick also where there are tens of thousands. No widgets."""

from __future__ import annotations

from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Job

_last: tuple[tuple[Job, ...], dict[str, int]] = ((), {})


def job_place(scenario: Scenario, job_id: str | None) -> int | None:
    """Return the place of a job among all jobs of a scene, its row in ``job.*`` channels; None: there is no such."""
    global _last
    jobs = jobs_of(scenario)
    if jobs is not _last[0]:
        _last = (jobs, {job.id: place for place, job in enumerate(jobs)})
    return None if job_id is None else _last[1].get(job_id)
