"""What a drag from the palette carries: a part of the catalogue, or a prefab."""

from __future__ import annotations

import json
from dataclasses import dataclass

from PySide6.QtCore import QMimeData, QRect

PART_MIME = "application/x-twin-part"
IN_HAND = QRect(16, 16, 40, 30)
"""Where the picture of what is dragged lies, from the pointer: small, and off the place that is pointed at [px]."""
_LONGEST = 10_000
"""Bytes; a drag from elsewhere is not read whatever it holds."""


@dataclass(frozen=True)
class Dragged:
    """A part by its id with its kind, or a prefab by its id."""

    part: str = ""
    kind: str = ""
    prefab: str = ""


def mime_of(dragged: Dragged) -> QMimeData:
    """Return what a drag of it carries; its name too, for places that take text."""
    content = {"prefab": dragged.prefab} if dragged.prefab else {"part": dragged.part, "kind": dragged.kind}
    data = QMimeData()
    data.setData(PART_MIME, json.dumps(content).encode())
    data.setText(dragged.prefab or dragged.part)
    return data


def dragged_part(data: QMimeData) -> Dragged | None:
    """Return the part or prefab a drag carries; None for anything else."""
    if not data.hasFormat(PART_MIME):
        return None
    raw = bytes(data.data(PART_MIME).data())
    if len(raw) > _LONGEST:
        return None
    try:
        content = json.loads(raw)
    except ValueError:
        return None
    if not isinstance(content, dict):
        return None
    words = {key: value for key in ("part", "kind", "prefab") if isinstance(value := content.get(key), str)}
    return Dragged(**words) if words.get("part") or words.get("prefab") else None
