"""Frames: every channel of every entity at one simulated time, in one block of memory.

Layout of a packed frame: a header of 8 float64 (sequence at begin, epoch, layout hash, sequence number, time,
rows of events so far, speed ratio, sequence at end), then the arrays of `channels.CHANNELS` in order, each padded
to 8 bytes. The two sequence fields differ while a writer is inside: a torn read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.record.channels import CHANNELS, Entity

HEADER = 8


@dataclass(frozen=True)
class Layout:
    """How many entities of each kind a frame carries, and the epoch of the plant it belongs to."""

    counts: Mapping[Entity, int]
    epoch: int = 0

    @property
    def offsets(self) -> dict[str, int]:
        """Return the byte offset of each channel's array."""
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

    @property
    def hash(self) -> int:
        """Return a 48-bit number of the layout (exact in a float64)."""
        text = repr((sorted(self.counts.items()), [(c.id, c.dtype) for c in CHANNELS]))
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest(), "big")

    def views(self, buffer: memoryview | bytearray | bytes) -> tuple[NDArray[np.float64], dict[str, NDArray[np.generic]]]:
        """Return (header, arrays by channel id) as views into `buffer`."""
        header = np.frombuffer(buffer, np.float64, HEADER)
        arrays = {}
        for channel in CHANNELS:
            count = self.counts.get(channel.entity, 0)
            arrays[channel.id] = np.frombuffer(buffer, np.dtype(channel.dtype), count, self.offsets[channel.id])
        return header, arrays


@dataclass
class Frame:
    """All channels at one simulated time; `values["gpu.temp_c"][i]` is GPU slot i of the plant."""

    layout: Layout
    t_s: float
    events: int
    values: dict[str, NDArray[np.generic]]
    seq: int = 0

    @classmethod
    def empty(cls, layout: Layout, t_s: float = 0.0) -> Frame:
        """Return a frame of zeros."""
        return cls(
            layout,
            t_s,
            0,
            {c.id: np.zeros(layout.counts.get(c.entity, 0), np.dtype(c.dtype)) for c in CHANNELS},
        )
