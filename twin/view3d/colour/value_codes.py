"""From a frame to drawing codes: one number per GPU that the shader looks up in the palette's table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.plant.tables import Plant
from twin.record.channels import BY_ID, State
from twin.record.frame import Frame
from twin.view3d.base import palette
from twin.view3d.base.ownership import GROUPED, NO_GROUPS, OwnerNames


def gpu_codes(
    colour_by: str,
    plant: Plant,
    frame: Frame | None,
    groups: OwnerNames = NO_GROUPS,
    focus_job: int | None = None,
) -> NDArray[np.float32]:
    """Return the drawing code of every GPU slot.

    Parameters
    ----------
    colour_by
        Id of a GPU channel.
    plant
        Says which slots are present.
    frame
        Values at one time; None draws every GPU as off.
    groups
        Who jobs and GPUs belong to.
    focus_job
        The job that stands out: all GPUs but its own are drawn as untouched; None: none does.

    Returns
    -------
    float32 of shape (GPU slots,): 0..255 a place on the ramp, above that a category of `palette`.
    """
    present = plant.gpus.present
    if frame is None:
        return np.where(present, np.float32(palette.OFF), np.float32(palette.ABSENT))
    count = min(len(present), len(frame.values["gpu.state"]))
    codes = np.full(len(present), palette.OFF, np.float32)
    state = np.asarray(frame.values["gpu.state"][:count])
    if colour_by == "gpu.state":
        codes[:count] = state + np.float32(palette.STATE_BASE)
    elif colour_by in GROUPED:
        slot = groups.slots(colour_by, frame)[:count]
        codes[:count] = np.where(slot < 0, palette.NO_JOB, palette.JOB_BASE + slot % palette.JOBS)
        codes[:count][state == State.CUT_OFF] = palette.STATE_BASE + State.CUT_OFF
    elif colour_by == "gpu.throttle":
        codes[:count] = palette.THROTTLE_BASE + throttle_places(frame.values[colour_by][:count])
    else:
        channel = BY_ID[colour_by]
        scale = np.float32((palette.RAMP - 1) / (channel.high - channel.low))
        scaled = (frame.values[colour_by][:count].astype(np.float32) - np.float32(channel.low)) * scale
        codes[:count] = np.clip(np.nan_to_num(scaled), 0.0, palette.RAMP - 1)
    if colour_by != "gpu.state":
        codes[:count][state == State.FAILED] = palette.DEAD
        codes[:count][state == State.OFF] = palette.OFF
        codes[:count][state == State.UNPOWERED] = palette.STATE_BASE + State.UNPOWERED
        codes[:count][state == State.ABSENT] = palette.ABSENT
    if focus_job is not None:
        others = frame.values["gpu.job"][:count] != focus_job
        codes[:count][others & (state != State.FAILED)] = palette.UNTOUCHED
    codes[~present] = palette.ABSENT
    return codes


def throttle_places(bits: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the place in `palette.THROTTLE` of each throttle reason: the first whose bits are set."""
    out = np.full(len(bits), len(palette.THROTTLE) - 1)
    for place in reversed(range(len(palette.THROTTLE) - 1)):
        out[(bits & palette.THROTTLE[place][0]) != 0] = place
    return out


def reach_codes(plant: Plant, lost: NDArray[np.bool_], thinned: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return the drawing code of every GPU slot where the reach of a fault is shown instead of a quantity.

    Parameters
    ----------
    lost, thinned
        Nodes that the fault takes, and those that only lose redundancy (node slots,).
    """
    node = plant.gpus.node
    codes = np.where(lost[node], palette.LOST, np.where(thinned[node], palette.THINNED, palette.UNTOUCHED))
    return np.where(plant.gpus.present, codes, palette.ABSENT).astype(np.float32)


def colormap_of(colour_by: str) -> str:
    """Return the name of the ramp of a channel."""
    return BY_ID[colour_by].colormap
