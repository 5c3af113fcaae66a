"""What machines of the cooling do at one moment: values, alarms in words. No widgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.app.diagrams.diagram import Tone, worst
from twin.app.inspector.facility_facts import cool_gpus
from twin.app.toolkit import text
from twin.app.world.part_figures import flow as volume_flow
from twin.app.world.rows import World
from twin.plant.tables import LoopKind
from twin.record.event_kinds import KINDS, kind_of
from twin.record.events import Event

STUCK, LEAKING, WARM, HOT_AIR, DEW = (
    KINDS[kind].mark for kind in ("valve_stuck", "leak", "supply_warm", "inlet_hot", "below_dew_point")
)
"""Marks of machines; limits are those of the run, not of the diagram."""
STANDS = 1.0
"""Flow below this is none [% of design]."""
SYMBOLS = {
    LoopKind.LIQUID: "cdu",
    LoopKind.AIR: "crah",
    LoopKind.REAR_DOOR: "rear-door",
    LoopKind.IMMERSION: "immersion",
}


def standing_marks(events: Sequence[Event]) -> dict[str, frozenset[str]]:
    """Return the marks that events have left on things: id to words."""
    marks: dict[str, set[str]] = {}
    for event in events:
        kind = kind_of(event.kind)
        if kind.mark:
            marks.setdefault(event.subject, set()).add(kind.mark)
        for begun in kind.ends:
            marks.get(event.subject, set()).discard(kind_of(begun).mark)
    return {id: frozenset(found_marks) for id, found_marks in marks.items() if found_marks}


def values_of(world: World, channel: str, count: int) -> NDArray[np.float64]:
    """Return a channel, zeros where there is no frame or it is of another plant."""
    if world.frame is None or len(world.frame.values[channel]) != count:
        return np.zeros(count)
    return np.asarray(world.frame.values[channel], np.float64)


def site(world: World, name: str) -> float:
    """Return a figure of the site; nan without a frame."""
    return float(world.frame.values[f"site.{name}"][0]) if world.frame is not None else float("nan")


@dataclass(frozen=True)
class PipingFault:
    """What is wrong with a machine: kinds are counted, words tell of one, `size` says which of a kind is worst."""

    tone: Tone
    kind: str
    words: str
    size: float = 0.0


WELL = PipingFault("live", "", "")


def loop_fault(world: World, loop: int, marks: Mapping[str, frozenset[str]]) -> PipingFault:
    """Return the worst that is wrong with a loop: what stands still, and the alarms of the run about it."""
    loops, frame = world.plant.loops, world.frame
    if frame is None or len(frame.values["loop.flow"]) != len(loops.ids):
        return WELL
    flow, pumps, supply_c = (
        float(frame.values[f"loop.{name}"][loop]) for name in ("flow", "pumps", "supply_c")
    )
    movers = "FANS" if LoopKind(int(loops.kind[loop])).by_air else "PUMPS"
    found_marks, have = marks.get(loops.ids[loop], frozenset()), int(loops.pumps[loop])
    if LEAKING in found_marks:
        return PipingFault("alarm", LEAKING, LEAKING)
    other_marks = sorted(
        found_marks - {LEAKING, STUCK, DEW, HOT_AIR, WARM}
    )  # such as a filter that lets nothing through
    if (pumps == 0 and have > 0) or (flow < STANDS and not other_marks):  # it may coast still
        return PipingFault("alarm", f"{movers} STOPPED", f"{movers} STOPPED")
    if STUCK in found_marks:
        return PipingFault("alarm", STUCK, STUCK)
    if DEW in found_marks:
        dew_c = float(world.plant.halls.dew_point_c[int(loops.hall[loop])])
        return PipingFault("alarm", DEW, "BELOW DEW POINT" if supply_c < dew_c else DEW, dew_c - supply_c)
    if other_marks:
        return PipingFault("alarm", other_marks[0], other_marks[0])
    if HOT_AIR in found_marks:
        return PipingFault("warning", HOT_AIR, HOT_AIR)
    if WARM in found_marks:
        return _warm(supply_c - float(loops.supply_c[loop]))
    if 0 < pumps < have:
        return PipingFault("warning", f"{movers[:-1]} OUT", f"{int(pumps)} of {have} {movers}")
    return WELL


def _warm(above_k: float) -> PipingFault:
    return PipingFault("warning", WARM, f"SUPPLY {above_k:+.1f} K".replace("-", "\N{MINUS SIGN}"), above_k)


def faults_words(faults: Sequence[PipingFault]) -> tuple[Tone, str]:
    """Return tone and words of several machines: "1 of 4: LEAK"; of different faults, "1 LEAK, 2 VALVE STUCK"."""
    ill = [fault for fault in faults if fault.kind]
    tone = worst([fault.tone for fault in ill])
    if not ill or len(faults) == 1:
        return tone, ill[0].words if ill else ""
    counts = Counter(fault.kind for fault in ill)
    if len(counts) == 1:
        several = "up to " if counts[WARM] > 1 else ""
        return tone, f"{len(ill)} of {len(faults)}: {several}{max(ill, key=lambda fault: fault.size).words}"
    first = sorted(counts, key=lambda kind: next(f.tone for f in ill if f.kind == kind) != tone)
    each = (f"{counts[kind]} {kind}".replace(" ", "\N{NO-BREAK SPACE}") for kind in first)
    return tone, ", ".join(each)


def range_words(values: NDArray[np.float64], what: str = "flow") -> str:
    """Return a share that several have: "flow 100 %", or the lowest of them, said as such."""
    lowest = float(values.min(initial=np.inf)) if len(values) else 0.0
    same = not len(values) or float(values.max()) - lowest < 1.0
    return f"{'' if same else 'lowest '}{what} {lowest:.0f}\N{NO-BREAK SPACE}%"


def loop_words(world: World, group: Sequence[int]) -> str:
    """Return flow, pumps and valve of loops: those of one, the lowest flow of several, said as such."""
    plant, slots = world.plant, np.asarray(group)
    count = len(plant.loops.ids)
    flow = values_of(world, "loop.flow", count)[slots]
    pumps = values_of(world, "loop.pumps", count)[slots]
    words = [range_words(flow)]
    running, all_of_them = int(pumps.sum()), int(plant.loops.pumps[slots].sum())
    if running > 0:
        movers = "fans" if LoopKind(int(plant.loops.kind[slots[0]])).by_air else "pumps"
        words.insert(
            0, f"{running} {movers}" if running == all_of_them else f"{running} of {all_of_them} {movers}"
        )
    if len(slots) == 1 and plant.loops.valve[slots[0]]:
        words.append(f"valve {values_of(world, 'loop.valve', count)[slots[0]]:.0f}\N{NO-BREAK SPACE}%")
    return ", ".join(words)


def loop_facts(world: World, group: Sequence[int]) -> tuple[tuple[str, str], ...]:
    """Return all there is to say of loops."""
    plant, slots = world.plant, np.asarray(group)
    count = len(plant.loops.ids)

    def value(name: str) -> NDArray[np.float64]:
        chosen: NDArray[np.float64] = values_of(world, f"loop.{name}", count)[slots]
        return chosen

    highest = ", highest" if len(slots) > 1 else ""
    facts = [
        ("Heat carried", text.quantity(float(value("heat_w").sum()), "W")),
        ("Pumps and fans", text.quantity(float(value("power_w").sum()), "W")),
        (f"Supply{highest}", text.quantity(float(value("supply_c").max()), "°C")),
        ("Set point", text.quantity(float(plant.loops.supply_c[slots].min()), "°C")),
        (f"Return{highest}", text.quantity(float(value("return_c").max()), "°C")),
        ("Flow, lowest", f"{float(value('flow').min()):.0f} % of design"),
    ]
    hottest_c = value("gpu_max_c")[cool_gpus(plant)[slots]]
    if len(hottest_c):
        facts.append(("Hottest GPU", text.quantity(float(hottest_c.max()), "°C")))
    if len(slots) == 1:
        loop = int(slots[0])
        facts.insert(0, ("Id", plant.loops.ids[loop]))
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
    found_marks = marks.get(plants.ids[plant_slot], frozenset())
    if found_marks - {WARM}:
        return "alarm", ", ".join(sorted(found_marks - {WARM}))
    if WARM not in found_marks:
        return "live", ""  # while it is cool enough they may stand, or let the economiser work alone
    supply_c, units, free = (
        float(frame.values[f"plant.{name}"][plant_slot]) for name in ("supply_c", "units", "free")
    )
    if units == 0 and free == 0:
        return "alarm", "STOPPED"
    warm = _warm(supply_c - float(plants.supply_c[plant_slot]))
    return warm.tone, warm.words


def pumps_alarm(flow: float) -> tuple[Tone, str]:
    """Return tone and words for the flow of a facility loop [% of design]; ("live", "") while any flows."""
    return ("alarm", "STOPPED") if flow < STANDS else ("live", "")


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
        ("Heat rejection", text.quantity(value["heat_w"], "W")),
        ("Power", text.quantity(value["power_w"], "W")),
        ("Supply", text.quantity(value["supply_c"], "°C")),
        ("Set point", text.quantity(float(plants.supply_c[plant_slot]), "°C")),
        ("Return", text.quantity(value["return_c"], "°C")),
        ("Flow", f"{value['flow']:.0f} % of design"),
        ("Units", f"{value['units']:.0f} of {int(plants.units[plant_slot])} running"),
        ("Free cooling", f"{value['free']:.0f} %"),
        ("Water", text.quantity(value["water_l_s"], "L/s")),
    )
