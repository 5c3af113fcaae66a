"""From which distance a rack, a row or a hall is drawn as one tile, and where those tiles stand. No GL."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.plant.geometry import Geometry
from twin.plant.tables import U_M, Plant
from twin.view3d.base.bounds import Box, rack_boxes
from twin.view3d.base.camera import px_per_m_at
from twin.view3d.base.fronts import FRAME_M
from twin.view3d.base.state import CameraPose


class TileLevel(IntEnum):
    """What one tile stands for."""

    RACK = 0
    ROW = 1
    HALL = 2


FADE_PX: dict[TileLevel, tuple[float, float]] = {
    TileLevel.RACK: (1.5, 1.0),
    TileLevel.ROW: (3.6, 2.4),
    TileLevel.HALL: (6.0, 4.0),
}
"""How large what a tile stands for is on screen when the tile begins to cover it, and when it has [px]: the tile of a
GPU, the width of a rack, the distance between rows."""
DRAWN = 0.5
"""A tile that hides more than this of what is behind it is what is seen there."""
LID_M = 0.62
"""A tile reaches so far over its racks: cables and busways are in it."""
FACE_M = 0.025
"""And so far before their fronts: the tiles of GPUs are behind it."""
GROWN_M = 0.05
"""A tile of rows stands so far before those of its racks, one of halls before those of its rows."""
BARE_M = 0.15
"""Size of what is told apart on a rack without GPUs: a switch."""


@dataclass(frozen=True, eq=False)
class TilePlaces:
    """All tiles of a site: its racks, then its rows, then its halls.

    Parameters
    ----------
    level, slot
        What each stands for.
    parent
        Place of the tile that covers it from farther away, -1 for none.
    low, high
        Corners (n, 3) [m].
    detail_m
        Size of what it covers [m].
    """

    level: Ints64
    slot: Ints64
    parent: Ints64
    low: Floats
    high: Floats
    detail_m: Floats

    @classmethod
    def of(cls, plant: Plant, geometry: Geometry) -> TilePlaces:
        """Return the tiles of a plant: one for each rack, row and hall that has racks."""
        racks = plant.racks
        slots = np.flatnonzero(racks.present)
        rows, row_of = np.unique(racks.row[slots], return_inverse=True)
        halls, hall_of = np.unique(racks.hall[slots], return_inverse=True)
        alone = racks.row[slots] < 0  # stands in no row
        skipped = int(len(rows) > 0 and rows[0] < 0)
        rows, row_of = rows[skipped:], row_of - skipped
        low, high = rack_boxes(plant, slots)
        first_hall = len(slots) + len(rows)
        of_rack = np.where(alone, first_hall + hall_of, len(slots) + row_of)
        in_row = np.flatnonzero(~alone)
        row_low, row_high = _around(low[in_row], high[in_row], row_of[in_row], len(rows))
        hall_low, hall_high = _around(low, high, hall_of, len(halls))
        hall_of_row = np.zeros(len(rows), np.int64)
        hall_of_row[row_of[in_row]] = hall_of[in_row]
        wide = racks.width_m[slots]
        row_wide = np.full(len(rows), np.inf)
        np.minimum.at(row_wide, row_of[in_row], wide[in_row])
        deep = hall_high[:, 1] - hall_low[:, 1]
        pitch = deep / np.maximum(np.bincount(hall_of_row, minlength=len(halls)), 1)
        face, grow = np.array([0.0, FACE_M, 0.0]), np.array([GROWN_M, GROWN_M, 0.0])
        lid = np.array([0.0, 0.0, LID_M])
        return cls(
            level=np.repeat([int(level) for level in TileLevel], [len(slots), len(rows), len(halls)]),
            slot=np.concatenate([slots, rows, halls]).astype(np.int64),
            parent=np.concatenate([of_rack, first_hall + hall_of_row, np.full(len(halls), -1)]).astype(
                np.int64
            ),
            low=np.concatenate([low - face, row_low - grow, hall_low - 2 * grow]),
            high=np.concatenate(
                [high + face + lid, row_high + grow + 1.1 * lid, hall_high + 2 * grow + 1.2 * lid]
            ),
            detail_m=np.concatenate([_finest_m(plant, geometry)[slots], row_wide, pitch]),
        )

    def at(self, level: TileLevel) -> Ints64:
        """Return the places of the tiles of a level."""
        return np.flatnonzero(self.level == level)

    def fades(self, pose: CameraPose, height_px: float) -> Floats:
        """Return how far each tile is to cover what it stands for, 0..1 (n,).

        It follows from the size on screen alone, without a step: nothing pops while the camera moves.
        """
        px_per_m = px_per_m_at(pose, (self.low + self.high) / 2, height_px)
        begin, whole = np.array([FADE_PX[level] for level in TileLevel]).T[:, self.level]
        share = np.clip((begin - self.detail_m * px_per_m) / (begin - whole), 0.0, 1.0)
        return np.asarray(share * share * (3.0 - 2.0 * share))

    def opacity(self, pose: CameraPose, height_px: float) -> Floats:
        """Return how much of what is behind it each tile hides, 0..1 (n,); 0 where a larger one hides it whole."""
        return self.seen_through(self.fades(pose, height_px))

    def seen_through(self, fades: Floats) -> Floats:
        """Return the same by how far each tile is to cover what it stands for."""
        out = fades.copy()
        hidden: Bools = np.zeros(len(out), bool)
        for level in (TileLevel.ROW, TileLevel.RACK):  # from the outermost inwards
            inner = self.at(level)
            over = self.parent[inner]
            hidden[inner] = hidden[over] | (out[over] >= 1.0)
        out[hidden] = 0.0
        return out

    def hidden_racks(self, opacity: Floats, racks: int) -> Bools:
        """Return which rack slots are behind tiles that hide them whole: nothing of them need be drawn (racks,)."""
        whole = opacity >= 1.0
        for level in (TileLevel.ROW, TileLevel.RACK):  # from the outermost inwards
            inner = self.at(level)
            whole[inner] |= whole[self.parent[inner]]
        of = self.at(TileLevel.RACK)
        out: Bools = np.zeros(racks, bool)
        out[self.slot[of]] = whole[of]
        return out

    def of_halls(self, values: Floats) -> Floats:
        """Return the mean of the values of the racks of each hall, in the order of its tiles."""
        racks, halls = self.at(TileLevel.RACK), self.at(TileLevel.HALL)
        hall = self.parent[racks]
        inner = self.level[hall] == TileLevel.ROW
        hall = np.where(inner, self.parent[hall], hall) - (halls[0] if len(halls) else 0)
        count = np.maximum(np.bincount(hall, minlength=len(halls)), 1)
        return np.asarray(np.bincount(hall, values[racks], len(halls)) / count)


def _around(low: Floats, high: Floats, group: Ints64, count: int) -> Box:
    """Return the boxes round the boxes of each group."""
    lowest, highest = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(lowest, group, low)
    np.maximum.at(highest, group, high)
    return lowest, highest


def _finest_m(plant: Plant, geometry: Geometry) -> Floats:
    """Return the size of the tiles of GPUs on each rack [m]."""
    tiles, present = geometry.gpu_tiles, plant.gpus.present
    rack = plant.gpus.rack[present]
    wide = (plant.racks.width_m[rack] - 2 * FRAME_M) / tiles.columns[present]
    size = np.sqrt(wide * (tiles.u1 - tiles.u0)[present] * U_M)
    out = np.full(len(plant.racks.present), np.inf)
    np.minimum.at(out, rack, size)
    return np.where(np.isfinite(out), out, BARE_M)
