"""From the GPU time of A to that of B: a waterfall, its accounts, and what checkpoints cost and save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from twin.analysis.account_words import INSTALLED, account_title, step_title
from twin.analysis.branch_changes import interval_in_words
from twin.analysis.compare import Comparison, DesignWaterfall, WaterfallStep
from twin.plant.build import build
from twin.report.charts import Bar, waterfall
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.words import percent, rounded
from twin.scenario.file.diff import Difference as Other
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.text.path import split

_LEAST = 0.002
"""Share of the largest step of a waterfall below which steps are drawn together."""
_CHECKPOINTS = ("checkpoint_stall", "lost_work")
_COLOURS = (
    ("a", "A, and steps that remove productive time in B"),
    ("b", "B, and steps that add productive time in B"),
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


def way(found: Comparison) -> Markup:
    """Return the waterfall from the productive time of A to that of B, and its accounts in both."""
    from_a = found.waterfall
    steps, rest = _steps(from_a)
    at = from_a.a_gpu_h
    a, b = found.ledgers_gpu_h
    bars = [Bar("productive in A", 0.0, at, f"{rounded(at)} GPU-h", "a")]
    rows: list[tuple[Child, ...]] = []
    for step in steps:
        title = step_title(step.account, step.gpu_h)
        bars.append(_bar(title, at, step.gpu_h))
        of = ("", "") if step.account == INSTALLED else (_hours(a, step.account), _hours(b, step.account))
        rows.append((title, *of, number(step.gpu_h, signed(step.gpu_h))))
        at += step.gpu_h
    more = sum(step.gpu_h for step in rest)
    if rest and abs(more) >= 0.05:
        title = f"{len(rest)} smaller one{'s' * (len(rest) != 1)}"
        bars.append(_bar(title, at, more))
        rows.append((title, "", "", number(more, signed(more))))
    bars.append(Bar("productive in B", 0.0, from_a.b_gpu_h, f"{rounded(from_a.b_gpu_h)} GPU-h", "b"))
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
        ]
    )


def way_words(from_a: DesignWaterfall) -> str:
    """Return by how much productive time differs, and by which accounts."""
    steps, _ = _steps(from_a)
    if not steps:
        return "There is none: every account of GPU time is the same."
    largest = ", ".join(
        f"{step_title(step.account, step.gpu_h)} ({signed(step.gpu_h)})" for step in steps[:3]
    )
    apart = from_a.b_gpu_h - from_a.a_gpu_h
    of = f", {percent(abs(apart) / from_a.a_gpu_h)} of A" if from_a.a_gpu_h else ""
    return f"Productive time differs by {signed(apart)} GPU-h{of}. What the largest accounts add to it: {largest}."


def signed(gpu_h: float) -> str:
    """Return a change of GPU time with its sign."""
    return f"{'+' if gpu_h >= 0 else chr(0x2212)}{rounded(abs(gpu_h))}"


def _hours(ledger: Mapping[str, float], account: str) -> Child:
    gpu_h = ledger.get(account)
    return "" if gpu_h is None else number(gpu_h, rounded(gpu_h))


def _steps(from_a: DesignWaterfall) -> tuple[list[WaterfallStep], list[WaterfallStep]]:
    """Return the steps that are drawn, and those too small for it."""
    least = _LEAST * max((abs(step.gpu_h) for step in from_a.steps), default=0.0)
    return (
        [step for step in from_a.steps if abs(step.gpu_h) >= least],
        [step for step in from_a.steps if abs(step.gpu_h) < least],
    )


def _bar(title: str, at: float, gpu_h: float) -> Bar:
    return Bar(title, at, at + gpu_h, signed(gpu_h), "b" if gpu_h >= 0 else "a")
