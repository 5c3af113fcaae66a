"""Names of rows: with their hall where rows of several are seen, and which go first where there is no room for all."""

from __future__ import annotations

import numpy as np

from twin.arrays import Bools, Floats, Ints32, Ints64
from twin.language import tr
from twin.plant.find import row_title, row_words
from twin.plant.geometry import LabelAnchors, LabelKind
from twin.plant.tables import Plant

_STEP, _STEPS = 0.1, 7


class RowNames:
    """What rows are called in the picture.

    Attributes
    ----------
    label
        Which labels name rows (rows,).
    titles, with_halls
        A name of each within its hall, and with it.
    rank
        What the name of a row weighs more than another (rows,): of the rows of a hall the first, then every 64th, 32nd,
        and so on, so that those for which there is room stand evenly.
    """

    def __init__(self, plant: Plant, labels: LabelAnchors) -> None:
        self.label: Ints64 = np.flatnonzero(labels.kind == LabelKind.ROW)
        slots = labels.slot[self.label]
        self._hall: Ints32 = plant.rows.hall[slots]
        written = [plant.rows.labels[slot] for slot in slots.tolist()]
        self.titles = [row_title(label) for label in written]
        self.with_halls = [
            _with_hall(plant.halls.titles[hall], label)
            for hall, label in zip(self._hall.tolist(), written, strict=True)
        ]
        self.rank = rank_of(self._hall)

    def of_several_halls(self, seen: Bools) -> bool:
        """Return whether the rows that are seen (rows,) stand in more than one hall."""
        halls = self._hall[seen]
        return bool(halls.size and (halls != halls[0]).any())

    def in_halls_of(self, named: Ints64) -> Ints64:
        """Return which labels name rows in the halls of those that some labels name."""
        halls = self._hall[np.isin(self.label, named)]
        return self.label[np.isin(self._hall, halls)]


def _with_hall(hall: str, label: str) -> str:
    word, letter = row_words(label)
    if word:
        return tr("{hall}, {row}", hall=hall, row=row_title(label))
    return tr("{hall}, row {letter}", hall=hall, letter=letter)


def rank_of(hall: Ints32) -> Floats:
    """Return the rank of rows, given in their order by their halls (rows,).

    >>> rank_of(np.array([0, 0, 0, 0, 0, 1, 1], np.int32)).tolist()
    [0.7, 0.0, 0.1, 0.0, 0.2, 0.7, 0.0]
    """
    out = np.zeros(len(hall))
    for each in np.unique(hall):
        rows = np.flatnonzero(hall == each)
        place = np.arange(len(rows))
        halvings = np.bitwise_count((place & -place) - 1)
        out[rows] = np.where(place == 0, _STEPS, np.minimum(halvings, _STEPS - 1))
    return np.round(_STEP * out, 3)
