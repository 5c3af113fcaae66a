"""What differs between the machines of two halls at one time: water, links, switches and power gear, on one ramp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, Ints64
from twin.language import tr
from twin.plant.tables import Plant
from twin.record.channels import BY_ID, State
from twin.record.frame import Frame
from twin.view3d.base.palette import Rgb
from twin.view3d.colour.legend import Category
from twin.view3d.colour.machine_state import WEAK, CoolingShown
from twin.view3d.colour.override_colours import MachineColours, difference_rgb
from twin.view3d.colour.power_state import PowerShown

WATER_K, LINK_PERCENT, LOAD_PERCENT = 5.0, 5.0, 20.0
"""Differences at the ends of the ramp: of water, of the load of links (few percent most of the time), of power gear."""
_WATER = ("loop.supply_c", "loop.return_c"), ("plant.supply_c", "plant.return_c")
_DOWN = (State.FAILED, State.OFF)
_PLATE = 0.55
"""Share of the plate of a switch that shows its difference; its lights are coloured whole."""
_WORSE_RGB: Rgb = (0.98, 0.24, 0.30)
_BETTER_RGB: Rgb = (0.25, 0.86, 0.52)


@dataclass(frozen=True, eq=False)
class Matched:
    """Where the machines of B stand in the tables of A, by id; -1: nowhere."""

    loops: Ints64
    plants: Ints64
    power: Ints64
    switches: Ints64
    bundles: Ints64

    @classmethod
    def of(cls, a: Plant, b: Plant) -> Matched:
        """Return it of two plants."""
        return cls(
            _by_id(a.loops.ids, b.loops.ids),
            _by_id(a.plants.ids, b.plants.ids),
            _by_id(a.power.ids, b.power.ids),
            _by_id(a.switches.ids, b.switches.ids),
            _by_id(_bundle_keys(a), _bundle_keys(b)),
        )


@dataclass(frozen=True, eq=False)
class MachinesApart:
    """How the machines of B differ from those of A.

    Attributes
    ----------
    colours
        Of them all.
    categories
        For the legend: only of what differs.
    worse, better
        Ids of those that are not well in B only, and in A only.
    """

    colours: MachineColours
    categories: tuple[Category, ...]
    worse: tuple[str, ...]
    better: tuple[str, ...]

    @property
    def links_differ(self) -> bool:
        """Return whether there is anything to see on cables."""
        return bool(np.abs(self.colours.links).max(initial=0.0) > 0.0)


def machines_apart(plants: tuple[Plant, Plant], frames: tuple[Frame, Frame], found: Matched) -> MachinesApart:
    """Return how the machines of B differ at one time."""
    a, b = frames
    water = [_water(names, a, b, at) for names, at in zip(_WATER, (found.loops, found.plants), strict=True)]
    switches = _delta("switch.load", a, b, found.switches, LINK_PERCENT)
    links = _delta("bundle.load", a, b, found.bundles, LINK_PERCENT)
    lost = _of(a, "bundle.down", found.bundles), _of(b, "bundle.down")
    links = np.where(lost[0] != lost[1], np.sign(lost[0] - lost[1]), links)
    power = _delta("power.load", a, b, found.power, LOAD_PERCENT)
    worse, better = _unwell(plants, frames, found)
    plates = np.concatenate(
        [difference_rgb(switches), np.where(switches != 0.0, _PLATE, 0.02)[:, None]], axis=1
    )
    colours = MachineColours(
        difference_rgb(water[0]),
        difference_rgb(water[1]),
        difference_rgb(power),
        np.rint(plates * 255).astype(np.uint8),
        links,
    )
    fabric = np.concatenate([switches, links])
    sorts = (
        _sort("coolant", WATER_K, "K", "≈", np.concatenate([_most(loop) for loop in water])),
        _sort(tr("links and switches"), LINK_PERCENT, "%", "↔", fabric),
        _sort(tr("power equipment"), LOAD_PERCENT, "%", "◧", power),
        Category(tr("machine faulty in B only"), _WORSE_RGB, "✖", len(worse)),
        Category(tr("machine faulty in A only"), _BETTER_RGB, "▶", len(better)),
    )
    return MachinesApart(colours, tuple(sort for sort in sorts if sort.count), worse, better)


def _most(water: Floats) -> Floats:
    """Return of each circuit the greater difference of both ways."""
    return np.asarray(np.take_along_axis(water, np.abs(water).argmax(axis=1)[:, None], axis=1)[:, 0])


def _sort(title: str, reach: float, unit: str, icon: str, values: Floats) -> Category:
    """Return how many of a sort differ, in the colour of the end of the ramp to which most of it goes."""
    red, green, blue = difference_rgb(np.array([1.0 if values.sum() >= 0 else -1.0]))[0].tolist()
    title = f"{title}, \N{PLUS-MINUS SIGN} {reach:g} {unit}"
    return Category(title, (red, green, blue), icon, int((values != 0.0).sum()))


def standing_alone(one: Plant, other: Plant) -> tuple[str, ...]:
    """Return the ids of the machines that one hall has and the other has not."""
    ids_in_b = set(_ids(other))
    return tuple(id for id in _ids(one) if id not in ids_in_b)


def _ids(plant: Plant) -> list[str]:
    """Return the ids of all machines that are there."""
    return [
        id
        for ids, present in _tables(plant)
        for id, is_present in zip(ids, present, strict=True)
        if is_present
    ]


def _tables(plant: Plant) -> list[tuple[list[str], NDArray[np.bool_]]]:
    """Return ids of loops, plants, power items and switches, and which of them are there."""
    return [
        (plant.loops.ids, plant.loops.present),
        (plant.plants.ids, plant.plants.present),
        (plant.power.ids, plant.power.present),
        (plant.switches.ids, plant.switches.present),
    ]


def _unwell(
    plants: tuple[Plant, Plant], frames: tuple[Frame, Frame], found: Matched
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of B's machines that are not well in B only, and in A only."""
    first, second = (_states(plant, frame) for plant, frame in zip(plants, frames, strict=True))
    b = plants[1]
    places = found.loops, found.plants, found.power, found.switches
    worse: list[str] = []
    better: list[str] = []
    for was, now, at, (ids, present) in zip(first, second, places, _tables(b), strict=True):
        known = (at >= 0) & present
        before = np.append(was, False)[at]
        worse += [ids[k] for k in np.flatnonzero(known & now & ~before)]
        better += [ids[k] for k in np.flatnonzero(known & ~now & before)]
    return tuple(worse), tuple(better)


def _states(plant: Plant, frame: Frame) -> tuple[NDArray[np.bool_], ...]:
    """Return which loops, plants, power items and switches are not well."""
    cooling = CoolingShown.of(plant, frame)
    weak = (cooling.loop_flow < WEAK) | (cooling.pumps < plant.loops.pumps)
    switches = np.isin(np.asarray(frame.values["switch.state"])[: len(plant.switches.ids)], _DOWN)
    return weak, cooling.dead, PowerShown.of(plant, frame).unwell, switches


def _water(names: Sequence[str], a: Frame, b: Frame, at: Ints64) -> Floats:
    """Return the difference of water there and back (n, 2), -1..1 from end to end of the ramp."""
    return np.stack([_delta(name, a, b, at, WATER_K) for name in names], axis=1)


def _delta(name: str, a: Frame, b: Frame, at: Ints64, reach: float) -> Floats:
    """Return B - A over the reach, clipped to -1..1; 0 within the quantum of the channel, and of what A has not."""
    delta = np.nan_to_num(_of(b, name) - _of(a, name, at))
    delta[(np.abs(delta) <= BY_ID[name].quantum) | (at < 0)] = 0.0
    return np.clip(delta / reach, -1.0, 1.0)


def _of(frame: Frame, name: str, at: Ints64 | None = None) -> Floats:
    values = np.asarray(frame.values[name], np.float64)
    return values if at is None else np.append(values, 0.0)[np.where(at < 0, len(values), at)]


def _by_id(a: Sequence[object], b: Sequence[object]) -> Ints64:
    slots = {id: slot for slot, id in enumerate(a)}
    return np.array([slots.get(id, -1) for id in b], np.int64)


def _bundle_keys(plant: Plant) -> list[object]:
    """Return what tells each bundle from the others in any hall: its racks, and what it is for."""
    table, racks = plant.bundles, plant.racks.ids
    ends = [(racks[i], racks[k]) for i, k in zip(table.rack_a.tolist(), table.rack_b.tolist(), strict=True)]
    sorts = zip(
        table.fabric.tolist(), table.rail.tolist(), table.plane.tolist(), table.tier.tolist(), strict=True
    )
    return list(zip(ends, sorts, strict=True))
