"""What is told of jobs: they wait, start, stop, save, and end."""

from __future__ import annotations

from twin.record.event_kinds.kind import ALARM, NOTICE, WARNING, EventKind, Gantt, JobTurn

_STOPS = ("detection", "restart_and_load")
"""Accounts of a job that stands after a failure."""
_WAITS = ("idle_reserved", "idle_preempted")
_RUNS = (*_STOPS, *_WAITS)
_OUT = ("job_interrupted", "waiting_for_spare")
"""What is over when a job runs, or will never run again."""

KINDS = (
    EventKind(
        "job_submitted",
        job=JobTurn.QUEUED,
        job_title="submitted",
        hashed=("gpus",),
        job_detail="asks for {gpus:,} GPUs",
        gantt=Gantt.WAITS,
    ),
    EventKind(
        "job_refused",
        WARNING,
        job=JobTurn.REFUSED,
        setback=True,
        job_title="refused",
        job_detail="{why}",
        names_subject=True,
    ),
    EventKind(
        "job_started",
        job=JobTurn.STARTING,
        job_title="starts",
        hashed=("nodes",),
        opens=("restart_and_load",),
        verb="stood",
        job_detail="on {nodes:,} nodes",
        names_subject=True,
        gantt=Gantt.TAKES,
    ),
    *(
        EventKind(
            id,
            NOTICE,
            job=JobTurn.RUNNING,
            job_title=title,
            hashed=("step",),
            ends=_OUT,
            closes=_RUNS,
            job_detail="at step {step:,}",
            names_subject=True,
        )
        for id, title in (("job_running", "first step"), ("job_resumed", "steps again"))
    ),
    EventKind(
        "job_interrupted",
        WARNING,
        job=JobTurn.STOPPED,
        setback=True,
        job_title="interrupted",
        hashed=("step",),
        caused_by=("nodes",),
        at_once=True,
        opens=_STOPS,
        verb="stood",
        job_detail="{why}",
        names_subject=True,
    ),
    EventKind(
        "job_requeued",
        WARNING,
        job=JobTurn.QUEUED,
        setback=True,
        job_title="back in the queue",
        hashed=("step",),
        ends=("waiting_for_spare",),
        closes=(*_RUNS, "input_wait"),
        job_detail="{why}",
        names_subject=True,
        gantt=Gantt.RETURNS,
    ),
    EventKind(
        "job_preempted",
        NOTICE,
        job=JobTurn.QUEUED,
        setback=True,
        job_title="preempted",
        opens=("idle_preempted",),
        verb="gave its GPUs to others",
        gantt=Gantt.YIELDS,
    ),
    EventKind(
        "job_shrunk",
        WARNING,
        setback=True,
        job_title="on fewer nodes",
        hashed=("nodes",),
        ends=("waiting_for_spare",),
        opens=("restart_and_load",),
        closes=("detection", *_WAITS),
        verb="stood",
        job_detail="{nodes:,} of {planned_nodes:,} nodes",
        names_subject=True,
        gantt=Gantt.CHANGES,
    ),
    EventKind(
        "job_grown",
        NOTICE,
        job_title="on more nodes",
        hashed=("nodes",),
        ends=("waiting_for_spare",),
        opens=("restart_and_load",),
        closes=("detection", *_WAITS),
        verb="stood",
        job_detail="{before_nodes:,} to {nodes:,} nodes",
        names_subject=True,
        gantt=Gantt.CHANGES,
    ),
    EventKind(
        "job_moved", NOTICE, job_title="moved", hashed=("partition",), names_subject=True, gantt=Gantt.CHANGES
    ),
    EventKind(
        "job_cloud", NOTICE, job=JobTurn.CLOUD, job_title="to a cloud", hashed=("gpus",), names_subject=True
    ),
    *(
        EventKind(
            id,
            severity,
            job=turn,
            setback=turn is JobTurn.ENDED,
            job_title=title,
            job_detail=detail,
            names_subject=True,
            hashed=("step",),
            ends=(*_OUT, "input_bound"),
            closes=(*_RUNS, "input_wait"),
        )
        for id, severity, turn, title, detail in (
            ("job_done", NOTICE, JobTurn.DONE, "done", "after {step:,} steps"),
            ("job_killed", NOTICE, JobTurn.ENDED, "killed", "{why}"),
            ("job_cancelled", NOTICE, JobTurn.ENDED, "cancelled", "{why}"),
            ("job_given_up", WARNING, JobTurn.ENDED, "given up", "{why}"),
        )
    ),
    EventKind(
        "hang",
        ALARM,
        job=JobTurn.STOPPED,
        setback=True,
        groups=("nodes",),
        caused_by=("nodes",),
        at_once=True,
        opens=_STOPS,
        verb="stood",
        names_subject=True,
    ),
    EventKind(
        "waiting_for_spare",
        ALARM,
        setback=True,
        job_title="waits for a node",
        opens=("idle_reserved",),
        verb="kept waiting",
        names_subject=True,
        gantt=Gantt.SWAPS,
    ),
    EventKind("spare_taken", hashed=("node",), gantt=Gantt.SWAPS),
    EventKind("spare_left"),
    EventKind("checkpoint", hashed=("step",), names_subject=True, saves=True),
    EventKind("replicated", hashed=("step",), names_subject=True),
    EventKind(
        "corruption_found",
        ALARM,
        setback=True,
        job_title="wrong results found",
        hashed=("steps",),
        groups=("nodes",),
        names_subject=True,
    ),
    EventKind("straggler_on", NOTICE, setback=True, opens=("straggler",), verb="slow", names_subject=True),
    EventKind("straggler_off", ends=("straggler_on",), closes=("straggler",), names_subject=True),
    EventKind("input_bound", WARNING, opens=("input_wait",), verb="waited for input", names_subject=True),
    EventKind("input_free", NOTICE, ends=("input_bound",), closes=("input_wait",), names_subject=True),
    EventKind("does_not_fit", WARNING, names_subject=True),
    EventKind("cloud_on", hashed=("gpus",), names_subject=True),
    EventKind("cloud_off", hashed=("gpus",)),
    EventKind("reservation_on", NOTICE, opens=("idle_reserved",), verb="kept waiting", gantt=Gantt.RESERVES),
    EventKind("reservation_off", ends=("reservation_on",), closes=("idle_reserved",)),
)
