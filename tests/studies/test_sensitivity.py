"""Sobol' indices of functions whose indices are known."""

from __future__ import annotations

import numpy as np
import pytest

from twin.arrays import Floats
from twin.studies.sensitivity import MOST_KEYS, saltelli_points, sobol_indices
from twin.studies.study_error import StudyError


def ishigami(x: Floats) -> Floats:
    return np.sin(x[..., 0]) + 7.0 * np.sin(x[..., 1]) ** 2 + 0.1 * x[..., 2] ** 4 * np.sin(x[..., 0])


FIRST, TOTAL = (0.3139, 0.4424, 0.0), (0.5576, 0.4424, 0.2437)
"""Of Ishigami's function with a = 7, b = 0.1: closed forms in Saltelli et al., Global Sensitivity Analysis (2008)."""


def test_indices_of_ishigami_are_within_two_hundredths() -> None:
    x = (saltelli_points(8192, 3, seed=1) * 2.0 - 1.0) * np.pi
    indices = sobol_indices(ishigami(x))
    assert indices is not None
    assert [index.first for index in indices] == pytest.approx(FIRST, abs=0.02)
    assert [index.total for index in indices] == pytest.approx(TOTAL, abs=0.02)
    for index, first, total in zip(indices, FIRST, TOTAL, strict=True):
        assert abs(index.first - first) <= index.first_error
        assert abs(index.total - total) <= index.total_error


def test_samples_that_are_unknown_anywhere_are_left_out() -> None:
    x = saltelli_points(512, 2, seed=1)
    values = x[..., 0] + 0.5 * x[..., 1]
    values[2, :100] = np.nan
    indices = sobol_indices(values)
    assert indices == sobol_indices(values[:, 100:])
    assert indices is not None
    assert [index.first for index in indices] == pytest.approx([0.8, 0.2], abs=0.05)


def test_a_figure_that_does_not_vary_has_none() -> None:
    assert sobol_indices(np.ones((4, 64))) is None
    assert sobol_indices(np.full((4, 64), np.nan)) is None


def test_too_many_keys_are_told() -> None:
    with pytest.raises(StudyError, match="at most"):
        saltelli_points(8, MOST_KEYS + 1, 1)
