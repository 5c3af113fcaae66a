"""What the colours mean: the legend of a colouring, with counts of the categories present."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.language import tr
from twin.plant.tables import Plant
from twin.record.channels import BY_ID, State
from twin.record.frame import Frame
from twin.view3d.base import palette
from twin.view3d.base.ownership import GROUPED, NO_GROUPS, OwnerNames
from twin.view3d.base.palette import COLDEST_C, HOTTEST_C, Rgb, coolant_rgb
from twin.view3d.colour import power_state
from twin.view3d.colour.cable_colours import CableState, load_rgb, log_place, traffic_rgb
from twin.view3d.colour.value_codes import throttle_places

STOPS = 17
MANY_GROUPS = 8
"""Of more jobs, tenants or partitions the smaller ones share a swatch."""
_REST_RGB = (0.5, 0.5, 0.5)
LOG_TICKS = (0.0, 1.0, 3.0, 10.0, 30.0, 100.0)


@dataclass(frozen=True)
class Category:
    """One swatch: colour and icon together, so that neither alone has to be told apart."""

    label: str
    rgb: Rgb
    icon: str
    count: int


@dataclass(frozen=True)
class Legend:
    """Legend of a colouring.

    Parameters
    ----------
    title, unit
        Quantity and its unit.
    low, high
        Fixed range of the ramp [unit].
    stops
        (value, colour) from low to high; empty for a categorical colouring.
    categories
        Swatches: the states or jobs, or the dead and the off beside a ramp.
    logarithmic
        Whether equal ways along the ramp are equal ratios (of the value plus one) instead of equal differences.
    """

    title: str
    unit: str
    low: float
    high: float
    stops: tuple[tuple[float, Rgb], ...]
    categories: tuple[Category, ...]
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Return where a value lies on the ramp, 0..1."""
        span = (self.high - self.low) or 1.0
        share = min(max((value - self.low) / span, 0.0), 1.0)
        return log_place(share * span, span) if self.logarithmic else share

    @property
    def ticks(self) -> tuple[float, ...]:
        """Return the values written under the ramp."""
        if self.logarithmic:
            return LOG_TICKS
        return tuple(self.low + share * (self.high - self.low) for share in (0.0, 0.25, 0.5, 0.75, 1.0))


def legend_for(
    colour_by: str,
    plant: Plant,
    frame: Frame | None,
    groups: OwnerNames = NO_GROUPS,
) -> Legend:
    """Return the legend of a colouring.

    Parameters
    ----------
    colour_by
        Id of a GPU channel.
    plant, frame
        Counted for the categories; without a frame all counts are zero.
    groups
        Names of jobs, tenants and partitions; missing ones read "job 7".

    Raises
    ------
    KeyError
        When the channel is unknown.
    """
    channel = BY_ID[colour_by]
    states = _state_counts(plant, frame)
    if colour_by == "gpu.state":
        shown = [s for s in State if s is not State.ABSENT and (frame is None or states[s])]
        return Legend(channel.title, "", 0.0, 0.0, (), tuple(_state(s, int(states[s])) for s in shown))
    if colour_by in GROUPED:
        marked = (*_out_of_order(states), *_cut_off(states))
        shown_groups = _groups(colour_by, plant, frame, groups, states)
        return Legend(channel.title, "", 0.0, 0.0, (), (*shown_groups, *marked))
    if colour_by == "gpu.throttle":
        return Legend(channel.title, "", 0.0, 0.0, (), (*_throttle(plant, frame), *_out_of_order(states)))
    places = np.linspace(0.0, 1.0, STOPS)
    colours = palette.ramp(channel.colormap, places)
    values = channel.low + places * (channel.high - channel.low)
    stops = tuple(
        (float(v), (float(c[0]), float(c[1]), float(c[2]))) for v, c in zip(values, colours, strict=True)
    )
    return Legend(channel.title, channel.unit, channel.low, channel.high, stops, _out_of_order(states))


def cable_legend(plant: Plant, frame: Frame | None) -> Legend:
    """Return the legend of cables coloured by load, with how many have lost cables."""
    channel = BY_ID["bundle.load"]
    values = np.expm1(np.linspace(0.0, np.log1p(channel.high), STOPS))
    stops = tuple(
        (float(v), (float(c[0]), float(c[1]), float(c[2])))
        for v, c in zip(values, load_rgb(values), strict=True)
    )
    state = CableState.of(frame, len(plant.bundles.rail))
    lost = Category(tr("cables down"), palette.DEAD_RGB, "✖", int(state.down.astype(int).sum()))
    unit = tr("{unit} of line rate", unit=channel.unit)
    return Legend(channel.title, unit, channel.low, channel.high, stops, (lost,), logarithmic=True)


def traffic_legend(kind: str, lines: Sequence[str]) -> Legend:
    """Return the legend of the collective layer: a colour for a kind of communication, and what it does."""
    rgb = traffic_rgb(kind)
    swatches = tuple(Category(line, rgb, "➤" if k == 0 else "", 0) for k, line in enumerate(lines))
    return Legend(tr("Traffic: {kind}", kind=kind), tr("dash speed not to scale"), 0.0, 0.0, (), swatches)


def power_legend(plant: Plant, frame: Frame | None) -> Legend:
    """Return the legend of the power layer: load by colour, feed and state by pattern, with counts of items."""
    pattern = power_state.PowerShown.of(plant, frame).pattern()
    count = np.bincount(pattern, minlength=len(power_state.Pattern)).tolist()
    channel = BY_ID["power.load"]
    values = np.linspace(channel.low, channel.high, STOPS)
    stops = tuple(
        (float(v), (float(c[0]), float(c[1]), float(c[2])))
        for v, c in zip(values, power_state.load_rgb(values), strict=True)
    )
    swatches = (
        Category(tr("feed A plain, feed B ringed"), (0.45, 0.66, 0.60), "≡", 0),
        Category(tr("unpowered: dashed"), power_state.DEAD_RGB, "✖", count[power_state.Pattern.DASHED]),
        Category(tr("overload: red bands"), power_state.OVERLOAD_RGB, "▲", count[power_state.Pattern.HAZARD]),
        Category(
            tr("on battery, starting: long dashes"),
            power_state.BATTERY_RGB,
            "◧",
            count[power_state.Pattern.LONG],
        ),
    )
    return Legend(tr("Power load"), channel.unit, channel.low, channel.high, stops, swatches)


def coolant_legend() -> Legend:
    """Return the legend of the pipes: temperature by colour, direction by pattern."""
    values = np.linspace(COLDEST_C, HOTTEST_C, STOPS)
    stops = tuple(
        (float(v), (float(c[0]), float(c[1]), float(c[2])))
        for v, c in zip(values, coolant_rgb(values), strict=True)
    )
    return Legend(tr("Coolant"), tr("°C, supply striped, return ringed"), COLDEST_C, HOTTEST_C, stops, ())


def reach_legend(title: str, lost: int, thinned: int, rest: int) -> Legend:
    """Return the legend of the reach of a fault: GPUs lost, with less redundancy, untouched."""
    return Legend(
        title,
        "GPUs",
        0.0,
        0.0,
        (),
        (
            Category("stop", palette.LOST_RGB, "✖", lost),
            Category(tr("lose redundancy"), palette.THINNED_RGB, "◧", thinned),
            Category(tr("not affected"), palette.UNTOUCHED_RGB, "○", rest),
        ),
    )


def _state_counts(plant: Plant, frame: Frame | None) -> NDArray[np.int64]:
    if frame is None:
        return np.zeros(len(State), np.int64)
    state = np.asarray(frame.values["gpu.state"]).astype(np.int64)
    count = min(len(state), len(plant.gpus.present))
    return np.bincount(state[:count][plant.gpus.present[:count]], minlength=len(State))[: len(State)]


def _throttle(plant: Plant, frame: Frame | None) -> tuple[Category, ...]:
    """Return a swatch for each throttle reason, with how many GPUs that work or could have it."""
    counts = np.zeros(len(palette.THROTTLE), np.int64)
    if frame is not None:
        bits, state = frame.values["gpu.throttle"], np.asarray(frame.values["gpu.state"])
        count = min(len(bits), len(plant.gpus.present))
        stands = np.isin(state[:count], [State.ABSENT, State.FAILED, State.OFF, State.UNPOWERED])
        shown = plant.gpus.present[:count] & ~stands
        counts = np.bincount(throttle_places(bits[:count][shown]), minlength=len(counts))
    return tuple(
        Category(words, rgb, icon, int(n))
        for (_, words, rgb, icon), n in zip(palette.THROTTLE, counts.tolist(), strict=True)
    )


def _state(state: State, count: int) -> Category:
    return Category(state.words, palette.STATE_RGB[state], palette.STATE_ICON[state], count)


def _out_of_order(states: NDArray[np.int64]) -> tuple[Category, ...]:
    dark = int(states[State.UNPOWERED])
    return (
        _state(State.FAILED, int(states[State.FAILED])),
        _state(State.OFF, int(states[State.OFF])),
        *((_state(State.UNPOWERED, dark),) if dark else ()),
    )


def _cut_off(states: NDArray[np.int64]) -> tuple[Category, ...]:
    """Return the swatch of GPUs that a fault of the fabric has cut off, when there are any."""
    count = int(states[State.CUT_OFF])
    return (_state(State.CUT_OFF, count),) if count else ()


def _groups(
    colour_by: str, plant: Plant, frame: Frame | None, groups: OwnerNames, states: NDArray[np.int64]
) -> list[Category]:
    """Return a swatch for each job, tenant or partition with GPUs; of very many the largest first."""
    if frame is None:
        return []
    slot, names, word = groups.slots(colour_by, frame), groups.names(colour_by), BY_ID[colour_by].title
    count = min(len(slot), len(plant.gpus.present))
    shown = plant.gpus.present[:count].copy()
    if states[State.CUT_OFF]:
        shown &= np.asarray(frame.values["gpu.state"][:count]) != State.CUT_OFF  # has a swatch of its own
    slots, counts = np.unique(slot[:count][shown], return_counts=True)
    idle = int(counts[slots < 0].sum())
    slots, counts = slots[slots >= 0], counts[slots >= 0]
    rest = []
    if len(slots) > MANY_GROUPS:
        largest = np.argsort(-counts, kind="stable")
        slots, counts = slots[largest], counts[largest]
        more, gpus = len(slots) - MANY_GROUPS + 1, int(counts[MANY_GROUPS - 1 :].sum())
        rest = [Category(tr("{more:,} more", more=more), _REST_RGB, "+", gpus)]
        slots, counts = slots[: MANY_GROUPS - 1], counts[: MANY_GROUPS - 1]
    out = [
        Category(
            names[s] if s < len(names) else f"{word} {s}",
            palette.JOB_RGB[s % palette.JOBS],
            _job_icon(s),
            int(n),
        )
        for s, n in zip(slots.tolist(), counts.tolist(), strict=True)
    ]
    return (
        [*out, *rest, Category(tr("no {word}", word=word), palette.NO_JOB_RGB, "○", idle)]
        if idle
        else [*out, *rest]
    )


def _job_icon(slot: int) -> str:
    return "■●▲◆★▼◀▶"[slot % 8]
