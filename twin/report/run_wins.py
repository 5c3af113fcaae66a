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
    bubble = (
        facts.ledger_gpu_s.get("pipeline_bubble", 0.0) * (1.0 - step.interleave / deeper) / kept
        if kept
        else 0.0
    )
    rest = ", the rest by less waiting for the slowest GPU" if bubble < 1.0 - ratio else ""
    basis = f"it fits in memory ({percent(bubble)} by the smaller bubble{rest})"
    return [Win("pipeline_bubble", words, kept * (1.0 - ratio), basis)]


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
        lost = worst.job_nodes
        words += f" (not for a lost {worst.role.words} of {lost:,} nodes: that takes {left + lost:,})"
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
        f"{capitalised('; '.join(said))}, of all GPU time. Nothing is bought for it; check it with twin compare."
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
    """Return what the first change would have won of the time that was run, and what others win; "": there is none.

    In USD, or as a share of all GPU time where prices are unknown; over the rest of the job where that is known.
    """
    if not wins:
        return ""
    (first, won_usd), *others = _by_usd(facts, wins)
    over, times = _over(facts)
    ran = f"In these {length(facts.end_s)} that would have won {_won(facts, first, won_usd)}."
    said = [ran] if times != 1.0 else []
    next_ones = "; ".join(
        f"{_won(facts, win, usd * times)}{', mostly capital already spent,' if win.spent else ''} by {win.words}"
        for win, usd in others
    )
    return " ".join((*said, *([f"Then, {over}: {next_ones}."] if next_ones else [])))


def first_win_words(facts: RunFacts, wins: Sequence[Win]) -> str:
    """Return the change that wins most and what that is over the rest of the job, in a sentence; "": there is none."""
    if not wins:
        return ""
    over, times = _over(facts)
    win, usd = _by_usd(facts, wins)[0]
    return f"Change this first: {win.words}. Without buying, it wins about {_won(facts, win, usd * times)} {over}."


def _by_usd(facts: RunFacts, wins: Sequence[Win]) -> list[tuple[Win, float]]:
    """Return changes with what they win of the run [USD], the dearest first; 0: prices are unknown."""
    usd = [win.usd(facts.ledger_usd, facts.ledger_gpu_s.get(win.account, 0.0)) or 0.0 for win in wins]
    return sorted(zip(wins, usd, strict=True), key=lambda won: (-won[1], -won[0].gpu_s))


def _over(facts: RunFacts) -> tuple[str, float]:
    """Return over which time a win is told, and that time over the one of the run [-]: a job that goes on, its rest."""
    going = under_way(facts)
    if going is None or facts.ledger_usd is None:
        return f"in {length(facts.end_s)} like these", 1.0
    left_s = going[1].left_s
    return f"in the {rounded(left_s / DAY_S, 3)} days left", left_s / facts.end_s


def _won(facts: RunFacts, win: Win, usd: float) -> str:
    whole = sum(facts.ledger_gpu_s.values())
    return (
        usd_amount(usd) if facts.ledger_usd is not None else f"{percent(win.gpu_s / whole)} of the GPU time"
    )
