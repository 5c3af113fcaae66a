"""The whole job of two runs in the report of their comparison: when it is done, at what cost, and with which range."""

from __future__ import annotations

from datetime import datetime, timedelta

from twin.analysis.compare import Comparison
from twin.analysis.money_comparison import amount_words, row_cells
from twin.analysis.money_words import usd_unit
from twin.analysis.whole_job import DAY_S, Ends, JobAmounts, OneJob, WholeJob
from twin.planning.risk.risk import JobRisk
from twin.report.comparison.chance import runs_words
from twin.report.comparison.job import ComparedJob
from twin.report.comparison.money import more_words
from twin.report.markup import Child, Markup, joined, table, tag
from twin.report.run_wins import poisson_tail
from twin.report.words import amount, length, rounded
from twin.scenario.schema.document import Scenario
from twin.shown_text import inner

_MINUS = "\N{MINUS SIGN}"
_SHORT = 0.01
"""Share of the hours without a spare from which on a job waits for nodes."""
_LATER = 2.0
"""So many times as often in the whole job as in the stretch: the stretch does not show it."""


def whole_words(job: ComparedJob, scenes: tuple[Scenario, Scenario]) -> str:
    """Return when the whole job is done in A and B, and what more it takes in B; "": nothing tells its end."""
    whole = job.whole
    if whole is None:
        return ""
    taken = whole.expected or whole.seen
    days = taken.days
    ends = [
        f"on {end.day} {end:%B %Y} in {side}, after {rounded(middle, 3)} d"
        for side, (_, middle, _), end in zip("AB", (days.a, days.b), whole_ends(whole, scenes), strict=True)
    ]
    what = f"All {amount(job.tokens, 'tokens', 3)} are trained" if job.tokens else "The job is done"
    if whole.expected is not None:
        what = f"With as many stops as the failure rates give, {inner(what)}"
    return f"{what} {ends[0]}, and {ends[1]}: in B that {taken_words(taken)}."


def whole_ends(whole: WholeJob, scenes: tuple[Scenario, Scenario]) -> tuple[datetime, datetime]:
    """Return when the whole job is done in A and in B, with the mean stops where these are known."""
    of_a, of_b = (
        scene.start + timedelta(seconds=until_s)
        for scene, until_s in zip(scenes, whole_s(whole), strict=True)
    )
    return of_a, of_b


def taken_words(taken: JobAmounts) -> str:
    """Return what more or less the whole job takes in B, as the end of a sentence; the first range says what it is."""
    said, named = [], True
    for verb, row in (("takes", taken.days), ("costs", taken.cost), ("draws", taken.energy)):
        if row is not None:
            said.append(f"{verb} {more_words(row, named)}")
            named = named and not amount_words(row).spread
    return f"{', '.join(said[:-1])} and {said[-1]}" if len(said) > 1 else said[0]


def drawn_amounts_words(whole: WholeJob | None) -> str:
    """Return what the whole job takes in B with the stops that the seeds drew, and why not to decide by it.

    "": that is told already.
    """
    if whole is None or whole.expected is None:
        return ""
    return (
        f"Decide by this. With the stops as the runs drew them B {taken_words(whole.seen)}, which still has the luck "
        "of their number in it."
    )


def later_waits(risks: tuple[JobRisk, JobRisk] | None, stretch_s: float, whole_s: tuple[float, float]) -> str:
    """Return where spares run out after a stretch, so that it does not stand for the whole; "": nowhere.

    Of repairs that do not wait for each other the number of nodes in repair is Poisson.
    """
    said = []
    for side, risk, until_s in zip("AB", risks or (), whole_s, strict=False):
        model = risk.model
        within, later = (model.in_repair_within(time_s) for time_s in (stretch_s, until_s))
        short, often = (poisson_tail(model.spares + 1, mean) if mean else 0.0 for mean in (within, later))
        if often > _SHORT and often > _LATER * short:
            said.append(
                f"{side} has {model.spares} spare nodes, and {rounded(within, 2)} are in repair in the mean of "
                f"{length(stretch_s)}, {rounded(later, 2)} in that of {rounded(until_s / DAY_S, 3)} d"
            )
    why = "; ".join(said)
    return (
        f"{length(stretch_s)} do not stand for the whole job: {why}. Waits for nodes come later."
        if said
        else ""
    )


def job_table(whole: WholeJob, one: OneJob | None, found: Comparison) -> Markup:
    """Return what the whole job takes in A and B with the mean stops, and between what one such job lies."""
    taken = whole.expected or whole.seen
    columns = ["", "A", "B", f"B {_MINUS} A", "P5 to P95"]
    rows: list[list[Child]] = []
    ranges = (None, None, None) if one is None else (one.days, one.usd, one.energy_gwh)
    for row, ends in zip((taken.days, taken.cost, taken.energy), ranges, strict=True):
        if row is None:
            continue
        title, of_a, of_b, apart, spread = row_cells(row)
        cells: list[Child] = [title, of_a, of_b, tag("b", apart), tag("b", spread)]
        if one is not None:
            scale = 1.0 if row.unit else usd_unit(max(row.a[1], row.b[1]))[0]
            cells += ["", ""] if ends is None else [_ends_words(end, scale) for end in ends]
        rows.append(cells)
    if one is not None:
        columns += ["one job in A", "one job in B"]
    return joined(
        [table(columns, rows, right=len(columns) - 1), tag("p", _job_note(whole, one, found), class_="note")]
    )


def _ends_words(ends: Ends, scale: float) -> str:
    """Return P5 and P95 in three digits."""
    return " to ".join(rounded(end / scale, 3) for end in ends)


def _job_note(whole: WholeJob, one: OneJob | None, found: Comparison) -> str:
    """Return what the columns of the table are."""
    seeds = len(found.seeds)
    runs = runs_words(seeds)
    stops = (
        "with the stops drawn"
        if whole.expected is None
        else "with the mean number of stops that the failure rates give while the job has all its nodes"
    )
    own = "" if whole.expected is None else "; the report of one run goes on at the pace of that run alone"
    said = [
        f"A and B go on at the rate of kept steps, mean power and cost by time of {runs} until the job is done, "
        f"{stops}{own}.",
        f"B {_MINUS} A, to decide by, over prices and the luck of the seeds, paired."
        if seeds > 1
        else f"B {_MINUS} A, over prices alone: there is one run of each.",
    ]
    if one is not None:
        said.append(
            f"One job: P5 to P95 of {one.draws} draws of its failures, its cost over these and the prices together; "
            f"the pace is that of {runs}."
        )
    return " ".join(said)


def whole_s(whole: WholeJob) -> tuple[float, float]:
    """Return how long the whole job takes in A and in B, with the mean stops where these are known [s]."""
    days = (whole.expected or whole.seen).days
    return days.a[1] * DAY_S, days.b[1] * DAY_S
