"""A page of the help to be read: headings are found by anchor, words are marked, links are told of."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtCore import QUrl
from PySide6.QtGui import QColor, QTextBlock, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit

from twin.app.help.document import HelpDocument
from twin.app.help.pages import HelpPage
from twin.app.help.search import word_patterns
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr

_MOST_MARKS = 500


class HelpReader(QTextBrowser):
    """Shows a page; what a link leads to, others decide."""

    followed = Signal(QUrl)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._shown: HelpDocument | None = None
        self.setAccessibleName(tr("Page of the help"))
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WordWrap)
        self.anchorClicked.connect(self.followed.emit)
        self.highlighted.connect(self._tell_address)

    def show_page(self, page: HelpPage) -> None:
        """Show a page from its top, in the theme and at the size of text in force."""
        before, self._shown = self._shown, HelpDocument(page, self._look.theme, self)
        self.setDocument(self._shown)
        self.setExtraSelections([])
        self.verticalScrollBar().setValue(0)
        if before is not None:
            before.deleteLater()

    def go_to(self, anchor: str) -> bool:
        """Bring the heading of an anchor to the top; returns whether the page has it."""
        place = self._block_of(anchor)
        if place is None:
            return False
        cursor = QTextCursor(place)
        self.setTextCursor(cursor)
        layout = place.document().documentLayout()
        layout.documentSize()  # lays out all of it: below the end one cannot scroll
        top_px = layout.blockBoundingRect(place).top()
        self.verticalScrollBar().setValue(round(top_px) - self.fontMetrics().height() // 2)
        return True

    def mark(self, question: str, anchor: str = "") -> None:
        """Mark the words of a question on the page, and let the first of them below an anchor be seen."""
        if self._shown is None:
            return
        marks = []
        text, begin = self._shown.toPlainText(), self._shown.anchors.get(anchor, 0)
        places = sorted(
            found.span() for pattern in word_patterns(question) for found in pattern.finditer(text)
        )
        for first, last in places[:_MOST_MARKS]:
            mark = QTextEdit.ExtraSelection()
            mark.cursor = QTextCursor(self._shown)
            mark.cursor.setPosition(first)
            mark.cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
            mark.format.setBackground(QColor(self._look.theme.selection))
            marks.append(mark)
        self.setExtraSelections(marks)
        below = next((first for first, _ in places if first >= begin), None)
        if below is not None:
            cursor = QTextCursor(self._shown)
            cursor.setPosition(below)
            self.setTextCursor(cursor)
            self.ensureCursorVisible()

    def heading_at_top(self) -> str:
        """Return the anchor of the last heading above the middle of what is seen, "" above the first."""
        if self._shown is None:
            return ""
        at = self.cursorForPosition(self.viewport().rect().center()).position()
        above = [anchor for anchor, position in self._shown.anchors.items() if position <= at]
        return above[-1] if above else ""

    def _block_of(self, anchor: str) -> QTextBlock | None:
        position = self._shown.anchors.get(anchor) if self._shown is not None else None
        return self._shown.findBlock(position) if self._shown is not None and position is not None else None

    def _tell_address(self, link: QUrl) -> None:
        """Say where a link out of the help leads, before it is followed."""
        self.setToolTip(plain_tip(link.toString()) if link.scheme() else "")
