"""The one-line diagram of the power tree: overview by stage, both paths of a rack, surroundings of an item."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from twin.app.diagrams.diagram import LEAST_W, Box, Diagram, DiagramLine, Tone, places_of
from twin.app.diagrams.one_line_boxes import OneLine
from twin.app.diagrams.one_line_facts import PowerNow
from twin.app.diagrams.one_line_loads import DiagramLoad, load_of, loads_of
from twin.app.toolkit import text
from twin.app.world.rows import World, gpus_of
from twin.language import tr
from twin.plant.graph import find
from twin.record.channels import NodeCondition, PowerState
from twin.record.spare_pool import AWAY, WORDS

MOST_COLUMNS = 3
"""Stages side by side in the overview, before those under one parent are drawn as one."""
MOST_CHILDREN = 3
"""Items below the selected one that are shown each for itself."""


def one_line(world: World, thing: str | None) -> Diagram:
    """Return the diagram that belongs to what is selected; the overview for nothing, or what hangs nowhere."""
    plant, now = world.plant, PowerNow.of(world)
    if not len(now.items.ids):
        return Diagram(caption=tr("No power tree in this scene"))
    found = find(plant, thing) if thing else None
    if found is not None:
        kind, slot = found
        if kind == "power":
            return _around(world, now, slot)
        if kind in ("gpu", "node", "rack"):
            node = int(plant.gpus.node[slot]) if kind == "gpu" else slot if kind == "node" else -1
            rack = int(plant.nodes.rack[node]) if node >= 0 else slot
            if plant.racks.feed_a[rack] >= 0:
                return _paths(world, now, load_of(world, "rack", rack), node, slot if kind == "gpu" else -1)
        if kind in ("loop", "plant"):
            load = load_of(world, kind, slot)
            if load.feeds:
                return _paths(world, now, load, -1, -1)
    return _overview(world, now)


def _overview(world: World, now: PowerNow) -> Diagram:
    drawing, items = OneLine(world, now), now.items
    stages = _Stages(now)
    levels, places, columns = places_of(stages.parents)
    middle = (columns - 1) / 2
    keys: list[str] = []
    for k, members in enumerate(stages.members):
        keys.append(drawing.group(members, stages.title(k), levels[k], places[k]))
        if stages.parents[k] >= 0:
            drawing.supply(
                keys[stages.parents[k]], keys[k], members, items.parent[np.asarray(members)].tolist()
            )
        drawing.sources(
            members, keys[k], levels[k], _side(places[k], middle) if columns < MOST_COLUMNS else 1
        )
    bottom = max(levels) + 1
    below_w: dict[str, float] = {}
    for load in sorted(loads_of(world), key=lambda load: load.kind != "rack"):
        above = sorted({stages.of[item] for item in load.feeds if item in stages.of})
        place = float(np.mean([places[k] for k in above])) if above else 0.0
        below = 1 + max((levels[k] for k in above), default=0)
        if load.kind == "rack":
            key = drawing.load(load, bottom, place)
        elif above and not drawing.stands_at(below, place) and not any(k in stages.parents for k in above):
            key = drawing.load(load, below, place)
        elif above:
            key = drawing.load(load, below, 0.0, side=_side(place, middle) if columns < MOST_COLUMNS else 1)
        else:
            key = drawing.load(load, 0, 0.0, side=1)
            live = not load.feeds and now.gives(stages.members[0][0])
            drawing.lines.append(DiagramLine(keys[0], key, "", "live" if live else "dead"))
        for k in above:
            members = [item for item in stages.members[k] if item in set(load.feeds)]
            line = drawing.hang(keys[k], key, members, load)
            if drawing.boxes[key].side:
                drawing.say(line, "")
            below_w[keys[k]] = below_w.get(keys[k], 0.0) + drawing.hung_w(members, load)
    for number, line in enumerate(drawing.lines):
        if line.late and line.text:  # lines that leave a box as one say what all of them take
            drawing.lines[number] = replace(line, text=text.quantity(below_w[line.above], "W"))
    return drawing.diagram(columns, tr("Power, by stage"))


def _side(place: float, middle: float) -> int:
    return -1 if place < middle - 0.1 else 1


class _Stages:
    """The stages of the tree, suppliers first; leaves beside one another are one where the tree is wide."""

    def __init__(self, now: PowerNow) -> None:
        items = now.items
        self.ids = items.ids
        found: dict[int, list[int]] = {}
        for item in np.flatnonzero(items.present & (items.bus < 0)).tolist():
            found.setdefault(int(items.stage[item]), []).append(item)
        above = {stage: int(items.parent[members[0]]) for stage, members in found.items()}
        parent = {stage: int(items.stage[item]) if item >= 0 else -1 for stage, item in above.items()}
        leaves = [stage for stage in found if stage not in parent.values()]
        joined: dict[int, list[int]] = {}
        if len(leaves) > MOST_COLUMNS:
            for stage in leaves:
                joined.setdefault(parent[stage], []).append(stage)
        self.members: list[list[int]] = []
        self.names: list[list[str]] = []
        self.parents: list[int] = []
        self.of: dict[int, int] = {}
        place: dict[int, int] = {}
        for stage, members in found.items():
            twins = joined.get(parent[stage], [stage]) if stage in leaves else [stage]
            first = place.get(twins[0], -1)
            if first < 0:
                first = len(self.members)
                self.members.append([])
                self.names.append([])
                self.parents.append(place.get(parent[stage], -1))
            place[stage] = first
            self.members[first] += members
            self.names[first].append(items.ids[members[0]].rpartition("/")[0])
            self.of |= dict.fromkeys(members, first)

    def title(self, k: int) -> str:
        """Return the names of the stages that are one."""
        return ", ".join(self.names[k])


def _chain(now: PowerNow, item: int) -> list[int]:
    """Return an item and all above it, the root first."""
    chain = [item]
    while now.items.parent[chain[-1]] >= 0:
        chain.append(int(now.items.parent[chain[-1]]))
    return chain[::-1]


def _paths(world: World, now: PowerNow, load: DiagramLoad, node: int, gpu: int) -> Diagram:
    """Return the whole way from the grid to a load, over both feeds."""
    drawing = OneLine(world, now)
    chains = [_chain(now, feed) for feed in load.feeds]
    shared = set(chains[0]).intersection(*chains[1:])
    columns = len(chains)
    for column, chain in enumerate(chains):
        side = 1 if column or columns == 1 else -1
        above = ""
        for level, item in enumerate(chain):
            middle = (columns - 1) / 2
            place = middle if item in shared else float(column)
            fresh = now.items.ids[item] not in drawing.boxes
            key = drawing.item(item, level, place)
            if fresh and above:
                drawing.supply(above, key, [item], [int(now.items.parent[item])])
            if fresh:
                if above:
                    parent, drawn = chain[level - 1], {k for chain_above in chains for k in chain_above}
                    if (
                        column + 1 < columns and parent in chains[column + 1]
                    ):  # the last one takes what is left
                        _beside(drawing, parent, now.items.stage[item], drawn, level, side)
                    else:
                        left = [] if parent not in shared else _of_stages(now, chains[:column], level)
                        drawing.rest(parent, [*drawn, *left], level, side)
                drawing.sources([item], key, level, side)
            above = key
    for column, chain in enumerate(chains):
        for level, item in enumerate(chain):
            if item not in shared or not column:
                _spare(drawing, item, now.items.ids[item], level, 1 if column or columns == 1 else -1)
    level = max(len(chain) for chain in chains)
    middle = (columns - 1) / 2
    key = drawing.load(load, level, middle, chosen=node < 0)
    for column, chain in enumerate(chains):
        drawing.hang(now.items.ids[chain[-1]], key, [chain[-1]], load)
        if chain[-1] not in {chain_above[-1] for chain_above in chains[:column]}:
            drawing.rest(chain[-1], [], level, 1 if column or columns == 1 else -1, load)
    if node >= 0:
        _inside(drawing, key, node, gpu, level + 1, middle)
    return drawing.diagram(
        columns,
        tr("Power of {title}{load}", title=load.title[:1].lower(), load=load.title[1:])
        if load.kind == "rack"
        else tr("Power of {title}", title=load.title),
    )


def _of_stages(now: PowerNow, chains: list[list[int]], level: int) -> list[int]:
    """Return the items of the stages that other columns show at a level, with their siblings."""
    stages = [now.items.stage[chain[level]] for chain in chains if level < len(chain)]
    return np.flatnonzero(np.isin(now.items.stage, stages)).tolist()


def _beside(drawing: OneLine, parent: int, stage: int, drawn: set[int], level: int, side: int) -> None:
    """Add the items of one stage that hang on an item and are not drawn, as one."""
    items = drawing.now.items
    siblings = np.flatnonzero(
        (items.parent == parent) & (items.stage == stage) & items.present & (items.bus < 0)
    )
    drawing.remainder(parent, [k for k in siblings.tolist() if k not in drawn], 0, 0.0, level, side)


def _spare(drawing: OneLine, item: int, key: str, level: int, side: int) -> None:
    """Add the second source of an item, behind its transfer switch."""
    now = drawing.now
    spare = int(now.items.spare_parent[item])
    if spare < 0:
        return
    used = now.state[item] == PowerState.ON_SPARE
    tone: Tone = "warning" if used else "calm"
    if now.items.ids[spare] in drawing.boxes:
        drawing.lines.append(DiagramLine(now.items.ids[spare], key, "", tone, late=True, flow=float(used)))
    else:
        source = drawing.item(spare, level, 0.0, side=side)
        drawing.lines.append(DiagramLine(key, source, "", tone, up=True, flow=float(used)))


def _inside(drawing: OneLine, above: str, node: int, gpu: int, level: int, place: float) -> None:
    """Add the node, and the GPU, that is selected."""
    world, plant = drawing.world, drawing.world.plant
    values = world.frame.values if world.frame is not None else None
    inside = [("node", node, plant.nodes.ids[node])] + ([("gpu", gpu, plant.gpu_id(gpu))] if gpu >= 0 else [])
    for number, (kind, slot, id_) in enumerate(inside):
        gpus = gpus_of(plant, kind, slot)
        power_w = float(np.sum(values["gpu.power_w"][gpus], dtype=float)) if values is not None else 0.0
        words = text.quantity(power_w, "W")
        title = (
            tr("Node {id}", id=id_)
            if kind == "node"
            else tr("GPU {index}", index=int(plant.gpus.index[slot]))
        )
        drawing.boxes[id_] = Box(
            id_,
            kind,
            title,
            tr("{gpus} GPUs", gpus=len(gpus)) if kind == "node" else _hot(world, slot),
            level + number,
            place,
            thing=id_,
            tone="live" if power_w > 0 or values is None else "dead",
            state="" if power_w > 0 or values is None else _why_dark(world, node),
            facts=((tr("GPU power"), words),),
            chosen=number == len(inside) - 1,
        )
        drawing.lines.append(
            DiagramLine(
                above, id_, words, "live" if power_w > LEAST_W else "dead", flow=float(power_w > LEAST_W)
            )
        )
        above = id_


def _why_dark(world: World, node: int) -> str:
    """Return why a node draws nothing: it is in repair, shut down, or without power."""
    assert world.frame is not None
    condition = NodeCondition(int(world.frame.values["node.condition"][node]))
    return (
        WORDS[condition].upper()
        if condition in AWAY and condition is not NodeCondition.UNPOWERED
        else tr("NO POWER")
    )


def _hot(world: World, gpu: int) -> str:
    if world.frame is None:
        return ""
    values = world.frame.values
    clock = text.quantity(float(values["gpu.clock_mhz"][gpu]), "MHz", 4)
    return f"{text.quantity(float(values['gpu.temp_c'][gpu]), '°C')}, {clock}"


def _around(world: World, now: PowerNow, item: int) -> Diagram:
    """Return an item with all above it, its siblings as one, and what hangs on it."""
    drawing, items = OneLine(world, now), now.items
    if items.bus[item] >= 0:
        chain = _chain(now, int(items.bus[item]))
    else:
        chain = _chain(now, item)
    children = np.flatnonzero((items.parent == chain[-1]) & items.present & (items.bus < 0)).tolist()
    loads = [load for load in loads_of(world, feed=chain[-1]) if load.count]
    shown = len(children) if len(children) <= MOST_CHILDREN else MOST_CHILDREN - 1
    columns = max(1, shown or min(len(loads), MOST_CHILDREN))
    middle = (columns - 1) / 2
    above = ""
    for level, step in enumerate(chain):
        key = drawing.item(step, level, middle, chosen=step == item)
        if above:
            drawing.supply(above, key, [step], [int(items.parent[step])])
            drawing.rest(chain[level - 1], [step], level, -1)
        _spare(drawing, step, key, level, 1)
        drawing.sources([step], key, level, 1)
        above = key
    if items.bus[item] >= 0 and items.ids[item] not in drawing.boxes:  # one of several that stand as a group
        drawing.item(item, len(chain) - 1, 0.0, side=1, chosen=True)
        drawing.lines.append(DiagramLine(above, items.ids[item], "", drawing.now.tone(item), up=True))
    below = len(chain)
    for place, child in enumerate(children[:shown]):
        key = drawing.item(child, below, float(place))
        drawing.supply(above, key, [child], [chain[-1]])
    more = loads[MOST_CHILDREN:]
    drawing.remainder(
        chain[-1],
        children[shown:],
        sum(load.count for load in more),
        sum(drawing.hung_w([chain[-1]], load) for load in more),
        below,
        1,
    )
    middle = (columns - 1) / 2 - (min(len(loads), columns) - 1) / 2
    for place, load in enumerate(loads[:MOST_CHILDREN]):
        key = drawing.load(load, below, middle + place, side=-1 if children else 0)
        line = drawing.hang(above, key, [chain[-1]], load)
        if children:
            drawing.say(line, "", late=False)
            here_w = drawing.hung_w([chain[-1]], load)
            drawing.boxes[key] = replace(drawing.boxes[key], text=text.quantity(here_w, "W"))
    return drawing.diagram(columns, tr("Power around {item}", item=items.ids[item]))
