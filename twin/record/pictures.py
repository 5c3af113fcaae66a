"""Frames of a run at any time: the block of the time is decoded once and cached."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from twin.physics.gpu_picture import GpuTraits
from twin.record.blocks import DecodedBlock, decode_events
from twin.record.columns import unpack
from twin.record.contents import UNDONE
from twin.record.detail import dies_from_bytes
from twin.record.frame import Frame, FrameLayout
from twin.record.runfile import MAX_BLOB_BYTES, NoDetail, of_part
from twin.record.series import DETAIL, DIES, EVENTS
from twin.record.source import RunSource, layout_at, stretch

KEPT_BLOCKS = 4
OLD = "it has no frames: an older version recorded it, without data of single GPUs"
_LAST = 2**62


class Pictures:
    """Frames and times of the samples of one run file; it may grow while it is read."""

    def __init__(self, source: RunSource) -> None:
        self._source = source
        self._blocks: OrderedDict[tuple[int, int], DecodedBlock] = OrderedDict()
        self._dies: tuple[tuple[int, int], GpuTraits] | None = None  # (block it stands in, its length)
        self._known: tuple[object, NDArray[np.float64]] | None = None
        self._ended: dict[int, NDArray[np.float64]] = {}  # times of blocks that get no more samples
        self._undone = 0

    def times_s(self) -> NDArray[np.float64]:
        """Return the times of all samples so far [s]."""
        progress = self._source.progress()
        self._forget_undone()
        if self._known is None or self._known[0] != progress:
            last = max(self._ended, default=0)
            rows = self._source.rows(
                "SELECT id, times, samples, t0, t1 FROM blocks WHERE id > ? ORDER BY id", last
            )
            found = [(int(block), self._source.times_s(*block_row)) for block, *block_row in rows]
            self._ended |= dict(found[:-1])
            parts = [*self._ended.values(), *(times_s for _, times_s in found[-1:])]
            times_s = np.concatenate([np.zeros(0), *parts])
            times_s.setflags(write=False)
            self._known = progress, times_s
        return self._known[1]

    def frame(self, t_s: float, layout: FrameLayout) -> Frame:
        """Return the picture at the last sample at or before `t_s`, of the first one if there is none.

        Parameters
        ----------
        layout
            Of files that do not say when it changed.
        """
        self._forget_undone()
        rows = self._source.rows(
            "SELECT id, times, samples, t0, t1 FROM blocks WHERE t0 <= ? ORDER BY id DESC LIMIT 1", t_s
        ) or self._source.rows("SELECT id, times, samples, t0, t1 FROM blocks ORDER BY id LIMIT 1")
        if not rows:
            raise NoDetail(f"{self._source.path}: this run file has no frames yet")
        number, stamps, samples, begin_s, end_s = (int(rows[0][0]), *rows[0][1:])
        block = self._blocks.get((number, samples))
        times_s = self._source.times_s(stamps, samples, begin_s, end_s) if block is None else block.times_s
        with self._source.named(stretch(begin_s, end_s)):
            if block is None:
                block = self.block(number, times_s, layout)
                self._blocks[number, samples] = block
                while len(self._blocks) > KEPT_BLOCKS:
                    self._blocks.popitem(last=False)
            self._blocks.move_to_end((number, samples))
            return block.frame(max(0, int(np.searchsorted(block.times_s, t_s, "right")) - 1))

    def _forget_undone(self) -> None:
        """Forget all blocks where something was undone since: other ones have the numbers of those it cut off."""
        ((undone,),) = self._source.rows("SELECT COUNT(*) FROM markers WHERE kind = ?", UNDONE)
        if undone != self._undone:
            self._undone, self._known, self._dies = undone, None, None
            self._blocks.clear()
            self._ended.clear()

    def dies(self) -> GpuTraits:
        """Return the traits of the GPUs, as of the last block."""
        with self._source.named():
            return self._dies_of(_LAST)

    def block(self, number: int, times_s: NDArray[np.float64], layout: FrameLayout) -> DecodedBlock:
        """Return a block decoded; `layout` is that of files that do not say when it changed."""
        epochs = self._source.layouts() or [(0, layout)]
        rows = self._source.rows("SELECT channel, data FROM series WHERE block = ?", number)
        columns = {str(name): data for name, data in rows if isinstance(data, bytes)}
        if DETAIL not in columns:
            raise NoDetail(OLD)
        with of_part("the rows of events"):
            events = decode_events(columns.get(EVENTS, b""), len(times_s))
        return DecodedBlock.of(layout_at(epochs, number), times_s, events, columns, self._dies_of(number))

    def _dies_of(self, number: int) -> GpuTraits:
        """Return the traits of the GPUs in a block: those of the last block up to it that has them."""
        rows = self._source.rows(
            "SELECT block, length(data) FROM series WHERE channel = ? AND block <= ? ORDER BY block DESC LIMIT 1",
            DIES,
            number,
        )
        if not rows:
            raise NoDetail(OLD)
        key = (int(rows[0][0]), int(rows[0][1]))
        if self._dies is None or self._dies[0] != key:
            ((data,),) = self._source.rows(
                "SELECT data FROM series WHERE channel = ? AND block = ?", DIES, key[0]
            )
            with of_part("the differences between GPUs"):
                self._dies = key, dies_from_bytes(unpack(data, MAX_BLOB_BYTES))
        return self._dies[1]
