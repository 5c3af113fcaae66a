"""Titles and meanings of the ledger accounts: the one table for ledger, report, job page, planner and channels."""

from __future__ import annotations

from typing import NamedTuple

from twin.record.accounts import JOB_SECONDS


class AccountTitle(NamedTuple):
    """What an account, or a group of accounts, is called.

    Attributes
    ----------
    title
        Its name.
    meaning
        What it holds, in one clause.
    short
        Its name in a small chart, of a step or of a job; "": the title.
    """

    title: str
    meaning: str
    short: str = ""

    @property
    def brief(self) -> str:
        """Return the short form, which is the title where there is none."""
        return self.short or self.title


ACCOUNT_TITLES: dict[str, AccountTitle] = {
    "productive": AccountTitle("productive", "kept steps, at the actual clock of the GPUs"),
    "exposed_tensor": AccountTitle(
        "exposed communication: tensor", "exposed tensor-parallel communication (not overlapped)", "tensor"
    ),
    "exposed_pipeline": AccountTitle(
        "exposed communication: pipeline",
        "exposed transfers between pipeline stages (not overlapped)",
        "pipeline",
    ),
    "exposed_data": AccountTitle(
        "exposed communication: data",
        "exposed gradient reduction and weight gathering (not overlapped)",
        "data",
    ),
    "exposed_context": AccountTitle(
        "exposed communication: context", "exposed exchange of keys and values (not overlapped)", "context"
    ),
    "exposed_expert": AccountTitle(
        "exposed communication: expert", "exposed exchange of tokens with experts (not overlapped)", "expert"
    ),
    "pipeline_bubble": AccountTitle(
        "pipeline bubble", "pipeline stages idle while the pipeline fills and drains", "bubble"
    ),
    "input_wait": AccountTitle("input wait", "steps waiting for input data"),
    "checkpoint_stall": AccountTitle("checkpoint stall", "jobs blocked on checkpoint writes"),
    "lost_work": AccountTitle("lost work", "work since the last checkpoint, done again after a failure"),
    "detection": AccountTitle("detection", "failure not yet detected"),
    "restart_and_load": AccountTitle("restart overhead", "containers, initialisation, loading, warm-up"),
    "thermal_throttle": AccountTitle(
        "thermal throttling", "steps slowed by thermal throttling of at least one GPU of the job"
    ),
    "power_cap": AccountTitle("power cap", "clocks reduced by a power cap"),
    "straggler": AccountTitle("stragglers", "waiting for the slowest GPU", "straggler"),
    "fabric_contention": AccountTitle("fabric contention", "shared or failed links"),
    "idle_no_load": AccountTitle("idle: no requests", "GPUs held by a service without requests", "no load"),
    "idle_no_job": AccountTitle("idle: no job", "free GPUs without a job"),
    "idle_fragmented": AccountTitle(
        "idle: fragmented", "free GPUs on shared nodes, too few together for a job"
    ),
    "idle_spare": AccountTitle(
        "idle: hot spares", "nodes beyond the demand of all jobs, ready to replace failed ones"
    ),
    "idle_reserved": AccountTitle(
        "idle: waiting or reserved", "held by a job waiting for a replacement node, or reserved"
    ),
    "idle_drained": AccountTitle("idle: drained", "drained nodes"),
    "idle_in_repair": AccountTitle("idle: in repair", "in repair or maintenance"),
    "idle_no_power": AccountTitle("idle: no power", "unpowered, thermally shut down, or booting"),
    "idle_preempted": AccountTitle("idle: preempted", "being preempted"),
}
"""Title of each account of `twin.record.accounts.ACCOUNTS`."""

_GROUPS: dict[str, AccountTitle] = {
    "job.exposed_s": AccountTitle(
        "exposed communication",
        "exposed communication between GPUs, not overlapped with compute",
        "communication",
    ),
    "job.throttle_s": AccountTitle(
        "throttling and power caps", "clocks lowered by thermal throttling or a power cap", "throttle, caps"
    ),
    "job.straggler_s": AccountTitle(
        "stragglers and contention", "waited for the slowest GPU, or for shared or lost links", "stragglers"
    ),
    "job.spare_wait_s": AccountTitle(
        "waiting for replacement node",
        "waited for replacement nodes while holding the others",
        "wait for nodes",
    ),
}
JOB_TIME_TITLES: dict[str, AccountTitle] = {
    channel: _GROUPS[channel] if channel in _GROUPS else ACCOUNT_TITLES[accounts[0]]._replace(short="")
    for channel, accounts in JOB_SECONDS.items()
}
"""Title of each channel of `twin.record.accounts.JOB_SECONDS`: of its one account, or of the group that it sums."""
