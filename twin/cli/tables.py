"""Plain tables on standard output, as wide as their reader: a terminal's width, or as wide as needed in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text


def console() -> Console:
    """Return standard output; a pipe is 100 columns wide."""
    return Console(width=None if sys.stdout.isatty() else 100, highlight=False, soft_wrap=False)


def table_of(heads: bool = True) -> Table:
    """Return an empty table in the one style of this program."""
    return Table(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, show_header=heads, padding=(0, 2, 0, 0)
    )


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: int = 0) -> None:
    """Print rows under heads; the last `right` columns are numbers, set to the right."""
    table = table_of()
    for place, head in enumerate(heads):
        numbers = place >= len(heads) - right
        table.add_column(
            head, justify="right" if numbers else "left", overflow="fold", no_wrap=numbers or place == 0
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console().print(table)
