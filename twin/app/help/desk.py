"""Opens the help at a page; the window is made when it is first asked for, and kept."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from twin.app.help.pages import START, pages
from twin.app.help.window import HelpWindow
from twin.app.toolkit.command_palette import PaletteEntry
from twin.app.toolkit.look import Look
from twin.app.toolkit.shortcuts import Shortcuts
from twin.language import tr


class HelpDesk:
    """The help of a window.

    Parameters
    ----------
    shortcuts
        The keys that the page of keys lists.
    """

    def __init__(self, look: Look, shortcuts: Shortcuts, parent: QWidget) -> None:
        self._look, self._shortcuts, self._parent = look, shortcuts, parent
        self.window: HelpWindow | None = None

    def open(self, target: str = "") -> None:
        """Show a page, at an anchor: ``faults.md#kinds``; "" is the contents."""
        if self.window is None:
            self.window = HelpWindow(self._look, self._shortcuts, self._parent)
        self.window.show_at(target or START)

    def search(self, question: str) -> None:
        """Show what the pages say of a question."""
        self.open()
        assert self.window is not None
        self.window.search.setText(question)
        self.window.contents.choose()

    def search_entry(self, question: str) -> list[PaletteEntry]:
        """Return the search for what no action of the command palette is called."""
        return [
            PaletteEntry(
                tr("Search for “{question}”", question=question),
                partial(self.search, question),
                tr("Help"),
            )
        ]

    def entries(self) -> list[PaletteEntry]:
        """Return every page for the command palette: "Help: Glossary"."""
        return [
            PaletteEntry(page.title, partial(self.open, name), tr("Help"), words=page.headings, is_page=True)
            for name, page in pages().items()
            if name != START
        ]
