"""Cases of one test of which some are run each time, and the others with the long tests (`make slow`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest

LARGEST = "campus-1m"
"""The scene of a million GPUs: gigabytes and tens of seconds wherever it is built."""


def but_largest(scenes: Iterable[str]) -> list[Any]:
    """Return all scenes for `parametrize`; the `LARGEST` is slow."""
    names = list(scenes)
    return usually(names, [name for name in names if name != LARGEST])


def usually(cases: Iterable[Any], which: int | Collection[Any]) -> list[Any]:
    """Return all cases for `parametrize`; those are slow that are not among the usual ones.

    Parameters
    ----------
    cases
        Values, or tuples of several.
    which
        The usual ones, or how many of the first.
    """
    all_cases = list(cases)
    usual = all_cases[:which] if isinstance(which, int) else which
    assert len(usual) > 0
    assert all(case in all_cases for case in usual), "a usual case is none of the cases"
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if case in usual else pytest.mark.slow,
        )
        for case in all_cases
    ]
