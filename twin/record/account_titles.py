"""Titles and meanings of the ledger accounts: the one table for ledger, report, job page, planner and channels."""

from __future__ import annotations

ACCOUNT_TITLES: dict[str, str] = {
    "productive": "productive",
    "exposed_tensor": "exposed communication: tensor",
    "exposed_pipeline": "exposed communication: pipeline",
    "exposed_data": "exposed communication: data",
    "exposed_context": "exposed communication: context",
    "exposed_expert": "exposed communication: expert",
    "pipeline_bubble": "pipeline bubble",
    "input_wait": "input wait",
    "checkpoint_stall": "checkpoint stall",
    "lost_work": "lost work",
    "detection": "detection",
    "restart_and_load": "restart overhead",
    "thermal_throttle": "thermal throttling",
    "power_cap": "power cap",
    "straggler": "stragglers",
    "fabric_contention": "fabric contention",
    "idle_no_load": "idle: no requests",
    "idle_no_job": "idle: no job",
    "idle_fragmented": "idle: fragmented",
    "idle_spare": "idle: hot spares",
    "idle_reserved": "idle: waiting or reserved",
    "idle_drained": "idle: drained",
    "idle_in_repair": "idle: in repair",
    "idle_no_power": "idle: no power",
    "idle_preempted": "idle: preempted",
}
"""Title of each account of `twin.record.accounts.ACCOUNTS`."""

ACCOUNT_MEANINGS: dict[str, str] = {
    "productive": "kept steps, at the actual clock of the GPUs",
    "exposed_tensor": "exposed tensor-parallel communication (not overlapped)",
    "exposed_pipeline": "exposed transfers between pipeline stages (not overlapped)",
    "exposed_data": "exposed gradient reduction and weight gathering (not overlapped)",
    "exposed_context": "exposed exchange of keys and values (not overlapped)",
    "exposed_expert": "exposed exchange of tokens with experts (not overlapped)",
    "pipeline_bubble": "pipeline stages idle while the pipeline fills and drains",
    "input_wait": "steps waiting for input data",
    "checkpoint_stall": "jobs blocked on checkpoint writes",
    "lost_work": "work since the last checkpoint, done again after a failure",
    "detection": "failure not yet detected",
    "restart_and_load": "containers, initialisation, loading, warm-up",
    "thermal_throttle": "steps slowed by thermal throttling of at least one GPU of the job",
    "power_cap": "clocks reduced by a power cap",
    "straggler": "waiting for the slowest GPU",
    "fabric_contention": "shared or failed links",
    "idle_no_load": "GPUs held by a service without requests",
    "idle_no_job": "free GPUs without a job",
    "idle_fragmented": "free GPUs on shared nodes, too few together for a job",
    "idle_spare": "nodes beyond the demand of all jobs, ready to replace failed ones",
    "idle_reserved": "held by a job waiting for a replacement node, or reserved",
    "idle_drained": "drained nodes",
    "idle_in_repair": "in repair or maintenance",
    "idle_no_power": "unpowered, thermally shut down, or booting",
    "idle_preempted": "being preempted",
}
"""Meaning of each account, in one clause."""

JOB_TIME_TITLES: dict[str, str] = {
    "job.productive_s": "productive",
    "job.exposed_s": "exposed communication",
    "job.bubble_s": "pipeline bubble",
    "job.input_s": "input wait",
    "job.throttle_s": "throttling and power caps",
    "job.straggler_s": "stragglers and contention",
    "job.no_load_s": "idle: no requests",
    "job.checkpoint_s": "checkpoint stall",
    "job.lost_s": "lost work",
    "job.detect_s": "detection",
    "job.restart_s": "restart overhead",
    "job.spare_wait_s": "waiting for replacement node",
}
"""Title of each channel of `twin.record.accounts.JOB_SECONDS`, which groups accounts."""
