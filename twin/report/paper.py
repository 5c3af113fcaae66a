"""Reports on paper: a page of `twin.report.pages` as PDF, with page numbers, contents and heads of tables on each page.

Qt lays out the text; it knows no grids, variables and drawings of style sheets, so the page is put into what it knows
first (`twin.report.paper_markup`). Drawings stay vectors. Needs no display.
"""

from __future__ import annotations

import os
from collections import Counter
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
    QTextImageFormat,
    QTextTable,
)
from PySide6.QtSvg import QSvgRenderer

from twin.report.paper_markup import FAMILIES, KEEP, PAGE_OF, PAPER_STYLE, PaperPage, paper_page
from twin.report.paper_pieces import (
    Piece,
    begin_below,
    begin_page,
    breaks,
    cell_text,
    fragments,
    is_at,
    leads,
)

PX_PER_MM = 96.0 / 25.4
_WIDE, _HIGH = round(182 * PX_PER_MM), round(258 * PX_PER_MM)
"""Of the text on A4 [px]."""
_LEFT, _TOP, _BOTTOM = 14 * PX_PER_MM, 17 * PX_PER_MM, 12 * PX_PER_MM
_EDGE = 5.0
"""Left free within the text at the edges of each sheet, so that no letter reaches over [px]."""
_DPI = 600
_NEARLY_EMPTY = 0.2
"""Of a page: what ends so high up has the next part below it, so that no page is nearly empty."""
_NUMBER_PX = 80.0
"""Room for the number of a sheet at its foot."""
_WHOLE = 0.3
"""Tables lower than this part of a page are not torn."""
_ROWS = 4
"""Of a table that is torn, on its first page and on its last at least."""
_MOST_WHOLE = 0.6
"""Tables of too few rows for that are not torn where they are lower than this part of a page."""
_LINES = 3
"""A paragraph of so many lines is not torn; of a longer one two stay together."""
_SMALLEST = 0.5
"""What a picture may be shrunk to, so that it stays on its page."""


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


class LaidOutReport:
    """A page of ours laid out on sheets.

    Attributes
    ----------
    title, pages
        Of the document, and how many sheets it has.
    page_of
        Sheet, from 1 on, of each heading by its key.
    high
        Of the text of a sheet [px].
    drawn
        Where drawings and pictures are, counted on from sheet to sheet, and their names [px].
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
        self._high: dict[int, float] = {}
        self._pushed: set[int] = set()  # pieces that begin their page by the room above them
        self._begin_second_part()
        later = [block for key in page.later for block in self._blocks() if is_at(block, key)]
        for frame in document.rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                while later and later[0].position() < frame.firstPosition():
                    self._begin_part(later.pop(0))
                self._keep_together(frame.lastPosition())
                self._keep_rows(frame)
        for block in later:
            self._begin_part(block)
        self._keep_together()
        self._number_contents()
        self.pages = max((_page_of(piece.bottom - 0.5) + 1 for piece in self._pieces()), default=1)
        self.high = float(_HIGH)
        self.drawn = [found for block in self._blocks() if (found := self._drawing(block)) is not None]

    def paint(self, painter: QPainter, number: int) -> None:
        """Paint one sheet, from 0 on."""
        painter.save()
        painter.translate(_LEFT, _TOP - number * _HIGH)
        shown = QRectF(0, number * _HIGH, _WIDE, _HIGH)
        painter.setClipRect(shown)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = shown
        self._document.documentLayout().draw(painter, context)
        for place, name in self.drawn:
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
        for fragment in fragments(block):
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
        table = self._contents_table()
        if table is None:
            return []
        return [(cell_text(table, row, 0), cell_text(table, row, 1)) for row in range(table.rows())]

    def contents_sheets(self) -> set[int]:
        """Return the sheets, from 0 on, that lines of the contents stand on."""
        table = self._contents_table()
        return set() if table is None else {_page_of(self._row(table, row)[0]) for row in range(table.rows())}

    def _contents_table(self) -> QTextTable | None:
        tables = (
            frame for frame in self._document.rootFrame().childFrames() if isinstance(frame, QTextTable)
        )
        return next((table for table in tables if table.rows() == len(self._page.contents)), None)

    def torn_rows(self) -> list[str]:
        """Return the first words of the rows of tables that begin on one sheet and end on another."""
        return [
            cell_text(frame, row, 0)
            for frame in self._document.rootFrame().childFrames()
            if isinstance(frame, QTextTable)
            for row in range(frame.rows())
            if len({_page_of(edge) for edge in (self._row(frame, row)[0], self._row(frame, row)[1] - 0.5)})
            > 1
        ]

    def torn_paragraphs(self) -> list[str]:
        """Return the paragraphs outside of tables that leave a line alone, or part from what they are kept with."""
        torn = self._first_torn()
        return [] if torn is None else [torn[0].block.text()]

    def rows_by_page(self) -> list[list[int]]:
        """Return for each table how many of its rows begin on each sheet that it is on."""
        counts = []
        for frame in self._document.rootFrame().childFrames():
            if isinstance(frame, QTextTable) and frame.format().headerRowCount():
                rows = range(frame.format().headerRowCount(), frame.rows())
                counts.append(list(Counter(_page_of(self._row(frame, row)[0]) for row in rows).values()))
        return counts

    def filled_pages(self) -> set[int]:
        """Return the sheets, from 0 on, that have anything on them."""
        return {
            page
            for piece in self._pieces()
            for page in range(_page_of(piece.top), _page_of(piece.bottom - 0.5) + 1)
        }

    def page_ends(self) -> list[float]:
        """Return how far down each sheet is filled, shape (pages,) [-]."""
        ends = [0.0] * self.pages
        for piece in self._pieces():
            for page in range(_page_of(piece.top), _page_of(piece.bottom - 0.5) + 1):
                ends[page] = max(ends[page], min(1.0, piece.bottom / _HIGH - page))
        return ends

    def row_heights(self) -> list[list[float]]:
        """Return for each table with a head how high the text of its other rows is [px]."""
        heights = []
        for frame in self._document.rootFrame().childFrames():
            if isinstance(frame, QTextTable) and frame.format().headerRowCount():
                rows = range(frame.format().headerRowCount(), frame.rows())
                heights.append([bottom - top for top, bottom in (self._row(frame, row) for row in rows)])
        return heights

    # --- what stays together

    def _pieces(self) -> list[Piece]:
        found: list[Piece] = []
        layout = self._document.documentLayout()
        each = self._document.rootFrame().begin()
        while not each.atEnd():
            frame, block = each.currentFrame(), each.currentBlock()
            each += 1
            if frame is not None:
                place = layout.frameBoundingRect(frame)
                first, table = place.bottom(), isinstance(frame, QTextTable)
                if isinstance(frame, QTextTable):
                    row = min(frame.format().headerRowCount() + _ROWS - 1, frame.rows() - 1)
                    _, first = self._row(frame, row)
                bottom = place.bottom() - frame.frameFormat().bottomMargin()
                found.append(Piece(block, frame, place.top(), bottom, first, not table))
            elif block.isValid() and block.text():
                place, first = layout.blockBoundingRect(block), self._first_lines(block)
                keeps = block.blockFormat().headingLevel() > 0 or any(
                    KEEP in fragment.charFormat().anchorNames() or fragment.charFormat().isImageFormat()
                    for fragment in fragments(block)
                )
                found.append(Piece(block, None, place.top(), place.bottom(), first, keeps))
        return found

    def _first_lines(self, block: QTextBlock) -> float:
        """Return the bottom of what must stand on the page on which a block begins [px]: all of it if it is short."""
        place, lines = self._document.documentLayout().blockBoundingRect(block), block.layout()
        bottoms = [lines.lineAt(n).y() + lines.lineAt(n).height() for n in range(lines.lineCount())]
        if len(bottoms) <= _LINES:
            return place.bottom()
        alone = _page_of(place.top() + bottoms[-2] - 0.5) != _page_of(place.top() + bottoms[-1] - 0.5)
        return place.top() + bottoms[-1 if alone else 1]

    def _begin_second_part(self) -> None:
        """Begin the second part on a page of its own, below the contents where these have left that of the first."""
        found = (block for block in self._blocks() if self._page.second and is_at(block, self._page.second))
        second = next(found, None)
        if second is None:
            return
        self._keep_together(second.position())
        pieces = self._pieces()
        place = next(n for n, piece in enumerate(pieces) if piece.block == second and piece.frame is None)
        head = place - 2  # of the contents, which are a table
        begun = head > 0 and pieces[head].keeps and _page_of(pieces[head - 1].bottom - 0.5)
        if head <= 0 or begun == _page_of(pieces[head].top):
            self._move_on(pieces[place])
        else:
            begin_below(second)

    def _begin_part(self, head: QTextBlock) -> None:
        """Begin a later part on a page of its own, or below the rest of the part before where that would be alone."""
        self._keep_together(head.position())
        pieces = self._pieces()
        place = next(n for n, piece in enumerate(pieces) if piece.block == head and piece.frame is None)
        end = pieces[place - 1].bottom - 0.5
        heads = [piece.top for piece in pieces[:place] if piece.frame is None and self._is_part(piece.block)]
        if end % _HIGH < _NEARLY_EMPTY * _HIGH and heads and _page_of(heads[-1]) != _page_of(end):
            begin_below(head)
        else:
            begin_page(pieces[place])

    def _is_part(self, block: QTextBlock) -> bool:
        return any(is_at(block, key) for key in (self._page.second, *self._page.later))

    def _keep_together(self, before: int | None = None) -> None:
        """Begin a new page before what would be torn: heads from what they head, pictures from notes, small tables.

        A picture that would leave its page is made smaller, where that helps. `before`: up to that place of the text.
        """
        for _ in range(400):
            torn = self._first_torn()
            if torn is None or (before is not None and torn[0].position >= before):
                return
            begin, bottom = torn
            if not self._shrink(begin, bottom):
                self._move_on(begin)

    def _move_on(self, piece: Piece) -> None:
        """Begin the next page with a piece; where a break would skip a page, below the last rows of the table above."""
        begin_page(piece)
        layout = self._document.documentLayout()
        if piece.frame is None and layout.blockBoundingRect(piece.block).top() - piece.top > _HIGH:
            form = QTextBlockFormat()
            form.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_Auto)
            above = self._table_above(piece.block)
            if above is None or above.rows() - above.format().headerRowCount() <= 2 * _ROWS:
                form.setTopMargin((_page_of(piece.top) + 1) * _HIGH - piece.top + 2.0 * _EDGE)
            else:
                self._push_row(above, above.rows() - _ROWS)
            QTextCursor(piece.block).mergeBlockFormat(form)
            if above is not None:
                self._part_from_heading(above)
            self._pushed.add(piece.position)

    def _table_above(self, block: QTextBlock) -> QTextTable | None:
        """Return the table that ends right above a block; None: other things do."""
        for frame in self._document.rootFrame().childFrames():
            if isinstance(frame, QTextTable) and frame.lastPosition() + 1 == block.position():
                return frame
        return None

    def _shrink(self, piece: Piece, bottom: float) -> bool:
        """Make a picture smaller, so that it stays on its page with what is kept with it; return whether that helps."""
        if piece.frame is not None:
            return False
        for fragment in fragments(piece.block):
            if fragment.charFormat().isImageFormat():
                image = fragment.charFormat().toImageFormat()
                free = (_page_of(piece.top) + 1) * _HIGH - 2.0 * _EDGE - piece.top
                share = (image.height() - (bottom - piece.top - free)) / image.height()
                whole = self._high.setdefault(piece.position, image.height())
                if (
                    image.name() in self._page.drawings
                    or not _SMALLEST * whole < share * image.height() < whole
                ):
                    return False
                smaller = QTextImageFormat()
                smaller.setWidth(image.width() * share)
                smaller.setHeight(image.height() * share)
                cursor = QTextCursor(self._document)
                cursor.setPosition(fragment.position())
                end = fragment.position() + fragment.length()
                cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
                cursor.mergeCharFormat(smaller)
                return True
        return False

    def _first_torn(self) -> tuple[Piece, float] | None:
        """Return where a new page must begin first, and the bottom of what must be on it [px]."""
        pieces = self._pieces()
        for place, piece in enumerate(pieces):
            torn = _page_of(piece.top) != _page_of(piece.first - 0.5)
            if piece.frame is not None and piece.bottom - piece.top < _most_whole(piece.frame) * _HIGH:
                torn = torn or _page_of(piece.top) != _page_of(piece.bottom - 0.5)
            begin = place
            while begin > 0 and (pieces[begin - 1].keeps or leads(pieces, begin - 1)):
                begin -= 1
            torn = torn or _page_of(pieces[begin].top) != _page_of(piece.first - 0.5)
            stays = breaks(pieces[begin]) or pieces[begin].position in self._pushed
            if torn and not stays and pieces[begin].top % _HIGH > 2.0 * _EDGE:
                return pieces[begin], piece.first
        return None

    def _keep_rows(self, table: QTextTable) -> None:
        """Make room below rows, so that the next begin on the next page, below the head repeated there; none alone."""
        heads, last = table.format().headerRowCount(), table.rows() - 1
        for row in range(heads, last + 1):
            top, bottom = self._row(table, row)
            torn = _page_of(top) != _page_of(bottom - 0.5)
            if heads + _ROWS <= row == last - _ROWS + 1:  # too few rows would be left
                torn = torn or _page_of(top) != _page_of(self._row(table, last)[1] - 0.5)
            if not torn or bottom - top > _WHOLE * _HIGH:
                continue
            self._push_row(table, row)
        self._part_from_heading(table)

    def _push_row(self, table: QTextTable, row: int) -> None:
        """Make room above a row, so that it begins on the next page."""
        heads, (top, _) = table.format().headerRowCount(), self._row(table, row)
        line_px = table.cellAt(row, 0).firstCursorPosition().block().layout().lineAt(0).height()
        push = max(1.0, (_page_of(top) + 1) * _HIGH - _EDGE - line_px - top + 2.0)
        for column in range(table.columns()):
            cell = table.cellAt(max(row - 1, heads), column)
            form = cell.format().toTableCellFormat()
            if row == heads:
                form.setTopPadding(push)
            else:
                form.setBottomPadding(push)
            cell.setFormat(form)

    def _part_from_heading(self, table: QTextTable) -> None:
        """Make room below a table where Qt leaves out what the heading below has above it."""
        layout, below = self._document.documentLayout(), self._document.findBlock(table.lastPosition() + 1)
        room = below.blockFormat().topMargin()
        gap = layout.blockBoundingRect(below).top() - layout.frameBoundingRect(table).bottom()
        bottom = layout.frameBoundingRect(table).bottom()
        fits = _page_of(bottom) == _page_of(
            bottom + room
        )  # else its head would be repeated above the heading
        if below.blockFormat().headingLevel() and gap < room - 1.0 and fits:
            form = table.format()
            form.setBottomMargin(room)
            table.setFormat(form)

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
            for fragment in fragments(block):
                for name in fragment.charFormat().anchorNames():
                    pages.setdefault(name, _page_of(layout.blockBoundingRect(block).top()) + 1)
        for key in self._page.contents:
            found = self._document.find(f"{PAGE_OF}{key}.")
            if not found.isNull():
                found.insertText(str(pages.get(key, "")))


def _most_whole(frame: QTextFrame) -> float:
    """Return up to which part of a page a table or picture is not torn."""
    few = isinstance(frame, QTextTable) and frame.rows() - frame.format().headerRowCount() < 2 * _ROWS
    return _MOST_WHOLE if few else _WHOLE


def _page_of(y: float) -> int:
    return floor(y / _HIGH)
