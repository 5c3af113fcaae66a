"""The base of painted charts: a toy has axis, tool tips, keys, an empty text, the theme's colours, and says itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QAccessible, QHelpEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from twin.app.toolkit.charts.axes import Axis, VisibleRange, round_step, round_times
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart, ZoomedChart
from twin.app.toolkit.charts.painting import ChartPainter, polygon
from twin.app.toolkit.charts.waterfall import WaterfallChart, WaterfallRow
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.look import Look

_DARK, _LIGHT = "#0a0d13", "#eef1f6"


class Toy(PaintedChart):
    """Bars over an axis of watts."""

    empty = "No racks yet"
    smooth = False

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Power of racks", hint=(200, 100), keys=True)
        self.powers_w: dict[str, float] = {}

    @property
    def is_empty(self) -> bool:
        return not self.powers_w

    def items(self) -> list[ChartItem]:
        up = Axis(0.0, 10.0, 90.0, 10.0)
        return [
            ChartItem(
                QRectF(40 + 50 * k, up.px(w), 40, 90 - up.px(w)), f"<b>{id}</b> {w} W", id, f"{id}, {w} watts"
            )
            for k, (id, w) in enumerate(self.powers_w.items())
        ]

    def paint(self, painter: ChartPainter) -> None:
        painter.fillRect(self.rect(), painter.theme.ground)
        painter.font_in(10)
        painter.value_marks(Axis(0.0, 10.0, 90.0, 10.0), [(5.0, "5 W")], QRectF(40, 10, 150, 80), grid=True)
        painter.fill_in(painter.theme.alarm)
        for item in self.items():
            painter.drawRect(item.spot)


@pytest.fixture
def look(qapp: QApplication) -> Iterator[Look]:
    made = Look(qapp, "dark")
    yield made
    made.close()


@pytest.fixture
def toy(look: Look, qtbot: QtBot) -> Toy:
    made = Toy(look)
    qtbot.addWidget(made)
    made.resize(200, 100)
    made.show()
    qtbot.waitExposed(made)
    return made


def colours(chart: PaintedChart) -> set[str]:
    picture: QImage = chart.grab().toImage()
    return {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}


def test_a_toy_says_that_it_is_empty_and_paints_when_it_is_not(toy: Toy) -> None:
    assert toy.theme.alarm not in colours(toy)
    assert len(colours(toy)) > 2  # the words
    toy.powers_w = {"rack/0": 4.0, "rack/1": 8.0}
    toy.refresh()
    shown = colours(toy)
    assert {_DARK, toy.theme.alarm, toy.theme.border} <= shown  # ground, bars, line of the axis
    assert (toy.sizeHint().width(), toy.accessibleName()) == (200, "Power of racks")


def test_a_toy_follows_the_theme(toy: Toy, look: Look) -> None:
    toy.powers_w = {"rack/0": 4.0}
    look.choose("light")
    assert _LIGHT in colours(toy)
    assert _DARK not in colours(toy)


def test_a_toy_has_tool_tips_and_is_read(toy: Toy, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    toy.powers_w = {"rack/0": 4.0, "rack/1": 8.0}
    told: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda place, words, widget: told.append(words))
    for place in (QPoint(60, 80), QPoint(110, 40), QPoint(60, 20)):
        QApplication.sendEvent(toy, QHelpEvent(QEvent.Type.ToolTip, place, toy.mapToGlobal(place)))
    assert told == ["<b>rack/0</b> 4.0 W", "<b>rack/1</b> 8.0 W", ""]
    read = QAccessible.queryAccessibleInterface(toy)
    for key, words in ((Qt.Key.Key_Down, "rack/0"), (Qt.Key.Key_Right, "rack/1"), (Qt.Key.Key_Up, "rack/0")):
        QTest.keyClick(toy, key)
        assert read.text(QAccessible.Text.Description).startswith(words)
    assert toy.current is not None
    assert toy.current.words == "rack/0, 4.0 watts"


def test_what_stands_is_painted_once(look: Look, qtbot: QtBot) -> None:
    class Kept(PaintedChart):
        keeps_ground = True
        grounds = 0

        def paint_ground(self, painter: ChartPainter) -> None:
            self.grounds += 1

    chart = Kept(look, "Ground")
    qtbot.addWidget(chart)
    chart.resize(50, 50)
    chart.show()
    qtbot.waitExposed(chart)
    chart.grab()
    painted = chart.grounds
    chart.grab()
    assert chart.grounds == painted
    for change in (chart.refresh, lambda: look.choose("light"), lambda: chart.resize(60, 50)):
        before = chart.grounds
        change()
        chart.grab()
        assert chart.grounds == before + 1


def test_one_looks_closer_and_moves_by_keys_and_mouse(look: Look, qtbot: QtBot) -> None:
    chart = ZoomedChart(look, "Closer", least=(10, 10))
    qtbot.addWidget(chart)
    chart.resize(200, 100)
    chart.across, chart.down = (
        VisibleRange(0.0, 100.0, 0.0, 100.0, 1.0),
        VisibleRange(0.0, 8.0, 0.0, 8.0, 1.0),
    )
    QTest.keyClick(chart, Qt.Key.Key_Plus)
    assert chart.across.high - chart.across.low == pytest.approx(80.0)
    assert chart.down.whole
    QTest.keyClick(chart, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert chart.down.high - chart.down.low == pytest.approx(6.4)
    low = chart.across.low
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert chart.across.low == pytest.approx(low - 8.0)
    QTest.mousePress(chart, Qt.MouseButton.LeftButton, pos=QPoint(100, 50))
    QTest.mouseMove(chart, QPoint(110, 50))
    QTest.mouseRelease(chart, Qt.MouseButton.LeftButton, pos=QPoint(110, 50))
    QTest.keyClick(chart, Qt.Key.Key_0)
    assert chart.across.whole
    assert chart.down.whole


def test_the_bars_of_a_waterfall_join(look: Look, qtbot: QtBot) -> None:
    class Fall(WaterfallChart):
        def make_rows(self) -> list[WaterfallRow]:
            ends = [
                ("All", 0.0, 10.0, 10.0, True),
                ("Lost", 4.0, 10.0, 4.0, False),
                ("Left", 0.0, 4.0, 4.0, True),
            ]
            return [
                WaterfallRow(title, (f"{high - low} h",), title, low, high, joins, "#ff0000", is_end=is_end)
                for title, low, high, joins, is_end in ends
            ]

    chart = Fall(look, "Hours")
    qtbot.addWidget(chart)
    chart.resize(500, 100)
    chart.describe()
    assert not chart.alone
    assert chart.bar(1).right() == pytest.approx(chart.bar(0).right())
    assert chart.bar(1).left() == pytest.approx(chart.bar(2).right())
    assert chart.accessibleDescription() == "All 10.0 h, Lost 6.0 h, Left 4.0 h"
    assert chart.said_at(chart.spot(1).center()) == "Lost"
    assert "#ff0000" in colours(chart)


def test_marks_are_round() -> None:
    assert [round_step(least) for least in (0.003, 1.0, 1.01, 30.0)] == pytest.approx([0.005, 1.0, 2.0, 50.0])
    clock = Clock(datetime.fromisoformat("2026-06-01T21:55-05:00"), dated=True)
    assert round_times(clock, 0.0, 3.0 * 3600.0, 3600.0) == [
        (300.0, "22:00"),
        (3900.0, "23:00"),
        (7500.0, "2 Jun"),
    ]
    assert round_times(clock, 7500.0, 7500.0, 3600.0, weekday=True) == [(7500.0, "Tue 2 Jun")]


def test_points_are_written_where_qt_keeps_them() -> None:
    x, y = np.arange(5.0), np.arange(5.0) ** 2
    assert list(polygon(x, y)) == [QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    assert polygon(np.zeros(0), np.zeros(0)).isEmpty()
