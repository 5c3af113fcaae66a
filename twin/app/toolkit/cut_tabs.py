"""Covers over the tabs of a scrolled bar that have no room: a torn letter at its edge says nothing."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar, QToolButton, QWidget

from twin.app.toolkit.look import Look

_WATCHED = (QEvent.Type.Paint, QEvent.Type.Resize, QEvent.Type.LayoutRequest, QEvent.Type.Show)
_NAME = "cut_tab"


class _Cover(QWidget):
    def __init__(self, look: Look, bar: QTabBar) -> None:
        super().__init__(bar)
        self._look = look
        self.setObjectName(_NAME)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground of the bar."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._look.theme.ground))
        painter.end()


class CutTabs(QObject):
    """Covers, in every bar it is shown, the tab that is cut at the left and the one cut at the right.

    The tab in front stays as it is, and what is covered can still be clicked.
    """

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look

    def watch(self, bar: QTabBar) -> None:
        """Cover what is cut of a bar from now on."""
        if not any(child.objectName() == _NAME for child in bar.children()):
            for _side in ("left", "right"):
                _Cover(self._look, bar).hide()
            bar.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the bar: it tells nobody that it was scrolled, but it is painted anew."""
        if event.type() in _WATCHED and isinstance(watched, QTabBar):
            covers = [child for child in watched.children() if child.objectName() == _NAME]
            for cover, place in zip(covers, cut_places(watched), strict=True):
                assert isinstance(cover, QWidget)
                if place.isEmpty():
                    cover.hide()
                elif place != cover.geometry() or cover.isHidden():
                    cover.setGeometry(place)
                    cover.show()
                    # What is shown while the bar is painted is not painted with it.
                    QTimer.singleShot(0, cover, cover.update)
        return False


def cut_places(bar: QTabBar) -> tuple[QRect, QRect]:
    """Return what is seen of the tab that is cut at the left of a bar, and of the one at the right; empty: none is."""
    arrows = [child.x() for child in bar.children() if isinstance(child, QToolButton) and child.isVisible()]
    end = min([*arrows, bar.width()])
    left = right = QRect()
    for place in range(bar.count()):
        tab = bar.tabRect(place)
        if place == bar.currentIndex():
            continue
        if tab.left() < 0 < tab.right():
            left = QRect(0, 0, tab.right() + 1, bar.height())
        elif tab.left() < end <= tab.right():
            right = QRect(tab.left(), 0, end - tab.left(), bar.height())
    return left, right
