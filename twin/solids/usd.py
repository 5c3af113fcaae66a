"""Solids as OpenUSD text: instances of a shape for each part, size and colour; ids, parts, values as attributes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

import numpy as np

from twin.arrays import Floats
from twin.shown_text import printable
from twin.solids.site_solids import SiteSolids

_STEP_M = 1e-4
_MOVED = 'uniform token[] xformOpOrder = ["xformOp:translate"]'
_TURNED = 'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ"]'
_CUSTOM = (("powerW", "power_w"), ("tempC", "temp_c"))


def usda_text(solids: SiteSolids, title: str) -> str:
    """Return a .usda file: metres, z up; things are in the racks that they stand in."""
    return "\n".join(_lines(solids, title)) + "\n"


def _lines(solids: SiteSolids, title: str) -> Iterator[str]:
    shapes: dict[tuple[object, ...], tuple[str, int]] = {}
    looks = []
    for place, size in enumerate(np.round((solids.high_m - solids.low_m) / _STEP_M).tolist()):
        look = (solids.kinds[place], solids.parts[place], *solids.rgb[place].tolist(), *size)
        looks.append(shapes.setdefault(look, (f"Shape{len(shapes)}", place))[0])
    yield "#usda 1.0"
    yield f'(\n defaultPrim = "Site"\n metersPerUnit = 1\n upAxis = "Z"\n doc = {_text(title)}\n)'
    for name, place in shapes.values():
        yield f'class Xform "{name}"\n{{'
        yield from _what(solids, place, " ")
        yield " double3 xformOp:translate = (0, 0, 0)"
        yield f" {_MOVED}"
        yield f" color3f[] primvars:displayColor = [{_triple((solids.rgb[place] / 255.0) ** 2.2)}]"
        for number, (low, high) in enumerate(solids.boxes(place)):
            yield from _cube(f"box{number}", low, high)
        yield "}"
    yield 'def Xform "Site" (\n kind = "assembly"\n)\n{'
    children: dict[int, list[int]] = {}
    for place, parent in enumerate(solids.parent.tolist()):
        children.setdefault(parent, []).append(place)
    yield from _things(solids, children, looks, -1, " ")
    yield "}"


def _things(
    solids: SiteSolids, children: dict[int, list[int]], looks: list[str], parent: int, indent: str
) -> Iterator[str]:
    taken: set[str] = set()
    centre_m, turn_rad = solids.centre_m, solids.turn_rad
    inner = indent + " "
    for place in children.get(parent, ()):
        at = centre_m[place] - (centre_m[parent] if parent >= 0 else 0.0)
        leaf = place not in children
        yield f'{indent}def Xform "{_name(solids.ids[place], taken)}"{_instance(looks[place]) if leaf else ""}'
        yield f"{indent}{{"
        yield f"{inner}custom string twin:id = {_text(solids.ids[place])}"
        for key, column in _CUSTOM:
            value = float(getattr(solids, column)[place])
            if math.isfinite(value):
                yield f"{inner}custom double twin:{key} = {value:.6g}"
        yield f"{inner}double3 xformOp:translate = {_triple(at)}"
        if turn_rad[place]:
            yield f"{inner}double xformOp:rotateZ = {math.degrees(turn_rad[place]):.10g}"
        if turn_rad[place] or not leaf:
            yield inner + (_TURNED if turn_rad[place] else _MOVED)
        if not leaf:
            yield from _what(solids, place, inner)
            yield f'{inner}def Xform "body"{_instance(looks[place])}'
            yield inner + "{"
            yield inner + "}"
            yield from _things(solids, children, looks, place, inner)
        yield f"{indent}}}"


def _what(solids: SiteSolids, place: int, indent: str) -> Iterator[str]:
    """Yield what a thing is; instances have that of their shape."""
    yield f"{indent}custom token twin:kind = {_text(solids.kinds[place])}"
    if solids.parts[place]:
        yield f"{indent}custom string twin:part = {_text(solids.parts[place])}"


def _instance(look: str) -> str:
    return f" (\n instanceable = true\n references = </{look}>\n)"


def _cube(name: str, low: Floats, high: Floats) -> Iterator[str]:
    for line in (
        f'def Cube "{name}"',
        "{",
        " double size = 1",
        f" double3 xformOp:translate = {_triple((low + high) / 2)}",
        f" double3 xformOp:scale = {_triple(high - low)}",
        ' uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]',
        "}",
    ):
        yield f" {line}"


def _triple(values: Floats) -> str:
    return "(" + ", ".join(f"{value + 0.0:.6g}" for value in values.tolist()) + ")"


def _name(id: str, taken: set[str]) -> str:
    """Return the name of a prim for an id: letters, digits and underscores, unique among its neighbours."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", id)
    name = name if re.match(r"[A-Za-z_]", name) else f"_{name}"
    found, number = name, 1
    while found in taken or found == "body":
        number += 1
        found = f"{name}_{number}"
    taken.add(found)
    return found


def _text(words: str) -> str:
    """Return a text as USD has it in quotes."""
    return json.dumps(printable(words).replace("\n", " "), ensure_ascii=False)
