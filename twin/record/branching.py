"""The run file of a branch: a copy of its parent's, cut off behind the last snapshot before the branch begins."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from twin.record.constants import packed, packed_text
from twin.record.contents import Snapshot
from twin.record.hash import EventHash
from twin.record.inputs import input_hashes, inputs_hash, versions
from twin.record.reader import Reader
from twin.record.runfile import RunFileError, explained, fold, reopen
from twin.record.scenario_json import to_json
from twin.record.source import state_at
from twin.record.writer import Writer
from twin.scenario.document import Scenario

BY_HAND = ("intervention", "edit", "withdrawn")
"""Markers of what people did: in a branch the scene tells of it."""
Spans = Sequence[tuple[float, float]]


def branch_copy(parent: Reader, path: Path, scenario: Scenario, at_s: float, aside: Spans = ()) -> float:
    """Make at `path` what a run of `scenario` goes on in that leaves the run of `parent` at `at_s` [s].

    Parameters
    ----------
    aside
        Times of the parent whose snapshots do not serve, from - to [s]: it had something ahead that `scenario` has not.

    Returns
    -------
    float
        Time of the snapshot that it goes on from [s]; 0: it begins anew, for there is none before.

    Raises
    ------
    RunFileError
        When the parent cannot be read, or the copy not be written.
    """
    before = serving_snapshot(parent, at_s, aside)
    parent.save_copy(path)
    Writer.resume(path, parent.header.layout, before).close()
    text = to_json(scenario)
    header = {
        "scenario": text,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": json.dumps(versions()),
        "inputs": json.dumps(input_hashes(scenario)),
        "inputs_hash": inputs_hash(scenario),
        "constants": packed(),
        "original": packed_text(text),
    }
    file = reopen(path)
    with explained(path, "write"):
        file.execute("BEGIN IMMEDIATE")
        file.executemany("INSERT OR REPLACE INTO header VALUES (?, ?)", header.items())
        file.execute(
            f"DELETE FROM markers WHERE t > ? OR kind IN ({','.join('?' * len(BY_HAND))})", (at_s, *BY_HAND)
        )
        file.execute("COMMIT")
        fold(file)
    return 0.0 if before is None else before.t_s


def serving_snapshot(parent: Reader, at_s: float, aside: Spans = ()) -> Snapshot | None:
    """Return the last snapshot that a branch can go on from: what is done at the time of its cut comes first then."""
    while True:
        found = parent.nearest_snapshot(math.nextafter(at_s, -math.inf))
        spans = [] if found is None else [span for span in aside if span[0] <= found.t_s <= span[1]]
        if not spans:
            return found
        at_s = min(span[0] for span in spans)


def events_before(reader: Reader, at_s: float) -> tuple[int, str]:
    """Return how many events a run had before `at_s` [s], and the hash of these."""
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
