"""Non-dominated designs against a plain count over pairs, and which are kept of many."""

from __future__ import annotations

import numpy as np

from twin.designs.front import non_dominated, spread_out


def test_non_dominated_rows_are_those_that_no_pair_beats() -> None:
    values = np.random.default_rng(3).integers(0, 6, (200, 3)).astype(float)
    beaten = [any((other <= row).all() and (other < row).any() for other in values) for row in values]
    assert (non_dominated(values) == ~np.array(beaten)).all()


def test_equal_rows_beat_nobody() -> None:
    assert non_dominated(np.ones((3, 2))).all()


def test_the_best_of_each_column_is_kept() -> None:
    values = np.random.default_rng(4).random((500, 5))
    kept = spread_out(values, 20)
    assert len(kept) == len(set(kept)) == 20
    assert set(values.argmin(axis=0).tolist()) <= set(kept)
    assert spread_out(values[:0], 5) == []
