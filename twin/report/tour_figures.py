"""Figures of a moment by the names that chapters write in braces: ``{site.gpu_max_c}``, ``{job.step_s llama3}``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from twin import units
from twin.plant.tables import Plant
from twin.record.channels import BY_ID, Channel, Entity, JobState, PowerState
from twin.record.frame import Frame
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario

CLOCK = "clock"
"""The time of day of the moment."""
UNKNOWN = "?"
_MISSING = "\N{EM DASH}"
_NARROW = "\N{NO-BREAK SPACE}"
"""Between a number and its unit, which stay on one line."""
_OVER_ALL: Mapping[str, Callable[[np.ndarray], float]] = {
    "max": lambda values: float(np.max(values)),
    "min": lambda values: float(np.min(values)),
    "mean": lambda values: float(np.mean(values)),
    "sum": lambda values: float(np.sum(values)),
}
_DIMENSIONS = {"W": "power", "B/s": "bandwidth"}
_STATES = {"job state": JobState, "power state": PowerState}


@dataclass(frozen=True)
class FigureName:
    """A name that was understood.

    Parameters
    ----------
    channel
        Its channel; None: the clock.
    over
        How several values become one; "" for one of them.
    id
        Whose value it is; "": the site's, or of all.
    """

    channel: Channel | None
    over: str = ""
    id: str = ""


def read_name(name: str) -> FigureName | None:
    """Return what a name means, such as "gpu.temp_c max" or "loop.flow cdu/0"; None: nothing."""
    channel_id, *words = name.split()
    if channel_id == CLOCK:
        return None if words else FigureName(None)
    channel = BY_ID.get(channel_id)
    if channel is None or (channel.entity == "site") != (not words) or len(words) > 1:
        return None
    if channel.entity == "site":
        return FigureName(channel)
    if words[0] in _OVER_ALL:
        return FigureName(channel, over=words[0]) if channel.shows == "number" else None
    return FigureName(channel, id=words[0])


class MomentFigures:
    """Writes figures of a moment.

    Parameters
    ----------
    scenario, plant, frame
        The moment; no frame: nothing is known yet.
    """

    def __init__(self, scenario: Scenario, plant: Plant, frame: Frame | None, t_s: float) -> None:
        self._scenario, self._plant, self._frame, self._t_s = scenario, plant, frame, t_s

    def __call__(self, name: str) -> str:
        """Return the figure of a name in words."""
        read = read_name(name)
        if read is None:
            return UNKNOWN
        if read.channel is None:
            return f"{self._scenario.start + timedelta(seconds=math.floor(self._t_s)):%H:%M:%S}"
        if self._frame is None or read.channel.id not in self._frame.values:
            return _MISSING
        values = self._frame.values[read.channel.id]
        if read.over:
            known = values[np.isfinite(values)]
            return written(_OVER_ALL[read.over](known), read.channel) if len(known) else _MISSING
        if not read.id:
            return written(float(values[0]), read.channel)
        ids = _ids(read.channel.entity, self._scenario, self._plant)
        if read.id not in ids or ids.index(read.id) >= len(values):
            return UNKNOWN
        return written(float(values[ids.index(read.id)]), read.channel)


def written(value: float, channel: Channel) -> str:
    """Return a value of a channel with its unit, in words where it stands for some."""
    if not math.isfinite(value):
        return _MISSING
    states = _STATES.get(channel.shows)
    if states is not None:
        return states(int(value)).name.lower().replace("_", " ")
    dimension = _DIMENSIONS.get(channel.unit)
    if dimension is not None:
        return units.render(value, dimension, digits=3).replace(" ", _NARROW)
    digits = channel.digits or 3
    whole = 1 if value == 0 else math.floor(math.log10(abs(value))) + 1
    places = 0 if float(value).is_integer() else min(max(digits - whole, 0), 6)
    return f"{value:,.{places}f}{_NARROW}{channel.unit.removesuffix(' of design')}".rstrip()


def _ids(entity: Entity, scenario: Scenario, plant: Plant) -> Sequence[str]:
    """Return the ids of what a channel has values of."""
    if entity == "job":
        return [job.id for job in jobs_of(scenario)]
    known: dict[Entity, Sequence[str]] = {
        "node": plant.nodes.ids,
        "rack": plant.racks.ids,
        "switch": plant.switches.ids,
        "power": plant.power.ids,
        "loop": plant.loops.ids,
        "plant": plant.plants.ids,
        "hall": plant.halls.ids,
        "store": plant.stores,
    }
    return known.get(entity, ())
