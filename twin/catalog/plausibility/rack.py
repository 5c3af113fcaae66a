"""Checks of racks against their contents."""

from __future__ import annotations

from twin.catalog.catalog import Catalog
from twin.catalog.compute_parts import NodePart, RackPart
from twin.catalog.network_parts import SwitchPart
from twin.catalog.part import Part
from twin.catalog.plausibility.compute import coolant_rise
from twin.catalog.plausibility.finding import CatalogFinding, Findings, shown
from twin.catalog.power_parts import PowerShelfPart


def rack(part: RackPart, catalog: Catalog) -> Findings:
    """Yield the findings for a rack type."""
    held = [(catalog.part(group.part), group.count) for group in part.layout]
    used_u = sum(
        (catalog.part(group.part).height_u or 0.0) * -(-group.count // group.abreast) for group in part.layout
    )
    if used_u > part.height_u:
        message = f"its equipment needs {used_u:g} U of {part.height_u:g} U"
        yield CatalogFinding("error", part.id, "height_u", message)
    gpus = sum(member.n_gpu * count for member, count in held if isinstance(member, NodePart))
    if gpus != part.n_gpu:
        yield CatalogFinding("error", part.id, "n_gpu", f"{part.n_gpu}, but its nodes hold {gpus}")
    deepest = max((member.depth_m for member, _ in held if member.depth_m is not None), default=0.0)
    if deepest > part.depth_m:
        yield CatalogFinding(
            "error", part.id, "depth_m", f"{part.depth_m:g} m is less than its equipment, {deepest:g} m"
        )
    weight_kg = sum((member.weight_kg or 0.0) * count for member, count in held)
    if part.weight_kg is not None and part.weight_kg < weight_kg:
        message = f"{part.weight_kg:g} kg is less than what is in it, {weight_kg:g} kg"
        yield CatalogFinding("error", part.id, "weight_kg", message)
    yield from _power(part, held)
    yield from _cooling(part, held)


def _power(part: RackPart, held: list[tuple[Part, int]]) -> Findings:
    nameplate_w = sum(
        member.max_w * count for member, count in held if isinstance(member, NodePart | SwitchPart)
    )
    if nameplate_w > part.max_w:
        message = (
            f"{shown(part.max_w, 'power')} is less than the nameplates of what is in it, "
            f"{shown(nameplate_w, 'power')}"
        )
        yield CatalogFinding(
            "error" if nameplate_w > 1.1 * part.max_w else "warning", part.id, "max_w", message
        )
    shelves = [(member, count) for member, count in held if isinstance(member, PowerShelfPart)]
    if not shelves:
        return
    present = sum(count for _, count in shelves)
    needed = part.shelves_needed if part.shelves_needed is not None else present
    capacity_w = needed * min(shelf.capacity_w for shelf, _ in shelves)
    if needed > present or capacity_w < part.max_w:
        message = (
            f"{needed} of {present} shelves deliver {shown(capacity_w, 'power')}, the rack takes up to "
            f"{shown(part.max_w, 'power')}"
        )
        yield CatalogFinding("error", part.id, "shelves_needed", message)


def _cooling(part: RackPart, held: list[tuple[Part, int]]) -> Findings:
    liquid = any(isinstance(member, NodePart) and member.cooling == "liquid" for member, _ in held)
    if liquid != (part.liquid_fraction > 0.0):
        message = f"{part.liquid_fraction:.0%}, but its nodes are {'liquid' if liquid else 'air'}-cooled"
        yield CatalogFinding("error", part.id, "liquid_fraction", message)
    if not 0.0 <= part.liquid_fraction <= 1.0:
        yield CatalogFinding("error", part.id, "liquid_fraction", "must lie between 0 and 100 %")
    if liquid and part.coolant_flow_m3_s is None:
        yield CatalogFinding(
            "error", part.id, "coolant_flow_m3_s", "is missing; a liquid-cooled rack needs a flow"
        )
    elif liquid and part.coolant_flow_m3_s is not None:
        yield from coolant_rise(part.id, part.max_w * part.liquid_fraction, part.coolant_flow_m3_s)
