"""The whole job of two runs in the report of their comparison: when it is done, at what cost, and with which range."""

from __future__ import annotations

from datetime import timedelta

from twin.analysis.compare import Comparison
from twin.analysis.money_comparison import row_cells
from twin.analysis.whole_job import DAY_S, JobAmounts, WholeJob
from twin.planning.risk.risk import JobRisk
from twin.report.comparison.job import ComparedJob
from twin.report.comparison.money import amount_columns, more_words
from twin.report.end_range import range_by_draws
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
        for side, (_, middle, _), scene in zip("AB", (days.a, days.b), scenes, strict=True)
        for end in (scene.start + timedelta(days=middle),)
    ]
    what = f"All {amount(job.tokens, 'tokens', 3)} are trained" if job.tokens else "The job is done"
    if whole.expected is not None:
        what = f"With as many stops as the failure rates give, {inner(what)}"
    return f"{what} {ends[0]}, and {ends[1]}: in B {taken_words(taken)}."


def taken_words(taken: JobAmounts) -> str:
    """Return what more or less the whole job takes in B, as the end of a sentence."""
    said = [f"that takes {more_words(taken.days, named=False)}"]
    if taken.cost is not None:
        said.append(f"costs {more_words(taken.cost, named=False)}")
    if taken.energy is not None:
        said.append(f"draws {more_words(taken.energy, named=False)}")
    return f"{', '.join(said[:-1])} and {said[-1]}" if len(said) > 1 else said[0]


def drawn_amounts_words(whole: WholeJob | None) -> str:
    """Return what the whole job takes in B with the stops that the seeds drew; "": that is told already."""
    if whole is None or whole.expected is None:
        return ""
    return (
        f"With these in place of the mean, in B {taken_words(whole.seen)}: that holds the luck of these seeds. "
        "Decide by the mean."
    )


def luck_words(found: Comparison, job: ComparedJob) -> str:
    """Return between which days one such job ends in A and in B by luck with failures; "": unknown."""
    ettr = found.differences.get("ettr")
    if job.whole is None or job.risks is None or job.stops is None or ettr is None or not (ettr.a and ettr.b):
        return ""
    ends = [
        range_by_draws(until_s, kept, risk)
        for until_s, kept, risk in zip(whole_s(job.whole), (ettr.a, ettr.b), job.risks, strict=True)
    ]
    known = [end for end in ends if end is not None]
    if len(known) < len(ends) or found.simulated_s is None:
        return ""
    a, b = (f"{end.low_s / DAY_S:.1f} to {end.high_s / DAY_S:.1f} d" for end in known)
    count = len(found.seeds)
    pace = f"{count} runs" if count > 1 else "one run"
    return (
        f"By luck with failures one such job takes {a} in A and {b} in B (P5 to P95 of {known[0].count} draws of the "
        f"failures, at the pace of {pace} of {length(found.simulated_s[0])}; other runs have a slightly other pace)."
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


def job_table(whole: WholeJob, heads: tuple[str, str], seeds: int) -> Markup:
    """Return what the whole job takes in A and B, with the stops of the rates, and how much more with those drawn."""
    columns = amount_columns(heads)
    rows: list[list[Child]] = [list(row_cells(row)) for row in (whole.expected or whole.seen).rows]
    note = "Each run goes on at its rate of kept steps, its mean power and its cost by time until the job is done. "
    if whole.expected is not None:
        columns[3:] = [f"B {_MINUS} A, mean stops", "P5 to P95", f"B {_MINUS} A, stops drawn", "P5 to P95"]
        for cells, row in zip(rows, whole.seen.rows, strict=True):
            cells[3:] = [*(tag("b", cell) for cell in cells[3:]), *row_cells(row)[3:]]
        note += (
            "A, B and bold, to decide by: with the mean number of stops that the failure rates give while the job has "
            "all its nodes; a stop takes what it took in the runs. Stops drawn: those of these seeds, by luck more or "
            "fewer. "
        )
    note += (
        "The ranges hold prices and the luck of the seeds, paired."
        if seeds > 1
        else "One run of each: the ranges are of prices alone."
    )
    return joined([table(columns, rows, right=len(columns) - 1), tag("p", note, class_="note")])


def whole_s(whole: WholeJob) -> tuple[float, float]:
    """Return how long the whole job takes in A and in B [s]."""
    return whole.seen.days.a[1] * DAY_S, whole.seen.days.b[1] * DAY_S
