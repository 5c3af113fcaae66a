"""A list as a table: columns with units, rows of values. Every list of this package is one."""

from __future__ import annotations

from dataclasses import dataclass

Cell = str | int | float | None
"""None: not known; an empty cell."""


@dataclass(frozen=True)
class SiteColumn:
    """One column of a list.

    Parameters
    ----------
    key
        Its name in JSON: "length_m".
    title
        Its head.
    unit
        "m", "kW", "USD", or "".
    decimals
        Digits behind the point, where values are rounded for people; None: text or whole numbers.
    detail
        For files alone: a terminal is too narrow for it.
    """

    key: str
    title: str
    unit: str = ""
    decimals: int | None = None
    detail: bool = False

    @property
    def head(self) -> str:
        """Return title and unit: "Length [m]"."""
        return f"{self.title} [{self.unit}]" if self.unit else self.title


@dataclass(frozen=True)
class SiteList:
    """A list of things of a scene.

    Parameters
    ----------
    name
        "bom", "cables", "ports", "addresses" or "racks".
    title
        For people.
    columns, rows
        Each row has a cell per column.
    notes
        What is left out of it, in sentences.
    summed
        Keys of the columns that have a sum.
    """

    name: str
    title: str
    columns: tuple[SiteColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    summed: tuple[str, ...] = ()

    def column(self, key: str) -> list[Cell]:
        """Return the cells of one column."""
        place = [column.key for column in self.columns].index(key)
        return [row[place] for row in self.rows]

    def sum(self, key: str) -> float:
        """Return the sum of a column of numbers; unknown ones count as nothing."""
        return float(sum(cell for cell in self.column(key) if isinstance(cell, int | float)))

    def sums(self) -> tuple[Cell, ...] | None:
        """Return the row of sums, None where nothing is summed up."""
        if not self.summed:
            return None
        sums = [self.sum(column.key) if column.key in self.summed else None for column in self.columns]
        return ("all", *sums[1:])

    def records(self) -> list[dict[str, Cell]]:
        """Return the rows by keys, as JSON has them."""
        keys = [column.key for column in self.columns]
        return [dict(zip(keys, row, strict=True)) for row in self.rows]
