"""Rows of facts: pieces that several kinds of things share. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.app.toolkit import text
from twin.app.toolkit.clock import Clock
from twin.app.world.own_part_rows import own_part_words
from twin.app.world.part_figures import figure_title, figure_value
from twin.app.world.wait_reasons import why_waiting
from twin.catalog import Catalog
from twin.language import tr
from twin.planning.profile.standing import Standing
from twin.plant.find import row_name
from twin.plant.graph import entity_id
from twin.plant.tables import Kind, Plant
from twin.record.channels import (
    BY_ID,
    Channel,
    JobState,
    NodeCondition,
    PowerState,
    Shows,
    State,
    of_entity,
)
from twin.record.events import Event
from twin.record.frame import Frame
from twin.record.spare_pool import WORDS
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.shown_text import capitalised
from twin.view3d.base.palette import LOWERED_CAP
from twin.view3d.colour.power_state import ICON as POWER_ICON
from twin.view3d.colour.power_state import WORDS as POWER_WORDS

_WORDS = {
    "gpu": "GPU",
    "link": tr("Cables"),
    "loop": tr("Cooling loop"),
    "plant": tr("Facility water"),
    "power": tr("Power"),
    "site": tr("Scene"),
}
_AT_LIMIT = 0x04
_THROTTLE = {
    0x01: tr("idle"),
    0x02: tr("clock setting"),
    _AT_LIMIT: tr("at its power limit (TDP), normal"),
    0x08: tr("hardware slowdown"),
    0x10: tr("sync boost"),
    0x20: tr("thermal"),
    0x40: tr("hardware thermal"),
    0x80: tr("power brake"),
    0x100: tr("display clock"),
    LOWERED_CAP: tr("power cap below its TDP"),
}
"""Bits of DCGM_FI_DEV_CLOCKS_EVENT_REASONS (nvml.h, nvmlClocksEventReason*), and our own for a lowered limit."""


@dataclass(frozen=True)
class FactRow:
    """One line: a label, its value, the id it leads to, how well the value is known, and the channel it shows.

    With a standing the value is a badge of how sure step times are.
    """

    label: str
    value: str
    link: str = ""
    badge: str = ""
    hint: str = ""
    channel: str = ""
    standing: Standing | None = None


@dataclass(frozen=True)
class World:
    """What facts are read from: the open scene, its plant, the catalogue, the newest frame, and the events by then.

    `colour_by` is the channel that colours the hall.
    """

    scenario: Scenario
    plant: Plant
    catalog: Catalog
    frame: Frame | None
    events: Sequence[Event] = ()
    colour_by: str = "gpu.temp_c"


def kind_word(kind: str) -> str:
    """Return a kind as people write it."""
    return _WORDS.get(kind) or tr(kind.capitalize())


def live_rows(world: World, entity: str, slot: int) -> list[FactRow]:
    """Return a row for each channel of an entity."""
    if world.frame is None:
        return []
    channels = of_entity(entity)  # type: ignore[arg-type]
    return [
        channel_row(world, channel.id, slot)
        for channel in channels
        if slot < len(world.frame.values[channel.id])
    ]


def channel_row(world: World, id: str, slot: int) -> FactRow:
    """Return what an entity shows of a channel now: title, unit and format are those of the channel."""
    assert world.frame is not None
    channel, number = BY_ID[id], float(world.frame.values[id][slot])
    hint = " ".join(word for word in (id, channel.dcgm) if word)
    words, link = (
        _WORDS_OF[channel.shows](world, number)
        if channel.shows in _WORDS_OF
        else (number_text(channel, number), "")
    )
    return FactRow(capitalised(channel.title), words, link, hint=hint, channel=id)


def number_text(channel: Channel, number: float) -> str:
    """Return a number of a channel with its unit; counts and what a frame has as whole numbers without decimals."""
    if channel.is_count:
        return f"{number:,.0f}" if np.isfinite(number) else text.MISSING
    if np.dtype(channel.dtype).kind in "iu":
        return f"{number:,.0f}\N{NO-BREAK SPACE}{channel.unit}"
    return text.quantity(number, channel.unit, channel.digits)


def _job(world: World, number: float) -> tuple[str, str]:
    jobs, job = jobs_of(world.scenario), int(number)
    name = jobs[job].id if 0 <= job < len(jobs) else ""
    return name or "none", name


def _throttle_reasons(world: World, number: float) -> tuple[str, str]:
    bits = int(number) & ~_AT_LIMIT if int(number) & LOWERED_CAP else int(number)
    return ", ".join(word for bit, word in _THROTTLE.items() if bits & bit) or "none", ""


def _power_state(world: World, number: float) -> tuple[str, str]:
    state = PowerState(int(number))
    return f"{POWER_ICON[state]} {POWER_WORDS[state]}", ""


_WORDS_OF: dict[Shows, Callable[[World, float], tuple[str, str]]] = {
    "state": lambda world, number: (State(int(number)).words, ""),
    "power state": _power_state,
    "job state": lambda world, number: (JobState(int(number)).words, ""),
    "condition": lambda world, number: (WORDS.get(NodeCondition(int(number)), tr("absent")), ""),
    "wait reason": lambda world, number: (
        why_waiting(int(number), partitions=bool(world.scenario.partitions)) or text.MISSING,
        "",
    ),
    "throttle reasons": _throttle_reasons,
    "job": _job,
    "rank": lambda world, number: (f"{number:,.0f}" if number >= 0 else tr("none"), ""),
    "place": lambda world, number: (f"{number:,.0f}" if number > 0 else text.MISSING, ""),
    "planned time": lambda world, number: (
        Clock.of(world.scenario).says(number) if number > 0 else text.MISSING,
        "",
    ),
}
"""What values of channels stand for that are no numbers, and the id it leads to."""


def crowd_rows(world: World, gpus: NDArray[np.int64]) -> list[FactRow]:
    """Return what a set of GPUs does together."""
    if world.frame is None or not len(gpus):
        return []
    return [
        FactRow(tr("GPU states"), states_text(world.frame, gpus)),
        *(
            FactRow(
                f"{capitalised(BY_ID[id].title)}, {_COMBINED[how][0]}",
                crowd_text(world.frame, id, gpus, how),
                hint=id,
            )
            for id, how in _OF_A_CROWD
        ),
    ]


_OF_A_CROWD = (
    ("gpu.power_w", "sum"),
    ("gpu.temp_c", "max."),
    ("gpu.temp_c", "mean"),
    ("gpu.clock_mhz", "mean"),
    ("gpu.util", "mean"),
)
_COMBINED: dict[str, tuple[str, Callable[[NDArray[np.float64]], float]]] = {
    "sum": (tr("sum"), lambda values: float(np.sum(values))),
    "mean": (tr("mean"), lambda values: float(np.mean(values))),
    "max.": (tr("max."), lambda values: float(np.max(values))),
}


def crowd_text(frame: Frame, id: str, gpus: NDArray[np.int64], how: str) -> str:
    """Return sum, mean or maximum of a channel over GPUs."""
    return number_text(BY_ID[id], _COMBINED[how][1](np.asarray(frame.values[id][gpus], np.float64)))


def states_text(frame: Frame, gpus: NDArray[np.int64]) -> str:
    """Return how many GPUs are in which state, in words."""
    states = frame.values["gpu.state"][gpus]
    counts = {state: int(np.count_nonzero(states == state)) for state in State}
    present = [(state.words, count) for state, count in counts.items() if count]
    return present[0][0] if len(present) == 1 else ", ".join(f"{n:,} {name}" for name, n in present)


def main_state(frame: Frame | None, gpus: NDArray[np.int64]) -> State | None:
    """Return the state of most GPUs, but failed when any has failed."""
    if frame is None or not len(gpus):
        return None
    states = np.asarray(frame.values["gpu.state"])[gpus]
    if np.any(states == State.FAILED):
        return State.FAILED
    return State(max(State, key=lambda state: int(np.count_nonzero(states == state))))


def gpus_of(plant: Plant, kind: str, slot: int) -> NDArray[np.int64]:
    """Return the GPU slots inside a thing; none for things without GPUs."""
    gpus = plant.gpus
    if kind == "gpu":
        return np.array([slot])
    if kind == "node":
        first = int(plant.nodes.gpu_first[slot])
        return np.arange(first, first + int(plant.nodes.gpu_count[slot]))
    if kind == "rack":
        return np.flatnonzero((gpus.rack == slot) & gpus.present)
    if kind in ("row", "hall"):
        within = plant.racks.row if kind == "row" else plant.racks.hall
        return np.flatnonzero((within[gpus.rack] == slot) & gpus.present)
    return np.zeros(0, np.int64)


def link_row(world: World, kind: Kind, slot: int) -> FactRow:
    """Return a row that leads to a thing."""
    id_ = entity_id(world.plant, kind, slot)
    return FactRow(kind_word(kind), id_, id_)


def place_rows(world: World, rack: int) -> list[FactRow]:
    """Return where a rack stands, the rack itself first."""
    plant = world.plant
    row, hall = int(plant.racks.row[rack]), int(plant.racks.hall[rack])
    rows = [link_row(world, "rack", rack)]
    if row >= 0:
        rows.append(FactRow(tr("Row"), row_name(plant, row), plant.rows.ids[row]))
    x_m, y_m = float(plant.racks.x_m[rack]), float(plant.racks.y_m[rack])
    return [
        *rows,
        FactRow(tr("Hall"), hall_name(plant, hall)),
        FactRow(tr("Position"), f"x {x_m:.2f} m, y {y_m:.2f} m"),
    ]


def hall_name(plant: Plant, hall: int) -> str:
    """Return a hall's title, or its id."""
    return plant.halls.titles[hall] or plant.halls.ids[hall]


def feed_rows(world: World, rack: int) -> list[FactRow]:
    """Return the power feeds of a rack."""
    feeds = ((tr("Feed A"), world.plant.racks.feed_a), (tr("Feed B"), world.plant.racks.feed_b))
    ids = world.plant.power.ids
    found = [(label, ids[int(table[rack])]) for label, table in feeds if int(table[rack]) >= 0]
    return [FactRow(label, item, item) for label, item in found]


def cooling_rows(world: World, loop: int) -> list[FactRow]:
    """Return the loop that takes the heat, and what it supplies now; nothing for -1."""
    if loop < 0:
        return []
    loops = world.plant.loops
    rows = [FactRow(tr("Cooled by"), loops.labels[loop], loops.ids[loop])]
    if world.frame is not None:
        rows.append(channel_row(world, "loop.supply_c", loop))
    return rows


def figure_rows(world: World, part: str) -> list[FactRow]:
    """Return the catalogue's numbers of a part, each with how well it is known."""
    if not part or part not in world.catalog:
        return []
    own = [FactRow(label, value, hint=hint) for label, value, hint in own_part_words(world.catalog, part)]
    return own + [
        FactRow(
            figure_title(f.key), figure_value(f), badge=f.status, hint="\n".join(_known(f.citation, f.note))
        )
        for f in world.catalog.figures(part)
    ]


def _known(*lines: str) -> Iterable[str]:
    return (line for line in lines if line)


def interval_text(interval: str | float) -> str:
    """Return when checkpoints are written."""
    return (
        {"daly": tr("by Daly's formula"), "young": tr("by Young's formula")}.get(interval, interval)
        if isinstance(interval, str)
        else tr("every {duration}", duration=text.duration(interval))
    )
