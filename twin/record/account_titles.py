"""Titles and meanings of the ledger accounts: the one table for ledger, report, job page, planner and channels."""

from __future__ import annotations

from typing import NamedTuple

from twin.language import tr
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
    "productive": AccountTitle(tr("productive"), tr("kept steps, at the actual clock of the GPUs")),
    "exposed_tensor": AccountTitle(
        tr("exposed communication: tensor"),
        tr("exposed tensor-parallel communication (not overlapped)"),
        tr("tensor"),
    ),
    "exposed_pipeline": AccountTitle(
        tr("exposed communication: pipeline"),
        tr("exposed transfers between pipeline stages (not overlapped)"),
        tr("pipeline"),
    ),
    "exposed_data": AccountTitle(
        tr("exposed communication: data"),
        tr("exposed gradient reduction and weight gathering (not overlapped)"),
        tr("data"),
    ),
    "exposed_context": AccountTitle(
        tr("exposed communication: context"),
        tr("exposed exchange of keys and values (not overlapped)"),
        tr("context"),
    ),
    "exposed_expert": AccountTitle(
        tr("exposed communication: expert"),
        tr("exposed exchange of tokens with experts (not overlapped)"),
        tr("expert"),
    ),
    "pipeline_bubble": AccountTitle(
        tr("pipeline bubble"), tr("pipeline stages idle while the pipeline fills and drains"), tr("bubble")
    ),
    "input_wait": AccountTitle(tr("input wait"), tr("steps waiting for input data")),
    "checkpoint_stall": AccountTitle(tr("checkpoint stall"), tr("jobs blocked on checkpoint writes")),
    "lost_work": AccountTitle(
        tr("lost work"), tr("work since the last checkpoint, done again after a failure")
    ),
    "detection": AccountTitle(tr("detection"), tr("failure not yet detected")),
    "restart_and_load": AccountTitle(
        tr("restart overhead"), tr("containers, initialisation, loading, warm-up")
    ),
    "thermal_throttle": AccountTitle(
        tr("thermal throttling"), tr("steps slowed by thermal throttling of at least one GPU of the job")
    ),
    "power_cap": AccountTitle(tr("power cap"), tr("clocks reduced by a power cap")),
    "straggler": AccountTitle(tr("stragglers"), tr("waiting for the slowest GPU"), tr("straggler")),
    "fabric_contention": AccountTitle(tr("fabric contention"), tr("shared or failed links")),
    "idle_no_load": AccountTitle(
        tr("idle: no requests"), tr("GPUs held by a service without requests"), tr("no load")
    ),
    "idle_no_job": AccountTitle(tr("idle: no job"), tr("free GPUs without a job")),
    "idle_fragmented": AccountTitle(
        tr("idle: fragmented"), tr("free GPUs on shared nodes, too few together for a job")
    ),
    "idle_spare": AccountTitle(
        tr("idle: hot spares"), tr("nodes beyond the demand of all jobs, ready to replace failed ones")
    ),
    "idle_reserved": AccountTitle(
        tr("idle: waiting or reserved"), tr("held by a job waiting for a replacement node, or reserved")
    ),
    "idle_drained": AccountTitle(tr("idle: drained"), tr("drained nodes")),
    "idle_in_repair": AccountTitle(tr("idle: in repair"), tr("in repair or maintenance")),
    "idle_no_power": AccountTitle(tr("idle: no power"), tr("unpowered, thermally shut down, or booting")),
    "idle_preempted": AccountTitle(tr("idle: preempted"), tr("being preempted")),
}
"""Title of each account of `twin.record.accounts.ACCOUNTS`."""

_GROUPS: dict[str, AccountTitle] = {
    "job.exposed_s": AccountTitle(
        tr("exposed communication"),
        tr("exposed communication between GPUs, not overlapped with compute"),
        tr("communication"),
    ),
    "job.throttle_s": AccountTitle(
        tr("throttling and power caps"),
        tr("clocks lowered by thermal throttling or a power cap"),
        tr("throttle, caps"),
    ),
    "job.straggler_s": AccountTitle(
        tr("stragglers and contention"),
        tr("waited for the slowest GPU, or for shared or lost links"),
        tr("stragglers"),
    ),
    "job.spare_wait_s": AccountTitle(
        tr("waiting for replacement node"),
        tr("waited for replacement nodes while holding the others"),
        tr("wait for nodes"),
    ),
}
JOB_TIME_TITLES: dict[str, AccountTitle] = {
    channel: _GROUPS[channel] if channel in _GROUPS else ACCOUNT_TITLES[accounts[0]]._replace(short="")
    for channel, accounts in JOB_SECONDS.items()
}
"""Title of each channel of `twin.record.accounts.JOB_SECONDS`: of its one account, or of the group that it sums."""
