"""Jobs of a scene by name, and their states: quick also where there are tens of thousands. No widgets."""

from __future__ import annotations

from twin.language import tr
from twin.record.channels import JobState
from twin.record.frame import Frame
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


def state_in_short(frame: Frame, job: Job, place: int) -> str:
    """Return the state of a job in a word or two; what is not submitted yet waits for nothing."""
    state = JobState(int(frame.values["job.state"][place]))
    to_come = state == JobState.QUEUED and job.submit_s > frame.t_s
    return tr("not submitted") if to_come else state.words
