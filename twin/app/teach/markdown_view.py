"""The Markdown of a lesson as labels: words escaped, live figures in colour, pictures from the folder of the lesson."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImageReader, QPixmap
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import clear
from twin.app.toolkit.plain_text import MarkupLabel
from twin.language import tr
from twin.markdown_text import MarkdownError, ProseBlock, ProseSpan, in_plain, read_markdown, with_figures
from twin.scenario.formats.sibling_files import FileLimit, found
from twin.scenario.text.problem import Problem, ScenarioError
from twin.shown_text import in_html, printable

MISSING = "\N{EN DASH}"
_LIMIT = FileLimit(4_000_000, "a picture of a lesson")
_KINDS = (b"png", b"jpg", b"jpeg")
_MOST_PX, _SHOWN_PX = 4096, 360
"""Sides of pictures that are read, and as how large they are shown."""
_SIZES = {1: 115, 2: 108, 3: 100}
"""Of headings, in per cent of the text."""


class MarkdownView(QWidget):
    """A text of a lesson; what it cannot read it shows as it stands."""

    link_wanted = Signal(str)  # address that was clicked

    def __init__(self, look: Look, folder: Path | None) -> None:
        super().__init__()
        self._look, self._folder = look, folder
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(7)
        self._labels: list[tuple[MarkupLabel, tuple[ProseBlock, ...]]] = []
        self._figures: Mapping[str, str] = {}

    def show_text(self, text: str) -> None:
        """Show another text."""
        clear(self._column)
        self._labels = []
        try:
            blocks = read_markdown(text, pictures=True)
        except MarkdownError:
            self._column.addWidget(label(text, "prose", wrap=True))
            return
        words: list[ProseBlock] = []
        for block in blocks:
            if block.kind == "picture":
                self._add_words(words)
                words = []
                self._column.addWidget(self._picture(block))
            else:
                words.append(block)
        self._add_words(words)
        self.write()

    def show_figures(self, figures: Mapping[str, str]) -> None:
        """Write the figures of the run where their names stand."""
        if figures != self._figures:
            self._figures = figures
            self.write()

    @property
    def words(self) -> str:
        """Return what stands there, without any look."""
        return "\n".join(in_plain(self._filled(blocks)) for _, blocks in self._labels)

    def _add_words(self, blocks: list[ProseBlock]) -> None:
        if not blocks:
            return
        made = MarkupLabel()
        made.setProperty("role", "prose")
        made.setWordWrap(True)
        made.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus if _has_link(blocks) else Qt.FocusPolicy.NoFocus)
        made.linkActivated.connect(self.link_wanted.emit)
        self._labels.append((made, tuple(blocks)))
        self._column.addWidget(made)

    def _filled(self, blocks: tuple[ProseBlock, ...]) -> tuple[ProseBlock, ...]:
        return with_figures(blocks, lambda name: self._figures.get(name, MISSING))

    def write(self) -> None:
        """Write the text with the figures and in the theme of now."""
        theme = self._look.theme
        for made, blocks in self._labels:
            made.setText(blocks_in_html(blocks, self._figure_html, theme.accent))
            made.setAccessibleName(in_plain(self._filled(blocks)))

    def _figure_html(self, name: str) -> str:
        figure = in_html(self._figures.get(name, MISSING))
        return f'<span style="color:{self._look.theme.warning}; font-weight:600">{figure}</span>'

    def _picture(self, block: ProseBlock) -> QLabel:
        words = "".join(span.text for span in block.spans)
        made = label(words, "muted", wrap=True)
        pixmap = _pixmap(block.picture, self._folder)
        if pixmap is not None:
            made = label()
            made.setPixmap(pixmap)
            made.setScaledContents(False)
            made.setAccessibleName(printable(words))
        return made


def blocks_in_html(blocks: Iterable[ProseBlock], figure: Callable[[str], str], link_colour: str) -> str:
    """Return blocks as the rich text of a label; each word of the file is escaped.

    Parameters
    ----------
    figure
        Returns the markup of a figure by its name.
    link_colour
        Of links, ``#rrggbb``.
    """
    made = []
    for block in blocks:
        words = "".join(_span(span, figure, link_colour) for span in block.spans)
        if block.kind == "heading":
            size = _SIZES[block.level]
            made.append(f'<p style="margin:4px 0; font-size:{size}%; font-weight:600">{words}</p>')
        elif block.kind in ("bullet", "number"):
            mark = "\N{BULLET}" if block.kind == "bullet" else f"{block.number}."
            indent = 14 + 14 * block.level
            style = f"margin:2px 0 2px {indent}px; text-indent:-14px"
            made.append(f'<p style="{style}">{mark}&nbsp;{words}</p>')
        else:
            made.append(f'<p style="margin:0 0 7px 0">{words}</p>')
    return "".join(made)


def _span(span: ProseSpan, figure: Callable[[str], str], link_colour: str) -> str:
    words = figure(span.text) if span.figure else in_html(printable(span.text))
    for shown, tag in ((span.code, "code"), (span.emphasis, "i"), (span.strong, "b")):
        words = f"<{tag}>{words}</{tag}>" if shown else words
    if not span.link.startswith(("http:", "https:")):
        return words
    return f'<a href="{in_html(span.link)}" style="color:{link_colour}">{words}</a>'


def _has_link(blocks: Iterable[ProseBlock]) -> bool:
    return any(span.link for block in blocks for span in block.spans)


def _pixmap(name: str, folder: Path | None) -> QPixmap | None:
    """Return the picture of a file beside the lesson; None where there is none that may be shown."""
    try:
        path = found(name, folder, Problem(name, 0, "", "", ""), _LIMIT).path
    except ScenarioError:
        return None
    reader = QImageReader(str(path))
    size = reader.size()
    if bytes(reader.format().data()) not in _KINDS or not size.isValid():
        return None
    if max(size.width(), size.height()) > _MOST_PX:
        return None
    if max(size.width(), size.height()) > _SHOWN_PX:
        reader.setScaledSize(size.scaled(QSize(_SHOWN_PX, _SHOWN_PX), Qt.AspectRatioMode.KeepAspectRatio))
    pixmap = QPixmap.fromImage(reader.read())
    return None if pixmap.isNull() else pixmap


def shown_address(address: str) -> str:
    """Return the question before a link is followed."""
    return tr("Open this address in your browser?\n{address}", address=printable(address))
