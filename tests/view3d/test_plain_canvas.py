"""A canvas drawn by the processor is a widget like others: its picture is kept, and painted as it was drawn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from patience import wait_until
from PySide6.QtGui import QImage
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtWidgets import QApplication

from twin.view3d.gl.antialias import seen
from twin.view3d.view.hall_view import HallView


@pytest.fixture
def view(make_view: Callable[..., HallView], qapp: QApplication) -> HallView:
    """Return a view of the hall that was drawn."""
    made = make_view()
    if not made.capability.software:
        pytest.skip("a graphics card draws here")
    made.grab()
    qapp.processEvents()
    return made


def _painted(view: HallView) -> np.ndarray:
    image = view.native.grab().toImage().convertToFormat(QImage.Format.Format_RGBA8888)
    lines = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return lines[:, : image.width()].copy()


def test_what_is_painted_was_drawn_the_right_way_up(view: HallView):
    painted = _painted(view)
    assert painted[..., :3].std() > 5
    assert (painted[..., :3] == seen(view.native)).all()
    assert (painted[..., 3] == 255).all()


def test_a_picture_that_holds_is_painted_but_not_drawn_again(view: HallView, qapp: QApplication):
    drawn: list[object] = []
    view.canvas.events.draw.connect(drawn.append)
    view.native.repaint()
    qapp.processEvents()
    assert not drawn
    view.canvas.update()
    qapp.processEvents()
    assert len(drawn) == 1


def test_picture_has_the_size_of_the_widget_at_once(view: HallView, qapp: QApplication):
    view.native.resize(500, 300)
    qapp.processEvents()
    assert view.canvas.physical_size == (500, 300)
    assert _painted(view).shape == (300, 500, 4)

    def painted_as_drawn() -> bool:
        qapp.processEvents()
        return bool((_painted(view)[..., :3] == seen(view.native)).all())

    wait_until(painted_as_drawn, "the picture at rest is not the one on screen")


def test_no_window_is_put_together_in_opengl(view: HallView):
    assert not isinstance(view.native, QOpenGLWidget)


def test_window_has_the_picture_of_each_of_two_canvases(make_view: Callable[..., HallView], view: HallView):
    other = make_view()
    other.preset("top", animate=False)
    other.grab()
    assert (_painted(other)[..., :3] != _painted(view)[..., :3]).any()
    assert (_painted(view)[..., :3] == seen(view.native)).all()
