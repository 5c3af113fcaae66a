"""Writer of a run file: takes events and samples, commits them in batches, folds the file at the end."""

from __future__ import annotations

import json
import math
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.physics.gpu_picture import GpuTraits
from twin.record.bookings import Booked, decode_bookings, joined
from twin.record.channels import Entity
from twin.record.constants import packed, packed_text
from twin.record.contents import UNDONE, Snapshot
from twin.record.detail import Detail, dies_to_bytes
from twin.record.events import WHERE, Event
from twin.record.frame import FrameLayout
from twin.record.inputs import input_hashes, inputs_hash, versions
from twin.record.redraw import Redraw, redraws_text
from twin.record.runfile import RunFileError, create, explained, fold, mark_log, reopen
from twin.record.scenario_json import to_json
from twin.record.series import BOOKINGS, DIES, Block
from twin.scenario.schema.document import Scenario

_PROBE_BYTES = 1 << 14


@dataclass(frozen=True)
class FilePlace:
    """The place in a run file right before its last marker.

    Parameters
    ----------
    t_s, events
        Time of the run [s], and rows of events up to there.
    marker
        Id of the marker.
    block
        Number of the first block after it.
    booked
        Bookings in the block before; None: there is none.
    """

    t_s: float
    events: int
    marker: int
    block: int
    booked: Booked | None


class Writer:
    """A run file being written. Nothing reaches the disk before `commit`.

    Parameters
    ----------
    path
        Where; an older run file there is replaced.
    scenario, seed, layout, end_s
        What is run, with which seed, what its frames carry, and how long it lasts [s].
    ids
        Ids of the entities of each kind that series are kept of, in frame order.
    redraws
        From when on its random draws are of another seed.

    Raises
    ------
    RunFileError
        When the file cannot be made, or something else than a run file is there.
    """

    def __init__(
        self,
        path: Path,
        scenario: Scenario,
        seed: int,
        layout: FrameLayout,
        end_s: float,
        ids: Mapping[Entity, Sequence[str]],
        redraws: Sequence[Redraw] = (),
    ) -> None:
        self.path = path
        self._prepare(layout)
        header = {
            **made_from(scenario),
            "seed": str(seed),
            "end_s": repr(end_s),
            "layout": json.dumps(as_json(layout)),
            "ids": _ids(ids),
            "epochs": json.dumps([[1, as_json(layout)]]),
            **({"redraws": redraws_text(redraws)} if redraws else {}),
        }
        self._file = create(path, header)

    @property
    def file(self) -> sqlite3.Connection:
        """The open run file."""
        return self._file

    @classmethod
    def resume(
        cls,
        path: Path,
        layout: FrameLayout,
        at: Snapshot | None,
        ids: Mapping[Entity, Sequence[str]] | None = None,
    ) -> Writer:
        """Return a writer that continues in the file of a dead process, from snapshot `at` or the start.

        `ids` are those of the hall as it stands there; None: as the file has them.

        Everything the file holds after that time is dropped: the engine will produce it again. Of a branch that has not
        come to its cut, what lies before the cut stays, for it is its parent's: until `past_s` nothing is written.
        """
        writer = cls.__new__(cls)
        writer.path = path
        writer._file = reopen(path)
        writer._prepare(layout)
        writer._cut(at or Snapshot(-1.0, 0, "", b""))
        if ids is not None and writer.past_s == -math.inf:
            writer.relay(layout, ids)
        return writer

    def _prepare(self, layout: FrameLayout) -> None:
        self.past_s = -math.inf
        self.rows = 0  # of events that the file has, and stay
        self._block = Block(layout)
        self._layout = layout
        self._block_id = 1
        self._block_dirty = False
        self._dies: GpuTraits | None = None  # as the file has them
        self._booked: Booked | None = None  # of the block before
        self._events: list[tuple[int, float, str, str, int, str, str]] = []
        self._pending: list[tuple[str, tuple[object, ...]]] = []
        self._epochs: list[list[Any]] | None = None  # (first block, layout); None: not read yet

    def relay(self, layout: FrameLayout, ids: Mapping[Entity, Sequence[str]]) -> None:
        """Continue with frames of another layout after an edit of the hall. Entities keep their numbers."""
        if self._block.samples:
            self._close_block()
        epochs = [epoch for epoch in self._known_epochs() if epoch[0] < self._block_id]
        if not epochs or epochs[-1][1] != as_json(layout):
            epochs.append([self._block_id, as_json(layout)])
        self._block, self._layout, self._dies, self._epochs = Block(layout), layout, None, epochs
        header = {"layout": json.dumps(as_json(layout)), "ids": _ids(ids), "epochs": json.dumps(epochs)}
        self._pending += [
            ("INSERT OR REPLACE INTO header VALUES (?, ?)", (key, value)) for key, value in header.items()
        ]

    def _known_epochs(self) -> list[list[Any]]:
        """Return from which block on frames have which layout."""
        if self._epochs is None:
            with explained(self.path, "read"):
                rows = "SELECT key, value FROM header WHERE key IN ('epochs', 'layout')"
                found = {key: json.loads(value) for key, value in self._file.execute(rows)}
            self._epochs = found.get("epochs") or [[1, found["layout"]]]
        return self._epochs

    def add_events(self, events: Sequence[Event]) -> None:
        """Take events, in row order."""
        self._events.extend(
            (e.row, e.t_s, e.kind, e.subject, int(e.severity), e.text, _data(e)) for e in events
        )

    def add_sample(
        self,
        t_s: float,
        packed: NDArray[np.uint8],
        events: int = 0,
        detail: Detail | None = None,
        dies: GpuTraits | None = None,
        ledger: Mapping[str, float] | None = None,
        figures: Mapping[str, float] | None = None,
        booked: Booked | None = None,
    ) -> None:
        """Take a sample.

        Parameters
        ----------
        t_s
            Its time [s].
        packed
            Bytes of a packed frame.
        events
            Rows of events so far.
        detail, dies
            Single GPUs and nodes, and what sets the GPUs apart; None: no pictures can be made of the file.
        ledger
            GPU-seconds of each account since the start.
        figures
            What the run has come to, by name.
        booked
            What was booked since the sample before; None: readings of the ledger are those of samples.
        """
        if not self._block.fits(detail, ledger, figures):
            self._close_block()
        if dies is not None and dies is not self._dies:
            self._put(DIES, zlib.compress(dies_to_bytes(dies), 1))
            self._dies = dies
        self._block.add(t_s, packed, events, detail, ledger, figures, booked)
        self._block_dirty = True
        if self._block.full:
            self._close_block()

    def add_bookings(self, booked: Booked) -> None:
        """Take the bookings since the last sample, before a snapshot."""
        if self._block.samples:
            self._block.add_booked(booked)
            self._block_dirty = True
            return
        before = self._booked if self._booked is not None else self._read_booked()
        if before is not None:
            self._booked = joined([before, booked])
            self._put(BOOKINGS, self._booked.encode(), self._block_id - 1)

    def _read_booked(self) -> Booked | None:
        """Return the bookings of the last block of the file; None: it has none."""
        with explained(self.path, "read"):
            row = self._file.execute(
                "SELECT data FROM series WHERE block = ? AND channel = ?", (self._block_id - 1, BOOKINGS)
            ).fetchone()
        return None if row is None else decode_bookings(row[0])

    def add_snapshot(
        self, t_s: float, events: int, event_hash: str, data: bytes, rolling: bool = False
    ) -> None:
        """Take a snapshot of the engine at `t_s`, after `events` rows.

        A rolling one replaces the rolling one before.
        """
        if self._block.samples:  # so that going on from here never has to cut a block in two
            self._close_block()
        if rolling:
            self._pending.append(("DELETE FROM snapshots WHERE rolling = 1", ()))
        row = (t_s, events, event_hash, int(rolling), _packed(data))
        self._pending.append(
            ("INSERT INTO snapshots(t, events, hash, rolling, data) VALUES (?, ?, ?, ?, ?)", row)
        )

    def place(self, t_s: float, events: int) -> FilePlace:
        """Return the place before the last marker, which was committed with a snapshot at `t_s` [s]."""
        with explained(self.path, "read"):
            (marker,) = self._file.execute("SELECT MAX(id) FROM markers").fetchone()
        return FilePlace(t_s, events, marker, self._block_id, self._booked)

    def go_back(self, place: FilePlace, layout: FrameLayout, ids: Mapping[Entity, Sequence[str]]) -> None:
        """Drop all records after a place; from there on frames have `layout` again.

        A snapshot has to follow before the next commit: the last one is of the time after.
        """
        self._events.clear()
        self._block.clear()
        self._block_id, self._block_dirty, self._booked = place.block, False, place.booked
        self._pending = [
            ("DELETE FROM events WHERE row >= ?", (place.events,)),
            ("DELETE FROM snapshots WHERE t > ? OR events > ?", (place.t_s, place.events)),
            ("DELETE FROM markers WHERE id >= ? AND kind <> ?", (place.marker, UNDONE)),
            ("DELETE FROM series WHERE block >= ?", (place.block,)),
            ("DELETE FROM blocks WHERE id >= ?", (place.block,)),
        ]
        if place.booked is not None:
            self._put(BOOKINGS, place.booked.encode(), place.block - 1)
        self.relay(layout, ids)

    def add_marker(self, t_s: float, kind: str, text: str, data: str = "{}") -> None:
        """Take a marker: a bookmark, or an intervention with its JSON in `data`."""
        row = (t_s, kind, text, data)
        self._pending.append(("INSERT INTO markers(t, kind, text, data) VALUES (?, ?, ?, ?)", row))

    def commit(
        self, t_s: float, events: int, event_hash: str, summary: Mapping[str, Any] | None = None
    ) -> None:
        """Make all records taken up to now readable for others.

        Parameters
        ----------
        t_s, events, event_hash
            How far the run is: time [s], rows of events, their hash.
        summary
            The final summary, when the run is over.
        """
        if self._block_dirty and self._block.enough:
            self._close_block()
        elif self._block_dirty:
            self._put_block()
        text = None if summary is None else json.dumps(summary, sort_keys=True, default=float)
        with explained(self.path, "write"):
            self._file.execute("BEGIN IMMEDIATE")
            for statement, values in self._pending:
                self._file.execute(statement, values)
            if self._events:
                self._file.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", self._events)
            self._file.execute(
                "UPDATE progress SET t = ?, events = ?, hash = ?, summary = ?",
                (t_s, events, event_hash, text),
            )
            mark_log(self._file)
            self._file.execute("COMMIT")
        self._events.clear()
        self._pending.clear()

    def close(self) -> None:
        """Close the file and make it one single file; uncommitted records are lost."""
        with explained(self.path, "close"):
            fold(self._file)

    def abandon(self) -> None:
        """Close the file as of the last commit."""
        self._file.close()

    def _put_block(self) -> None:
        """Write the block as it is now; an earlier state of it is replaced."""
        times = self._block.times_s
        head = (self._block_id, times[0], times[-1], len(times), zlib.compress(times.tobytes(), 1))
        self._pending.append(("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?)", head))
        for name, data in self._block.columns():
            self._put(name, data)
        self._block_dirty = False

    def _put(self, name: str, data: bytes, block: int | None = None) -> None:
        row = (self._block_id if block is None else block, name, data)
        self._pending.append(("INSERT OR REPLACE INTO series(block, channel, data) VALUES (?, ?, ?)", row))

    def _close_block(self) -> None:
        self._put_block()
        self._booked = self._block.booked
        self._block.clear()
        self._block_id += 1

    def _cut(self, at: Snapshot) -> None:
        """Drop the records after `at`, or of a branch after its cut where that is later."""
        with explained(self.path, "write"):
            row = self._file.execute("SELECT value FROM header WHERE key = 'past_s'").fetchone()
            past_s = -math.inf if row is None else _time_s(row[0], self.path)
            if past_s > at.t_s:
                self._keep_past(past_s, at)
                return
            self.rows = at.events
            self._file.execute("BEGIN IMMEDIATE")
            self._file.execute("DELETE FROM events WHERE row >= ?", (at.events,))
            self._file.execute("DELETE FROM snapshots WHERE t > ?", (at.t_s,))
            self._file.execute("DELETE FROM ledger WHERE t > ?", (at.t_s,))
            self._file.execute(
                "DELETE FROM series WHERE block IN (SELECT id FROM blocks WHERE t1 > ?)", (at.t_s,)
            )
            self._file.execute("DELETE FROM blocks WHERE t1 > ?", (at.t_s,))
            self._file.execute(
                "UPDATE progress SET t = ?, events = ?, hash = ?, summary = NULL",
                (max(at.t_s, 0.0), at.events, at.event_hash),
            )
            self._file.execute("COMMIT")
            self._block_id = self._file.execute("SELECT COALESCE(MAX(id), 0) + 1 FROM blocks").fetchone()[0]

    def _keep_past(self, past_s: float, at: Snapshot) -> None:
        """Drop the records from `past_s` on: a branch ran beyond its cut, and reached no snapshot."""
        self._file.execute("BEGIN IMMEDIATE")
        drop_from(self._file, past_s, at.t_s)
        self._file.execute("COMMIT")
        self.past_s = past_s
        (self.rows,) = self._file.execute("SELECT COUNT(*) FROM events").fetchone()
        (self._block_id,) = self._file.execute("SELECT COALESCE(MAX(id), 0) + 1 FROM blocks").fetchone()


def _time_s(text: object, path: Path) -> float:
    try:
        return float(str(text))
    except ValueError as error:
        raise RunFileError(f"{path}: the header of this run file is damaged") from error


def drop_from(file: sqlite3.Connection, at_s: float, snapshot_s: float) -> None:
    """Delete the records of a run file at `at_s` [s] and later, and snapshots after `snapshot_s` [s]."""
    file.execute("DELETE FROM events WHERE t >= ?", (at_s,))
    file.execute("DELETE FROM snapshots WHERE t > ?", (snapshot_s,))
    file.execute("DELETE FROM ledger WHERE t >= ?", (at_s,))
    file.execute("DELETE FROM series WHERE block IN (SELECT id FROM blocks WHERE t1 >= ?)", (at_s,))
    file.execute("DELETE FROM blocks WHERE t1 >= ?", (at_s,))


def made_from(scenario: Scenario) -> dict[str, str]:
    """Return the header entries on inputs, software and time of a run."""
    text = to_json(scenario)
    return {
        "scenario": text,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": json.dumps(versions()),
        "inputs": json.dumps(input_hashes(scenario)),
        "inputs_hash": inputs_hash(scenario),
        "constants": packed(),
        "original": packed_text(text),
    }


def as_json(layout: FrameLayout) -> dict[str, Any]:
    """Return a layout for the header."""
    return {"counts": dict(layout.counts), "epoch": layout.epoch}


def _ids(ids: Mapping[Entity, Sequence[str]]) -> str:
    return json.dumps({entity: list(names) for entity, names in ids.items()})


def _packed(data: bytes) -> bytes:
    """Compress where it pays: arrays of floats cost much time and shrink little."""
    head = data[:_PROBE_BYTES]
    level = 1 if len(zlib.compress(head, 1)) * 3 < len(head) else 0
    return zlib.compress(data, level)


def _data(event: Event) -> str:
    """Return the values of an event as JSON, and beside them the nodes it is about."""
    if event.where:
        return json.dumps({**event.data, WHERE: event.where})
    if not event.data:
        return "{}"
    if len(event.data) == 1:  # nearly all: written out, for a run has tens of thousands
        ((name, value),) = event.data.items()
        if type(value) is int and name.isidentifier():
            return f'{{"{name}": {value}}}'
    return json.dumps(event.data)
