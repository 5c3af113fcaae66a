"""From the GPU time of A to that of B: a waterfall, its accounts, and what is traded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from twin.analysis.account_words import INSTALLED, step_title
from twin.analysis.compare import Comparison
from twin.record.accounts import KEPT_STEP
from twin.report.charts import Bar, waterfall
from twin.report.comparison.words import signed
from twin.report.loss_groups import WITHIN_STEPS
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.words import percent, rounded

_LEAST = 0.002
"""Share of the largest step of a waterfall below which steps are drawn together."""
_NOTHING = 1e-9
"""Share of all GPU time below which a difference is one of rounding."""
_ROUNDED = "Each is rounded to four digits: as printed they add up only to within that."
_COLOURS = (
    ("takes", "takes productive time from B"),
    ("adds", "adds productive time to B"),
)


@dataclass(frozen=True)
class WayStep:
    """One step from the productive time of A to that of B: what it adds, and what of it A and B have [GPU h].

    `by_number`: it is no loss or gain of its own, but follows from the number of GPUs or of kept steps.
    """

    title: str
    gpu_h: float
    of_a: float | None = None
    of_b: float | None = None
    by_number: bool = False


def way_steps(found: Comparison) -> list[WayStep]:
    """Return the steps from the productive time of A to that of B, the largest first; they add up to the difference.

    What steps wait for follows their number: what fewer or more kept steps change of it is one step of the way, and
    each account of it counts as far as a kept step has more or less of it.
    """
    a, b = found.ledgers_gpu_h
    adds = {step.account: step.gpu_h for step in found.waterfall.steps}
    times, within = _kept(b) / _kept(a) if _kept(a) else 1.0, 0.0
    for account in WITHIN_STEPS if times != 1.0 else ():
        by_number = a.get(account, 0.0) * (1.0 - times)
        adds[account] = adds.get(account, 0.0) - by_number
        within += by_number
    whole = max(math.fsum(a.values()), math.fsum(b.values()))
    steps = [
        WayStep(
            f"{step_title(account, gpu_h)}{' of a kept step' if account in WITHIN_STEPS else ''}",
            gpu_h,
            None if account == INSTALLED else a.get(account),
            None if account == INSTALLED else b.get(account),
            account == INSTALLED,
        )
        for account, gpu_h in adds.items()
        if abs(gpu_h) > _NOTHING * whole
    ]
    if within:
        title = f"waits of {'fewer' if times < 1.0 else 'more'} kept steps"
        steps.append(WayStep(title, within, _waits(a), _waits(b), by_number=True))
    return sorted(steps, key=lambda step: -abs(step.gpu_h))


def _kept(ledger: Mapping[str, float]) -> float:
    return math.fsum(ledger.get(account, 0.0) for account in KEPT_STEP)


def _waits(ledger: Mapping[str, float]) -> float:
    return math.fsum(ledger.get(account, 0.0) for account in WITHIN_STEPS)


def way(found: Comparison) -> Markup:
    """Return the waterfall from the productive time of A to that of B, and its accounts in both."""
    from_a = found.waterfall
    steps, rest = _told_apart(way_steps(found))
    at = from_a.a_gpu_h
    bars = [Bar("productive in A", 0.0, at, f"{rounded(at)} GPU-h", "whole")]
    rows: list[tuple[Child, ...]] = []
    for step in steps:
        bars.append(_bar(step.title, at, step.gpu_h))
        rows.append(
            (step.title, _hours(step.of_a), _hours(step.of_b), number(step.gpu_h, signed(step.gpu_h)))
        )
        at += step.gpu_h
    more = sum(step.gpu_h for step in rest)
    if rest and abs(more) >= 0.05:
        title = f"{len(rest)} smaller one{'s' * (len(rest) != 1)}"
        bars.append(_bar(title, at, more))
        rows.append((title, "", "", number(more, signed(more))))
    bars.append(Bar("productive in B", 0.0, from_a.b_gpu_h, f"{rounded(from_a.b_gpu_h)} GPU-h", "whole"))
    productive = from_a.b_gpu_h - from_a.a_gpu_h
    rows.append(
        (
            tag("b", "productive"),
            number(from_a.a_gpu_h, rounded(from_a.a_gpu_h)),
            number(from_a.b_gpu_h, rounded(from_a.b_gpu_h)),
            number(productive, signed(productive)),
        )
    )
    chart = waterfall(bars, "From the productive GPU-hours of A to those of B", _COLOURS)
    columns = ("account, GPU-hours", "A", "B", "adds to productive time of B")
    return joined(
        [
            tag("figure", chart, tag("figcaption", tag("b", "What leads from A to B?"))),
            table(columns, rows, right=3),
            tag("p", f"{_ROUNDED if steps else ''} {_waits_words(found)}".strip(), class_="note"),
        ]
    )


def _waits_words(found: Comparison) -> str:
    """Return what kept steps wait for in A and in B, and how many more of them B kept; "": unknown."""
    a, b = found.ledgers_gpu_h
    if not _kept(a) or not _kept(b):
        return ""
    more = _kept(b) / _kept(a) - 1.0
    of_a, of_b = (percent(_waits(ledger) / _kept(ledger), 2) for ledger in (a, b))
    less, gain = ("less", "gain") if more < 0.0 else ("more", "loss")
    return (
        f"Waits within steps (pipeline bubble, stragglers, communication and the like) are {of_a} of a kept step in A "
        f"and {of_b} in B. B has {percent(abs(more))} {less} GPU time in kept steps, and so {less} of these waits: "
        f"that is no {gain} of its own."
    )


def way_words(found: Comparison) -> str:
    """Return by how much productive time differs, and by which accounts."""
    from_a = found.waterfall
    steps, _ = _told_apart(way_steps(found))
    if not steps:
        return "There is none: every account of GPU time is the same."
    largest = ", ".join(f"{step.title} ({signed(step.gpu_h)})" for step in steps[:3])
    apart = from_a.b_gpu_h - from_a.a_gpu_h
    of = f", {percent(abs(apart) / from_a.a_gpu_h)} of A" if from_a.a_gpu_h else ""
    return f"Productive time differs by {signed(apart)} GPU-h{of}. What the largest accounts add to it: {largest}."


def trade_words(found: Comparison) -> str:
    """Return what B has less and more of than A."""
    steps, _ = _told_apart(way_steps(found))
    own = [step for step in steps if not step.by_number]
    sides = [
        (word, [step for step in own if step.gpu_h * sign > 0.0][:2])
        for word, sign in (("gains by less", 1.0), ("pays with more", -1.0))
    ]
    said = [
        f"{word} {' and '.join(f'{step.title} ({rounded(abs(step.gpu_h))} GPU-h)' for step in taken)}"
        for word, taken in sides
        if taken
    ]
    apart = found.waterfall.b_gpu_h - found.waterfall.a_gpu_h
    others = [f"{step.title} ({signed(step.gpu_h)})" for step in steps if step.by_number]
    told = [step for _, taken in sides for step in taken] + [step for step in steps if step.by_number]
    rest = apart - math.fsum(step.gpu_h for step in told)
    if abs(rest) > 1e-4 * abs(apart):
        others.append(f"smaller ones ({signed(rest)})")
    follows = f" with {' and '.join(others)}" if others else ""
    return (
        f"B {', and '.join(said)};{follows} that is {signed(apart)} productive GPU-h." if said else "Nothing."
    )


def _hours(gpu_h: float | None) -> Child:
    return "" if gpu_h is None else number(gpu_h, rounded(gpu_h))


def _told_apart(steps: Sequence[WayStep]) -> tuple[list[WayStep], list[WayStep]]:
    """Return the steps that are drawn, and those too small for it."""
    least = _LEAST * max((abs(step.gpu_h) for step in steps), default=0.0)
    return (
        [step for step in steps if abs(step.gpu_h) >= least],
        [step for step in steps if abs(step.gpu_h) < least],
    )


def _bar(title: str, at: float, gpu_h: float) -> Bar:
    return Bar(title, at, at + gpu_h, signed(gpu_h), "adds" if gpu_h >= 0 else "takes")
