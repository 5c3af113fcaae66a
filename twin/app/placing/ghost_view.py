"""From where a thing would land to what is shown of it: bodies, zones before and behind, guides, units of a rack."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from twin.commands.place.floor_plan import MovedShape
from twin.commands.place.snap import Snap
from twin.commands.place.snap_units import UnitSnap
from twin.language import tr
from twin.plant.cabinet import WANTED_FRONT_M, WANTED_REAR_M
from twin.plant.tables import RACK_FOOT_M, U_M, Plant
from twin.view3d.base.bounds import Box
from twin.view3d.base.edit_shapes import Ghost, GhostBox, GuideLine, Tone
from twin.view3d.base.fronts import FRAME_M

MOST_BODIES = 400
"""Things shown one by one of a selection that is moved."""
LINE_M = 0.025
"""Guides run so far above the floor."""
JOIN_M = 0.25
"""Zones of racks side by side are one when the gap between them is smaller."""
PROUD_M = 0.02
SILL_M = 0.004

Standing = Callable[[str], Box | None]


def on_floor(shape: MovedShape, heights_m: Sequence[float], snap: Snap, standing: Standing) -> Ghost:
    """Return the ghost of things on the floor; `standing` gives the box of what is in the way."""
    tone = _tone(snap.ok, bool(snap.problems))
    x, y = shape.dx_m + snap.place.x_m, shape.dy_m + snap.place.y_m
    bodies = []
    for k in range(min(len(x), MOST_BODIES)):
        half_x, half_y = float(shape.width_m[k]) / 2, float(shape.depth_m[k]) / 2
        low = (float(x[k]) - half_x, float(y[k]) - half_y, 0.0)
        high = (low[0] + 2 * half_x, low[1] + 2 * half_y, heights_m[k])
        bodies.append(GhostBox(low, high, tone, ahead=shape.ahead))
    hit = [(standing(id), problem.hard) for problem in snap.problems for id in problem.ids]
    struck = [_round(box, "bad" if hard else "warn") for box, hard in hit[:8] if box is not None]
    lines = tuple(
        GuideLine(
            (*guide.start, LINE_M),
            (*guide.stop, LINE_M),
            "plain" if guide.kind == "line" else tone,
            guide.text,
        )
        for guide in snap.guides
    )
    return Ghost((*_zones(shape, x, y), *bodies, *struck), lines)


def in_rack(plant: Plant, snap: UnitSnap) -> Ghost:
    """Return the ghost of a node in a rack, with all free units of the rack lit."""
    racks, rack = plant.racks, snap.rack
    x, y = float(racks.x_m[rack]), float(racks.y_m[rack])
    half = float(racks.width_m[rack]) / 2 - FRAME_M
    deep, facing = float(racks.depth_m[rack]) / 2, float(racks.facing[rack])
    front = y + facing * deep

    def slab(u: int, units: int, depth_m: float, proud_m: float, tone: Tone, outlined: bool) -> GhostBox:
        ends = sorted((front + facing * proud_m, front - facing * depth_m))
        low_z = RACK_FOOT_M + (u - 1) * U_M
        low = (x - half, ends[0], low_z + SILL_M)
        return GhostBox(low, (x + half, ends[1], low_z + units * U_M - SILL_M), tone, outlined=outlined)

    free = [u for u in range(1, len(snap.taken) + 1) if not snap.taken[u - 1]]
    here = set(range(snap.u, snap.u + snap.height_u))
    slots = [slab(u, 1, 0.0, PROUD_M, "slot", False) for u in free if u not in here]
    tone: Tone = "chosen" if snap.ok else "bad"
    chosen = slab(snap.u, snap.height_u, 2 * deep - 0.1, 2.5 * PROUD_M, tone, True)
    case = GhostBox(
        (x - half - FRAME_M, y - deep, 0.0),
        (x + half + FRAME_M, y + deep, float(racks.height_m[rack])),
        "slot" if snap.ok else "bad",
    )
    last = snap.u + snap.height_u - 1
    words = f"U {snap.u}" if last == snap.u else tr("U {u} to {last}", u=snap.u, last=last)
    side = x + facing * (half + FRAME_M + 0.12)
    low_z, high_z = chosen.low[2], chosen.high[2]
    ruler = GuideLine((side, front, low_z), (side, front, high_z), "plain" if snap.ok else "bad", words)
    rim = [_edges_only(case)]
    return Ghost((*rim, *slots, chosen), (ruler,))


def whole_rack(plant: Plant, rack: int, ok: bool) -> Ghost:
    """Return the ghost of what a rack takes without asking for a unit: the rack itself, lit."""
    racks = plant.racks
    half_x, half_y = float(racks.width_m[rack]) / 2 + PROUD_M, float(racks.depth_m[rack]) / 2 + PROUD_M
    low = (float(racks.x_m[rack]) - half_x, float(racks.y_m[rack]) - half_y, 0.0)
    high = (low[0] + 2 * half_x, low[1] + 2 * half_y, float(racks.height_m[rack]) + PROUD_M)
    return Ghost((GhostBox(low, high, "good" if ok else "bad"),))


def nowhere(x_m: float, y_m: float, width_m: float, depth_m: float, height_m: float) -> Ghost:
    """Return the ghost of a thing that can only go into a rack, over bare floor."""
    low = (x_m - width_m / 2, y_m - depth_m / 2, 0.0)
    return Ghost((GhostBox(low, (low[0] + width_m, low[1] + depth_m, height_m), "bad"),))


def _tone(ok: bool, doubtful: bool) -> Tone:
    if not ok:
        return "bad"
    return "warn" if doubtful else "good"


def _round(box: Box, tone: Tone) -> GhostBox:
    """Return a shell just outside a thing that stands there."""
    low, high = box
    return GhostBox(
        (float(low[0]) - PROUD_M, float(low[1]) - PROUD_M, 0.0),
        (float(high[0]) + PROUD_M, float(high[1]) + PROUD_M, float(high[2]) + PROUD_M),
        tone,
    )


def _edges_only(box: GhostBox) -> GhostBox:
    """Return a body so thin at the floor that only its outline over the footprint is seen."""
    return GhostBox(box.low, (box.high[0], box.high[1], 0.03), box.tone)


def _zones(shape: MovedShape, x: np.ndarray, y: np.ndarray) -> list[GhostBox]:
    """Return what is to be kept clear before and behind, one zone for racks side by side."""
    found: list[GhostBox] = []
    order = np.lexsort((x, y.round(3), shape.facing))
    runs: list[list[int]] = []
    for k in order.tolist():
        if shape.facing[k] == 0:
            continue
        if runs:
            last = runs[-1][-1]
            gap = x[k] - x[last] - (shape.width_m[k] + shape.width_m[last]) / 2
            same = shape.facing[k] == shape.facing[last] and abs(y[k] - y[last]) < 1e-3
            if same and gap < JOIN_M and shape.depth_m[k] == shape.depth_m[last]:
                runs[-1].append(k)
                continue
        runs.append([k])
    for run in runs[:MOST_BODIES]:
        a, b = run[0], run[-1]
        x0, x1 = float(x[a] - shape.width_m[a] / 2), float(x[b] + shape.width_m[b] / 2)
        facing, half = int(shape.facing[a]), float(shape.depth_m[a]) / 2
        sides: tuple[tuple[int, float, Tone], ...] = (
            (facing, WANTED_FRONT_M, "front"),
            (-facing, WANTED_REAR_M, "rear"),
        )
        for side, deep_m, tone in sides:
            near, far = float(y[a]) + side * half, float(y[a]) + side * (half + deep_m)
            low, high = (x0, min(near, far), 0.0), (x1, max(near, far), 0.0)
            found.append(GhostBox(low, high, tone, flat=True))
    return found
