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
from twin.language import tr
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
        return PipingFault(
            "alarm", tr("{movers} STOPPED", movers=movers), tr("{movers} STOPPED", movers=movers)
        )
    if STUCK in found_marks:
        return PipingFault("alarm", STUCK, STUCK)
    if DEW in found_marks:
        dew_c = float(world.plant.halls.dew_point_c[int(loops.hall[loop])])
        return PipingFault("alarm", DEW, tr("BELOW DEW POINT") if supply_c < dew_c else DEW, dew_c - supply_c)
    if other_marks:
        return PipingFault("alarm", other_marks[0], other_marks[0])
    if HOT_AIR in found_marks:
        return PipingFault("warning", HOT_AIR, HOT_AIR)
    if WARM in found_marks:
        return _warm(supply_c - float(loops.supply_c[loop]))
    if 0 < pumps < have:
        return PipingFault(
            "warning",
            tr("{movers} OUT", movers=movers[:-1]),
            tr("{pumps} of {have} {movers}", pumps=int(pumps), have=have, movers=movers),
        )
    return WELL


def _warm(above_k: float) -> PipingFault:
    return PipingFault(
        "warning",
        WARM,
        tr("SUPPLY {above_k:+.1f} K", above_k=above_k).replace("-", "\N{MINUS SIGN}"),
        above_k,
    )


def faults_words(faults: Sequence[PipingFault]) -> tuple[Tone, str]:
    """Return tone and words of several machines: "1 of 4: LEAK"; of different faults, "1 LEAK, 2 VALVE STUCK"."""
    ill = [fault for fault in faults if fault.kind]
    tone = worst([fault.tone for fault in ill])
    if not ill or len(faults) == 1:
        return tone, ill[0].words if ill else ""
    counts = Counter(fault.kind for fault in ill)
    if len(counts) == 1:
        several = tr("up to ") if counts[WARM] > 1 else ""
        return tone, tr(
            "{ill_count} of {faults}: {several}{words}",
            ill_count=len(ill),
            faults=len(faults),
            several=several,
            words=max(ill, key=lambda fault: fault.size).words,
        )
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
            0,
            f"{running} {movers}"
            if running == all_of_them
            else tr(
                "{running} of {all_of_them} {movers}", running=running, all_of_them=all_of_them, movers=movers
            ),
        )
    if len(slots) == 1 and plant.loops.valve[slots[0]]:
        words.append(
            tr("valve {values_of:.0f}\xa0%", values_of=values_of(world, "loop.valve", count)[slots[0]])
        )
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
        (tr("Heat carried"), text.quantity(float(value("heat_w").sum()), "W")),
        (tr("Pumps and fans"), text.quantity(float(value("power_w").sum()), "W")),
        (f"Supply{highest}", text.quantity(float(value("supply_c").max()), "°C")),
        (tr("Set point"), text.quantity(float(plant.loops.supply_c[slots].min()), "°C")),
        (f"Return{highest}", text.quantity(float(value("return_c").max()), "°C")),
        (tr("Flow, lowest"), tr("{min:.0f} % of design", min=float(value("flow").min()))),
    ]
    hottest_c = value("gpu_max_c")[cool_gpus(plant)[slots]]
    if len(hottest_c):
        facts.append((tr("Hottest GPU"), text.quantity(float(hottest_c.max()), "°C")))
    if len(slots) == 1:
        loop = int(slots[0])
        facts.insert(0, (tr("Id"), plant.loops.ids[loop]))
        facts.append((tr("Design flow"), volume_flow(float(plant.loops.flow_m3_s[loop]))))
        facts.append(
            (
                tr("Dew point"),
                text.quantity(float(plant.halls.dew_point_c[int(plant.loops.hall[loop])]), "°C"),
            )
        )
        facts.append((tr("Part"), plant.loops.part[loop]))
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
        return tr("{power} for fans and pumps", power=power)
    if free >= 99.5:
        return tr("free cooling, {power}", power=power)
    return (
        tr("compressor, {power}", power=power)
        if free < 0.5
        else tr("{free:.0f}\xa0% free cooling, {power}", free=free, power=power)
    )


def plant_facts(world: World, plant_slot: int) -> tuple[tuple[str, str], ...]:
    """Return all there is to say of a facility loop."""
    plants = world.plant.plants
    value = {
        name: float(values_of(world, f"plant.{name}", len(plants.ids))[plant_slot])
        for name in ("supply_c", "return_c", "flow", "heat_w", "power_w", "water_l_s", "units", "free")
    }
    return (
        (tr("Heat rejection"), text.quantity(value["heat_w"], "W")),
        (tr("Power"), text.quantity(value["power_w"], "W")),
        (tr("Supply"), text.quantity(value["supply_c"], "°C")),
        (tr("Set point"), text.quantity(float(plants.supply_c[plant_slot]), "°C")),
        (tr("Return"), text.quantity(value["return_c"], "°C")),
        (tr("Flow"), tr("{value:.0f} % of design", value=value["flow"])),
        (
            tr("Units"),
            tr("{value:.0f} of {units} running", value=value["units"], units=int(plants.units[plant_slot])),
        ),
        (tr("Free cooling"), f"{value['free']:.0f} %"),
        (tr("Water"), text.quantity(value["water_l_s"], "L/s")),
    )
