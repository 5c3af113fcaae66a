"""A page of the help as a document of Qt, in the colours of a theme; nothing but drawings of the help is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from PySide6.QtCore import QByteArray, QObject, Qt, QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QImage,
    QPainter,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextTable,
)
from PySide6.QtSvg import QSvgRenderer

from twin.app.help.pages import HelpPage, next_anchor, picture, resolve
from twin.app.toolkit import theme as themes
from twin.app.toolkit.theme import Theme

_TEXT_PX = 13
_HEADING_PX = {1: 22, 2: 17, 3: 14}
_CODE_PX, _LISTING_PX = 12, 11
_HANG_PX = 24
"""The rest of a line of code that does not fit stands so far to the right of its beginning."""
_LINE_PERCENT, _LISTING_LINE_PX = 128.0, 16
_OF_FONT = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
_EXACTLY = QTextBlockFormat.LineHeightTypes.FixedHeight.value
_AT_LEAST = QTextBlockFormat.LineHeightTypes.MinimumHeight.value
_SHARP = 2
"""Dots a pixel of drawings."""
_MARKDOWN = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML


class HelpDocument(QTextDocument):
    """A page, ready to be shown.

    Attributes
    ----------
    anchors
        Anchor of each heading to the position of its block.
    """

    def __init__(self, page: HelpPage, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self.page = page
        self.anchors: dict[str, int] = {}
        self.setUndoRedoEnabled(False)
        self.setDefaultFont(themes.font(_TEXT_PX))
        self.setDocumentMargin(themes.scaled(20))
        self.setMarkdown(page.text, _MARKDOWN)
        self._dress(theme)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Return a drawing of assets/help; nothing else, whatever a page asks for."""
        link = QUrl(name)
        if kind != QTextDocument.ResourceType.ImageResource.value or link.scheme() or link.authority():
            return None
        drawing = picture(resolve(self.page.name, link.path()))
        return _drawn(drawing) if drawing is not None else None

    def _dress(self, theme: Theme) -> None:
        cursor = QTextCursor(self)
        cursor.beginEditBlock()
        _frame_listings(self, theme)
        for frame in self.rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                _dress_table(frame, theme)
        taken: dict[str, int] = {}
        for block in _blocks(self):
            level = block.blockFormat().headingLevel()
            if level:
                self.anchors[next_anchor(block.text(), taken)] = block.position()
            cursor.setPosition(block.position())
            _dress_block(cursor, block, level, theme)
        cursor.endEditBlock()


def _dress_block(cursor: QTextCursor, block: QTextBlock, level: int, theme: Theme) -> None:
    shape, in_table = QTextBlockFormat(), cursor.currentTable() is not None
    listing = not in_table and cursor.currentFrame() != block.document().rootFrame()
    if level:
        shape.setTopMargin(themes.scaled(0 if level == 1 else 22 - 4 * (level - 2)))
        shape.setBottomMargin(themes.scaled(8 if level < 3 else 5))
    elif listing:
        shape.setLineHeight(themes.scaled(_LISTING_LINE_PX), _AT_LEAST)
        shape.setLeftMargin(themes.scaled(_HANG_PX))
        shape.setTextIndent(-themes.scaled(_HANG_PX))
        shape.setTopMargin(0)
        shape.setBottomMargin(0)
        shape.setNonBreakableLines(False)  # else all of the page would be as wide as its longest line
    elif not in_table and not block.text():  # before and after frames there is one
        shape.setLineHeight(1, _EXACTLY)
        shape.setTopMargin(0)
        shape.setBottomMargin(0)
    else:
        shape.setLineHeight(_LINE_PERCENT, _OF_FONT)
        if not in_table:
            shape.setBottomMargin(themes.scaled(3 if block.textList() is not None else 9))
    cursor.mergeBlockFormat(shape)
    if level:
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(_letters(themes.font(_HEADING_PX.get(level, _TEXT_PX), bold=True)))
    else:
        for begin, end, letters in _pieces(block, listing, theme):
            cursor.setPosition(begin)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(letters)


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _frame_listings(document: QTextDocument, theme: Theme) -> None:
    """Put a frame with a ground of its own round each listing."""
    shape = QTextFrameFormat()
    shape.setBackground(QColor(theme.raised))
    shape.setPadding(themes.scaled(8))
    shape.setBottomMargin(themes.scaled(10))
    runs = [list(lines) for code, lines in groupby(_blocks(document), _is_code) if code]
    for first, last in [(lines[0].position(), lines[-1].position()) for lines in reversed(runs)]:
        cursor = QTextCursor(document)
        cursor.setPosition(first)
        cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertFrame(shape)


def _is_code(block: QTextBlock) -> bool:
    return block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeLanguage.value)


def _pieces(block: QTextBlock, listing: bool, theme: Theme) -> list[tuple[int, int, QTextCharFormat]]:
    """Return begin, end and letters of what is code or a link in a block."""
    found, pieces = [], block.begin()
    code = _letters(themes.font(_LISTING_PX if listing else _CODE_PX, mono=True))
    code.setBackground(QColor(theme.raised))
    link = QTextCharFormat()
    link.setForeground(QColor(theme.accent))
    link.setFontUnderline(True)  # not by colour alone
    while not pieces.atEnd():
        piece = pieces.fragment()
        shape, end = piece.charFormat(), piece.position() + piece.length()
        if listing or shape.fontFixedPitch():
            found.append((piece.position(), end, code))
        if shape.isAnchor():
            found.append((piece.position(), end, link))
        pieces += 1
    return found


def _letters(font: QFont) -> QTextCharFormat:
    """Return what gives letters a font and leaves the rest of them as it is."""
    letters = QTextCharFormat()
    letters.setFont(font, QTextCharFormat.FontPropertiesInheritanceBehavior.FontPropertiesSpecifiedOnly)
    return letters


def _dress_table(table: QTextTable, theme: Theme) -> None:
    shape = table.format().toTableFormat()
    shape.setBorder(1)
    shape.setBorderCollapse(True)
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setBorderBrush(QBrush(QColor(theme.border)))
    shape.setCellSpacing(0)
    shape.setCellPadding(themes.scaled(5))
    shape.setTopMargin(themes.scaled(6))
    shape.setBottomMargin(themes.scaled(12))
    table.setFormat(shape)
    bold = QTextCharFormat()
    bold.setFontWeight(QFont.Weight.DemiBold)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        head = cell.format()
        head.setBackground(QColor(theme.raised))
        cell.setFormat(head)
        words = cell.firstCursorPosition()
        if not words.block().text() and words.block() != cell.lastCursorPosition().block():
            words.deleteChar()  # Qt begins the first table after code with an empty line
        words.setPosition(cell.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor)
        words.mergeCharFormat(bold)


def _drawn(drawing: bytes) -> QImage:
    renderer = QSvgRenderer(QByteArray(drawing))
    size = renderer.defaultSize()
    image = QImage(size * _SHARP, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    image.setDevicePixelRatio(_SHARP)
    return image
