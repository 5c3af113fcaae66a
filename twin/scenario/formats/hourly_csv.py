"""Tables of hours that lie beside a scene: reading their columns, naming every wrong cell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from twin import units
from twin.arrays import Floats
from twin.scenario.formats.sibling_files import FileLimit
from twin.scenario.text.problem import Problem, ScenarioError, shown

MAX_BYTES = 8_000_000
LIMIT = FileLimit(MAX_BYTES, "the hours of a year")
MAX_LINES = 300_000
"""More than any hourly year with comments has; quarters of an hour have 35,040."""
MAX_PROBLEMS = 12
HOURS, LEAP_HOURS = 8760, 8784
_CELLS_HINT = "use a decimal point, and fill every cell of a row"
_LEAP_DAY = slice(59 * 24, 60 * 24)
_HEADER = re.compile(r"\s*\"?([A-Za-z][A-Za-z0-9_ ]{0,40}?)\s*(?:[\[(]\s*([^\])]{1,20}?)\s*[\])])?\"?\s*")


@dataclass(frozen=True)
class HourlyColumn:
    """Allowed values of a column of a table.

    Attributes
    ----------
    dimension
        A name of `twin.units.DIMENSIONS`.
    unit
        Where the header names none; empty: the header has to.
    low, high
        Smallest and largest value, SI unit of the dimension.
    """

    dimension: str
    unit: str
    low: float
    high: float

    def scale(self, unit: str) -> tuple[float, float]:
        """Return (offset, factor) from `unit` to the SI unit; raises `units.UnitError`."""
        offset = units.parse(f"0 {unit}", self.dimension)
        return offset, units.parse(f"1 {unit}", self.dimension) - offset


@dataclass(frozen=True)
class Table:
    """The columns of a file, one value per row, and the line of each row."""

    columns: Mapping[str, Floats]
    lines: NDArray[np.int64]


def table(text: str, name: str, known: Mapping[str, HourlyColumn], needed: tuple[str, ...] = ()) -> Table:
    """Return the known columns of a CSV text in SI units; other columns are passed over.

    The first line that is neither empty nor a ``#`` comment names the columns, each with its unit in brackets:
    ``dry_bulb [degF]``. Cells are parted by commas, semicolons or tabs.

    Raises
    ------
    ScenarioError
        With each wrong cell: file, line, column, value, and what would be right; at most a dozen.
    """
    if text.count("\n") > MAX_LINES:
        check_count(text.count("\n"), MAX_LINES, name)
    rows = [
        (number, line)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not rows:
        raise ScenarioError([Problem(name, 1, "", "", "is empty", f"begin with {', '.join(known)}")])
    (at, head), body = rows[0], rows[1:]
    if len(head) > 10_000:
        raise ScenarioError([Problem(name, at, "", shown(head), "is not a list of columns")])
    delimiter = max(",;\t", key=head.count)
    places, scales = _columns(head.split(delimiter), at, name, known, needed)
    check_count(len(body), body[-1][0] if body else at, name)
    width = max(places.values()) + 1
    cells = [line.split(delimiter) for _, line in body]
    lines = np.array([number for number, _ in body], np.int64)
    most = head.count(delimiter) + 1
    problems = [
        Problem(name, number, "", "", f"has {len(row)} cells, the first line has {most}", _CELLS_HINT)
        for (number, _), row in zip(body, cells, strict=True)
        if len(row) < width or any(cell.strip() for cell in row[most:])
    ]
    raise_some(problems)
    columns: dict[str, Floats] = {}
    for column, index in places.items():
        offset, factor = scales[column]
        values, wrong = numbers([row[index] for row in cells], lines, name, column)
        limits = known[column]
        problems += wrong or _beyond(values * factor + offset, values, limits, lines, name, column)
        columns[column] = values * factor + offset
    raise_some(problems)
    if len(body) == LEAP_HOURS:
        columns = {key: np.delete(values, _LEAP_DAY) for key, values in columns.items()}
        lines = np.delete(lines, _LEAP_DAY)
    return Table(columns, lines)


def numbers(
    cells: list[str], lines: NDArray[np.int64], name: str, column: str
) -> tuple[Floats, list[Problem]]:
    """Return the numbers of a column, or the problems of the cells that are none."""
    try:
        values = np.array(cells, dtype=np.float64)
        if np.isfinite(values).all():
            return values, []
    except ValueError:
        pass
    problems = []
    for line, cell in zip(lines.tolist(), cells, strict=True):
        try:
            good = bool(np.isfinite(float(cell)))
        except ValueError:
            good = False
        if not good:
            hint = "use a decimal point" if "," in cell else "write it like 21.5"
            shown_cell = shown(cell.strip()) if cell.strip() else "nothing"
            problems.append(Problem(name, line, column, shown_cell, "is not a number", hint))
    return np.zeros(len(cells)), problems


def check_count(rows: int, line: int, name: str) -> None:
    """Raise `ScenarioError` unless there is one row for each hour of a year."""
    if rows in (HOURS, LEAP_HOURS):
        return
    reason = f"has {rows:,} rows of values; a year has 8,760 hours (8,784 with 29 February)"
    whole = rows and rows % HOURS == 0
    hint = (
        f"keep one row of {rows // HOURS} each hour"
        if whole
        else "one row for each hour from 1 January, 0:00"
    )
    raise ScenarioError([Problem(name, line, "", "", reason, hint)])


def raise_some(problems: list[Problem]) -> None:
    """Raise `ScenarioError` with the first of many problems, in the order of the file."""
    if problems:
        first = sorted(problems, key=lambda problem: problem.line)
        if len(first) > MAX_PROBLEMS:
            last = first[MAX_PROBLEMS]
            rest = f"and {len(first) - MAX_PROBLEMS} more cells are wrong"
            first = [*first[:MAX_PROBLEMS], Problem(last.file, last.line, "", "", rest)]
        raise ScenarioError(first)


def _columns(
    heads: list[str], line: int, name: str, known: Mapping[str, HourlyColumn], needed: tuple[str, ...]
) -> tuple[dict[str, int], dict[str, tuple[float, float]]]:
    """Return the place and the (offset, factor) of each known column of the first line."""
    places: dict[str, int] = {}
    scales: dict[str, tuple[float, float]] = {}
    problems, unknown = [], []
    for index, head in enumerate(heads):
        match = _HEADER.fullmatch(head)
        column = match[1].lower().replace(" ", "_") if match else head.strip()
        limits = known.get(column)
        if match is None or limits is None:
            unknown.append(column)
            continue
        unit, example = match[2] or limits.unit, units.DIMENSIONS[limits.dimension].example.split(" ", 1)[-1]
        if column in places:
            problems.append(Problem(name, line, column, "", "is a duplicate column"))
        elif not unit:
            problems.append(Problem(name, line, column, "", "needs its unit", f"write {column} [{example}]"))
        else:
            try:
                scales[column] = limits.scale(unit)
            except units.UnitError:
                hint = f"write {column} [{example}]"
                problems.append(Problem(name, line, column, shown(unit), "is not a unit for it", hint))
            places[column] = index
    for column in needed or (() if places else tuple(known)[:1]):
        if column not in places:
            near = get_close_matches(column, unknown, 1, 0.5)
            hint = f"is it {near[0]!r}?" if near else f"known are {', '.join(known)}"
            problems.append(Problem(name, line, "", "", f"has no column {column!r}", hint))
    raise_some(problems)
    return places, scales


def _beyond(
    values: Floats, given: Floats, limits: HourlyColumn, lines: NDArray[np.int64], name: str, column: str
) -> list[Problem]:
    wrong = np.flatnonzero((values < limits.low) | (values > limits.high))
    low, high = (units.render(bound, limits.dimension) for bound in (limits.low, limits.high))
    reason = f"must be from {low} to {high}; is the unit in the first line right?"
    return [Problem(name, int(lines[i]), column, f"{given[i]:g}", reason) for i in wrong]
