"""What a restless person does in the window: random things, each drawn from the seed and its number."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import shiboken6
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeySequence,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QDockWidget,
    QHeaderView,
    QLineEdit,
    QMenu,
    QScrollBar,
    QSlider,
    QTabBar,
    QWidget,
)

from tests.app.monkey_builder import Builder
from tests.app.monkey_touch import MODIFIERS, TYPED, inside, type_words, words_of
from twin.app.shell.main_window import MainWindow

_CLICKED = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QScrollBar,
    QSlider,
    QTabBar,
)
_FIELDS = (QLineEdit, QAbstractSpinBox)
_PLAIN_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Delete)
_PLAIN_KEYS += (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Space)
_PLAIN_KEYS += (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_R)
_NEVER = ("file.quit",)
_MOST_DIALOGS = 5
Act = Callable[[random.Random], str]


class Hands:
    """Does things in a window; each act returns what it did, in words.

    Parameters
    ----------
    scenes
        Files to open: copies that may be written over.
    """

    def __init__(self, window: MainWindow, scenes: tuple[Path, ...]) -> None:
        self._window, self._scenes = window, scenes
        hall = Builder(window)
        self._shipped = {path: path.read_bytes() for path in scenes}
        self._acts: list[tuple[int, Act]] = [
            (14, self.action),
            (8, self.shortcut),
            (8, self.key),
            (14, self.click),
            (3, self.context_menu),
            (6, self.type_in),
            (14, hall.command),
            (8, hall.back_and_forth),
            (10, hall.point),
            (8, hall.drag),
            (3, self.wheel),
            (5, hall.drop_part),
            (5, hall.select),
            (6, hall.run),
            (2, hall.fault),
            (3, hall.thing_menu),
            (2, self.resize),
            (2, self.workspace),
            (1, self.dock),
            (1, self.open),
            (2, self.close_dialog),
        ]

    def act(self, draw: random.Random) -> str:
        """Do one thing; a menu that is open, or too many dialogs, come first."""
        popup = QApplication.activePopupWidget()
        if popup is not None and draw.random() < 0.9:
            return self.choose(popup, draw)
        if len(self.dialogs()) > _MOST_DIALOGS:
            return self.close_dialog(draw)
        acts = [act for _, act in self._acts]
        (act,) = draw.choices(acts, [weight for weight, _ in self._acts])
        return f"{act.__name__}: {act(draw)}"

    # -- menus, keys, widgets ----

    def choose(self, popup: QWidget, draw: random.Random) -> str:
        """Choose something of an open menu or list, or close it."""
        if isinstance(popup, QMenu) and draw.random() < 0.8:
            items = [one for one in popup.actions() if one.isEnabled() and not one.isSeparator()]
            items = [one for one in items if one.objectName() not in _NEVER]
            if items:
                item = draw.choice(items)
                if item.menu() is None:
                    where = popup.actionGeometry(item).center()
                    words = f"menu item {item.text()!r}"
                    QTest.mouseClick(popup, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, where)
                    return words
                popup.setActiveAction(item)
                return f"submenu {item.text()!r}"
        if draw.random() < 0.4:
            QTest.keyClick(popup, draw.choice((Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Return)))
            return "key in a popup"
        QTest.keyClick(popup, Qt.Key.Key_Escape)
        if shiboken6.isValid(popup) and popup.isVisible():  # lists of suggestions go with their field
            popup.close()
        return "popup closed"

    def action(self, draw: random.Random) -> str:
        """Do something of the action table."""
        actions = {id: one for id, one in self._window.menus.qt_actions.items() if one.isEnabled()}
        id = draw.choice([id for id in sorted(actions) if id not in _NEVER])
        actions[id].trigger()
        return id

    def shortcut(self, draw: random.Random) -> str:
        """Press the key of some action, wherever the keyboard is."""
        keys = {id: one.shortcut() for id, one in self._window.menus.qt_actions.items()}
        id = draw.choice([id for id in sorted(keys) if not keys[id].isEmpty() and id not in _NEVER])
        return f"{keys[id].toString()} of {id} {self._press(keys[id])}"

    def _press(self, sequence: QKeySequence) -> str:
        at = self._focus()
        combination = sequence[0]
        QTest.keyClick(at, combination.key(), combination.keyboardModifiers())
        return f"in {words_of(at)}"

    def key(self, draw: random.Random) -> str:
        """Press any key."""
        at, key, modifiers = self._focus(), draw.choice(_PLAIN_KEYS), draw.choice(MODIFIERS)
        words = f"{modifiers.name} {key.name} in {words_of(at)}"
        QTest.keyClick(at, key, modifiers)
        return words

    def _focus(self) -> QWidget:
        at = QApplication.focusWidget()
        return at if at is not None and at.isVisible() else self._window.hall.view.native

    def click(self, draw: random.Random) -> str:
        """Click, or double click, some widget that can be clicked."""
        at = self._widget(draw, _CLICKED)
        if at is None:
            return "nothing to click"
        where, words = inside(at, draw), words_of(at)
        how = QTest.mouseDClick if draw.random() < 0.15 else QTest.mouseClick
        how(at, Qt.MouseButton.LeftButton, draw.choice(MODIFIERS), where)
        return words

    def context_menu(self, draw: random.Random) -> str:
        """Ask a widget for its menu, as the right button does."""
        at = self._widget(draw, (QAbstractItemView, QLineEdit, QDockWidget, QTabBar))
        if at is None:
            return "nothing there"
        where, words = inside(at, draw), words_of(at)
        kind = QContextMenuEvent.Reason.Mouse
        QApplication.sendEvent(at, QContextMenuEvent(kind, where, at.mapToGlobal(where)))
        return words

    def type_in(self, draw: random.Random) -> str:
        """Type into a field: words, quantities, nonsense."""
        at = self._widget(draw, _FIELDS)
        if at is None:
            return "no field"
        words, typed = words_of(at), draw.choice(TYPED)
        at.setFocus()
        if isinstance(at, QLineEdit) and draw.random() < 0.7:
            at.selectAll()
        end = draw.choice((Qt.Key.Key_Return, Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab, None))
        type_words(at, typed)
        if end is not None:
            QTest.keyClick(self._focus(), end)
        return f"{typed!r} {end.name if end is not None else ''} in {words}"

    def _widget(self, draw: random.Random, kinds: tuple[type[QWidget], ...]) -> QWidget | None:
        """Return a widget one can see; those of a dialog come more often."""
        tops: list[QWidget] = [self._window, *self.dialogs() * 2]
        top = draw.choice(tops)
        # Not `findChildren`: PySide lets the window keep in Python all that it returns, for as long as it lives.
        seen = [
            one
            for one in QApplication.allWidgets()
            if isinstance(one, kinds)
            and one.isVisible()
            and one.isEnabled()
            and not one.visibleRegion().isEmpty()
            and _within(top, one)
        ]
        if not seen:
            return None
        at = draw.choice(sorted(seen, key=_place))
        return at.viewport() if isinstance(at, QAbstractItemView) else at

    def dialogs(self) -> list[QWidget]:
        """Return the dialogs that are open, oldest first."""
        return [one for one in self._window.findChildren(QDialog) if one.isVisible()]

    def close_dialog(self, draw: random.Random) -> str:
        """Close a dialog, or the welcome page."""
        dialogs = self.dialogs()
        if not dialogs:
            self._window.show_hall()
            return "back to the hall"
        at = draw.choice(dialogs)
        words = words_of(at)
        at.close()
        return words

    def wheel(self, draw: random.Random) -> str:
        """Turn the wheel over the hall or over any widget."""
        native = self._window.hall.view.native
        at = native if draw.random() < 0.7 else self._widget(draw, _CLICKED) or native
        where, turn = inside(at, draw), draw.choice((-360, -120, 120, 360))
        event = QWheelEvent(
            QPointF(where),
            QPointF(at.mapToGlobal(where)),
            QPoint(),
            QPoint(0, turn),
            Qt.MouseButton.NoButton,
            draw.choice(MODIFIERS),
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        words = f"{turn} over {words_of(at)}"
        QApplication.sendEvent(at, event)
        return words

    # -- the window ----

    def resize(self, draw: random.Random) -> str:
        """Make the window another size."""
        size = draw.choice(((980, 640), (1100, 700), (1400, 900), (1600, 1000), (1000, 990)))
        self._window.resize(*size)
        return f"{size}"

    def workspace(self, draw: random.Random) -> str:
        """Go to another workspace, or lay this one out anew."""
        names = ("design", "run", "analyse", "teach")
        id = draw.choice([*(f"view.workspace_{name}" for name in names), "window.reset_layout"])
        self._window.menus.qt_actions[id].trigger()
        return id

    def dock(self, draw: random.Random) -> str:
        """Let a dock float, or put it back."""
        docks = [one for one in self._window.findChildren(QDockWidget) if one.isVisible()]
        if not docks:
            return "none there"
        dock = draw.choice(docks)
        dock.setFloating(not dock.isFloating())
        return words_of(dock)

    def open(self, draw: random.Random) -> str:
        """Open another scene, as it was shipped."""
        path = draw.choice(self._scenes)
        self._window.files.open(self.fresh(path))
        return path.name

    def fresh(self, path: Path) -> Path:
        """Return a scene's file with its first content again."""
        path.write_bytes(self._shipped[path])
        return path


def _within(top: QWidget, one: QWidget) -> bool:
    at: QWidget | None = one
    while at is not None and at is not top:
        at = at.parentWidget()
    return at is not None


def _place(one: QWidget) -> tuple[object, ...]:
    """Return where a widget is on screen: Qt gives widgets in the order of their addresses."""
    corner = one.mapToGlobal(QPoint())
    size = one.width(), one.height()
    return corner.y(), corner.x(), *size, one.metaObject().className(), words_of(one)


def copies(names: tuple[str, ...], folder: Path) -> tuple[Path, ...]:
    """Copy scenes into a folder, where they may be written over."""
    source = Path(__file__).parents[2] / "scenes"
    made = []
    for name in names:
        made.append(folder / f"{name}.twin.yaml")
        shutil.copy(source / made[-1].name, made[-1])
    return tuple(made)
