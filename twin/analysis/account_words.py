"""The accounts of the ledger as people read them."""

from __future__ import annotations

INSTALLED = "installed"
"""The step of a waterfall that is no account: what B has installed more."""
_TITLES = {
    "exposed_tensor": "waiting on tensor parallel",
    "exposed_pipeline": "waiting on pipeline sends",
    "exposed_data": "waiting on data parallel",
    "exposed_context": "waiting on context parallel",
    "exposed_expert": "waiting on expert parallel",
    "thermal_throttle": "slowed by heat",
    "idle_no_load": "idle: nobody asks the service",
    "idle_no_job": "idle: no job",
    "idle_fragmented": "idle: fragmented",
    "idle_spare": "idle: hot spares",
    "idle_reserved": "idle: held or reserved",
    "idle_drained": "idle: drained",
    "idle_in_repair": "idle: in repair",
    "idle_no_power": "idle: no power",
    "idle_preempted": "idle: preempted",
}
MEANINGS: dict[str, str] = {
    "productive": "steps that were kept, at the clock the GPUs had",
    "exposed_tensor": "communication inside a layer that nothing hides",
    "exposed_pipeline": "transfers between stages that nothing hides",
    "exposed_data": "gradient reduction and weight gathering that nothing hides",
    "exposed_context": "keys and values passed round that nothing hides",
    "exposed_expert": "tokens on their way to experts and back",
    "pipeline_bubble": "stages that wait for the pipeline to fill and drain",
    "input_wait": "steps that waited for their data",
    "checkpoint_stall": "jobs stood while their state was written",
    "lost_work": "done since the last checkpoint, and done again",
    "detection": "something had failed, and nobody had noticed yet",
    "restart_and_load": "containers, initialisation, loading, warm-up",
    "thermal_throttle": "jobs took longer over a step while heat lowered the clocks of some of their GPUs",
    "power_cap": "clocks lowered by a limit on power",
    "straggler": "the others waited for the slowest",
    "fabric_contention": "links that were shared or lost",
    "idle_no_load": "a service held GPUs and nobody asked it anything",
    "idle_no_job": "free, and no job for them",
    "idle_fragmented": "free, but on nodes that others share, too few together",
    "idle_spare": "nodes beyond what all jobs ask for, which take the place of failed ones",
    "idle_reserved": "held by a job that waits for another node, or set aside",
    "idle_drained": "taken out of use",
    "idle_in_repair": "broken, or in maintenance",
    "idle_no_power": "dark, switched off by heat, or booting",
    "idle_preempted": "being given to others",
}
"""What each account means, in a few words."""


def account_title(account: str) -> str:
    """Return an account of the ledger as people read it.

    >>> account_title("idle_spare"), account_title("lost_work")
    ('idle: hot spares', 'lost work')
    """
    return _TITLES.get(account, account.replace("_", " "))


def step_title(account: str, gpu_h: float) -> str:
    """Return a step of the way from one ledger to another as people read it; `gpu_h` is what it adds to B.

    >>> step_title("installed", -10752.0), step_title("lost_work", 2.0)
    ('fewer GPUs, or shorter', 'lost work')
    """
    if account == INSTALLED:
        return "more GPUs, or longer" if gpu_h >= 0 else "fewer GPUs, or shorter"
    return account_title(account)
