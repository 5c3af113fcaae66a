"""Frames and halls: whether one is of the other, and a frame from before an edit on the hall after it."""

from __future__ import annotations

import numpy as np

from twin.plant.tables import Plant
from twin.record.channels import BY_ID, State
from twin.record.frame import Frame, FrameLayout, sizes_of

_WORSE = (State.ABSENT, State.FAILED, State.OFF, State.CUT_OFF, State.UNPOWERED)
"""States of a GPU that say more than that somebody drained its node."""


def is_of(layout: FrameLayout, plant: Plant) -> bool:
    """Return whether a frame of this layout is of a hall: the number of its edits alone also fits one of before."""
    return layout.epoch == plant.epoch and sizes_of(plant).items() <= layout.counts.items()


def carried_over(frame: Frame, plant: Plant) -> Frame:
    """Return what a frame tells as one of a hall with its slots and perhaps more, until frames of that hall come.

    What stays keeps its values, what is new stands idle, and GPUs that the edit drains, or no longer, show that.
    """
    before = frame.layout.counts
    made = Frame.empty(FrameLayout({**before, **sizes_of(plant)}, plant.epoch), frame.t_s)
    made.events, made.speed = frame.events, frame.speed
    for channel, values in made.values.items():
        old = frame.values[channel]
        if BY_ID[channel].entity != "bundle" or len(old) == len(values):  # bundles keep no slots
            values[: len(old)] = old
    for kind in ("gpu", "switch"):
        made.values[f"{kind}.state"][before[kind] :] = State.IDLE
    made.values["gpu.job"][before["gpu"] :] = -1
    state, drained = made.values["gpu.state"], plant.nodes.drained[plant.gpus.node]
    was = state == State.DRAINED
    state[was & ~drained] = State.IDLE
    state[drained & ~was & ~np.isin(state, _WORSE)] = State.DRAINED
    return made
