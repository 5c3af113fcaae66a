"""What to do next about a run: the dearest losses of its ledger in USD, and what acts on each."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from twin.analysis.account_words import account_title
from twin.analysis.explain import Explanation
from twin.economics.ledger_usd import LedgerUsd
from twin.record.accounts import ACCOUNTS
from twin.report.words import percent, usd_amount
from twin.shown_text import capitalised

_LEAST = 0.005
"""Share of the GPU time of a loss that is worth a step."""
_MOST = 2
_LAYOUT = "twin plan looks for another parallel layout"
_STORAGE = "faster storage"
ACTS_ON: Mapping[str, str] = {
    "exposed_tensor": _LAYOUT,
    "exposed_pipeline": _LAYOUT,
    "exposed_data": _LAYOUT,
    "exposed_context": _LAYOUT,
    "exposed_expert": _LAYOUT,
    "pipeline_bubble": "another parallel layout: twin plan",
    "input_wait": f"{_STORAGE}, or a cache in the nodes",
    "checkpoint_stall": f"{_STORAGE}, or checkpoints less often: twin ask checkpoint-interval",
    "lost_work": "checkpoints more often: twin ask checkpoint-interval",
    "detection": "health checks that find a failure sooner",
    "restart_and_load": "a faster restart, or fewer failures: twin risk tells what each is worth",
    "thermal_throttle": "more cooling, or a cooler supply",
    "power_cap": "a larger power limit",
    "straggler": "twin explain tells whether nodes were slow",
    "fabric_contention": "fewer jobs on one uplink, or more uplinks",
    "idle_no_load": "fewer replicas while few requests come",
    "idle_no_job": "more work, or fewer GPUs: twin cost tells from which use on owning pays",
    "idle_fragmented": "jobs of sizes that fill nodes, or another policy of the queue",
    "idle_spare": "fewer hot spares, if the risk allows: twin risk",
    "idle_reserved": "more hot spares, or faster repair: twin risk",
    "idle_drained": "shorter maintenance",
    "idle_in_repair": "faster repair: parts in stock, more technicians",
    "idle_no_power": "more redundant power: twin ask one-more-nine",
    "idle_preempted": "another policy of the queue",
}
"""What acts on a loss, by its account; on stragglers where nobody knows whether nodes were slow."""
_NONE, _ALL = 0.01, 0.99
"""Slow nodes made none of the stragglers below this share of them, and all above."""


def slow_share(found: Explanation | None) -> float | None:
    """Return which share of the time lost to stragglers slow nodes took, the rest is jitter of all; None: unknown."""
    loss = next((loss for loss in found.lost if loss.account == "straggler"), None) if found else None
    if loss is None or loss.gpu_s <= 0.0 or loss.more:
        return None
    return math.fsum(cause.gpu_s for cause in loss.causes if cause.events) / loss.gpu_s


def _on_stragglers(slow: float | None) -> str:
    """Return what acts on stragglers of which slow nodes made a share."""
    if slow is None:
        return ACTS_ON["straggler"]
    if slow > _ALL:
        return "slow nodes replaced"
    jitter = "jitter and chip spread of all, in every step"
    return (
        f"no node was slow: {jitter}"
        if slow < _NONE
        else f"{percent(slow, 0)} by slow nodes: replace them; the rest is {jitter}"
    )


def next_words(
    ledger_gpu_s: Mapping[str, float],
    ledger: LedgerUsd | None,
    slow: float | None = None,
    won: str = "",
) -> str:
    """Return which changes win some of the losses back, else the largest losses with what acts on each.

    Parameters
    ----------
    ledger_gpu_s
        GPU-seconds by account.
    ledger
        The same in USD; None: what they cost is not known.
    slow
        Share of the time lost to stragglers that slow nodes took; None: unknown.
    won
        Which changes win some of the losses back, in a sentence; "": none is known.
    """
    whole = sum(ledger_gpu_s.values())
    if not whole:
        return "Give it work: nothing was booked."
    usd = (
        dict(zip(ACCOUNTS, np.median(ledger.account_usd(), axis=1).tolist(), strict=True))
        if ledger is not None
        else {}
    )
    losses = [account for account in ACTS_ON if ledger_gpu_s.get(account, 0.0) >= _LEAST * whole]
    losses.sort(key=lambda account: -(usd or ledger_gpu_s)[account])
    said: list[str] = []
    for account in losses[:_MOST]:
        share = percent(ledger_gpu_s[account] / whole)
        share += "" if said and usd else " of the GPU time"
        took = f"{usd_amount(usd[account])} ({share})" if usd else share
        acts = _on_stragglers(slow) if account == "straggler" else ACTS_ON[account]
        said.append(f"{capitalised(account_title(account))} took {took}: {acts}.")
    if won:
        return won
    if not said:
        return "No loss is worth a step of its own."
    return " ".join((*said, "Check it with twin compare."))
