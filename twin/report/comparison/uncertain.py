"""What is uncertain in a comparison: step times, what the model leaves out, prices, and the number of runs."""

from __future__ import annotations

from twin.analysis.compare import Comparison
from twin.planning.risk.risk import JobRisk
from twin.report.comparison.words import FEW_SEEDS, has_many


def uncertain_words(found: Comparison, risks: tuple[JobRisk, JobRisk] | None) -> str:
    """Return what a reader must doubt, most of all first."""
    said = []
    if not has_many(found):
        said.append("There is one run of each: luck is in no range.")
    elif len(found.seeds) < FEW_SEEDS:
        said.append(
            f"{len(found.seeds)} seeds make wide intervals, and rare failures may be in none of the runs."
        )
    of_a, of_b = found.standings
    if of_a is not None and of_b is not None:
        told = [f"Step times in A and B: {of_a.meaning}"]
        if of_a.word != of_b.word:
            told = [f"Step times in A: {of_a.meaning}", f"Step times in B: {of_b.meaning}"]
        said += told
        said.append("Both have the same error of the model, so that their difference is surer than either.")
    if found.money is not None:
        said.append("Prices are estimates with a range; both have the same draw of them.")
    left = dict.fromkeys(words for risk in risks or () for words in risk.left_out)
    said += [f"In the range of one job: {words}." for words in left]
    return " ".join(said)
