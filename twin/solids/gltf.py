"""Solids as binary glTF 2.0: a mesh for each size and colour, a named node for each thing."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.solids.site_solids import SiteSolids
from twin.view3d.base.meshes import FACE_NAMES, box_faces, quad_indices

_FLOAT, _UINT32, _ARRAY, _ELEMENTS = 5126, 5125, 34962, 34963
_JSON, _BIN = 0x4E4F534A, 0x004E4942
_STEP_M = 1e-4
"""Sizes that differ by less share a mesh."""


def glb_bytes(solids: SiteSolids, title: str) -> bytes:
    """Return a .glb file; y is up in it, as glTF has it, and things are in the racks that they stand in."""
    size_m = solids.high_m - solids.low_m
    buffer = _Buffer()
    shapes: dict[int, tuple[int, int]] = {}  # normals and triangles of so many boxes
    looks: dict[tuple[float, ...], int] = {}
    meshes: list[dict[str, Any]] = []
    materials: dict[tuple[int, ...], int] = {}
    nodes: list[dict[str, Any]] = []
    centre_m, turn_rad = solids.centre_m, solids.turn_rad.tolist()
    children: dict[int, list[int]] = {}
    for place in range(len(solids)):
        colour = tuple(solids.rgb[place].tolist())
        boxes = solids.boxes(place)
        look = (len(boxes), *np.round(size_m[place] / _STEP_M).tolist(), *colour)
        if look not in looks:
            positions, normals, triangles = _mesh(boxes)
            if len(boxes) not in shapes:
                shapes[len(boxes)] = (buffer.add(normals, "VEC3"), buffer.add(triangles, "SCALAR"))
            outward, indices = shapes[len(boxes)]
            material = materials.setdefault(colour, len(materials))
            attributes = {"POSITION": buffer.add(positions, "VEC3", bounds=True), "NORMAL": outward}
            looks[look] = len(meshes)
            meshes.append(
                {"primitives": [{"attributes": attributes, "indices": indices, "material": material}]}
            )
        parent = int(solids.parent[place])
        at_m = centre_m[place] - (centre_m[parent] if parent >= 0 else 0.0)
        node: dict[str, Any] = {
            "name": solids.ids[place],
            "mesh": looks[look],
            "translation": [round(float(value), 5) for value in at_m],
        }
        if turn_rad[place]:
            half_rad = turn_rad[place] / 2
            node["rotation"] = [0, 0, round(math.sin(half_rad), 7), round(math.cos(half_rad), 7)]
        node["extras"] = _extras(solids, place)
        nodes.append(node)
        children.setdefault(parent, []).append(place)
    for parent, inside in children.items():
        if parent >= 0:
            nodes[parent]["children"] = inside
    nodes.append(
        {"name": title, "rotation": [-math.sqrt(0.5), 0, 0, math.sqrt(0.5)], "children": children.get(-1, [])}
    )
    if not nodes[-1]["children"]:
        del nodes[-1]["children"]
    document = {
        "asset": {"version": "2.0", "generator": "gpu-twin"},
        "scene": 0,
        "scenes": [{"name": title, "nodes": [len(nodes) - 1]}],
        "nodes": nodes,
        "meshes": meshes,
        "materials": [_material(colour) for colour in materials],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": len(buffer.data)}],
    }
    if not meshes:
        for key in ("meshes", "materials", "accessors", "bufferViews", "buffers"):
            del document[key]
    return _glb(document, bytes(buffer.data))


class _Buffer:
    """The one buffer of a file, with its views and what they hold."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, values: NDArray[Any], kind: str, *, bounds: bool = False) -> int:
        """Take values in, and return the number of their accessor."""
        is_index = kind == "SCALAR"
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": values.nbytes}
        self.views.append({**view, "target": _ELEMENTS if is_index else _ARRAY})
        self.data += values.tobytes()
        made: dict[str, Any] = {"bufferView": len(self.views) - 1, "count": len(values), "type": kind}
        made["componentType"] = _UINT32 if is_index else _FLOAT
        if bounds:
            made |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
        self.accessors.append(made)
        return len(self.accessors) - 1


def _mesh(boxes: Floats) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.uint32]]:
    """Return positions, normals and triangles of some boxes."""
    positions, normals, *_ = box_faces(boxes[:, 0], boxes[:, 1], FACE_NAMES)
    corners = positions.reshape(-1, 3).astype(np.float32)
    outward = np.repeat(normals, 4 * len(boxes), axis=0).astype(np.float32)
    return corners, outward, quad_indices(len(corners) // 4).astype(np.uint32)


def _extras(solids: SiteSolids, place: int) -> dict[str, Any]:
    """Return what is said of a thing beside its name, which is its id."""
    found: dict[str, Any] = {"kind": solids.kinds[place]}
    if solids.parts[place]:
        found["part"] = solids.parts[place]
    for key, values in (("power_w", solids.power_w), ("temp_c", solids.temp_c)):
        if math.isfinite(values[place]):
            found[key] = round(float(values[place]), 1)
    return found


def _material(colour: tuple[int, ...]) -> dict[str, Any]:
    linear = [round((part / 255) ** 2.2, 4) for part in colour]
    factor = {"baseColorFactor": [*linear, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.7}
    return {"name": "#" + "".join(f"{part:02x}" for part in colour), "pbrMetallicRoughness": factor}


def _glb(document: dict[str, Any], data: bytes) -> bytes:
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=True).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    length = 12 + 8 + len(text) + 8 + len(data)
    head = struct.pack("<4sII", b"glTF", 2, length)
    return b"".join(
        [head, struct.pack("<II", len(text), _JSON), text, struct.pack("<II", len(data), _BIN), data]
    )
