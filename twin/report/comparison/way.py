"""From the GPU time of A to that of B: a waterfall, its accounts, and what is traded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from twin.analysis.account_words import INSTALLED, step_title
from twin.analysis.compare import Comparison
from twin.analysis.compare import waterfall as ledger_waterfall
from twin.analysis.figures import HOUR_S
from twin.record.accounts import KEPT_STEP
from twin.report.charts import Bar, waterfall
from twin.report.loss_groups import WITHIN_STEPS
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.words import percent, rounded

_LEAST = 0.002
"""Share of the largest step of a waterfall below which steps are drawn together."""
_NOTHING = 1e-9
"""Share of all GPU time below which a difference is one of rounding."""
_LEAST_SHOWN = 0.05
"""Sum of the smaller steps from which on it is shown [GPU h]; a tenth of it in percent."""
_WHOLE = 100.0
"""Of the GPU time of other installations [%]."""
_SAME_SIZE = 1e-3
"""Part of the GPU time below which two are of one size."""
_HOURS = "GPU-h"
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


def of_one_size(found: Comparison) -> bool:
    """Return whether A and B have the same GPU time; else it is compared in percent of what each has installed."""
    sides = [math.fsum(ledger.values()) for ledger in found.ledgers_gpu_h]
    if found.gpus is not None and found.simulated_s is not None:
        sides = [gpus * time_s for gpus, time_s in zip(found.gpus, found.simulated_s, strict=True)]
    return min(sides) <= 0.0 or max(sides) - min(sides) <= _SAME_SIZE * max(sides)


def gpu_time_unit(found: Comparison) -> str:
    """Return the unit of GPU time in the way from A to B."""
    return _HOURS if of_one_size(found) else "%"


def gpu_time(value: float, unit: str) -> str:
    """Return GPU time in its unit, without it: GPU-hours in four digits, percent with two decimals."""
    return rounded(value) if unit == _HOURS else f"{value:.2f}"


def _signed(value: float, unit: str) -> str:
    return f"{'+' if value >= 0 else chr(0x2212)}{gpu_time(abs(value), unit)}"


def _scaled(found: Comparison) -> Comparison:
    """Return a comparison with the GPU time of A and B in percent of what is installed, where that differs."""
    if of_one_size(found):
        return found
    a, b = (
        {account: gpu_h * _WHOLE / math.fsum(ledger.values()) for account, gpu_h in ledger.items()}
        for ledger in found.ledgers_gpu_h
    )
    steps = ledger_waterfall(*({key: value * HOUR_S for key, value in ledger.items()} for ledger in (a, b)))
    return replace(found, ledgers_gpu_h=(a, b), waterfall=steps, gpus=None)


def way_steps(found: Comparison) -> list[WayStep]:
    """Return the steps from the productive time of A to that of B, the largest first; they add up to the difference.

    In GPU-hours; where A and B are of other sizes or lengths, in percent of the GPU time that each has installed.

    What steps wait for follows their number: what fewer or more kept steps change of it is one step of the way, and
    each account of it counts as far as a kept step has more or less of it.
    """
    found = _scaled(found)
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
    unit, found = gpu_time_unit(found), _scaled(found)
    from_a = found.waterfall
    steps, rest = _told_apart(way_steps(found))
    at = from_a.a_gpu_h
    bars = [Bar("productive in A", 0.0, at, f"{gpu_time(at, unit)} {unit}", "whole")]
    rows: list[tuple[Child, ...]] = []
    for step in steps:
        bars.append(_bar(step.title, at, step.gpu_h, unit))
        adds = number(step.gpu_h, _signed(step.gpu_h, unit))
        rows.append((step.title, _hours(step.of_a, unit), _hours(step.of_b, unit), adds))
        at += step.gpu_h
    more = sum(step.gpu_h for step in rest)
    if rest and abs(more) >= _LEAST_SHOWN * (1.0 if unit == _HOURS else 0.1):
        title = f"{len(rest)} smaller one{'s' * (len(rest) != 1)}"
        bars.append(_bar(title, at, more, unit))
        rows.append((title, "", "", number(more, _signed(more, unit))))
    bars.append(
        Bar("productive in B", 0.0, from_a.b_gpu_h, f"{gpu_time(from_a.b_gpu_h, unit)} {unit}", "whole")
    )
    productive = from_a.b_gpu_h - from_a.a_gpu_h
    rows.append(
        (
            tag("b", "productive"),
            _hours(from_a.a_gpu_h, unit),
            _hours(from_a.b_gpu_h, unit),
            number(productive, _signed(productive, unit)),
        )
    )
    chart = waterfall(bars, "From the productive GPU-hours of A to those of B", _COLOURS)
    of = "GPU-hours" if unit == _HOURS else "% of the GPU time installed"
    columns = (f"account, {of}", "A", "B", "adds to productive time of B")
    return joined(
        [
            tag("figure", chart, tag("figcaption", _seen_words(found, steps, unit))),
            table(columns, rows, right=3),
            tag(
                "p",
                f"{_ROUNDED if steps and unit == _HOURS else ''} {_waits_words(found, unit)}".strip(),
                class_="note",
            ),
        ]
    )


def _seen_words(found: Comparison, steps: Sequence[WayStep], unit: str) -> str:
    """Return what the waterfall shows: the ends, and what most of the way is."""
    ends = found.waterfall
    if not steps:
        return f"Productive in A and in B: {gpu_time(ends.a_gpu_h, unit)} {unit}."
    first = steps[0]
    return (
        f"From {gpu_time(ends.a_gpu_h, unit)} to {gpu_time(ends.b_gpu_h, unit)} {unit} productive; the largest step is "
        f"{first.title}, {_signed(first.gpu_h, unit)}."
    )


def _waits_words(found: Comparison, unit: str) -> str:
    """Return what kept steps wait for in A and in B, and how many more of them B kept; "": unknown."""
    a, b = found.ledgers_gpu_h
    if not _kept(a) or not _kept(b):
        return ""
    more = _kept(b) / _kept(a) - 1.0
    of_a, of_b = (percent(_waits(ledger) / _kept(ledger), 2) for ledger in (a, b))
    less, gain = ("less", "gain") if more < 0.0 else ("more", "loss")
    of = "GPU time" if unit == _HOURS else "of its GPU time"
    return (
        f"Waits within steps (pipeline bubble, stragglers, communication and the like) are {of_a} of a kept step in A "
        f"and {of_b} in B. B has {percent(abs(more))} {less} {of} in kept steps, and so {less} of these waits: "
        f"that is no {gain} of its own."
    )


def way_words(found: Comparison) -> str:
    """Return by how much productive time differs, and what B has less and more of than A."""
    unit, made = gpu_time_unit(found), _scaled(found)
    ends = made.waterfall
    if not way_steps(made):
        return "There is none: every account of GPU time is the same."
    of = "" if unit == _HOURS else " of the GPU time installed"
    return (
        f"Productive time is {gpu_time(ends.a_gpu_h, unit)} {unit}{of} in A and {gpu_time(ends.b_gpu_h, unit)} {unit} "
        f"in B. {trade_words(found)}"
    )


def trade_words(found: Comparison) -> str:
    """Return what B has less and more of than A."""
    unit, found = gpu_time_unit(found), _scaled(found)
    steps, _ = _told_apart(way_steps(found))
    own = [step for step in steps if not step.by_number]
    sides = [
        (word, [step for step in own if step.gpu_h * sign > 0.0][:2])
        for word, sign in (("gains by less", 1.0), ("pays with more", -1.0))
    ]
    said = [
        f"{word} {' and '.join(f'{step.title} ({gpu_time(abs(step.gpu_h), unit)} {unit})' for step in taken)}"
        for word, taken in sides
        if taken
    ]
    apart = found.waterfall.b_gpu_h - found.waterfall.a_gpu_h
    others = [f"{step.title} ({_signed(step.gpu_h, unit)})" for step in steps if step.by_number]
    told = [step for _, taken in sides for step in taken] + [step for step in steps if step.by_number]
    rest = apart - math.fsum(step.gpu_h for step in told)
    if abs(rest) > 1e-4 * abs(apart):
        others.append(f"smaller ones ({_signed(rest, unit)})")
    follows = f" with {' and '.join(others)}" if others else ""
    return (
        f"B {', and '.join(said)};{follows} that is {_signed(apart, unit)} {unit} productive."
        if said
        else "Nothing."
    )


def _hours(value: float | None, unit: str) -> Child:
    return "" if value is None else number(value, gpu_time(value, unit))


def _told_apart(steps: Sequence[WayStep]) -> tuple[list[WayStep], list[WayStep]]:
    """Return the steps that are drawn, and those too small for it."""
    least = _LEAST * max((abs(step.gpu_h) for step in steps), default=0.0)
    return (
        [step for step in steps if abs(step.gpu_h) >= least],
        [step for step in steps if abs(step.gpu_h) < least],
    )


def _bar(title: str, at: float, value: float, unit: str) -> Bar:
    return Bar(title, at, at + value, _signed(value, unit), "adds" if value >= 0 else "takes")
