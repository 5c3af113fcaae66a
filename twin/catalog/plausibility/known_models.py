"""Figures of well-known models, so that a wrong copy of them from the web is noticed.

A short independent table, matched by model name in the id or title of a part: dense 16-bit peak of a GPU;
height, number of power supplies and cooling of a node; ports of a switch. Vendor data sheets, to 5 %.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from twin.catalog.compute_parts import GpuPart, NodePart
from twin.catalog.network_parts import SwitchPart
from twin.catalog.part import Part
from twin.catalog.plausibility.finding import CatalogFinding, Findings, shown

_TOLERANCE = 0.05


@dataclass(frozen=True, slots=True)
class _Box:
    height_u: float
    psu_count: int
    cooling: str


# Dense 16-bit peak [FLOP/s]; the two values of a Blackwell part are the air-cooled and the superchip version.
_GPU_PEAK_FLOPS_S: dict[str, tuple[float, float]] = {
    "A100": (312e12, 312e12),
    "H100": (989e12, 989e12),
    "H200": (989e12, 989e12),
    "GH200": (989e12, 989e12),
    "B200": (2250e12, 2500e12),
    "GB200": (2250e12, 2500e12),
    "B300": (2250e12, 2500e12),
    "GB300": (2250e12, 2500e12),
    "L40S": (362e12, 362e12),
    "MI250X": (383e12, 383e12),
    "MI300X": (1307e12, 1307e12),
    "MI325X": (1307e12, 1307e12),
    "MI350X": (2300e12, 2300e12),
    "MI355X": (2500e12, 2500e12),
}

_NODES: dict[str, _Box] = {
    "DGX[ -]A100": _Box(6, 6, "air"),
    "DGX[ -]H100": _Box(8, 6, "air"),
    "DGX[ -]H200": _Box(8, 6, "air"),
    "DGX[ -]B200": _Box(10, 6, "air"),
}

_SWITCH_PORTS: dict[str, int] = {"QM8700": 40, "QM9700": 64, "Q3400": 144, "SN5600": 64}


def known_model(part: Part) -> Findings:
    """Yield the contradictions to the well-known model a part is named after."""
    name = f"{part.id} {part.title}"
    if isinstance(part, GpuPart):
        for model, (low, high) in _GPU_PEAK_FLOPS_S.items():
            if _named(model, name) and not _within(part.peak_bf16_flops_s, low, high):
                found, right = shown(part.peak_bf16_flops_s, "compute"), shown(low, "compute")
                message = f"{found} is not the dense 16-bit peak of {model}, which is {right}"
                yield CatalogFinding("error", part.id, "peak_bf16_flops_s", message)
    elif isinstance(part, SwitchPart):
        for model, ports in _SWITCH_PORTS.items():
            if _named(model, name) and part.ports != ports:
                yield CatalogFinding("error", part.id, "ports", f"{part.ports} ports; a {model} has {ports}")
    elif isinstance(part, NodePart):
        for model, box in _NODES.items():
            if _named(model, name):
                yield from _box(part, model.replace("[ -]", " "), box)


def _box(part: NodePart, model: str, box: _Box) -> Findings:
    if part.height_u != box.height_u:
        message = f"{part.height_u:g} U; a {model} has {box.height_u:g} U"
        yield CatalogFinding("error", part.id, "height_u", message)
    if part.psu_count is not None and part.psu_count != box.psu_count:
        message = f"{part.psu_count} power supplies; a {model} has {box.psu_count}"
        yield CatalogFinding("error", part.id, "psu_count", message)
    if part.cooling != box.cooling:
        yield CatalogFinding(
            "error", part.id, "cooling", f"{part.cooling}; a {model} is {box.cooling}-cooled"
        )


def _named(model: str, name: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){model}(?![0-9])", name) is not None


def _within(value: float, low: float, high: float) -> bool:
    return low * (1 - _TOLERANCE) <= value <= high * (1 + _TOLERANCE)
