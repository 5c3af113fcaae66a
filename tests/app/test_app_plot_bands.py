"""Plots on screen: a band and a mean of a long run, a single line of an hour, and what the pointer is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from plots_shown import Paints, plots_of
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from twin.app.plots.area import PlotArea
from twin.app.session.bounded_history import BoundedHistory
from twin.app.session.plot_pages import CURVES_SHOWN
from twin.app.toolkit.theme import CONTRAST, DARK, LIGHT, Theme

_DAY_S = 86_400.0
_MIDDLE_W, _SWING_W = 5e6, 4e6


@pytest.fixture
def history() -> BoundedHistory:
    """54 days of IT power that swings all the time, a facility that stands at 10 MW, and a goodput with a gap."""
    made = BoundedHistory(CURVES_SHOWN)
    for k, t_s in enumerate(np.arange(0.0, 54 * _DAY_S, 1200.0).tolist()):
        power_w = _MIDDLE_W + (_SWING_W if k % 2 else -_SWING_W)
        gap = 20 * _DAY_S < t_s < 30 * _DAY_S
        values = {"site.it_w": power_w, "site.facility_w": 1e7, "site.goodput_now": np.nan if gap else 90.0}
        made.append(t_s, tuple(values.get(name, 50.0) for name in CURVES_SHOWN))
    return made


@pytest.fixture
def area(qapp: QApplication, qtbot: QtBot, history: BoundedHistory) -> Iterator[PlotArea]:
    """Plots of it, on screen."""
    with plots_of(history, qapp, qtbot, 260, True) as made:
        yield made


def _zoom(area: PlotArea, from_s: float, to_s: float) -> None:
    """Choose a range of time as a hand does."""
    box = area.plots[0].getPlotItem().getViewBox()
    box.setRange(xRange=(from_s, to_s), padding=0.0)
    box.sigRangeChangedManually.emit([True, False])
    QApplication.processEvents()


def _pixel(area: PlotArea, t_s: float, value: float, number: int = 0) -> QColor:
    """Return the colour at a time [s] and a value in the unit of the axis."""
    return QColor(_image(area, number).pixel(_place(area, t_s, value, number)))


def _image(area: PlotArea, number: int = 0) -> QImage:
    QApplication.processEvents()
    image: QImage = area.plots[number].viewport().grab().toImage()
    return image


def _place(area: PlotArea, t_s: float, value: float, number: int = 0) -> QPoint:
    plot = area.plots[number]
    scene = plot.getPlotItem().getViewBox().mapViewToScene(QPointF(t_s, value))
    spot: QPoint = plot.viewportTransform().map(scene).toPoint()
    return spot


def _apart(one: QColor, other: QColor) -> int:
    return max(abs(a - b) for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True))


def _blend(theme: Theme, number: int, share: float = 0.25) -> QColor:
    """Return the colour of the band of a curve on the ground of plots."""
    over, under = QColor(theme.series[number]).getRgb(), QColor(theme.surface).getRgb()
    return QColor(*(round(share * a + (1 - share) * b) for a, b in zip(over[:3], under[:3], strict=True)))


def _tip(area: PlotArea, number: int, t_s: float) -> list[str]:
    """Return what the tool tip of a plot says at a time [s]."""
    plot = area.plots[number]
    area.tell_values(number, plot.getPlotItem().getViewBox().mapViewToScene(QPointF(t_s, 1.0)))
    lines: list[str] = plot.toolTip().split("\n")
    return lines


@pytest.mark.parametrize("theme", [DARK, LIGHT, CONTRAST], ids=lambda theme: theme.name)
def test_54_days_are_a_mean_in_a_band(area: PlotArea, theme: Theme) -> None:
    area.look.choose(theme.name)
    band, ground = _blend(theme, 0), QColor(theme.surface)
    for value in (2.1, 3.7, 6.3, 7.9):  # MW, between the lines of the grid
        for day in (7.3, 24.1, 47.7):
            assert _apart(_pixel(area, day * _DAY_S, value), band) <= 12, (value, day)
    assert _apart(_pixel(area, 24.1 * _DAY_S, 9.5), ground) <= 12
    place = _place(area, 24.1 * _DAY_S, 5.0)
    image = _image(area)
    near = [
        QColor(image.pixel(place.x() + dx, place.y() + dy)) for dx in range(-8, 8) for dy in (-2, -1, 0, 1, 2)
    ]
    assert min(_apart(colour, QColor(theme.series[0])) for colour in near) <= 40
    assert _apart(band, ground) >= 20  # it can be told from the ground


def test_an_hour_of_it_is_a_single_line(area: PlotArea) -> None:
    _zoom(area, 20 * _DAY_S, 20 * _DAY_S + 3 * 3600.0)
    assert area.curves["site.it_w"].band.path().isEmpty()
    image = _image(area)
    line = QColor(DARK.series[0])
    for minute in (25.0, 61.0, 137.0):
        x = _place(area, 20 * _DAY_S + minute * 60.0, 5.0).x()
        column = [
            QColor(image.pixel(x, y)) for y in range(_place(area, 0, 9.2).y(), _place(area, 0, 0.8).y())
        ]
        strong = [y for y, colour in enumerate(column) if _apart(colour, line) <= 90]
        assert 1 <= len(strong) <= 16  # the line is steep
        assert sum(_apart(colour, _blend(DARK, 0)) <= 4 for colour in column) <= 4


def test_a_gap_is_empty(area: PlotArea) -> None:
    _zoom(area, 0.0, 54 * _DAY_S)
    ground = QColor(DARK.surface)
    assert _apart(_pixel(area, 24.1 * _DAY_S, 90.0, 1), ground) <= 12
    place, image = _place(area, 10.3 * _DAY_S, 90.0, 1), _image(area, 1)
    near = [QColor(image.pixel(place.x(), place.y() + dy)) for dy in (-1, 0, 1)]
    assert min(_apart(colour, QColor(DARK.series[0])) for colour in near) <= 60


def test_the_pointer_is_told_a_sample_or_what_a_column_holds(area: PlotArea) -> None:
    head, it, facility = _tip(area, 0, 24.1 * _DAY_S)
    assert head == "29 Jan 00:00:00 to 29 Jan 12:00:00, 36 samples"
    assert it == "IT: mean 5.00 MW, min. 1.00 MW, max. 9.00 MW"
    assert facility == "facility: mean 10.0 MW, min. 10.0 MW, max. 10.0 MW"
    assert _tip(area, 1, 24.1 * _DAY_S)[1] == "now: \N{EM DASH}"
    assert _tip(area, 0, 54.5 * _DAY_S)[0].startswith(
        "27 Feb 12:00:00 to 28 Feb 00:00:00"
    )  # right of the end
    _zoom(area, 20 * _DAY_S, 20 * _DAY_S + 7200.0)
    assert _tip(area, 0, 20 * _DAY_S + 1300.0) == [  # the sample nearest to the pointer
        "25 Jan 00:20:00, 20 d 00:20:00 after the start",
        "IT: 9.00 MW",
        "facility: 10.0 MW",
    ]


def test_the_whole_run_is_followed_until_somebody_zooms_in_and_again_when_they_zoom_out(
    area: PlotArea, history: BoundedHistory
) -> None:
    boxes = [plot.getPlotItem().getViewBox() for plot in area.plots]

    def grow() -> float:
        t_s = float(history.times_s()[-1]) + _DAY_S
        history.append(t_s, tuple(2e7 for _ in CURVES_SHOWN))
        area.draw()
        return t_s

    for _ in range(2):
        end_s = grow()
        for box in boxes:
            from_s, to_s = box.viewRange()[0]
            assert from_s == pytest.approx(0.0, abs=0.03 * end_s)
            assert end_s < to_s < 1.03 * end_s
        assert boxes[0].viewRange()[1][1] > 20.0
        _wheel(area, 1)
        kept = boxes[0].viewRange()[0]
        grow()
        assert boxes[0].viewRange()[0] == kept
        _wheel(area, -40)


def _wheel(area: PlotArea, notches: int) -> None:
    """Turn the wheel over the middle of the first plot."""
    viewport = area.plots[0].viewport()
    for _ in range(abs(notches)):
        spot = QPointF(viewport.rect().center())
        turned = QPoint(0, 120 if notches > 0 else -120)
        event = QWheelEvent(
            spot,
            viewport.mapToGlobal(spot),
            QPoint(),
            turned,
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(viewport, event)
    QApplication.processEvents()


@pytest.mark.parametrize("change", ["size", "range", "data"])
def test_a_change_is_painted_and_then_there_is_rest(
    area: PlotArea, history: BoundedHistory, qtbot: QtBot, change: str
) -> None:
    changes: dict[str, Callable[[], object]] = {
        "size": lambda: area.resize(620, 230),
        "range": lambda: _zoom(area, 10 * _DAY_S, 30 * _DAY_S),
        "data": area.draw,
    }
    history.append(float(history.times_s()[-1]) + 600.0, tuple(2e7 for _ in CURVES_SHOWN))
    columns = area.columns[0]
    paints = Paints()
    area.plots[0].viewport().installEventFilter(paints)
    changes[change]()
    qtbot.waitUntil(lambda: paints.count > 0)
    before = -1
    while paints.count > before and paints.count < 20:
        before = paints.count
        qtbot.wait(100)
    assert 1 <= paints.count <= 4
    assert area.columns[0] is not columns
    box = area.plots[0].getPlotItem().getViewBox()
    laid_out = area.columns[0]
    assert laid_out is not None
    from_s, to_s = box.viewRange()[0]
    assert laid_out.edges_s[0] <= from_s
    assert laid_out.edges_s[-1] >= to_s
