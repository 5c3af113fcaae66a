"""Dragging through time under a resting camera: only panels are drawn anew, and the picture is the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtWidgets import QApplication

from twin.plant.tables import Plant
from twin.record.frame import Frame
from twin.view3d.gl.antialias import seen
from twin.view3d.view.bench_hall import frame_of
from twin.view3d.view.hall_view import HallView


def test_kept_picture_is_that_of_whole_drawing(
    qapp: QApplication, make_view: Callable[..., HallView], hall: Plant, frame: Frame
) -> None:
    view = make_view()
    view.set_frame(frame)
    view.look(view.pose)
    qapp.processEvents()
    whole = _whole_pictures(view)
    first = seen(view.native)
    view.set_frame(frame_of(hall, seed=5))
    view.look(view.pose)
    count = len(whole)
    second = seen(view.native)
    if view.passing.possible:
        assert len(whole) == count  # the panels alone were drawn
    view.passing.possible = False
    assert (np.abs(second.astype(int) - seen(view.native)).max(axis=2) > 8).mean() < 0.002
    assert (np.abs(second.astype(int) - first).max(axis=2) > 8).mean() > 0.01


def _whole_pictures(view: HallView) -> list[object]:
    drawn: list[object] = []
    behind = view.scene.draw_behind

    def watched(*words: object, **more: object) -> None:
        drawn.append(words)
        behind(*words, **more)  # type: ignore[arg-type]

    view.scene.draw_behind = watched  # type: ignore[method-assign]
    return drawn
