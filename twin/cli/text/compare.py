"""A comparison as text for people: a table of figures, the ledger waterfall, and the significant differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from twin.analysis.compare import Comparison, DesignWaterfall
    from twin.analysis.figures import ComparedFigure
    from twin.analysis.money_comparison import MoneyComparison

_LEAST = 0.0005
"""Share of the largest step of a waterfall below which steps are told together."""


def print_comparison(names: tuple[str, str], found: Comparison) -> None:
    """Print the comparison, under the given names of A and B."""
    from twin.analysis.figures import FIGURES
    from twin.analysis.money_comparison import money_verdict
    from twin.analysis.significance import verdict
    from twin.cli.tables import console, print_table

    show = console().print
    seeds = found.seeds
    many = any(difference.paired is not None for difference in found.differences.values())
    for side, name in zip("AB", names, strict=True):
        show(f"{side}: {name}", markup=False, soft_wrap=True)
    runs_words = (
        f"Means of {len(seeds)} runs of each, seeds {seeds[0]} to {seeds[-1]}"
        if many
        else f"One run of each, seed {' and '.join(map(str, seeds))}"
    )
    show(f"{runs_words}\n", markup=False)
    if found.money is not None:
        show(f"{money_verdict(found.money)}\n", markup=False)
    for remark in found.remarks:
        show(f"{remark}\n", markup=False)
    spread = ("paired ±", "unpaired ±", "seeds + / -") if many else ()
    rows = [
        (figure.title, *_cells(figure, found, many)) for figure in FIGURES if figure.key in found.differences
    ]
    print_table(("", "A", "B", "B - A", *spread, ""), rows, right=4 + len(spread))
    if many:
        show("seeds + / -: with how many seeds the figure is higher and lower in B", markup=False)
    show("")
    if found.money is not None:
        _print_money(found.money)
    _print_way(found.waterfall)
    show("")
    show(verdict(found), markup=False)


def _cells(figure: ComparedFigure, found: Comparison, many: bool) -> tuple[str, ...]:
    from twin.analysis.figure_words import apart_words, value_words
    from twin.analysis.significance import judged, seeds_words

    difference = found.differences[figure.key]
    cells = [value_words(figure, value, difference.size) for value in (difference.a, difference.b)]
    cells.append(apart_words(figure, difference.difference, like=difference.size))
    if many:
        halves = (difference.paired, difference.unpaired)
        cells += ["" if half is None else apart_words(figure, half, "-", difference.size) for half in halves]
        cells.append(seeds_words(difference))
    return (*cells, judged(figure, found).words)


def _print_money(found: MoneyComparison) -> None:
    """Print what both cost."""
    from twin.analysis.money_comparison import row_cells
    from twin.cli.tables import console, print_table

    rows = [row_cells(row) for row in found.rows]
    print_table(("money, P50 of the prices", "A", "B", "median of B - A", "P5 to P95"), rows, right=4)
    console().print("")


def _print_way(way: DesignWaterfall) -> None:
    """Print the steps from A to B; the least of them together."""
    from twin.analysis.account_words import step_title
    from twin.cli.tables import print_table

    largest = max((abs(step.gpu_h) for step in way.steps), default=0.0)
    shown = [step for step in way.steps if abs(step.gpu_h) >= _LEAST * largest]
    rest = sum(step.gpu_h for step in way.steps) - sum(step.gpu_h for step in shown)
    rows = [("productive in A", f"{way.a_gpu_h:,.1f}")]
    rows += [(f"  {step_title(step.account, step.gpu_h)}", f"{step.gpu_h:+,.1f}") for step in shown]
    rested = len(way.steps) - len(shown)
    if rested and f"{abs(rest):.1f}" != "0.0":
        rows.append((f"  {rested} smaller one{'s' * (rested != 1)}", f"{rest:+,.1f}"))
    rows.append(("productive in B", f"{way.b_gpu_h:,.1f}"))
    print_table(("where the GPU time went", "GPU-hours"), rows, right=1)
