"""Which of two designs is better by a figure, and whether that may be chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

from twin.analysis.compare import Basis, Comparison
from twin.analysis.figure_words import apart_words
from twin.analysis.figures import FIGURES, WORK, ComparedFigure
from twin.analysis.paired_interval import LEVEL, PairedDifference
from twin.analysis.run_mismatch import lengths_apart
from twin.language import tr
from twin.units import spoken

_SAME_WORK = 1e-3
"""Part of the work of single runs below which they have done the same."""


@dataclass(frozen=True)
class Judgement:
    """Judgement on a difference.

    Parameters
    ----------
    words
        In a few words; "": a difference that makes neither better.
    better
        1: B is better, -1: worse, 0: neither, or it may be chance.
    """

    words: str
    better: int


def judged(figure: ComparedFigure, found: Comparison) -> Judgement:
    """Return the judgement on a figure that both runs have.

    A figure that grows with size or time does not say which run is better where these differ. A lower total is better
    only where no less work was done for it.
    """
    difference = found.differences[figure.key]
    if difference.same:
        return Judgement(tr("the same"), 0)
    if difference.beyond_chance is False and not difference.one_way:
        return Judgement(tr("not significant"), 0)
    if figure.extensive and (apart := other_size(found)):
        return Judgement(
            tr("{word} in B, {apart}", word="more" if difference.difference > 0 else "less", apart=apart), 0
        )
    if figure.per_gpu_h and found.other_gpus:
        word = "more" if difference.difference > 0 else "less"
        return Judgement(tr("{word} in B, of other GPUs", word=word), 0)
    better = figure.better * (1 if difference.difference > 0 else -1)
    if figure.total and (work := _other_work(found)) * difference.difference > 0:
        more = "more" if work > 0 else "less"
        return Judgement(tr("{more}, for {more} work done", more=more), 0)
    if not better:
        words = tr("more in B") if difference.difference > 0 else tr("less in B")
    else:
        words = tr("{word} is better", word="B" if better > 0 else "A")
    if difference.beyond_chance is None and better:
        return Judgement(tr("{words}, in one run", words=words), 0)
    if difference.beyond_chance is False:
        words += tr(
            " with {higher} of {seeds} seeds",
            higher=max(difference.higher, difference.lower),
            seeds=difference.seeds,
        )
    return Judgement(words, better)


def basis_words(found: Comparison) -> str:
    """Return in a sentence the common past of both runs; "": two recordings."""
    match found.basis:
        case Basis.RERUN:
            return tr("Rerun from the start.")
        case Basis.SAME_PAST:
            return tr("Same past until {since}.", since=spoken(round(found.since_s or 0.0, 3)))
    return ""


def answer(found: Comparison, change: str = "") -> str:
    """Return the answer to a what-if in one line: the effect of the change on the first figure that differs.

    Parameters
    ----------
    change
        In words, such as "checkpoint interval of llama3 5 min instead of 30 min"; "": unknown.

    Examples
    --------
    "checkpoint interval of llama3 5 min instead of 30 min: goodput -0.412 pp (paired, 20 seeds: -0.583 .. -0.241)"
    """
    apart = [
        (figure, found.differences[figure.key])
        for figure in FIGURES
        if figure.key in found.differences and not found.differences[figure.key].same
    ]
    lead = f"{change[:1].upper()}{change[1:]}: " if change else ""
    if not apart:
        return tr("{lead}no figure differs", lead=lead) + (
            tr(" with any of {seeds} seeds", seeds=len(found.seeds)) if _many(found) else ""
        )
    figure, found_difference = min(
        apart, key=lambda pair: (pair[1].beyond_chance is False, pair[0].better == 0)
    )
    difference = _amount(figure, found_difference.difference, found_difference)
    words = f"{lead}{figure.title} {difference}"
    if found_difference.paired is None:
        return tr("{words} (one run of each: the difference may be chance)", words=words)
    low, high = (
        _amount(
            figure, found_difference.difference + side * found_difference.paired, found_difference
        ).removesuffix(" pp")
        for side in (-1.0, 1.0)
    )
    chance = (
        tr(", not significant")
        if found_difference.beyond_chance is False and not found_difference.one_way
        else ""
    )
    return tr(
        "{words} (paired, {seeds} seeds: {low} .. {high}{chance})",
        words=words,
        seeds=found_difference.seeds,
        low=low,
        high=high,
        chance=chance,
    )


def _amount(figure: ComparedFigure, value: float, difference: PairedDifference) -> str:
    """Return a difference with as many digits as its interval, or else its size, deserves."""
    if figure.unit != "share":
        return apart_words(figure, value, like=difference.size)
    scale = 100.0 * (difference.paired or abs(difference.difference))
    digits = 1 if scale <= 0.0 else min(3, max(1, 1 - math.floor(math.log10(scale))))
    return tr("{value:+.{digits}f} pp", value=100.0 * value, digits=digits)


def _many(found: Comparison) -> bool:
    return any(difference.paired is not None for difference in found.differences.values())


def verdict(found: Comparison, a: str = "A", b: str = "B") -> str:
    """Return in words the common past of both runs, and which differences are significant."""
    return " ".join(part for part in (basis_words(found), _beyond_chance(found, a, b)) if part)


def _beyond_chance(found: Comparison, a: str, b: str) -> str:
    differences = found.differences
    if all(difference.paired is None for difference in differences.values()):
        if all(difference.same for difference in differences.values()) and not found.waterfall.steps:
            return tr("{a} and {b} are the same in every figure and every account of GPU time.", a=a, b=b)
        return "One run of each: any difference may be chance; --seeds 20 repeats both."
    apart = [
        (figure, differences[figure.key])
        for figure in FIGURES
        if figure.key in differences and not differences[figure.key].same
    ]
    if not apart:
        return tr("{a} and {b} are the same in every figure and every seed.", a=a, b=b)
    sure = [_figure_words(figure, found) for figure, difference in apart if difference.beyond_chance]
    one_way = [
        _figure_words(figure, found)
        for figure, difference in apart
        if difference.beyond_chance is False and difference.one_way
    ]
    chance = [
        figure.title
        for figure, difference in apart
        if difference.beyond_chance is False and not difference.one_way
    ]
    level = f"{LEVEL:.0%}".replace("%", " %")
    over = tr("{level} of each, paired over {seeds} seeds", level=level, seeds=len(found.seeds))
    if sure:
        words = [tr("Significant ({over}): {sure}.", over=over, sure=", ".join(sure))]
    else:
        words = [tr("No difference is significant: every interval ({over}) includes zero.", over=over)]
    if one_way:
        words.append(
            tr(
                "Significant by the signs of the seeds, but too variable for the interval: {one_way}.",
                one_way=", ".join(one_way),
            )
        )
    if chance:
        words.append(tr("Not significant: {chance}.", chance=", ".join(chance)))
    return " ".join(words)


def seeds_words(difference: PairedDifference) -> str:
    """Return for how many seeds B is higher and lower; "": one run of each."""
    return "" if difference.paired is None else f"{difference.higher} / {difference.lower}"


def _figure_words(figure: ComparedFigure, found: Comparison) -> str:
    words = judged(figure, found).words
    return f"{figure.title} ({words})" if words else figure.title


def other_size(found: Comparison) -> str:
    """Return how B differs in size or time; "": equal."""
    gpus, lengths_s = found.gpus, found.simulated_s
    if gpus is not None and gpus[0] != gpus[1]:
        return tr("which has {word} GPUs", word="more" if gpus[1] > gpus[0] else "fewer")
    if lengths_s is not None and lengths_apart(*lengths_s):
        return tr(
            "which runs {word}", word="longer" if lengths_s[1] > lengths_s[0] else tr("for a shorter time")
        )
    return ""


def _other_work(found: Comparison) -> float:
    """Return the additional work of B [GPU h]; 0: equal or within chance."""
    difference = found.differences.get(WORK)
    if difference is None or difference.same:
        return 0.0
    if difference.paired is None:
        return difference.difference if abs(difference.difference) > _SAME_WORK * abs(difference.a) else 0.0
    return difference.difference if difference.beyond_chance or difference.one_way else 0.0
