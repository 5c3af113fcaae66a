"""A comparison as text for people: a table of figures, the way of the ledger, and what is beyond chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from twin.analysis.compare import Comparison, Figure, Waterfall
    from twin.analysis.paired import Difference

_LEAST = 0.0005
"""Share of the largest step of a waterfall below which steps are told together."""


def print_comparison(names: tuple[str, str], found: Comparison) -> None:
    """Print it; `names` are those of A and B."""
    from twin.analysis.compare import FIGURES, verdict
    from twin.cli.tables import console, print_table

    show = console().print
    seeds = found.seeds
    many = any(one.paired is not None for one in found.differences.values())
    said = (
        f"{len(seeds)} seeds, {seeds[0]} to {seeds[-1]}" if many else f"seed {' and '.join(map(str, seeds))}"
    )
    show(f"A: {names[0]}   B: {names[1]}   {said}\n", markup=False, soft_wrap=True)
    for remark in found.remarks:
        show(f"{remark}\n", markup=False)
    heads = ("", "A", "B", "B - A", *(("paired ±", "unpaired ±", "") if many else ()))
    rows = []
    for figure in FIGURES:
        one = found.differences.get(figure.key)
        if one is not None:
            rows.append((figure.title, *_cells(figure, one, many)))
    print_table(heads, rows, right=len(heads) - 1)
    show("")
    _print_way(found.waterfall)
    show("")
    show(verdict(found), markup=False)


def _cells(figure: Figure, one: Difference, many: bool) -> tuple[str, ...]:
    from twin.analysis.figure_words import apart_words, value_words

    cells = [value_words(figure, one.a), value_words(figure, one.b), apart_words(figure, one.difference)]
    if many:
        widths = [
            "" if half is None else apart_words(figure, half, "-") for half in (one.paired, one.unpaired)
        ]
        mark = "*" if one.beyond_chance and one.difference else ""
        cells += [*widths, mark]
    return tuple(cells)


def _print_way(way: Waterfall) -> None:
    """Print the steps from A to B; the least of them together."""
    from twin.analysis.account_words import account_title
    from twin.cli.tables import print_table

    largest = max((abs(step.gpu_h) for step in way.steps), default=0.0)
    shown = [step for step in way.steps if abs(step.gpu_h) >= _LEAST * largest]
    rest = sum(step.gpu_h for step in way.steps) - sum(step.gpu_h for step in shown)
    rows = [("productive in A", f"{way.a_gpu_h:,.1f}")]
    for step in shown:
        title = "more GPUs, or longer" if step.account == "installed" else account_title(step.account)
        rows.append((f"  {title}", f"{step.gpu_h:+,.1f}"))
    rested = len(way.steps) - len(shown)
    if rested and f"{abs(rest):.1f}" != "0.0":
        rows.append((f"  {rested} smaller one{'s' * (rested != 1)}", f"{rest:+,.1f}"))
    rows.append(("productive in B", f"{way.b_gpu_h:,.1f}"))
    print_table(("where the GPU time went", "GPU-hours"), rows, right=1)
