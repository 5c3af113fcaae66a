"""Camera places for a plant: the overview, a row, the aisle, close to a rack; drawings from top, front and side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin.plant.find import find
from twin.plant.geometry import AisleKind, Geometry
from twin.plant.tables import Plant, RackKind
from twin.view3d.base import camera
from twin.view3d.base.bounds import Box, machine_boxes, rack_boxes
from twin.view3d.base.camera import eye_m
from twin.view3d.base.state import CameraPose
from twin.view3d.place.picking import Picker

PRESETS: tuple[str, ...] = ("overview", "row", "top", "aisle", "close", "front", "side")

INSIDE: tuple[str, ...] = ("row", "aisle", "close")
"""Those from within the hall, which frame nothing whole."""
DRAWINGS: tuple[str, ...] = ("top", "front", "side")
"""Those without perspective."""
BEFORE_M, FACE_M = 0.9, 0.05
"""A drawing shows what stands so close before the hall, such as trays over racks; before a thing only its face."""
ROUND_M = 2.4
"""Machines that cool a small hall are shown at least so far round its racks, and as far as the racks reach."""
NEAR_M, DISTANCE_M = 0.05, (0.3, 5000.0)
"""What is framed lies at least so far before the eye, and its middle so far from it."""
STEP_M = 0.15
"""A way out of a thing begins so far before it."""
WIDEST_DEG = 78.0
HIGH_M = 1.5
"""What stands higher than this in a rack is looked at from below."""
CROSS_M = 0.8
FRONT_GAP_M = 0.3
ELEVATIONS_DEG = (14.0, 26.0, 38.0, 52.0)
STEEP_DEG = 220.0
"""A look from so much higher has to show the whole thing more: every further degree is worth 1 / 220 of it."""
AZIMUTHS_DEG = (50.0, -50.0, 130.0, -130.0, 20.0, -20.0, 160.0, -160.0, 90.0, -90.0)
"""Directions a machine is looked at from, in the order they are tried."""
NONE: Box = np.zeros((0, 3)), np.zeros((0, 3))
MOST_BOXES = 12
"""Machines of a loop whose sight is asked for."""
SITE_DEG = (76.0, 40.0)
"""Direction and height that a site of several halls is seen from."""
ONE_SIDE_DEG = 24.0
"""An aisle with fronts on one side only is seen turned towards them."""


def preset_pose(
    name: str,
    plant: Plant,
    geometry: Geometry,
    aspect: float,
    chosen: Sequence[str] = (),
    outside: Box = NONE,
) -> CameraPose:
    """Return the pose of a preset.

    Parameters
    ----------
    name
        One of PRESETS.
    aspect
        Width over height of the picture.
    chosen
        What is selected: where all of it stands in one hall, the pose is of that hall, else of the whole site.
    outside
        Boxes of the power gear and of the machines in the yard: an overview shows those of a site and of a small hall.

    Raises
    ------
    KeyError
        When the preset is unknown.
    """
    hall = hall_of(plant, chosen)
    if name == "overview":
        return _overview(plant, geometry, aspect, hall, outside)
    places = {"row": _row, "aisle": _aisle, "close": _close}
    if name in DRAWINGS:
        return _drawing(name, plant, geometry, aspect, hall)
    return places[name](plant, geometry, aspect, hall)


def hall_of(plant: Plant, ids: Sequence[str]) -> int:
    """Return the hall (slot) that all of some things stand in; -1 for several, or none."""
    columns = {
        "row": plant.rows.hall,
        "rack": plant.racks.hall,
        "node": plant.racks.hall[plant.nodes.rack],
        "switch": plant.racks.hall[plant.switches.rack],
        "gpu": plant.racks.hall[plant.gpus.rack],
        "loop": plant.loops.hall,
    }
    found = [find(plant, id) or ("", -1) for id in ids]
    halls = {
        slot if kind == "hall" else int(columns[kind][slot]) if kind in columns else -1
        for kind, slot in found
    }
    return halls.pop() if len(halls) == 1 else -1


def frame_box(
    pose: CameraPose,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    aspect: float,
    share: float = 0.55,
) -> CameraPose:
    """Return the pose that shows a box whole with air around it, from the same direction."""
    return _fit(pose, low, high, aspect, share)


def framed(
    pose: CameraPose, plant: Plant, boxes: Sequence[Box], picker: Picker, aspect: float, machines: bool
) -> CameraPose:
    """Return a pose that shows these boxes, of `machines` or of racks; a drawing stays one, from the same side."""
    if pose.flat:
        low, high = _airy(boxes)
        return _cut(frame_box(pose, low, high, aspect), low, high, FACE_M)
    return (before_machines if machines else before_racks)(pose, plant, boxes, picker, aspect)


def before_front(
    pose: CameraPose, plant: Plant, low: NDArray[np.float64], high: NDArray[np.float64]
) -> CameraPose:
    """Return the pose, turned before the front when a single rack or less is framed."""
    racks, centre = plant.racks, (low + high) / 2
    here = np.hypot(racks.x_m - centre[0], racks.y_m - centre[1])
    if high[0] - low[0] > 2.5 or not len(here) or here.min() > 1.5:
        return pose
    azimuth = float(racks.facing[here.argmin()]) * 72.0
    # Trays over the rows would hide what is high up from an eye above it.
    elevation = 10.0 if centre[2] < HIGH_M else -6.0
    return CameraPose(pose.centre_m, pose.distance_m, azimuth, elevation, 38.0)


def before_obstacles(pose: CameraPose, picker: Picker, half_m: ArrayLike = 0.0) -> CameraPose:
    """Return the pose moved nearer, with a wider view, when a rack or machine stands between eye and what is shown.

    `half_m` is half the size of what is shown round the centre: what stands within, such as racks that collide, hides
    nothing.
    """
    eye, centre = eye_m(pose), np.array(pose.centre_m)
    outwards = (eye - centre) / pose.distance_m
    own_m = STEP_M + float((np.asarray(half_m) / np.maximum(np.abs(outwards), 1e-9)).min())
    free_m = picker.free_way_m(centre + outwards * own_m, outwards) + own_m
    if free_m >= pose.distance_m:
        return pose
    distance = max(0.5, free_m - 0.12)
    half = np.tan(np.radians(pose.fov_deg) / 2) * pose.distance_m / distance
    return replace(pose, distance_m=distance, fov_deg=min(WIDEST_DEG, float(np.degrees(2 * np.arctan(half)))))


def before_racks(
    pose: CameraPose, plant: Plant, boxes: Sequence[Box], picker: Picker, aspect: float
) -> CameraPose:
    """Return a pose that shows racks or what is in them, from before their fronts."""
    low, high = _airy(boxes)
    front = before_front(pose, plant, low, high)
    own_m = np.max([box[1] for box in boxes], axis=0) - np.min([box[0] for box in boxes], axis=0)
    return before_obstacles(frame_box(front, low, high, aspect), picker, own_m / 2)


def before_machines(
    pose: CameraPose, plant: Plant, boxes: Sequence[Box], picker: Picker, aspect: float
) -> CameraPose:
    """Return a pose that shows machines whole, outside of everything and past what else stands there.

    Parameters
    ----------
    boxes
        Of the machines.

    Returns
    -------
    Of many directions the one that sees most of their corners; the steeper it looks down the more it has to see.
    """
    low, high = _airy(boxes)
    points = np.concatenate([_corners(*box) for box in boxes[:MOST_BOXES]])
    own = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
    side = open_side(plant)
    best, most = pose, -1.0
    for elevation in ELEVATIONS_DEG:
        for azimuth in AZIMUTHS_DEG:
            tried = CameraPose((0.0, 0.0, 0.0), 1.0, side * azimuth, elevation, 38.0)
            tried = frame_box(tried, low, high, aspect)
            seen = float(picker.seen(eye_m(tried), points, own).mean())
            worth = seen - elevation / STEEP_DEG
            if worth > most:
                best, most = tried, worth
        if most >= 1.0 - elevation / STEEP_DEG:
            return best
    return best


def _airy(boxes: Sequence[Box]) -> Box:
    """Return the box round boxes; small things are shown with what is round them."""
    low, high = np.min([b[0] for b in boxes], axis=0), np.max([b[1] for b in boxes], axis=0)
    air = np.maximum(0.0, 0.9 - (high - low)) / 2
    return low - air, high + air


def corners_of(boxes: Box) -> NDArray[np.float64]:
    """Return the corners of boxes (8 n, 3) [m]: all first ones, then all second ones, and so on."""
    ends = np.stack(boxes)
    return np.concatenate(
        [np.stack([ends[i, :, 0], ends[j, :, 1], ends[k, :, 2]], axis=1) for i, j, k in np.ndindex(2, 2, 2)]
    )


def _corners(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    ends = np.stack([low, high])
    return np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def _fit(
    pose: CameraPose, low: NDArray[np.float64], high: NDArray[np.float64], aspect: float, share: float
) -> CameraPose:
    """Return the pose moved so that the box fills `share` of the picture's width or height."""
    centre = (low + high) / 2
    right, up, back = (_corners(low - centre, high - centre) @ np.stack(camera.axes(pose)).T).T
    half = np.tan(np.radians(pose.fov_deg) / 2) * share
    far = np.maximum(np.abs(right) / (half * aspect), np.abs(up) / half)
    if not pose.flat:
        far = back + np.maximum(far, NEAR_M)
    return _at(pose, centre, float(np.clip(far.max(), *DISTANCE_M)))


def _fit_points(
    pose: CameraPose,
    points: NDArray[np.float64],
    centre: NDArray[np.float64],
    aspect: float,
    share: float,
) -> CameraPose:
    """Return the pose nearest to points (n, 3) [m] that shows all in the middle `share` of the picture.

    It turns round what is as deep in the picture as `centre`.
    """
    right, up, back = (points @ np.stack(camera.axes(pose)).T).T
    high = np.tan(np.radians(pose.fov_deg) / 2) * share
    eye, away = [], []
    for beside, half in ((right, high * aspect), (up, high)):  # of both edges the outermost points touch
        ends = (beside + half * back).max(), (half * back - beside).max()
        eye.append((ends[0] - ends[1]) / 2)
        away.append((ends[0] + ends[1]) / (2 * half))
    deep = float(centre @ camera.axes(pose)[2])
    distance_m = float(np.clip(max(away) - deep, *DISTANCE_M))
    return _at(pose, np.array([*eye, deep]) @ np.stack(camera.axes(pose)), distance_m)


def _at(pose: CameraPose, centre: NDArray[np.float64], distance_m: float) -> CameraPose:
    place = (float(centre[0]), float(centre[1]), float(centre[2]))
    return replace(pose, centre_m=place, distance_m=distance_m)


def _racks_box(
    plant: Plant, geometry: Geometry, hall: int = -1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    racks = plant.racks
    present = _in_hall(plant, hall)
    if not present.any():
        return geometry.bounds_m[0], geometry.bounds_m[1]
    half = np.column_stack([racks.width_m, racks.depth_m])[present] / 2
    middle = np.column_stack([racks.x_m, racks.y_m])[present]
    low = np.append((middle - half).min(axis=0), 0.0)
    return low, np.append((middle + half).max(axis=0), racks.height_m[present].max())


def _in_hall(plant: Plant, hall: int) -> NDArray[np.bool_]:
    """Return which racks stand in a hall, -1: in any."""
    return np.asarray(plant.racks.present & ((plant.racks.hall == hall) | (hall < 0)))


def open_side(plant: Plant, hall: int = -1) -> float:
    """Return -1 or +1: the y side of a hall, -1: the site, whose outermost row turns most of its fronts outwards."""
    racks = plant.racks
    present = np.flatnonzero(_in_hall(plant, hall))
    if not len(present):
        return -1.0
    y_m, row = racks.y_m[present], racks.row[present]
    low, high = (racks.facing[present[row == row[end]]] for end in (y_m.argmin(), y_m.argmax()))
    return 1.0 if low.sum() >= 0 and high.sum() > 0 else -1.0


def overview_boxes(plant: Plant, geometry: Geometry, outside: Box) -> Box:
    """Return the boxes of all that an overview shows: racks, in a small hall machines beside them, of a site all."""
    racks = rack_boxes(plant, np.flatnonzero(plant.racks.present))
    shown = [racks, outside] if _is_site(plant) else [racks]
    if not _is_site(plant):
        low, high = _racks_box(plant, geometry)
        if _largeness(low, high) < 1.0:
            machines = machine_boxes(geometry, np.arange(len(geometry.machines.loop)))
            shown += [_near(each, low, high) for each in (machines, outside)]
    return np.concatenate([low for low, _ in shown]), np.concatenate([high for _, high in shown])


def is_small(plant: Plant, geometry: Geometry) -> bool:
    """Return whether the racks stand so close together that an overview shows all of them whole."""
    return _largeness(*_racks_box(plant, geometry)) < 0.5


def _is_site(plant: Plant, hall: int = -1) -> bool:
    """Return whether racks stand in several halls, of which none is chosen."""
    return np.unique(plant.racks.hall[_in_hall(plant, hall)]).size > 1


def _largeness(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """Return 0 for a small hall, 1 for a large one."""
    return float(np.clip((np.hypot(high[0] - low[0], high[1] - low[1]) - 10.0) / 25.0, 0.0, 1.0))


def _near(boxes: Box, low: NDArray[np.float64], high: NDArray[np.float64]) -> Box:
    """Return the boxes that stand whole round a hall, as far as its racks reach."""
    reach = np.maximum(ROUND_M, high - low)[:2]
    near = ((boxes[0][:, :2] > low[:2] - reach) & (boxes[1][:, :2] < high[:2] + reach)).all(axis=1)
    return boxes[0][near], boxes[1][near]


def _overview(
    plant: Plant, geometry: Geometry, aspect: float, hall: int = -1, outside: Box = NONE
) -> CameraPose:
    low, high = _racks_box(plant, geometry, hall)
    high = high + np.array([0.0, 0.0, 0.6])
    side = open_side(plant, hall)
    if _is_site(plant, hall):  # it is seen whole, with its floors and what stands in its yard, as a map
        halls, there = plant.halls, np.unique(plant.racks.hall[plant.racks.present])
        floor_low = np.stack([halls.x0_m, halls.y0_m, np.zeros(len(halls.ids))], axis=1)[there]
        floor_high = np.stack([halls.x1_m, halls.y1_m, np.full(len(halls.ids), high[2])], axis=1)[there]
        pose = CameraPose((0.0, 0.0, 0.0), 1.0, side * SITE_DEG[0], SITE_DEG[1], 38.0)
        boxes = np.concatenate([floor_low, outside[0]]), np.concatenate([floor_high, outside[1]])
        return _fit_points(pose, corners_of(boxes), (low + high) / 2, aspect, share=0.92)
    wide, deep = high[0] - low[0], high[1] - low[1]
    large = _largeness(low, high)
    # In a small hall the machines that cool and feed it belong to the story, in a large one the rows are.
    loops = geometry.machines.loop
    machines = machine_boxes(geometry, np.flatnonzero((plant.loops.hall[loops] == hall) | (hall < 0)))
    gear = _near(outside, low, high)
    machines = np.concatenate([machines[0], gear[0]]), np.concatenate([machines[1], gear[1]])
    if len(machines[0]):
        reach = np.append(
            np.maximum(ROUND_M, high - low)[:2], np.inf
        )  # what is worked on takes no corner of it
        low = low + (1 - large) * np.clip(machines[0].min(axis=0) - low, -reach, 0.0)
        high = high + (1 - large) * np.clip(machines[1].max(axis=0) - high, 0.0, reach)
    # The cross tray and its labels stand beyond the ends of the rows.
    high[0] += (1 - large) * CROSS_M
    # The longer the rows in comparison with the hall's depth, the more the camera stands before them.
    lean = float(np.degrees(np.arctan2(deep, wide)))
    # A hall of many rows is seen along the ends of its rows, where each cold aisle shows its fronts.
    many = large * float(np.clip((lean - 45.0) / 25.0, 0.0, 1.0))
    azimuth = side * (50.0 + 0.25 * (90.0 - lean) - 15.0 * many)
    pose = CameraPose((0.0, 0.0, 0.0), 1.0, azimuth, 26.0 - 2.0 * many, 38.0)
    fitted = _fit(pose, low, high, aspect, share=0.97)
    # A large hall is seen from nearer than it fits: its rows run out of the picture and recede into the fog.
    ahead = np.array([(0.10 - 0.10 * many) * wide, side * (0.05 + 0.11 * many) * deep, 0.0])
    centre = np.array(fitted.centre_m) + large * ahead
    return _at(fitted, centre, fitted.distance_m * (1.02 - 0.22 * large - 0.06 * many))


def _row(plant: Plant, geometry: Geometry, aspect: float, hall: int = -1) -> CameraPose:
    racks = plant.racks
    side = open_side(plant, hall)
    alive = np.flatnonzero(_in_hall(plant, hall))
    if not len(alive):
        return _overview(plant, geometry, aspect, hall)
    edge = alive[(racks.y_m[alive] * side).argmax()]
    row = alive[racks.row[alive] == racks.row[edge]]
    low = np.array([racks.x_m[row].min(), racks.y_m[row].min() - 0.6, 0.0])
    high = np.array([racks.x_m[row].max(), racks.y_m[row].max() + 0.6, racks.height_m[row].max()])
    length = min(float(high[0] - low[0]), 9.0)
    low[0] = high[0] - length
    pose = CameraPose((0.0, 0.0, 0.0), 1.0, side * 48.0, 11.0, 42.0)
    return _fit(pose, low, high, aspect, share=0.98)


def _drawing(name: str, plant: Plant, geometry: Geometry, aspect: float, hall: int) -> CameraPose:
    """Return a hall, or all, as a drawing: from the top, before the fronts of its rows, or along them."""
    low, high = _floor_box(plant, geometry, hall)
    racks_low, racks_high = _racks_box(plant, geometry, hall)
    side = open_side(plant, hall)
    wide, deep = high[0] - low[0], high[1] - low[1]
    # The longer side of the hall lies along the longer side of the picture.
    along = 0.0 if (deep > wide) == (aspect > 1) else -90.0
    azimuth, elevation = {"top": (along, 90.0), "front": (90.0 * side, 0.0), "side": (0.0, 0.0)}[name]
    pose = CameraPose((0.0, 0.0, 0.0), 1.0, azimuth, elevation, 30.0, flat_m=1.0)
    back = camera.axes(pose)[2]
    # What stands before the racks is left out: the middle of the drawing lies as deep as theirs.
    deeper = back * (((racks_low + racks_high) - (low + high)) @ back) / 2
    fitted = _fit(pose, low, high, aspect, share=0.86)
    return _cut(
        _at(fitted, np.array(fitted.centre_m) + deeper, fitted.distance_m), racks_low, racks_high, BEFORE_M
    )


def _floor_box(
    plant: Plant, geometry: Geometry, hall: int = -1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the box over the floor of a hall, or of all, as high as its racks."""
    halls = plant.halls
    if not len(halls.ids):
        return _racks_box(plant, geometry, hall)
    chosen = np.arange(len(halls.ids)) == hall if hall >= 0 else np.ones(len(halls.ids), np.bool_)
    top_m = _racks_box(plant, geometry, hall)[1][2]
    return (
        np.array([halls.x0_m[chosen].min(), halls.y0_m[chosen].min(), 0.0]),
        np.array([halls.x1_m[chosen].max(), halls.y1_m[chosen].max(), top_m]),
    )


def _cut(
    pose: CameraPose, low: NDArray[np.float64], high: NDArray[np.float64], before_m: float
) -> CameraPose:
    """Return a drawing that leaves out what stands farther than `before_m` before a box."""
    half_m = float(np.abs(camera.axes(pose)[2]) @ (high - low)) / 2
    return replace(pose, flat_m=half_m + before_m)


def _aisle(plant: Plant, geometry: Geometry, aspect: float, hall: int = -1) -> CameraPose:
    aisles = geometry.aisles
    between = (aisles.kind == AisleKind.COLD) & (aisles.y1_m - aisles.y0_m > 0.9)
    if hall >= 0:
        middle, halls = (aisles.x0_m + aisles.x1_m) / 2, plant.halls
        between &= (middle > halls.x0_m[hall]) & (middle < halls.x1_m[hall])
    inner = np.flatnonzero(between)
    if not len(inner):
        return _row(plant, geometry, aspect, hall)
    fronts = np.array([_fronts(plant, geometry, int(k)) for k in inner])
    # Fronts on both sides are best, then many on one; of equal aisles the one in the middle of the hall.
    off_centre = np.abs(np.arange(len(inner)) - (len(inner) - 1) / 2)
    best = np.lexsort((off_centre, -fronts.sum(axis=1), -fronts.min(axis=1)))[0]
    k, (below, above) = inner[best], fronts[best]
    y = float(aisles.y0_m[k] + aisles.y1_m[k]) / 2
    end = float(aisles.x1_m[k])
    reach = min(7.0, max(2.5, (end - float(aisles.x0_m[k])) * 0.6))
    turn = ONE_SIDE_DEG * (float(below > 0) - float(above > 0))
    return CameraPose((end - reach, y, 1.25), reach + 1.2, turn, 5.0, 55.0)


def _fronts(plant: Plant, geometry: Geometry, aisle: int) -> tuple[int, int]:
    """Return how many compute racks turn their fronts to an aisle from its low and from its high y side."""
    racks, aisles = plant.racks, geometry.aisles
    front_m = racks.y_m + racks.facing * racks.depth_m / 2
    here = racks.present & (racks.kind == RackKind.COMPUTE)
    here &= (racks.x_m > aisles.x0_m[aisle]) & (racks.x_m < aisles.x1_m[aisle])
    below = here & (racks.facing > 0) & (np.abs(front_m - aisles.y0_m[aisle]) < FRONT_GAP_M)
    above = here & (racks.facing < 0) & (np.abs(front_m - aisles.y1_m[aisle]) < FRONT_GAP_M)
    return int(below.sum()), int(above.sum())


def _close(plant: Plant, geometry: Geometry, aspect: float, hall: int = -1) -> CameraPose:
    racks, side = plant.racks, open_side(plant, hall)
    alive = np.flatnonzero(_in_hall(plant, hall))
    if not len(alive):
        return _overview(plant, geometry, aspect, hall)
    edge = alive[(racks.y_m[alive] * side).argmax()]
    row = alive[racks.row[alive] == racks.row[edge]]
    rack = row[np.argsort(racks.x_m[row])[-min(2, len(row))]]
    centre = np.array([racks.x_m[rack], racks.y_m[rack] + side * racks.depth_m[rack] / 2, 1.05])
    return _at(CameraPose((0.0, 0.0, 0.0), 1.0, side * 66.0, 9.0, 38.0), centre, 3.6)
