"""Frames: every channel of every entity at one simulated time, in one block of memory.

Layout of a packed frame: a header of 8 float64 (sequence at begin, epoch, layout hash, sequence number, time,
rows of events so far, speed ratio, sequence at end), then the arrays of `channels.CHANNELS` in order, each
padded to 8 bytes. The two sequence fields differ while a writer is inside: a torn read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.plant.tables import Plant
from twin.record.channels import CHANNELS, Entity

HEADER = 8
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class FrameLayout:
    """How many entities of each kind a frame carries, and the epoch of the plant it belongs to."""

    counts: Mapping[Entity, int]
    epoch: int = 0

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Return the byte offset of each channel's array, and of the end."""
        offset, out = HEADER * 8, {}
        for channel in CHANNELS:
            out[channel.id] = offset
            size = self.counts.get(channel.entity, 0) * np.dtype(channel.dtype).itemsize
            offset += -(-size // 8) * 8
        out["end"] = offset
        return out

    @property
    def nbytes(self) -> int:
        """Return the size of a packed frame [B]."""
        return self.offsets["end"]

    @cached_property
    def hash(self) -> int:
        """Return a 48-bit number of the layout (exact in a float64)."""
        text = repr((sorted(self.counts.items()), [(c.id, c.dtype) for c in CHANNELS]))
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest(), "big")

    def views(self, buffer: memoryview | bytearray | bytes) -> tuple[NDArray[np.float64], Arrays]:
        """Return (header, arrays by channel id) as views into `buffer`."""
        header = np.frombuffer(buffer, np.float64, HEADER)
        arrays: Arrays = {}
        for channel in CHANNELS:
            count, offset = self.counts.get(channel.entity, 0), self.offsets[channel.id]
            if count:
                arrays[channel.id] = np.frombuffer(buffer, np.dtype(channel.dtype), count, offset)
            else:  # an offset at the very end of the buffer is refused by numpy, even for nothing
                arrays[channel.id] = np.zeros(0, np.dtype(channel.dtype))
        return header, arrays


@dataclass
class Frame:
    """All channels at one simulated time; `values["gpu.temp_c"][i]` is GPU slot i of the plant.

    Parameters
    ----------
    layout
        Entities of each kind.
    t_s
        Simulated time [s].
    events
        Rows of events so far.
    values
        Array of each channel, in its unit. They may lie in shared memory: write into them, never rebind.
    seq
        Running number of the frame.
    speed
        Measured speed of the run [simulated s / wall s]; 0 while it stands.
    detail
        False: whoever asks does not read the channels of GPUs and nodes, so they need not be filled.
    carries
        Mark of whoever filled it last: what stands until the run changes is in `values` and is not written again.
        None: nothing is. Set it so after writing into `values` yourself.
    """

    layout: FrameLayout
    t_s: float
    events: int
    values: Arrays
    seq: int = 0
    speed: float = 0.0
    detail: bool = True
    carries: object = None

    @classmethod
    def empty(cls, layout: FrameLayout, t_s: float = 0.0) -> Frame:
        """Return a frame of zeros."""
        _, arrays = layout.views(bytearray(layout.nbytes))
        return cls(layout, t_s, 0, arrays)


def sizes_of(plant: Plant) -> dict[Entity, int]:
    """Return how many of each kind a frame of a hall has, jobs and the site left out."""
    return {
        "gpu": len(plant.gpus.node),
        "node": len(plant.nodes.ids),
        "rack": len(plant.racks.ids),
        "switch": len(plant.switches.ids),
        "bundle": len(plant.bundles.fabric),
        "store": len(plant.stores),
        "power": len(plant.power.ids),
        "loop": len(plant.loops.ids),
        "hall": len(plant.halls.ids),
        "plant": len(plant.plants.ids),
    }
