"""Watch over air and water: inlets above what ASHRAE recommends or allows, coolant near the dew point or too warm."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from twin.arrays import Floats
from twin.physics.psychrometrics import ALLOWABLE, DEW_MARGIN_K, RECOMMENDED
from twin.physics.thermal_crossing import Band
from twin.physics.thermal_network import ThermalShape, ThermalState
from twin.plant.tables import LoopKind, Plant
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import Fields, StateField, Stateful
from twin.sim.thermal.thresholds import anything

BACK_K = 0.9
"""How far inlet air has to fall below a limit before it counts as inside again [K] [est].

Less than a kelvin: air that rests at a set point of 26 C, a kelvin below what is recommended, is inside.
"""
DEW_BACK_K = 0.5
"""How far coolant has to rise above its margin before it counts as safe again [K] [est]."""
WARM_K, WARM_BACK_K = 3.0, 2.0
"""How far coolant or facility water has to rise above its set point to count as warm, and to fall again [K] [est]."""


class ComfortChange(NamedTuple):
    """One thing that began (`on`) or ended; `kind` is that of the event, temperatures are [C]."""

    kind: str
    subject: str
    text: str
    on: bool
    temp_c: float
    limit_c: float


class Comfort(Stateful):
    """Levels of every air loop, hall and coolant loop that nodes hang on, and of every facility loop.

    Air: 0 fine, 1 above recommended, 2 above what the class of the hall allows. Coolant: 0 fine, 1 nearer to the
    dew point than 2 K, 2 above its set point, where a valve should hold it. Facility water: 0 fine, 2 above its set
    point.

    Attributes
    ----------
    band
        Temperatures between which nothing changes, as `ThermalState.upper` [C].
    """

    def __init__(self, plant: Plant, shape: ThermalShape) -> None:
        self._unknowns = shape.n_upper
        loops, halls, nodes, plants = plant.loops, plant.halls, plant.nodes, plant.plants
        self._n_loops, water = len(loops.ids), len(plants.ids)
        self._stretches = (  # tables of what has a level, one behind the other
            ("loops", self._n_loops),
            ("halls", len(halls.ids)),
            ("plants", water),
            ("plants", water),
        )
        self._ids = [*loops.ids, *halls.ids, *plants.ids, *plants.ids]  # of facility water: return, supply
        self._classes = [*(halls.air_class[hall] for hall in loops.hall.tolist()), *halls.air_class]
        allowed_c = [ALLOWABLE[name].high_c for name in self._classes]
        self._allowed_c = np.array([*allowed_c, *[math.inf] * (2 * water)])
        dew_c = (halls.dew_point_c[loops.hall], halls.dew_point_c, np.full(2 * water, -math.inf))
        self._dew_c = np.concatenate(dew_c)
        by_air = np.array([LoopKind(kind).by_air for kind in loops.kind.tolist()], bool)
        used = np.zeros(self._n_loops, bool)
        cooled = nodes.loop[nodes.present & (nodes.loop >= 0)]
        used[cooled] = True
        housed = np.zeros(len(halls.ids), bool)
        housed[plant.racks.hall[nodes.rack[nodes.present]]] = True
        wet, dry = np.zeros(len(halls.ids), bool), np.zeros(2 * water, bool)
        self._air = np.concatenate([by_air & used, housed, dry])
        self._coolant = np.concatenate([~by_air & used, wet, dry])
        held = np.concatenate([~by_air & used & loops.valve, wet, dry])
        held[len(held) - water :] = True
        set_c = np.concatenate([loops.supply_c, np.zeros(len(halls.ids) + water), plants.supply_c])
        self._set_c: Floats = np.where(held, set_c, math.inf)
        self.level = np.zeros(len(self._ids), np.int64)
        # A site without loops has a stand-in, which nobody watches.
        self._stands_in = shape.n_loops != self._n_loops or len(self.level) != shape.n_upper - shape.n_loops
        self._set_bands()

    def look(self, state: ThermalState) -> list[ComfortChange]:
        """Return what began or ended since the last look."""
        outside = self.band.excess_k(state.upper) > 0.0
        if not np.count_nonzero(outside):
            return []
        # Supply of the loops, air of the halls, facility water.
        now_c, outside = state.upper[self._n_loops :], outside[self._n_loops :]
        changes: list[ComfortChange] = []
        for place in np.flatnonzero(outside).tolist():
            changes += self._changed(place, float(now_c[place]))
        self._set_bands()
        return changes

    def _changed(self, place: int, now_c: float) -> list[ComfortChange]:
        subject, before = self._ids[place], int(self.level[place])
        if not self._air[place]:
            return self._water_changed(place, now_c)
        allowed_c, name = float(self._allowed_c[place]), self._classes[place]
        if now_c > allowed_c or (before == 2 and now_c >= allowed_c - BACK_K):
            after = 2
        elif now_c > RECOMMENDED.high_c or (before >= 1 and now_c >= RECOMMENDED.high_c - BACK_K):
            after = 1
        else:
            after = 0
        self.level[place] = after
        found: list[ComfortChange] = []
        if before < 1 <= after:
            text = f"inlet air above the recommended {RECOMMENDED.high_c:g} °C"
            found.append(ComfortChange("inlet_warm", subject, text, True, now_c, RECOMMENDED.high_c))
        if before < 2 <= after:
            text = f"inlet air above the {allowed_c:g} °C allowed for class {name}"
            found.append(ComfortChange("inlet_hot", subject, text, True, now_c, allowed_c))
        if after < 2 <= before:
            text = f"inlet air within the limits of class {name}"
            found.append(ComfortChange("inlet_allowed", subject, text, False, now_c, allowed_c))
        if after < 1 <= before:
            text = "inlet air within the recommended range"
            found.append(ComfortChange("inlet_ok", subject, text, False, now_c, RECOMMENDED.high_c))
        return found

    def _water_changed(self, place: int, now_c: float) -> list[ComfortChange]:
        subject, before = self._ids[place], int(self.level[place])
        what = "coolant supply" if self._coolant[place] else "facility water supply"
        set_c, dew_c = float(self._set_c[place]), float(self._dew_c[place])
        cold = dew_c + DEW_MARGIN_K
        after = 2 if now_c > set_c + (WARM_BACK_K if before == 2 else WARM_K) else 0
        if now_c < cold or (before == 1 and now_c <= cold + DEW_BACK_K):
            after = 1
        self.level[place] = after
        found: list[ComfortChange] = []
        if before == 1 != after:
            text = "coolant safely above the dew point"
            found.append(ComfortChange("above_dew_point", subject, text, False, now_c, cold))
        if before == 2 != after:
            text = f"{what} near its set point"
            found.append(ComfortChange("supply_ok", subject, text, False, now_c, set_c + WARM_K))
        if after == 1 != before:
            text = (
                f"coolant {now_c:.1f} °C: less than {DEW_MARGIN_K:g} K above the dew point ({dew_c:.1f} °C)"
            )
            found.append(ComfortChange("below_dew_point", subject, text, True, now_c, cold))
        if after == 2 != before:
            text = f"{what} {now_c:.1f} °C: more than {WARM_K:g} K above set point ({set_c:.1f} °C)"
            found.append(ComfortChange("supply_warm", subject, text, True, now_c, set_c + WARM_K))
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
        damp, warm = level == 1, level == 2
        wet_high_c = np.where(damp, margin_c + DEW_BACK_K, np.where(warm, math.inf, self._set_c + WARM_K))
        wet_low_c = np.where(damp, -math.inf, np.where(warm, self._set_c + WARM_BACK_K, margin_c))
        high_c = np.where(air, high_c, wet_high_c)
        low_c = np.where(air, low_c, np.where(self._coolant | warm, wet_low_c, -math.inf))
        if self._stands_in:
            self.band = anything(self._unknowns)
            return
        back = np.full(self._n_loops, math.inf)  # the returns of the loops
        self.band = Band(np.concatenate([-back, low_c]), np.concatenate([back, high_c]))

    def on_restored(self) -> None:
        """Set the temperatures between which nothing changes."""
        self._set_bands()

    def _carried_level(self, old: Comfort, edit: EditedPair) -> list[int]:
        level: list[int] = []
        old_at = new_at = 0
        for (table, had), (_, has) in zip(old._stretches, self._stretches, strict=True):
            was, now = old.level[old_at : old_at + had], self.level[new_at : new_at + has]
            level += edit.kept[table].column(was.tolist(), now.tolist())
            old_at, new_at = old_at + had, new_at + has
        return level

    STATE = Fields(
        StateField(
            "level",
            lambda saved: np.array(saved, np.int64),
            lambda level: level.tolist(),
            carry=_carried_level,
        )
    )
