"""What a trace and the reach of a fault say in words. No widgets."""

from __future__ import annotations

from collections.abc import Sized

import numpy as np

from twin.language import counted, tr
from twin.plant.dependencies import Blast, Trace
from twin.plant.find import entity_id
from twin.plant.tables import Kind, Plant

_MOST_NAMED = 6


def trace_lines(plant: Plant, found: Trace) -> list[str]:
    """Return a line for each feed and one for the coolant, from the rack up to the grid and the sky."""
    lines = []
    for name, way in ((tr("Feed A"), found.power_a), (tr("Feed B"), found.power_b)):
        if way:
            lines.append(
                tr("{name}:  {way}  ← utility", name=name, way=_way([plant.power.ids[item] for item in way]))
            )
    if not (found.power_a or found.power_b):
        lines.append(tr("Power:  house supply"))
    for loop in found.loops:
        source = int(plant.loops.plant[loop])
        after = f"  →  {plant.plants.ids[source]}" if source >= 0 else ""
        lines.append(tr("Heat:  {labels}{after}  →  outdoors", labels=plant.loops.labels[loop], after=after))
    if not found.loops and found.plants:
        lines.append(
            tr("Heat:  {plants}  →  outdoors", plants=", ".join(plant.plants.ids[p] for p in found.plants))
        )
    if found.spares:
        lines.append(tr("Backup:  {way}", way=_way([plant.power.ids[item] for item in found.spares], ", ")))
    return lines


def trace_names(plant: Plant, found: Trace) -> list[str]:
    """Return the ids of everything on the way."""
    items = dict.fromkeys((*found.power_a, *found.power_b))
    names = [entity_id(plant, "power", item) for item in items]
    names += [entity_id(plant, "loop", loop) for loop in found.loops]
    return [*names, *(entity_id(plant, "plant", source) for source in found.plants)]


def reach_line(plant: Plant, kind: Kind, blast: Blast) -> str:
    """Return the blast radius of an item in one sentence."""
    if kind in ("switch", "fabric", "store"):
        return tr(
            "{nodes} with {gpus} depend on it",
            nodes=counted(len(blast.nodes), "node"),
            gpus=_gpus(plant, blast),
        )
    if kind in ("gpu", "node"):
        return tr("{gpus} stop", gpus=_gpus(plant, blast))
    parts = []
    if len(blast.racks):
        fate = tr("lose cooling") if kind in ("loop", "plant") else tr("lose power")
        if kind == "power" and not _all_dark(blast):
            fate = tr("lose power or cooling")
        parts.append(
            tr(
                "{racks} with {gpus} {fate}",
                racks=counted(len(blast.racks), "rack"),
                gpus=_gpus(plant, blast),
                fate=fate,
            )
        )
    if len(blast.racks_thinned):
        parts.append(
            tr(
                "{racks} {verb} a feed",
                racks=counted(len(blast.racks_thinned), "rack"),
                verb=_verb(blast.racks_thinned, "lose"),
            )
        )
    if kind == "power" and len(blast.loops):
        parts.append(f"{counted(len(blast.loops), 'cooling loop')} {_verb(blast.loops, 'stop')}")
    if len(blast.loops_thinned):
        parts.append(
            tr(
                "{counted} {verb} a feed",
                counted=counted(len(blast.loops_thinned), tr("cooling loop")),
                verb=_verb(blast.loops_thinned, "lose"),
            )
        )
    if len(blast.plants) and kind != "plant":
        parts.append(f"{counted(len(blast.plants), 'facility water loop')} {_verb(blast.plants, 'stop')}")
    if not parts:
        return tr("no effect")
    if not len(blast.racks) and kind == "power":
        parts.append(tr("none loses power"))
    return ", ".join(parts)


def _all_dark(blast: Blast) -> bool:
    """Return whether every rack that stops has lost its power; with loops down some are only hot."""
    return not len(blast.loops) and not len(blast.plants)


def _verb(those: Sized, words: str) -> str:
    return f"{words}s" if len(those) == 1 else words


def _gpus(plant: Plant, blast: Blast) -> str:
    return counted(int(plant.nodes.gpu_count[blast.nodes].sum()), "GPU")


def _way(ids: list[str], between: str = "  ←  ") -> str:
    shown = (
        ids
        if len(ids) <= _MOST_NAMED
        else [*ids[: _MOST_NAMED - 1], tr("{most_named} more", most_named=len(ids) - _MOST_NAMED + 1)]
    )
    return between.join(shown)


def node_mask(plant: Plant, slots: np.ndarray) -> np.ndarray:
    """Return which nodes are among these slots, (node slots,)."""
    out = np.zeros(len(plant.nodes.ids), bool)
    out[slots] = True
    return out
