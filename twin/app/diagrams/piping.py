"""The piping diagram: sky, heat rejection, facility pumps, loops, racks, hottest GPU. No widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from twin.app.diagrams.diagram import LEAST_W, Box, Diagram, DiagramLine
from twin.app.diagrams.piping_facts import (
    SYMBOLS,
    cooling_words,
    faults_words,
    loop_facts,
    loop_fault,
    loop_words,
    plant_alarm,
    plant_facts,
    pumps_alarm,
    range_words,
    site,
    values_of,
)
from twin.app.toolkit import text
from twin.app.world.rows import World
from twin.language import counted, tr
from twin.plant.graph import find
from twin.plant.tables import LoopKind

Marks = Mapping[str, frozenset[str]]
_WORDS = {"gpu": "GPU", "node": "node", "rack": "rack"}
SKY, PLANT, PUMPS, LOOP, RACKS, GPU = range(6)
"""Levels from the top."""
_TINY = 1e-9


@dataclass
class _Drawing:
    """Collects boxes and lines of the chosen loops."""

    world: World
    marks: Marks
    boxes: list[Box] = field(default_factory=list)
    lines: list[DiagramLine] = field(default_factory=list)

    def sky(self, place: float) -> None:
        """Add the air outdoors."""
        dry_c, wet_c = site(self.world, "outdoor_c"), site(self.world, "wet_bulb_c")
        words = (
            tr("{dry_c:.1f} °C, wet bulb {wet_c:.1f} °C", dry_c=dry_c, wet_c=wet_c)
            if self.world.frame is not None
            else ""
        )
        facts = ((tr("Dry bulb"), text.quantity(dry_c, "°C")), (tr("Wet bulb"), text.quantity(wet_c, "°C")))
        self.boxes.append(Box("sky", "sky", tr("Outdoors"), words, SKY, place, facts=facts))

    def plant(self, slot: int, place: float, chosen: bool) -> None:
        """Add one facility loop: its machines, its pumps, the heat that leaves by them."""
        plants = self.world.plant.plants
        count, id_ = len(plants.ids), plants.ids[slot]
        tone, state = plant_alarm(self.world, slot, self.marks)
        kind = plants.kind[slot]
        units = int(plants.units[slot])
        machines = f"{units} \N{MULTIPLICATION SIGN} {kind.replace('-', ' ')}"
        self.boxes.append(
            Box(
                id_,
                kind,
                f"{id_}, {machines}",
                cooling_words(self.world, slot),
                PLANT,
                place,
                thing=id_,
                tone=tone,
                state=state,
                facts=plant_facts(self.world, slot),
                chosen=chosen,
            )
        )
        heat_w = float(values_of(self.world, "plant.heat_w", count)[slot])
        water = float(values_of(self.world, "plant.water_l_s", count)[slot])
        heat = text.quantity(heat_w, "W") + (
            tr(", {water} of water", water=text.quantity(water, "L/s")) if water > _TINY else ""
        )
        self.lines.append(
            DiagramLine(
                "sky",
                id_,
                heat,
                "live" if heat_w > LEAST_W else "calm",
                up=True,
                flow=float(heat_w > LEAST_W),
            )
        )
        flow = float(values_of(self.world, "plant.flow", count)[slot])
        tone, state = pumps_alarm(flow) if self.world.frame is not None else ("live", "")
        self.boxes.append(
            Box(
                f"pumps {id_}",
                "pump",
                tr("{pumps} facility pumps", pumps=int(plants.pumps[slot])),
                tr("flow {flow:.0f}\xa0%", flow=flow),
                PUMPS,
                place,
                thing=id_,
                tone=tone,
                state=state,
                facts=((tr("Flow"), tr("{flow:.0f} % of design", flow=flow)),),
            )
        )
        self.lines.append(self._pair(id_, f"pumps {id_}", slot, flow))

    def _pair(self, above: str, below: str, slot: int, flow: float) -> DiagramLine:
        count = len(self.world.plant.plants.ids)
        supply_c = float(values_of(self.world, "plant.supply_c", count)[slot])
        return_c = float(values_of(self.world, "plant.return_c", count)[slot])
        return DiagramLine(above, below, supply_c=supply_c, return_c=return_c, flow=flow / 100.0)

    def loops(
        self, group: Sequence[int], title: str, place: float, *, side: int = 0, chosen: bool = False
    ) -> str:
        """Add loops as one box under the pumps of their facility loop; return its key."""
        plant = self.world.plant
        first = int(group[0])
        key = plant.loops.ids[first] if len(group) == 1 else f"loops {plant.loops.ids[first]} {len(group)}"
        tone, state = faults_words([loop_fault(self.world, loop, self.marks) for loop in group])
        self.boxes.append(
            Box(
                key,
                "more" if side else SYMBOLS[LoopKind(int(plant.loops.kind[first]))],
                title,
                _small_words(self.world, group) if side else loop_words(self.world, group),
                LOOP,
                place,
                side,
                thing=plant.loops.ids[self._telling(group)],
                tone=tone,
                state=state,
                facts=loop_facts(self.world, group),
                chosen=chosen,
            )
        )
        slot = int(plant.loops.plant[first])
        flow = float(values_of(self.world, "plant.flow", len(plant.plants.ids))[slot])
        pumps = f"pumps {plant.plants.ids[slot]}"
        if side:
            self.lines.append(DiagramLine(pumps, key, flow=0.0))
        else:
            self.lines.append(self._pair(pumps, key, slot, flow))
        return key

    def _telling(self, group: Sequence[int]) -> int:
        """Return the loop of a group that one wants to see: with a fault, else with the hottest GPU."""
        faults = {loop: loop_fault(self.world, loop, self.marks) for loop in group}
        for tone in ("alarm", "warning"):
            for loop, fault in faults.items():
                if fault.tone == tone:
                    return loop
        hot = values_of(self.world, "loop.gpu_max_c", len(self.world.plant.loops.ids))[np.asarray(group)]
        return int(group[int(np.argmax(np.nan_to_num(hot)))])

    def racks(self, above: str, group: Sequence[int], place: float, rack: int = -1) -> str:
        """Add the racks that loops serve, or one of them; return its key."""
        plant = self.world.plant
        loops = np.asarray(group)
        count = len(plant.racks.ids)
        by_air = LoopKind(int(plant.loops.kind[loops[0]])).by_air
        column = plant.racks.air_loop if by_air else plant.racks.loop
        racks = (
            np.array([rack]) if rack >= 0 else np.flatnonzero(np.isin(column, loops) & plant.racks.present)
        )
        key = f"racks {above}"
        inlet = values_of(self.world, "rack.inlet_c", count)[racks]
        flow = values_of(self.world, "rack.flow", count)[racks]
        hot = values_of(self.world, "loop.heat_w", len(plant.loops.ids))[loops]
        words = []
        if by_air and len(racks) and float(inlet.max()) > 0:
            words.append(tr("inlet {max:.1f}\xa0°C", max=float(inlet.max())))
        if not by_air and len(racks) and float(flow.max()) > 0:
            words.append(range_words(flow))
        if rack < 0:
            words.insert(0, text.quantity(float(hot.sum()), "W"))
        else:
            words.insert(0, text.quantity(float(values_of(self.world, "rack.power_w", count)[rack]), "W"))
        shut = not by_air and len(racks) > 0 and float(flow.max(initial=0.0)) > 0 and bool(np.any(flow < 1.0))
        self.boxes.append(
            Box(
                key,
                "rack",
                tr("Rack {rack}", rack=plant.racks.ids[rack]) if rack >= 0 else counted(len(racks), "rack"),
                ", ".join(words),
                RACKS,
                place,
                thing=plant.racks.ids[rack] if rack >= 0 else "",
                tone="alarm" if shut else "live",
                state=(
                    tr("NO FLOW")
                    if len(racks) == 1
                    else tr("{count_nonzero} WITHOUT FLOW", count_nonzero=int(np.count_nonzero(flow < 1.0)))
                )
                if shut
                else "",
                facts=(
                    (tr("Racks"), f"{len(racks):,}"),
                    (tr("Heat carried by the loop"), text.quantity(float(hot.sum()), "W")),
                ),
            )
        )
        self.lines.append(self._loop_pair(above, key, loops))
        return key

    def _loop_pair(self, above: str, below: str, loops: NDArray[np.intp]) -> DiagramLine:
        count = len(self.world.plant.loops.ids)
        supply_c = float(values_of(self.world, "loop.supply_c", count)[loops].max())
        return_c = float(values_of(self.world, "loop.return_c", count)[loops].max())
        flow = float(values_of(self.world, "loop.flow", count)[loops].mean())
        return DiagramLine(above, below, supply_c=supply_c, return_c=return_c, flow=flow / 100.0)

    def hottest(self, above: str, gpus: NDArray[np.intp], place: float, selected: int = -1) -> None:
        """Add the hottest of some GPUs, or the one that is selected."""
        if self.world.frame is None or not len(gpus):
            return
        plant, values = self.world.plant, self.world.frame.values
        temps = np.asarray(values["gpu.temp_c"])[gpus]
        gpu = selected if selected >= 0 else int(gpus[int(np.argmax(temps))])
        temp_c = float(values["gpu.temp_c"][gpu])
        id_ = plant.gpu_id(gpu)
        throttled = bool(int(values["gpu.throttle"][gpu]) & 0x60)
        power_w = float(values["gpu.power_w"][gpu])
        power = text.quantity(power_w, "W")
        self.boxes.append(
            Box(
                id_,
                "gpu",
                tr("GPU {id}", id=id_) if selected >= 0 else tr("Hottest GPU"),
                f"{temp_c:.1f} °C, {power}",
                GPU,
                place,
                thing=id_,
                tone="alarm" if throttled else "live",
                state=tr("{temp_c:.0f} °C THROTTLED", temp_c=temp_c) if throttled else "",
                facts=(("GPU", id_), (tr("Temperature"), text.quantity(temp_c, "°C")), (tr("Power"), power)),
                chosen=selected >= 0,
            )
        )
        gives = power_w > LEAST_W
        self.lines.append(
            DiagramLine(above, id_, power, "live" if gives else "calm", up=True, flow=float(gives))
        )


def piping(world: World, thing: str | None, marks: Marks | None = None) -> Diagram:
    """Return the diagram that belongs to what is selected; the overview for nothing, or what is not cooled."""
    plant = world.plant
    if not len(plant.plants.ids):
        return Diagram(caption=tr("No cooling in this scene"))
    drawn = _drawn(_Drawing(world, marks or {}), thing)
    return drawn if world.frame is not None else drawn.bare()


def _drawn(drawing: _Drawing, id: str | None) -> Diagram:
    plant = drawing.world.plant
    found = find(plant, id) if id else None
    if found is not None:
        kind, slot = found
        if kind == "loop":
            return _of_loops(drawing, [slot], selected=slot, title=plant.loops.labels[slot])
        if kind in ("gpu", "node", "rack"):
            node = int(plant.gpus.node[slot]) if kind == "gpu" else slot if kind == "node" else -1
            rack = int(plant.nodes.rack[node]) if node >= 0 else slot
            loops = [
                int(column[rack]) for column in (plant.racks.loop, plant.racks.air_loop) if column[rack] >= 0
            ]
            if loops:
                gpu = slot if kind == "gpu" else -1
                return _of_loops(drawing, loops, rack=rack, node=node, gpu=gpu, title=f"{_WORDS[kind]} {id}")
        if kind == "plant":
            return _overview(drawing, [slot], slot)
    return _overview(drawing, list(range(len(plant.plants.ids))))


def _overview(drawing: _Drawing, plants: list[int], chosen: int = -1) -> Diagram:
    plant = drawing.world.plant
    loops = np.flatnonzero(plant.loops.present)
    place = 0.0
    places = []
    drawing.sky(0.0)
    for slot in plants:
        groups: dict[str, list[int]] = {}
        for loop in loops[plant.loops.plant[loops] == slot].tolist():
            groups.setdefault(plant.loops.ids[loop].rpartition("/")[0], []).append(loop)
        drawing.plant(slot, place + max(len(groups) - 1, 0) / 2, slot == chosen)
        places.append(place + max(len(groups) - 1, 0) / 2)
        for number, group in enumerate(groups.values()):
            title = (
                plant.loops.labels[group[0]]
                if len(group) == 1
                else f"{plant.loops.labels[group[0]].rpartition(' ')[0]} \N{MULTIPLICATION SIGN}{len(group)}"
            )
            _branch(drawing, group, title, place + number)
        place += max(len(groups), 1)
    drawing.boxes[0] = _moved(drawing.boxes[0], sum(places) / max(len(places), 1))
    caption = tr("Cooling") if chosen < 0 else tr("Cooling by {plant}", plant=plant.plants.ids[chosen])
    return Diagram(tuple(drawing.boxes), tuple(drawing.lines), int(place), caption, _note(drawing.world))


def _branch(drawing: _Drawing, group: Sequence[int], title: str, place: float) -> None:
    """Add loops with their racks and the hottest GPU on them."""
    plant = drawing.world.plant
    key = drawing.loops(group, title, place)
    gpus = np.flatnonzero(np.isin(plant.nodes.loop[plant.gpus.node], np.asarray(group)) & plant.gpus.present)
    racks = drawing.racks(key, group, place)
    drawing.hottest(racks, gpus, place)


def _of_loops(
    drawing: _Drawing,
    loops: list[int],
    *,
    title: str,
    selected: int = -1,
    rack: int = -1,
    node: int = -1,
    gpu: int = -1,
) -> Diagram:
    """Return the way of the heat from a rack, or of a loop: the loops in full, their siblings as one."""
    plant = drawing.world.plant
    slots = list(dict.fromkeys(int(plant.loops.plant[loop]) for loop in loops))
    middle = (len(loops) - 1) / 2
    drawing.sky(middle)
    for number, slot in enumerate(slots):
        drawing.plant(slot, middle if len(slots) == 1 else float(number), False)
    for place, loop in enumerate(loops):
        key = drawing.loops([loop], plant.loops.labels[loop], float(place), chosen=loop == selected)
        stage = plant.loops.ids[loop].rpartition("/")[0]
        siblings = [
            k
            for k in np.flatnonzero(
                (plant.loops.plant == plant.loops.plant[loop]) & plant.loops.present
            ).tolist()
            if k != loop and plant.loops.ids[k].rpartition("/")[0] == stage
        ]
        if siblings:
            side = -1 if place == 0 and len(loops) > 1 else 1
            drawing.loops(siblings, f"+{len(siblings):,}", 0.0, side=side)
        racks = drawing.racks(key, [loop], float(place), rack)
        here = plant.nodes.loop[plant.gpus.node] == loop
        if rack >= 0:
            here &= plant.gpus.rack == rack
        if node >= 0:
            here &= plant.gpus.node == node
        drawing.hottest(racks, np.flatnonzero(here & plant.gpus.present), float(place), gpu)
    columns = max(len(loops), len(slots))
    return Diagram(
        tuple(drawing.boxes),
        tuple(drawing.lines),
        columns,
        tr("Cooling of {title}", title=title),
        _note(drawing.world),
    )


def _small_words(world: World, group: Sequence[int]) -> str:
    """Return the flow of loops that stand as one small box, or what they all have at least."""
    flow = values_of(world, "loop.flow", len(world.plant.loops.ids))[np.asarray(group)]
    at_least = "\N{GREATER-THAN OR EQUAL TO}\N{NO-BREAK SPACE}" if float(np.ptp(flow)) >= 1.0 else ""
    return f"{at_least}{float(flow.min()):.0f}\N{NO-BREAK SPACE}%"


def _moved(box: Box, place: float) -> Box:
    return Box(box.key, box.symbol, box.title, box.text, box.level, place, facts=box.facts)


def _note(world: World) -> str:
    """Return power and water of the cooling in one line."""
    if world.frame is None:
        return ""
    cooling_w, wue = site(world, "cooling_w"), site(world, "wue")
    words = tr("Pumps, fans and compressors {cooling_power}", cooling_power=text.quantity(cooling_w, "W"))
    return tr("{words}, WUE {wue:.2f} L/kWh", words=words, wue=wue) if wue > 0 else words
