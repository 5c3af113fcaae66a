"""Switches of few ports and hosts of few cards: fabrics small enough to count by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from demo_scenes import scene

from twin.catalog import Catalog, load_catalog
from twin.catalog.load import FileContents
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario

SPEED_BYTES_S = 50e9
"""Of every card and port: 400 Gb/s."""


@cache
def small_catalog() -> Catalog:
    """Return the shipped catalogue with switches S2 ... S64 of so many ports, and hosts H1 ... H8 of so many cards."""
    shipped = load_catalog()
    parts = {name: shipped.part(name) for name in shipped.ids()}
    switch, node = shipped.switch("QM9700"), shipped.node("DGX-H100")
    card = next(group for group in node.nics if group.use == "compute")
    for ports in range(2, 65):
        parts[f"S{ports}"] = replace(switch, id=f"S{ports}", ports=ports)
    for cards in range(1, 9):
        parts[f"H{cards}"] = replace(node, id=f"H{cards}", nics=(replace(card, count=cards),))
    return Catalog(FileContents(edition=shipped.version, parts=parts), shipped.digest)


def small_scene(kind: str, nodes: int, cards: int = 1, per_rack: int = 1, **fabric: Any) -> Scenario:
    """Return hosts in one row and a fabric of a kind; a tier given as a number is a switch of so many ports."""
    for tier in ("leaf", "spine", "core"):
        if isinstance(fabric.get(tier), int):
            fabric[tier] = {"part": f"S{fabric[tier]}"}
    racks = {"count": nodes // per_rack, "nodes": [{"part": f"H{cards}", "count": per_rack}]}
    return scene(
        halls=[{"id": "hall", "rows": [{"id": "gpu", "racks": racks}]}],
        fabrics=[{"id": "net", "kind": kind} | fabric],
    )


def small_plant(kind: str, nodes: int, cards: int = 1, **fabric: Any) -> Plant:
    """Return the plant of `small_scene`."""
    return build(small_scene(kind, nodes, cards, **fabric), small_catalog())
