"""Actions on bookmarks of the camera."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from twin.app.bookmarks.dialog import BookmarksDialog
from twin.app.shell.actions.entry import entry
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


def bookmark_actions(window: WindowApi) -> list[Command]:
    """Return the actions of View > Bookmarks."""
    views = window.views

    def show() -> BookmarksDialog:
        for dialog in window.findChildren(BookmarksDialog):
            dialog.raise_()
            dialog.activateWindow()
            return dialog
        dialog = BookmarksDialog(views, window)
        dialog.show()
        return dialog

    listed = (
        (
            "add",
            tr("Add a bookmark"),
            lambda: show().add(),
            "Ctrl+B",
            tr("Saves the camera position under a name"),
        ),
        (
            "list",
            tr("Bookmarks\N{HORIZONTAL ELLIPSIS}"),
            show,
            "Ctrl+Shift+B",
            tr("Go to, rename and delete bookmarks"),
        ),
        (
            "next",
            tr("Next bookmark"),
            partial(views.step, 1),
            "Ctrl+Alt+Right",
            tr("Flies to the next bookmark"),
        ),
        (
            "previous",
            tr("Previous bookmark"),
            partial(views.step, -1),
            "Ctrl+Alt+Left",
            tr("Flies to the previous bookmark"),
        ),
    )
    return [
        entry(
            f"view.bookmark_{name}",
            title,
            do,
            menu="view/bookmarks",
            key=key,
            icon="camera",
            needs_scene=True,
            tip=tip,
        )
        for name, title, do, key, tip in listed
    ]
