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
from twin.view3d.gl.draw_context import DrawContext
from twin.view3d.gl.labels import LabelLayer as DrawnLabels
from twin.view3d.gl.labels import draw_atlas
from twin.view3d.place.picking import Picker

LABEL_PERIOD_S = 0.25
"""Labels are placed anew at most so often."""
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

    def set_plant(self, plant: Plant, labels: LabelAnchors, picker: Picker) -> None:
        """Take a hall; the picker tells which labels are hidden."""
        self._plant, self._labels, self._picker = plant, labels, picker
        self._anchors = np.column_stack([labels.x_m, labels.y_m, labels.z_m]).reshape(-1, 3)
        self.place_anew()

    def stand_in(self, plant: Plant) -> None:
        """Take a hall that looks like the one before."""
        self._plant = plant

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
        selected = list(self.selected.items())[:NAMED]
        words = [badge.text for badge in self.words]
        texts = [*self._labels.text, *(self._spoken(id) for id, _ in selected), *words]
        wanted = theme, scale * self.larger, tuple(texts), tuple(badge.weight for badge in self.words)
        now_s = time.monotonic()
        if wanted != self._atlas_of:
            tones = [0] * (len(texts) - len(words)) + [badge.weight for badge in self.words]
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
        labels, anchors = self._labels, self._anchors
        tops = [[*((low + high) / 2)[:2], high[2]] for low, high in selected]
        marks = np.array([*tops, *(badge.at_m for badge in self.words)]).reshape(-1, 3)
        weights = np.where(
            labels.kind == LabelKind.ROW, 2.0, np.where(labels.kind == LabelKind.LOOP, 1.0, 1.5)
        )
        everything = np.concatenate([anchors, marks])
        points = camera.project(pose, everything, *stage.size_px)
        grave = [10.0 + badge.weight - 1e-3 * k for k, badge in enumerate(self.words)]  # first ones first
        weights = np.concatenate([weights, np.full(len(selected), 9.0), grave])
        hidden = points[:, 2] > stage.fog[0] + 1.0 / stage.fog[1]
        hidden |= self._picker.blocked(stage.eye_m, everything)
        if len(labels.text) and int((labels.kind == LabelKind.HALL).sum()) == 1:
            hidden[: len(anchors)] |= labels.kind == LabelKind.HALL
        hidden[: len(anchors)] |= self.named_otherwise()
        points[hidden, 2] = -1.0
        clear = np.vstack([self.clear_px(scale), self.taken_px])
        sizes_px = self._drawn.sizes_px
        self._drawn.show(
            place_labels(points, sizes_px, weights, *stage.size_px, scale=scale, keep_clear=clear)
        )

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
