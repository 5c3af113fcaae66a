"""Which points a sweep looks at: a grid, a Latin hypercube or the Sobol' sequence over the keys that vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Literal

from twin.scenario import Document
from twin.scenario.file.set_option import set_texts
from twin.scenario.reading.set_value import assign
from twin.scenario.schema.document import Scenario
from twin.studies.sobol_sequence import MOST_DIMENSIONS, latin_hypercube, sobol
from twin.studies.study_error import StudyError
from twin.studies.varied_key import VariedKey

DesignKind = Literal["grid", "lhs", "sobol"]
MOST_POINTS = 100_000
RANGE_LEVELS = 5
"""Values of a range in a grid, unless another number is asked for."""
FILLED_POINTS = 64
"""Points of the designs that fill the space, unless another number is asked for."""
Values = tuple[str, ...]
"""A value for each key that varies; none at all: the scene as it stands."""


@dataclass(frozen=True)
class SweepDesign:
    """The keys that vary, and the points to look at.

    Attributes
    ----------
    kind
        How the points came about.
    keys
        What varies.
    points
        Values of each point.
    base
        Number of the point that is the scene as it stands; None: no point is.
    number
        Of points; or of what the kind makes them from.
    """

    kind: str
    keys: tuple[VariedKey, ...]
    points: tuple[Values, ...]
    base: int | None
    number: int


def design_of(
    document: Document, keys: Sequence[VariedKey], kind: DesignKind, points: int | None = None
) -> SweepDesign:
    """Return the points of a sweep; the scene as it stands comes first where none of them is the same.

    Parameters
    ----------
    document
        The scene.
    keys
        What varies.
    kind
        ``grid`` crosses all values; ``lhs`` and ``sobol`` fill the space, drawn from the seed of the scene.
    points
        How many; of a grid: how many values of each range.

    Raises
    ------
    StudyError
        When there are too many.
    """
    made = tuple(dict.fromkeys(_points(document.scenario, keys, kind, points)))
    standing = [_standing(document.scenario, key) for key in keys]
    base = next(
        (
            number
            for number, values in enumerate(made)
            if all(value in same for value, same in zip(values, standing, strict=True))
        ),
        None,
    )
    if base is None:
        return SweepDesign(kind, tuple(keys), ((), *made), 0, len(made) + 1)
    return SweepDesign(kind, tuple(keys), made, base, len(made))


def document_at(document: Document, paths: Sequence[str], values: Values) -> Document:
    """Return the scene of a point with its text; raises `ScenarioError` where its values are no valid scene."""
    return set_texts(document, [f"{path}={value}" for path, value in zip(paths, values, strict=False)])


def scene_at(document: Document, keys: Sequence[VariedKey], values: Values) -> Scenario:
    """Return the scene of a point; raises as `document_at`."""
    return document_at(document, [key.path for key in keys], values).scenario


def _points(
    scenario: Scenario, keys: Sequence[VariedKey], kind: DesignKind, points: int | None
) -> list[Values]:
    if kind == "grid":
        levels = [key.levels(points or RANGE_LEVELS) for key in keys]
        number = prod(map(len, levels))
        must_be_few(number)
        return list(product(*levels))
    number = points or FILLED_POINTS
    must_be_few(number)
    if len(keys) > MOST_DIMENSIONS:
        raise StudyError(f"{len(keys)} keys vary; {kind} takes at most {MOST_DIMENSIONS}")
    fill = latin_hypercube if kind == "lhs" else sobol
    shares = fill(number, len(keys), scenario.seed)
    return [tuple(key.at(share) for key, share in zip(keys, row, strict=True)) for row in shares.tolist()]


def must_be_few(points: int) -> None:
    """Raise `StudyError` where points are too many for a sweep."""
    if points > MOST_POINTS:
        raise StudyError(f"{points:,} points are too many; at most {MOST_POINTS:,} fit in a sweep")


def _standing(scenario: Scenario, key: VariedKey) -> frozenset[str]:
    """Return the listed values of a key that the scene has already."""
    return frozenset(text for text in key.texts if assign(scenario, key.path, text) == scenario)
