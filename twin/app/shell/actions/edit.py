"""Actions on the scene's design: back and forth, the lock, what becomes of edits made while it ran."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from twin.app.shell.actions.entry import entry
from twin.commands.wiring.auto_wire import AutoWire

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


_ON_SELECTION = ("move", "rotate", "cut", "copy", "duplicate", "delete", "array", "group", "ungroup")


def edit_uses(window: WindowApi) -> dict[str, Callable[[], bool]]:
    """Return of actions of the Edit menu whether they would do anything now."""
    editor, tools = window.editing.editor, window.tools

    def undoes() -> bool:
        return editor.busy or (editor.draft is not None and bool(editor.draft.undo_title))

    def redoes() -> bool:
        return editor.busy or (editor.draft is not None and bool(editor.draft.redo_title))

    def holds() -> bool:
        return bool(tools.selection or window.design.ids) or tools.place.active

    return {
        "edit.undo": undoes,
        "edit.redo": redoes,
        "edit.paste": lambda: QGuiApplication.clipboard().mimeData().hasText(),
        **{f"edit.{name}": holds for name in _ON_SELECTION},
    }


def edit_actions(window: WindowApi) -> list[Command]:
    """Return the actions at the top of the Edit menu."""
    editor, editing = window.editing.editor, window.editing
    return [
        entry(
            "edit.undo",
            "Undo",
            editor.undo,
            menu="edit",
            key="Ctrl+Z",
            icon="undo",
            needs_scene=True,
            tip="Take back the last change of the scene",
        ),
        entry(
            "edit.redo",
            "Redo",
            editor.redo,
            menu="edit",
            key="Ctrl+Shift+Z",
            icon="redo",
            needs_scene=True,
            tip="Do again what was taken back last",
        ),
        entry(
            "edit.wire_new",
            "Wire new things",
            window.tools.toggle_wiring,
            menu="edit",
            group="6",
            needs_scene=True,
            is_on=lambda: window.tools.place.wires_new,
            tip="What is put into the hall is connected at once: cooling, feeds and network that have room",
        ),
        entry(
            "edit.wire",
            "Wire what is loose",
            partial(editor.do, AutoWire()),
            menu="edit",
            key="Ctrl+W",
            group="6",
            needs_scene=True,
            tip="Connects everything without network, feed or cooling by rule; what was joined by hand stays",
        ),
        entry(
            "edit.wire_adding",
            "Wire what is loose, adding what it takes",
            partial(editor.do, AutoWire(add=True)),
            menu="edit",
            group="6",
            needs_scene=True,
            tip="The same; switches, PDUs, CDUs and air handlers are added where there are too few",
        ),
        entry(
            "edit.lock",
            "Lock against accidents",
            editing.toggle_lock,
            menu="edit",
            group="8",
            icon="lock",
            needs_scene=True,
            is_on=lambda: editor.locked,
            tip="While the lock is on nothing of the scene can be changed",
        ),
        entry(
            "edit.fold",
            "Fold edits into the design",
            editor.fold,
            menu="edit",
            group="8",
            needs_scene=True,
            tip="Begin with the hall as the edits of the run have made it",
        ),
    ]
