"""What two runs cost in the report of a comparison: which to take, and the sum of the time compared and of a year."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from twin import units
from twin.analysis.compare import Comparison, Sample
from twin.analysis.money_comparison import (
    ComparedAmount,
    Range,
    amount_words,
    compared_amount,
    money_verdict,
    row_cells,
)
from twin.analysis.run_mismatch import lengths_apart
from twin.analysis.significance import judged
from twin.analysis.whole_job import WholeJob
from twin.economics.price_draws import SAMPLES
from twin.planning.risk.risk import JobRisk
from twin.report.comparison.checkpoints import WON
from twin.report.comparison.way import gpu_time, gpu_time_unit, way_steps
from twin.report.comparison.words import FEW_SEEDS, effect, has_many, known
from twin.report.markup import Child, Markup, joined, table, tag
from twin.report.range_bars import RangeDot
from twin.report.words import amount, length, percent
from twin.scenario.schema.document import Scenario

_NO_BOOKS = "What they cost is not known: one of the runs is not over, has done no work, or has no prices."
_UNITS = {"gpu_h_productive": "productive GPU-h", "pflop_day": "PFLOP-day"}
_OF_WORK: tuple[tuple[str, str, str, float], ...] = (
    ("energy_j", "Facility energy", "kWh", 1.0 / 3.6e6),
    ("carbon_kg", "Carbon", "kg", 1.0),
)
"""What a PFLOP-day takes besides money: figure, title, unit, and how many of it are one of the figure."""
_YEAR_S = 365.0 * 86400.0
RUN_FIRST = "Recommendation: run both to the end of the job first, with --until; this part does not decide."
_SIGNS = "+\N{MINUS SIGN}"


_WORTH = 0.02
"""Part of the largest price below which another is not told."""


def better(found: Comparison, decides: str = "", waits: str = "") -> Child:
    """Return which is better by money, by figures where money is not known, what decides, and what to do.

    `waits`: why the time that was run does not stand for the whole job, so that nothing is to be done yet.
    """
    lead = (
        f"{_NO_BOOKS} By its figures: {effect(found)}" if found.money is None else money_verdict(found.money)
    )
    return [
        lead,
        " ",
        tag("b", f"{decides} ") if decides else None,
        tag("b", RUN_FIRST if waits else recommendation(found)),
    ]


def decisive_words(found: Comparison) -> str:
    """Return what the work that A does in a year costs more or less in B; "": unknown, or the same.

    What is owned costs the same however much it does, so that the bill of a year alone decides nothing.
    """
    work = same_work(found)
    if work is None or work[1].same:
        return ""
    gpu_h, row = work
    return f"For the work that A does in a year ({amount(gpu_h, 'gpu_hours', 3)} productive) B costs {more_words(row)}."


def more_words(row: ComparedAmount, named: bool = True) -> str:
    """Return how much more or less of an amount B has, with the range of that; `named`: say what range it is.

    Examples
    --------
    "4.6 d more (P5 to P95: +1.8 to +7.4)"
    """
    words = amount_words(row)
    if row.same:
        return f"as much, {words.a} {words.unit}"
    word = "more" if row.apart[1] > 0.0 else "less"
    spread = f" ({'P5 to P95: ' if named else ''}{words.spread})" if words.spread else ""
    return f"{words.apart.lstrip(_SIGNS)} {words.unit} {word}{spread}"


def same_work(found: Comparison) -> tuple[float, ComparedAmount] | None:
    """Return the productive GPU-hours of A in a year, and what they cost in A and B; None: unknown."""
    money, length_s = found.money, _common_s(found)
    done = found.ledgers_gpu_h[0].get("productive", 0.0)
    if money is None or length_s is None or money.unit.key != "gpu_h_productive" or not done:
        return None
    gpu_h = done * _YEAR_S / length_s
    a, b, apart = (_times(values, gpu_h) for values in (money.unit.a, money.unit.b, money.unit.apart))
    title = "The work of A in a year, done in each"
    return gpu_h, replace(money.unit, key="same_work", title=title, a=a, b=b, apart=apart)


def price_words(found: Comparison, intervals: tuple[JobRisk, JobRisk] | None) -> str:
    """Return what the better one pays for it, and whether a still better one is known."""
    chosen = chosen_of(found)
    if not chosen:
        return "Neither is better."
    sign = 1.0 if chosen == "B" else -1.0
    pays = [step for step in way_steps(found) if not step.by_number and sign * step.gpu_h < 0.0][:2]
    pays = [step for step in pays if abs(step.gpu_h) >= _WORTH * abs(pays[0].gpu_h)]
    unit = gpu_time_unit(found)
    named = " and ".join(
        f"{step.title} ({gpu_time(abs(step.gpu_h), unit)} {unit}{'' if unit == 'GPU-h' else ' of its GPU time'} more)"
        for step in pays
    )
    price = (
        f"{chosen} pays with {named}, which is in its cost."
        if pays
        else f"{chosen} has nothing more than the other: no price."
    )
    best = intervals[0].rule_intervals if intervals is not None else None
    if intervals is None or best is None:
        return f"{price} Whether something is still better these two runs do not tell."
    own = intervals["AB".index(chosen)]
    if not own.saves:
        return f"{price} By Young's rule the best interval is {length(best[0])}; {chosen} never saves."
    left = own.loss_at(own.interval_s).whole - own.loss_at(best[0]).whole
    more = (
        "nothing more to win by it" if left < WON else f"the best one wins {percent(left)} more of the time"
    )
    return (
        f"{price} By Young's rule the best interval is {length(best[0])}; {chosen} saves every "
        f"{length(own.interval_s)}: {more}."
    )


def _common_s(found: Comparison) -> float | None:
    """Return for how long both were simulated [s]; None: unknown, or not as long as each other."""
    if found.simulated_s is None or lengths_apart(*found.simulated_s):
        return None
    return found.simulated_s[0]


def chosen_of(found: Comparison) -> str:
    """Return which is better, by money where that is known, else by goodput; "": neither."""
    if found.money is not None:
        return found.money.unit.cheaper
    goodput = next((figure for figure, _ in known(found) if figure.key == "goodput"), None)
    return ("A", "", "B")[judged(goodput, found).better + 1] if goodput is not None else ""


def recommendation(found: Comparison) -> str:
    """Return what to do: keep A, change to B, or neither where the runs do not tell them apart."""
    count = len(found.seeds)
    many = has_many(found)
    runs = f"{count} seeds show" if many else "one run of each shows"
    chosen = chosen_of(found)
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
    if scenes is None or not is_part(found, scenes):
        return of_a
    return f"{of_a} of the {units.spoken(scenes[0].duration_s)} of the scene"


def is_part(found: Comparison, scenes: tuple[Scenario, Scenario] | None) -> bool:
    """Return whether both were simulated for the same part of two scenes of one length."""
    if found.simulated_s is None or scenes is None:
        return False
    wholes = {units.spoken(scene.duration_s) for scene in scenes}
    return len(wholes) == 1 and set(map(units.spoken, found.simulated_s)).isdisjoint(wholes)


def money_table(found: Comparison, whole: WholeJob | None) -> Markup:
    """Return what both cost, in the time compared and in a year, with the range of the difference.

    `whole`: the job until it is done, which stands there instead of a year; None: its end is unknown.
    """
    if found.money is None:
        return tag("p", _NO_BOOKS)
    money, length_s = found.money, _common_s(found)
    total = money.total
    if length_s is not None:
        total = replace(total, title=f"Cost of the run of {units.spoken(length_s)}")
    rows = [money.unit, *work_amounts(found), total, money.lost]
    if whole is None and (work := same_work(found)) is not None:
        rows.insert(1, work[1])
    if whole is None and length_s is not None:
        rows.append(replace(_of_year(money.total, length_s), title="Cost of a year at this rate"))
        rows.append(replace(_of_year(money.lost, length_s), title="Of it, not productive, in a year"))
    note = (
        f"A and B: P50 of {money.draws:,} draws of the prices, the same for both"
        f"{', means over the seeds' if money.seeds > 1 else ''}. B \N{MINUS SIGN} A: median of the paired "
        "differences, which need not be B less A as printed; their range is over "
        f"{'prices and the luck of the seeds' if money.seeds > 1 else 'the prices alone'}. "
        "Capital counts by its life, for the time of the run; a lower cost of the run is better only for the same work."
        f"{' A year at this rate: the run, repeated for 365 days.' if whole is None and length_s is not None else ''}"
    )
    columns = ("", "A", "B", "B \N{MINUS SIGN} A", "P5 to P95")
    return joined([table(columns, map(row_cells, rows), right=4), tag("p", note, class_="note")])


def work_amounts(found: Comparison) -> list[ComparedAmount]:
    """Return what a PFLOP-day takes besides money, where the work of A and B is counted so: energy and carbon."""
    if found.money is None or found.money.unit.key != "pflop_day":
        return []
    rows = []
    for key, title, unit, one in _OF_WORK:
        sides = [_of_work(samples, key) for samples in found.samples]
        if all(side is not None for side in sides):
            a, b = (np.repeat(one * np.array(side)[:, None], SAMPLES, axis=1) for side in sides)
            rows.append(compared_amount(key, f"{title} of a PFLOP-day", a, b, unit))
    return rows


def _of_work(samples: tuple[Sample, ...], key: str) -> list[float] | None:
    """Return a figure of each run over its PFLOP-days; None: it is unknown of one."""
    found = []
    for sample in samples:
        value = sample.figures.get(key)
        if value is None or sample.cost is None or not sample.cost.pflop_days:
            return None
        found.append(value / sample.cost.pflop_days)
    return found


def _of_year(amount: ComparedAmount, simulated_s: float) -> ComparedAmount:
    """Return an amount of a run as that of a year at its rate."""
    a, b, apart = (_times(values, _YEAR_S / simulated_s) for values in (amount.a, amount.b, amount.apart))
    return replace(amount, a=a, b=b, apart=apart)


def _times(values: Range, factor: float) -> Range:
    low, middle, high = values
    return low * factor, middle * factor, high * factor


def money_dots(found: Comparison) -> list[RangeDot]:
    """Return the differences of what a unit of work costs and takes in percent of A; none where they are unknown."""
    if found.money is None:
        return []
    unit = found.money.unit
    rows = [(f"Cost per {_UNITS[unit.key]}", unit)]
    rows += [(f"{row.title.partition(' of ')[0]} per PFLOP-day", row) for row in work_amounts(found)]
    dots = []
    for name, row in rows:
        if not row.same:
            words = amount_words(row)
            low, middle, high = (100.0 * value / abs(row.a[1]) for value in row.apart)
            dots.append(RangeDot(name, low, middle, high, f"{words.apart} {words.unit}", bool(row.cheaper)))
    return dots
