"""What machines of the cooling do at one moment: values, alarms in words. No widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from twin.app import text
from twin.app.diagram import Tone
from twin.app.fact_rows import World
from twin.app.figure_text import flow as volume_flow
from twin.plant.tables import LoopKind
from twin.record.alarms import ENDED_BY
from twin.record.events import Event

STUCK, LEAKING = "VALVE STUCK", "LEAK"
STANDING = {
    "valve_stuck": STUCK,
    "leak": LEAKING,
    "chiller_trip": "TRIPPED",
    "heat_rejection_loss": "NO HEAT REJECTION",
}
"""Kinds of events that put a mark on a machine until they end: what no channel tells."""

WARM_K, HOT_K = 2.0, 5.0
"""Supply above its set point by so much is a warning, an alarm [K]."""
DEW_MARGIN_K = 2.0
"""Supply nearer to the dew point of the room than this is an alarm [K]."""
STANDS, WEAK = 1.0, 60.0
"""Flow below this is none, is little [% of design]."""
SYMBOLS = {
    LoopKind.LIQUID: "cdu",
    LoopKind.AIR: "crah",
    LoopKind.REAR_DOOR: "rear-door",
    LoopKind.IMMERSION: "immersion",
}


def standing_marks(events: Sequence[Event]) -> dict[str, frozenset[str]]:
    """Return the marks that events have left on things: id to words."""
    marks: dict[str, set[str]] = {}
    ends = {end: words for kind, words in STANDING.items() for end in ENDED_BY[kind]}
    for event in events:
        if event.kind in STANDING:
            marks.setdefault(event.subject, set()).add(STANDING[event.kind])
        elif event.kind in ends:
            marks.get(event.subject, set()).discard(ends[event.kind])
    return {thing: frozenset(mine) for thing, mine in marks.items() if mine}


def values_of(world: World, channel: str, count: int) -> NDArray[np.float64]:
    """Return a channel, zeros where there is no frame or it is of another plant."""
    if world.frame is None or len(world.frame.values[channel]) != count:
        return np.zeros(count)
    return np.asarray(world.frame.values[channel], np.float64)


def site(world: World, name: str) -> float:
    """Return a figure of the site; nan without a frame."""
    return float(world.frame.values[f"site.{name}"][0]) if world.frame is not None else float("nan")


def loop_alarm(world: World, loop: int, marks: Mapping[str, frozenset[str]]) -> tuple[Tone, str]:
    """Return tone and words for the worst that is wrong with a loop; ("live", "") when nothing is."""
    loops, frame = world.plant.loops, world.frame
    if frame is None or len(frame.values["loop.flow"]) != len(loops.ids):
        return "live", ""
    value = {name: float(frame.values[f"loop.{name}"][loop]) for name in ("flow", "pumps", "supply_c")}
    movers = "FANS" if LoopKind(int(loops.kind[loop])).by_air else "PUMPS"
    mine = marks.get(loops.ids[loop], frozenset())
    if LEAKING in mine:
        return "alarm", LEAKING
    if value["flow"] < STANDS or (value["pumps"] == 0 and loops.pumps[loop] > 0):  # it may coast still
        return "alarm", f"{movers} STOPPED"
    if STUCK in mine:
        return "alarm", STUCK
    above_k = value["supply_c"] - float(loops.supply_c[loop])
    cools_gpus = bool(np.any(world.plant.nodes.loop == loop))  # others stand in the warm air of the room
    if above_k > WARM_K and loops.valve[loop] and cools_gpus:
        return "alarm" if above_k > HOT_K else "warning", f"SUPPLY +{above_k:.1f} K"
    dew_c = float(world.plant.halls.dew_point_c[int(loops.hall[loop])])
    if loops.kind[loop] == LoopKind.LIQUID and value["supply_c"] < dew_c + DEW_MARGIN_K:
        return "alarm", "BELOW DEW POINT" if value["supply_c"] < dew_c else "NEAR DEW POINT"
    have = int(loops.pumps[loop])
    if 0 < value["pumps"] < have:
        return "warning", f"{int(value['pumps'])} of {have} {movers}"
    if value["flow"] < WEAK:
        return "warning", f"FLOW {value['flow']:.0f} %"
    return "live", ""


def loop_words(world: World, group: Sequence[int]) -> str:
    """Return flow, pumps and valve of loops: those of one, the lowest flow of several."""
    plant, mine = world.plant, np.asarray(group)
    count = len(plant.loops.ids)
    flow = values_of(world, "loop.flow", count)[mine]
    pumps = values_of(world, "loop.pumps", count)[mine]
    words = [f"flow {float(flow.min()):.0f}\N{NO-BREAK SPACE}%"]
    running, all_of_them = int(pumps.sum()), int(plant.loops.pumps[mine].sum())
    if running > 0:
        movers = "fans" if LoopKind(int(plant.loops.kind[mine[0]])).by_air else "pumps"
        words.insert(
            0, f"{running} {movers}" if running == all_of_them else f"{running} of {all_of_them} {movers}"
        )
    if len(mine) == 1 and plant.loops.valve[mine[0]]:
        words.append(f"valve {values_of(world, 'loop.valve', count)[mine[0]]:.0f}\N{NO-BREAK SPACE}%")
    return ", ".join(words)


def loop_facts(world: World, group: Sequence[int]) -> tuple[tuple[str, str], ...]:
    """Return all there is to say of loops."""
    plant, mine = world.plant, np.asarray(group)
    count = len(plant.loops.ids)

    def value(name: str) -> NDArray[np.float64]:
        return values_of(world, f"loop.{name}", count)[mine]

    facts = [
        ("Heat carried", text.quantity(float(value("heat_w").sum()), "W")),
        ("Pumps and fans", text.quantity(float(value("power_w").sum()), "W")),
        ("Supply", text.quantity(float(value("supply_c").max()), "°C")),
        ("Set point", text.quantity(float(plant.loops.supply_c[mine].min()), "°C")),
        ("Return", text.quantity(float(value("return_c").max()), "°C")),
        ("Flow, lowest", f"{float(value('flow').min()):.0f} % of design"),
        ("Hottest GPU", text.quantity(float(value("gpu_max_c").max()), "°C")),
    ]
    if len(mine) == 1:
        loop = int(mine[0])
        facts.append(("Design flow", volume_flow(float(plant.loops.flow_m3_s[loop]))))
        facts.append(
            ("Dew point", text.quantity(float(plant.halls.dew_point_c[int(plant.loops.hall[loop])]), "°C"))
        )
        facts.append(("Part", plant.loops.part[loop]))
    return tuple(facts)


def plant_alarm(world: World, plant_slot: int, marks: Mapping[str, frozenset[str]]) -> tuple[Tone, str]:
    """Return tone and words for what is wrong with heat rejection; ("live", "") when nothing is."""
    plants, frame = world.plant.plants, world.frame
    if frame is None or len(frame.values["plant.flow"]) != len(plants.ids):
        return "live", ""
    mine = marks.get(plants.ids[plant_slot], frozenset())
    if mine:
        return "alarm", max(mine)
    value = {
        n: float(frame.values[f"plant.{n}"][plant_slot]) for n in ("supply_c", "units", "free", "power_w")
    }
    above_k = value["supply_c"] - float(plants.supply_c[plant_slot])
    if above_k > WARM_K and value["units"] == 0 and value["free"] == 0:
        return "alarm", "STOPPED"  # while it is cool enough they may stand, or let the economiser work alone
    if above_k > WARM_K:
        return "alarm" if above_k > HOT_K else "warning", f"SUPPLY +{above_k:.1f} K"
    return "live", ""


def pumps_alarm(flow: float) -> tuple[Tone, str]:
    """Return tone and words for the flow of a facility loop [% of design]; ("live", "") when it is enough."""
    if flow < STANDS:
        return "alarm", "STOPPED"
    return ("warning", f"FLOW {flow:.0f} %") if flow < WEAK else ("live", "")


def cooling_words(world: World, plant_slot: int) -> str:
    """Return how the heat leaves: compressors, free cooling, power."""
    plants = world.plant.plants
    count = len(plants.ids)
    power_w = values_of(world, "plant.power_w", count)[plant_slot]
    free = values_of(world, "plant.free", count)[plant_slot]
    power = text.quantity(float(power_w), "W")
    if plants.kind[plant_slot] != "chiller":
        return f"{power} for fans and pumps"
    if free >= 99.5:
        return f"free cooling, {power}"
    return f"compressor, {power}" if free < 0.5 else f"{free:.0f}\N{NO-BREAK SPACE}% free cooling, {power}"


def plant_facts(world: World, plant_slot: int) -> tuple[tuple[str, str], ...]:
    """Return all there is to say of a facility loop."""
    plants = world.plant.plants
    value = {
        name: float(values_of(world, f"plant.{name}", len(plants.ids))[plant_slot])
        for name in ("supply_c", "return_c", "flow", "heat_w", "power_w", "water_l_s", "units", "free")
    }
    return (
        ("Heat to the sky", text.quantity(value["heat_w"], "W")),
        ("Power", text.quantity(value["power_w"], "W")),
        ("Supply", text.quantity(value["supply_c"], "°C")),
        ("Set point", text.quantity(float(plants.supply_c[plant_slot]), "°C")),
        ("Return", text.quantity(value["return_c"], "°C")),
        ("Flow", f"{value['flow']:.0f} % of design"),
        ("Machines", f"{value['units']:.0f} of {int(plants.units[plant_slot])} running"),
        ("Free cooling", f"{value['free']:.0f} %"),
        ("Water", text.quantity(value["water_l_s"], "L/s")),
    )
