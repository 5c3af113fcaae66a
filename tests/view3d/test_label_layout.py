"""Labels: none over another, none over what must stay clear, the weightier first."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from twin.view3d.base.label_layout import BUDGET, place_along, place_labels


@given(st.integers(1, 200), st.integers(0, 2**32 - 1), st.sampled_from([1.0, 1.5, 2.0]))
def test_placed_labels_never_touch(count: int, seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    points = rng.uniform([0, 0, -5], [1280, 800, 90], (count, 3))
    sizes = rng.uniform([30, 14], [120, 22], (count, 2)) * scale
    clear = np.array([[20.0, 20.0, 300.0, 120.0]])
    placed = place_labels(points, sizes, rng.integers(0, 3, count).astype(float), 1280, 800, scale, clear)
    assert len(placed) <= BUDGET
    boxes = [
        (p.left_px, p.top_px, p.left_px + sizes[p.index, 0], p.top_px + sizes[p.index, 1]) for p in placed
    ]
    for k, a in enumerate(boxes):
        assert a[0] >= 0
        assert a[1] >= 0
        assert a[2] <= 1280
        assert a[3] <= 800
        for b in [*boxes[:k], tuple(clear[0])]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    assert all(points[p.index, 2] > 0 for p in placed)


def test_the_weightier_label_wins_its_place() -> None:
    points = np.array([[400.0, 300, 5], [405.0, 300, 50]])
    sizes = np.full((2, 2), [80.0, 18.0])
    assert [p.index for p in place_labels(points, sizes, np.array([1.0, 9.0]), 800, 600)] == [1]
    assert [p.index for p in place_labels(points, sizes, np.array([1.0, 1.0]), 800, 600)] == [0]


def test_words_of_lines_stand_over_what_is_seen_and_beside_what_is_taken() -> None:
    lines = np.array(
        [[[-400.0, 100.0], [200.0, 100.0]], [[50.0, 5.0], [150.0, 5.0]], [[np.nan] * 2, [1.0, 1.0]]]
    )
    sizes = np.full((3, 2), (40.0, 16.0))
    first, second = place_along(lines, sizes, 640, 400)
    assert (first.left_px, first.top_px) == (80.0, 80.0)  # over the middle of 0 to 200
    assert second.top_px == 9.0  # over it there is no room
    taken = np.array([[60.0, 60.0, 130.0, 130.0]])
    beside = place_along(lines, sizes, 640, 400, keep_clear=taken)[0]
    assert beside.left_px + 40 <= 60 or beside.left_px >= 130
