"""What to do next about a run: the dearest losses of its ledger in USD, and what acts on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from twin.analysis.account_words import account_title
from twin.economics.ledger_usd import LedgerUsd
from twin.record.accounts import ACCOUNTS
from twin.record.event_kinds import kind_of
from twin.record.events import Event
from twin.report.run_wins import Win, wins_words
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
    "straggler": "no slow node, but chance between thousands of GPUs: no change of the scene wins it back",
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
"""What acts on a loss, by its account; on stragglers where no node was slow."""
_SLOW_NODES = "slow nodes replaced"


def slow_nodes(events: Sequence[Event]) -> bool:
    """Return whether a node was slower than its like at any time of a run."""
    return any("straggler" in kind_of(kind).opens for kind in {event.kind for event in events})


def next_words(
    ledger_gpu_s: Mapping[str, float],
    ledger: LedgerUsd | None,
    events: Sequence[Event] = (),
    wins: Sequence[Win] = (),
) -> str:
    """Return the largest losses with what acts on each.

    Parameters
    ----------
    ledger_gpu_s
        GPU-seconds by account.
    ledger
        The same in USD; None: what they cost is not known.
    events
        Of the run: they tell whether nodes were slow.
    wins
        Changes that win some of the losses back.
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
        acts = _SLOW_NODES if account == "straggler" and slow_nodes(events) else ACTS_ON[account]
        said.append(f"{capitalised(account_title(account))} took {took}: {acts}.")
    if not said:
        return "No loss is worth a step of its own."
    won = wins_words(wins, ledger, dict(ledger_gpu_s))
    return " ".join((*said, *([won] if won else []), "twin compare proves a change."))
