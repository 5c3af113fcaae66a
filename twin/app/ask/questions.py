"""Opens the form of questions over a window, made when it is first asked for; the palette finds each by its words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from twin.app.session.session import Session
from twin.app.toolkit.command_palette import PaletteEntry
from twin.app.toolkit.look import Look
from twin.app.toolkit.sliced_work import WindowEnd
from twin.catalog import load_catalog
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.ask.ask_dialog import AskDialog


class TradeQuestions:
    """Holds one dialog, which is closed with the window.

    Attributes
    ----------
    dialog
        None until somebody asks.
    """

    def __init__(self, look: Look, session: Session, window: QWidget) -> None:
        self._look, self._session, self._window = look, session, window
        self.dialog: AskDialog | None = None
        WindowEnd(window, self.close)

    def open(self, key: str = "") -> None:
        """Show the form; of a question, or as it was left."""
        if self.dialog is None:
            from twin.app.ask.ask_dialog import AskDialog

            self.dialog = AskDialog(self._look, self._session, load_catalog(), self._window)
        elif not self.dialog.isVisible() and not key:
            key = self.dialog.question.key
        if key:
            self.dialog.ask(key)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def close(self) -> None:
        """Close the form."""
        if self.dialog is not None:
            self.dialog.close()

    def entries(self) -> Iterator[PaletteEntry]:
        """Yield the questions, for the command palette."""
        from twin.questions.table import QUESTIONS

        for question in QUESTIONS.values():
            has_scene = not question.needs_scene or self._session.document is not None
            yield PaletteEntry(
                question.title,
                partial(self.open, question.key),
                tr("Question"),
                words=question.words,
                why_not="" if has_scene else tr("open a scene first"),
            )
