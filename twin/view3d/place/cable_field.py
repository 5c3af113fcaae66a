"""Cables of a plant as things to point at: which bundle a ray meets, where a bundle lies, what is written over it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.plant.cable_names import bundle_ends, bundle_id
from twin.plant.geometry import Geometry
from twin.plant.tables import Plant
from twin.plant.tray_runs import lay_runs
from twin.view3d.base.bounds import Box, box_of
from twin.view3d.colour.cable_colours import CableState
from twin.view3d.place.cable_picking import CablePicker
from twin.view3d.place.picking import Hit


class CableField:
    """Bundles of one epoch of a plant; needs no GL.

    Parameters
    ----------
    plant, geometry
        The plant and what is drawn of it.
    """

    def __init__(self, plant: Plant, geometry: Geometry) -> None:
        self._plant, self._geometry = plant, geometry
        self.runs = lay_runs(plant, geometry.bundles)

    @cached_property
    def _picker(self) -> CablePicker:
        return CablePicker(self._geometry.bundles, self.runs)

    def pick(
        self, origin: Floats, direction: Floats, reach_m: float, state: CableState, kept: int | None
    ) -> Hit | None:
        """Return the bundle that stands out of those where a ray first meets cables.

        That is the one already chosen, else one with lost cables, else the busiest, else the thickest.

        Parameters
        ----------
        origin, direction
            Start [m] and unit vector.
        reach_m
            Only cables nearer than this.
        state
            Loads and losses now.
        kept
            Bundle chosen before.
        """
        found = self._picker.pick(origin, direction, reach_m)
        if found is None:
            return None
        piece, distance_m = found
        bundles = self.runs.bundles_at(piece)
        if not len(bundles):
            return None
        if kept is not None and kept in bundles:
            bundle = kept
        else:
            cables = self._plant.bundles.cables[bundles]
            bundle = int(bundles[np.lexsort((cables, state.load[bundles], state.down[bundles] > 0))[-1]])
        x, y, z = (origin + direction * distance_m).tolist()
        return Hit("bundle", bundle, bundle_id(bundle), distance_m, (x, y, z))

    def pieces(self, *bundles: int) -> NDArray[np.int32]:
        """Return the pieces some bundles lie in."""
        return self.runs.pieces_of(np.array(bundles, np.int32))

    def label(self, bundle: int) -> dict[str, Box]:
        """Return the words that are written over a bundle, and the middle of its longest piece."""
        pieces = self.pieces(bundle)
        if not len(pieces):
            return {}
        start_m, stop_m = self.runs.start_m[pieces], self.runs.stop_m[pieces]
        middle = (start_m + stop_m)[int(np.linalg.norm(stop_m - start_m, axis=1).argmax())] / 2
        return {" \N{EN DASH} ".join(bundle_ends(self._plant, bundle)): (middle, middle)}

    def box(self, bundle: int) -> Box | None:
        """Return the box round the whole way of a bundle; of one inside a rack the rack's."""
        pieces = self.pieces(bundle)
        if not len(pieces):
            rack = int(self._plant.bundles.rack_a[bundle])
            return box_of(self._plant, self._geometry, self._plant.racks.ids[rack])
        ends = np.concatenate([self.runs.start_m[pieces], self.runs.stop_m[pieces]])
        return ends.min(axis=0), ends.max(axis=0)
