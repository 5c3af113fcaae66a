"""How cooling machines do: pumps that run, flow that stands; and the words over what is not well. No GL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.language import tr
from twin.plant.tables import LoopKind, Plant
from twin.record.channels import PowerState
from twin.record.frame import Frame
from twin.view3d.base.bounds import Box
from twin.view3d.base.palette import Rgb
from twin.view3d.colour.power_state import BROKEN, ICON, WORDS, PowerShown

STILL = 4.0
"""Flow below this counts as standing still [% of design]."""
WEAK = 90.0
"""Flow below this is worth a word [% of design]."""
FREE = 1.0
"""Share of free cooling from which on fans turn for it [%]."""
WARM_K = 2.0
"""Water so much above its set point while no compressor runs is not cooled by the sky alone."""
RUNS_RGB: Rgb = (0.24, 0.86, 0.59)
STOPPED_RGB: Rgb = (0.96, 0.16, 0.28)
BADGES = 12
"""Words over things that are not well, at most; the worst first."""


@dataclass(frozen=True)
class CoolingShown:
    """What moves in the loops and plants.

    Parameters
    ----------
    loop_flow, plant_flow
        Of design [%].
    pumps
        Running, by loop.
    units
        Running machines, by plant: those whose compressors run, where they have any.
    free
        Whether the sky alone takes heat from a plant: fans turn, compressors may stand.
    dead
        Whether nothing cools a plant's water although it should: no supply, no flow, or all machines tripped.
    """

    loop_flow: NDArray[np.float64]
    plant_flow: NDArray[np.float64]
    pumps: NDArray[np.int64]
    units: NDArray[np.int64]
    free: NDArray[np.bool_]
    dead: NDArray[np.bool_]

    @classmethod
    def of(cls, plant: Plant, frame: Frame | None) -> CoolingShown:
        """Return what a frame says; without one everything runs.

        Frames of runs recorded before there were such channels say zero of plants and pumps while water flows in
        the loops: then the plants flow as their loops do, and as many pumps run as give that flow.
        """
        loops, plants = plant.loops, plant.plants
        if frame is None:
            full = np.full(len(loops.ids), 100.0)
            none = np.zeros(len(plants.ids), bool)
            flow = np.full(len(plants.ids), 100.0)
            return cls(full, flow, loops.pumps.astype(np.int64), _units(plant), none, none)
        values = frame.values
        loop_flow = np.asarray(values["loop.flow"], float)
        is_known = bool(
            values["plant.flow"].any() or values["plant.power_w"].any() or values["loop.pumps"].any()
        )
        if is_known:
            flow = np.asarray(values["plant.flow"], float)
            units = np.asarray(values["plant.units"]).astype(np.int64)
            pumps = np.asarray(values["loop.pumps"]).astype(np.int64)
            free = np.asarray(values["plant.free"], float) >= FREE
            asked_w = np.bincount(
                loops.plant + 1, np.maximum(values["loop.heat_w"], 0.0), len(plants.ids) + 1
            )
            warm = np.asarray(values["plant.supply_c"], float) > plants.supply_c + WARM_K
            dead = (flow <= 0) | ((units == 0) & (warm | (~free & (asked_w[1:] > 0))))
            return cls(loop_flow, flow, pumps, units, free, dead)
        count = np.maximum(np.bincount(loops.plant, minlength=len(plants.ids)), 1)
        mean = np.bincount(loops.plant, loop_flow, len(plants.ids)) / count
        pumps = np.rint(loops.pumps * np.clip(loop_flow / 100, 0, 1)).astype(np.int64)
        return cls(loop_flow, mean, pumps, _units(plant), np.zeros(len(mean), bool), mean <= 0)


@dataclass(frozen=True)
class Badge:
    """Words over a thing that is not well, and how much it matters: 2 alarm, 1 warning."""

    text: str
    at_m: tuple[float, float, float]
    weight: int


@dataclass(frozen=True)
class HallMark:
    """Words that shall stand over the thing with an id, such as a design rule that it breaks; weights as of `Badge`."""

    id: str
    text: str
    weight: int


def over_things(marks: Sequence[HallMark], box_of: Callable[[str], Box | None]) -> list[Badge]:
    """Return marks where their things stand; those of one thing share words, and what stands nowhere has none."""
    marks_of: dict[str, list[HallMark]] = {}
    for mark in marks:
        marks_of.setdefault(mark.id, []).append(mark)
    over = []
    for id, of_item in marks_of.items():
        box = box_of(id)
        if box is not None:
            worst = max(of_item, key=lambda mark: mark.weight)
            more = f" +{len(of_item) - 1}" if len(of_item) > 1 else ""
            (x0, y0, _), (x1, y1, top) = box[0].tolist(), box[1].tolist()
            over.append(Badge(f"{worst.text}{more}", ((x0 + x1) / 2, (y0 + y1) / 2, top + 0.1), worst.weight))
    return over


def badges(
    plant: Plant, cooling: CoolingShown, power: PowerShown, tops_m: NDArray[np.float64]
) -> list[Badge]:
    """Return the words over loops and power items that are not well, the worst first.

    Parameters
    ----------
    tops_m
        Where the word over each power item stands, (items, 3) [m].
    """
    found = [*_loop_badges(plant, cooling), *_power_badges(plant, power, tops_m)]
    return sorted(found, key=lambda badge: -badge.weight)[:BADGES]


def _loop_badges(plant: Plant, cooling: CoolingShown) -> list[Badge]:
    loops = plant.loops
    design = loops.pumps.astype(np.int64)
    bad = loops.present & ((cooling.loop_flow < WEAK) | (cooling.pumps < design))
    out = []
    for loop in np.flatnonzero(bad).tolist():
        still = bool(cooling.loop_flow[loop] < STILL)
        fans = LoopKind(int(loops.kind[loop])).by_air
        moved = "fans" if fans else "pumps"
        flow = (
            (tr("no air") if fans else tr("no flow"))
            if still
            else tr("{loop_flow:.0f} % flow", loop_flow=cooling.loop_flow[loop])
        )
        grave = still or not cooling.pumps[loop]
        running = tr(
            "{pumps} of {design} {moved}", pumps=cooling.pumps[loop], design=design[loop], moved=moved
        )
        text = f"{'✖' if grave else '▲'} {loops.labels[loop]}: {running}, {flow}"
        at = (float(loops.x_m[loop]), float(loops.y_m[loop]), float(loops.height_m[loop]) + 0.25)
        out.append(Badge(text, at, 2 if grave else 1))
    return out


def _power_badges(plant: Plant, power: PowerShown, tops_m: NDArray[np.float64]) -> list[Badge]:
    out = []
    broken = np.append(np.isin(power.state, [int(s) for s in BROKEN]), False)
    # What is dead only because what supplies it is not well either: the word stands over the cause.
    follows = (power.state == PowerState.DEAD) & broken[plant.power.parent]
    named = np.flatnonzero(power.unwell & plant.power.present & ~follows)
    worst = named[np.argsort(~broken[named], kind="stable")][: 2 * BADGES]
    for item in worst.tolist():
        state = PowerState(int(power.state[item]))
        load = f" {power.load[item]:.0f} %" if state is PowerState.OVERLOAD else ""
        x, y, z = tops_m[item].tolist()
        grave = state in BROKEN or state is PowerState.OVERLOAD
        out.append(
            Badge(
                f"{ICON[state]} {plant.power.ids[item]}: {WORDS[state]}{load}", (x, y, z), 2 if grave else 1
            )
        )
    return out


def _units(plant: Plant) -> NDArray[np.int64]:
    return plant.plants.units.astype(np.int64)
