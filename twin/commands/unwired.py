"""Fabrics that connect every node, and newcomers they have no ports for: those stand there without cables at first."""

from __future__ import annotations

from twin.commands.changes import Changes
from twin.scenario import expand
from twin.scenario.fabric_fits import connected
from twin.scenario.fabric_size import Misfit, cards_of, size_of


def unwired(changes: Changes, parts: list[str]) -> None:
    """Let fabrics that name no rows keep to those there are, where they cannot take more nodes of these parts."""
    scene = changes.scene
    found = [cards_of(scene.catalog.node(part), scene.catalog) for part in parts]
    cards = [number for number, _ in found if number]
    if not cards:
        return
    for fabric in scene.scenario.fabrics:
        if fabric.rows:
            continue
        nodes = connected(scene.scenario, fabric, scene.catalog)
        speed = max(nodes.card_bytes_s, *(bytes_s for _, bytes_s in found))
        try:
            size_of(
                fabric, scene.catalog, len(nodes.cards) + len(cards), max(nodes.most_cards, *cards), speed
            )
        except Misfit:
            rows = dict.fromkeys(
                rack.partition("/")[0]
                for row in expand.rows(scene.scenario, scene.catalog)
                for rack in (one.id for one in row.racks if one.nodes and one.role == "compute")
            )
            if rows:
                changes.set(f"fabrics[{fabric.id}].rows", list(rows))
