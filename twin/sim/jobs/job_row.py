"""The row of a job in the table of jobs: its state, its checkpoints, and what both are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

from twin.record.accounts import ACCOUNTS
from twin.record.channels import JobState

STALL_ACCOUNT: dict[int, str] = {
    JobState.STARTING: "restart_and_load",
    JobState.CHECKPOINT: "checkpoint_stall",
    JobState.DETECTING: "detection",
    JobState.RESTARTING: "restart_and_load",
    JobState.WAITING: "idle_reserved",
}
"""Where the GPU-seconds of a job go while it takes no steps."""

AT_REST = (JobState.QUEUED, JobState.DONE, JobState.KILLED, JobState.REMOTE)
"""States in which a job holds nothing here and nothing about it changes."""

STOPPED = (JobState.DETECTING, JobState.WAITING)
"""States of a job that an interruption has stopped already: what strikes it now is a failure, no interruption."""

ENDED = (JobState.DONE, JobState.KILLED)
"""States that a job never leaves."""

BUDGET = ("swap", "container", "init", "load", "warmup", "constant")
"""Parts of a restart, in the order in which they pass."""

AWAY = ("detect", *BUDGET, "wait", "queue")
"""Where the time goes between a failure and the next step: those, waiting for a spare, and in the queue."""

PROCESS, NODE, RACK, SITE = range(4)
"""How much a failure takes, and what a copy of a job's state outlives."""


@dataclass
class Save:
    """A checkpoint whose work is not settled yet.

    Parameters
    ----------
    step
        What it saves.
    safe_s
        When each tier holds it, by tier [s]; infinity: never.
    work
        What was spent since the one before, by account [GPU s].
    taken_s
        When its state was taken [s].
    keep_s
        When its work is kept for good: everything configured holds it, and it is verified [s].
    """

    step: float
    safe_s: list[float]
    work: list[float]
    taken_s: float
    keep_s: float


@dataclass
class JobRow:
    """State of one job; times in seconds since the start, progress in steps."""

    index: int
    id: str
    submit_s: float
    state: int = JobState.QUEUED
    nodes: list[int] = field(default_factory=list)  # in the order of its ranks
    vacant: list[int] = field(default_factory=list)  # places in that order that wait for a spare
    gpus: float = 0  # asked for
    held: float = 0  # in its hands now
    width: int = 0  # nodes it runs on; fewer than it asked for after it shrank
    start_s: float | None = None
    end_s: float | None = None
    since_s: float = 0.0  # booked until
    progress: float = 0.0
    first_s: float = (
        0.0  # that a step was planned to take before the hall was edited; 0: it was not since it began
    )
    own_s: float = 0.0  # more than planned that a step takes on its very GPUs, with nothing lost
    earned_s: float = 0.0  # what steps were to take when they were done, beyond what they are to take now
    durable: float = 0.0
    target: float = 0.0
    interruptions: int = 0
    lost_gpu_s: float = 0.0
    open: list[float] = field(default_factory=lambda: [0.0] * len(ACCOUNTS))  # since the last write
    in_flight: list[Save] = field(default_factory=list)  # oldest first
    kept: list[float] = field(default_factory=lambda: [0.0] * len(ACCOUNTS))
    stalled: list[float] = field(
        default_factory=lambda: [0.0] * len(ACCOUNTS)
    )  # without a step, booked for good
    safe_s: list[float] = field(
        default_factory=list
    )  # when each tier came to hold the durable step; empty: none does
    sources: list[int] = field(
        default_factory=list
    )  # tiers that hold what it went back to; empty: the strongest
    writes: int = 0  # checkpoints begun
    goes: list[bool] = field(default_factory=list)  # to which tiers the latest one goes
    interval_steps: float = 0.0  # between two of them, where the rule adapts it; 0: as planned
    outcome: str = ""  # done, killed (over its wall time), cancelled, given_up
    queued_s: float = 0.0  # entered the queue last
    waited_s: float = 0.0  # in the queue in all
    run_s: float = 0.0  # in possession of nodes in all
    requeues: int = 0
    preemptions: int = 0
    energy_j: float = 0.0
    site: str = ""  # empty: here, else the cloud it runs in
    there_s: float = 0.0  # of steps there, with nothing lost
    leaving: bool = False  # gives its nodes up once its state is safe
    moves: bool = False  # leaves drained nodes behind its next checkpoint
    struck: list[int] = field(default_factory=list)  # nodes whose processes a failure ended
    dropping: bool = False  # will go on without the replicas that a failure took
    restarts: int = 0  # after failures
    entered_s: float = 0.0  # its present state
    budget_s: list[float] = field(default_factory=list)  # of the restart that goes on, by BUDGET
    load_from: int = -1  # store from which it reads its state back, and how much of that [B]
    load_bytes: float = 0.0
    away_s: list[float] = field(default_factory=lambda: [0.0] * len(AWAY))
