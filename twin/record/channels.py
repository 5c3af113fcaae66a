"""Channel registry: every quantity that frames, run files, colour-by, facts and plots carry, once.

To add a channel, add its entry here and the function that reads it: in `twin.sim.observe.readings`, of single GPUs and
nodes in `twin.record.detail`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from twin.language import tr
from twin.record.account_titles import JOB_TIME_TITLES

DETAILED = ("gpu", "node")
"""Entities that a run file keeps as `twin.record.detail` says, not as series; their channels come first in a frame."""
Entity = Literal[
    "gpu", "node", "rack", "switch", "bundle", "store", "power", "loop", "hall", "plant", "job", "site"
]

Shows = Literal[
    "number",
    "state",
    "power state",
    "job state",
    "condition",
    "wait reason",
    "throttle reasons",
    "job",
    "rank",
    "place",
    "planned time",
]
"""How a value is written: as a number with its unit, or in the words of what it stands for."""


class State(IntEnum):
    """State of a GPU or node, as drawn."""

    ABSENT = 0
    IDLE = 1
    SPARE = 2
    RUNNING = 3
    CHECKPOINT = 4
    RESTARTING = 5
    WAITING = 6  # its job is stopped: failure not yet noticed, or no spare
    FAILED = 7  # down, in repair
    DRAINED = 8
    OFF = 9  # shut down by heat or without power
    CUT_OFF = 10  # sound, but a fault of the fabric leaves it no way to the others
    UNPOWERED = 11  # sound, but nothing supplies it

    @property
    def words(self) -> str:
        """Return the state as people read it, such as "cut off"."""
        return tr(self.name.lower().replace("_", " "))


class PowerState(IntEnum):
    """State of an item of the power tree, as drawn."""

    LIVE = 0
    DEAD = 1  # nothing supplies it
    TRIPPED = 2  # its breaker is open
    FAILED = 3
    ON_BATTERY = 4
    STARTING = 5  # generator
    RUNNING = 6  # generator, or another source that gives power
    STANDBY = 7
    OVERLOAD = 8  # live, above its breaker's rating: it will trip
    CHARGING = 9
    DISCHARGING = 10
    ON_SPARE = 11  # live, on its second source


class JobState(IntEnum):
    """State of a job."""

    QUEUED = 0
    STARTING = 1
    RUNNING = 2
    CHECKPOINT = 3
    DETECTING = 4
    RESTARTING = 5
    WAITING = 6  # for a spare
    DONE = 7
    KILLED = 8  # ended before its work was done
    REMOTE = 9  # in a cloud

    @property
    def words(self) -> str:
        """Return the state in one word."""
        return tr(self.name.lower())


class NodeCondition(IntEnum):
    """Whether a node is at work, and if not, the reason it waits."""

    ABSENT = 0
    IN_USE = 1
    IDLE = 2  # sound, and no live job may use it
    SPARE = 3
    IN_REPAIR = 4
    NO_PART = 5  # in repair, waits for a part
    NO_HANDS = 6  # in repair, waits for somebody who is free and at work
    BURN_IN = 7  # repaired, tested before use
    REPLACED = 8  # failed too often: another one comes
    CHECKED = 9  # a health check holds it, or found something and waits until its job has left
    DRAINED = 10  # by people
    LEMON = 11  # failed too often: taken out for good
    OFF = 12
    CUT_OFF = 13
    UNPOWERED = 14
    RECLAIMED = 15  # rented, and its owner has taken it back or is about to


class WaitReason(IntEnum):
    """Why a job waits in the queue."""

    NONE = 0  # it does not
    OTHERS_FIRST = 1
    NODES = 2  # too few are free
    QUOTA = 3
    PARTITION = 4  # its partition is full, or closed to it
    RESERVATION = 5  # nodes are set aside, or maintenance is ahead
    GREEN = 6  # it waits for power, or for clean or cheap energy
    ISOLATION = 7  # other tenants are on the nodes


@dataclass(frozen=True)
class Channel:
    """One quantity of one kind of entity.

    Parameters
    ----------
    id
        ``entity.name``.
    dtype
        numpy type in a frame.
    low, high
        Fixed range of its colour map and axis [unit].
    quantum
        Smallest difference worth recording [unit]; 0 for exact.
    dcgm
        Name of the DCGM field with this meaning, or "".
    shows
        How facts write a value.
    digits
        Significant digits of a number in facts.
    colours
        Place among what can colour GPUs, from 1; new ones come last, keys go by it. 0: it cannot.
    reaches
        Ends of the ramp of differences between two halls [unit], the usual one first; (): only same or other.
    low_is_worse
        Whether the worst of several is the lowest.
    """

    id: str
    entity: Entity
    title: str
    unit: str
    dtype: str
    low: float
    high: float
    quantum: float
    colormap: str = "viridis"
    dcgm: str = ""
    description: str = ""
    shows: Shows = "number"
    digits: int = 3
    colours: int = 0
    reaches: tuple[float, ...] = ()
    low_is_worse: bool = False

    @property
    def is_count(self) -> bool:
        """Return whether a value counts something."""
        return self.shows == "number" and self.unit == "" and self.quantum == 0

    @property
    def name(self) -> str:
        """Return the part of the id after the entity."""
        return self.id.split(".", 1)[1]


def _channel(id: str, *rest: object, **more: object) -> Channel:
    return Channel(id, id.split(".", 1)[0], *rest, **more)  # type: ignore[arg-type]


_CHANNELS: list[Channel] = [
    _channel(
        "gpu.temp_c",
        tr("GPU temperature"),
        "°C",
        "f4",
        25,
        95,
        1.0,
        "turbo",
        "DCGM_FI_DEV_GPU_TEMP",
        colours=1,
        reaches=(20.0, 2.0, 5.0, 10.0, 50.0),
    ),
    _channel(
        "gpu.hbm_c", tr("HBM temperature"), "°C", "f4", 25, 105, 1.0, "turbo", "DCGM_FI_DEV_MEMORY_TEMP"
    ),
    _channel(
        "gpu.power_w",
        tr("GPU power"),
        "W",
        "f4",
        0,
        1200,
        10.0,
        "viridis",
        "DCGM_FI_DEV_POWER_USAGE",
        colours=2,
        reaches=(500.0, 20.0, 50.0, 100.0, 200.0, 1000.0),
    ),
    _channel(
        "gpu.clock_mhz",
        tr("SM clock"),
        "MHz",
        "f4",
        0,
        2000,
        15.0,
        "viridis",
        "DCGM_FI_DEV_SM_CLOCK",
        colours=3,
        reaches=(500.0, 20.0, 50.0, 100.0, 200.0, 1000.0),
        low_is_worse=True,
    ),
    _channel(
        "gpu.util",
        tr("utilisation"),
        "%",
        "f4",
        0,
        100,
        1.0,
        "viridis",
        "DCGM_FI_PROF_SM_ACTIVE",
        colours=4,
        reaches=(50.0, 5.0, 10.0, 20.0, 100.0),
        low_is_worse=True,
    ),
    _channel("gpu.state", tr("state"), "", "u1", 0, 11, 0, "states", shows="state", colours=5),
    _channel("gpu.job", tr("job"), "", "i4", 0, 20, 0, "jobs", shows="job", colours=6),
    _channel(
        "gpu.throttle",
        tr("throttle reason"),
        "",
        "u2",
        0,
        65535,
        0,
        "throttle",
        "DCGM_FI_DEV_CLOCKS_EVENT_REASONS",
        shows="throttle reasons",
        colours=7,
    ),
    _channel(
        "node.seat",
        tr("rank in its job"),
        "",
        "i4",
        0,
        1e5,
        0,
        description="Order of ranks; -1: no job.",
        shows="rank",
    ),
    _channel(
        "node.condition",
        tr("condition"),
        "",
        "u1",
        0,
        14,
        0,
        description="`NodeCondition`.",
        shows="condition",
    ),
    _channel("rack.power_w", tr("rack power"), "W", "f4", 0, 140e3, 100.0),
    _channel("switch.load", tr("busiest port"), "%", "u1", 0, 100, 1.0),
    _channel("switch.state", tr("switch state"), "", "u1", 0, 9, 0, "states", shows="state"),
    _channel("bundle.load", tr("link load"), "%", "u1", 0, 100, 1.0),
    _channel("bundle.down", tr("cables down"), "", "u1", 0, 32, 0),
    _channel("store.read_bytes_s", tr("storage reads"), "B/s", "f4", 0, 5e11, 1e8),
    _channel("store.write_bytes_s", tr("storage writes"), "B/s", "f4", 0, 5e11, 1e8),
    _channel("store.iops", tr("storage operations"), "/s", "f4", 0, 1e6, 100),
    _channel("store.load", tr("storage load"), "%", "f4", 0, 100, 0.5),
    _channel("rack.loss_w", tr("rack power losses"), "W", "f4", 0, 1e4, 10.0),
    _channel("rack.feeds", tr("live feeds"), "", "u1", 0, 2, 0),
    _channel("rack.inlet_c", tr("inlet air"), "°C", "f4", 10, 50, 0.1, "turbo"),
    _channel("rack.flow", tr("rack coolant flow"), "% of design", "f4", 0, 110, 0.5),
    _channel("power.state", tr("state"), "", "u1", 0, 11, 0, "power_states", shows="power state"),
    _channel("power.out_w", tr("power delivered"), "W", "f4", 0, 4e7, 1e3),
    _channel("power.loss_w", tr("losses"), "W", "f4", 0, 1e6, 100.0),
    _channel("power.load", tr("load"), "% of capacity", "f4", 0, 120, 0.5),
    _channel("power.charge", tr("battery charge"), "%", "f4", 0, 100, 0.5),
    _channel("loop.supply_c", tr("supply temperature"), "°C", "f4", 10, 60, 0.1, "turbo"),
    _channel("loop.return_c", tr("return temperature"), "°C", "f4", 10, 70, 0.1, "turbo"),
    _channel("loop.flow", tr("flow"), "% of design", "f4", 0, 110, 0.5),
    _channel("loop.heat_w", tr("heat carried"), "W", "f4", 0, 2e6, 1e3),
    _channel("loop.gpu_max_c", tr("hottest GPU"), "°C", "f4", 25, 95, 1 / 16, "turbo"),
    _channel("loop.valve", tr("valve opening"), "%", "f4", 0, 100, 1.0),
    _channel("loop.power_w", tr("pumps and fans"), "W", "f4", 0, 5e4, 50.0),
    _channel("loop.pumps", tr("pumps running"), "", "u1", 0, 8, 0),
    _channel("hall.air_c", tr("room air"), "°C", "f4", 15, 45, 0.1, "turbo"),
    _channel("plant.supply_c", tr("facility supply"), "°C", "f4", 5, 50, 0.1, "turbo"),
    _channel("plant.return_c", tr("facility return"), "°C", "f4", 5, 60, 0.1, "turbo"),
    _channel("plant.flow", tr("facility flow"), "% of design", "f4", 0, 110, 0.5),
    _channel("plant.heat_w", tr("heat rejected"), "W", "f4", 0, 4e7, 1e3),
    _channel("plant.power_w", tr("compressors, fans, pumps"), "W", "f4", 0, 1e7, 1e3),
    _channel("plant.water_l_s", tr("water use"), "L/s", "f4", 0, 50, 0.01),
    _channel("plant.units", tr("machines running"), "", "u2", 0, 500, 0),
    _channel("plant.free", tr("free cooling"), "%", "f4", 0, 100, 1.0),
    _channel("job.state", tr("job state"), "", "u1", 0, 9, 0, "states", shows="job state"),
    _channel("job.step", tr("steps done"), "", "f8", 0, 1e6, 0),
    _channel("job.durable_step", tr("last durable checkpoint"), "", "f8", 0, 1e6, 0),
    _channel("job.step_s", tr("step time"), "s", "f4", 0, 100, 1e-3),
    _channel("job.mfu", tr("MFU now"), "%", "f4", 0, 70, 0.1),
    _channel("job.goodput", tr("goodput so far"), "%", "f4", 0, 100, 0.01),
    _channel("job.gpus", tr("GPUs held"), "", "i4", 0, 1e5, 0),
    _channel("job.network", tr("scale-out bandwidth left"), "%", "f4", 0, 100, 0.5),
    _channel("job.input_wait_s", tr("input wait per step"), "s", "f4", 0, 100, 1e-3),
    *(_channel(id, named.title, "s", "f4", 0, 1e6, 1.0) for id, named in JOB_TIME_TITLES.items()),
    _channel(
        "job.place",
        tr("place in the queue"),
        "",
        "i4",
        0,
        1e5,
        0,
        description="From 1; 0: not queued.",
        shows="place",
    ),
    _channel("job.why", tr("reason for waiting"), "", "u1", 0, 7, 0, shows="wait reason"),
    _channel(
        "job.planned_s",
        tr("planned start"),
        "s",
        "f8",
        0,
        1e7,
        0,
        description=tr("0: no start planned."),
        shows="planned time",
    ),
    _channel(
        "job.wait_s",
        tr("time in the queue"),
        "s",
        "f8",
        0,
        1e6,
        0,
        description=tr("In all, up to the last event."),
    ),
    _channel("site.it_w", tr("IT power"), "W", "f8", 0, 3e7, 10),
    _channel("site.facility_w", tr("facility power"), "W", "f8", 0, 4e7, 10),
    _channel("site.pue", "PUE", "", "f8", 1, 2, 1e-3, digits=4),
    _channel("site.gpu_max_c", tr("hottest GPU"), "°C", "f8", 25, 95, 1 / 64, "turbo"),
    _channel("site.gpu_mean_c", tr("mean GPU temperature"), "°C", "f8", 25, 95, 1 / 64, "turbo"),
    _channel("site.goodput", tr("goodput so far"), "%", "f8", 0, 100, 0.01),
    _channel(
        "site.goodput_now",
        tr("goodput now"),
        "%",
        "f8",
        0,
        100,
        0.01,
        description="Of started jobs: step rate now over the planned rate, checkpoint stalls averaged; "
        "a stopped job counts 0.",
    ),
    _channel("site.nodes_down", tr("nodes down"), "", "f8", 0, 100, 0),
    _channel("site.spares", tr("spare nodes"), "", "f8", 0, 100, 0),
    _channel("site.queue", tr("queued jobs"), "", "f8", 0, 1000, 0),
    _channel("site.queue_gpus", tr("queued GPUs"), "", "f8", 0, 1e5, 0),
    _channel("site.allocated", tr("GPUs held by jobs"), "%", "f8", 0, 100, 0.01),
    _channel("site.fragmented", tr("GPUs free on shared nodes"), "", "f8", 0, 1e4, 0),
    _channel("site.repair_queue", tr("nodes awaiting technician"), "", "f8", 0, 100, 0),
    _channel("site.parts_missing", tr("nodes awaiting parts"), "", "f8", 0, 100, 0),
    _channel("site.interruptions", tr("interruptions"), "", "f8", 0, 1000, 0),
    _channel("site.link_load_max", tr("busiest link"), "%", "f8", 0, 100, 1.0),
    _channel("site.outdoor_c", tr("outdoor air"), "°C", "f8", -20, 45, 0.1, "turbo"),
    _channel("site.wet_bulb_c", tr("wet bulb"), "°C", "f8", -20, 35, 0.1, "turbo"),
    _channel("site.grid_w", tr("utility power"), "W", "f8", 0, 4e7, 10),
    _channel("site.on_site_w", tr("on-site generation"), "W", "f8", 0, 4e7, 10),
    _channel("site.battery_w", tr("battery power"), "W", "f8", -4e7, 4e7, 10),
    _channel("site.loss_w", tr("distribution losses"), "W", "f8", 0, 4e6, 10),
    _channel("site.cooling_w", tr("cooling power"), "W", "f8", 0, 1e7, 10),
    _channel("site.wue", tr("WUE now"), "L/kWh", "f8", 0, 3, 1e-3),
    _channel("site.carbon_kg_s", tr("carbon emitted"), "kg/s", "f8", 0, 5, 1e-4),
    _channel("site.cost_usd_s", tr("energy cost"), "USD/s", "f8", 0, 2, 1e-5),
    _channel("site.swing_w", tr("load swing per step"), "W", "f8", 0, 2e7, 10),
    _channel("site.throttled", tr("GPUs in thermal throttling"), "", "f8", 0, 1e5, 0),
    _channel("site.braked", tr("GPUs under HW power brake"), "", "f8", 0, 1e5, 0),
    _channel("site.unpowered", tr("nodes without power"), "", "f8", 0, 1e4, 0),
]
CHANNELS: Sequence[Channel] = _CHANNELS
"""All channels, in frame order. Throughout, `util` and goodput are percent."""

DERIVED: tuple[Channel, ...] = (
    _channel("gpu.tenant", tr("tenant"), "", "i4", 0, 20, 0, "jobs", colours=8),
    _channel("gpu.partition", tr("partition"), "", "i4", 0, 20, 0, "jobs", colours=9),
)
"""What pictures show and frames do not carry: it follows from the job of a GPU, and from where it stands."""

BY_ID: dict[str, Channel] = {}
_SERIES: list[Channel] = []
SERIES_CHANNELS: Sequence[Channel] = _SERIES
"""Channels that are recorded as series; those of single GPUs and nodes are not."""
_COLOUR_BY: list[str] = []
COLOUR_BY: Sequence[str] = _COLOUR_BY
"""Channels that can colour the GPUs, in the order of menus and keys."""


def _index() -> None:
    """Work out what follows from the entries."""
    known = (*CHANNELS, *DERIVED)
    BY_ID.clear()
    BY_ID.update({channel.id: channel for channel in known})
    _SERIES[:] = [channel for channel in CHANNELS if channel.entity not in DETAILED]
    _COLOUR_BY[:] = [
        channel.id for channel in sorted(known, key=lambda channel: channel.colours) if channel.colours
    ]


_index()


def colours_named(name: str) -> list[str]:
    """Return the channels of `COLOUR_BY` that a name may mean: an id, the last part of one, or words of a title."""
    for channel in COLOUR_BY:
        if name in (channel, channel.removeprefix("gpu.")):
            return [channel]
    said = name.lower().split()
    titles = {channel: BY_ID[channel].title.lower().split() for channel in COLOUR_BY}
    return [channel for channel, words in titles.items() if words == said] or [
        channel for channel, words in titles.items() if said and all(word in words for word in said)
    ]


@contextmanager
def with_channels(*channels: Channel) -> Iterator[None]:
    """Register more channels inside a with block; those of GPUs and nodes stay before all others in a frame."""
    before = [*_CHANNELS]
    _CHANNELS[:] = sorted((*before, *channels), key=lambda channel: channel.entity not in DETAILED)
    _index()
    try:
        yield
    finally:
        _CHANNELS[:] = before
        _index()


def of_entity(entity: Entity) -> tuple[Channel, ...]:
    """Return the channels of one kind of entity, in frame order."""
    return tuple(c for c in CHANNELS if c.entity == entity)
