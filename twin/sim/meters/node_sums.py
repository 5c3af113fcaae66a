"""Sums over the nodes of each loop or hall, worked out anew only where a node is not as it was."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from twin.arrays import Floats, IntP


class NodeSums:
    """Which nodes belong to each place.

    Whatever is summed is summed in the order of the nodes: a place that is worked out alone has, to the last bit, the
    sum that it has among all.

    Parameters
    ----------
    place
        Place of each node, shape (N,).
    places
        How many there are.
    """

    def __init__(self, place: IntP, places: int) -> None:
        self.place, self.places = place, places

    @cached_property
    def _by_place(self) -> tuple[IntP, list[int]]:
        """Nodes in the order of their places, and where those of each begin; the last entry is their number."""
        order = self.place.argsort(kind="stable")
        begins = self.place[order].searchsorted(np.arange(self.places + 1))
        return order, begins.tolist()

    @cached_property
    def _dealt(self) -> tuple[IntP, IntP]:
        """Nodes in an order in which their places take turns; those of one place stay in theirs; with their places.

        Where neighbours add to one sum, each has to wait for the other.
        """
        order, begins = self._by_place
        ranked, turn = self.place[order], np.empty(len(order), np.intp)
        turn[order] = np.arange(len(order)) - np.array(begins, np.intp)[ranked]
        dealt: IntP = np.lexsort((self.place, turn))
        return dealt, self.place[dealt]

    def of(self, values: Floats) -> Floats:
        """Return the sum of the values of the nodes (N,) by place, shape (places,)."""
        dealt, place = self._dealt
        sums = np.bincount(place, values.take(dealt), minlength=self.places)
        return sums.astype(float, copy=False)

    def touched(self, nodes: IntP) -> tuple[IntP, IntP]:
        """Return the places of some nodes, and all nodes that belong there."""
        marked = np.zeros(self.places, bool)
        marked[self.place[nodes]] = True
        places, (order, begins) = marked.nonzero()[0], self._by_place
        parts = [order[begins[place] : begins[place + 1]] for place in places.tolist()]
        return places, np.concatenate(parts) if parts else order[:0]

    def renewed(self, sums: Floats, places: IntP, nodes: IntP, values: Floats) -> Floats:
        """Return sums by place with those of some `places` worked out anew, from the `values` of their `nodes`."""
        result = sums.copy()
        result[places] = np.bincount(self.place[nodes], values, minlength=self.places)[places]
        return result
