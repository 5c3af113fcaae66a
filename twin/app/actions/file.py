"""Actions on files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.app.actions.entry import entry

if TYPE_CHECKING:
    from twin.app.actions.entry import Command
    from twin.app.main_window import MainWindow


def file_actions(window: MainWindow) -> list[Command]:
    """Return the actions of the File menu."""
    files = window.files
    return [
        entry("file.open", "Open\N{HORIZONTAL ELLIPSIS}", files.ask, menu="file", key="Ctrl+O", icon="open"),
        entry("file.scenes", "Scenes", window.show_welcome, menu="file", key="Ctrl+H", icon="scenes"),
        entry(
            "file.reload",
            "Read the scene's file again",
            files.reload,
            menu="file",
            key="Ctrl+R",
            icon="restart",
            needs_scene=True,
        ),
        entry(
            "file.picture",
            "Save a picture\N{HORIZONTAL ELLIPSIS}",
            files.ask_picture,
            menu="file",
            key="Ctrl+Shift+S",
            icon="camera",
            group="2",
            needs_scene=True,
        ),
        entry("file.quit", "Quit", window.close, menu="file", key="Ctrl+Q", icon="power", group="9"),
    ]
