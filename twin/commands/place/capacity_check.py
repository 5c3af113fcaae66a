"""Limits of new nodes: fabrics without rows that lack the ports, and jobs that need nodes of one kind."""

from __future__ import annotations

from twin.commands.edit.changes import Changes
from twin.commands.edit.command import EditedScene
from twin.scenario.checks.fabric import connected
from twin.scenario.checks.fabric_size import Misfit, cards_of, size_of
from twin.scenario.generators import expand
from twin.scenario.generators.allowed_rows import node_kinds, rows_within
from twin.scenario.schema.systems import Fabric


def unwired(changes: Changes, parts: list[str]) -> None:
    """Name the present rows in fabrics and jobs without rows that new nodes of these parts do not suit.

    A fabric that has no ports for them leaves them without cables at first; a job goes on with the nodes it has.
    """
    if not parts:
        return
    scene = changes.scene
    rows = standing_rows(scene)
    if not rows:
        return
    for fabric in scene.scenario.fabrics:
        if not fabric.rows and not takes(scene, fabric, parts):
            changes.set(f"fabrics[{fabric.id}].rows", rows)
    known = {part for part, _ in node_kinds(scene.scenario, scene.catalog, ())}
    if set(parts) <= known:
        return
    for where, jobs in (("jobs", scene.scenario.jobs), ("streams", scene.scenario.streams)):
        for job in jobs:
            if not rows_within(scene.scenario, job.rows, job.partition):
                changes.set(f"{where}[{job.id}].rows", rows)
    for trace in scene.scenario.traces:
        if not rows_within(scene.scenario, trace.map.rows, trace.map.partition):
            changes.set(f"traces[{trace.id}].map.rows", rows)


def takes(scene: EditedScene, fabric: Fabric, parts: list[str]) -> bool:
    """Return whether a fabric has ports for these additional nodes."""
    found = [cards_of(scene.catalog.node(part), scene.catalog) for part in parts]
    cards = [number for number, _ in found if number]
    if not cards:
        return True
    nodes = connected(scene.scenario, fabric, scene.catalog)
    speed = max(nodes.card_bytes_s, *(bytes_s for _, bytes_s in found))
    try:
        size_of(fabric, scene.catalog, nodes.count + len(cards), max(nodes.most_cards, *cards), speed)
    except Misfit:
        return False
    return True


def standing_rows(scene: EditedScene) -> list[str]:
    """Return the row generators with compute nodes."""
    standing = expand.node_counts(scene.scenario, scene.catalog)
    generators = [rows for hall in scene.scenario.halls for rows in hall.rows]
    return [rows.id for rows in generators if rows.racks.role == "compute" and standing[rows.id]]
