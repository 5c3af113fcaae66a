"""Actions that explain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.app.shell.help_pages import show_about, show_keys, show_why_figures_changed
from twin.app.toolkit.shortcuts_dialog import ShortcutsDialog

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def help_actions(window: WindowApi) -> list[Command]:
    """Return the actions of the Help menu."""
    return [
        entry(
            "help.story",
            "About this scene",
            window.show_story,
            menu="help",
            icon="book",
            needs_scene=True,
            tip="Subject of the scene and sources of its figures",
        ),
        entry(
            "help.keys",
            "Keys",
            lambda: show_keys(window.menus.entries(), window),
            menu="help",
            icon="list",
            key="F1",
            tip="All keys and mouse actions",
        ),
        entry(
            "help.shortcuts",
            "Edit shortcuts\N{HORIZONTAL ELLIPSIS}",
            lambda: ShortcutsDialog(window.look, window.menus.shortcuts, window).show(),
            menu="help",
            key="Ctrl+F1",
            tip="Changes the keys of actions",
        ),
        entry(
            "help.changed",
            "Why figures changed",
            lambda: show_why_figures_changed(window),
            menu="help",
            tip="Why the same scene gave different figures in older versions",
        ),
        entry(
            "help.about",
            "About gpu-twin",
            lambda: show_about(window.hall.view.capability, window),
            menu="help",
            icon="info",
            group="9",
            tip="Version, graphics and licence of this program",
        ),
    ]
