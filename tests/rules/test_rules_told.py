"""What the first events of a run tell of its scene."""

from __future__ import annotations

from twin.catalog import load_catalog
from twin.plant.build import build
from twin.record.events import Event, Severity
from twin.rules import check
from twin.rules.engine_findings import at_the_start
from twin.scenario import load


def event(row: int, t_s: float, kind: str, subject: str, text: str) -> Event:
    return Event(row, t_s, kind, subject, Severity.WARNING, text)


def test_jobs_that_do_not_fit_and_refused_actions_are_findings_once() -> None:
    scenario = load("builtin:lab-16").scenario
    said = [
        event(0, 0.0, "job_submitted", "llama3", ""),
        event(1, 0.0, "does_not_fit", "llama3", "needs 99 GB of 80 GB usable on a GPU"),
        event(2, 0.0, "does_not_fit", "llama3", "needs 99 GB of 80 GB usable on a GPU"),
        event(3, 0.0, "refused", "gpu/0/1/0", "is in repair"),
        event(4, 9.0, "refused", "gpu/0/1/0", "comes later"),
    ]
    report = check(scenario, build(scenario), load_catalog(), at_the_start(scenario, said))
    fits, refused = [one for one in report.open if one.severity == "error"]
    assert (fits.rule, fits.key, fits.ids) == ("job-fits", "jobs[llama3].workload.parallelism", ("llama3",))
    assert (refused.rule, refused.key) == ("action-refused", "interventions[bus-error]")
    assert refused.reason == "is in repair"
    assert report.failed


def test_parts_are_told_where_they_stand() -> None:
    scenario = load("builtin:nvl72-row").scenario
    report = check(scenario, build(scenario), load_catalog())
    parts = {one.reason.split(":")[0]: one for one in report.open if one.rule == "part-unverified"}
    assert parts["is GB200-compute-tray"].ids == ("gpu/0/0",)
    assert parts["is GB200-compute-tray"].key == "halls[hall].rows[gpu].racks.part"
