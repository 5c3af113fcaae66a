"""Decoding of blocks of a run file: columns of one stretch of time, and frames of its samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.physics.gpu_picture import ADDED, FIELDS, GpuTraits
from twin.record.channels import SERIES_CHANNELS, Channel, NodeCondition, State
from twin.record.columns import Dense, Sparse, decode_dense, decode_sparse, unpack
from twin.record.detail import COLUMNS, Detail, unpacked_groups
from twin.record.frame import Frame, FrameLayout
from twin.record.run_summary import strict_json
from twin.record.runfile import RunFileError, of_part
from twin.record.series import DETAIL, MANY

_MAX_GROUPS = 10**6
_MAX_ACCOUNTS = 1000
_MAX_WORDS_BYTES = 10_000


def decode_channel(channel: Channel, blob: bytes, samples: int, entities: int) -> Dense | Sparse:
    """Return the column of a channel.

    Raises
    ------
    RunFileError
        When the bytes are not such a column.
    """
    decode = decode_sparse if entities > MANY else decode_dense
    return decode(blob, samples, entities, channel.dtype)


def decode_series(
    layout: FrameLayout, samples: int, columns: Mapping[str, bytes]
) -> dict[str, Dense | Sparse]:
    """Return all curves of a block, by channel; raises as `decode_channel`, naming the channel."""
    found = {}
    for channel in SERIES_CHANNELS:
        count = layout.counts.get(channel.entity, 0)
        if count and channel.id in columns:
            with of_part(channel.id):
                found[channel.id] = decode_channel(channel, columns[channel.id], samples, count)
    return found


def decode_events(blob: bytes, samples: int) -> NDArray[np.int64]:
    """Return the rows of events up to each sample.

    Raises
    ------
    RunFileError
        When the bytes are not so many numbers.
    """
    data = unpack(blob, 8 * samples)
    if len(data) != 8 * samples:
        raise RunFileError("the rows of events of a block are damaged")
    return np.frombuffer(data, np.int64)


def decode_ledger(blob: bytes, samples: int) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return (accounts, GPU-seconds of each up to each sample, samples x accounts).

    Raises
    ------
    RunFileError
        When the bytes are no ledger of so many samples.
    """
    accounts, gpu_s = decode_named(blob, samples)
    if not np.isfinite(gpu_s).all():
        raise RunFileError("a block of the ledger is damaged")
    return accounts, gpu_s


def decode_named(blob: bytes, samples: int) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return (names, numbers at each sample, samples x names); nan: unknown.

    Raises
    ------
    RunFileError
        When the bytes are no numbers of so many samples.
    """
    data = unpack(blob, _MAX_ACCOUNTS * (samples * 8 + 1000))
    try:
        size = 4 + int.from_bytes(data[:4], "little")
        names = tuple(map(str, strict_json(data[4:size])))
        if len(data) != size + 8 * samples * len(names):
            raise ValueError("size")
        rows = np.frombuffer(data[size:], np.float64).reshape(samples, len(names))
        if np.isinf(rows).any():
            raise ValueError("no figures")
        return names, rows
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        raise RunFileError("a block of the ledger is damaged") from error


@dataclass(frozen=True)
class DecodedBlock:
    """One block: times [s] and columns of series and detail."""

    layout: FrameLayout
    times_s: NDArray[np.float64]
    events: NDArray[np.int64]
    series: Mapping[str, Dense | Sparse]
    detail: Mapping[str, Sparse]
    fields: Mapping[str, int]
    room: int
    dies: GpuTraits

    @classmethod
    def of(
        cls,
        layout: FrameLayout,
        times_s: NDArray[np.float64],
        events: NDArray[np.int64],
        columns: Mapping[str, bytes],
        dies: GpuTraits,
    ) -> DecodedBlock:
        """Decode the columns of a block.

        Raises
        ------
        RunFileError
            When it is damaged.
        """
        samples = len(times_s)
        series = decode_series(layout, samples, columns)
        with of_part(DETAIL):
            fields, room = _group_fields(columns[DETAIL])
        gpus, nodes = (layout.counts.get(entity, 0) for entity in ("gpu", "node"))
        if len(dies.node) != gpus or dies.node.max(initial=-1) >= nodes:
            raise RunFileError("its GPU data does not match the hall")
        entities = {"groups": len(fields) * room, "group": gpus, "job": gpus}
        detail = {}
        for name, dtype in COLUMNS.items():
            count = entities.get(name, nodes)
            if f"{DETAIL}.{name}" not in columns:
                raise RunFileError("a block lacks data of single GPUs")
            with of_part(f"{DETAIL}.{name}"):
                detail[name] = (
                    decode_sparse(columns[f"{DETAIL}.{name}"], samples, count, dtype) if count else _NOTHING
                )
        return cls(layout, times_s, events, series, detail, fields, room, dies)

    def frame(self, sample: int) -> Frame:
        """Return the picture at a sample."""
        frame = Frame.empty(self.layout, float(self.times_s[sample]))
        frame.events = int(self.events[sample])
        with np.errstate(all="ignore"):  # a stranger's file may hold any numbers
            for id, column in self.series.items():
                frame.values[id][...] = column.at(sample)
            at = {name: column.at(sample) for name, column in self.detail.items()}
            detail = Detail(
                groups=unpacked_groups(at["groups"], self.fields, self.room),
                group=at["group"].astype(np.intp),
                job=at["job"].astype(np.int32),
                state=at["state"],
                condition=at["condition"],
                seat=at["seat"].astype(np.int32),
            )
            self._check(detail)
            detail.show(frame.values, self.dies)
        if self.dies.node.size:  # one figure, of the GPUs as they are shown
            frame.values["site.gpu_max_c"][...] = frame.values["gpu.temp_c"].max()
        return frame

    def _check(self, detail: Detail) -> None:
        """Refuse numbers of groups and jobs that do not exist."""
        ends = (
            (detail.group, self.room),
            (detail.job, self.layout.counts.get("job", 0)),
            (detail.state, len(State)),
            (detail.condition, len(NodeCondition)),
        )
        if any(values.size and values.max() >= end for values, end in ends):
            raise RunFileError("its data of single GPUs does not match the run")


_NOTHING = Sparse(np.zeros(0, np.uint8), np.zeros(0, np.intp), np.zeros((0, 1), np.uint8))


def _group_fields(blob: bytes) -> tuple[dict[str, int], int]:
    """Return the row of each figure of a group, and the number of groups that fit."""
    try:
        found = strict_json(unpack(blob, _MAX_WORDS_BYTES))
        fields, room = [str(name) for name in found["fields"]], int(found["room"])
        if not set(FIELDS) - set(ADDED) <= set(fields) or not 0 < room <= _MAX_GROUPS or len(fields) > 100:
            raise ValueError("fields")
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
        raise RunFileError("its group data is damaged") from error
    return {name: row for row, name in enumerate(fields)}, room
