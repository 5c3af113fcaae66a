"""Differences between two runs in words of reports: from A to B, how sure, and which only the digits not shown have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from twin.analysis.compare import Comparison
from twin.analysis.figure_words import signed_percent
from twin.analysis.figures import FIGURES, ComparedFigure
from twin.analysis.paired_interval import PairedDifference
from twin.analysis.significance import judged, other_size
from twin.report.words import apart_text, figure_text, figure_title, rounded

FEW_SEEDS = 8
"""Below so many seeds intervals are wide."""
LEVEL_WORDS = "95 %"
_OF_ENERGY = (
    "it_j",
    "power_mean_w",
    "energy_per_gpu_h",
    "carbon_kg",
    "cost_usd",
    "carbon_per_gpu_h",
    "cost_per_gpu_h",
)
"""Figures that follow from the facility energy, or it from them."""
_DECIDES = ("goodput", "lost_gpu_h", "mfu", "pue", "power_max_w")
_FOLLOWS = ("ettr", "productive_gpu_h")
"""Figures that follow from goodput and lost work."""
_TOLD = 3

Pair = tuple[ComparedFigure, PairedDifference]


def known(found: Comparison) -> list[Pair]:
    """Return the figures that both have, in their order."""
    return [(figure, found.differences[figure.key]) for figure in FIGURES if figure.key in found.differences]


def has_many(found: Comparison) -> bool:
    """Return whether there are several runs of each."""
    return any(difference.paired is not None for difference in found.differences.values())


def equal_as_shown(figure: ComparedFigure, difference: PairedDifference) -> bool:
    """Return whether A and B differ, but only in digits that are not shown."""
    of_a, of_b = (figure_text(figure, value, difference.size) for value in (difference.a, difference.b))
    return not difference.same and of_a == of_b


def as_shown(found: Comparison) -> Comparison:
    """Return a comparison without the figures that are equal as shown; the same where these are all that differ."""
    kept = {figure.key: each for figure, each in known(found) if not equal_as_shown(figure, each)}
    return replace(found, differences=kept) if any(not each.same for each in kept.values()) else found


def from_to(figure: ComparedFigure, difference: PairedDifference) -> str:
    """Return a figure of A and of B, and their difference with its interval."""
    a, b = (figure_text(figure, value, difference.size) for value in (difference.a, difference.b))
    return f"{figure_title(figure)} {a} to {b} ({apart(figure, difference)})"


def apart(figure: ComparedFigure, difference: PairedDifference) -> str:
    """Return a difference with its interval, and the unit of both once."""
    words, half = apart_parts(figure, difference)
    return f"{words} ± {half}" if half else words


def share_of_a(difference: PairedDifference) -> str:
    """Return a difference in percent of A, signed, in two digits; "": A is zero.

    Examples
    --------
    "+294 %", "−5.6 %"
    """
    if not difference.a:
        return ""
    return signed_percent(difference.difference / abs(difference.a))


def apart_parts(figure: ComparedFigure, difference: PairedDifference) -> tuple[str, str]:
    """Return a difference and half its interval, which alone has the unit; "" where there is no interval."""
    words, half = apart_text(figure, difference.difference, difference.paired, difference.size)
    unit = half.partition(" ")[2]
    return (words.removesuffix(f" {unit}") if unit else words), half


def told(found: Comparison, keys: Iterable[str]) -> str:
    """Return the differences of some figures in a sentence."""
    by_key = {figure.key: (figure, difference) for figure, difference in known(found)}
    said = [from_to(*by_key[key]) for key in keys if key in by_key and not by_key[key][1].same]
    return f"{'; '.join(said)}." if said else "They are the same in A and B."


def effect(found: Comparison) -> str:
    """Return the figures that decide, A to B, those that are significant first."""
    differ = {figure.key: (figure, d) for figure, d in known(found) if not d.same}
    if not differ:
        return "Nothing: A and B are the same in every figure."
    differ = {key: pair for key, pair in differ.items() if is_comparable(pair[0], found)} or differ
    sure = {key: pair for key, pair in differ.items() if pair[1].beyond_chance or pair[1].one_way} or differ
    said = []
    others = [key for key in sure if key not in _FOLLOWS] or list(sure)
    for figure, difference in (sure[key] for key in dict.fromkeys((*_DECIDES, *others)) if key in sure):
        words = judged(figure, found).words
        said.append(f"{from_to(figure, difference)}{f', {words}' if words else ''}")
    return f"{'; '.join(said[:_TOLD])}."


def is_comparable(figure: ComparedFigure, found: Comparison) -> bool:
    """Return whether a figure tells A from B, and not only their size, length or kind of GPUs."""
    return not (figure.extensive and other_size(found)) and not (figure.per_gpu_h and found.other_gpus)


def count_words(found: Comparison, of_all: int) -> str:
    """Return how many of the comparable figures differ significantly, and how many of these are no own proofs."""
    sure = [
        figure.key
        for figure, difference in known(found)
        if difference.beyond_chance and is_comparable(figure, found)
    ]
    energy = sum(key in _OF_ENERGY for key in sure) if "energy_j" in sure else 0
    of = f", of which {energy} follow from the facility energy" if energy else ""
    return f"{len(sure)} of {of_all} figures differ significantly ({LEVEL_WORDS}, paired over the seeds){of}."


def signed(gpu_h: float) -> str:
    """Return a change of GPU time with its sign."""
    return f"{'+' if gpu_h >= 0 else chr(0x2212)}{rounded(abs(gpu_h))}"


def signed_pp(share: float) -> str:
    """Return a difference of shares in percentage points, signed; below one point with a digit more.

    >>> signed_pp(-0.0525), signed_pp(0.0035)
    ('−5.2', '+0.35')
    """
    return f"{100.0 * share:+.{1 if abs(share) >= 0.01 else 2}f}".replace("-", "\N{MINUS SIGN}")
