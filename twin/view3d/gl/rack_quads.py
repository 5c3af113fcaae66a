"""Quads of racks in one index buffer, without those of racks that tiles hide whole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from twin.arrays import Bools
from twin.view3d.base.meshes import quad_indices


class RackQuads:
    """Triangles of the quads that are drawn.

    Parameters
    ----------
    rack
        Slot of the rack of each quad.

    Attributes
    ----------
    indices
        Of the triangles.
    """

    def __init__(self, rack: NDArray[np.integer]) -> None:
        self._rack = rack
        self._all = quad_indices(len(rack)).reshape(-1, 6)
        self.indices = gloo.IndexBuffer(self._all.ravel())
        self._hidden = np.zeros(0, bool)
        self._drawn = len(rack)

    def leave_out(self, hidden: Bools) -> bool:
        """Leave out the quads of racks that are `hidden`, by slot; return whether any are left."""
        before = self._hidden if len(self._hidden) else np.zeros_like(hidden)  # all are drawn at first
        if not np.array_equal(hidden, before):
            shown = self._all[~hidden[self._rack]]
            if len(shown):
                self.indices.set_data(shown.ravel())
            self._hidden, self._drawn = hidden, len(shown)
        return self._drawn > 0
