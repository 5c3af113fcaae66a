"""What the monkey does to the scene: points and drags in the hall, builds, takes back, lets things fail."""

from __future__ import annotations

import random

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.app.monkey_touch import BUTTONS, MODIFIERS, inside, mouse, near, send_drag
from tests.commands.random_commands import Restless
from twin.app.faults.random_incidents import LEVELS, SPANS
from twin.app.placing.mime import Dragged, mime_of
from twin.app.session.session import SPEEDS
from twin.app.shell.main_window import MainWindow
from twin.catalog import load_catalog
from twin.commands.edit.command import EditedScene
from twin.commands.room.prefabs import PREFABS


class Builder:
    """Works on the scene and on its run; each act returns what it did, in words."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._catalog = load_catalog()
        self._parts = self._catalog.ids()

    # -- editing ----

    def command(self, draw: random.Random) -> str:
        """Do a command, as docks and menus do; many cannot be done."""
        if self._window.editing.editor.locked:
            self._window.menus.qt_actions["edit.lock"].trigger()
            return "unlocked"
        session = self._window.session
        if session.document is None or session.plant is None:
            return "no scene"
        command = Restless(draw.random()).command(
            EditedScene.of(session.document, session.plant, self._catalog)
        )
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
        data, keys = mime_of(what), draw.choice(MODIFIERS)
        at = inside(native, draw)
        for _ in range(draw.randint(1, 5)):
            send_drag(native, QDragEnterEvent if _ == 0 else QDragMoveEvent, at, data, keys)
            at = near(native, at, draw)
        if draw.random() < 0.8:
            send_drag(native, QDropEvent, at, data, keys)
            return f"{what} dropped at {at.x()}, {at.y()}"
        QApplication.sendEvent(native, QDragLeaveEvent())
        return f"{what} taken away again"

    def _part(self, draw: random.Random) -> Dragged:
        part = self._catalog.part(draw.choice(self._parts))
        return Dragged(part.id, part.KIND)

    # -- the hall ----

    def point(self, draw: random.Random) -> str:
        """Point or click somewhere in the hall."""
        native, button = self._window.hall.view.native, draw.choice(BUTTONS)
        at, keys = inside(native, draw), draw.choice(MODIFIERS)
        none = Qt.MouseButton.NoButton
        mouse(native, QEvent.Type.MouseMove, at, none, none, keys)
        if draw.random() < 0.3:
            return f"hover at {at.x()}, {at.y()}"
        mouse(native, QEvent.Type.MouseButtonPress, at, button, button, keys)
        mouse(native, QEvent.Type.MouseButtonRelease, at, button, none, keys)
        if draw.random() < 0.2:
            mouse(native, QEvent.Type.MouseButtonDblClick, at, button, button, keys)
            mouse(native, QEvent.Type.MouseButtonRelease, at, button, none, keys)
        return f"{button.name} {keys.name} at {at.x()}, {at.y()}"

    def drag(self, draw: random.Random) -> str:
        """Drag in the hall: the camera, a band, what is selected; sometimes with Escape midway."""
        native, button = self._window.hall.view.native, draw.choice(BUTTONS)
        at, keys, none = inside(native, draw), draw.choice(MODIFIERS), Qt.MouseButton.NoButton
        start = at
        mouse(native, QEvent.Type.MouseButtonPress, at, button, button, keys)
        for _ in range(draw.randint(1, 5)):
            at = near(native, at, draw)
            mouse(native, QEvent.Type.MouseMove, at, none, button, keys)
        if draw.random() < 0.2:
            QTest.keyClick(native, draw.choice((Qt.Key.Key_Escape, Qt.Key.Key_Alt, Qt.Key.Key_R)))
        mouse(native, QEvent.Type.MouseButtonRelease, at, button, none, keys)
        return f"{button.name} {keys.name} {start.x()}, {start.y()} to {at.x()}, {at.y()}"

    def thing_menu(self, draw: random.Random) -> str:
        """Open the menu of a thing, or of the site, as lists and the hall do."""
        plant = self._window.session.plant
        ids: list[str] = [] if plant is None else list(plant.slots)
        thing = draw.choice(ids) if ids and draw.random() < 0.9 else None
        menu = self._window.hall.thing_menu(thing)
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self._window.mapToGlobal(inside(self._window, draw)))
        return f"{thing}"

    # -- the run ----

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
        self._window.faults.strike_at_random(level, span)
        return f"{level} {span}"
