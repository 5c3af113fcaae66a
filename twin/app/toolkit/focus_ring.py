"""The ring round the widget that has the keyboard: one for all windows, whatever draws the widget."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QRegion, QWindow
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QMainWindow, QWidget
from shiboken6 import isValid

from twin.app.toolkit.theme import Theme

_KEYS = (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
_MOVES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide)


class FocusRing(QObject):
    """Follows the keyboard from widget to widget.

    It is seen from the first key that somebody presses until the mouse is pressed again: who points needs no ring.

    Parameters
    ----------
    app
        Says what has the keyboard.
    theme
        Returns the theme of now: colour and width.
    """

    def __init__(self, app: QApplication, theme: Callable[[], Theme]) -> None:
        super().__init__()
        self._app, self._theme = app, theme
        self._by_keys = False
        self._ring: _Ring | None = None
        self._watched: list[QWidget] = []
        self._windows: list[QWindow] = []
        app.focusChanged.connect(self.on_focus)

    @property
    def seen(self) -> QRect | None:
        """Return where the ring is in its window; None while there is none."""
        ring = self._ring
        return ring.geometry() if ring is not None and isValid(ring) and ring.isVisible() else None

    def close(self) -> None:
        """Let go of the application and its windows."""
        self._app.focusChanged.disconnect(self.on_focus)
        self._unwatch()
        for window in self._windows:
            if isValid(window):
                window.removeEventFilter(self)
        self._drop()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """See keys and presses of the mouse that come to a window; follow what the ring is round."""
        kind = event.type()
        if isinstance(watched, QWindow):
            if kind in _KEYS and not self._by_keys:
                self._by_keys = True
                self._place()
            elif kind == QEvent.Type.MouseButtonPress and self._by_keys:
                self._by_keys = False
                self._place()
        elif kind in _MOVES:
            self._place()
        return False

    def on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        """Put the ring round the widget that has the keyboard now."""
        self._unwatch()
        if now is not None and isValid(now):  # its dialog may close as it gets the keyboard
            self._listen_to(now.window())
            widget: QWidget | None = now
            while widget is not None:
                widget.installEventFilter(self)
                self._watched.append(widget)
                widget = None if widget.isWindow() else widget.parentWidget()
        self._place()

    def _listen_to(self, window: QWidget) -> None:
        handle: QWindow | None = window.windowHandle()
        if handle is not None and handle not in self._windows:
            self._windows = [each for each in self._windows if isValid(each)]
            self._windows.append(handle)
            handle.installEventFilter(self)

    def _unwatch(self) -> None:
        for widget in self._watched:
            if isValid(widget):
                widget.removeEventFilter(self)
        self._watched.clear()

    def _place(self) -> None:
        widget = self._app.focusWidget()
        if widget is None or not self._by_keys or not _can_have_ring(widget):
            if self._ring is not None and isValid(self._ring):
                self._ring.hide()
            return
        window = widget.window()
        if self._ring is None or not isValid(self._ring) or self._ring.parentWidget() is not window:
            self._drop()
            self._ring = _Ring(self._theme, window)
        self._ring.surround(_seen_part(widget), window.rect())

    def _drop(self) -> None:
        if self._ring is not None and isValid(self._ring):
            self._ring.hide()
            self._ring.deleteLater()
        self._ring = None


class _Ring(QWidget):
    def __init__(self, theme: Callable[[], Theme], window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self.setObjectName("focus ring")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def surround(self, rect: QRect, room: QRect) -> None:
        """Stand round a rectangle of the window, inside it where the window has no room outside."""
        width = self._theme().ring_px
        place = rect.adjusted(-width, -width, width, width) & room
        self.setGeometry(place)
        whole = QRect(0, 0, place.width(), place.height())
        self.setMask(QRegion(whole) - QRegion(whole.adjusted(width, width, -width, -width)))
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill what the mask leaves."""
        QPainter(self).fillRect(self.rect(), QColor(self._theme().accent))


def next_seen(step: Callable[[], bool]) -> bool:
    """Step to the next widget that takes the keyboard and is not out of sight; return whether there is one."""
    met = [QApplication.focusWidget()]  # where it stood may be hidden by now, and never be come to again
    while step():
        now = QApplication.focusWidget()
        if now is None or now in met or not _out_of_sight(now):
            return True
        met.append(now)
    return False


def _out_of_sight(widget: QWidget) -> bool:
    """Return whether a widget is behind a tab; one that is scrolled away comes back when it has the keyboard."""
    shown, parent = widget, widget.parentWidget()
    while parent is not None:
        shown = parent if isinstance(parent, QAbstractScrollArea) else shown
        parent = None if parent.isWindow() else parent.parentWidget()
    return _seen_part(shown).isEmpty()


def _can_have_ring(widget: QWidget) -> bool:
    return widget.isVisible() and not isinstance(widget, QMainWindow) and not _in_popup(widget)


def _in_popup(widget: QWidget) -> bool:
    return widget.window().windowType() in (Qt.WindowType.Popup, Qt.WindowType.ToolTip)


def _seen_part(widget: QWidget) -> QRect:
    """Return what is seen of a widget, in its window: a list scrolled away is cut off by its frame."""
    window = widget.window()
    seen = QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())
    parent = widget.parentWidget()
    while parent is not None:
        seen &= QRect(parent.mapTo(window, parent.rect().topLeft()), parent.size())
        parent = None if parent is window else parent.parentWidget()
    return seen
