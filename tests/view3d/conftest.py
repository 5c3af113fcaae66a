"""Halls to look at, and a view that fails the test when vispy swallowed an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication

from twin.plant.geometry import Geometry, build_geometry
from twin.plant.tables import Plant
from twin.record.frame import Frame
from twin.view3d.base.state import ViewState
from twin.view3d.view.bench_hall import frame_of, hall_of
from twin.view3d.view.hall_view import HallView

if QCoreApplication.instance() is None:
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)


@pytest.fixture(scope="session")
def hall() -> Plant:
    return hall_of(1024, racks_per_row=8)


@pytest.fixture(scope="session")
def geometry(hall: Plant) -> Geometry:
    return build_geometry(hall)


@pytest.fixture
def frame(hall: Plant) -> Frame:
    frame = frame_of(hall)
    frame.values["gpu.temp_c"][:] = 60.0
    frame.values["gpu.state"][:] = 3
    frame.values["gpu.job"][:] = 0
    return frame


@pytest.fixture
def make_view(qapp: QApplication, hall: Plant) -> Iterator[Callable[..., HallView]]:
    """Make views of the hall; each must end without an error in vispy's log."""
    made: list[HallView] = []

    def make(state: ViewState | None = None, **more: object) -> HallView:
        view = HallView(state or ViewState(), size=(640, 400), show=True, **more)  # type: ignore[arg-type]
        made.append(view)
        qapp.processEvents()
        view.set_plant(hall)
        qapp.processEvents()
        return view

    yield make
    errors = [error for view in made for error in view.errors]
    for view in made:
        view.close()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not errors, errors
