"""Names of halls that are seen from afar: under their floors, in the longest form in which none meets another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.language import tr
from twin.plant.geometry import LabelAnchors, LabelKind
from twin.plant.tables import Plant
from twin.view3d.base import camera
from twin.view3d.base.label_layout import SPACING_PX
from twin.view3d.base.state import CameraPose
from twin.view3d.base.tile_levels import DRAWN, TileLevel, TilePlaces
from twin.view3d.colour.tile_words import BETWEEN_FIGURES

FORMS = 5
"""Of a name: with its figures behind it, with its figures below it, alone, in two lines, and without what all names
begin with."""
SLACK = 3.0
"""A longer form than the one that stands needs so much more room between names: they do not flicker."""
BELOW_PX = 8.0
"""A name under a floor lies so far below its edge [logical px]."""


class HallNames:
    """Which halls are told by name, in which form, and where; remembers the form that stands.

    Attributes
    ----------
    label
        Which labels name halls.
    failing
        Which of these halls have failed GPUs: they are named before others.
    """

    def __init__(self, plant: Plant, labels: LabelAnchors, tiles: TilePlaces) -> None:
        self.label: Ints64 = np.flatnonzero(labels.kind == LabelKind.HALL)
        self.failing: Bools = np.zeros(len(self.label), bool)
        self._slot = labels.slot[self.label].tolist()
        self._titles = [labels.text[label] for label in self.label.tolist()]
        self._tiles, self._form = tiles, 0
        halls, tile_slots = plant.halls, tiles.slot[tiles.at(TileLevel.HALL)].tolist()
        self._tile = np.array(
            [tile_slots.index(slot) if slot in tile_slots else -1 for slot in self._slot], int
        )
        self._spots = _spots(halls.x0_m, halls.y0_m, halls.x1_m, halls.y1_m)[self._slot]

    def count(self, failed: Floats) -> None:
        """Take how many GPUs of each tile have failed."""
        of_halls = np.append(failed[self._tiles.at(TileLevel.HALL)], 0)
        self.failing = of_halls[self._tile] > 0

    def texts(self, figures: Sequence[str]) -> list[str]:
        """Return all forms of all names, form by form, and a name of all halls together; `figures` by hall slot."""
        titles = self._titles
        told = [figures[slot] if slot < len(figures) else "" for slot in self._slot]

        def with_figures(between: str) -> list[str]:
            return [
                between.join([title, figure]) if figure else title
                for title, figure in zip(titles, told, strict=True)
            ]

        words = [title.split(" ") for title in titles]
        alike = len(list(takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False))))
        short = [" ".join(some[alike:]) or title for some, title in zip(words, titles, strict=True)]
        together = tr("{first} to {last}", first=titles[0], last=titles[-1]) if titles else ""
        lines = [_in_two_lines(title) for title in titles]
        return [*with_figures(BETWEEN_FIGURES), *with_figures("\n"), *titles, *lines, *short, together]

    def told(self, fades: Floats) -> Bools:
        """Return which halls are so far away that their floors show colours: they are told in figures (halls,).

        A hall that the eye is in is not, though most of its racks are far: some show their GPUs.
        """
        tiles = self._tiles
        shown = (tiles.of_halls(fades) > DRAWN) & (tiles.of_halls(np.where(fades > 0.0, 0.0, 1.0)) == 0.0)
        return np.asarray(np.append(shown, False)[self._tile])

    def spots(self, pose: CameraPose, size_px: tuple[int, int]) -> Floats:
        """Return where a name may stand (halls, 3, 3) [px, m].

        At that edge of its floor that is lowest in the picture, in the middle of the floor, at the highest edge.
        """
        points = camera.project(pose, self._spots.reshape(-1, 3), *size_px).reshape(-1, 5, 3)
        ahead, y = points[:, :4, 2] > 0, points[:, :4, 1]
        lowest, highest = (
            np.where(ahead, y, -np.inf).argmax(axis=1),
            np.where(ahead, y, np.inf).argmin(axis=1),
        )
        each = np.arange(len(points))
        return np.stack([points[each, lowest], points[:, 4], points[each, highest]], axis=1)

    def settle(self) -> None:
        """Let the longest form stand that fits: the camera rests, nothing flickers."""
        self._form = 0

    def form(self, points_px: Floats, sizes_px: Floats, told: Bools, scale: float) -> int | None:
        """Return the longest form in which no two names under floors meet; None: not even the shortest.

        Parameters
        ----------
        points_px
            Where the upper edge of each name has its middle (halls, 3) [px].
        sizes_px
            Of the forms (FORMS * halls, 2) [px].
        told
            Which halls are named so.
        scale
            Physical pixels per logical one.
        """
        chosen = np.flatnonzero(told & (points_px[:, 2] > 0))
        for form, sizes in self._by_form(sizes_px):
            gap_px = SPACING_PX * scale * (SLACK if form < self._form else 1.0)
            if not _meet(points_px[chosen, :2], sizes[chosen], gap_px):
                self._form = form
                return form
        self._form = FORMS
        return None

    def _by_form(self, sizes_px: Floats) -> Iterator[tuple[int, Floats]]:
        return enumerate(sizes_px.reshape(FORMS, -1, 2))


def _in_two_lines(title: str) -> str:
    """Return a title broken at that space which leaves its lines shortest.

    >>> _in_two_lines("Second hall of three").splitlines()
    ['Second hall', 'of three']
    """
    spaces = [place for place, letter in enumerate(title) if letter == " "]
    place = min(spaces, key=lambda place: max(place, len(title) - place), default=None)
    return title if place is None else f"{title[:place]}\n{title[place + 1 :]}"


def _meet(points_px: Floats, sizes_px: Floats, gap_px: float) -> bool:
    """Return whether any two rectangles are nearer to one another than a gap; points are middles of upper edges."""
    left = np.rint(points_px[:, 0] - sizes_px[:, 0] / 2)
    top, right = np.rint(points_px[:, 1]), left + sizes_px[:, 0]
    bottom = top + sizes_px[:, 1]
    near = (left[:, None] < right + gap_px) & (left < right[:, None] + gap_px)
    near &= (top[:, None] < bottom + gap_px) & (top < bottom[:, None] + gap_px)
    return bool((near.sum(axis=1) > 1).any())


def _spots(x0: Floats, y0: Floats, x1: Floats, y1: Floats) -> Floats:
    """Return the middles of the edges of floors, and those of the floors (n, 5, 3) [m]."""
    x, y, none = (x0 + x1) / 2, (y0 + y1) / 2, np.zeros_like(x0)
    spots = [(x, y0, none), (x, y1, none), (x0, y, none), (x1, y, none), (x, y, none)]
    return np.stack([np.stack(spot, axis=1) for spot in spots], axis=1)
