"""Ledger accounts: where a GPU-second can go. Every one goes to exactly one."""

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
