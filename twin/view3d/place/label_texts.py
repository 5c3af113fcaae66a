"""Which words stand in the picture and where: rows, machines and halls, what is selected, and what is not well."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.arrays import Bools, Floats, Ints64
from twin.plant.geometry import LabelAnchors, LabelKind
from twin.plant.tables import Plant
from twin.view3d.base import camera
from twin.view3d.base.bounds import Box
from twin.view3d.base.label_layout import LabelRoom, Placed
from twin.view3d.base.state import CameraPose
from twin.view3d.colour.machine_state import Badge
from twin.view3d.colour.tile_values import TileValues
from twin.view3d.gl.draw_context import DrawContext
from twin.view3d.gl.labels import LabelLayer as DrawnLabels
from twin.view3d.place.hall_names import BELOW_PX, FORMS
from twin.view3d.place.picking import Picker
from twin.view3d.place.row_names import RowNames
from twin.view3d.place.tile_labels import TileLabels

LABEL_PERIOD_S = 0.25
"""Labels are placed anew at most so often."""
FIGURES_S = 0.5
"""Figures of halls and counts of what has failed are written anew at most so often."""
STANDS = 0.05
"""What is named already goes before its equals: names do not take turns while the camera moves."""
BEFORE_HALLS = 3.0
"""What weighs more is written before the names of halls."""
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
        self._placed: list[Placed] = []
        self._texts: list[str] = []
        # Where names of halls, and of rows with halls, begin among all texts.
        self._hall_texts = self._row_texts = 0

    @property
    def standing(self) -> list[tuple[str, tuple[float, ...]]]:
        """Return what is written, and where [physical px]: left, top, width, height."""
        return [
            (
                self._texts[label.index],
                (label.left_px, label.top_px, *self._drawn.sizes_px[label.index].tolist()),
            )
            for label in self._placed
        ]

    def set_plant(self, plant: Plant, labels: LabelAnchors, picker: Picker) -> None:
        """Take a hall; the picker tells which labels are hidden."""
        self._plant, self._labels, self._picker = plant, labels, picker
        self._anchors = np.column_stack([labels.x_m, labels.y_m, labels.z_m]).reshape(-1, 3)
        self._tiles, self._rows = TileLabels(plant, labels, picker.tiles), RowNames(plant, labels)
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
        if self._plant is not None:
            self._tiles.halls.settle()

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
        halls, labels = self._tiles.halls.texts(self._figures), list(self._labels.text)
        rows = self._rows
        for label, text in (
            *zip(self._tiles.halls.label.tolist(), halls, strict=False),
            *zip(rows.label.tolist(), rows.titles, strict=True),
        ):
            labels[label] = text
        texts = [*labels, *(self._spoken(id) for id, _ in selected), *words, *halls, *rows.with_halls]
        self._row_texts, plain = len(texts) - len(rows.with_halls), len(labels) + len(selected)
        self._hall_texts = self._row_texts - len(halls)
        wanted = theme, scale * self.larger, tuple(texts), tuple(badge.weight for badge in self.words)
        if wanted != self._atlas_of:
            tones = [0] * plain + [badge.weight for badge in self.words]
            tones += [2] * len(self._tiles.marks) + [0] * (len(halls) + len(rows.with_halls))
            self._texts = texts
            self._drawn.write(texts, stage.colours, scale * self.larger, tones)
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
        fades = tiles.tiles.fades(pose, size_px[1])
        over_tiles, of_drawn = tiles.marks_shown(tiles.tiles.seen_through(fades))
        everything = np.concatenate([anchors, marks, over_tiles[0]])
        points = camera.project(pose, everything, *size_px)
        weights = np.where(labels.kind == LabelKind.LOOP, 1.0, 1.5)
        weights[self._rows.label] = 2.0 + self._rows.rank
        hidden = points[:, 2] > stage.fog[0] + 1.0 / stage.fog[1]
        hidden[: len(points) - len(of_drawn)] |= self._picker.blocked(
            stage.eye_m, everything[: len(points) - len(of_drawn)]
        )
        hidden[len(points) - len(of_drawn) :] = ~of_drawn
        halls = tiles.halls
        if len(halls.label) == 1:
            hidden[halls.label] = True
        told = halls.told(fades)
        hidden[halls.label[told]] = True  # told below their floors, see `_name_halls`
        hidden[: len(anchors)] |= self._in_halls(told)
        weights = weights + STANDS * self._shown
        grave = [10.0 + badge.weight - 1e-3 * k for k, badge in enumerate(self.words)]  # first ones first
        weights = np.concatenate([weights, np.full(len(selected), 9.0), grave, np.full(len(of_drawn), 8.0)])
        hidden[: len(anchors)] |= self.named_otherwise() | tiles.too_small(pose, size_px[1] / scale)
        points[hidden, 2] = -1.0
        clear = np.vstack([self.clear_px(scale), self.taken_px])
        room = LabelRoom(size_px, scale, clear)
        sizes, first = self._drawn.sizes_px, weights > BEFORE_HALLS
        room.add(np.flatnonzero(first), points, sizes, weights)
        counted = len(points) - len(of_drawn) + np.arange(len(of_drawn))
        for spots in over_tiles[1:]:
            left = of_drawn & ~np.isin(counted, [label.index for label in room.placed])
            points[counted[left]] = camera.project(pose, spots[left], *size_px)
            room.add(counted[left], points, sizes, weights)
        self._name_halls(room, pose, told, size_px, scale)
        named = self._name_rows_with_halls(room, points, weights)
        first[self._rows.in_halls_of(named)] = True
        room.add(np.flatnonzero(~first), points, sizes, weights)
        self._drawn.show(room.placed)
        self._placed = room.placed
        self._shown[:] = False
        self._shown[[label.index for label in room.placed if label.index < len(anchors)]] = True
        self._shown[named] = True

    def _name_rows_with_halls(self, room: LabelRoom, points: Floats, weights: Floats) -> Ints64:
        """Name rows with their halls, where those of several are in the picture; return which labels are named so."""
        rows, sizes = self._rows, self._drawn.sizes_px
        seen = room.inside(points[rows.label])
        if not rows.of_several_halls(seen):
            return np.zeros(0, np.int64)
        texts = self._row_texts + np.arange(len(rows.label))
        at, heavy = np.zeros((len(sizes), 3)), np.zeros(len(sizes))
        at[texts], heavy[texts] = points[rows.label], weights[rows.label]
        named = room.add(texts[seen], at, sizes, heavy)
        return rows.label[np.array(named, np.int64) - self._row_texts]

    def _name_halls(
        self, room: LabelRoom, pose: CameraPose, told: Bools, size_px: tuple[int, int], scale: float
    ) -> None:
        """Name the halls that are told by their colours: all in one form, or all together where none has room."""
        halls = self._tiles.halls
        if not told.any():
            return
        sizes = self._drawn.sizes_px[self._hall_texts : self._row_texts]
        spots, count = halls.spots(pose, size_px), len(told)
        inside = room.inside(spots.reshape(-1, 3)).reshape(count, -1)
        seen = spots[np.arange(count), inside.argmax(axis=1)]
        form = halls.form(seen, sizes[:-1], told & inside.any(axis=1), scale)
        if form is None and told.all():
            nearest, middle, farthest = spots[:, 0], spots[:, 1].mean(axis=0), spots[:, 2]
            below = [middle[0], nearest[:, 1].max(), nearest[:, 2].min()]
            above = [middle[0], farthest[:, 1].min(), nearest[:, 2].min()]
            spots = np.array([[below, above, middle]])
            texts, left = np.array([self._hall_texts + FORMS * count]), np.array([True])
        else:
            form = FORMS - 1 if form is None else form
            texts, left = self._hall_texts + form * count + np.arange(count), told.copy()
        high_px = self._drawn.sizes_px[texts, 1]
        for rank in range(spots.shape[1]):
            points = np.zeros((len(self._drawn.sizes_px), 3))
            points[texts] = spots[:, rank]
            if rank == 0:  # below the edge: it covers nothing
                points[texts, 1] += high_px + BELOW_PX * scale
            weights = np.zeros(len(points))
            weights[texts] = halls.failing if len(left) == count else 0.0
            named = room.add(texts[left], points, self._drawn.sizes_px, weights)
            left &= ~np.isin(texts, named)

    def _in_halls(self, told: Bools) -> Bools:
        """Return which labels name a row or machine in a hall that is told by its name alone."""
        labels, out = self._labels, np.zeros(len(self._labels.kind), bool)
        if self._plant is not None and told.any():
            halls = self._labels.slot[self._tiles.halls.label[told]]
            for kind, table in ((LabelKind.ROW, self._plant.rows), (LabelKind.LOOP, self._plant.loops)):
                of_kind = np.flatnonzero(labels.kind == kind)
                out[of_kind] = np.isin(table.hall[labels.slot[of_kind]], halls)
        return out

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
