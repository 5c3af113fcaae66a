"""Which words stand in the picture and where: rows, machines and halls, what is selected, and what is not well."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.arrays import Floats
from twin.plant.geometry import LabelAnchors, LabelKind
from twin.plant.tables import Plant
from twin.view3d.base import camera
from twin.view3d.base.bounds import Box
from twin.view3d.base.label_layout import place_labels
from twin.view3d.base.state import CameraPose
from twin.view3d.colour.machine_state import Badge
from twin.view3d.colour.tile_values import TileValues
from twin.view3d.gl.draw_context import DrawContext
from twin.view3d.gl.labels import LabelLayer as DrawnLabels
from twin.view3d.gl.labels import draw_atlas
from twin.view3d.place.picking import Picker
from twin.view3d.place.tile_labels import TileLabels, hall_texts

LABEL_PERIOD_S = 0.25
"""Labels are placed anew at most so often."""
FIGURES_S = 0.5
"""Figures of halls and counts of what has failed are written anew at most so often."""
STANDS = 0.2
"""What is named already goes before its equals: names do not take turns while the camera moves."""
NAMED = 16
"""Things that are named because they are selected or on a traced path, at most."""
SAME_PLACE_M = 0.3


class Names:
    """Places words and draws them over the picture.

    Attributes
    ----------
    selected
        Boxes of what is named because it is selected, by the words.
    words
        Over things that are not well.
    larger
        Size of the letters beside the usual one.
    taken_px
        Where words of others stand [physical px]: left, top, right, bottom.
    """

    def __init__(self) -> None:
        self.selected: dict[str, Box] = {}
        self.words: list[Badge] = []
        self.larger = 1.0
        self.taken_px = np.zeros((0, 4))  # by words of others
        self._clear_px = np.zeros((0, 4))  # left, top, width, height of where none may stand
        self._drawn = DrawnLabels()
        self._plant: Plant | None = None
        self._atlas_of: tuple[object, ...] = ()
        self._placed_at_s = -1.0
        self._placed_for: tuple[object, ...] = ()
        self._values: tuple[TileValues, list[str]] | None = None
        self._figures: list[str] = []
        self._figures_of: tuple[str, ...] = ()
        self._counted_s = -1.0

    def set_plant(self, plant: Plant, labels: LabelAnchors, picker: Picker) -> None:
        """Take a hall; the picker tells which labels are hidden."""
        self._plant, self._labels, self._picker = plant, labels, picker
        self._anchors = np.column_stack([labels.x_m, labels.y_m, labels.z_m]).reshape(-1, 3)
        self._tiles = TileLabels(plant, labels, picker.tiles)
        self._shown = np.zeros(len(labels.text), bool)
        self._values, self._figures, self._counted_s = None, [], -1.0
        self.place_anew()

    def stand_in(self, plant: Plant) -> None:
        """Take a hall that looks like the one before."""
        self._plant = plant

    def set_values(self, values: TileValues, figures: list[str], kind: tuple[str, ...]) -> None:
        """Take what tiles show, and the figures of halls by slot; of another `kind` they are written at once."""
        self._values = values, figures
        if kind != self._figures_of:
            self._figures_of, self._counted_s = kind, -1.0

    def _count(self, now_s: float) -> None:
        if self._values is not None and (self._counted_s < 0 or now_s - self._counted_s >= FIGURES_S):
            values, self._figures = self._values
            self._tiles.count(values)
            self._counted_s, self._values = now_s, None

    def stay_clear(self, areas: Sequence[tuple[float, float, float, float]]) -> None:
        """Let no label stand in these rectangles: left, top, width, height [logical px]."""
        self._clear_px = np.array(areas, float).reshape(-1, 4)
        self.place_anew()

    def clear_px(self, scale: float) -> Floats:
        """Return where none may stand: left, top, right, bottom [physical px]."""
        return np.hstack([self._clear_px[:, :2], self._clear_px[:, :2] + self._clear_px[:, 2:]]) * scale

    def place_anew(self) -> None:
        """Place the labels anew in the next drawing, however recently they were."""
        self._placed_at_s = -1.0
        self._counted_s = -1.0

    def draw(self, stage: DrawContext, pose: CameraPose, theme: str, scale: float, *, kept: bool) -> None:
        """Draw over the picture; `kept`: as they stood before, where the camera does."""
        key = (pose, stage.size_px)
        if not (kept and key == self._placed_for):
            self._renew(stage, pose, theme, scale, key)
        gloo.set_state(blend_func=("one", "one_minus_src_alpha"), depth_test=False)
        self._drawn.draw(stage)

    def _renew(
        self, stage: DrawContext, pose: CameraPose, theme: str, scale: float, key: tuple[object, ...]
    ) -> None:
        now_s = time.monotonic()
        self._count(now_s)
        selected = list(self.selected.items())[:NAMED]
        words = [badge.text for badge in self.words] + [mark.text for mark in self._tiles.marks]
        labels = hall_texts(self._labels, self._figures)
        texts = [*labels, *(self._spoken(id) for id, _ in selected), *words]
        wanted = theme, scale * self.larger, tuple(texts), tuple(badge.weight for badge in self.words)
        if wanted != self._atlas_of:
            tones = [0] * (len(texts) - len(words)) + [badge.weight for badge in self.words]
            tones += [2] * len(self._tiles.marks)
            self._drawn.set_atlas(draw_atlas(texts, stage.colours, scale * self.larger, tones))
            self._atlas_of = wanted
            self._placed_at_s = -1.0
        if self._placed_at_s < 0 or (key != self._placed_for and now_s - self._placed_at_s >= LABEL_PERIOD_S):
            self._place(pose, stage, [box for _, box in selected], scale)
            self._placed_at_s, self._placed_for = now_s, key

    def _spoken(self, id: str) -> str:
        """Return what stands over a selected thing: the words its label has, where it has one."""
        kind, slot = ("", -1) if self._plant is None else self._plant.slots.get(id, ("", -1))
        return self._plant.loops.labels[slot] if self._plant is not None and kind == "loop" else id

    def _place(self, pose: CameraPose, stage: DrawContext, selected: Sequence[Box], scale: float) -> None:
        labels, anchors, tiles, size_px = self._labels, self._anchors, self._tiles, stage.size_px
        tops = [[*((low + high) / 2)[:2], high[2]] for low, high in selected]
        marks = np.array([*tops, *(badge.at_m for badge in self.words)]).reshape(-1, 3)
        over_tiles, of_drawn = tiles.marks_shown(tiles.tiles.opacity(pose, size_px[1]))
        everything = np.concatenate([anchors, marks, over_tiles])
        points = camera.project(pose, everything, *size_px)
        weights = np.where(
            labels.kind == LabelKind.ROW, 2.0, np.where(labels.kind == LabelKind.LOOP, 1.0, 1.5)
        )
        hidden = points[:, 2] > stage.fog[0] + 1.0 / stage.fog[1]
        hidden[: len(points) - len(of_drawn)] |= self._picker.blocked(
            stage.eye_m, everything[: len(points) - len(of_drawn)]
        )
        hidden[len(points) - len(of_drawn) :] = ~of_drawn
        if len(tiles.halls) == 1:
            hidden[tiles.halls] = True
        told = tiles.halls_told(pose, size_px[1])
        far = tiles.halls[told]
        points[far] = tiles.hall_points(pose, size_px)[told]
        points[far, 1] += self._drawn.sizes_px[far, 1] + 8 * scale  # below the edge: it covers nothing
        weights[far], hidden[far] = 3.0 + 0.5 * tiles.failing[told], False
        weights = weights + STANDS * self._shown
        grave = [10.0 + badge.weight - 1e-3 * k for k, badge in enumerate(self.words)]  # first ones first
        weights = np.concatenate([weights, np.full(len(selected), 9.0), grave, np.full(len(of_drawn), 8.0)])
        hidden[: len(anchors)] |= self.named_otherwise() | tiles.too_small(pose, size_px[1] / scale)
        points[hidden, 2] = -1.0
        clear = np.vstack([self.clear_px(scale), self.taken_px])
        placed = place_labels(points, self._drawn.sizes_px, weights, *size_px, scale=scale, keep_clear=clear)
        self._drawn.show(placed)
        self._shown[:] = False
        self._shown[[label.index for label in placed if label.index < len(anchors)]] = True

    def named_otherwise(self) -> NDArray[np.bool_]:
        """Return which labels name a thing that is selected or not well: another label stands there instead."""
        labels, ids = self._labels, {}
        if self._plant is not None:
            ids = {LabelKind.ROW: self._plant.rows.ids, LabelKind.LOOP: self._plant.loops.ids}
        named = [
            kind in ids and ids[kind][slot] in self.selected
            for kind, slot in zip(labels.kind.tolist(), labels.slot.tolist(), strict=True)
        ]
        out = np.array(named, bool)
        for badge in self.words:
            out |= np.abs(self._anchors - badge.at_m).max(axis=1, initial=0.0) < SAME_PLACE_M
        return out
