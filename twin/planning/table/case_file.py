"""A table of training configurations as people keep it: CSV in, CSV out."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from twin.shown_text import in_cell
from twin.whole_file import write_whole

DELIMITERS = (",", ";", "\t")


class CaseFileError(ValueError):
    """A table cannot be read as a whole; the message says where, and what is allowed.

    Parameters
    ----------
    file
        Its name.
    line
        From 1; 0 for the whole file.
    column, value
        What is wrong; empty where it is no single cell.
    reason
        What is wrong with it and what would be right.
    """

    def __init__(self, file: str, line: int, column: str, value: str, reason: str) -> None:
        self.file, self.line, self.column, self.value, self.reason = file, line, column, value, reason
        place = f"{file}:{line}" if line else file
        cell = f" column {column!r}:" if column else ""
        given = f" {value!r}" if value else ""
        super().__init__(f"{place}:{cell}{given} {reason}")


@dataclass(frozen=True, slots=True)
class CaseFile:
    """Contents of a table, cell by cell.

    Attributes
    ----------
    name
        Of the file.
    columns
        Heads as they are written, without spaces around them.
    rows
        Cells of each row by head, without spaces around them; a row that is too short ends in blanks.
    lines
        Line of the file on which each row begins.
    surplus
        By row number: cells that stand under no head.
    decimal_comma
        Whether numbers may have a comma for the point (cells are parted by semicolons).
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    lines: tuple[int, ...]
    surplus: Mapping[int, tuple[str, ...]]
    decimal_comma: bool = False


def read_case_file(path: Path | str) -> CaseFile:
    """Return the table in a CSV file.

    Parameters
    ----------
    path
        UTF-8, with or without byte order mark; cells parted by comma, semicolon or tab.

    Raises
    ------
    CaseFileError
        When it is missing, no such text, has no heads, or two columns with the same head.
    """
    name = str(path)
    try:
        data = Path(path).read_bytes()
    except OSError as fault:
        raise CaseFileError(name, 0, "", "", f"cannot be read: {fault.strerror or fault}") from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise CaseFileError(name, 0, "", "", "is UTF-16 text; save it as CSV UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data[: fault.start].count(b"\n") + 1
        raise CaseFileError(name, line, "", "", "is no UTF-8 text; save it as CSV UTF-8") from None
    return parse_cases(text, name)


def parse_cases(text: str, name: str) -> CaseFile:
    """Return the table in a text; raises as `read_case_file`."""
    if "\x00" in text:
        raise CaseFileError(name, 0, "", "", "holds zero bytes, so it is no CSV text")
    head = next((line for line in text.splitlines() if line.strip()), "")
    declared = re.fullmatch(
        r"\s*sep=([,;\t])\s*", head, re.IGNORECASE
    )  # the line that Excel reads the delimiter from
    delimiter = declared[1] if declared else max(DELIMITERS, key=head.count)
    records = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True
    )
    columns: tuple[str, ...] = ()
    rows: list[Mapping[str, str]] = []
    lines: list[int] = []
    surplus: dict[int, tuple[str, ...]] = {}
    try:
        begins = 1
        for record in records:
            line, begins = begins, records.line_num + 1
            cells = [cell.strip() for cell in record]
            if not any(cells) or (declared and not columns and cells[0].lower() == "sep="):
                continue
            if not columns:
                columns = _heads(cells, name, line)
                continue
            if any(cells[len(columns) :]):
                surplus[len(rows)] = tuple(cells[len(columns) :])
            padded = cells + [""] * (len(columns) - len(cells))
            rows.append(dict(zip(columns, padded, strict=False)))
            lines.append(line)
    except csv.Error as fault:
        raise CaseFileError(name, records.line_num, "", "", f"is no CSV: {fault}") from None
    if not columns:
        raise CaseFileError(
            name, 0, "", "", "is empty; the first line must name the columns, such as model,gpu,gpus"
        )
    return CaseFile(name, columns, tuple(rows), tuple(lines), surplus, decimal_comma=delimiter == ";")


def _heads(cells: list[str], name: str, line: int) -> tuple[str, ...]:
    while cells and not cells[-1]:
        cells.pop()
    heads = [head or f"column {number}" for number, head in enumerate(cells, 1)]
    for head in heads:
        if heads.count(head) > 1:
            raise CaseFileError(name, line, head, "", "stands there twice; leave one of them out")
    return tuple(heads)


def write_csv(path: Path | str, columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> None:
    """Write a table as CSV, whole or not at all.

    Parameters
    ----------
    path
        A file there is replaced once the new one is complete.
    columns
        Heads, in order.
    rows
        Cells by head; a missing one stays blank.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([in_cell(column) for column in columns])
    writer.writerows([in_cell(row.get(column, "")) for column in columns] for row in rows)
    write_whole(path, text.getvalue().encode())
