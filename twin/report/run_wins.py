"""What of the losses of a run can be won back without buying: deeper interleave, fewer spares, planned saves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from twin.economics.ledger_usd import LedgerUsd
from twin.record.accounts import KEPT_STEP
from twin.report.loss_groups import account_usd
from twin.report.published import DAY_S
from twin.report.run_data import RunFacts
from twin.report.training_progress import under_way
from twin.report.words import amount, length, percent, rounded, usd_amount
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
    """A change: the account that it lowers, what is changed, and what it wins [GPU s].

    `basis`: on what it rests; `spent`: whether it only frees nodes that are paid for.
    """

    account: str
    words: str
    gpu_s: float
    basis: str = ""
    spent: bool = False

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
    enough = f"enough in {percent(_SURE)} of hours in the long run"
    here = f"{most:,g} were out at most in these {length(facts.end_s)}, which begin with none in repair"
    words = f"{left:,} spare nodes instead of {spares:,}"
    if facts.network is not None and (worst := facts.network.largest) is not None:
        nodes = worst.job_nodes
        words += f" (not for a lost {worst.role.words} of {nodes:,} nodes: that takes {left + nodes:,})"
    return [Win("idle_spare", words, idle, f"{enough} ({here})", spent=True)]


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
        f"{', '.join(filter(None, (win.words, win.basis)))}: {amount(win.gpu_s / 3600.0, 'gpu_hours', 3)}, "
        f"{percent(win.gpu_s / whole)}"
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


def wins_words(facts: RunFacts, wins: Sequence[Win]) -> str:
    """Return what changes win of the time that was run, and the dearest over the rest of the job; "": there are none.

    In USD, or as a share of all GPU time where prices are unknown.
    """
    if not wins:
        return ""
    ledger, whole = facts.ledger_usd, sum(facts.ledger_gpu_s.values())
    usd = [win.usd(ledger, facts.ledger_gpu_s.get(win.account, 0.0)) or 0.0 for win in wins]
    told = sorted(zip(wins, usd, strict=True), key=lambda won: (-won[1], -won[0].gpu_s))
    going = under_way(facts)
    said = []
    for place, (win, won_usd) in enumerate(told):
        won = usd_amount(won_usd) if ledger is not None else percent(win.gpu_s / whole)
        of = ", mostly capital already spent," if win.spent else ""
        more = ""
        if place == 0 and won_usd and going is not None:
            left_s = going[1].left_s
            more_usd = usd_amount(won_usd * left_s / facts.end_s)
            more = f" ({more_usd} more in the {rounded(left_s / DAY_S, 3)} days left)"
        said.append(f"{won}{more}{of} by {win.words}")
    return f"Of these {length(facts.end_s)} about this can be won back without buying: {'; '.join(said)}."
