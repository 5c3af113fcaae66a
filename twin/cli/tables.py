"""Plain tables on standard output, as wide as their reader: a terminal's width, or as wide as needed in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from twin.cli.terminal import styled
from twin.shown_text import printable

_PADDING = 2
GAP = _PADDING + 1
"""Characters between columns: padding, and the divider of the box, which is blank."""


_TIGHTER = ((_PADDING, 28), (1, 20), (0, 12))
"""Padding, and characters that a column of text has room for before it is broken: closer where a line is too short."""


class PrintableConsole(Console):
    """A console that takes no markup from text, and writes none of its characters that act."""

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        file = styled(sys.stderr if stderr else sys.stdout)
        super().__init__(file=file, stderr=stderr, width=width, highlight=False, markup=False, emoji=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return the segments of something to be shown."""
        for segment in super().render(renderable, options):
            text = segment.text if segment.control else printable(segment.text)
            yield segment if text is segment.text else Segment(text, segment.style, segment.control)


def console(*, stderr: bool = False) -> PrintableConsole:
    """Return standard output, or standard error; a pipe is 100 columns wide."""
    stream = sys.stderr if stderr else sys.stdout
    return PrintableConsole(stderr=stderr, width=None if stream.isatty() else 100)


def table_of(heads: bool = True, padding: int = _PADDING) -> Table:
    """Return an empty table in the one style of this program."""
    return Table(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, show_header=heads, padding=(0, padding, 0, 0)
    )


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: int = 0) -> None:
    """Print rows under heads; the last `right` columns are numbers, set to the right.

    Columns move closer where the reader is narrow. Numbers are never cut: where they are wider than the reader,
    lines are longer than it.
    """
    rows = [tuple(row) for row in rows]
    columns = list(zip(heads, *rows, strict=True))
    to = console()
    for padding, line in _TIGHTER:
        names = 1 if padding else 0  # of rows, broken only where nothing else helps
        whole = [place < names or place >= len(heads) - right for place in range(len(heads))]
        least = [_least(cells, alone, line) for cells, alone in zip(columns, whole, strict=True)]
        needed = sum(least) + (padding + 1) * (len(heads) - 1)
        if needed <= to.width:
            break
    table = table_of(padding=padding)
    for place, head in enumerate(heads):
        numbers = place >= len(heads) - right
        table.add_column(
            Text(head),
            justify="right" if numbers else "left",
            overflow="fold",
            no_wrap=whole[place],
            min_width=least[place],
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    to.width = max(to.width, needed)
    to.print(table)


def _least(cells: Sequence[str], whole: bool, line: int) -> int:
    """Return how wide a column must be at least."""
    words = [text for cell in cells for text in _unbroken(cell, whole)]
    return max(max(map(len, words), default=0), min(line, max(map(len, cells))))


def _unbroken(cell: str, whole: bool) -> list[str]:
    """Return the parts of a cell that must stay on one line."""
    return [cell] if whole else cell.split()
