"""What of a widget's texts has too little room: measured as the style paints them, not as somebody meant them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from itertools import combinations
from typing import Any
from unittest import mock

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QTextDocument
from PySide6.QtGui import Qt as Text
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QDockWidget,
    QGroupBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPushButton,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStyleOptionFrame,
    QStyleOptionHeaderV2,
    QTabBar,
    QToolButton,
    QWidget,
)

from twin.app.toolkit.charts.chart import PaintedChart, ZoomedChart
from twin.app.toolkit.charts.painting import LEFT, ChartPainter
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.standing_badge import StandingBadge
from twin.app.toolkit.text_fields import ElidedLabel

READABLE = 12
"""So many letters of a text that ends in an ellipsis are seen, or all of it; of a longer one a third at least of as
many."""
_ROUND_PX = 1
_FREE_PX = 6
"""What Qt leaves free round the words of a tool button, beside two spaces and the padding of the stylesheet."""
_CURSOR_PX = 2
"""What a line of text leaves free at its ends for the cursor."""
_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly


@dataclass(frozen=True)
class Cut:
    """A text that has too little room, and how much [px]."""

    widget: QWidget
    text: str
    has: QSize
    needs: QSize

    def __str__(self) -> str:
        return (
            f"{self.text!r} has {self.has.width()} x {self.has.height()} px "
            f"of {self.needs.width()} x {self.needs.height()}"
        )


def texts_shown(root: QWidget) -> Iterator[Cut]:
    """Yield every text on screen below a widget with the room that it has and needs."""
    for widget in (root, *root.findChildren(QWidget)):
        if widget.isVisible() and not _is_behind(widget):
            for text in _texts(widget):
                yield text
                seen = _seen(widget)
                if seen != widget.size() and text.text:
                    yield Cut(widget, text.text, seen, widget.size())


def _is_behind(widget: QWidget) -> bool:
    """Return whether a widget is in a dock behind others: Qt moves those out of the window, and does not hide them."""
    at: QWidget | None = widget
    while at is not None and not isinstance(at.parentWidget(), QMainWindow):
        at = at.parentWidget()
    if not isinstance(at, (QDockWidget, QTabBar)) or at.isWindow():
        return False
    return not at.parentWidget().rect().intersects(at.geometry())


def cut(root: QWidget) -> list[Cut]:
    """Return the texts below a widget that are cut."""
    return [text for text in texts_shown(root) if is_cut(text)]


def is_cut(text: Cut) -> bool:
    """Return whether a text has too little room."""
    less = text.needs.width() > text.has.width() + _ROUND_PX
    return less or text.needs.height() > text.has.height() + _ROUND_PX


def _texts(widget: QWidget) -> Iterator[Cut]:
    if isinstance(widget, ElidedLabel):
        yield _elided(widget, widget.text(), widget.contentsRect().size(), has_tip=True)
    elif isinstance(widget, StandingBadge):  # its mark stands for its word, which its tip and name say
        if widget.text():
            yield Cut(widget, widget.text(), widget.size(), widget.minimumSizeHint())
    elif isinstance(widget, QLabel):
        if widget.text():
            yield Cut(widget, _plain(widget.text()), widget.size(), _label_needs(widget))
    elif isinstance(widget, QAbstractButton):
        if widget.text() and not (isinstance(widget, QToolButton) and not _says_text(widget)):
            yield Cut(widget, widget.text(), widget.size(), _button_needs(widget))
    elif isinstance(widget, QTabBar):
        yield from _tabs(widget)
    elif isinstance(widget, QComboBox):
        yield from _drop_down(widget)
    elif isinstance(widget, QHeaderView):
        yield from _heads(widget)
    elif isinstance(widget, QGroupBox):
        if widget.title():
            yield Cut(widget, widget.title(), widget.size(), widget.minimumSizeHint())
    elif isinstance(widget, QAbstractSpinBox):
        edit = widget.findChild(QLineEdit, options=_DIRECT)
        if edit is not None:
            yield _line(edit, edit.text())
    elif (
        isinstance(widget, QLineEdit)
        and not widget.text()
        and widget.placeholderText()
        and not _is_inner(widget)
    ):
        yield _line(widget, widget.placeholderText())


def _is_inner(line: QLineEdit) -> bool:
    return isinstance(line.parentWidget(), (QAbstractSpinBox, QComboBox))


def _plain(text: str) -> str:
    if not Text.mightBeRichText(text):
        return text
    document = QTextDocument()
    document.setHtml(text)
    return document.toPlainText()


def _label_needs(label: QLabel) -> QSize:
    if not label.wordWrap():
        return label.sizeHint()
    # A word that has a line to itself and no room there is cut: the least width that Qt tells is less than that.
    frame = label.width() - label.contentsRect().width()
    words = max(_plain(label.text()).split(), key=len, default="")
    word_px = label.fontMetrics().horizontalAdvance(words)
    return QSize(frame + word_px, label.heightForWidth(label.width()))


def _says_text(button: QToolButton) -> bool:
    return button.icon().isNull() or button.toolButtonStyle() != Qt.ToolButtonStyle.ToolButtonIconOnly


def _button_needs(button: QAbstractButton) -> QSize:
    needs = button.sizeHint()
    if isinstance(
        button, QPushButton
    ):  # its edges may be narrower than wanted as long as its words are whole
        option = QStyleOptionButton()
        button.initStyleOption(option)
        inner = button.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, button)
        icon = 0 if button.icon().isNull() else button.iconSize().width() + 4
        words = button.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, button.text())
        return QSize(button.width() - inner.width() + words.width() + icon, words.height())
    if isinstance(button, QToolButton):
        free = 2 * button.fontMetrics().horizontalAdvance(" ") + _FREE_PX
        return needs - QSize(free, _FREE_PX)
    return needs


def _tabs(bar: QTabBar) -> Iterator[Cut]:
    metrics = bar.fontMetrics()
    for place in range(bar.count()):
        spot = bar.tabRect(place)
        if place == bar.currentIndex():  # others are scrolled to
            spot = spot.intersected(bar.rect())
        words = metrics.size(Qt.TextFlag.TextShowMnemonic, bar.tabText(place))
        yield Cut(bar, bar.tabText(place), spot.size(), words + QSize(_TAB_EDGES_PX, 0))


_TAB_EDGES_PX = 28


def _drop_down(box: QComboBox) -> Iterator[Cut]:
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    part = QStyle.SubControl.SC_ComboBoxEditField
    room = box.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, box)
    words = box.currentText()
    if words:
        icon = 0 if option.currentIcon.isNull() else box.iconSize().width() + 4
        room.setWidth(room.width() - icon)
        yield _elided(box, words, room.size(), has_tip=isinstance(box, DropDown))


def drop_down_list(box: QComboBox) -> Iterator[Cut]:
    """Yield what the list of a drop-down says, while it is open."""
    view = box.view()
    for row in range(box.count()):
        needs = view.sizeHintForIndex(view.model().index(row, box.modelColumn(), box.rootModelIndex()))
        if box.itemText(row):
            yield Cut(view, box.itemText(row), QSize(view.viewport().width(), needs.height()), needs)


def _heads(header: QHeaderView) -> Iterator[Cut]:
    model = header.model()
    if model is None or header.orientation() == Qt.Orientation.Vertical:
        return
    for section in range(header.count()):
        words = str(model.headerData(section, Qt.Orientation.Horizontal) or "")
        if words and not header.isSectionHidden(section):
            option = QStyleOptionHeaderV2()
            header.initStyleOption(option)
            header.initStyleOptionForIndex(option, section)
            option.rect = QRect(0, 0, header.sectionSize(section), header.height())
            room = header.style().subElementRect(QStyle.SubElement.SE_HeaderLabel, option, header)
            bold = header.font()
            bold.setWeight(QFont.Weight.DemiBold)
            lines = option.textAlignment.value & Qt.TextFlag.TextWordWrap.value
            flags = Qt.TextFlag.TextWordWrap if lines else Qt.TextFlag.TextSingleLine
            needs = QFontMetrics(bold).boundingRect(room, flags, words).size()
            yield Cut(header, words, room.size(), needs)


def _line(edit: QLineEdit, words: str) -> Cut:
    option = QStyleOptionFrame()
    edit.initStyleOption(option)
    room = edit.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, edit)
    margins = edit.textMargins()
    room.adjust(margins.left() + _CURSOR_PX, 0, -margins.right() - _CURSOR_PX, 0)
    return _elided(edit, words, room.size(), has_tip=not edit.text() and bool(edit.toolTip()))


def _elided(widget: QWidget, text: str, room: QSize, *, has_tip: bool) -> Cut:
    """Return how much is needed of a text that ends in an ellipsis: all, or where a tip tells it, what can be read."""
    metrics = widget.fontMetrics()
    needs = metrics.horizontalAdvance(text)
    if has_tip:
        needs = min(
            needs,
            metrics.horizontalAdvance(f"{text[: max(READABLE, len(text) // 3)]}\N{HORIZONTAL ELLIPSIS}"),
        )
    return Cut(widget, text, room, QSize(needs, 0))


def _seen(widget: QWidget) -> QSize:
    """Return how much of a widget is within what is round it; what can be scrolled to counts."""
    spot = widget.rect()
    at = widget
    while not at.isWindow():
        spot = spot.translated(at.pos())
        above = at.parentWidget()
        area = above.parentWidget()
        if isinstance(area, QAbstractScrollArea) and area.viewport() is above:
            if area.horizontalScrollBarPolicy() != Qt.ScrollBarPolicy.ScrollBarAlwaysOff:
                break
            spot = QRect(spot.left(), 0, spot.width(), above.height())
        spot = spot.intersected(above.rect())
        at = above
    return QSize(spot.width(), max(spot.height(), 0))


@dataclass(frozen=True)
class Written:
    """Words that a chart has painted: where, and in what room [px of the chart]."""

    words: str
    spot: QRectF
    room: QRectF
    needs: float
    ends: bool
    """Whether they end in an ellipsis where there is no room."""


def written(chart: PaintedChart) -> list[Written]:
    """Return what a chart paints in words."""
    found: list[Written] = []
    paint = ChartPainter.write

    def write(painter: ChartPainter, spot: QRectF, words: str, ink: Any, px: int = 0, **how: Any) -> None:
        paint(painter, spot, words, ink, px, **how)
        to = how.get("to", LEFT)
        place = painter.fontMetrics().boundingRect(spot.toRect(), to | Qt.TextFlag.TextDontClip, words)
        across = painter.combinedTransform()
        if how.get("elided"):
            place = place.intersected(spot.toAlignedRect())
        needs = across.mapRect(QRectF(0, 0, painter.wide(words), 1)).width()
        spots = across.mapRect(QRectF(place)), across.mapRect(spot)
        found.append(Written(words, *spots, needs, how.get("elided", False)))

    with mock.patch.object(ChartPainter, "write", write):
        chart.refresh()
        chart.grab()
    return [each for each in found if each.words]


def charts_shown(root: QWidget) -> list[PaintedChart]:
    """Return the charts on screen below a widget."""
    found = root.findChildren(PaintedChart)
    return [chart for chart in found if chart.isVisible() and not _is_behind(chart)]


def cut_in(chart: PaintedChart) -> list[str]:
    """Return what is wrong with the words of a chart: cut at their room or the chart's edge, or over each other."""
    items = [item for item in chart.items() if item.said]
    edge, wrong = QRectF(chart.rect()).adjusted(-1, -1, 1, 1), []
    shown = written(chart)
    for each in shown:
        needs, has = each.needs, each.room.width()
        if each.ends:
            told = each.words in chart.toolTip() or any(
                item.spot.contains(each.spot.center()) or each.words in unescape(item.said) for item in items
            )
            letters = max(READABLE, len(each.words) // 3)
            needs = min(needs, needs * letters / len(each.words)) if told else needs
        elif (
            not edge.contains(each.spot) and edge.intersects(each.spot) and not isinstance(chart, ZoomedChart)
        ):
            wrong.append(f"{each.words!r} is cut at the edge: {each.spot} of {edge}")
        if needs > has + _ROUND_PX + 1:
            wrong.append(f"{each.words!r} has {has:.0f} of {needs:.0f} px")
    for one, other in combinations(shown, 2):
        over = one.spot.intersected(other.spot)
        if over.width() > 1.5 and over.height() > 0.3 * min(one.spot.height(), other.spot.height()):
            wrong.append(f"{one.words!r} and {other.words!r} lie over each other")
    return wrong
