"""Lengths of time as people say them: two units, rounded to the smaller one, in one way wherever they stand."""

from __future__ import annotations

import pytest

from twin.units import spoken


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (10_012.0, "2 h 47 min"),  # 2 h 46 min 52 s
        (9_989.0, "2 h 46 min"),
        (59.94, "59.9 s"),
        (59.96, "1 min"),
        (3_599.6, "1 h"),
        (86_399.0, "1 d"),
        (2 * 86_400 + 1_799, "2 d"),
        (2 * 86_400 + 1_801, "2 d 1 h"),
        (54 * 86_400, "54 d"),
        (0.01, "0.01 s"),
    ],
)
def test_a_length_is_rounded_and_not_cut(seconds: float, words: str) -> None:
    assert spoken(seconds) == words
