"""Figures of a moment by the names that chapters write in braces: ``{site.gpu_max_c}``, ``{job.step_s llama3}``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import timedelta

import numpy as np

from twin import units
from twin.plant.tables import Plant
from twin.record.channels import Channel, JobState, PowerState
from twin.record.figure_name import ids_of, read_name
from twin.record.frame import Frame
from twin.scenario.schema.document import Scenario

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
        ids = ids_of(read.channel.entity, self._scenario, self._plant)
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
