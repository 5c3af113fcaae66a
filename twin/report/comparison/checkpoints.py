"""Checkpoints of two runs: their intervals, which is better by the rule and why, what writes and lost work took."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from twin.analysis.branch_changes import interval_in_words
from twin.analysis.compare import Comparison, Sample
from twin.physics.checkpoint import first_order_loss, young_interval_s
from twin.planning.risk.risk import JobRisk
from twin.plant.build import build
from twin.record.accounts import RESTING
from twin.report.comparison.words import signed_pp
from twin.report.job_step import JobStep
from twin.report.run_theory import FIRST_ORDER, first_order_words
from twin.report.words import amount, length, percent, rounded
from twin.scenario.file.diff import Difference
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.text.path import split
from twin.shown_text import capitalised

WON = 1e-3
"""Share of the time below which a better interval wins nothing."""
_CHECKPOINTS = ("checkpoint_stall", "lost_work")


def with_intervals(
    differences: Sequence[Difference], scenes: tuple[Scenario, Scenario] | None
) -> tuple[Difference, ...]:
    """Return differences in which a rule of checkpoints says the interval that it comes to."""
    if scenes is None:
        return tuple(differences)
    return tuple(
        replace(
            difference,
            old=_interval(difference.old, difference, scenes[0]),
            new=_interval(difference.new, difference, scenes[1]),
        )
        if is_interval(difference)
        else difference
        for difference in differences
    )


def is_interval(difference: Difference) -> bool:
    """Return whether a difference is in the checkpoint interval of a job."""
    steps = split(difference.path)
    return steps[0] == "jobs" and tuple(steps[2:]) == ("checkpoint", "interval")


def _interval(value: object, difference: Difference, scene: Scenario) -> object:
    """Return the interval in words; the value itself where no rule is behind it."""
    job = next((job for job in scene.jobs if job.id == split(difference.path)[1]), None)
    if job is None or not isinstance(job.checkpoint.interval, str):
        return value
    return interval_in_words(job, scene, build(scene, catalog_of(scene)))


def verdict_words(found: Comparison, intervals: tuple[JobRisk, JobRisk]) -> str:
    """Return which of two checkpoint intervals is the better one, and why; "": no rule tells."""
    best = intervals[0].rule_intervals
    if best is None or not all(risk.saves for risk in intervals):
        return ""
    losses = [risk.loss_at(risk.interval_s) for risk in intervals]
    sides = sorted(zip("AB", intervals, losses, strict=True), key=lambda side: side[2].whole)
    (better, better_risk, least), (worse, worse_risk, more) = sides
    best_s, between = best[0], length(intervals[0].model.mean_between_losses_s)
    rule = (
        f"the best one is {length(best_s)} by Young's rule, with a stop that undoes work every {between} and a write "
        f"of {length(intervals[0].pause_s)}"
    )
    if more.whole - least.whole < WON:
        return f"Neither: both lose {percent(least.whole)} of the time; {rule}."
    seldom = worse_risk.interval_s > better_risk.interval_s
    writes, lost = (percent(abs(a - b)) for a, b in ((more.writes, least.writes), (more.lost, least.lost)))
    why = (
        f"saves too seldom: writes take {writes} less of the time, and work done again {lost} more"
        if seldom
        else f"saves too often: writes take {writes} more of the time, and work done again {lost} less"
    )
    times = [rounded(risk.interval_s / best_s, 2) for risk in (better_risk, worse_risk)]
    goodput = found.differences.get("goodput")
    runs = "" if goodput is None else f"; goodput in the runs differs by {signed_pp(goodput.difference)} pp"
    return (
        f"That of {better}, {times[0]} times the best one; that of {worse} is {times[1]} times it: {rule}. {worse} "
        f"{why}, {percent(more.whole - least.whole)} in all{runs}."
    )


def holds_words(intervals: tuple[JobRisk, JobRisk]) -> str:
    """Return whether the verdict on two intervals holds with half or twice as many stops; "": no rule tells."""
    of_a = intervals[0]
    if of_a.rule_intervals is None or not all(risk.saves for risk in intervals):
        return ""
    between_s = of_a.model.mean_between_losses_s
    told, better = [], set()
    for words, factor in (("half", 2.0), ("twice", 0.5)):
        best_s = young_interval_s(of_a.pause_s, between_s * factor)
        least, a, b = (
            first_order_loss(interval_s, of_a.pause_s, between_s * factor).whole
            for interval_s in (best_s, *(risk.interval_s for risk in intervals))
        )
        better.add(a < b)
        told.append(
            f"with {words} as many stops {length(best_s)} is best; beside it A loses {percent(a - least)} more of the "
            f"time, and B {percent(b - least)} more"
        )
    loses = [risk.loss_at(risk.interval_s).whole for risk in intervals]
    holds = "It holds" if better == {loses[0] < loses[1]} else "It does not hold for all rates"
    return f"{holds}. {'. '.join(map(capitalised, told))}."


def writes_words(intervals: tuple[JobRisk, JobRisk] | None, step: JobStep | None, found: Comparison) -> str:
    """Return how often both write, and what a write asks of the store and drops of the power."""
    if intervals is None or any(not risk.saves or risk.pause_s <= 0.0 for risk in intervals):
        return ""
    said = []
    wrote = [
        _writes_a_day(samples, risk.pause_s) for samples, risk in zip(found.samples, intervals, strict=True)
    ]
    if all(wrote):
        a, b = (f"{times or 0.0:.0f}" for times in wrote)
        said.append(f"A wrote about {a} times a day, B {b} times, by the stall booked.")
    else:
        a, b = (f"{86400.0 / (risk.interval_s + risk.pause_s):.0f}" for risk in intervals)
        said.append(f"While it runs, A writes about {a} times a day, B {b} times.")
    if step is not None and step.checkpoint_bytes:
        pause_s = intervals[0].pause_s
        said.append(
            f"A write puts {step.checkpoint_bytes / 1e12:.2f} TB on the store in {length(pause_s)} "
            f"({step.checkpoint_bytes / pause_s / 1e9:,.0f} GB/s), and about "
            f"{amount(step.step_w - step.idle_w, 'power', 2)} of IT power falls off meanwhile."
        )
    return " ".join(said)


def _writes_a_day(samples: Sequence[Sample], pause_s: float) -> float | None:
    """Return how often a day the only job wrote, by what its writes took; None: unknown, or there are other jobs."""
    stall_s = days = 0.0
    for sample in samples:
        if sample.job is None or not sample.simulated_s:
            return None
        stall_s += sample.ledger_gpu_s.get("checkpoint_stall", 0.0) / sample.job.gpus
        days += sample.simulated_s / 86400.0
    return stall_s / pause_s / days if days else None


def rule_words(found: Comparison, intervals: tuple[JobRisk, JobRisk]) -> str:
    """Return what checkpoints and lost work come to in A and in B by the rule of first order, and where it is least."""
    of_a, of_b = intervals
    best = of_a.rule_intervals
    if best is None or not all(risk.saves for risk in intervals):
        return ""
    young_s, daly_s = map(length, best)
    between = length(of_a.model.mean_between_losses_s)
    return (
        f"The rule: {FIRST_ORDER}, with a pause w of {length(of_a.pause_s)} and M of {between} between stops, is "
        f"{first_order_words(of_a)} in A and {first_order_words(of_b)} in B; it is least at {young_s} (Young; Daly: "
        f"{daly_s}). {_ledger_words(found, intervals)}"
    ).strip()


def losses_seen(found: Comparison) -> list[float]:
    """Return the share of the time held that checkpoints and lost work took in A and in B [-]; none: unknown."""
    losses = []
    for ledger in found.ledgers_gpu_h:
        held = math.fsum(gpu_h for account, gpu_h in ledger.items() if account not in RESTING)
        if not held:
            return []
        losses.append(math.fsum(ledger.get(account, 0.0) for account in _CHECKPOINTS) / held)
    return losses


def _ledger_words(found: Comparison, intervals: tuple[JobRisk, JobRisk]) -> str:
    """Return what checkpoints and lost work took of the time held in both, beside the difference by the rule."""
    shares = []
    for ledger in found.ledgers_gpu_h:
        held = math.fsum(gpu_h for account, gpu_h in ledger.items() if account not in RESTING)
        if not held:
            return ""
        shares.append([ledger.get(account, 0.0) / held for account in _CHECKPOINTS])
    (stall_a, lost_a), (stall_b, lost_b) = shares
    of_a, of_b = (risk.loss_at(risk.interval_s).whole for risk in intervals)
    by_rule = of_a - of_b
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
