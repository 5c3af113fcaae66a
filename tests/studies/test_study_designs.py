"""Designs that fill the space, against those of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import qmc

from twin.scenario import load
from twin.studies.design import design_of
from twin.studies.sobol_sequence import MOST_DIMENSIONS, latin_hypercube, sobol
from twin.studies.study_error import StudyError
from twin.studies.varied_key import varied_keys

LAB = load("builtin:lab-16")


def test_the_sobol_sequence_is_that_of_scipy() -> None:
    theirs = qmc.Sobol(MOST_DIMENSIONS, scramble=False, bits=30).random(1024)
    assert np.array_equal(sobol(1024, MOST_DIMENSIONS), theirs)


def test_a_shifted_sequence_is_as_even() -> None:
    shifted = sobol(256, 5, seed=3)
    assert not np.array_equal(shifted, sobol(256, 5))
    for dimension in range(5):  # each of 256 slices has one point
        assert sorted(np.floor(shifted[:, dimension] * 256).astype(int)) == list(range(256))
    assert qmc.discrepancy(shifted) < 1.5 * qmc.discrepancy(sobol(256, 5))


def test_each_slice_of_a_latin_hypercube_has_one_point() -> None:
    points = latin_hypercube(100, 4, seed=1)
    assert points.min() >= 0.0
    assert points.max() < 1.0
    for dimension in range(4):
        assert sorted((points[:, dimension] * 100).astype(int)) == list(range(100))


@pytest.mark.parametrize("kind", ["lhs", "sobol"])
def test_a_filled_space_has_so_many_points_and_the_scene(kind: str) -> None:
    keys = varied_keys(LAB, ["jobs[llama3].checkpoint.interval=5..60 min", "jobs[llama3].nodes=1..2"])
    design = design_of(LAB, keys, kind, 16)  # type: ignore[arg-type]
    assert design.points[0] == ()
    assert len(design.points) == 17
    assert {values[1] for values in design.points[1:]} == {"1", "2"}
    assert design == design_of(LAB, keys, kind, 16)  # type: ignore[arg-type]


def test_a_grid_of_too_many_points_is_refused_before_it_is_made() -> None:
    keys = varied_keys(LAB, ["jobs[llama3].checkpoint.interval=5..60 min", "duration=1..9 h"])
    with pytest.raises(StudyError, match="too many"):
        design_of(LAB, keys, "grid", 1000)
