"""Pieces of a report laid out on sheets: blocks, tables and pictures, and where a sheet begins."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor, QTextFormat, QTextFrame, QTextTable

_LEAD = 64.0
"""Lines under a heading that are lower than this stay with what follows [px]."""
_ABOVE_PART = 24.0
"""Above a part that does not begin a page [px]."""


@dataclass(frozen=True)
class Piece:
    """A block, table or picture of a page: where it is [px], and whether what follows must be on its page."""

    block: QTextBlock
    frame: QTextFrame | None
    top: float
    bottom: float
    first: float  # bottom of its first line or row
    keeps: bool

    @property
    def position(self) -> int:
        """Return where in the text it begins."""
        return self.block.position() if self.frame is None else self.frame.firstPosition()


def begin_page(piece: Piece) -> None:
    """Let a piece begin a sheet."""
    if piece.frame is not None:
        frame_form = piece.frame.frameFormat()
        frame_form.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
        piece.frame.setFrameFormat(frame_form)
    else:
        form = QTextBlockFormat()
        form.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
        QTextCursor(piece.block).mergeBlockFormat(form)


def begin_below(head: QTextBlock) -> None:
    """Let a part follow below what is on its page."""
    form = QTextBlockFormat()
    form.setTopMargin(_ABOVE_PART)
    QTextCursor(head).mergeBlockFormat(form)


def is_at(block: QTextBlock, anchor: str) -> bool:
    """Return whether a block has an anchor."""
    return any(anchor in fragment.charFormat().anchorNames() for fragment in fragments(block))


def fragments(block: QTextBlock) -> list:  # type: ignore[type-arg]
    """Return the fragments of a block, each in one format."""
    found, each = [], block.begin()
    while not each.atEnd():
        found.append(each.fragment())
        each += 1
    return found


def is_picture(block: QTextBlock) -> bool:
    """Return whether a block is a drawing or picture."""
    return any(fragment.charFormat().isImageFormat() for fragment in fragments(block))


def cell_text(table: QTextTable, row: int, column: int) -> str:
    """Return the first words of a cell."""
    return table.cellAt(row, column).firstCursorPosition().block().text().strip()


def leads(pieces: list[Piece], place: int) -> bool:
    """Return whether a piece is a few lines under a heading that lead to the table or picture below."""
    piece, above = pieces[place], pieces[place - 1] if place > 0 else None
    return (
        above is not None
        and above.keeps
        and above.frame is None
        and not is_picture(above.block)  # then they are its caption
        and piece.frame is None
        and pieces[place + 1].frame is not None
        and (piece.bottom - piece.top < _LEAD)
    )


def breaks(piece: Piece) -> bool:
    """Return whether a piece begins a sheet already."""
    form = piece.frame.frameFormat() if piece.frame is not None else piece.block.blockFormat()
    return bool(form.pageBreakPolicy() & QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
