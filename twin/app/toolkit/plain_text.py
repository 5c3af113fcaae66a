"""Text of documents in widgets: shown as it stands, never read as rich text, which could load files.

Labels and tool tips of Qt take whatever looks like markup for rich text. Here are labels that do not, and the tool tip
that says the same words. Markup of our own goes to `MarkupLabel` and into tips that are made of it; what it holds of a
document is escaped.
"""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as Text
from PySide6.QtWidgets import QLabel, QMessageBox

from twin.shown_text import printable


class PlainLabel(QLabel):
    """A label that shows its text as it stands; what would act instead of being read is written as its escape."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show another text."""
        super().setText(printable(text))


class MarkupLabel(QLabel):
    """A label for markup of the program itself; whoever writes it escapes what comes from a document."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.RichText)


def plain_tip(words: str) -> str:
    """Return what a tool tip must be given to show `words` as they stand.

    >>> plain_tip("GPU 3 < GPU 4"), plain_tip("<b>Lab</b>")
    ('GPU 3 < GPU 4', "<div style='white-space:pre-wrap'>&lt;b&gt;Lab&lt;/b&gt;</div>")
    """
    words = printable(words)
    if not Text.mightBeRichText(words):
        return words
    return f"<div style='white-space:pre-wrap'>{escape(words, quote=False)}</div>"


def make_plain(box: QMessageBox) -> None:
    """Let all labels of a message box show their text as it stands."""
    box.setTextFormat(Qt.TextFormat.PlainText)
    for label in box.findChildren(QLabel):
        label.setTextFormat(Qt.TextFormat.PlainText)
