"""What the palette offers: parts and prefabs by group with their key figures, searched, counted. No widgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from twin.app.toolkit.fuzzy import score
from twin.app.toolkit.text import quantity, significant
from twin.catalog import (
    Catalog,
    CduPart,
    CrahPart,
    NodePart,
    Part,
    RackPart,
    RdhxPart,
    StoragePart,
    SwitchPart,
)
from twin.commands.budget.part_load import part_load
from twin.commands.room.prefabs import PREFABS
from twin.language import counted, tr
from twin.plant.tables import Plant

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (tr("Prefabs"), ("prefab",)),
    (tr("Racks"), ("rack",)),
    (tr("Nodes"), ("node",)),
    (tr("Switches"), ("switch",)),
    (tr("Cooling"), ("cdu", "crah", "rdhx", "tank", "chiller", "cooling_tower", "dry_cooler")),
    (tr("Power"), ("transformer", "switchgear", "ups", "pdu", "busbar", "generator", "solar", "battery")),
    (tr("Storage"), ("storage",)),
)
"""Title of a group, and the kinds of part in it."""

OWN = tr("Own parts")
"""Title of the group of parts that lie beside the scene; it stands first."""

KINDS = {
    "rack": tr("rack"),
    "node": tr("node"),
    "switch": tr("switch"),
    "cdu": tr("CDU"),
    "crah": tr("air handler"),
    "rdhx": tr("rear door"),
    "tank": tr("immersion tank"),
    "chiller": tr("chiller"),
    "cooling_tower": tr("cooling tower"),
    "dry_cooler": tr("dry cooler"),
    "transformer": tr("transformer"),
    "switchgear": tr("switchgear"),
    "ups": tr("UPS"),
    "pdu": tr("PDU"),
    "busbar": tr("busbar"),
    "generator": tr("generator"),
    "solar": tr("solar field"),
    "battery": tr("battery"),
    "storage": tr("storage"),
    "prefab": tr("prefab"),
}
"""Kinds as people say them."""

_SURE = ("published", "derived")


@dataclass(frozen=True)
class PaletteItem:
    """One thing to be put into a hall.

    Attributes
    ----------
    id
        Part of the catalogue or prefab.
    kind, group
        Kind of part, "prefab" for prefabs; group it is shown in.
    title, figures
        Its name, and what matters most of it in a few words.
    source
        How many of its figures are published; of a prefab where it comes from.
    part, prefab
        Which of the two it is; for a prefab `part` stands for it in pictures.
    """

    id: str
    kind: str
    group: str
    title: str
    figures: str
    source: str
    part: str = ""
    prefab: str = ""


@dataclass(frozen=True)
class Count:
    """How many of a part stand in the scene, and how many of them lack power, cooling or cables."""

    there: int = 0
    loose: int = 0


def items_of(catalog: Catalog) -> list[PaletteItem]:
    """Return all that can be put into a hall, by group: own parts first."""
    own = [catalog.part(id) for id in catalog.own_parts]
    found = [_item(catalog, part, OWN) for part in own if part.KIND in KINDS and can_stand(part)]
    for group, kinds in GROUPS:
        if kinds == ("prefab",):
            found += [
                PaletteItem(
                    prefab.id,
                    "prefab",
                    group,
                    prefab.title,
                    prefab.says,
                    prefab.source,
                    prefab.part,
                    prefab.id,
                )
                for prefab in PREFABS.values()
            ]
            continue
        for kind in kinds:
            parts = (catalog.part(id) for id in catalog.ids(kind) if id not in catalog.own_parts)
            found += [_item(catalog, part, group) for part in parts if can_stand(part)]
    return found


def can_stand(part: Part) -> bool:
    """Return whether a part can be put into a hall by itself."""
    if isinstance(part, SwitchPart):
        return part.fabric == "scale-out"
    if isinstance(part, StoragePart):
        return part.height_u is not None
    return not (isinstance(part, CduPart) and part.rejects_to == "room air")


def _item(catalog: Catalog, part: Part, group: str) -> PaletteItem:
    figures = catalog.figures(part.id)
    sure = sum(figure.status in _SURE for figure in figures)
    return PaletteItem(
        part.id,
        part.KIND,
        group,
        part.title,
        ", ".join(key_figures(catalog, part)),
        tr("own part: {sure} of {figures} figures published", sure=sure, figures=len(figures))
        if part.id in catalog.own_parts
        else tr("{sure} of {figures} figures published", sure=sure, figures=len(figures)),
        part.id,
    )


def key_figures(catalog: Catalog, part: Part) -> list[str]:
    """Return what matters most of a part: GPUs, power, ports, size and weight, those that are known."""
    load = part_load(catalog, part.id)
    words = []
    if isinstance(part, NodePart | RackPart) and part.n_gpu:
        words.append(counted(part.n_gpu, "GPU"))
    if isinstance(part, SwitchPart):
        words.append(
            tr(
                "{ports} x {port_bandwidth_bytes_s:.0f} Gb/s",
                ports=part.ports,
                port_bandwidth_bytes_s=part.port_bandwidth_bytes_s * 8e-09,
            )
        )
    if isinstance(part, CduPart | CrahPart | RdhxPart) or load.gives_w:
        words.append(tr("removes {gives_power}", gives_power=quantity(load.gives_w, "W")))
    elif load.power_w:
        words.append(tr("{power} design load", power=quantity(load.power_w, "W")))
    else:
        capacity_w = getattr(part, "capacity_w", None)
        words += [quantity(capacity_w, "W")] if capacity_w else []
    if isinstance(part, StoragePart):
        words.append(tr("{read_rate} read", read_rate=quantity(part.read_bytes_s, "B/s")))
    words += _size(part)
    if part.weight_kg:
        words.append(tr("{weight_kg:,.0f} kg", weight_kg=part.weight_kg))
    return words


def _size(part: Part) -> list[str]:
    if isinstance(part, NodePart | SwitchPart | StoragePart) and part.height_u:
        return [f"{part.height_u:g} U"]
    if part.width_m and part.depth_m:
        return [f"{significant(part.width_m, 2)} x {significant(part.depth_m, 2)} m"]
    return []


def found(items: Iterable[PaletteItem], typed: str) -> list[PaletteItem]:
    """Return what matches typed letters, best first; all in their order without any."""
    if not typed.strip():
        return list(items)
    scored = []
    for place, item in enumerate(items):
        best = max(
            (
                value
                for text in (item.title, item.id, KINDS[item.kind])
                if (value := score(typed, text)) is not None
            ),
            default=None,
        )
        if best is not None:
            scored.append((-best, place, item))
    return [item for _, _, item in sorted(scored, key=lambda entry: entry[:2])]


def counts(plant: Plant | None) -> dict[str, Count]:
    """Return what of each part stands in a scene, and how many of it are connected to nothing.

    Nodes and racks with nodes without power or cooling, nodes with cards and switches without a cable, machines that
    serve nothing and stages that feed nothing.
    """
    if plant is None:
        return {}
    there: Counter[str] = Counter()
    loose: Counter[str] = Counter()
    nodes, racks, switches, loops, power = plant.nodes, plant.racks, plant.switches, plant.loops, plant.power
    cabled = np.zeros(len(nodes.ids), np.bool_)
    cabled[plant.node_links.node] = True
    dark = (racks.feed_a < 0) & (racks.feed_b < 0) & (len(power.ids) > 0)
    bare = (nodes.loop < 0) | dark[nodes.rack] | (~cabled & (nodes.nics > 0) & (len(plant.fabrics) > 0))
    kinds = np.array([plant.node_parts[k] for k in range(len(plant.node_parts))] or [""])
    _add(there, kinds[nodes.part[nodes.present]] if len(nodes.ids) else ())
    _add(loose, kinds[nodes.part[nodes.present & bare]] if len(nodes.ids) else ())
    lonely = np.bincount(nodes.rack[nodes.present & bare], minlength=len(racks.ids)) > 0
    for part, present, alone in zip(racks.part, racks.present.tolist(), lonely.tolist(), strict=True):
        if part and present:
            there[part] += 1
            loose[part] += alone
    wired = np.zeros(len(switches.ids), np.bool_)
    wired[plant.node_links.leaf] = True
    wired[plant.switch_links.lower] = True
    wired[plant.switch_links.upper] = True
    for part, present, joined in zip(switches.part, switches.present.tolist(), wired.tolist(), strict=True):
        there[part] += present
        loose[part] += present and not joined
    busy = set(np.unique(np.concatenate([racks.loop, racks.air_loop])).tolist())
    for slot, (part, units) in enumerate(zip(loops.part, loops.units.tolist(), strict=True)):
        there[part] += units
        loose[part] += 0 if slot in busy else units
    carrying = set(np.concatenate([racks.feed_a, racks.feed_b, loops.feed_a, loops.feed_b]).tolist())
    carrying |= set(np.concatenate([plant.plants.feed_a, plant.plants.feed_b, power.parent]).tolist())
    for slot, (part, units) in enumerate(zip(power.part, power.units.tolist(), strict=True)):
        if part and power.present[slot]:
            there[part] += units
            loose[part] += units if slot not in carrying and power.bus[slot] < 0 else 0
    for part, units in zip(plant.plants.part, plant.plants.units.tolist(), strict=True):
        there[part] += units
    for part, boxes in zip(plant.storage.part, plant.storage.count.tolist(), strict=True):
        there[part] += boxes if part else 0
    return {part: Count(number, loose[part]) for part, number in there.items() if number}


def _add(counter: Counter[str], parts: Sequence[str] | np.ndarray) -> None:
    names, numbers = np.unique(np.asarray(parts, dtype=str), return_counts=True)
    counter.update(dict(zip(names.tolist(), numbers.tolist(), strict=True)))


def tip_of(catalog: Catalog, item: PaletteItem) -> str:
    """Return all figures of a part with where they come from, or what a prefab holds, as HTML."""
    if item.prefab:
        return f"<b>{_safe(item.title)}</b><p>{_safe(item.figures)}</p><p>{_safe(item.source)}</p>"
    part = catalog.part(item.part)
    lines = [
        f"<b>{_safe(part.title)}</b> {_safe(part.id)}" + (f", {_safe(part.vendor)}" if part.vendor else "")
    ]
    lines += [_safe(part.note)] if part.note else []
    rows = "".join(
        f"<tr><td>{_safe(figure.key.replace('_', ' '))}&nbsp;</td><td>{_safe(figure.text)}&nbsp;</td>"
        f"<td><i>{tr(figure.status)}</i></td><td>{_safe(figure.citation[:60])}</td></tr>"
        for figure in catalog.figures(part.id)
    )
    return "<br>".join(lines) + f"<table>{rows}</table>"


def _safe(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
