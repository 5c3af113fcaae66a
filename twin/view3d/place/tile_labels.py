"""What is written about tiles: figures of halls under their floors, failures counted over rows and halls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Floats
from twin.plant.geometry import LabelAnchors, LabelKind
from twin.plant.tables import Plant
from twin.view3d.base import camera
from twin.view3d.base.state import CameraPose
from twin.view3d.base.tile_levels import DRAWN, TileLevel, TilePlaces
from twin.view3d.colour.tile_values import TileValues

LEAST_PX: dict[LabelKind, float] = {LabelKind.ROW: 3.0, LabelKind.LOOP: 22.0, LabelKind.HALL: 0.0}
"""A row has its name where its racks are wider than this, a loop where its machines are higher [logical px]."""
KEPT = 0.8
"""What has a name keeps it down to this share of the size: names do not flicker while the camera moves."""
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
        halls, slots = plant.halls, self._slots(TileLevel.HALL)
        self.halls = np.flatnonzero(labels.kind == LabelKind.HALL)
        """Which labels name halls."""
        of_label = labels.slot[self.halls]
        self._edges = _edge_middles(halls.x0_m, halls.y0_m, halls.x1_m, halls.y1_m)[of_label]
        self.failing = np.zeros(len(self.halls), bool)
        """Which halls have failed GPUs: they are named before others."""
        self._place = np.array(
            [slots.index(slot) if slot in slots else -1 for slot in of_label.tolist()], int
        )

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
        of_halls = np.append(failed[self.tiles.at(TileLevel.HALL)], 0)
        self.failing = of_halls[self._place] > 0
        self.marks = tuple(FailureMark(int(tile), f"✖ {failed[tile]:,}") for tile in found)

    def too_small(self, pose: CameraPose, height_px: float) -> Bools:
        """Return which labels name what is too small on screen; `height_px` is that of the picture [logical px]."""
        size_px = self._size_m * camera.px_per_m_at(pose, self._anchors, height_px)
        self._large = size_px >= np.where(self._large, KEPT, 1.0) * self._least_px
        return ~self._large

    def marks_shown(self, opacity: Floats) -> tuple[Floats, Bools]:
        """Return where the marks stand (n, 3) [m], and which are of a tile that is drawn."""
        tiles, of = self.tiles, np.array([mark.tile for mark in self.marks], np.int64)
        seen = opacity > DRAWN
        racks = tiles.at(TileLevel.RACK)
        by_racks = np.zeros(len(seen), bool)
        np.logical_or.at(by_racks, tiles.parent[racks], seen[racks])
        over = np.append(seen, False)[tiles.parent]  # a hall hides its rows
        shown = np.where(tiles.level == TileLevel.ROW, (seen | by_racks) & ~over, seen)
        top = (tiles.low + tiles.high) / 2
        top[:, 2] = tiles.high[:, 2]
        return top[of].reshape(-1, 3), shown[of]

    def halls_told(self, pose: CameraPose, height_px: float) -> Bools:
        """Return which halls are so far away that their floors show colours: they are told in figures (halls,)."""
        shown = self.tiles.of_halls(self.tiles.fades(pose, height_px)) > DRAWN
        return np.asarray(np.append(shown, False)[self._place])

    def hall_points(self, pose: CameraPose, size_px: tuple[int, int]) -> Floats:
        """Return where the names of halls stand: at that edge of the floor that is lowest in the picture (n, 3)."""
        points = camera.project(pose, self._edges.reshape(-1, 3), *size_px).reshape(-1, 4, 3)
        lowest = np.where(points[:, :, 2] > 0, points[:, :, 1], -np.inf).argmax(axis=1)
        return np.asarray(points[np.arange(len(points)), lowest])


def _edge_middles(x0: Floats, y0: Floats, x1: Floats, y1: Floats) -> Floats:
    x, y, none = (x0 + x1) / 2, (y0 + y1) / 2, np.zeros_like(x0)
    sides = [(x, y0, none), (x, y1, none), (x0, y, none), (x1, y, none)]
    return np.stack([np.stack(side, axis=1) for side in sides], axis=1)


def hall_texts(labels: LabelAnchors, figures: Sequence[str]) -> list[str]:
    """Return the texts of all labels, those of halls with a figure behind them; `figures` by hall slot."""
    return [
        f"{text}   {figures[slot]}"
        if kind == LabelKind.HALL and slot < len(figures) and figures[slot]
        else text
        for text, kind, slot in zip(labels.text, labels.kind.tolist(), labels.slot.tolist(), strict=True)
    ]
