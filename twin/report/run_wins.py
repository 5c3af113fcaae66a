"""What of the losses of a run can be won back without buying: deeper interleave, fewer spares, planned saves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from twin.economics.ledger_usd import LedgerUsd
from twin.record.accounts import KEPT_STEP
from twin.report.loss_groups import account_usd
from twin.report.run_data import RunFacts
from twin.report.words import amount, length, percent, usd_amount
from twin.shown_text import capitalised

_LEAST = 1e-3
"""Share of the GPU time below which nothing is worth a change."""
_ENOUGH = 20
"""Unexpected stops from which on the nodes out at most tell how many spares are needed."""
_SURE = 0.999
"""Share of the hours in which spares are to be enough [-]."""
_BEST = 1e-3
"""So near to the least cost an interval is at its best [-]."""


@dataclass(frozen=True)
class Win:
    """A change: the account that it lowers, what is changed, and what it wins [GPU s]."""

    account: str
    words: str
    gpu_s: float

    def usd(self, ledger: LedgerUsd | None, gpu_s: float) -> float | None:
        """Return what it wins in USD, at what a GPU-second of its account cost; `gpu_s`: those of the account."""
        return None if ledger is None or not gpu_s else account_usd(ledger, self.account) * self.gpu_s / gpu_s


def wins_of(facts: RunFacts) -> list[Win]:
    """Return what can be won, the most first."""
    found = [*_interleave(facts), *_spares(facts), *_planned(facts)]
    whole = sum(facts.ledger_gpu_s.values())
    return sorted((win for win in found if win.gpu_s >= _LEAST * whole), key=lambda win: -win.gpu_s)


def _interleave(facts: RunFacts) -> list[Win]:
    step = facts.step
    if step is None or step.deeper is None:
        return []
    deeper, ratio = step.deeper
    kept = sum(facts.ledger_gpu_s.get(account, 0.0) for account in KEPT_STEP)
    words = f"interleave {deeper} instead of {step.interleave}, a step {percent(1.0 - ratio)} shorter by the planner"
    return [Win("pipeline_bubble", words, kept * (1.0 - ratio))]


def _spares(facts: RunFacts) -> list[Win]:
    spares = facts.exposure.model.spares if facts.exposure is not None else 0
    most = facts.summary.get("failures", {}).get("down", {}).get("most")
    gpus, nodes = facts.summary.get("gpus"), facts.summary.get("nodes")
    if most is None or facts.exposure is None or not gpus or not nodes or _few(facts):
        return []
    left = max(int(most), most_out(facts.exposure.model.away))
    if left >= spares:
        return []
    idle = min((spares - left) * gpus / nodes * facts.end_s, facts.ledger_gpu_s.get("idle_spare", 0.0))
    enough = f"enough in {percent(_SURE)} of hours ({most:,g} were out at most)"
    words = f"{left:,} spare nodes instead of {spares:,}, {enough}"
    return [Win("idle_spare", words, idle)]


def most_out(mean: float) -> int:
    """Return the least number that so many nodes in repair in the mean pass in no more than 0.1 % of hours.

    Of repairs that do not wait for each other the number is Poisson, whatever their times.

    >>> most_out(1.0), most_out(38.6)
    (5, 59)
    """
    count = math.ceil(mean)
    while mean > 0.0 and poisson_tail(count + 1, mean) > 1.0 - _SURE:
        count += 1
    return count


def poisson_tail(count: int, mean: float) -> float:
    """Return the probability of so many events or more, where so many come in the mean [-].

    >>> round(poisson_tail(1, 1.0), 6)
    0.632121
    """
    last = int(max(count, mean) + 20.0 * math.sqrt(mean) + 50.0)
    return math.fsum(
        math.exp(number * math.log(mean) - mean - math.lgamma(number + 1.0)) for number in range(count, last)
    )


def _few(facts: RunFacts) -> bool:
    """Return whether so few stops were seen that they say nothing of the spares that are needed."""
    return (facts.figure("interruptions") or 0.0) < _ENOUGH


def _planned(facts: RunFacts) -> list[Win]:
    incidents = facts.incidents
    found = getattr(incidents, "all", ())
    lost = math.fsum(each.gpu_s.get("lost_work", 0.0) for each in found if each.planned)
    return [Win("lost_work", "a save before each planned stop", lost)] if lost else []


def changes_words(facts: RunFacts) -> str:
    """Return what to change first and what that wins, and whether the checkpoint interval is right."""
    whole = sum(facts.ledger_gpu_s.values())
    said = [
        f"{win.words}: {amount(win.gpu_s / 3600.0, 'gpu_hours', 3)}, {percent(win.gpu_s / whole)}"
        for win in wins_of(facts)
    ]
    told = (
        f"{capitalised('; '.join(said))}, of all GPU time. Nothing is bought for it."
        if said
        else "No change without a purchase is known."
    )
    return f"{told} {interval_words(facts)}".strip()


def interval_words(facts: RunFacts) -> str:
    """Return whether the checkpoint interval is the one that loses least, or what the best one wins."""
    exposure = facts.exposure
    best = exposure.rule_intervals if exposure is not None and exposure.saves else None
    if exposure is None or best is None:
        return ""
    best_s, _ = best
    more = exposure.loss_at(exposure.interval_s).whole - exposure.loss_at(best_s).whole
    at = f"checkpoints every {length(exposure.interval_s)}"
    if more < _BEST:
        return f"{capitalised(at)} are right."
    return (
        f"{capitalised(at)} cost {percent(more)} of the job's time more than every {length(round(best_s))}."
    )


def wins_words(wins: Sequence[Win], ledger: LedgerUsd | None, gpu_s_of: dict[str, float]) -> str:
    """Return what changes win in USD, or as a share of all GPU time where prices are unknown."""
    whole = sum(gpu_s_of.values())
    said = []
    for win in wins:
        usd = win.usd(ledger, gpu_s_of.get(win.account, 0.0))
        said.append(f"{usd_amount(usd) if usd is not None else percent(win.gpu_s / whole)} by {win.words}")
    return f"About this can be won back with nothing to buy: {'; '.join(said)}." if said else ""
