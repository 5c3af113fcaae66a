"""Watch over inlet air and coolant: above what ASHRAE recommends or the class allows, too near the dew point."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twin.physics.comfort import ALLOWABLE, DEW_MARGIN_K, RECOMMENDED
from twin.physics.thermal_network import Network, State
from twin.plant.tables import LoopKind, Plant

Floats = NDArray[np.float64]

BACK_K = 1.0
"""How far inlet air has to fall below a limit before it counts as inside again [K] [est]."""
DEW_BACK_K = 0.5
"""How far coolant has to rise above its margin before it counts as safe again [K] [est]."""


class Change(NamedTuple):
    """One thing that began (`on`) or ended; `kind` is that of the event."""

    kind: str
    subject: str
    text: str
    on: bool


class Comfort:
    """Levels of every air loop, hall and coolant loop that nodes hang on.

    Air: 0 fine, 1 above recommended, 2 above what the class of the hall allows. Coolant: 0 fine, 1 nearer to the
    dew point than 2 K.
    """

    def __init__(self, plant: Plant) -> None:
        loops, halls, nodes = plant.loops, plant.halls, plant.nodes
        self._n_loops = len(loops.ids)
        self._ids = [*loops.ids, *halls.ids]
        self._classes = [*(halls.air_class[hall] for hall in loops.hall.tolist()), *halls.air_class]
        self._allowed_c = np.array([ALLOWABLE[name].high_c for name in self._classes])
        self._dew_c = np.concatenate([halls.dew_point_c[loops.hall], halls.dew_point_c])
        by_air = np.array([LoopKind(kind).by_air for kind in loops.kind.tolist()], bool)
        used = np.zeros(self._n_loops, bool)
        cooled = nodes.loop[nodes.present & (nodes.loop >= 0)]
        used[cooled] = True
        housed = np.zeros(len(halls.ids), bool)
        housed[plant.racks.hall[nodes.rack[nodes.present]]] = True
        self._air = np.concatenate([by_air & used, housed])
        self._coolant = np.concatenate([~by_air & used, np.zeros(len(halls.ids), bool)])
        self.level = np.zeros(len(self._ids), np.int64)
        self._set_bands()

    def look(self, state: State, network: Network) -> list[Change]:
        """Return what began or ended since the last look."""
        shape = network.shape
        if shape.n_loops != self._n_loops:  # a site without loops has a stand-in
            return []
        first = shape.n_loops
        now_c = state.upper[first : first + len(self.level)]  # supply of the loops, then the air of the halls
        if not ((now_c < self._low_c) | (now_c > self._high_c)).any():
            return []
        changes: list[Change] = []
        for place in np.flatnonzero((now_c < self._low_c) | (now_c > self._high_c)).tolist():
            changes += self._changed(place, float(now_c[place]))
        self._set_bands()
        return changes

    def _changed(self, place: int, now_c: float) -> list[Change]:
        subject, before = self._ids[place], int(self.level[place])
        if self._coolant[place]:
            self.level[place] = 1 - before
            dew_c = self._dew_c[place]
            if before:
                return [
                    Change("above_dew_point", subject, "coolant is safely above the dew point again", False)
                ]
            text = f"coolant at {now_c:.1f} C is within {DEW_MARGIN_K:g} K of the dew point, {dew_c:.1f} C"
            return [Change("below_dew_point", subject, text, True)]
        allowed_c, name = float(self._allowed_c[place]), self._classes[place]
        if now_c > allowed_c or (before == 2 and now_c >= allowed_c - BACK_K):
            after = 2
        elif now_c > RECOMMENDED.high_c or (before >= 1 and now_c >= RECOMMENDED.high_c - BACK_K):
            after = 1
        else:
            after = 0
        self.level[place] = after
        found: list[Change] = []
        if before < 1 <= after:
            text = f"inlet air at {now_c:.1f} C is above the recommended {RECOMMENDED.high_c:g} C"
            found.append(Change("inlet_warm", subject, text, True))
        if before < 2 <= after:
            text = f"inlet air at {now_c:.1f} C is above the {allowed_c:g} C that class {name} allows"
            found.append(Change("inlet_hot", subject, text, True))
        if after < 2 <= before:
            found.append(
                Change("inlet_allowed", subject, f"inlet air is as class {name} allows again", False)
            )
        if after < 1 <= before:
            found.append(Change("inlet_ok", subject, "inlet air is as recommended again", False))
        return found

    def _set_bands(self) -> None:
        """Set the temperatures between which nothing changes."""
        air, level = self._air, self.level
        warm_c = RECOMMENDED.high_c
        high_c = np.where(level == 0, warm_c, np.where(level == 1, self._allowed_c, math.inf))
        low_c = np.where(
            level == 0, -math.inf, np.where(level == 1, warm_c - BACK_K, self._allowed_c - BACK_K)
        )
        margin_c = self._dew_c + DEW_MARGIN_K
        wet = self._coolant & (level == 1)
        self._high_c: Floats = np.where(air, high_c, np.where(wet, margin_c + DEW_BACK_K, math.inf))
        self._low_c: Floats = np.where(air, low_c, np.where(self._coolant & ~wet, margin_c, -math.inf))

    def state(self) -> dict[str, object]:
        """Return what a snapshot needs."""
        return {"level": self.level.tolist()}

    def restore(self, state: dict[str, object]) -> None:
        """Take over what `state` returned."""
        self.level = np.array(state["level"], np.int64)
        self._set_bands()
