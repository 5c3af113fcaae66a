"""What differs between two halls at one time, GPU by GPU: as drawing codes on a diverging ramp, and as their legend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Ints64
from twin.language import tr
from twin.plant.tables import Plant
from twin.record.channels import BY_ID, State
from twin.record.frame import Frame
from twin.view3d.base import palette
from twin.view3d.base.ownership import GROUPED, NO_GROUPS, OwnerNames
from twin.view3d.base.palette import Rgb
from twin.view3d.colour.legend import STOPS, Category, Legend
from twin.view3d.colour.machine_difference import MachinesApart
from twin.view3d.colour.override_colours import RAMP, Repainted
from twin.view3d.colour.value_codes import throttle_places

_UNIT = {"°C": "K"}
_DOWN = (State.FAILED, State.OFF, State.UNPOWERED, State.ABSENT)
_BACK = palette.STATE_BASE + State.RUNNING


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two halls at one time."""

    plant: Plant
    frame: Frame
    groups: OwnerNames = NO_GROUPS


@dataclass(frozen=True, eq=False)
class Apart:
    """How B differs from A.

    Attributes
    ----------
    repainted
        The GPUs of B.
    legend
        Of it, with counts.
    compared, differing
        GPUs that both have and that work in both, and those among them that differ by more than the quantum of the
        channel.
    lowest, highest
        Of B - A among them, in the unit of `legend`; 0 where the channel is no quantity.
    machines
        How water, links, switches and power gear differ; None: not asked for.
    """

    repainted: Repainted
    legend: Legend
    compared: int
    differing: int
    lowest: float
    highest: float
    machines: MachinesApart | None = None


def matched(a: Plant, b: Plant) -> Ints64:
    """Return the slot in A of each GPU of B, by id; -1: it stands only in B, or nowhere."""
    node_of = {id: slot for slot, id in enumerate(a.nodes.ids)}
    node = np.array([node_of.get(id, -1) for id in b.nodes.ids], np.int64)
    most = int(max(a.gpus.index.max(initial=0), b.gpus.index.max(initial=0))) + 1
    slot_of = np.full((len(a.nodes.ids) + 1) * most, -1, np.int64)  # the last node is none
    present = np.flatnonzero(a.gpus.present)
    slot_of[a.gpus.node[present].astype(np.int64) * most + a.gpus.index[present]] = present
    of_b = node[b.gpus.node] if len(node) else np.zeros(0, np.int64)
    places = slot_of[np.where(of_b < 0, len(a.nodes.ids), of_b) * most + b.gpus.index]
    return np.where(b.gpus.present, places, -1)


def apart(
    colour_by: str,
    a: Side,
    b: Side,
    places: Ints64,
    reach: float | None = None,
    machines: MachinesApart | None = None,
) -> Apart:
    """Return how B differs from A.

    Parameters
    ----------
    colour_by
        Id of a GPU channel.
    places
        The slot in A of each GPU of B, see `matched`.
    reach
        Value at the ends of the ramp [unit of the channel]; None: the usual one.
    machines
        How their machines differ: shown and told beside the GPUs.
    """
    both = places >= 0
    slots = np.where(both, places, 0)
    states = [np.asarray(side.frame.values["gpu.state"]) for side in (a, b)]
    down_a, down_b = (np.isin(state, _DOWN) for state in states)
    down_a = down_a[slots]
    present = b.plant.gpus.present
    works = both & ~down_a & ~down_b
    codes = np.full(len(present), palette.ABSENT, np.float32)
    lowest = highest = 0.0
    reaches = BY_ID[colour_by].reaches
    if reaches:
        reach = reaches[0] if reach is None else reach
        values = [np.asarray(side.frame.values[colour_by], np.float64) for side in (a, b)]
        delta = np.nan_to_num(values[1] - values[0][slots])
        codes[both] = ((0.5 + 0.5 * np.clip(delta / reach, -1.0, 1.0)) * (palette.RAMP - 1))[both]
        differs = works & (np.abs(delta) > BY_ID[colour_by].quantum)
        if works.any():
            lowest, highest = float(delta[works].min()), float(delta[works].max())
        swatches = []
    else:
        first, second = (_kinds(colour_by, side) for side in (a, b))
        kinds = {kind: number for number, kind in enumerate(dict.fromkeys((*first[1], *second[1])))}
        number = [
            np.array([kinds[kind] for kind in names], np.int64)[kind_of] for kind_of, names in (first, second)
        ]
        differs = works & (number[1] != number[0][slots])
        codes[both] = np.where(differs, palette.LOST, palette.UNTOUCHED)[both]
        swatches = [
            Category(tr("different in B"), palette.LOST_RGB, "\N{NOT EQUAL TO}", int(differs.sum())),
            Category(tr("the same"), palette.UNTOUCHED_RGB, "=", int((works & ~differs).sum())),
        ]
    marks = (
        (both & down_b & ~down_a, palette.DEAD, tr("out of service in B only"), palette.DEAD_RGB, "✖"),
        (
            both & down_a & ~down_b,
            _BACK,
            tr("out of service in A only"),
            palette.STATE_RGB[State.RUNNING],
            "▶",
        ),
        (both & down_a & down_b, palette.UNTOUCHED, tr("out of service in both"), palette.UNTOUCHED_RGB, "○"),
        (present & ~both, palette.THINNED, tr("only in B"), palette.THINNED_RGB, "+"),
    )
    for those, code, words, rgb, icon in marks:
        codes[those] = code
        if those.any():
            swatches.append(Category(words, rgb, icon, int(those.sum())))
    if machines is not None:
        swatches += machines.categories
    made = _legend(colour_by, reach or 0.0, tuple(swatches))
    repainted = Repainted(codes, RAMP, None if machines is None else machines.colours)
    return Apart(repainted, made, int(works.sum()), int(differs.sum()), lowest, highest, machines)


def unit_of(colour_by: str) -> str:
    """Return the unit of differences of a channel."""
    unit = BY_ID[colour_by].unit
    return _UNIT.get(unit, unit)


def _legend(colour_by: str, reach: float, swatches: tuple[Category, ...]) -> Legend:
    title = f"{BY_ID[colour_by].title}: B \N{MINUS SIGN} A"
    if not BY_ID[colour_by].reaches:
        return Legend(title, "", 0.0, 0.0, (), swatches)
    shares = np.linspace(0.0, 1.0, STOPS)
    stops = tuple(
        (float(value), _rgb(colour))
        for value, colour in zip((2 * shares - 1) * reach, palette.ramp(RAMP, shares), strict=True)
    )
    return Legend(title, unit_of(colour_by), -reach, reach, stops, swatches)


def _rgb(colour: NDArray[np.float64]) -> Rgb:
    return float(colour[0]), float(colour[1]), float(colour[2])


def _kinds(colour_by: str, side: Side) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the kind of each GPU as a place in a list of names: those of two halls are compared by name."""
    if colour_by in GROUPED:
        slots, names = side.groups.slots(colour_by, side.frame), side.groups.names(colour_by)
        most = max(int(slots.max(initial=-1)) + 1, len(names))
        named = tuple(names[k] if k < len(names) else f"{k}" for k in range(most))
        return np.where(slots < 0, most, slots).astype(np.int64), (*named, "")
    raw = np.asarray(side.frame.values[colour_by])
    kinds = throttle_places(raw) if colour_by == "gpu.throttle" else raw.astype(np.int64)
    return kinds, tuple(map(str, range(int(kinds.max(initial=0)) + 1)))
