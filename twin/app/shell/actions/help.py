"""Actions that explain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from twin.app.help.pages import KEYS, WHY_FIGURES_CHANGED
from twin.app.shell.actions.entry import entry
from twin.app.shell.help_pages import show_about
from twin.app.toolkit.shortcuts_dialog import ShortcutsDialog
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def help_actions(window: WindowApi) -> list[Command]:
    """Return the actions of the Help menu."""

    def open_help() -> None:
        window.help.open(window.docks.help_of(QApplication.focusWidget()))

    return [
        entry(
            "help.open",
            tr("Help"),
            open_help,
            menu="help",
            icon="info",
            key="F1",
            tip=tr("Opens the help at the page of the dock that has the keyboard; search in all pages"),
            words=tr("manual documentation docs guide how do I search contents"),
        ),
        entry(
            "help.story",
            tr("About this scene"),
            window.show_story,
            menu="help",
            icon="book",
            needs_scene=True,
            tip=tr("Subject of the scene and sources of its figures"),
        ),
        entry(
            "help.keys",
            tr("Keyboard shortcuts"),
            lambda: window.help.open(KEYS),
            menu="help",
            icon="list",
            key="Shift+F1",
            tip=tr("All keys and mouse actions"),
            words=tr("keys hotkeys key bindings mouse"),
        ),
        entry(
            "help.shortcuts",
            tr("Edit shortcuts\N{HORIZONTAL ELLIPSIS}"),
            lambda: ShortcutsDialog(window.look, window.menus.shortcuts, window).show(),
            menu="help",
            key="Ctrl+F1",
            tip=tr("Changes the keys of actions"),
        ),
        entry(
            "help.changed",
            tr("Why figures changed"),
            lambda: window.help.open(WHY_FIGURES_CHANGED),
            menu="help",
            tip=tr("Why the same scene gave different figures in older versions"),
        ),
        entry(
            "help.about",
            tr("About gpu-twin"),
            lambda: show_about(window.hall.view.capability, window),
            menu="help",
            icon="info",
            group="9",
            tip=tr("Version, graphics and licence of this program"),
        ),
    ]
