"""Presenting: the hall fills the window, all else is put away, and the keys of a clicker lead through the chapters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMainWindow, QWidget

from twin.app.hall.panel import HallPanel
from twin.app.session.session import Session
from twin.app.toolkit.look import Look
from twin.app.toolkit.settings import UserSettings
from twin.app.tour.card import ChapterCard
from twin.app.tour.notes_window import NotesWindow
from twin.app.tour.tour import Tour
from twin.app.tour.trials import OpensDocks, Trials
from twin.language import tr
from twin.scenario.schema.chapter import ChapterTrial
from twin.view3d.base.state import CameraPose

_LARGE, _HIGH_PX = (1.3, 1.5), 850
"""Size of text, and of labels of the hall, in pictures lower and higher than this."""
_NUMBERS = range(Qt.Key.Key_1, Qt.Key.Key_9 + 1)


class DocksAway(OpensDocks, Protocol):
    """Puts the docks away and brings them back as they were."""

    def put_away(self) -> None:
        """Hide them all, and the transport."""

    def bring_back(self) -> None:
        """Show again what was hidden."""


@dataclass(frozen=True)
class _Before:
    """How the window stood."""

    camera: CameraPose
    colour_by: str
    layers: frozenset[str]
    selection: tuple[str, ...]
    text_scale: float
    state: Qt.WindowState
    hidden: tuple[QWidget, ...]


class Presenting(QObject):
    """The presentation of the open scene.

    Attributes
    ----------
    on
        Whether it is shown.
    """

    changed = Signal(bool)

    def __init__(
        self,
        look: Look,
        session: Session,
        hall: HallPanel,
        window: QMainWindow,
        docks: DocksAway,
        tour: Tour,
        trials: Trials,
        settings: UserSettings,
        tell: Callable[[str], None],
    ) -> None:
        super().__init__(window)
        self._look, self._session, self._hall, self._window = look, session, hall, window
        self._docks, self.tour, self._trials, self._tell = docks, tour, trials, tell
        self._before: _Before | None = None
        self.card = ChapterCard(look, hall, tour)
        self.notes = NotesWindow(look, settings, tour, window)
        self.card.tried.connect(self._try)
        tour.changed.connect(self._follow)
        session.time_changed.connect(lambda _: self._tell_moment())
        session.opened.connect(lambda _: self.leave())
        self._keys: dict[int, Callable[[], object]] = {
            Qt.Key.Key_Right: tour.next,
            Qt.Key.Key_PageDown: tour.next,
            Qt.Key.Key_Down: tour.next,
            Qt.Key.Key_Return: tour.next,
            Qt.Key.Key_Left: tour.back,
            Qt.Key.Key_PageUp: tour.back,
            Qt.Key.Key_Up: tour.back,
            Qt.Key.Key_Home: partial(tour.go, 0),
            Qt.Key.Key_Space: tour.toggle,
            Qt.Key.Key_Escape: self.leave,
            Qt.Key.Key_N: self.toggle_notes,
        }

    @property
    def on(self) -> bool:
        """Return whether the presentation is shown."""
        return self._before is not None

    def toggle(self) -> None:
        """Begin, or leave."""
        self.leave() if self.on else self.begin()

    def begin(self, place: int | None = None) -> None:
        """Begin with a chapter, None: with that of the time on screen; notes come where there is a second screen."""
        if self.on or self._session.document is None:
            return
        if not self.tour.stops:
            told = self._session.document.scenario.chapters
            late = tr("All chapters of this scene begin after the end of its run")
            self._tell(
                late if told else tr("This scene has no chapters: write some under “chapters” in its file")
            )
            return
        window, state, hall = self._window, self._hall.state, self._hall
        around = (window.menuBar(), window.statusBar(), hall.strip)
        self._before = _Before(
            hall.view.pose,
            state.colour_by,
            state.layers,
            state.selection,
            self._look.text_scale,
            window.windowState(),
            tuple(widget for widget in around if not widget.isHidden()),
        )
        self._docks.put_away()
        for widget in self._before.hidden:
            widget.hide()
        window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)
        larger = _LARGE[window.screen().size().height() >= _HIGH_PX]
        self._look.scale_text(max(self._before.text_scale, larger))
        state.label_scale, hall.steady = larger, True
        app = QApplication.instance()
        assert app is not None
        app.installEventFilter(self)
        if len(QGuiApplication.screens()) > 1:
            self.notes.begin()
            window.activateWindow()
        hall.view.native.setFocus()
        self.changed.emit(True)
        if place is None:
            self.tour.begin()
        else:
            self.tour.go(place)

    def leave(self) -> None:
        """Put everything back as it was; the run stands where it was left."""
        before, self._before = self._before, None
        if before is None:
            return
        app = QApplication.instance()
        assert app is not None
        app.removeEventFilter(self)
        self.tour.leave()
        self.card.follow()
        self.notes.end()
        self._look.scale_text(before.text_scale)
        self._window.setWindowState(before.state)
        for widget in before.hidden:
            widget.show()
        self._docks.bring_back()
        state = self._hall.state
        state.colour_by, state.layers, state.selection = before.colour_by, before.layers, before.selection
        state.label_scale, self._hall.steady = 1.0, False
        self._hall.view.go(before.camera, animate=False)
        self._hall.view.native.setFocus()
        self.changed.emit(False)

    def toggle_notes(self) -> None:
        """Show the presenter's notes, or put them away."""
        if self.notes.isVisible():
            self.notes.end()
        else:
            self.notes.begin()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys of the presentation before anything else does, and end with the window."""
        kind = event.type()
        if kind == QEvent.Type.Close and watched is self._window:
            self.leave()
        if kind not in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride) or not isinstance(
            event, QKeyEvent
        ):
            return False
        act = self._act(event) if isinstance(watched, QWidget) and self._is_ours(event) else None
        if act is None:  # windows of Qt get each key first, and pass it on to a widget
            return False
        if kind == QEvent.Type.ShortcutOverride:
            event.accept()
        elif not event.isAutoRepeat():
            act()
        return True

    def _act(self, event: QKeyEvent) -> Callable[[], object] | None:
        """Return what a key does."""
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return None
        if event.key() in _NUMBERS:
            return partial(self.card.press, event.key() - Qt.Key.Key_0)
        return self._keys.get(event.key())

    def _is_ours(self, event: QKeyEvent) -> bool:
        """Return whether a key is for the presentation, not for a dialog, a menu or what somebody types in a dock."""
        if event.key() != Qt.Key.Key_Escape and _takes_text(QApplication.focusWidget()):
            return False
        if QApplication.activeModalWidget() is not None or QApplication.activePopupWidget() is not None:
            return False
        return QApplication.activeWindow() in (self._window, self.notes)

    def _try(self, trial: ChapterTrial) -> None:
        place = self.tour.place
        if self._trials.do(trial) and place is not None:
            self.tour.go(place)

    def _follow(self) -> None:
        if self.on:
            self.card.follow()
            if self.notes.isVisible():
                self.notes.tell()

    def _tell_moment(self) -> None:
        if self.on:
            self.card.tell()


def _takes_text(widget: QWidget | None) -> bool:
    """Return whether a widget is one to type in; a table is none before one of its fields is open."""
    if widget is None or isinstance(widget, QAbstractItemView):
        return False
    return widget.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
