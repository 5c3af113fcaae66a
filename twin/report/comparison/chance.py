"""What of two runs may be chance: the test, each seed, the stops drawn, and whether a stretch stands for the whole."""

from __future__ import annotations

import math

from twin.analysis.compare import Comparison
from twin.analysis.paired_interval import LEVEL, t_quantile
from twin.analysis.run_mismatch import lengths_apart
from twin.analysis.whole_job import DAY_S, StopsSeen
from twin.report.comparison.words import FEW_SEEDS, LEVEL_WORDS, known, signed_pp
from twin.report.run_wins import poisson_tail
from twin.report.words import length, percent, rounded

_GOODPUT = "goodput"
_OFF = 0.02
"""Share by which the stops drawn are off the rates before it is told how seldom that is."""
_NEVER = 1e-6
"""Probability below which a number of stops is no draw of the rates."""
_NORMAL_T = 1.96
"""Standard deviations to either side that hold 95 % of a normal law: of stops by known rates, there is no t."""
_ENOUGH = 2.0
"""So many times the scatter a difference is told from it."""


def test_words(found: Comparison) -> str:
    """Return the test behind the intervals, and what chance alone would give."""
    differences = known(found)
    seeds = len(found.seeds)
    if seeds < 2:
        return ""
    t = t_quantile(seeds - 1, LEVEL)
    said = f"Intervals: Student's t of the differences, {seeds - 1} degrees of freedom, t = {t:.2f}."
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


def drawn_words(stops: tuple[StopsSeen, StopsSeen] | None) -> str:
    """Return how many stops the seeds drew beside those of the rates, and how seldom that is; "": unknown."""
    if stops is None:
        return ""
    of_a, of_b = stops
    if round(of_a.drawn) == round(of_b.drawn) and abs(of_a.expected - of_b.expected) < 0.5:
        return f"Both had {_drawn(of_a)}."
    return f"A had {_drawn(of_a)}; B had {_drawn(of_b)}."


def _drawn(seen: StopsSeen) -> str:
    off, count = seen.drawn / seen.expected - 1.0, round(seen.drawn)
    runs = runs_words(seen.runs)
    rates = f"the rates give {rounded(seen.expected, 3)} ± {rounded(seen.by_chance, 2)}"
    said = f"{count:,} stops in {runs} (planned ones included), where {rates}"
    if abs(off) < _OFF:
        return said
    chance = poisson_tail(count, seen.expected) if off > 0.0 else 1.0 - poisson_tail(count + 1, seen.expected)
    few = "many" if off > 0.0 else "few"
    often = f"one in {1.0 / chance:,.0f} such draws has as {few}" if chance > _NEVER else "that is no chance"
    return f"{said} ({percent(abs(off), 0)} {'more' if off > 0.0 else 'fewer'}: {often})"


def stretch_words(
    found: Comparison, stops: tuple[StopsSeen, StopsSeen] | None, stretch_s: float, whole_s: float
) -> str:
    """Return whether runs of a stretch stand for the whole, by how the number of stops in it scatters; "": unknown.

    Parameters
    ----------
    stretch_s, whole_s
        Time of one run, and of what it stands for [s].
    """
    if stops is None:
        return ""
    seen, runs = stops[0], stops[0].runs
    each = seen.expected / runs
    lengths_s = found.simulated_s or (stretch_s, stretch_s)
    alike = not lengths_apart(*lengths_s)
    one_run = f"one run of {length(stretch_s)}" if alike else "one run of each"
    counts = [(f"in {length(stretch_s)}", each)]
    if not alike:
        counts = [
            (f"in {length(side_s)} of {side}", side_stops.expected / runs)
            for side, side_s, side_stops in zip("AB", lengths_s, stops, strict=True)
        ]
    if runs > 1 and alike:
        counts.append((f"in all {runs} runs", seen.expected))
    if whole_s > stretch_s and alike:
        counts.append((f"in {days_words(whole_s)}", each * whole_s / stretch_s))
    told = ", ".join(
        f"{where} {rounded(count, 3)} ± {rounded(math.sqrt(count), 2)} ({percent(1.0 / math.sqrt(count), 0)})"
        for where, count in counts
    )
    of_a, of_b = (100.0 * side.share_by_chance for side in stops)
    said = (
        f"Stops by the rates, with their scatter by chance: {told}. One stop takes {length(stops[0].each_s)} of the "
        f"job in A and {length(stops[1].each_s)} in B, so their number alone moves the goodput of one run by ± "
        f"{rounded(of_a, 2)} pp in A and ± {rounded(of_b, 2)} pp in B"
    )
    goodput = found.differences.get(_GOODPUT)
    if goodput is None or goodput.same:
        return f"{said}."
    scatter = abs(of_b - of_a)
    said += f", their difference by ± {rounded(scatter, 2)} pp."
    of_which = "that scatter"
    if goodput.paired is not None:
        seeds = 100.0 * goodput.paired * math.sqrt(goodput.seeds) / t_quantile(goodput.seeds - 1, LEVEL)
        said += f" That of the {goodput.seeds} seeds scatters by ± {rounded(seeds, 2)} pp"
        said += (
            ": what each stop undoes is drawn as well, and few seeds tell a scatter only roughly."
            if seeds > scatter and goodput.seeds < FEW_SEEDS
            else ": what each stop undoes is drawn as well."
            if seeds > scatter
            else "."
        )
        scatter, of_which = max(scatter, seeds), "the larger of these scatters"
    times = 100.0 * abs(goodput.difference) / scatter if scatter else math.inf
    half = 1.0 / (times * math.sqrt(runs)) * (t_quantile(runs - 1, LEVEL) if runs > 1 else _NORMAL_T)
    within = f"± {percent(half, 0)} ({LEVEL_WORDS})"
    which = f"{one_run} {'tells' if times >= _ENOUGH else 'does not tell'} which is better"
    how_much = f"The {runs} runs together tell the size of the difference to {within}."
    if runs == 1:
        how_much = f"The size of the difference it tells to {within}." if times >= _ENOUGH else ""
    return (
        f"{said} The difference of {signed_pp(goodput.difference)} pp is {rounded(times, 2)} times {of_which}: "
        f"{which}. {how_much}"
    ).rstrip()


def days_words(time_s: float) -> str:
    """Return a time of more than ten days in days, as tables of the whole job have it, another as it is spoken.

    >>> days_words(76.55 * 86400.0), days_words(54 * 86400.0), days_words(3600.0)
    ('76.5 d', '54 d', '1 h')
    """
    days = time_s / DAY_S
    return length(time_s) if days < 10.0 or days.is_integer() else f"{rounded(days, 3)} d"


def same_failures(found: Comparison, stops: tuple[StopsSeen, StopsSeen] | None = None) -> str:
    """Return the stops that A and B had alike in all runs; "": none are known, or they differ.

    `stops`: beside those of the rates, which may be as many as one kind of them without meaning it; None: unknown.
    """
    runs = len(found.seeds)
    counts = {
        word: found.differences[key].a * runs
        for key, word in (("interruptions", "unexpected"), ("planned", "planned"))
        if key in found.differences and found.differences[key].same and found.differences[key].a
    }
    if not counts:
        return ""
    said = " and ".join(f"{count:,.0f} {word}" for word, count in counts.items())
    told = f"Both had the same stops: {said} in {runs_words(runs)}."
    expected = round(stops[0].expected) if stops is not None else None
    if len(counts) > 1 and expected == round(counts["unexpected"]):
        told += f" That the rates give {expected:,} of both kinds together is chance."
    return told


def runs_words(runs: int) -> str:
    """Return how many runs there are.

    >>> runs_words(1), runs_words(3)
    ('one run', '3 runs')
    """
    return "one run" if runs == 1 else f"{runs:,} runs"
