"""From the GPU time of A to that of B: a waterfall, its accounts, and what checkpoints cost and save."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from twin.analysis.account_words import INSTALLED, account_title, step_title
from twin.analysis.branch_changes import interval_in_words
from twin.analysis.compare import Comparison
from twin.planning.job.result import PlanError
from twin.planning.profile.figures import ProfileError
from twin.planning.risk.risk import JobRisk, risk_of
from twin.plant.build import build
from twin.record.accounts import KEPT_STEP, RESTING
from twin.report.charts import Bar, waterfall
from twin.report.loss_groups import WITHIN_STEPS
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.run_theory import FIRST_ORDER, best_intervals, first_order, first_order_words
from twin.report.words import length, percent, rounded
from twin.scenario.file.diff import Difference as Other
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.text.path import split

_LEAST = 0.002
"""Share of the largest step of a waterfall below which steps are drawn together."""
_NOTHING = 1e-9
"""Share of all GPU time below which a difference is one of rounding."""
_CHECKPOINTS = ("checkpoint_stall", "lost_work")
_COLOURS = (
    ("takes", "takes productive time from B"),
    ("adds", "adds productive time to B"),
)


def with_intervals(
    differences: Sequence[Other], scenes: tuple[Scenario, Scenario] | None
) -> tuple[Other, ...]:
    """Return differences in which a rule of checkpoints says the interval that it comes to."""
    if scenes is None:
        return tuple(differences)
    return tuple(
        replace(other, old=_interval(other.old, other, scenes[0]), new=_interval(other.new, other, scenes[1]))
        if is_interval(other)
        else other
        for other in differences
    )


def is_interval(other: Other) -> bool:
    """Return whether a difference is in the checkpoint interval of a job."""
    steps = split(other.path)
    return steps[0] == "jobs" and tuple(steps[2:]) == ("checkpoint", "interval")


def _interval(value: object, other: Other, scene: Scenario) -> object:
    """Return the interval in words; the value itself where no rule is behind it."""
    job = next((job for job in scene.jobs if job.id == split(other.path)[1]), None)
    if job is None or not isinstance(job.checkpoint.interval, str):
        return value
    return interval_in_words(job, scene, build(scene, catalog_of(scene)))


def checkpoint_words(found: Comparison, differences: Sequence[Other]) -> str:
    """Return the intervals of A and B, and the GPU time of checkpoints and of lost work in each."""
    said = [
        f"Job {split(other.path)[1]} saves every {other.old} in A and every {other.new} in B"
        for other in differences
        if is_interval(other) and other.old and other.new
    ]
    a, b = found.ledgers_gpu_h
    for account in _CHECKPOINTS:
        if account in a and account in b:
            title = account_title(account)
            said.append(
                f"{title[:1].upper()}{title[1:]} {rounded(a[account])} GPU-h in A and {rounded(b[account])} GPU-h in "
                f"B ({signed(b[account] - a[account])})"
            )
    return f"{'. '.join(said)}." if said else "Nothing is known of them."


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
            tag("p", words, class_="note") if (words := _waits_words(found)) else None,
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


def trade_words(found: Comparison, exposures: tuple[JobRisk, JobRisk] | None) -> str:
    """Return what B has less and more of than A, and where checkpoints are the change, by which rule."""
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
    words = (
        f"B {', and '.join(said)};{follows} that is {signed(apart)} productive GPU-h." if said else "Nothing."
    )
    return f"{words} {_rule_words(found, exposures)}" if exposures is not None else words


def _rule_words(found: Comparison, exposures: tuple[JobRisk, JobRisk]) -> str:
    """Return what checkpoints and lost work come to in A and in B by the rule of first order, and where it is least."""
    of_a, of_b = exposures
    best = best_intervals(of_a)
    if best is None or any(math.isinf(each.interval_s) for each in exposures):
        return ""
    young_s, daly_s = (length(round(seconds)) for seconds in best)
    between = length(of_a.model.mean_between_s)
    return (
        f"The rule: {FIRST_ORDER}, with a pause w of {length(of_a.pause_s)} and M of {between} between stops, is "
        f"{first_order_words(of_a)} in A and {first_order_words(of_b)} in B; it is least at {young_s} (Young; Daly: "
        f"{daly_s}). {_ledger_words(found, exposures)}"
    ).strip()


def _ledger_words(found: Comparison, exposures: tuple[JobRisk, JobRisk]) -> str:
    """Return what checkpoints and lost work took of the time held in both, beside the difference by the rule."""
    shares = []
    for ledger in found.ledgers_gpu_h:
        held = math.fsum(gpu_h for account, gpu_h in ledger.items() if account not in RESTING)
        if not held:
            return ""
        shares.append([ledger.get(account, 0.0) / held for account in _CHECKPOINTS])
    (stall_a, lost_a), (stall_b, lost_b) = shares
    by_rule = first_order(exposures[0]) - first_order(exposures[1])
    runs = found.differences.get("goodput")
    seen = "" if runs is None else f", of goodput in the runs {signed_pp(runs.difference)}"
    half = "" if runs is None or runs.paired is None else f" ± {100.0 * runs.paired:.1f}"
    return (
        f"The ledgers have {_sum_words(stall_a, lost_a)} of the time held in A and {_sum_words(stall_b, lost_b)} in B. "
        f"Difference by the rule {signed_pp(by_rule)}{seen}{half} pp.{_power_words(found, stall_b - stall_a)}"
    )


def _sum_words(stall: float, lost: float) -> str:
    whole = round(stall, 4) + round(lost, 4)
    return f"{percent(stall, 2)} + {percent(lost, 2)} = {percent(whole, 2)}"


def _power_words(found: Comparison, more_stall: float) -> str:
    """Return why mean power differs: GPUs that wait for a write draw less; "": another reason, or none."""
    power = found.differences.get("power_mean_w")
    if power is None or not power.difference * more_stall < 0.0:
        return ""
    word, more = ("less", "more") if more_stall < 0.0 else ("more", "less")
    return f" B waits {word} for writes, in which GPUs draw little, so it draws {more} power in the mean."


def signed_pp(share: float) -> str:
    """Return a difference of shares in percentage points, signed.

    >>> signed_pp(-0.0525)
    '−5.2'
    """
    return f"{100.0 * share:+.1f}".replace("-", "\N{MINUS SIGN}")


def exposures_of(
    differences: Sequence[Other], scenes: tuple[Scenario, Scenario] | None
) -> tuple[JobRisk, JobRisk] | None:
    """Return what the job is exposed to in A and in B whose checkpoint interval differs; None: none does."""
    job = next((split(other.path)[1] for other in differences if is_interval(other)), None)
    if job is None or scenes is None:
        return None
    try:
        of_a, of_b = (
            risk_of(scene, build(scene, found), found, job)
            for scene in scenes
            for found in (catalog_of(scene),)
        )
    except (PlanError, ProfileError, ValueError):
        return None
    return of_a, of_b


def signed(gpu_h: float) -> str:
    """Return a change of GPU time with its sign."""
    return f"{'+' if gpu_h >= 0 else chr(0x2212)}{rounded(abs(gpu_h))}"


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
