"""Verification of a run file: simulate the run again and find the first divergence."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from twin.analysis.divergence_causes import altered_scene, causes_of
from twin.analysis.rerun import RequestedAct, acts_of
from twin.plant.tables import Plant
from twin.record.events import Event
from twin.record.hash import EventHash, canonical, hashed_names
from twin.record.inputs import app_version
from twin.record.reader import Reader
from twin.record.recorder import entity_ids
from twin.record.runfile import RunFileError
from twin.runtime.loading import begun, engine_type
from twin.runtime.protocol import ENGINE, RunEngine
from twin.runtime.state_before import StateBefore

NEAR = 1e-9
"""Relative difference of two figures that counts as none: engines of one build agree to the last bit."""
SENTENCES = ("network_reason",)
"""Keys of the summary that hold a sentence: as of events, another version may word it otherwise."""
_CHUNK = 5000
_SLICE_WALL_S = 0.1

What = Literal["event", "hash", "state", "refused", "summary", "header"]


@dataclass(frozen=True)
class Divergence:
    """The first divergence of a run from its file.

    Parameters
    ----------
    what
        An event differs; the hash of equal events; the state, though all events agree; an act of a person is
        refused; only the summary; only the hall in the header.
    t_s
        When [s].
    row
        Of the event; None where all events agree.
    expected, found
        The event of the file and the one simulated now; None: there is none.
    differs
        What of it: "time", "kind", "subject", "data.step"; or paths within the state.
    text
        One sentence for people.
    """

    what: What
    t_s: float
    row: int | None
    expected: Event | None
    found: Event | None
    differs: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Verdict:
    """Result of the verification of a run.

    Parameters
    ----------
    path
        The run file.
    t_s
        How far it was compared [s].
    events, hashes, states
        Numbers of those compared.
    over
        Whether the run had reached its end; else it was cut, or goes on.
    divergence
        The first; None: the run is the same.
    causes
        What may be behind it, nearest first; also what is other here although nothing came of it.
    """

    path: Path
    t_s: float
    events: int
    hashes: int
    states: int
    over: bool
    divergence: Divergence | None
    causes: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """Return whether the run is the same."""
        return self.divergence is None


def verify(
    path: Path | str,
    progress: Callable[[float, float], None] | None = None,
    engine: str = ENGINE,
) -> Verdict:
    """Simulate the run of a file again, and compare.

    Events are held against each other one by one (kind, subject, integer outcomes, time to 1 ms), their hash at every
    snapshot and at the end, and the whole state at every snapshot, so that a difference which no event shows is found
    as well. What people did while it ran is done again when it was asked for.

    Raises
    ------
    RunFileError
        When the file cannot be read, wherever in it.
    """
    with Reader(path) as reader:
        _must_be_whole(reader)
        replay = _begun(reader, engine)
        found = replay.run(progress)
        known = (*causes_of(reader, replay.plant), *replay.other_words)
        over = reader.summary is not None
    return Verdict(
        Path(path), replay.reached_s, replay.rows, replay.hashes, replay.states, over, found, known
    )


def _must_be_whole(reader: Reader) -> None:
    """Read the whole file; raises `RunFileError` where something of it is damaged."""
    damage = reader.damaged()
    if damage:
        more = f"; {len(damage) - 1} more parts of the file are damaged" if len(damage) > 1 else ""
        raise RunFileError(f"{damage[0]}{more}; use another copy of the file, or run its scene again")
    try:
        _ = reader.header.scenario
    except RunFileError as error:
        raise RunFileError("\n".join([str(error), *altered_scene(reader)])) from error


def _begun(reader: Reader, engine: str) -> _Replay:
    """Return the run at its start; raises `RunFileError` where the scene was altered so that none can be made of it."""
    try:
        return _Replay(reader, engine)
    except Exception as error:
        altered = [*altered_scene(reader)]
        if not altered or isinstance(error, RunFileError):
            raise
        raise RunFileError("\n".join([f"{reader.path}: {error}", *altered])) from error


class _Replay:
    """A run simulated beside its file."""

    def __init__(self, reader: Reader, engine: str) -> None:
        header = reader.header
        self._reader = reader
        self._progress: Callable[[float, float], None] | None = None
        self._end_s, self._count, self._last = reader.t_end_s, reader.event_count, reader.event_hash
        snapshots = reader.snapshot_hashes()
        self._hashes: dict[int, list[tuple[float, str]]] = {}
        for t_s, events, text in (*snapshots, (self._end_s, self._count, self._last)):
            self._hashes.setdefault(events, []).append((t_s, text))
        self._times = sorted({t_s for t_s, _, _ in snapshots if t_s <= self._end_s})
        self._same_words = header.versions.get("twin") == app_version()
        self._engine: RunEngine = begun(engine_type(engine), header.scenario, header.seed, header.redraws)
        self._hash = EventHash()
        self._expected: list[Event] = []
        self.rows = self.hashes = self.states = 0
        self.reached_s = 0.0
        self.other_words: list[str] = []
        self._first_end_s = self._engine.end_s
        first = reader.events(0, 1)
        self._first = first[0].row if first else self._count  # a branch begins where it leaves its parent

    @property
    def plant(self) -> Plant:
        """Return the hall as it was simulated last."""
        return self._engine.plant

    def run(self, progress: Callable[[float, float], None] | None) -> Divergence | None:
        """Return the first divergence, or None."""
        self._progress = progress
        asked = list(acts_of(self._reader))
        stops = sorted({*self._times, *(request.at_s for request in asked), self._end_s})
        for stop_s in stops:
            found = self._advance(min(stop_s, self._end_s))
            for request in asked:
                if found is None and request.at_s == stop_s:
                    found = self._advance(stop_s) or self._ask(
                        request
                    )  # what was asked just before has acted by then
            if found is None and stop_s in self._times:
                found = self._compare_state(stop_s)
            if found is not None:
                return found
        return self._compare_end()

    def _advance(self, until_s: float) -> Divergence | None:
        """Simulate up to `until_s`, comparing on the way; a run that has parted need not go on."""
        engine = self._engine
        while True:
            engine.advance(until_s, _SLICE_WALL_S)
            self.reached_s = engine.now_s
            found = self._compare_events()
            if self._progress is not None:
                self._progress(engine.now_s, self._end_s)
            if found is not None or engine.now_s >= min(until_s, engine.end_s):
                return found

    def _ask(self, request: RequestedAct) -> Divergence | None:
        reason = self._engine.withdraw(request.done) if request.out else self._engine.intervene(request.done)
        if reason is None:
            return None
        removed_or_done = "removed from" if request.out else "done in"
        text = f"{request.marker.text!r} was {removed_or_done} the run, but is now refused: {reason}"
        return Divergence("refused", request.marker.t_s, None, None, None, (), text)

    def _compare_events(self) -> Divergence | None:
        """Compare the events since the last call with the file."""
        for simulated in self._engine.events(self.rows):
            if simulated.row < self._first:
                self._take(simulated)
                continue
            if simulated.row >= self._count:
                if simulated.t_s < self._end_s or self._reader.summary is not None:
                    return _parted(None, simulated)
                return None  # the file was cut while several things happened at one time
            recorded = self._recorded(simulated.row)
            if recorded is None or canonical(recorded) != canonical(simulated):
                return _parted(recorded, simulated)
            self._take(simulated)
            both = sorted({*recorded.data}.intersection(simulated.data))
            if (
                self._same_words
                and not self.other_words
                and _values(recorded, both) != _values(simulated, both)
            ):
                in_file, now = _values(recorded, both), _values(simulated, both)
                self.other_words.append(f"event {simulated.row} differs: {in_file} in the file, {now} now")
            for t_s, known in self._hashes.get(self.rows, ()):
                self.hashes += 1
                if known != self._hash.hexdigest():
                    text = f"the events match up to row {simulated.row}, but their hash in the file differs"
                    return Divergence("hash", t_s, simulated.row, recorded, simulated, ("hash",), text)
        return None

    def _take(self, event: Event) -> None:
        self._hash.update(event)
        self.rows += 1

    def _recorded(self, row: int) -> Event | None:
        """Return the event of the file at `row`; only a slice of them is held."""
        if not self._expected or not self._expected[0].row <= row <= self._expected[-1].row:
            self._expected = self._reader.events(row, _CHUNK)
        place = row - self._expected[0].row if self._expected else -1
        found = self._expected[place] if 0 <= place < len(self._expected) else None
        return found if found is not None and found.row == row else None

    def _compare_state(self, t_s: float) -> Divergence | None:
        snapshot = self._reader.nearest_snapshot(t_s)
        if snapshot is None or snapshot.t_s != t_s:
            return None
        if snapshot.events > self.rows:
            recorded = self._recorded(self.rows)
            if recorded is not None:
                return _parted(recorded, None)
        self.states += 1
        simulated = self._engine.snapshot()
        if simulated == snapshot.data:
            return None
        unpack = import_module(
            "twin.sim.edits.snapshot"
        ).unpack  # by name, as the runtime does: the app can use this too
        try:
            # An act that it holds besides is ahead, and so left out.
            state_in_file = _ordered(unpack(StateBefore.of(snapshot.data).state))
        except Exception as error:  # bytes of a stranger: whatever is wrong with them, they are no state
            raise RunFileError(f"{self._reader.path}: the snapshot at {t_s:g} s is damaged") from error
        differs = tuple(_differing(state_in_file, _ordered(unpack(simulated))))
        if not differs:
            return None
        text = f"all events match up to here, but the state differs: {', '.join(differs[:4])}"
        return Divergence("state", t_s, None, None, None, differs, text)

    def _compare_end(self) -> Divergence | None:
        if self.rows < self._count:
            recorded = self._recorded(self.rows)
            if recorded is not None:
                return _parted(recorded, None)
        if self._count and self._last != self._hash.hexdigest():
            text = "the events match, but their final hash in the file differs"
            return Divergence("hash", self._end_s, None, None, None, ("hash",), text)
        return self._compare_summary() or self._compare_header()

    def _compare_summary(self) -> Divergence | None:
        summary = self._reader.summary
        if summary is None:
            return None
        simulated = json.loads(json.dumps(self._engine.summary(), default=float))
        aside = ("version", "inputs_hash")  # they are told as causes
        recorded_figures, simulated_figures = (
            {key: value for key, value in summary_of_run.items() if key not in aside}
            for summary_of_run in (summary, simulated)
        )
        differs = tuple(
            path
            for path in _differing(recorded_figures, simulated_figures)
            if self._same_words or path.rpartition(".")[2] not in SENTENCES
        )
        if not differs:
            return None
        text = f"all events match, but the summary differs: {', '.join(differs[:4])}"
        return Divergence("summary", self._end_s, None, None, None, differs, text)

    def _compare_header(self) -> Divergence | None:
        """Compare the final hall and the length in the header with those simulated now."""
        header, engine = self._reader.header, self._engine
        ids_now = {str(kind): tuple(names) for kind, names in entity_ids(engine).items()}
        differs = [f"ids.{kind}" for kind, names in header.ids.items() if ids_now.get(kind) != names]
        counts_in_file = {kind: count for kind, count in header.layout.counts.items() if count}
        if counts_in_file != {kind: count for kind, count in engine.layout.counts.items() if count}:
            differs.append("layout")
        if header.end_s != self._first_end_s:
            differs.append("end_s")
        if not differs:
            return None
        text = f"all events match, but the hall in the header differs: {', '.join(differs[:4])}"
        return Divergence("header", self._end_s, None, None, None, tuple(differs), text)


def _parted(recorded: Event | None, simulated: Event | None) -> Divergence:
    """Return the divergence at one row."""
    event = recorded or simulated
    assert event is not None
    if recorded is None or simulated is None:
        text = (
            "the run has one more event than the file"
            if recorded is None
            else "an event of the file is missing"
        )
        return Divergence("event", event.t_s, event.row, recorded, simulated, ("event",), text)
    differs = []
    if round(recorded.t_s * 1000) != round(simulated.t_s * 1000):
        differs.append("time")
    differs += [name for name in ("kind", "subject") if getattr(recorded, name) != getattr(simulated, name)]
    keys = sorted({*hashed_names(recorded), *hashed_names(simulated)})
    differs += [f"data.{key}" for key in keys if recorded.data.get(key) != simulated.data.get(key)]
    t_s = min(recorded.t_s, simulated.t_s)
    text = f"event {event.row} differs: {', '.join(differs)}"
    return Divergence("event", t_s, event.row, recorded, simulated, tuple(differs), text)


def _values(event: Event, names: Sequence[str]) -> str:
    """Return the parts of an event outside the hash, with some of its values."""
    where = f" on nodes {event.where}" if event.where else ""
    values = "".join(f" {name}={event.data[name]}" for name in names)
    return f"{event.text!r} ({event.severity.name.lower()}){where}{values}"


def _ordered(state: dict[str, Any]) -> dict[str, Any]:
    """Return a state without the parts that are no result of events.

    Of timers their order alone counts: the numbers that gave it begin anew after a restart. What people have asked for
    and is still ahead is left out, as are the names of what they did: a branch learns of it later than a run of its
    scene from the start.
    """
    timers = sorted(state["timers"], key=lambda row: (row[0], row[1], row[2]))
    ahead = {row[4] for row in timers if row[3] == "do"}
    incidents, edits = dict(state["incidents"]), state["edits"]
    asked = [text for place, text in enumerate(incidents["asked"]) if place not in ahead]
    incidents |= {"asked": asked, "heard": None, "withdrawn": None}
    for name in ("asked", "acting", "outages", "facility"):
        incidents[name] = [json.loads(text) | {"id": None} for text in incidents[name]]
    return {
        **state,
        "timers": [[row[0], row[1], *row[3:]] for row in timers if row[3] not in ("do", "edit")],
        "incidents": incidents,
        "edits": [edits["asked"][place] for place in edits["acted"]],
    }


def _differing(recorded: Any, simulated: Any, path: str = "") -> Iterator[str]:
    """Yield the paths at which two JSON values differ by more than `NEAR`."""
    if isinstance(recorded, dict) and isinstance(simulated, dict):
        for key in sorted({*recorded, *simulated}):
            if key in recorded and key in simulated:
                yield from _differing(recorded[key], simulated[key], f"{path}.{key}" if path else str(key))
            else:
                yield f"{path}.{key}" if path else str(key)
    elif isinstance(recorded, list | tuple) and isinstance(simulated, list | tuple):
        if len(recorded) != len(simulated):
            yield path
            return
        for place, (recorded_item, simulated_item) in enumerate(zip(recorded, simulated, strict=True)):
            yield from _differing(recorded_item, simulated_item, f"{path}[{place}]")
    elif isinstance(recorded, bool) or isinstance(simulated, bool) or not _numbers(recorded, simulated):
        if recorded != simulated:
            yield path
    elif not (
        recorded == simulated
        or math.isclose(recorded, simulated, rel_tol=NEAR)
        or (recorded != recorded and simulated != simulated)
    ):
        yield path


def _numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float) for value in values)
