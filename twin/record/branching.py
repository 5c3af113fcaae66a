"""The run file of a branch: a copy of its parent's, cut off where the branch begins.

What lies before the cut is the parent's, to the last bit: the branch is simulated from the last snapshot before the
cut, and recorded from the cut on.
"""

from __future__ import annotations

import json
import math
import sqlite3
import zlib
from collections.abc import Sequence
from pathlib import Path

from twin.record.bookings import NOTHING, Booked
from twin.record.contents import BY_HAND, Snapshot
from twin.record.hash import EventHash
from twin.record.reader import Reader
from twin.record.runfile import RunFileError, explained, fold, reopen
from twin.record.series import BOOKINGS
from twin.record.source import state_at
from twin.record.trimming import BlockHead
from twin.record.writer import as_json, drop_from, made_from
from twin.scenario.schema.document import Scenario

Spans = Sequence[tuple[float, float]]


def branch_copy(parent: Reader, path: Path, scenario: Scenario, at_s: float, aside: Spans = ()) -> float:
    """Make at `path` the run file of a branch: `scenario` continues in it from the run of `parent` at `at_s` [s].

    Parameters
    ----------
    aside
        Times of the parent whose snapshots do not serve, from - to [s]: it had something ahead that `scenario` has not.

    Returns
    -------
    float
        Time of the snapshot that it continues from [s]; 0: it begins again, for there is none before.

    Raises
    ------
    RunFileError
        When the parent cannot be read, or the copy not be written.
    """
    before = serving_snapshot(parent, at_s, aside)
    head, booked = parent.block_head(at_s), parent.bookings()
    events, event_hash = events_before(parent, at_s)
    parent.save_copy(path)
    file = reopen(path)
    with explained(path, "write"):
        file.execute("BEGIN IMMEDIATE")
        drop_from(file, at_s, -1.0 if before is None else before.t_s)
        if head is not None:
            _insert(file, head)
        if booked is not None:
            _book(file, booked.before(at_s))
        last = file.execute("SELECT MAX(id) FROM blocks").fetchone()[0] or 1
        header = _header(parent, scenario, at_s, last)
        file.executemany("INSERT OR REPLACE INTO header VALUES (?, ?)", header.items())
        file.execute(
            f"DELETE FROM markers WHERE t > ? OR kind IN ({','.join('?' * len(BY_HAND))})", (at_s, *BY_HAND)
        )
        file.execute(
            "UPDATE progress SET t = ?, events = ?, hash = ?, summary = NULL", (at_s, events, event_hash)
        )
        file.execute("COMMIT")
        fold(file)
    return 0.0 if before is None else before.t_s


def _insert(file: sqlite3.Connection, head: BlockHead) -> None:
    """Insert the rest of the block that contains the cut."""
    times_s = head.times_s
    row = (head.number, times_s[0], times_s[-1], len(times_s), zlib.compress(times_s.tobytes(), 1))
    file.execute("INSERT INTO blocks VALUES (?, ?, ?, ?, ?)", row)
    columns = [(head.number, name, data) for name, data in head.columns.items()]
    file.executemany("INSERT INTO series(block, channel, data) VALUES (?, ?, ?)", columns)


def _book(file: sqlite3.Connection, booked: Booked) -> None:
    """Put all bookings into the last block, and none into the others."""
    blocks = [number for (number,) in file.execute("SELECT id FROM blocks ORDER BY id")]
    nothing, whole = NOTHING.encode(), booked.encode()
    rows = [(number, BOOKINGS, whole if number == blocks[-1] else nothing) for number in blocks]
    file.executemany("INSERT OR REPLACE INTO series(block, channel, data) VALUES (?, ?, ?)", rows)


def _header(parent: Reader, scenario: Scenario, at_s: float, last: int) -> dict[str, str]:
    """Return the header entries of a branch that differ from its parent's; `last` is its last block."""
    epochs = [epoch for epoch in parent.epochs() if epoch[0] <= last]
    layout = epochs[-1][1]
    ids = {
        entity: names[: layout.counts.get(entity, len(names))] for entity, names in parent.header.ids.items()
    }
    return {
        **made_from(scenario),
        "past_s": repr(at_s),
        "layout": json.dumps(as_json(layout)),
        "epochs": json.dumps([[first, as_json(epoch_layout)] for first, epoch_layout in epochs]),
        "ids": json.dumps(ids),
    }


def serving_snapshot(parent: Reader, at_s: float, aside: Spans = ()) -> Snapshot | None:
    """Return the last snapshot that a branch can continue from: it precedes all events at the branch time."""
    while True:
        found = parent.nearest_snapshot(math.nextafter(at_s, -math.inf))
        spans = [] if found is None else [span for span in aside if span[0] <= found.t_s <= span[1]]
        if not spans:
            return found
        at_s = min(span[0] for span in spans)


def events_before(reader: Reader, at_s: float) -> tuple[int, str]:
    """Return the number of events of a run before `at_s` [s], and their hash."""
    made = EventHash()
    for t_s, events, text in reader.snapshot_hashes():
        if t_s < at_s and events:
            try:
                made = EventHash(bytes.fromhex(text), events)
            except ValueError as error:
                raise RunFileError(f"{reader.path}: the hash of {state_at(t_s)} is damaged") from error
    while True:
        later = reader.events(made.count)
        for event in later:
            if event.t_s >= at_s:
                return made.count, made.hexdigest()
            made.update(event)
        if not later:
            return made.count, made.hexdigest()
