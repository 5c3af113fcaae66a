"""What a restless person does in the window: random things, each drawn from the seed and its number."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
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

from tests.commands.random_commands import Restless
from twin.app.incident_drill import LEVELS, SPANS
from twin.app.main_window import MainWindow
from twin.app.part_mime import Dragged, mime_of
from twin.app.session import SPEEDS
from twin.catalog import load_catalog
from twin.commands.command import Scene
from twin.commands.prefabs import PREFABS

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
_TYPED = (
    *("gpu", "rack", "DGX", "H100", "nothing like it", "10 kW", "22 degC", "-1", "0", "3", "1e9", "999999"),
    *("3 m", "0.6 m", "12 %", "name: [", "é\N{SNOWMAN}", "x" * 80, "", "main", "lab", "true", "2026-01-01"),
    *("50", "100 Gbit/s", "a b c", "gpu/0/1", "\\", "{}", "#"),
)
_PLAIN_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Delete)
_PLAIN_KEYS += (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Space)
_PLAIN_KEYS += (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_R)
_MODIFIERS = (Qt.KeyboardModifier.NoModifier,) * 4 + (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
_BUTTONS = (Qt.MouseButton.LeftButton,) * 3 + (Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton)
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
        self._catalog = load_catalog()
        self._parts = self._catalog.ids()
        self._shipped = {path: path.read_bytes() for path in scenes}
        self._acts: list[tuple[int, Act]] = [
            (14, self.action),
            (8, self.shortcut),
            (8, self.key),
            (14, self.click),
            (3, self.context_menu),
            (6, self.type_in),
            (14, self.command),
            (8, self.back_and_forth),
            (10, self.point),
            (8, self.drag),
            (3, self.wheel),
            (5, self.drop_part),
            (5, self.select),
            (6, self.run),
            (2, self.fault),
            (3, self.thing_menu),
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
        if popup.isVisible():
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
        return f"in {_name(at)}"

    def key(self, draw: random.Random) -> str:
        """Press any key."""
        at, key, modifiers = self._focus(), draw.choice(_PLAIN_KEYS), draw.choice(_MODIFIERS)
        words = f"{modifiers.name} {key.name} in {_name(at)}"
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
        where, words = _inside(at, draw), _name(at)
        how = QTest.mouseDClick if draw.random() < 0.15 else QTest.mouseClick
        how(at, Qt.MouseButton.LeftButton, draw.choice(_MODIFIERS), where)
        return words

    def context_menu(self, draw: random.Random) -> str:
        """Ask a widget for its menu, as the right button does."""
        at = self._widget(draw, (QAbstractItemView, QLineEdit, QDockWidget, QTabBar))
        if at is None:
            return "nothing there"
        where, words = _inside(at, draw), _name(at)
        kind = QContextMenuEvent.Reason.Mouse
        QApplication.sendEvent(at, QContextMenuEvent(kind, where, at.mapToGlobal(where)))
        return words

    def type_in(self, draw: random.Random) -> str:
        """Type into a field: words, quantities, nonsense."""
        at = self._widget(draw, _FIELDS)
        if at is None:
            return "no field"
        words, typed = _name(at), draw.choice(_TYPED)
        at.setFocus()
        if isinstance(at, QLineEdit) and draw.random() < 0.7:
            at.selectAll()
        end = draw.choice((Qt.Key.Key_Return, Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab, None))
        _type(at, typed)
        if end is not None:
            QTest.keyClick(self._focus(), end)
        return f"{typed!r} {end.name if end is not None else ''} in {words}"

    def _widget(self, draw: random.Random, kinds: tuple[type[QWidget], ...]) -> QWidget | None:
        """Return a widget one can see; those of a dialog come more often."""
        tops: list[QWidget] = [self._window, *self.dialogs() * 2]
        seen = [
            one
            for one in draw.choice(tops).findChildren(QWidget)
            if isinstance(one, kinds)
            and one.isVisible()
            and one.isEnabled()
            and not one.visibleRegion().isEmpty()
        ]
        if not seen:
            return None
        at = draw.choice(seen)
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
        words = _name(at)
        at.close()
        return words

    # -- editing ----

    def command(self, draw: random.Random) -> str:
        """Do a command, as docks and menus do; many cannot be done."""
        if self._window.editing.editor.locked:
            self._window.menus.qt_actions["edit.lock"].trigger()
            return "unlocked"
        session = self._window.session
        if session.document is None or session.plant is None:
            return "no scene"
        command = Restless(draw.random()).command(Scene.of(session.document, session.plant, self._catalog))
        self._window.editing.editor.do(command, draw.choice(("", "", "same gesture")))
        return f"{command}"

    def back_and_forth(self, draw: random.Random) -> str:
        """Undo or redo a few steps."""
        editor, count = self._window.editing.editor, draw.randint(1, 4)
        go = draw.choice((editor.undo, editor.undo, editor.redo))
        for _ in range(count):
            go()
        return f"{go.__name__} {count} times"

    def select(self, draw: random.Random) -> str:
        """Select a few things of the plant, or what is gone, or nothing."""
        plant = self._window.session.plant
        if plant is None:
            return "no scene"
        kinds: dict[str, list[str]] = {}
        for id, (kind, _) in plant.slots.items():
            kinds.setdefault(kind, []).append(id)
        ids = draw.choice(list(kinds.values())) if kinds else []
        chosen = tuple(draw.sample(ids, min(len(ids), draw.randint(0, 4))))
        if draw.random() < 0.5 and chosen:
            self._window.go_to(chosen[0])
        else:
            self._window.hall.state.selection = chosen
        return " ".join(chosen)

    def drop_part(self, draw: random.Random) -> str:
        """Drag a part or prefab from the palette over the hall, and drop it there or leave."""
        native = self._window.hall.view.native
        if not native.isVisible():
            return "no hall"
        prefab = draw.random() < 0.15
        what = Dragged(prefab=draw.choice([*PREFABS])) if prefab else self._part(draw)
        if draw.random() < 0.3:
            self._window.tools.place_by_keys(what)
            return f"{what} in hand by keys"
        data, keys = mime_of(what), draw.choice(_MODIFIERS)
        at = _inside(native, draw)
        for _ in range(draw.randint(1, 5)):
            _send_drag(native, QDragEnterEvent if _ == 0 else QDragMoveEvent, at, data, keys)
            at = _near(native, at, draw)
        if draw.random() < 0.8:
            _send_drag(native, QDropEvent, at, data, keys)
            return f"{what} dropped at {at.x()}, {at.y()}"
        QApplication.sendEvent(native, QDragLeaveEvent())
        return f"{what} taken away again"

    def _part(self, draw: random.Random) -> Dragged:
        part = self._catalog.part(draw.choice(self._parts))
        return Dragged(part.id, part.KIND)

    # -- the hall ----

    def point(self, draw: random.Random) -> str:
        """Point or click somewhere in the hall."""
        native, button = self._window.hall.view.native, draw.choice(_BUTTONS)
        at, keys = _inside(native, draw), draw.choice(_MODIFIERS)
        none = Qt.MouseButton.NoButton
        _mouse(native, QEvent.Type.MouseMove, at, none, none, keys)
        if draw.random() < 0.3:
            return f"hover at {at.x()}, {at.y()}"
        _mouse(native, QEvent.Type.MouseButtonPress, at, button, button, keys)
        _mouse(native, QEvent.Type.MouseButtonRelease, at, button, none, keys)
        if draw.random() < 0.2:
            _mouse(native, QEvent.Type.MouseButtonDblClick, at, button, button, keys)
            _mouse(native, QEvent.Type.MouseButtonRelease, at, button, none, keys)
        return f"{button.name} {keys.name} at {at.x()}, {at.y()}"

    def drag(self, draw: random.Random) -> str:
        """Drag in the hall: the camera, a band, what is selected; sometimes with Escape midway."""
        native, button = self._window.hall.view.native, draw.choice(_BUTTONS)
        at, keys, none = _inside(native, draw), draw.choice(_MODIFIERS), Qt.MouseButton.NoButton
        start = at
        _mouse(native, QEvent.Type.MouseButtonPress, at, button, button, keys)
        for _ in range(draw.randint(1, 5)):
            at = _near(native, at, draw)
            _mouse(native, QEvent.Type.MouseMove, at, none, button, keys)
        if draw.random() < 0.2:
            QTest.keyClick(native, draw.choice((Qt.Key.Key_Escape, Qt.Key.Key_Alt, Qt.Key.Key_R)))
        _mouse(native, QEvent.Type.MouseButtonRelease, at, button, none, keys)
        return f"{button.name} {keys.name} {start.x()}, {start.y()} to {at.x()}, {at.y()}"

    def wheel(self, draw: random.Random) -> str:
        """Turn the wheel over the hall or over any widget."""
        native = self._window.hall.view.native
        at = native if draw.random() < 0.7 else self._widget(draw, _CLICKED) or native
        where, turn = _inside(at, draw), draw.choice((-360, -120, 120, 360))
        event = QWheelEvent(
            QPointF(where),
            QPointF(at.mapToGlobal(where)),
            QPoint(),
            QPoint(0, turn),
            Qt.MouseButton.NoButton,
            draw.choice(_MODIFIERS),
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        words = f"{turn} over {_name(at)}"
        QApplication.sendEvent(at, event)
        return words

    def thing_menu(self, draw: random.Random) -> str:
        """Open the menu of a thing, or of the site, as lists and the hall do."""
        plant = self._window.session.plant
        ids: list[str] = [] if plant is None else list(plant.slots)
        thing = draw.choice(ids) if ids and draw.random() < 0.9 else None
        menu = self._window.hall.thing_menu(thing)
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self._window.mapToGlobal(_inside(self._window, draw)))
        return f"{thing}"

    # -- the run and the window ----

    def run(self, draw: random.Random) -> str:
        """Play, pause, step, go faster or slower; seldom start again."""
        session = self._window.session
        act = draw.choice(
            (session.play, session.play, session.toggle, session.pause, session.step, None, None)
        )
        if act is not None:
            act()
            return act.__name__
        if draw.random() < 0.5:
            speed = draw.choice(SPEEDS[:-1])
            session.set_speed(speed)
            return f"speed {speed:g}"
        session.restart(session.seed + 1 if draw.random() < 0.3 else None)
        return "restart"

    def fault(self, draw: random.Random) -> str:
        """Let things go wrong at random."""
        level, span = draw.choice([*LEVELS]), draw.choice(SPANS)[0]
        self._window.faults.drill(level, span)
        return f"{level} {span}"

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
        return _name(dock)

    def open(self, draw: random.Random) -> str:
        """Open another scene, as it was shipped."""
        path = draw.choice(self._scenes)
        self._window.files.open(self.fresh(path))
        return path.name

    def fresh(self, path: Path) -> Path:
        """Return a scene's file with its first content again."""
        path.write_bytes(self._shipped[path])
        return path


class Attendant(QObject):
    """Answers what blocks: boxes that ask, menus that wait in a loop of their own, the end of the program."""

    def __init__(self, hands: Hands, window: MainWindow) -> None:
        super().__init__()
        self._hands, self._window = hands, window
        self.draw = random.Random(0)
        self.waited = 0
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the window open."""
        if watched is self._window and event.type() == QEvent.Type.Close:
            event.ignore()
            return True
        return False

    def attend(self) -> None:
        """Look whether something blocks, and answer it."""
        modal = QApplication.activeModalWidget()
        popup = QApplication.activePopupWidget()
        if popup is not None:
            self._hands.choose(popup, self.draw)
        elif modal is not None:
            buttons = [
                one for one in modal.findChildren(QAbstractButton) if one.isVisible() and one.isEnabled()
            ]
            for field in modal.findChildren(QLineEdit):
                _type(field, self.draw.choice(_TYPED))
            if buttons:
                QTest.mouseClick(self.draw.choice(buttons), Qt.MouseButton.LeftButton)
            elif isinstance(modal, QDialog):
                modal.reject()
        else:  # a drag in a loop of its own
            QTest.keyClick(self._window.hall.view.native, Qt.Key.Key_Escape)


def copies(names: tuple[str, ...], folder: Path) -> tuple[Path, ...]:
    """Copy scenes into a folder, where they may be written over."""
    source = Path(__file__).parents[2] / "scenes"
    made = []
    for name in names:
        made.append(folder / f"{name}.twin.yaml")
        shutil.copy(source / made[-1].name, made[-1])
    return tuple(made)


def _type(widget: QWidget, words: str) -> None:
    """Type words; QTest knows only the letters of ASCII."""
    for letter in words:
        if letter.isascii():
            QTest.keyClicks(widget, letter)
        else:
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                QApplication.sendEvent(widget, QKeyEvent(kind, 0, Qt.KeyboardModifier.NoModifier, letter))


def _name(widget: QWidget) -> str:
    """Return a widget in words."""
    words = widget.objectName() or widget.accessibleName()
    if not words and isinstance(widget, QAbstractButton):
        words = widget.text() or widget.toolTip()
    holder = widget.parentWidget()
    within = f" in {type(holder).__name__}" if holder is not None else ""
    return f"{type(widget).__name__} {words!r}{within}"


def _inside(widget: QWidget, draw: random.Random) -> QPoint:
    """Return a point of a widget, where it can be seen."""
    area = widget.visibleRegion().boundingRect()
    if area.isEmpty():
        area = widget.rect()
    return QPoint(
        draw.randint(area.left(), max(area.left(), area.right())),
        draw.randint(area.top(), max(area.top(), area.bottom())),
    )


def _near(widget: QWidget, at: QPoint, draw: random.Random) -> QPoint:
    return at + QPoint(draw.randint(-120, 120), draw.randint(-90, 90))


def _mouse(
    widget: QWidget,
    kind: QEvent.Type,
    at: QPoint,
    button: Qt.MouseButton,
    held: Qt.MouseButton,
    keys: Qt.KeyboardModifier,
) -> None:
    QApplication.sendEvent(
        widget, QMouseEvent(kind, QPointF(at), QPointF(widget.mapToGlobal(at)), button, held, keys)
    )


def _send_drag(
    widget: QWidget,
    kind: type[QDropEvent],
    at: QPoint,
    data: QMimeData,
    keys: Qt.KeyboardModifier,
) -> None:
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    place = QPointF(at) if kind is QDropEvent else at
    event = kind(place, copy, data, left, keys)  # type: ignore[arg-type]
    event.ignore()
    QApplication.sendEvent(widget, event)
