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
            tip="What the scene is about, and where its figures come from",
        ),
        entry(
            "help.keys",
            "Keys",
            lambda: show_keys(window.menus.entries(), window),
            menu="help",
            icon="list",
            key="F1",
            tip="All keys, and what the mouse does",
        ),
        entry(
            "help.shortcuts",
            "Edit shortcuts\N{HORIZONTAL ELLIPSIS}",
            lambda: ShortcutsDialog(window.look, window.menus.shortcuts, window).show(),
            menu="help",
            key="Ctrl+F1",
            tip="Gives actions other keys",
        ),
        entry(
            "help.changed",
            "Why figures changed",
            lambda: show_why_figures_changed(window),
            menu="help",
            tip="Why a scene comes to other figures today than in a run of an older version",
        ),
        entry(
            "help.about",
            "About gpu-twin",
            lambda: show_about(window.hall.view.capability, window),
            menu="help",
            icon="info",
            group="9",
            tip="What this program is, and what it draws with",
        ),
    ]
