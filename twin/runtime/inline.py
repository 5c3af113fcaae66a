"""The same engine in this process: whole runs for the command line, slices for tests and lessons."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter, process_time

from twin.record.events import Severity
from twin.record.frame import Frame, FrameLayout
from twin.record.reader import Reader
from twin.record.recorder import Recorder
from twin.record.redraw import Redraw
from twin.runtime.loading import begun, begun_anew, engine_type, gone_on
from twin.runtime.protocol import (
    ENGINE,
    Intervene,
    LoadScene,
    Message,
    Pause,
    Play,
    Ready,
    RunEngine,
    StepRun,
    Withdraw,
)
from twin.runtime.session import EngineSession
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention

_PROGRESS_WALL_S = 0.1


class InterventionRefused(ValueError):
    """The engine does not take an intervention of a headless run; the message says why."""


@dataclass(frozen=True)
class Result:
    """A headless run.

    Parameters
    ----------
    engine
        As it stands at the end.
    wall_s, cpu_s
        Spent on it, building included [s].
    peak_rss_bytes
        Largest resident memory of this process so far [B]; None where the system does not tell.
    run_file
        Its recording, if any.
    ended
        Whether the scenario's own end was reached.
    """

    engine: RunEngine
    wall_s: float
    cpu_s: float
    peak_rss_bytes: int | None
    run_file: Path | None
    ended: bool


def run(
    scenario: Scenario,
    seed: int | None = None,
    until_s: float | None = None,
    record: Path | str | None = None,
    progress: Callable[[float, float], None] | None = None,
    interventions: Sequence[Intervention] = (),
    engine: str = ENGINE,
    *,
    paced: bool = False,
    redraws: Sequence[Redraw] = (),
) -> Result:
    """Run `scenario` to its end or to `until_s` [s], as fast as possible.

    Parameters
    ----------
    seed
        Of all random draws; None: the scenario's own.
    record
        Path of a run file to write; None: nothing is recorded.
    progress
        Called with (time reached [s], end [s]) about ten times per wall second.
    interventions
        Done to the run at their times.
    engine
        Dotted name of the engine class.
    paced
        Nobody wants more than up to `until_s`: samples are as close as that length allows.
    redraws
        From when on chance is drawn from other seeds.

    Raises
    ------
    InterventionRefused
        When the engine refuses one of `interventions`.
    RunFileError
        When the run file cannot be written.
    """
    wall_s, cpu_s = perf_counter(), process_time()
    begun_engine = begun(engine_type(engine), scenario, seed, redraws)
    for intervention in interventions:
        reason = begun_engine.intervene(intervention)
        if reason is not None:
            raise InterventionRefused(f"{intervention.kind} {intervention.target}: {reason}")
    end_s = begun_engine.end_s if until_s is None else min(until_s, begun_engine.end_s)
    path = Path(record) if record is not None else None
    begun_engine.advance(begun_engine.now_s)  # what happens at the start has happened in the first picture
    recorder = Recorder(begun_engine, path, until_s=end_s if paced else None) if path is not None else None
    try:
        _run_to(begun_engine, end_s, recorder, progress)
        if recorder is not None:
            recorder.finish(begun_engine.summary())
    finally:
        if recorder is not None:
            recorder.close()
    return Result(
        begun_engine,
        perf_counter() - wall_s,
        process_time() - cpu_s,
        peak_rss_bytes(),
        path,
        begun_engine.now_s >= begun_engine.end_s,
    )


def go_on(
    scenario: Scenario,
    run_file: Path,
    until_s: float | None = None,
    progress: Callable[[float, float], None] | None = None,
    engine: str = ENGINE,
) -> Result:
    """Go on in a run file from its last snapshot, to the end of the scenario or to `until_s` [s]; the run is over then.

    Raises
    ------
    RunFileError
        When it cannot be read or written.
    ValueError
        When something that `scenario` has beyond what the run knew is refused.
    """
    wall_s, cpu_s = perf_counter(), process_time()
    with Reader(run_file) as reader:
        seed, redraws = reader.header.seed, reader.header.redraws
        snapshot = reader.nearest_snapshot(math.inf)
    make = engine_type(engine)
    if snapshot is None:
        begun_engine = begun_anew(make, scenario, seed, redraws)
    else:
        begun_engine = gone_on(make, scenario, snapshot.data, redraws)
    begun_engine.advance(begun_engine.now_s)
    recorder = Recorder(begun_engine, run_file, resume=True, resumed=snapshot)
    end_s = begun_engine.end_s if until_s is None else min(until_s, begun_engine.end_s)
    try:
        _run_to(begun_engine, end_s, recorder, progress)
        recorder.finish(begun_engine.summary())
    finally:
        recorder.close()
    return Result(
        begun_engine,
        perf_counter() - wall_s,
        process_time() - cpu_s,
        peak_rss_bytes(),
        run_file,
        begun_engine.now_s >= begun_engine.end_s,
    )


def peak_rss_bytes() -> int | None:
    """Return the largest resident memory of this process so far [B]; None where the system does not tell."""
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class InlineClient:
    """`twin.runtime.client.Client` without the process: `pump` runs a slice, the rest is the same."""

    def __init__(self, engine: str = ENGINE) -> None:
        self._outlet = _Here()
        self.engine_session = EngineSession(self._outlet, engine)
        self._load: LoadScene | None = None
        self._rev = 0
        self.session = 0
        self.run_file: Path | None = None

    @property
    def alive(self) -> bool:
        """Say whether it can run: always."""
        return True

    @property
    def layout(self) -> FrameLayout | None:
        """Return the layout of the frames; None before `Ready`."""
        return self._outlet.layout

    def start(self) -> None:
        """Nothing is to be started here."""

    def load(
        self,
        scenario: Scenario,
        seed: int | None = None,
        run_file: Path | str | None = None,
        snapshot: bytes | None = None,
        branch_s: float | None = None,
    ) -> int:
        """Begin a run of `scenario`; see `Client.load`."""
        self.session += 1
        self._outlet.messages.clear()
        where = str(run_file) if run_file else None
        resume, go_to_s = branch_s is not None, branch_s or 0.0
        self._load = LoadScene(self.session, scenario, seed, snapshot, where, resume=resume, go_to_s=go_to_s)
        self.engine_session.handle(self._load)
        return self.session

    def play(self, speed: float = math.inf, until_s: float = math.inf) -> None:
        """Run at `speed` [simulated s / wall s] to `until_s` [s] while `pump` is called."""
        self.engine_session.handle(Play(self.session, speed, until_s))

    def pause(self) -> None:
        """Stand still."""
        self.engine_session.handle(Pause(self.session))

    def step(self, least: Severity = Severity.INFO, until_s: float = math.inf) -> None:
        """Run to the next event of at least this severity, or to `until_s` [s], and stand still."""
        self.engine_session.handle(StepRun(self.session, least, until_s))

    def intervene(self, intervention: Intervention | Edit) -> int:
        """Do something to the run, or edit its hall; return the number that `Applied` or `Refused` carries."""
        self._rev += 1
        self.engine_session.handle(Intervene(self.session, self._rev, intervention))
        return self._rev

    def withdraw(self, done: Intervention | Edit) -> int:
        """Take out what is still ahead, or was done last and just now; return the number that the answer carries."""
        self._rev += 1
        self.engine_session.handle(Withdraw(self.session, self._rev, done))
        return self._rev

    def pump(self, wall_budget_s: float = 0.02) -> bool:
        """Run for at most about `wall_budget_s`; return whether the run is playing."""
        self.engine_session.turn(wall_budget_s)
        return self.engine_session.playing

    def poll(self) -> list[Message]:
        """Return what happened since the last call."""
        messages, self._outlet.messages = self._outlet.messages, []
        for message in messages:
            if isinstance(message, Ready):
                self.run_file = Path(message.run_file) if message.run_file else None
        return messages

    def latest_frame(self) -> Frame | None:
        """Return the newest frame; None when there is none since the last call."""
        frame, self._outlet.frame = self._outlet.frame, None
        return frame

    def restart(self) -> None:
        """Close the run and go on with it from its run file."""
        if self._load is not None and self.run_file is not None:
            first = self._load
            self.engine_session.close()
            self.engine_session.handle(
                LoadScene(
                    first.session,
                    first.scenario,
                    first.seed,
                    None,
                    str(self.run_file),
                    resume=True,
                    told=self.engine_session.told,
                )
            )

    def close(self) -> None:
        """Close the run file."""
        self.engine_session.close()


class _Here:
    """Keeps what a session shows and says."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.frame: Frame | None = None
        self.layout: FrameLayout | None = None
        self._seq = 0

    def send(self, message: Message, *, droppable: bool = False) -> None:
        self.messages.append(message)

    def open(self, session: int, layout: FrameLayout) -> str:
        self.layout = layout
        return "inline"

    def write(self, fill: Callable[[Frame], None], speed: float) -> None:
        if self.layout is not None:
            self._seq += 1
            self.frame = Frame.empty(self.layout)
            self.frame.seq, self.frame.speed = self._seq, speed
            fill(self.frame)


def _run_to(
    engine: RunEngine,
    end_s: float,
    recorder: Recorder | None,
    progress: Callable[[float, float], None] | None,
) -> None:
    """Advance to `end_s` by way of the recorder's sample times."""
    told_wall_s = monotonic()
    while engine.now_s < min(end_s, engine.end_s):  # a run may end with its last job
        stop_s = end_s if recorder is None else max(min(end_s, recorder.next_s), engine.now_s)
        budget_s = _PROGRESS_WALL_S if progress is not None else None
        engine.advance(stop_s, budget_s, None if recorder is None else recorder.alert)
        if recorder is not None:
            recorder.observe()
        if progress is not None and monotonic() - told_wall_s >= _PROGRESS_WALL_S:
            told_wall_s = monotonic()
            progress(engine.now_s, end_s)
    if progress is not None:
        progress(engine.now_s, end_s)
