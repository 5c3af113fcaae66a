"""What is to be made small or large, and what limits hold: ``goodput:max``, ``power_max_w<=20 MW``."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from twin import units
from twin.analysis.figures import ComparedFigure
from twin.studies.study_error import StudyError
from twin.studies.study_figures import chosen_figures

_DIMENSIONS = {"share": "fraction", "ratio": None, "": None}
_LIMIT = re.compile(r"\s*([a-z0-9_]+)\s*(<=|>=)\s*(.+?)\s*")


@dataclass(frozen=True)
class Aim:
    """A figure to be made small (`sign` 1) or large (-1)."""

    figure: ComparedFigure
    sign: int

    def __str__(self) -> str:
        return f"{self.figure.key}:{'min' if self.sign > 0 else 'max'}"


@dataclass(frozen=True)
class FigureLimit:
    """A figure that may be at most (`sign` 1) or must be at least (-1) some value, in SI units."""

    figure: ComparedFigure
    sign: int
    value: float

    def __str__(self) -> str:
        return f"{self.figure.key}{'<=' if self.sign > 0 else '>='}{self.value!r}"

    def violation(self, value: float) -> float:
        """Return by which part of the limit a figure passes it; 0: it keeps it."""
        return max(0.0, self.sign * (value - self.value)) / (abs(self.value) or 1.0)


def aims_of(texts: Sequence[str]) -> tuple[Aim, ...]:
    """Return what is to be optimised, ``FIGURE``, ``FIGURE:min`` or ``FIGURE:max`` each.

    >>> [str(aim) for aim in aims_of(["goodput", "energy_j", "power_mean_w:max"])]
    ['goodput:max', 'energy_j:min', 'power_mean_w:max']

    Raises
    ------
    StudyError
        When a figure is unknown, named twice, or it is not said which way it is better.
    """
    found: list[Aim] = []
    for text in texts:
        key, colon, way = text.partition(":")
        (figure,) = chosen_figures([key.strip()])
        if way.strip() not in ("min", "max") if colon else not figure.better:
            raise StudyError(
                f"--optimise: {text!r} must say min or max: {figure.key}:min or {figure.key}:max"
            )
        sign = {"min": 1, "max": -1}[way.strip()] if colon else -figure.better
        if any(aim.figure == figure for aim in found):
            raise StudyError(f"--optimise: {figure.key} is named twice")
        found.append(Aim(figure, sign))
    return tuple(found)


def limits_of(texts: Sequence[str | FigureLimit], *, si: bool = False) -> tuple[FigureLimit, ...]:
    """Return limits, ``FIGURE<=VALUE`` or ``FIGURE>=VALUE`` each; `si`: as they write themselves, in SI units.

    >>> limits_of(["power_max_w <= 20 MW"])[0].value
    20000000.0

    Raises
    ------
    StudyError
        When a text is none.
    """
    return tuple(text if isinstance(text, FigureLimit) else _limit(text, si) for text in texts)


def _limit(text: str, si: bool) -> FigureLimit:
    match = _LIMIT.fullmatch(text)
    if match is None:
        raise StudyError(
            f"--limit: {text!r} is not FIGURE<=VALUE or FIGURE>=VALUE, such as 'power_max_w<=20 MW'"
        )
    (figure,) = chosen_figures([match[1]])
    dimension = None if si else _DIMENSIONS.get(figure.unit, figure.unit)
    try:
        value = units.parse(match[3], dimension) if dimension is not None else float(match[3])
    except ValueError as error:
        raise StudyError(f"--limit: {figure.key}: {error}") from None
    if not math.isfinite(value):
        raise StudyError(f"--limit: {figure.key}: {match[3]} is no limit")
    return FigureLimit(figure, 1 if match[2] == "<=" else -1, value)
