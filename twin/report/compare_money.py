"""What two runs cost in the report of a comparison: which to take, and the sum of the time compared and of a year."""

from __future__ import annotations

from dataclasses import replace

from twin import units
from twin.analysis.compare import Comparison
from twin.analysis.money_comparison import ComparedAmount, Range, money_verdict, row_cells
from twin.analysis.run_mismatch import lengths_apart
from twin.analysis.significance import judged
from twin.report.compare_words import FEW_SEEDS, effect, has_many, known
from twin.report.markup import Child, Markup, joined, table, tag
from twin.report.range_bars import RangeDot
from twin.scenario.schema.document import Scenario

_NO_BOOKS = "What they cost is not known: one of the runs is not over, has done no work, or has no prices."
_UNITS = {"gpu_h_productive": "productive GPU-h", "pflop_day": "PFLOP-day"}
_LONG_HEAD = 30
"""Letters of a head above which a column has its letter alone."""
_YEAR_S = 365.0 * 86400.0
_SIGNS = "+\N{MINUS SIGN}"


_NEARLY = 0.25
"""The bill of a year is nearly the same where it differs by less than this part of what is spent without work."""


def better(found: Comparison, year: bool = False) -> Child:
    """Return which is better by money, by figures where money is not known, and what to do; `year`: what decides."""
    lead = (
        f"{_NO_BOOKS} By its figures: {effect(found)}" if found.money is None else money_verdict(found.money)
    )
    decides = decisive_words(found) if year else ""
    return [lead, " ", tag("b", f"{decides} ") if decides else None, tag("b", recommendation(found))]


def decisive_words(found: Comparison) -> str:
    """Return how much more is spent in a year without work in one of them, beside the bill of both; "": unknown.

    What is owned costs the same however much it does, so that the bill alone decides nothing.
    """
    money, length_s = found.money, _common_s(found)
    if money is None or length_s is None or money.lost.same:
        return ""
    lost, total = (_of_year(amount, length_s) for amount in (money.lost, money.total))
    _, _, _, more, spread = row_cells(lost)
    _, _, _, bill, _ = row_cells(total)
    wastes = "B" if lost.apart[1] > 0.0 else "A"
    unit, unit_bill = (row_cells(row)[0].rpartition(", ")[2] for row in (lost, total))
    nearly = abs(total.apart[1]) < _NEARLY * abs(lost.apart[1])
    of_bill = (
        "is the same" if total.same else f"{'differs by' if nearly else 'is apart by'} {bill} {unit_bill}"
    )
    because = ", for most of it is owned, busy or not" if nearly else ""
    return (
        f"In a year at this rate {wastes} spends {more.lstrip(_SIGNS)} {unit} more on GPU time that is not "
        f"productive (B \N{MINUS SIGN} A, P5 to P95: {spread}), while the whole bill {of_bill}{because}."
    )


def _common_s(found: Comparison) -> float | None:
    """Return for how long both were simulated [s]; None: unknown, or not as long as each other."""
    if found.simulated_s is None or lengths_apart(*found.simulated_s):
        return None
    return found.simulated_s[0]


def recommendation(found: Comparison) -> str:
    """Return what to do: keep A, change to B, or neither where the runs do not tell them apart."""
    count = len(found.seeds)
    many = has_many(found)
    runs = f"{count} seeds show" if many else "one run of each shows"
    if found.money is not None:
        chosen = found.money.unit.cheaper
    else:
        goodput = next((figure for figure, _ in known(found) if figure.key == "goodput"), None)
        chosen = ("A", "", "B")[judged(goodput, found).better + 1] if goodput is not None else ""
    advice = {"A": "keep A", "B": "change to B", "": f"keep A, for there is no difference that {runs}"}[
        chosen
    ]
    if not many:
        return f"Recommendation: {advice}; one run of each says nothing of chance: repeat with --seeds 20."
    wide = f" ({count} seeds: wide; repeat with --seeds 20)" if count < FEW_SEEDS else f" ({count} seeds)"
    return f"Recommendation: {advice}{wide}."


def length_words(found: Comparison, scenes: tuple[Scenario, Scenario] | None) -> str:
    """Return for how long both were simulated, and how long the scene is; "": unknown.

    Examples
    --------
    "6 d of the 54 d of the scene"
    """
    if found.simulated_s is None:
        return ""
    of_a, of_b = map(units.spoken, found.simulated_s)
    if of_a != of_b:
        return f"A {of_a}, B {of_b}"
    wholes = {units.spoken(scene.duration_s) for scene in scenes or ()}
    return f"{of_a} of the {wholes.pop()} of the scene" if len(wholes) == 1 and wholes != {of_a} else of_a


def money_table(found: Comparison, heads: tuple[str, str]) -> Markup:
    """Return what both cost, in the time compared and in a year, with the range of the difference."""
    if found.money is None:
        return tag("p", _NO_BOOKS)
    money, length_s = found.money, _common_s(found)
    total = money.total
    if length_s is not None:
        total = replace(total, title=f"Cost of the run of {units.spoken(length_s)}")
    rows = [money.unit, total, money.lost]
    if length_s is not None:
        rows.append(replace(_of_year(money.total, length_s), title="Cost of a year at this rate"))
        rows.append(replace(_of_year(money.lost, length_s), title="Of it, not productive, in a year"))
    note = (
        f"A and B: P50 of {money.draws:,} draws of the prices, the same for both"
        f"{', means over the seeds' if money.seeds > 1 else ''}. B \N{MINUS SIGN} A is the median of the paired "
        "differences, draw by draw, with their range: it need not be B less A as printed. The range holds "
        f"{'prices and what the seeds leave open' if money.seeds > 1 else 'the prices alone'}. "
        "Capital counts by its life, for the time of the run; a lower cost of the run is better only for the same work."
        f"{' A year at this rate: the run, repeated for 365 days.' if length_s is not None else ''}"
    )
    short = (head if len(head) <= _LONG_HEAD else head[:1] for head in heads)
    columns = ("", *short, "B \N{MINUS SIGN} A, median", "P5 to P95")
    return joined([table(columns, map(row_cells, rows), right=4), tag("p", note, class_="note")])


def _of_year(amount: ComparedAmount, simulated_s: float) -> ComparedAmount:
    """Return an amount of a run as that of a year at its rate."""
    a, b, apart = (_times(values, _YEAR_S / simulated_s) for values in (amount.a, amount.b, amount.apart))
    return replace(amount, a=a, b=b, apart=apart)


def _times(values: Range, factor: float) -> Range:
    low, middle, high = values
    return low * factor, middle * factor, high * factor


def money_dot(found: Comparison) -> RangeDot | None:
    """Return the difference of the cost of a unit of work in percent of A; None: unknown, or the same."""
    if found.money is None or found.money.unit.same:
        return None
    row = found.money.unit
    title, _, _, middle, _ = row_cells(row)
    usd = title.rpartition(", ")[2]
    name = f"Cost per {_UNITS[row.key]}"
    low, percent, high = (100.0 * value / abs(row.a[1]) for value in row.apart)
    return RangeDot(name, low, percent, high, f"{middle} {usd}", bool(row.cheaper))
