"""Rows and racks as row generators place them, before overrides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from twin.arrays import Bools, Floats, Ints32
from twin.plant.cabinet import Cabinet
from twin.plant.tables import RackKind, Rows
from twin.scenario.schema import site

ROLES = {"compute": RackKind.COMPUTE, "network": RackKind.NETWORK, "storage": RackKind.STORAGE}
_FRONTS = {"alternate": 0, "north": 1, "south": -1}
_CLOSED = {"hot": -1, "cold": 1, "none": 0}
"""Which aisle of a row is closed: that behind its racks, that before them, none."""


@dataclass(frozen=True)
class Racked:
    """Places and purposes of the racks of all generators; see `twin.plant.tables.Racks`."""

    row: Ints32
    hall: Ints32
    kind: Ints32
    x_m: Floats
    y_m: Floats
    pitch_m: Floats
    facing: Ints32
    cabinet: Ints32


class Generated:
    """Row generators of all halls, side by side.

    Parameters
    ----------
    generators
        Hall and generator.
    cabinets
        Number of the kind of rack of each, and the kinds.
    """

    def __init__(
        self, generators: list[tuple[int, site.RowGenerator]], cabinets: list[int], kinds: list[Cabinet]
    ) -> None:
        self._row_generators = [rows for _, rows in generators]
        self._hall = np.array([hall for hall, _ in generators], np.int32)
        self._cabinet = np.array(cabinets, np.int32)
        self._x_m = self._floats([rows.at.x_m for rows in self._row_generators])
        self._row_pitch_m = self._floats([rows.pitch_m for rows in self._row_generators])
        self._pitch_m = self._floats([rows.racks.pitch_m for rows in self._row_generators])
        self._width_m = np.minimum(self._floats([kinds[k].width_m for k in cabinets]), self._pitch_m)
        self._depth_m = self._floats([kinds[k].depth_m for k in cabinets])
        self._height_m = self._floats([kinds[k].height_m for k in cabinets])
        self._y_m = self._floats([rows.at.y_m for rows in self._row_generators]) + self._depth_m / 2
        self._per_row = self._ints([rows.racks.count for rows in self._row_generators])
        self._count = self._ints([rows.count for rows in self._row_generators])
        self.generator = np.repeat(np.arange(len(self._row_generators)), self._count)
        self._first = (np.cumsum(self._count) - self._count)[self.generator]
        self._index = np.arange(len(self.generator)) - self._first
        fronts = self._ints([_FRONTS[rows.facing] for rows in self._row_generators])[self.generator]
        # Alternate starts with a cold aisle before row 0.
        facing = np.where(fronts != 0, fronts, np.where(self._index % 2 == 0, -1, 1))
        self._facing = facing.astype(np.int32)

    @staticmethod
    def _floats(values: list[float]) -> Floats:
        return np.array(values, np.float64)

    @staticmethod
    def _ints(values: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.array(values, np.int64)

    def rows(self, ids: list[str], labels: list[str]) -> Rows:
        """Return the table of rows."""
        generator = self.generator
        length_m = (self._per_row - 1) * self._pitch_m + self._width_m
        return Rows(
            ids=ids,
            labels=labels,
            hall=self._hall[generator],
            x0_m=self._x_m[generator],
            x1_m=(self._x_m + length_m)[generator],
            y_m=self._y_m[generator] + self._index * self._row_pitch_m[generator],
            depth_m=self._depth_m[generator],
            height_m=self._height_m[generator],
            facing=self._facing.copy(),
            contained=self.contained(self._facing),
            present=np.ones(len(ids), np.bool_),
        )

    def contained(self, facing: Ints32, moved: Bools | None = None) -> Ints32:
        """Return which aisle of each row is closed: it needs a row of the same generator on its far side.

        Rows that have `moved` away have no such aisle.
        """
        closed = self._ints([_CLOSED[rows.containment] for rows in self._row_generators])[self.generator]
        side = closed * facing  # direction in y of the aisle to close
        partner, count = self._index + side, self._count[self.generator]
        inside = (closed != 0) & (partner >= 0) & (partner < count)
        partner_row = self._first + np.clip(partner, 0, count - 1)
        opposite = inside & (facing[partner_row] == -facing)
        if moved is not None:
            opposite &= ~moved & ~moved[partner_row]
        return np.where(opposite, side * facing, 0).astype(np.int32)

    def racks(self) -> Racked:
        """Return where the racks stand."""
        each = self._per_row[self.generator]
        row = np.repeat(np.arange(len(each)), each)
        place = np.arange(len(row)) - (np.cumsum(each) - each)[row]
        generator = self.generator[row]
        kinds = np.array([ROLES[rows.racks.role] for rows in self._row_generators], np.int32)
        return Racked(
            row=row.astype(np.int32),
            hall=self._hall[generator],
            kind=kinds[generator],
            x_m=(self._x_m + self._width_m / 2)[generator] + place * self._pitch_m[generator],
            y_m=self._y_m[generator] + self._index[row] * self._row_pitch_m[generator],
            pitch_m=self._pitch_m[generator],
            facing=self._facing[row],
            cabinet=self._cabinet[generator],
        )
