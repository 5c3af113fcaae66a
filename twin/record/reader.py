"""Reader of run files: finished ones, those being written by another process, and those of strangers."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.record.blocks import decode_channel
from twin.record.bookings import Booked
from twin.record.channels import BY_ID, SERIES_CHANNELS, Channel
from twin.record.columns import unpack
from twin.record.constants import unpacked, unpacked_text
from twin.record.contents import Header, Marker, Snapshot
from twin.record.event_kinds import KINDS
from twin.record.events import WHERE, Event, Severity, Value
from twin.record.frame import Frame, FrameLayout
from twin.record.inputs import can_continue
from twin.record.ledger_reading import LedgerRange
from twin.record.ledger_record import Figures, Ledger, LedgerRecord
from twin.record.pictures import Pictures
from twin.record.redraw import redraws_of, seed_of
from twin.record.run_summary import Misshapen, strict_json, summary_of
from twin.record.runfile import MAX_BLOB_BYTES, RunFileError, explained, mark, of_part
from twin.record.series import Series, condense
from twin.record.source import RunSource, count, layout_at, layout_of, state_at, stretch, time_s
from twin.record.trimming import BlockHead, block_head
from twin.record.whole import damaged

RENUMBERED = ("bundle",)
"""Entities that have other numbers after an edit of the hall: their curves begin again."""
MAX_EVENTS = 100_000
"""Most events one call of `Reader.events` returns."""


class Reader:
    """A run file, open for reading only; it may grow meanwhile.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    RunFileError
        With one sentence when it is missing, damaged, cut off, no run file, or of a newer version.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._source = RunSource(self.path)
        self._pictures = Pictures(self._source)
        self._accounts = LedgerRecord(self._source)
        self._summary: tuple[str | None, dict[str, Any] | None] | None = None

    @property
    def source(self) -> RunSource:
        """The open run file, read only."""
        return self._source

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._source.file.close()

    @cached_property
    def header(self) -> Header:
        """Return the header."""
        found = {
            str(key): str(value)
            for key, value in self._source.rows("SELECT key, value FROM header LIMIT 100")
        }
        try:
            return Header(
                file=str(self.path),
                scenario_text=found["scenario"],
                seed=seed_of(found["seed"]),
                layout=layout_of(strict_json(found["layout"])),
                ids={k: tuple(map(str, v)) for k, v in strict_json(found["ids"]).items()},
                created=found["created"],
                versions=_texts(strict_json(found["versions"])),
                inputs=_texts(strict_json(found["inputs"])),
                inputs_hash=found["inputs_hash"],
                end_s=time_s(found["end_s"]),
                redraws=redraws_of(found.get("redraws", "[]")),
            )
        except (KeyError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise RunFileError(f"{self.path}: the header of this run file is damaged") from error

    def constants(self) -> dict[str, str]:
        """Return the files of catalogue and profiles as the run read them; none: it was made before they were kept."""
        for (text,) in self._source.rows("SELECT value FROM header WHERE key = 'constants'"):
            try:
                return unpacked(text)
            except (ValueError, TypeError, AttributeError) as error:
                raise RunFileError(f"{self.path}: the header of this run file is damaged") from error
        return {}

    def original_scene(self) -> str | None:
        """Return the scenario as JSON that the run began with, kept apart; None: it is older, or damaged."""
        for (text,) in self._source.rows("SELECT value FROM header WHERE key = 'original'"):
            try:
                return unpacked_text(text)
            except (ValueError, TypeError):
                return None
        return None

    def damaged(self) -> tuple[str, ...]:
        """Return a sentence on each part of the file that is damaged; reads all of it."""
        found = damaged(self._source, self.header.layout)
        kept = self._source.rows("SELECT value FROM header WHERE key = 'original'")
        lost = bool(kept) and self.original_scene() is None
        return (*found, *([f"{self.path}: the copy of the scene in its header is damaged"] if lost else ()))

    @property
    def t_end_s(self) -> float:
        """Return the simulated time the file reaches so far [s]."""
        return float(self._source.progress()[0])

    @property
    def event_count(self) -> int:
        """Return the number of events so far."""
        return int(self._source.progress()[1])

    @property
    def event_hash(self) -> str:
        """Return the hash of the events so far."""
        return str(self._source.progress()[2])

    @property
    def summary(self) -> dict[str, Any] | None:
        """Return the final summary; None while the run is not over."""
        text = self._source.progress()[3]
        if self._summary is None or self._summary[0] != text:
            try:
                self._summary = text, None if text is None else summary_of(text)
            except Misshapen as error:
                raise RunFileError(
                    f"{self.path}: the summary of this run file is damaged: {error}"
                ) from error
        return self._summary[1]

    def events(self, since_row: int = 0, limit: int = MAX_EVENTS) -> list[Event]:
        """Return up to `limit` events from row `since_row` on."""
        return self._events("WHERE row >= ?", (since_row,), limit)

    def all_events(self, since_row: int = 0) -> list[Event]:
        """Return the events from row `since_row` on, however many there are."""
        found: list[Event] = []
        while more := self.events(since_row + len(found)):
            found += more
        return found

    def events_where(
        self,
        *,
        kinds: Sequence[str] | None = None,
        subject: str | None = None,
        least: Severity = Severity.INFO,
        t0_s: float = -math.inf,
        t1_s: float = math.inf,
        limit: int = MAX_EVENTS,
    ) -> list[Event]:
        """Return up to `limit` matching events, in order.

        Parameters
        ----------
        kinds, subject
            Of the events; None: any.
        least
            Least severity.
        t0_s, t1_s
            Range of time [s], both ends included.
        """
        conditions = ["severity >= ?", "t >= ?", "t <= ?"]
        wanted: list[object] = [int(least), t0_s, t1_s]
        if kinds is not None:
            conditions.append(f"kind IN ({','.join('?' * len(kinds))})")
            wanted += kinds
        if subject is not None:
            conditions.append("subject = ?")
            wanted.append(subject)
        return self._events(f"WHERE {' AND '.join(conditions)}", wanted, limit)

    def _events(self, where: str, values: Sequence[object], limit: int) -> list[Event]:
        rows = self._source.rows(
            f"SELECT row, t, kind, subject, severity, text, data FROM events {where} ORDER BY row LIMIT ?",
            *values,
            min(limit, MAX_EVENTS),
        )
        try:
            return [
                Event(
                    row,
                    time_s(t),
                    str(kind),
                    str(subject),
                    Severity(severity),
                    str(text),
                    _outcomes(str(kind), found),
                    where,
                )
                for row, t, kind, subject, severity, text, data in rows
                for found in (dict(self._source.json(data)),)
                for where in (str(found.pop(WHERE, "")),)
            ]
        except (ValueError, TypeError, OverflowError) as error:
            raise RunFileError(f"{self.path}: an event of this run file is damaged") from error

    def series(
        self,
        entity: int,
        channel_id: str,
        t0_s: float = 0.0,
        t1_s: float = math.inf,
        points: int = 2000,
    ) -> Series:
        """Return the curve of one channel of one entity.

        Parameters
        ----------
        entity
            Its number within its kind: ``header.ids["rack"].index("gpu/3/12")``.
        channel_id
            A channel that is not of GPUs or nodes.
        t0_s, t1_s
            Range of time [s], both ends included.
        points
            Most points wanted.

        Raises
        ------
        KeyError
            When there is no such channel or series of it.
        IndexError
            When there is no such entity.
        RunFileError
            When the file is damaged.
        """
        channel = BY_ID[channel_id]
        if channel not in SERIES_CHANNELS:
            raise KeyError(f"no series is recorded for {channel_id}")
        epochs = self.epochs()
        count = epochs[-1][1].counts.get(channel.entity, 0)
        since = epochs[-1][0] if channel.entity in RENUMBERED else 0
        if not 0 <= entity < count:
            raise IndexError(f"this run has {count} of kind {channel.entity}, and no number {entity}")
        times: list[NDArray[np.float64]] = [np.zeros(0)]
        values: list[NDArray[np.float32]] = [np.zeros(0, np.float32)]
        for block, samples, begin_s, end_s, stamps, blob in self._source.rows(
            "SELECT b.id, b.samples, b.t0, b.t1, b.times, s.data FROM blocks b"
            " JOIN series s ON s.block = b.id AND s.channel = ?"
            " WHERE b.t1 >= ? AND b.t0 <= ? AND b.id >= ? ORDER BY b.id",
            channel_id,
            t0_s,
            t1_s,
            since,
        ):
            count = layout_at(epochs, int(block)).counts.get(channel.entity, 0)
            if entity >= count:  # it was not there yet
                continue
            t_s = self._source.times_s(stamps, samples, begin_s, end_s)
            inside = (t_s >= t0_s) & (t_s <= t1_s)
            times.append(t_s[inside])
            column = self._column(channel, blob, int(samples), count, stretch(begin_s, end_s))
            values.append(column[entity][inside])
        return condense(np.concatenate(times), np.concatenate(values), max(points, 1))

    def samples(
        self, channel_ids: Sequence[str], after_s: float, blocks: int, layout: FrameLayout
    ) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float32]]]:
        """Return the next samples of several channels: a small slice, to follow a run that is being written.

        Parameters
        ----------
        channel_ids
            Channels that are not of GPUs or nodes.
        after_s
            Only samples later than this [s].
        blocks
            Most blocks to decode.
        layout
            Of the run, ``header.layout``; whoever follows a run asks for it once. What a later edit of the hall brings
            is left out.

        Returns
        -------
        tuple
            Times [s], and entities x samples of each channel that has entities; no times: nothing later is there yet.
        """
        held = self._source.rows(
            "SELECT b.id, b.samples, b.t0, b.t1, b.times, s.channel, s.data FROM"
            " (SELECT id, samples, t0, t1, times FROM blocks WHERE t1 > ? ORDER BY id LIMIT ?) b"
            f" JOIN series s ON s.block = b.id AND s.channel IN ({','.join('?' * len(channel_ids))}) ORDER BY b.id",
            after_s,
            blocks,
            *channel_ids,
        )
        epochs = self.epochs() if held else []
        times: dict[int, NDArray[np.float64]] = {}
        columns: dict[str, list[NDArray[np.float32]]] = {}
        for block, samples, begin_s, end_s, stamps, name, blob in held:
            if block not in times:
                times[block] = self._source.times_s(stamps, samples, begin_s, end_s)
            if name not in channel_ids:  # its row and its index entry do not agree
                raise RunFileError(f"{self.path}: the name of a channel in this run file is damaged")
            channel = BY_ID[str(name)]
            count, wanted = (
                of.counts.get(channel.entity, 0) for of in (layout_at(epochs, int(block)), layout)
            )
            column = self._column(channel, blob, int(samples), count, stretch(begin_s, end_s))[:wanted]
            if count < wanted:  # some of them were not there yet
                gap = np.full((wanted - count, column.shape[1]), np.nan, np.float32)
                column = np.concatenate([column, gap])
            columns.setdefault(channel.id, []).append(column[:, times[block] > after_s])
        t_s = np.concatenate([np.zeros(0), *times.values()])
        later = {name: np.concatenate(parts, axis=1) for name, parts in columns.items()}
        return t_s[t_s > after_s], later

    def gpu_places(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return (node, place in it) of each GPU that there has been so far; `NoDetail` as `frame`."""
        dies = self._pictures.dies()
        return dies.node, dies.index

    def epochs(self) -> list[tuple[int, FrameLayout]]:
        """Return (first block, layout) of the hall as built and after each edit that acted, in order."""
        return self._source.layouts() or [(0, self.header.layout)]

    def snapshot_hashes(self) -> list[tuple[float, int, str]]:
        """Return (time [s], events before, their hash) of each snapshot, by time."""
        rows = self._source.rows("SELECT t, events, hash FROM snapshots ORDER BY t, id")
        with self._source.damaged("a snapshot"):
            return [(time_s(t), count(events), str(text)) for t, events, text in rows]

    @property
    def continues(self) -> bool:
        """Whether this program can continue from the snapshots of the run."""
        return can_continue(self.header.versions)

    def nearest_snapshot(self, t_s: float) -> Snapshot | None:
        """Return the last snapshot at or before `t_s`; None: start from the beginning.

        Snapshots of another version of the model, or in another form, are not read (`continues`).
        """
        if not self.continues:
            return None
        for t, events, text, blob in self._source.rows(
            "SELECT t, events, hash, data FROM snapshots WHERE t <= ? ORDER BY t DESC, id DESC LIMIT 1", t_s
        ):
            with self._source.named(), of_part(state_at(t)), self._source.damaged("a snapshot"):
                return Snapshot(time_s(t), count(events), str(text), unpack(blob, MAX_BLOB_BYTES))
        return None

    def ledger(self) -> Ledger:
        """Return (times [s], GPU-seconds of each account up to then [s])."""
        return self._accounts.so_far()

    def ledger_range(
        self, t0_s: float, t1_s: float, *, hindsight: bool = False, inclusive: bool | None = None
    ) -> LedgerRange:
        """Return the ledger from `t0_s` to `t1_s` [s], as known at `t1_s` or in hindsight of all that is recorded.

        In files of before bookings were kept losses count when they struck, and time between samples as spent evenly.
        What happens at `t1_s` counts where `inclusive` is set; None: only at the end of what is recorded.
        """
        return self._accounts.range_of(t0_s, t1_s, hindsight=hindsight, inclusive=inclusive)

    def bookings(self) -> Booked | None:
        """Return the bookings of the ledger so far; None: an older program made the file, and kept none."""
        return self._accounts.bookings()

    def figures(self) -> Figures:
        """Return (times [s], figures of the run so far by the names of the summary); none in older files."""
        return self._accounts.figures()

    def sample_times(self) -> NDArray[np.float64]:
        """Return the times of all samples so far [s]: those that `frame` knows."""
        return self._pictures.times_s()

    def frame(self, t_s: float) -> Frame:
        """Return the whole picture as it stood at the last sample at or before `t_s`, or at the first one.

        Of single GPUs, discrete values and clocks are those of the live run; temperatures are within 0.1 K of it,
        powers within 1 W. What is kept as series is rounded to the quantum of its channel.

        Raises
        ------
        NoDetail
            When nothing of single GPUs was recorded: an older program made the file.
        RunFileError
            When the file is damaged.
        """
        return self._pictures.frame(t_s, self.header.layout)

    def markers(self, kind: str | None = None) -> list[Marker]:
        """Return the markers, those of one kind or all, in the order they were made."""
        rows = self._source.rows("SELECT id, t, kind, text, data FROM markers ORDER BY id")
        with self._source.damaged("a mark"):
            return [
                Marker(i, time_s(t), str(k), str(x), str(d)) for i, t, k, x, d in rows if kind in (None, k)
            ]

    def block_head(self, at_s: float) -> BlockHead | None:
        """Return the samples before `at_s` [s] of the block that contains it; None: none."""
        return block_head(self._source, self._pictures, self.header.layout, at_s)

    def save_copy(self, path: Path | str) -> None:
        """Write the run as it is now to `path`, as one file, whole or not at all.

        Raises
        ------
        RunFileError
            When it cannot be written there.
        """
        target = Path(path)
        partial = target.with_name(f".{target.name}.part")
        with explained(target, "write"):
            try:
                with closing(sqlite3.connect(partial)) as copy:
                    self._source.file.backup(copy)
                    copy.execute("PRAGMA journal_mode=DELETE").fetchone()
                    mark(copy)
                partial.replace(target)
            finally:
                partial.unlink(missing_ok=True)

    def _column(
        self, channel: Channel, blob: bytes, samples: int, entities: int, when: str
    ) -> NDArray[np.float32]:
        with self._source.named(when), of_part(channel.id):
            return decode_channel(channel, blob, samples, entities).whole()


def _texts(words: Any) -> dict[str, str]:
    """Return words by names; `TypeError` or `ValueError` where they are anything else."""
    found = dict(words)
    if not all(isinstance(name, str) and isinstance(text, str) for name, text in found.items()):
        raise ValueError("no words by names")
    return found


def _outcomes(kind: str, data: dict[str, Any]) -> dict[str, Value]:
    """Return the values of an event; raises `ValueError` where one is no figure or text, or a hashed one no integer."""
    known = KINDS.get(kind)
    for name, value in data.items():
        if known is not None and name in known.hashed and type(value) is not int:
            raise ValueError(f"{name} is no integer")
        if not isinstance(value, str) and not (type(value) in (int, float) and math.isfinite(value)):
            raise ValueError(f"{name} is no figure and no text")
    return data
