"""Actions that bring things into the hall: the palette, a whole room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def part_actions(window: WindowApi) -> list[Command]:
    """Return the actions of the Edit menu that add things."""

    def show_parts() -> None:
        window.docks.show("palette")
        window.docks.palette.focus_search()

    def show_own_parts() -> None:
        window.docks.show("palette")
        window.docks.palette.show_own_menu()

    return [
        entry(
            "edit.parts",
            tr("Parts"),
            show_parts,
            menu="edit",
            group="3",
            key="Shift+A",
            icon="rack",
            needs_scene=True,
            tip=tr("Search parts; drag one into the hall, or press Enter to place it"),
        ),
        entry(
            "edit.own_parts",
            tr("Own parts\N{HORIZONTAL ELLIPSIS}"),
            show_own_parts,
            menu="edit",
            group="3",
            icon="copy",
            needs_scene=True,
            tip=tr("Copy a shipped part to change it, open the folder of own parts, read them again"),
        ),
        entry(
            "edit.room",
            tr("Build a room\N{HORIZONTAL ELLIPSIS}"),
            window.build_room,
            menu="edit",
            group="3",
            key="Ctrl+Shift+H",
            icon="hall",
            needs_scene=True,
            tip=tr("Rows of racks with matching network, cooling and power; preview first"),
        ),
    ]
