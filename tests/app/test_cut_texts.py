"""Texts that have too little room are found, whatever shows them; those with room are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cut_texts import cut, cut_in
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTabBar,
    QTableView,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import ChartPainter
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.overflow_row import ToolRow
from twin.app.toolkit.row_table import Heads, RowTable
from twin.app.toolkit.text_fields import ElidedLabel

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

_WORDS = "Awaiting technicians and parts"


@pytest.fixture
def look(qapp: QApplication) -> Iterator[Look]:
    look = Look(qapp, "dark")
    yield look
    look.close()


class _Chart(PaintedChart):
    def paint(self, painter: ChartPainter) -> None:
        for y in (0.0, self.apart):
            painter.write(QRectF(0, y, self.width(), 14), _WORDS, self.theme.text, 11, elided=self.ends)

    apart, ends, told = 20.0, False, ""

    def items(self) -> list[ChartItem]:
        return [ChartItem(QRectF(self.rect()), self.told)] if self.told else []


def _elided(_look: Look) -> QWidget:
    made = ElidedLabel("muted")
    made.setText(_WORDS)
    return made


def _tool(_look: Look) -> QWidget:
    made = QToolButton()
    made.setText(_WORDS)
    return made


def _tabs(_look: Look) -> QWidget:
    made = QTabBar()
    made.addTab(_WORDS)
    made.setExpanding(True)
    return made


def _box(_look: Look) -> QWidget:
    made = DropDown()
    made.addItem(_WORDS)
    return made


def _line(_look: Look) -> QWidget:
    made = QLineEdit()
    made.setPlaceholderText(_WORDS)
    return made


def _table(_look: Look) -> QWidget:
    model = QStandardItemModel(1, 1)
    model.setHorizontalHeaderLabels([_WORDS])
    made = QTableView()
    model.setParent(made)
    made.setModel(model)
    made.verticalHeader().hide()
    made.horizontalHeader().setMinimumSectionSize(10)
    made.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    return made


_KINDS: dict[str, Callable[[Look], QWidget]] = {
    "label": lambda _look: label(_WORDS),
    "wrapped label": lambda _look: label(_WORDS, wrap=True),
    "label with an ellipsis": _elided,
    "button": lambda _look: QPushButton(_WORDS),
    "tool": _tool,
    "tabs": _tabs,
    "drop-down": _box,
    "placeholder": _line,
    "head": _table,
}


@pytest.mark.parametrize("kind", _KINDS)
def test_a_cut_text_is_found(kind: str, look: Look, qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    page.resize(700, 300)
    widget = _KINDS[kind](look)
    widget.setParent(page)
    page.show()
    widget.setMinimumWidth(0)
    for wide_px, high_px, wrong in ((500, 60, False), (40, 60, True)):
        widget.resize(wide_px, high_px)
        QApplication.processEvents()
        assert bool(cut(page)) == wrong, [str(each) for each in cut(page)]


def test_what_reaches_over_its_parent_is_found(look: Look, qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    made = label(_WORDS)
    made.setParent(page)
    made.resize(300, 20)
    page.resize(250, 60)
    page.show()
    assert [each.has for each in cut(page)] == [QSize(250, 20)]


def test_painted_words_are_found_where_they_are_cut_or_touch(look: Look, qtbot: QtBot) -> None:
    chart = _Chart(look, "Toy")
    qtbot.addWidget(chart)
    chart.resize(400, 60)
    chart.show()
    assert cut_in(chart) == []
    chart.apart = 4.0
    assert "lie over each other" in cut_in(chart)[0]
    chart.apart = 20.0
    chart.resize(90, 60)
    assert len(cut_in(chart)) >= 2
    chart.ends = True
    assert len(cut_in(chart)) == 2, "nobody tells the rest"
    chart.told = _WORDS
    assert cut_in(chart) == []
    chart.resize(40, 60)
    assert len(cut_in(chart)) == 2, "too little is seen"


def test_tools_without_room_are_in_a_menu_and_work_from_there(look: Look, qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    row = ToolRow(look)
    row.setParent(page)
    buttons = {name: QPushButton(name) for name in ("Accept the finding", "What falls", "Findings")}
    clicked: list[str] = []
    for name, button in buttons.items():
        button.clicked.connect(lambda _=False, name=name: clicked.append(name))
        row.add(button)
    buttons["What falls"].setCheckable(True)
    page.show()
    row.resize(row.sizeHint().width(), 30)
    assert not row.more_button.isVisible()
    assert all(button.isVisible() for button in buttons.values())
    row.resize(buttons["Accept the finding"].sizeHint().width() + 40, 30)
    assert [button.isVisible() for button in buttons.values()] == [True, False, False]
    assert row.more_button.isVisible()
    falls, findings = row.menu().actions()
    falls.trigger()
    assert buttons["What falls"].isChecked()
    findings.trigger()
    assert clicked == ["What falls", "Findings"]
    row.want(buttons["Findings"], False)
    assert [action.text() for action in row.menu().actions()] == ["What falls"]
    row.resize(row.sizeHint().width(), 30)
    assert [button.isVisible() for button in buttons.values()] == [True, True, False]


def test_a_drop_down_is_cut_where_its_icon_leaves_no_room(look: Look, qtbot: QtBot) -> None:
    box = DropDown()
    qtbot.addWidget(box)
    box.addItem("Power feeds")
    box.show()
    room_px = box.fontMetrics().horizontalAdvance("Power feeds")
    widths_px = range(room_px, 2 * room_px + 100)
    box.resize(next(px for px in widths_px if not resized(box, px).is_cut), box.height())
    box.setItemIcon(0, look.icon("bolt"))
    assert box.is_cut
    assert not resized(box, box.width() + 40).is_cut


def resized(box: DropDown, width_px: int) -> DropDown:
    """Return a box with another width."""
    box.resize(width_px, box.height())
    return box


def test_heads_look_after_their_height_once_when_the_width_is_shared(
    look: Look, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = QStandardItemModel(1, 6)
    table = RowTable(look, "Toy", 24, model)
    qtbot.addWidget(table)
    table.resize(700, 200)
    table.share_width(lambda: dict.fromkeys(range(5), table.width() // 8), 5, follows_width=True)
    table.show()
    looks: list[int] = []
    hint = Heads.sizeHint
    monkeypatch.setattr(Heads, "sizeHint", lambda heads: (looks.append(1), hint(heads))[1])
    table.resize(960, 200)
    assert [table.columnWidth(column) for column in range(5)] == [120] * 5
    assert len(looks) < 6


def test_columns_follow_the_size_of_text_and_no_word_of_a_head_is_cut(look: Look, qtbot: QtBot) -> None:
    model = QStandardItemModel(1, 3)
    model.setHorizontalHeaderLabels(["Thing", "Interruptions a year", "What happens"])
    table = RowTable(look, "Toy", 24, model)
    qtbot.addWidget(table)
    table.resize(700, 200)
    table.share_width({0: 80, 1: 20}, 2)
    table.show()
    before = [table.columnWidth(column) for column in range(3)]
    assert before[0] == 80
    assert before[1] == table.heads.least_px(1) > 20
    assert sum(before) == table.viewport().width()
    assert table.heads.height() > 1.5 * table.fontMetrics().height() + 10, "two lines"
    look.scale_text(1.5)
    qtbot.waitUntil(lambda: table.columnWidth(0) == 120)
    assert table.columnWidth(1) == table.heads.least_px(1) > before[1]
    assert cut(table) == []
    look.scale_text(1.0)
    qtbot.waitUntil(lambda: [table.columnWidth(column) for column in range(3)] == before)


@pytest.mark.gl
def test_nothing_is_cut_in_any_workspace(
    use_window: Callable[[Path], MainWindow], lab: Path, qtbot: QtBot
) -> None:
    window = use_window(lab)
    window.resize(1280, 800)
    for workspace in ("design", "run", "analyse", "teach"):
        window.docks.enter(workspace)
        qtbot.waitUntil(lambda shown=window: [str(each) for each in cut(shown)] == [])
    window.docks.enter("run")
