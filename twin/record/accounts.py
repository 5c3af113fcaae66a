"""Accounts of the ledger: every GPU-second is booked to exactly one."""

from __future__ import annotations

ACCOUNTS: tuple[str, ...] = (
    "productive",
    "exposed_tensor",
    "exposed_pipeline",
    "exposed_data",
    "exposed_context",
    "exposed_expert",
    "pipeline_bubble",
    "input_wait",
    "checkpoint_stall",
    "lost_work",
    "detection",
    "restart_and_load",
    "thermal_throttle",
    "power_cap",
    "straggler",
    "fabric_contention",
    "idle_no_load",
    "idle_no_job",
    "idle_fragmented",
    "idle_spare",
    "idle_reserved",
    "idle_drained",
    "idle_in_repair",
    "idle_no_power",
    "idle_preempted",
)

JOB_SECONDS: dict[str, tuple[str, ...]] = {
    "job.productive_s": ("productive",),
    "job.exposed_s": (
        "exposed_tensor",
        "exposed_pipeline",
        "exposed_data",
        "exposed_context",
        "exposed_expert",
    ),
    "job.bubble_s": ("pipeline_bubble",),
    "job.input_s": ("input_wait",),
    "job.throttle_s": ("thermal_throttle", "power_cap"),
    "job.straggler_s": ("straggler", "fabric_contention"),
    "job.no_load_s": ("idle_no_load",),
    "job.checkpoint_s": ("checkpoint_stall",),
    "job.lost_s": ("lost_work",),
    "job.detect_s": ("detection",),
    "job.restart_s": ("restart_and_load",),
    "job.spare_wait_s": ("idle_reserved", "idle_preempted"),
}
"""Channels that tell where the time of a job went while it held nodes, and the accounts behind each."""

KEPT_STEP: tuple[str, ...] = (
    "productive",
    "exposed_tensor",
    "exposed_pipeline",
    "exposed_data",
    "exposed_context",
    "exposed_expert",
    "pipeline_bubble",
    "input_wait",
    "thermal_throttle",
    "power_cap",
    "straggler",
    "fabric_contention",
    "idle_no_load",
)
"""Step time: provisional until a checkpoint after it is durable, else lost. Numerator of ETTR."""

STOP_COSTS: tuple[str, ...] = ("lost_work", "detection", "restart_and_load")
"""What a stop takes of a job whose nodes are all there."""

NODE_WAITS: tuple[str, ...] = ("idle_reserved", "idle_preempted")
"""What a job waits for nodes that it lacks: meanwhile nothing can stop it."""

RESTING: tuple[str, ...] = (
    "idle_no_job",
    "idle_fragmented",
    "idle_spare",
    "idle_drained",
    "idle_in_repair",
    "idle_no_power",
)
"""Accounts of GPUs that no job holds."""
