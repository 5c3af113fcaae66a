"""Chillers, towers and coolers of the facility plants: what they can do in this weather, and what they draw for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from twin.catalog import Catalog, DryCoolerPart
from twin.physics.cooling_plant import (
    EXCHANGER_APPROACH_K,
    STILL_AIR_SHARE,
    compressor_w,
    cooler_approach_k,
    economiser_share,
    fan_speed,
    machines_on,
    overload_k,
    tower_approach_k,
)
from twin.physics.flow_laws import OUTDOOR_FANS, FlowLaw
from twin.physics.hydraulics import ZERO_CELSIUS_K
from twin.plant.cooling import law_of
from twin.plant.facility import USUAL_PART
from twin.sim.core.weather import Outdoor


@dataclass(frozen=True)
class HeatRejectors:
    """Machines that give heat to the outdoor air.

    Parameters
    ----------
    wet
        A tower: the wet bulb counts, and water is used.
    approach_k
        Water over that outdoor temperature at full load [K].
    fan_share
        Fan power at full speed over the heat at capacity.
    fans
        Their power over their speed.
    water_m3_j
        Water evaporated and blown down per heat [m3/J].
    exchanger_k
        Plate exchanger between its water and the facility's, at full load; 0: none [K].
    """

    wet: bool
    approach_k: float
    fan_share: float
    fans: FlowLaw
    water_m3_j: float
    exchanger_k: float

    def outdoor_c(self, outdoor: Outdoor) -> float:
        """Return the outdoor temperature that counts [C]."""
        return outdoor.wet_c if self.wet else outdoor.dry_c

    def over_k(self, load: float, outdoor: Outdoor) -> float:
        """Return facility water over that temperature with all fans at full speed [K]."""
        air_k = (
            tower_approach_k(load, outdoor.wet_c, self.approach_k)
            if self.wet
            else cooler_approach_k(load, self.approach_k)
        )
        return air_k + self.exchanger_k * max(load, 0.0)


@dataclass(frozen=True)
class Lift:
    """Compressors of a chiller plant.

    Parameters
    ----------
    carnot_share
        COP over that of Carnot between evaporator and condenser, as at its rating.
    evaporator_k, condenser_k
        Evaporator below the supply, condenser above the outdoor temperature [K].
    """

    carnot_share: float
    evaporator_k: float
    condenser_k: float


class PlantWork(NamedTuple):
    """What a plant does at one moment.

    Parameters
    ----------
    machine_w, fan_w
        Compressors, and fans of towers, coolers or condensers [W].
    water_l_s
        Water used [L/s].
    free
        Share of the heat that takes no compressor.
    units_on
        Chillers, towers or coolers that run.
    """

    machine_w: float
    fan_w: float
    water_l_s: float
    free: float
    units_on: int


@dataclass(frozen=True)
class PlantMachines:
    """The machines of one facility plant.

    Parameters
    ----------
    sky
        What gives the heat to the outdoor air.
    lift
        Compressors; None: the sky alone.
    unit_w
        Heat of one machine at its rating [W].
    set_c
        Facility supply wanted [C].
    flow_w_k
        Heat capacity flow of the facility water [W/K].
    economiser
        Chiller plants: whether the sky may take the heat alone.
    restart_s
        From power back to full cooling [s].
    """

    sky: HeatRejectors
    lift: Lift | None
    unit_w: float
    set_c: float
    flow_w_k: float
    economiser: bool
    restart_s: float

    def reach_c(self, heat_w: float, working: float, outdoor: Outdoor) -> float:
        """Return the coldest facility water that the sky alone makes of a heat [C].

        `working` is the number of machines that blow air, those with still fans counted in part.
        """
        load = heat_w / max(self.unit_w * working, 1e-9)
        return self.sky.outdoor_c(outdoor) + self.sky.over_k(load, outdoor)

    def supply_c(self, heat_w: float, units: float, reach_c: float) -> tuple[float, float]:
        """Return the facility supply that the machines hold [C], and what chillers short of capacity add to it [K].

        `reach_c` is what the sky alone makes of that heat.
        """
        if self.lift is None:
            return max(self.set_c, reach_c), 0.0
        if self.economiser and reach_c <= self.set_c:
            return self.set_c, 0.0
        lifted_w = (1.0 - self.free(heat_w, reach_c)) * heat_w
        over_k = overload_k(lifted_w, self.unit_w * units) if units else float("inf")
        return self.set_c, min(over_k, reach_c - self.set_c) if self.economiser else over_k

    def free(self, heat_w: float, reach_c: float) -> float:
        """Return the share of a heat that the sky takes without compressors."""
        if self.lift is None:
            return 1.0
        return (
            economiser_share(reach_c, self.set_c, self.set_c + heat_w / self.flow_w_k)
            if self.economiser
            else 0.0
        )

    def work(self, heat_w: float, units: int, working: float, outdoor: Outdoor, reach_c: float) -> PlantWork:
        """Return what the machines draw while they carry a heat, with so many of them in order."""
        sky, lift = self.sky, self.lift
        if heat_w <= 0.0 or working <= 0.0:
            return PlantWork(0.0, 0.0, 0.0, 1.0 if lift is None else 0.0, 0)
        outdoor_c = sky.outdoor_c(outdoor)
        over_k = reach_c - outdoor_c
        free = self.free(heat_w, reach_c)
        machine_w, on = 0.0, units
        if lift is not None:
            lifted_w = (1.0 - free) * heat_w
            on = machines_on(lifted_w, self.unit_w, units)
            machine_w = (
                compressor_w(
                    lifted_w,
                    on * self.unit_w,
                    self.set_c - lift.evaporator_k,
                    outdoor_c + lift.condenser_k,
                    lift.carnot_share,
                )
                if on
                else 0.0
            )
        rejected_w = heat_w + machine_w
        if (
            free >= 1.0
        ):  # fans hold the set point; with compressors they run as the heat asks, for a small lift
            speed = fan_speed(over_k, self.set_c - outdoor_c)
        else:
            speed = min(1.0, rejected_w / (self.unit_w * working)) if lift is not None else 1.0
        # As much of the fans as carries the heat at full speed; slower air saves what their law says.
        fan_w = sky.fan_share * self.unit_w * working * sky.fans.cycled_share(speed)
        return PlantWork(machine_w, fan_w, rejected_w * sky.water_m3_j * 1e3, free, on)


def working_units(units: int, down: int, still: int) -> float:
    """Return how many machines count for the air side, `down` of them off and `still` of the fans at rest."""
    blowing = max(units - max(down, still), 0)
    return blowing + STILL_AIR_SHARE * max(min(still, units - down), 0)


def machines_of(
    catalog: Catalog, kind: str, part: str, *, set_c: float, flow_w_k: float, economiser: bool
) -> PlantMachines:
    """Return the machines of a plant; `part` is empty for the usual one of its kind.

    A chiller rejects through the usual tower or dry cooler.

    Raises
    ------
    twin.catalog.UnknownPart
        When the catalogue has no such part of that kind.
    """
    part = part or USUAL_PART[kind]
    lift, restart_s = None, 0.0
    if kind == "dry-cooler":
        cooler = catalog.dry_cooler(part)
        sky, unit_w = _cooler(cooler, 0.0), cooler.capacity_w
    elif kind == "cooling-tower":
        sky, unit_w = _tower(catalog, part), catalog.cooling_tower(part).capacity_w
    else:
        chiller = catalog.chiller(part)
        evaporator_k = chiller.rated_supply_c - chiller.evaporator_approach_k + ZERO_CELSIUS_K
        lift_k = chiller.rated_outdoor_c + chiller.condenser_approach_k + ZERO_CELSIUS_K - evaporator_k
        lift = Lift(
            chiller.cop * lift_k / evaporator_k, chiller.evaporator_approach_k, chiller.condenser_approach_k
        )
        unit_w, restart_s = chiller.capacity_w, chiller.restart_s
        if chiller.condenser == "water":
            sky = _tower(catalog, USUAL_PART["cooling-tower"])
        else:
            sky = _cooler(catalog.dry_cooler(USUAL_PART["dry-cooler"]), EXCHANGER_APPROACH_K)
    return PlantMachines(sky, lift, unit_w, set_c, flow_w_k, economiser, restart_s)


def _tower(catalog: Catalog, part: str) -> HeatRejectors:
    tower = catalog.cooling_tower(part)
    fans = law_of(tower, OUTDOOR_FANS)
    return HeatRejectors(
        True, tower.approach_k, tower.fan_fraction, fans, tower.water_m3_j, EXCHANGER_APPROACH_K
    )


def _cooler(cooler: DryCoolerPart, exchanger_k: float) -> HeatRejectors:
    fans = law_of(cooler, OUTDOOR_FANS)
    return HeatRejectors(False, cooler.approach_k, cooler.fan_fraction, fans, 0.0, exchanger_k)
