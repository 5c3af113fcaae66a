"""Lists as files for spreadsheets: CSV, or a workbook of Excel with a sheet for each."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from twin.lists.table import Cell, SiteColumn, SiteList
from twin.shown_text import in_cell
from twin.whole_file import write_whole

WORKBOOK = ".xlsx"
MOST_ROWS = 1_048_576
"""Rows of a sheet of Excel, its head included."""
_WIDEST = 60
"""Characters of a column of a sheet at most; longer texts are there, and cut on the screen."""


class NoWorkbook(ValueError):
    """A workbook cannot be written; the message is one sentence for people."""


def must_be_writable(to: Path) -> None:
    """Raise `NoWorkbook` when a file would be a workbook and openpyxl is not installed; ask before anything is made."""
    if _is_workbook(to):
        _openpyxl()


def write_lists(lists: Sequence[SiteList], to: Path) -> None:
    """Write lists to a file, whole or not at all: a workbook where it ends in .xlsx, else one list as CSV.

    Texts are neutralised: none is a formula. Notes and sums stand in workbooks alone.

    Raises
    ------
    NoWorkbook
        When openpyxl is needed and not installed, or a list has more rows than a sheet holds.
    OSError
        When the disk refuses.
    """
    if _is_workbook(to):
        write_whole(to, workbook_bytes(lists))
    else:
        (only,) = lists
        write_whole(to, csv_bytes(only))


def csv_bytes(made: SiteList) -> bytes:
    """Return a list as CSV."""
    file = StringIO(newline="")
    out = csv.writer(file, lineterminator="\n")
    out.writerow([column.head for column in made.columns])
    out.writerows([_text(cell, column) for cell, column in _cells(made, row)] for row in made.rows)
    return file.getvalue().encode()


def shown(cell: Cell, column: SiteColumn) -> str:
    """Return a cell for people: rounded, thousands in groups; a dash where nothing is known."""
    if cell is None:
        return "\N{EN DASH}"
    if isinstance(cell, str):
        return cell
    decimals = column.decimals or 0
    if isinstance(cell, float) and decimals == 1 and cell == round(cell):
        decimals = 0
    return f"{cell:,.{decimals}f}"


def _is_workbook(to: Path) -> bool:
    return to.suffix.lower() == WORKBOOK


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise NoWorkbook(
            "writing .xlsx needs openpyxl, which is not installed: pip install 'gpu-twin[lists]'; .csv needs nothing"
        ) from None
    return openpyxl


def _cells(made: SiteList, row: tuple[Cell, ...]) -> Iterable[tuple[Cell, SiteColumn]]:
    return zip(row, made.columns, strict=True)


def _text(cell: Cell, column: SiteColumn) -> str:
    value = _value(cell, column)
    return "" if value is None else str(value)


def _value(cell: Cell, column: SiteColumn) -> Cell:
    """Return a cell as a file has it: numbers rounded to one digit more than people read, texts neutralised."""
    if isinstance(cell, str):
        return in_cell(cell)
    if isinstance(cell, float):
        rounded = round(cell, (column.decimals or 0) + 1)
        return int(rounded) if rounded == int(rounded) else rounded
    return cell


def workbook_bytes(lists: Sequence[SiteList]) -> bytes:
    """Return a workbook with a sheet for each list; raises `NoWorkbook`."""
    excel = _openpyxl()
    book = excel.Workbook(write_only=True)
    for made in lists:
        if len(made.rows) + 1 > MOST_ROWS:
            raise NoWorkbook(
                f"{made.title}: a sheet of Excel holds {MOST_ROWS - 1:,} rows, and there are {len(made.rows):,}; "
                "write it as .csv"
            )
        _fill(excel, book.create_sheet(made.title), made)
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def _fill(excel: Any, sheet: Any, made: SiteList) -> None:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    bold = Font(bold=True)

    def strong(value: Cell) -> Any:
        cell = WriteOnlyCell(sheet, value=value)
        cell.font = bold
        return cell

    sheet.freeze_panes = "A2"
    for number, column in enumerate(made.columns, 1):
        texts = [len(str(row[number - 1])) for row in made.rows[:200] if isinstance(row[number - 1], str)]
        wide = max([len(column.head), *texts])
        sheet.column_dimensions[get_column_letter(number)].width = min(_WIDEST, wide + 2)
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(made.columns))}{max(2, len(made.rows) + 1)}"
    sheet.append([strong(column.head) for column in made.columns])
    for row in made.rows:
        sheet.append([_value(cell, column) for cell, column in _cells(made, row)])
    sums = made.sums()
    if sums is not None:
        sheet.append([strong(_value(cell, column)) for cell, column in _cells(made, sums)])
    for note in made.notes:
        sheet.append([in_cell(note)])
