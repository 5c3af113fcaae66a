"""What is written about tiles: names of what is large enough, failures counted over rows and halls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Floats
from twin.plant.geometry import LabelAnchors, LabelKind
from twin.plant.tables import Plant
from twin.view3d.base import camera
from twin.view3d.base.state import CameraPose
from twin.view3d.base.tile_levels import DRAWN, TileLevel, TilePlaces
from twin.view3d.colour.tile_values import TileValues
from twin.view3d.place.hall_names import HallNames

LEAST_PX: dict[LabelKind, float] = {LabelKind.ROW: 3.0, LabelKind.LOOP: 22.0, LabelKind.HALL: 0.0}
"""A row has its name where its racks are wider than this, a loop where its machines are higher [logical px]."""
KEPT = 0.8
"""What has a name keeps it down to this share of the size: names do not flicker while the camera moves."""
ASIDE = (0.0, -0.3, 0.3)
"""Where marks may stand along their tiles, from the middle: two halls side by side are narrower than their marks."""
MOST_MARKS = 30
"""Rows with a mark for what has failed, at most; those with most come first."""


@dataclass(frozen=True)
class FailureMark:
    """How many GPUs of a row or hall have failed, over its tile."""

    tile: int
    text: str


class TileLabels:
    """Which labels are large enough to be written, and the marks over tiles; remembers what was written last."""

    def __init__(self, plant: Plant, labels: LabelAnchors, tiles: TilePlaces) -> None:
        self.tiles = tiles
        self.marks: tuple[FailureMark, ...] = ()
        self._anchors = np.column_stack([labels.x_m, labels.y_m, labels.z_m]).reshape(-1, 3)
        row_wide = dict(zip(self._slots(TileLevel.ROW), tiles.detail_m[tiles.at(TileLevel.ROW)], strict=True))
        self._size_m = np.array(
            [
                row_wide.get(slot, 0.0)
                if kind == LabelKind.ROW
                else float(plant.loops.height_m[slot])
                if kind == LabelKind.LOOP
                else 1.0
                for kind, slot in zip(labels.kind.tolist(), labels.slot.tolist(), strict=True)
            ]
        )
        self._least_px = np.array([LEAST_PX[LabelKind(kind)] for kind in labels.kind.tolist()])
        self._large = np.zeros(len(labels.kind), bool)
        self.halls = HallNames(plant, labels, tiles)

    def _slots(self, level: TileLevel) -> list[int]:
        slots: list[int] = self.tiles.slot[self.tiles.at(level)].tolist()
        return slots

    def count(self, values: TileValues) -> None:
        """Take other values: marks for what has failed."""
        failed = np.where(self.tiles.level == TileLevel.RACK, 0, values.failed)
        named = np.argsort(-failed, kind="stable")[:MOST_MARKS]
        found = np.union1d(
            named[failed[named] > 0], np.flatnonzero((self.tiles.level == TileLevel.HALL) & (failed > 0))
        )
        self.halls.count(failed)
        self.marks = tuple(FailureMark(int(tile), f"✖ {failed[tile]:,}") for tile in found)

    def too_small(self, pose: CameraPose, height_px: float) -> Bools:
        """Return which labels name what is too small on screen; `height_px` is that of the picture [logical px]."""
        size_px = self._size_m * camera.px_per_m_at(pose, self._anchors, height_px)
        self._large = size_px >= np.where(self._large, KEPT, 1.0) * self._least_px
        return ~self._large

    def marks_shown(self, opacity: Floats) -> tuple[Floats, Bools]:
        """Return where marks may stand (3, n, 3) [m], and which are of a tile that is drawn.

        Over the middle of their tile, else nearer to either end of it.
        """
        tiles, of = self.tiles, np.array([mark.tile for mark in self.marks], np.int64)
        seen = opacity > DRAWN
        racks = tiles.at(TileLevel.RACK)
        by_racks = np.zeros(len(seen), bool)
        np.logical_or.at(by_racks, tiles.parent[racks], seen[racks])
        over = np.append(seen, False)[tiles.parent]  # a hall hides its rows
        shown = np.where(tiles.level == TileLevel.ROW, (seen | by_racks) & ~over, seen)
        low, high = tiles.low[of].reshape(-1, 3), tiles.high[of].reshape(-1, 3)
        top = (low + high) / 2
        top[:, 2] = high[:, 2]
        size = high - low
        size[:, 2] = 0.0
        size[np.arange(len(of)), size[:, :2].argmin(axis=1)] = 0.0
        return np.stack([top + share * size for share in ASIDE]), shown[of]
