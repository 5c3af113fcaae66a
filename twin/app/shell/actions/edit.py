"""Actions on the scene's design: back and forth, the lock, what becomes of edits made while it ran."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from twin.app.shell.actions.entry import entry
from twin.commands.wiring.auto_wire import AutoWire
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


_ON_SELECTION = ("move", "rotate", "cut", "copy", "duplicate", "delete", "array", "group", "ungroup")


def edit_uses(window: WindowApi) -> dict[str, Callable[[], bool]]:
    """Return of actions of the Edit menu whether they would do anything now."""
    editor, tools = window.editing.editor, window.tools

    def undoes() -> bool:
        return editor.busy or bool(editor.undo_title)

    def redoes() -> bool:
        return editor.busy or bool(editor.redo_title)

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
            tr("Undo"),
            editor.undo,
            menu="edit",
            key="Ctrl+Z",
            icon="undo",
            needs_scene=True,
            tip=tr("Undoes the last change of the scene, or the last intervention by hand"),
        ),
        entry(
            "edit.redo",
            tr("Redo"),
            editor.redo,
            menu="edit",
            key="Ctrl+Shift+Z",
            icon="redo",
            needs_scene=True,
            tip=tr("Does again what was undone last"),
        ),
        entry(
            "edit.wire_new",
            tr("Auto-connect new equipment"),
            window.tools.toggle_wiring,
            menu="edit",
            group="6",
            needs_scene=True,
            is_on=lambda: window.tools.place.wires_new,
            tip=tr("New equipment is connected at once to cooling, feeds and network with free capacity"),
            words=tr("wire automatically"),
        ),
        entry(
            "edit.wire",
            tr("Connect equipment"),
            editing.connect,
            menu="edit",
            key="Ctrl+W",
            group="6",
            needs_scene=True,
            tip=tr(
                "Connects everything without network, feed or cooling; connections made by hand stay. "
                "What is missing for it is offered"
            ),
            words=tr("wire cable up what is loose automatically"),
        ),
        entry(
            "edit.wire_adding",
            tr("Connect and add equipment"),
            partial(editor.do, AutoWire(add=True)),
            menu="edit",
            group="6",
            needs_scene=True,
            tip=tr(
                "Connects equipment, and adds what is missing up to utility and chillers, as the redundancy asks"
            ),
            words=tr("wire cable up what is loose missing CDU PDU"),
        ),
        entry(
            "edit.quota",
            tr("Change the quota of a tenant"),
            window.docks.edit_quota,
            menu="edit",
            group="6",
            needs_scene=True,
            tip=tr("GPUs that a tenant may hold at a time: type it in the table of tenants"),
            words=tr("limit share GPUs partition allowance"),
        ),
        entry(
            "edit.lock",
            tr("Lock the scene"),
            editing.toggle_lock,
            menu="edit",
            group="8",
            icon="lock",
            needs_scene=True,
            is_on=lambda: editor.locked,
            tip=tr("Protects the scene against edits by accident"),
        ),
        entry(
            "edit.fold",
            tr("Fold edits into the design"),
            editor.fold,
            menu="edit",
            group="8",
            needs_scene=True,
            tip=tr("Starts the run again with its edits as part of the scene"),
        ),
    ]
