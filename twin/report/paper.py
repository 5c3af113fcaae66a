"""Reports on paper: a page of `twin.report.pages` as PDF, with page numbers, contents and heads of tables on each page.

Qt lays out the text; it knows no grids, variables and drawings of style sheets, so the page is put into what it knows
first (`twin.report.paper_markup`). Drawings stay vectors. Needs no display.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import floor
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QPointF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrame,
    QTextTable,
)
from PySide6.QtSvg import QSvgRenderer

from twin.report.paper_markup import FAMILIES, KEEP, PAGE_OF, PAPER_STYLE, PaperPage, paper_page

PX_PER_MM = 96.0 / 25.4
_WIDE, _HIGH = round(182 * PX_PER_MM), round(258 * PX_PER_MM)
"""Of the text on A4 [px]."""
_LEFT, _TOP, _BOTTOM = 14 * PX_PER_MM, 17 * PX_PER_MM, 12 * PX_PER_MM
_EDGE = 5.0
"""Left free within the text at the edges of each sheet, so that no letter reaches over [px]."""
_DPI = 600
_LEAD = 64.0
"""Lines under a heading that are lower than this stay with what follows [px]."""
_NUMBER_PX = 80.0
"""Room for the number of a sheet at its foot."""
_WHOLE = 0.4
"""Tables lower than this part of a page are not torn."""


def report_bytes(path: Path, html: str) -> bytes:
    """Return a report as its file holds it: PDF where that is its ending, else the page."""
    return pdf_bytes(html) if path.suffix.lower() == ".pdf" else html.encode()


def laid_out(html: str) -> LaidOutReport:
    """Return a page of ours on sheets of A4."""
    if QGuiApplication.instance() is None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        QGuiApplication([])
    return LaidOutReport(paper_page(html, round(_WIDE - 2.0 * _EDGE)))


def pdf_bytes(html: str) -> bytes:
    """Return a page of ours as PDF on A4."""
    laid = laid_out(html)
    data = QByteArray()
    device = QBuffer(data)
    device.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(device)
    writer.setTitle(laid.title)
    writer.setCreator("gpu-twin")
    writer.setResolution(_DPI)
    a4 = QPageSize(QPageSize.PageSizeId.A4)
    writer.setPageLayout(QPageLayout(a4, QPageLayout.Orientation.Portrait, QMarginsF()))
    painter = QPainter(writer)
    for number in range(laid.pages):
        if number:
            writer.newPage()
        painter.save()
        painter.scale(_DPI / 96.0, _DPI / 96.0)
        laid.paint(painter, number)
        painter.restore()
    painter.end()
    device.close()
    return bytes(data.data())


@dataclass(frozen=True)
class _Piece:
    """A block, table or picture of a page: where it is [px], and whether what follows must be on its page."""

    block: QTextBlock
    frame: QTextFrame | None
    top: float
    bottom: float
    first: float  # bottom of its first line or row
    keeps: bool


class LaidOutReport:
    """A page of ours laid out on sheets.

    Attributes
    ----------
    title, pages
        Of the document, and how many sheets it has.
    page_of
        Sheet, from 1 on, of each heading by its key.
    """

    def __init__(self, page: PaperPage) -> None:
        self._page, self.title = page, page.title
        self.page_of: dict[str, int] = {}
        self._document = document = QTextDocument()
        document.setDefaultStyleSheet(PAPER_STYLE)
        font = QFont()
        font.setFamilies(list(FAMILIES))
        font.setPixelSize(12)
        document.setDefaultFont(font)
        document.setUseDesignMetrics(True)
        document.setDocumentMargin(_EDGE)
        blank = QImage(1, 1, QImage.Format.Format_ARGB32)
        blank.fill(Qt.GlobalColor.transparent)
        for name in page.drawings | page.images:
            document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), blank)
        document.setHtml(page.html)
        document.setPageSize(QSizeF(_WIDE, _HIGH))
        self._keep_together()
        self._keep_rows()
        self._number_contents()
        self.pages = document.pageCount()
        self._drawn = [found for block in self._blocks() if (found := self._drawing(block)) is not None]

    def paint(self, painter: QPainter, number: int) -> None:
        """Paint one sheet, from 0 on."""
        painter.save()
        painter.translate(_LEFT, _TOP - number * _HIGH)
        shown = QRectF(0, number * _HIGH, _WIDE, _HIGH)
        painter.setClipRect(shown)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = shown
        self._document.documentLayout().draw(painter, context)
        for place, name in self._drawn:
            if place.intersects(shown):
                if name in self._page.drawings:
                    QSvgRenderer(QByteArray(self._page.drawings[name].encode())).render(painter, place)
                else:
                    painter.drawImage(place, QImage.fromData(self._page.images[name]))
        painter.restore()
        font = QFont()
        font.setFamilies(list(FAMILIES))
        font.setPixelSize(10)
        painter.setFont(font)
        painter.setPen(QColor("#555555"))
        foot = QRectF(_LEFT, _TOP + _HIGH + 2 * PX_PER_MM, _WIDE, _BOTTOM).adjusted(_EDGE, 0.0, -_EDGE, 0.0)
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight, self.number_words(number))
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft, self.foot_words(painter.fontMetrics()))

    def _blocks(self) -> list[QTextBlock]:
        found, block = [], self._document.begin()
        while block.isValid():
            found.append(block)
            block = block.next()
        return found

    def _drawing(self, block: QTextBlock) -> tuple[QRectF, str] | None:
        """Return where the drawing or picture of a block is, and its name; None: it has none."""
        for fragment in _fragments(block):
            form = fragment.charFormat()
            if form.isImageFormat():
                image = form.toImageFormat()
                place = self._document.documentLayout().blockBoundingRect(block)
                line = block.layout().lineAt(0)
                at = place.topLeft() + QPointF(line.x(), line.y())
                return QRectF(at, QSizeF(image.width(), image.height())), image.name()
        return None

    def foot_words(self, metrics: QFontMetrics) -> str:
        """Return the foot of a sheet; a long title is cut, so that it keeps off the number of the sheet."""
        said = " \N{MIDDLE DOT} simulated, not measured"
        most = round(_WIDE - 2.0 * _EDGE - _NUMBER_PX - metrics.horizontalAdvance(said))
        return f"{metrics.elidedText(self.title, Qt.TextElideMode.ElideRight, most)}{said}"

    def number_words(self, number: int) -> str:
        """Return what the foot of a sheet says of its number, from 0 on."""
        return f"{number + 1} of {self.pages}"

    def contents(self) -> list[tuple[str, str]]:
        """Return the lines of the contents: title and page."""
        for frame in self._document.rootFrame().childFrames():
            if isinstance(frame, QTextTable) and frame.rows() == len(self._page.contents):
                lines = [[_cell_text(frame, row, column) for column in (0, 1)] for row in range(frame.rows())]
                return [(title, page) for title, page in lines]
        return []

    def torn_rows(self) -> list[str]:
        """Return the first words of the rows of tables that begin on one sheet and end on another."""
        return [
            _cell_text(frame, row, 0)
            for frame in self._document.rootFrame().childFrames()
            if isinstance(frame, QTextTable)
            for row in range(frame.rows())
            if len({_page_of(edge) for edge in (self._row(frame, row)[0], self._row(frame, row)[1] - 0.5)})
            > 1
        ]

    # --- what stays together

    def _pieces(self) -> list[_Piece]:
        found: list[_Piece] = []
        layout = self._document.documentLayout()
        each = self._document.rootFrame().begin()
        while not each.atEnd():
            frame, block = each.currentFrame(), each.currentBlock()
            each += 1
            if frame is not None:
                place = layout.frameBoundingRect(frame)
                first, table = place.bottom(), isinstance(frame, QTextTable)
                if isinstance(frame, QTextTable):
                    row = min(frame.format().headerRowCount(), frame.rows() - 1)
                    _, first = self._row(frame, row)
                found.append(_Piece(block, frame, place.top(), place.bottom(), first, not table))
            elif block.isValid() and block.text():
                place, lines = layout.blockBoundingRect(block), block.layout()
                first = place.top() + (lines.lineAt(0).height() if lines.lineCount() else 0.0)
                keeps = block.blockFormat().headingLevel() > 0 or any(
                    KEEP in fragment.charFormat().anchorNames() for fragment in _fragments(block)
                )
                found.append(_Piece(block, None, place.top(), place.bottom(), first, keeps))
        return found

    def _keep_together(self) -> None:
        """Begin a new page before what would be torn: heads from what they head, pictures from notes, small tables."""
        for _ in range(400):
            torn = self._first_torn()
            if torn is None:
                return
            if torn.frame is not None:
                frame_form = torn.frame.frameFormat()
                frame_form.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
                torn.frame.setFrameFormat(frame_form)
            else:
                form = QTextBlockFormat()
                form.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
                QTextCursor(torn.block).mergeBlockFormat(form)

    def _first_torn(self) -> _Piece | None:
        pieces = self._pieces()
        for place, piece in enumerate(pieces):
            torn = _page_of(piece.top) != _page_of(piece.first - 0.5)
            if piece.frame is not None and piece.bottom - piece.top < _WHOLE * _HIGH:
                torn = torn or _page_of(piece.top) != _page_of(piece.bottom - 0.5)
            begin = place
            while begin > 0 and (pieces[begin - 1].keeps or _leads(pieces, begin - 1)):
                begin -= 1
            torn = torn or _page_of(pieces[begin].top) != _page_of(piece.first - 0.5)
            if torn and not _breaks(pieces[begin]) and pieces[begin].top % _HIGH > 2.0 * _EDGE:
                return pieces[begin]
        return None

    def _keep_rows(self) -> None:
        """Push rows that would be torn so far that Qt begins them on the next page, below the head repeated there."""
        for frame in self._document.rootFrame().childFrames():
            if not isinstance(frame, QTextTable):
                continue
            heads = frame.format().headerRowCount()
            for row in range(heads, frame.rows()):
                top, bottom = self._row(frame, row)
                if _page_of(top) == _page_of(bottom - 0.5) or bottom - top > _WHOLE * _HIGH:
                    continue
                line_px = frame.cellAt(row, 0).firstCursorPosition().block().layout().lineAt(0).height()
                push = max(1.0, (_page_of(top) + 1) * _HIGH - _EDGE - line_px - top + 2.0)
                for column in range(frame.columns()):
                    cell = frame.cellAt(row, column)
                    form = cell.format().toTableCellFormat()
                    form.setTopPadding(push)
                    cell.setFormat(form)

    def _row(self, table: QTextTable, row: int) -> tuple[float, float]:
        """Return top and bottom of the text of a row [px]."""
        layout = self._document.documentLayout()
        cells = [table.cellAt(row, column) for column in range(table.columns())]
        return (
            min(layout.blockBoundingRect(cell.firstCursorPosition().block()).top() for cell in cells),
            max(layout.blockBoundingRect(cell.lastCursorPosition().block()).bottom() for cell in cells),
        )

    # --- contents

    def _number_contents(self) -> None:
        """Write the page of each heading into the contents, which were laid out with numbers as wide."""
        pages = self.page_of
        layout = self._document.documentLayout()
        for block in self._blocks():
            for fragment in _fragments(block):
                for name in fragment.charFormat().anchorNames():
                    pages.setdefault(name, _page_of(layout.blockBoundingRect(block).top()) + 1)
        for key in self._page.contents:
            found = self._document.find(f"{PAGE_OF}{key}.")
            if not found.isNull():
                found.insertText(str(pages.get(key, "")))


def _fragments(block: QTextBlock) -> list:  # type: ignore[type-arg]
    found, each = [], block.begin()
    while not each.atEnd():
        found.append(each.fragment())
        each += 1
    return found


def _cell_text(table: QTextTable, row: int, column: int) -> str:
    return table.cellAt(row, column).firstCursorPosition().block().text().strip()


def _leads(pieces: list[_Piece], place: int) -> bool:
    """Return whether a piece is a few lines under a heading that lead to the table or picture below."""
    piece = pieces[place]
    of_heading = place > 0 and pieces[place - 1].keeps and pieces[place - 1].frame is None
    return (
        of_heading
        and piece.frame is None
        and pieces[place + 1].frame is not None
        and (piece.bottom - piece.top < _LEAD)
    )


def _breaks(piece: _Piece) -> bool:
    form = piece.frame.frameFormat() if piece.frame is not None else piece.block.blockFormat()
    return bool(form.pageBreakPolicy() & QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)


def _page_of(y: float) -> int:
    return floor(y / _HIGH)
