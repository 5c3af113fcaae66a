"""The Markdown of a document as text of Qt, made letter by letter: nothing of a file is read as rich text."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextFrameFormat
from PySide6.QtWidgets import QFrame, QTextEdit

from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look
from twin.markdown_text import ProseBlock, ProseSpan, in_plain
from twin.shown_text import printable

_LINE_PERCENT = 128.0
_OF_FONT = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
_HANG = 1.3
"""An item stands so many letters to the right of its mark."""


class ProseView(QTextEdit):
    """Shows blocks in letters of a given size; links are shown as such and lead nowhere.

    Attributes
    ----------
    plain
        The text without any look.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._size_px = 13
        self._blocks: tuple[ProseBlock, ...] = ()
        self.plain = ""
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setAcceptRichText(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setStyleSheet("QTextEdit { background: transparent; border: none; }")
        self.viewport().setAutoFillBackground(False)
        look.changed.connect(self._on_look)

    def show_blocks(self, blocks: Iterable[ProseBlock], size_px: int) -> None:
        """Show other blocks, or the same in another size [px on the screen]."""
        made = tuple(blocks)
        if made == self._blocks and size_px == self._size_px:
            return
        self._blocks, self._size_px = made, size_px
        self._write()

    def height_at(self, width_px: int) -> int:
        """Return how high all of it is in a width [px]."""
        document = self.document()
        document.setTextWidth(width_px)
        return round(document.size().height())

    def _on_look(self, _theme: object) -> None:
        self._write()

    def _write(self) -> None:
        self.plain = in_plain(self._blocks)
        self.setAccessibleName(self.plain)
        document = self.document()
        document.clear()
        document.setDocumentMargin(0)
        self.setTabStopDistance(_HANG * self._size_px)
        root = document.rootFrame().frameFormat()
        root.setMargin(0)
        document.rootFrame().setFrameFormat(QTextFrameFormat(root))
        cursor = QTextCursor(document)
        for number, block in enumerate(self._blocks):
            shape = self._shape(block)
            if number:
                cursor.insertBlock(shape)
            else:
                cursor.setBlockFormat(shape)
            mark = {"bullet": "\N{BULLET}\t", "number": f"{block.number}.\t"}.get(block.kind, "")
            if mark:
                cursor.insertText(mark, self._letters(ProseSpan(""), block))
            for span in block.spans:
                cursor.insertText(printable(span.text), self._letters(span, block))
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _shape(self, block: ProseBlock) -> QTextBlockFormat:
        shape, size_px = QTextBlockFormat(), self._size_px
        shape.setLineHeight(_LINE_PERCENT, _OF_FONT)
        shape.setBottomMargin(size_px * (0.25 if block.kind in ("bullet", "number") else 0.55))
        if block.kind in ("bullet", "number"):
            hang_px = _HANG * size_px
            shape.setLeftMargin(hang_px * (block.level + 1))
            shape.setTextIndent(-hang_px)
        return shape

    def _letters(self, span: ProseSpan, block: ProseBlock) -> QTextCharFormat:
        theme, letters = self._look.theme, QTextCharFormat()
        larger = {1: 1.45, 2: 1.25, 3: 1.1}[block.level] if block.kind == "heading" else 1.0
        bold = span.strong or block.kind == "heading"
        font = themes.font(round(self._size_px * larger), mono=span.code, bold=bold, as_is=True)
        font.setItalic(span.emphasis)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        letters.setFont(font)
        letters.setForeground(QColor(theme.accent if span.link else theme.text))
        letters.setFontUnderline(bool(span.link))
        return letters
