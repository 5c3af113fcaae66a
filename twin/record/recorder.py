"""Recorder: watches an engine between its advances and writes the run file. It never changes the run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, process_time
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from twin.physics.gpu_picture import GpuTraits
from twin.plant.tables import Plant
from twin.record.bookings import Bookings
from twin.record.channels import SERIES_CHANNELS, Entity
from twin.record.contents import Snapshot
from twin.record.detail import Detail
from twin.record.event_kinds import kind_of
from twin.record.event_kinds.kind import JobTurn
from twin.record.events import Event, Severity
from twin.record.frame import Frame, FrameLayout
from twin.record.redraw import Redraw
from twin.record.writer import FilePlace, Writer
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario

SAMPLES = 900
"""Samples of a whole run at regular times, fewer where there are thousands of jobs; never closer than
`MIN_INTERVAL_S` [simulated s]."""
FEWEST_SAMPLES = 800
WHOLE_RUN_BYTES = 2 * 10**9
"""What the series of a run may come to before they are packed."""
ALERTS, FEWEST_ALERTS = 2000, 100
"""Samples of a whole run at the moment of an event that people should see, and what follows them: at most so many,
evenly over the run; fewer where there are thousands of jobs."""
ALERTS_BYTES = 10**8
"""What the series of those may come to before they are packed."""
AT_FIRST = 4.0
"""The first samples at events thin out none: a run has not been going for so many intervals yet."""
AT_ONCE = 0.5
"""Share of them that may come at once."""
ALERT = Severity.WARNING
SETTLED_S = 300.0
"""So long after it runs on its GPUs are about as warm as they will be, and one more sample shows that [s]."""
WARM_S = 120.0
"""Where events bring many samples there is one of a job that runs on, and it waits so long: the job is at work
then, and its GPUs within 1 K of as warm as they will be [s]."""
AWAITED_S = 86400.0
"""A job that stands for longer waits for more than its recovery, and regular samples show it [s]."""
MIN_INTERVAL_S = 1.0
SNAPSHOTS = 16
"""Snapshots of a whole run."""
COMMIT_WALL_S = 1.5
"""What a crash may cost at most [wall s]."""
ROLLING_CPU_S = 20.0
"""So much work is lost at most to a crash that is gone on from [s of processor time]."""
_SAMPLING = (
    *("_rows", "_alerts", "_begin_s", "_irregular", "_alerted", "_stopped", "_awaited", "_awaited_until_s"),
    *("_idle", "_returned", "_settled_s", "_last_sample_s", "_next_milestone_s", "_snapshot_s"),
)
"""Fields of a recorder that say when it samples next."""


class Observed(Protocol):
    """The interface of an engine to the recorder; the whole protocol is in `twin.runtime.protocol`."""

    scenario: Scenario
    plant: Plant
    seed: int
    layout: FrameLayout
    now_s: float
    end_s: float

    @property
    def redraws(self) -> tuple[Redraw, ...]:
        """Return the times from which its random draws use another seed."""

    def fill(self, frame: Frame) -> None:
        """Write every channel at the present time into `frame`."""

    def detail(self) -> Detail:
        """Return single GPUs and nodes at the present time."""

    @property
    def dies(self) -> GpuTraits:
        """Return the traits of the GPUs; another object when they have changed."""

    def events(self, since_row: int) -> Sequence[Event]:
        """Return the events from row `since_row` on."""

    def event_hash(self) -> str:
        """Return the hash of all events so far."""

    def snapshot(self) -> bytes:
        """Return the whole state."""

    def ledger_gpu_s(self) -> Mapping[str, float]:
        """Return the GPU-seconds of each account since the start."""

    def figures(self, frame: Frame, ledger: Mapping[str, float]) -> Mapping[str, float]:
        """Return the figures of the run so far, by name; `frame` was just filled, `ledger` is the present one."""

    def record_bookings(self, bookings: Bookings) -> None:
        """Pass the bookings of the ledger to `bookings` from now on."""

    def lasting(self) -> Sequence[tuple[int, float, NDArray[np.float64]]]:
        """Return the open spans: number of the job or -1, since when [s], rate [GPU s / s]."""


@dataclass(frozen=True)
class RecordMark:
    """A marker: `Recorder.go_back` returns to right before it.

    Parameters
    ----------
    place
        In the run file.
    sampling
        Fields of the recorder by name, as they were.
    """

    place: FilePlace
    sampling: Mapping[str, Any]


class Recorder:
    """Records one run.

    Parameters
    ----------
    engine
        A fresh engine, or one restored from `resumed`. What happens at the time it stands at has happened: one that
        was only built shows no node in use.
    path
        The run file.
    resume
        Go on in the file at `path`, from snapshot `resumed` (None: from the start).
    until_s
        The run is to stop there [s], and its samples are as close as its length allows; None: at its end. Two designs
        that are run for as long have samples at the same times.
    """

    def __init__(
        self,
        engine: Observed,
        path: Path,
        *,
        resume: bool = False,
        resumed: Snapshot | None = None,
        until_s: float | None = None,
    ) -> None:
        self.path = path
        self._engine = engine
        self._until_s = engine.end_s if until_s is None else min(until_s, engine.end_s)
        if resume:
            self._writer = Writer.resume(path, engine.layout, resumed, entity_ids(engine))
        else:
            self._writer = Writer(
                path,
                engine.scenario,
                engine.seed,
                engine.layout,
                engine.end_s,
                entity_ids(engine),
                engine.redraws,
            )
        self._past_s = self._writer.past_s
        self._bookings = Bookings(self._past_s)
        engine.record_bookings(self._bookings)
        self._make_room()
        self._rows = self._writer.rows
        self._interval_s = max(MIN_INTERVAL_S, self._until_s / _samples(engine.layout))
        self._most_alerts = _alerts(engine.layout)
        self._alerts = 0  # samples taken at events, and those that are to follow them
        self._begin_s, self._irregular = engine.now_s, 0  # samples so far at other than regular times
        self._alerted = False  # by events since the last sample
        self._stopped: set[str] = set()  # jobs, since the last sample
        self._awaited: set[str] = set()  # jobs that stood in a sample, and are to run on
        self._awaited_until_s = 0.0
        self._idle = resumed is None  # no job has run yet
        self._returned = False  # one that was awaited, since the last sample
        self._settled_s = math.inf
        self._milestone_s = engine.end_s / SNAPSHOTS
        self._last_sample_s = resumed.t_s if resumed else -math.inf
        self._next_milestone_s = engine.now_s + self._milestone_s
        self._snapshot_s = engine.now_s
        self._snapshot_cpu_s, self._commit_wall_s = process_time(), monotonic()
        self._done = False
        self.observe()
        self.commit()

    @property
    def writer(self) -> Writer:
        """The writer of the run file."""
        return self._writer

    def _make_room(self) -> None:
        """Make the frame for samples."""
        engine = self._engine
        buffer = bytearray(engine.layout.nbytes)
        _, arrays = engine.layout.views(buffer)
        self._frame = Frame(engine.layout, engine.now_s, 0, arrays, detail=False)
        self._packed = np.frombuffer(buffer, np.uint8)

    @property
    def next_s(self) -> float:
        """Return the simulated time of the next sample [s]: do not advance past it without `observe`."""
        if self._is_past:
            return self._past_s
        if self._last_sample_s < 0:
            return 0.0
        apart_s = self._interval_s * self._stride
        regular_s = (math.floor(self._last_sample_s / apart_s + 1e-9) + 1) * apart_s
        return min(regular_s, self._settled_s)

    @property
    def _is_past(self) -> bool:
        """Return whether the present time lies in the past that the file has from the parent run."""
        return self._engine.now_s < self._past_s

    def _depart(self) -> None:
        """Begin recording at the cut of a branch."""
        engine, self._past_s = self._engine, -math.inf
        self._writer.relay(engine.layout, entity_ids(engine))
        self._make_room()
        self._begin_s, self._last_sample_s = engine.now_s, -math.inf

    @property
    def _stride(self) -> int:
        """Return of how many regular times one brings a sample: the fewer, the more samples events have brought.

        Those times stay the same ones, so that two runs side by side have pictures of one time however they differ.
        """
        passed = max(self._last_sample_s - self._begin_s, 0.0) / self._interval_s
        by_events = 2.0 * self._irregular / (passed + AT_FIRST)
        return 1 << math.ceil(math.log2(by_events)) if by_events > 1.0 else 1

    @property
    def alert(self) -> Severity | None:
        """Return the least severity of an event for a sample right after it; None: there are enough samples."""
        if self._is_past:
            return None
        if self._awaited or self._idle:
            return Severity.NOTICE  # jobs that run on are of that
        return ALERT if self._has_room else None

    @property
    def _has_room(self) -> bool:
        passed = self._engine.now_s / max(self._until_s, 1e-9)
        return self._alerts < self._most_alerts * (AT_ONCE + passed)

    def observe(self, force: bool = False) -> None:
        """Look at the engine: take its new events, and a sample when one is due or `force` is set."""
        engine = self._engine
        if self._is_past:
            return
        if self._past_s > -math.inf:
            self._depart()
        self._take_events()
        if engine.layout != self._frame.layout:  # the hall was edited
            self._writer.relay(engine.layout, entity_ids(engine))
            self._make_room()
            force = True
        alerted = self._alerted and self._has_room
        due = engine.now_s >= self.next_s or self._last_sample_s < 0
        if self._returned and self._stride > 1 and not (force or due or alerted):
            self._returned, self._settled_s = False, engine.now_s + WARM_S
        if engine.now_s > self._last_sample_s and (force or due or alerted or self._returned):
            if engine.now_s > self._awaited_until_s:
                self._awaited.clear()
            regular = engine.now_s / self._interval_s
            self._irregular += not math.isclose(regular, round(regular), rel_tol=1e-9, abs_tol=1e-9)
            if alerted and not due:
                self._alerts += (3 if self._stride == 1 else 2) if self._stopped else 1
            if alerted and self._stopped:
                self._awaited |= self._stopped
                self._awaited_until_s = engine.now_s + AWAITED_S
            if self._returned or engine.now_s >= self._settled_s:
                self._settled_s = engine.now_s + SETTLED_S if self._returned else math.inf
            self._alerted = self._returned = False
            self._stopped.clear()
            engine.fill(self._frame)
            ledger = engine.ledger_gpu_s()
            self._writer.add_sample(
                engine.now_s,
                self._packed,
                self._rows,
                engine.detail(),
                engine.dies,
                ledger,
                engine.figures(self._frame, ledger),
                self._bookings.take(engine.now_s, engine.lasting()),
            )
            self._last_sample_s = engine.now_s
        if engine.now_s >= self._next_milestone_s:
            self._next_milestone_s = engine.now_s + self._milestone_s
            self._take_snapshot(rolling=False)
        wall_s = monotonic()
        if wall_s - self._commit_wall_s >= COMMIT_WALL_S:
            work_s = process_time() - self._snapshot_cpu_s
            if work_s >= ROLLING_CPU_S and engine.now_s > self._snapshot_s:
                self._take_snapshot(rolling=True)
            self.commit()

    def mark(self, t_s: float, kind: str, text: str, data: str = "{}", state: bytes = b"") -> RecordMark:
        """Write a marker, and a snapshot that already contains its edit: an edit survives a crash.

        The snapshot is `state` where it is known already.
        """
        self._take_events()
        self._writer.add_marker(t_s, kind, text, data)
        self._take_snapshot(rolling=True, state=state)
        self.commit()
        sampling = {name: copy(getattr(self, name)) for name in _SAMPLING}
        return RecordMark(self._writer.place(self._engine.now_s, self._rows), sampling)

    def go_back(self, mark: RecordMark, engine: Observed) -> None:
        """Continue with `engine` from right before a mark; in the file that shows with the next one, all at once."""
        self._engine, self._bookings = engine, Bookings(self._past_s)
        engine.record_bookings(self._bookings)
        self._writer.go_back(mark.place, engine.layout, entity_ids(engine))
        self._make_room()
        for name, value in mark.sampling.items():
            setattr(self, name, copy(value))

    def commit(self) -> None:
        """Make all records up to now readable for others."""
        if self._is_past:
            return
        self._take_events()
        self._writer.commit(self._engine.now_s, self._rows, self._engine.event_hash())
        self._commit_wall_s = monotonic()

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write the end of the run: last sample, last snapshot and `summary`; then close the file."""
        self.observe(force=True)
        if self._engine.now_s > self._snapshot_s:
            self._take_snapshot(rolling=False)
        self._writer.commit(self._engine.now_s, self._rows, self._engine.event_hash(), summary)
        self._close()

    def close(self) -> None:
        """Close the file of a run that is not over, ready to continue from here; harmless after `finish`."""
        if self._done:
            return
        self.observe(force=True)
        if self._engine.now_s > self._snapshot_s:
            self._take_snapshot(rolling=True)
        self.commit()
        self._close()

    def abandon(self) -> None:
        """Close the file without calling the engine again: one of the two is broken."""
        if not self._done:
            self._done = True
            self._writer.abandon()

    def _close(self) -> None:
        self._done = True
        self._writer.close()

    def _take_events(self) -> None:
        events = self._engine.events(self._rows)
        if events:
            self._writer.add_events(events)
            self._rows = events[-1].row + 1
            for event in events:
                self._alerted |= event.severity >= ALERT
                # A sample that shows a job at a stand is followed by another when it runs on: else the stop would hold
                # until the next regular sample.
                turn = kind_of(event.kind).job
                if turn is JobTurn.STOPPED:
                    self._stopped.add(event.subject)
                elif turn is JobTurn.RUNNING:
                    self._returned |= self._idle or event.subject in self._awaited
                    self._idle = False
                    self._awaited.discard(event.subject)
                    self._stopped.discard(event.subject)

    def _take_snapshot(self, rolling: bool, state: bytes = b"") -> None:
        engine = self._engine
        self._writer.add_bookings(self._bookings.take(engine.now_s, engine.lasting()))
        self._writer.add_snapshot(
            engine.now_s, self._rows, engine.event_hash(), state or engine.snapshot(), rolling
        )
        self._snapshot_s, self._snapshot_cpu_s = engine.now_s, process_time()


def _samples(layout: FrameLayout) -> float:
    """Return the number of samples of a run at regular times."""
    return min(SAMPLES, max(FEWEST_SAMPLES, WHOLE_RUN_BYTES / _width(layout)))


def _alerts(layout: FrameLayout) -> float:
    """Return the numbers of samples of a run at events, and after them."""
    return min(ALERTS, max(FEWEST_ALERTS, ALERTS_BYTES / _width(layout)))


def _width(layout: FrameLayout) -> int:
    """Return the size of the series of one sample [B]."""
    return max(layout.nbytes - layout.offsets[SERIES_CHANNELS[0].id], 1)


def entity_ids(engine: Observed) -> dict[Entity, list[str]]:
    """Return the ids of nodes and of the entities that series are kept of, in frame order."""
    plant = engine.plant
    return {
        "node": plant.nodes.ids,
        "rack": plant.racks.ids,
        "switch": plant.switches.ids,
        "bundle": [str(number) for number in range(len(plant.bundles.fabric))],
        "store": plant.stores,
        "power": plant.power.ids,
        "loop": plant.loops.ids,
        "hall": plant.halls.ids,
        "plant": plant.plants.ids,
        "job": [job.id for job in jobs_of(engine.scenario)],
        "site": [engine.scenario.site.name],
    }
