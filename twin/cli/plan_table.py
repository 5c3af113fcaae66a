"""Output of `twin plan` for people: its plans side by side, and their differences."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from twin.api.plan import PARTS
from twin.cli.tables import GAP, console, print_table

_DEGREES = (
    ("tp", "tensor"),
    ("pp", "pipeline"),
    ("cp", "context"),
    ("dp", "data"),
    ("ep", "expert"),
    ("v", "interleave"),
    ("m", "microbatch"),
)
Plan = Mapping[str, Any]


def part_seconds(plan: Plan, head: str) -> float:
    """Return the time of one column of `PARTS` in a plan [s]."""
    return float(sum(plan["parts"][name] for name in dict(PARTS)[head]))


def degrees(plans: Sequence[Plan]) -> tuple[str, list[str]]:
    """Return head and cells of a column with all degrees, each below its own name; ep only where some plan has it."""
    experts = any(plan["expert"] > 1 for plan in plans)
    shown = [(head, key) for head, key in _DEGREES if head != "ep" or experts]
    widths = [max(len(head), *(len(str(plan[key])) for plan in plans)) for head, key in shown]

    def line(texts: Sequence[str]) -> str:
        return " ".join(text.rjust(width) for text, width in zip(texts, widths, strict=True))

    return line([head for head, _ in shown]), [line([str(plan[key]) for _, key in shown]) for plan in plans]


def columns(plans: Sequence[Plan], width: int) -> list[tuple[str, list[str]]]:
    """Return heads and cells of the table, as wide as given at most: the smallest parts go into `other`.

    Parameters
    ----------
    plans
        As ``--json`` prints them, at least one.
    width
        Characters of a line.
    """
    saves = [_saves(plan) for plan in plans]
    first = [degrees(plans)]
    if any(saves):
        first.append(("saves by", saves))
    first.append(("step s", [f"{plan['step_s']:.3f}" for plan in plans]))
    last = [
        ("GB", [f"{plan['memory_bytes'] / 1e9:.1f}" for plan in plans]),
        ("MFU %", [f"{100 * plan['mfu']:.1f}" for plan in plans]),
    ]
    seconds = {head: [part_seconds(plan, head) for plan in plans] for head, _ in PARTS}
    seconds = {head: times for head, times in seconds.items() if any(times)}
    rest = seconds.pop("other", [0.0] * len(plans))
    while True:
        parts = [(head, [f"{time:.2f}" for time in times]) for head, times in seconds.items()]
        if any(rest):
            parts.append(("other", [f"{time:.2f}" for time in rest]))
        found = [*first, *parts, *last]
        small = min(
            (head for head in seconds if head != "compute"), key=lambda name: max(seconds[name]), default=""
        )
        unseen = small and max(seconds[small]) < 0.005
        if not small or (not unseen and _width(found) <= width):
            return found
        rest = [a + b for a, b in zip(rest, seconds.pop(small), strict=True)]


def _width(table: Sequence[tuple[str, Sequence[str]]]) -> int:
    return sum(max(len(head), *map(len, cells)) + GAP for head, cells in table) - GAP


def _saves(plan: Plan) -> str:
    """Return the measures by which a plan saves memory at the cost of time."""
    words = [plan["recompute"]] if plan["recompute"] != "none" else []
    return ", ".join([*words, *(["FSDP"] if plan["sharding"] == "weights" else [])])


def difference(plan: Plan, best: Plan) -> str:
    """Return the differences of a plan from the best one, and their cost."""
    named = [*_DEGREES, ("recompute", "recompute"), ("sharding", "sharding")]
    changed = [f"{head} {best[key]} -> {plan[key]}" for head, key in named if plan[key] != best[key]]
    return (
        f"{', '.join(changed)}: slower by {plan['step_s'] - best['step_s']:.2f} s, {plan['slower_because']}"
    )


def print_plans(plans: Sequence[Plan]) -> None:
    """Print the plans as a table, and below it the differences of each from the best."""
    width = console().width
    table = columns(plans, width)
    rows = zip(*(cells for _, cells in table), strict=True)
    print_table([head for head, _ in table], rows, right=len(table) - 1)
    print()
    for plan in plans[1:]:
        print(textwrap.fill(difference(plan, plans[0]), width, subsequent_indent="    "))
