"""Which of two designs is better by a figure, and whether that may be chance."""

from __future__ import annotations

from dataclasses import dataclass

from twin.analysis.compare import Comparison
from twin.analysis.figures import FIGURES, WORK, Figure
from twin.analysis.paired import LEVEL, Difference

_SAME_WORK = 1e-3
"""Part of the work of single runs below which they have done the same."""


@dataclass(frozen=True)
class Judgement:
    """What can be said of a difference.

    Parameters
    ----------
    words
        In a few words; "": it is there, and neither is better for it.
    better
        1: B is better, -1: worse, 0: neither, or it may be chance.
    """

    words: str
    better: int


def judged(figure: Figure, found: Comparison) -> Judgement:
    """Return what can be said of a figure that both know.

    A total that is less is better only where no less work was done for it: two designs of different size differ in
    energy for that alone.
    """
    one = found.differences[figure.key]
    if one.same:
        return Judgement("the same", 0)
    if one.beyond_chance is False and not one.one_way:
        return Judgement("may be chance", 0)
    better = figure.better * (1 if one.difference > 0 else -1)
    if figure.total and (work := _other_work(found)) * one.difference > 0:
        more = "more" if work > 0 else "less"
        return Judgement(f"{more}, for {more} work done", 0)
    if not better:
        words = "more in B" if one.difference > 0 else "less in B"
    else:
        words = f"{'B' if better > 0 else 'A'} is better"
    if one.beyond_chance is None and better:
        return Judgement(f"{words}, in one run", 0)
    if one.beyond_chance is False:
        words += f" with {max(one.higher, one.lower)} of {one.seeds} seeds"
    return Judgement(words, better)


def verdict(found: Comparison, a: str = "A", b: str = "B") -> str:
    """Return in words which differences are beyond chance."""
    differences = found.differences
    if all(one.paired is None for one in differences.values()):
        if all(one.same for one in differences.values()) and not found.waterfall.steps:
            return f"{a} and {b} are the same in every figure and every account of GPU time."
        return (
            "One run of each: whether a difference is more than chance is not known; --seeds 20 repeats both."
        )
    apart = [
        (figure, differences[figure.key])
        for figure in FIGURES
        if figure.key in differences and not differences[figure.key].same
    ]
    if not apart:
        return f"{a} and {b} are the same in every figure and every seed."
    sure = [_said(figure, found) for figure, one in apart if one.beyond_chance]
    one_way = [_said(figure, found) for figure, one in apart if one.beyond_chance is False and one.one_way]
    chance = [figure.title for figure, one in apart if one.beyond_chance is False and not one.one_way]
    level = f"{LEVEL:.0%}".replace("%", " %")
    over = f"{level} of each, paired over {len(found.seeds)} seeds"
    if sure:
        words = [f"Beyond chance ({over}): {', '.join(sure)}."]
    else:
        words = [f"No difference is beyond chance: every interval ({over}) includes zero."]
    if one_way:
        words.append(
            "Beyond chance by the signs of the seeds, though how much is too unlike between them for the interval: "
            f"{', '.join(one_way)}."
        )
    if chance:
        words.append(f"May be chance: {', '.join(chance)}.")
    return " ".join(words)


def seeds_words(one: Difference) -> str:
    """Return with how many seeds B is higher and lower; "": one run of each."""
    return "" if one.paired is None else f"{one.higher} / {one.lower}"


def _said(figure: Figure, found: Comparison) -> str:
    words = judged(figure, found).words
    return f"{figure.title} ({words})" if words else figure.title


def _other_work(found: Comparison) -> float:
    """Return how much more work was done in B [GPU h]; 0: as much, as far as can be told from chance."""
    one = found.differences.get(WORK)
    if one is None or one.same:
        return 0.0
    if one.paired is None:
        return one.difference if abs(one.difference) > _SAME_WORK * abs(one.a) else 0.0
    return one.difference if one.beyond_chance or one.one_way else 0.0
