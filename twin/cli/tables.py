"""Plain tables on standard output, as wide as their reader: a terminal's width, or as wide as needed in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

_PADDING = 2
GAP = _PADDING + 1
"""Characters between columns: padding, and the divider of the box, which is blank."""


_LINE = 28
"""A column of text has room for so many characters before it is broken into lines."""


def console() -> Console:
    """Return standard output; a pipe is 100 columns wide."""
    return Console(width=None if sys.stdout.isatty() else 100, highlight=False, soft_wrap=False)


def table_of(heads: bool = True) -> Table:
    """Return an empty table in the one style of this program."""
    return Table(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, show_header=heads, padding=(0, _PADDING, 0, 0)
    )


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: int = 0) -> None:
    """Print rows under heads; the last `right` columns are numbers, set to the right.

    Numbers and the first column are never cut: where they are wider than the reader, lines are longer than it.
    """
    rows = [tuple(row) for row in rows]
    table = table_of()
    needed = 0
    for place, head in enumerate(heads):
        numbers = place >= len(heads) - right
        whole = numbers or place == 0
        cells = [head, *(row[place] for row in rows)]
        words = [text for cell in cells for text in _unbroken(cell, whole)]
        least = max(max(map(len, words), default=0), min(_LINE, max(map(len, cells))))
        table.add_column(
            Text(head),
            justify="right" if numbers else "left",
            overflow="fold",
            no_wrap=whole,
            min_width=least,
        )
        needed += least + GAP
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    to = console()
    to.width = max(to.width, needed - GAP)
    to.print(table)


def _unbroken(cell: str, whole: bool) -> list[str]:
    """Return what of a cell must stay on one line."""
    return [cell] if whole else cell.split()
