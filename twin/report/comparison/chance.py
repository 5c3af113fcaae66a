"""What of two runs may be chance: the test, each seed, the failures drawn; and what each checkpoint write takes."""

from __future__ import annotations

import math

from twin.analysis.compare import Comparison
from twin.analysis.paired import LEVEL, t_quantile
from twin.planning.risk.risk import JobRisk
from twin.report.comparison.words import known
from twin.report.job_step import JobStep
from twin.report.words import amount, length, rounded

_GOODPUT = "goodput"
_MOST_SEEDS = 8
"""Seeds of which each difference is told."""
_OFF = 0.05
"""Share by which the failures drawn are off the rates before it is told."""


def test_words(found: Comparison) -> str:
    """Return the test behind the intervals, the difference of each seed, and what chance alone would give."""
    differences = known(found)
    seeds = len(found.seeds)
    if seeds < 2:
        return ""
    t = t_quantile(seeds - 1, LEVEL)
    said = f"Intervals: Student's t of the differences, {seeds - 1} degrees of freedom, t = {t:.2f}."
    goodput = found.differences.get(_GOODPUT)
    if goodput is not None and goodput.pairs and len(goodput.pairs) <= _MOST_SEEDS:
        each = [100.0 * (b - a) for a, b in goodput.pairs if a is not None and b is not None]
        told = ", ".join(f"{value:+.1f}".replace("-", "\N{MINUS SIGN}") for value in each)
        said += f" Goodput by seed: {told} pp."
    by_chance = (1.0 - LEVEL) * len(differences)
    return f"{said} Of {len(differences)} figures about {by_chance:.0f} could be significant by chance alone."


def seeds_agree(found: Comparison) -> str:
    """Return in how many seeds goodput differs in the same direction; "": unknown, or the same."""
    goodput = found.differences.get(_GOODPUT)
    if goodput is None or goodput.paired is None or goodput.same:
        return ""
    worse = goodput.lower >= goodput.higher
    return (
        f"Goodput is {'lower' if worse else 'higher'} in B in {max(goodput.lower, goodput.higher)} of {goodput.seeds} "
        "seeds."
    )


def drawn_words(found: Comparison, exposures: tuple[JobRisk, JobRisk] | None) -> str:
    """Return how many failures the seeds drew beside those of the rates, where that is far off; "": it is not."""
    drawn = found.differences.get("interruptions")
    if exposures is None or drawn is None or found.simulated_s is None:
        return ""
    model = exposures[0].model
    rate_s = model.nodes * sum(cause.rate_s for cause in model.causes if not cause.planned)
    by_rates = rate_s * found.simulated_s[0]
    if not by_rates or abs(drawn.a / by_rates - 1.0) < _OFF:
        return ""
    return f"These seeds drew {rounded(drawn.a, 3)} unexpected stops each in A; the rates give {rounded(by_rates, 3)}."


def same_failures(found: Comparison) -> str:
    """Return the stops that A and B had alike, a run in the mean; "": none are known, or they differ."""
    said = [
        f"{rounded(found.differences[key].a)} {word}"
        for key, word in (("interruptions", "unexpected"), ("planned", "planned"))
        if key in found.differences and found.differences[key].same
    ]
    return f"Both had the same stops: {' and '.join(said)} a run." if said else ""


def writes_words(exposures: tuple[JobRisk, JobRisk] | None, step: JobStep | None, found: Comparison) -> str:
    """Return the best interval, how often both write, and what a write asks of the store and drops of the power."""
    if exposures is None or any(math.isinf(each.interval_s) or each.pause_s <= 0.0 for each in exposures):
        return ""
    between_s = exposures[0].model.mean_between_s
    said = []
    if not math.isinf(between_s):
        best_s = math.sqrt(2.0 * exposures[0].pause_s * between_s)
        said.append(f"The best interval is {length(round(best_s))} (Young).")
    if found.simulated_s is not None:
        a, b = (86400.0 / (each.interval_s + each.pause_s) for each in exposures)
        said.append(f"A writes about {a:.0f} times a day, B {b:.0f} times.")
    if step is not None and step.checkpoint_bytes:
        pause_s = exposures[0].pause_s
        said.append(
            f"A write puts {step.checkpoint_bytes / 1e12:.2f} TB on the store in {length(pause_s)} "
            f"({step.checkpoint_bytes / pause_s / 1e9:,.0f} GB/s), and about "
            f"{amount(step.step_w - step.idle_w, 'power', 2)} of IT power falls off meanwhile."
        )
    return " ".join(said)
