"""One moment of a scene or of a recorded run: the engine standing there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from twin.cli.errors import BadInput
from twin.units import spoken

if TYPE_CHECKING:
    from twin.cli.progress import Progress
    from twin.record.frame import Frame
    from twin.record.reader import Reader
    from twin.runtime.protocol import RunEngine
    from twin.scenario import Scenario


@dataclass(frozen=True)
class Moment:
    """State of the halls at one time; `inputs_hash` names scenario and catalogue of the run."""

    engine: RunEngine
    frame: Frame
    inputs_hash: str


def moment_of_scene(
    scenario: Scenario, seed: int | None, at_s: float | None, progress: Progress | None
) -> Moment:
    """Run a scene to `at_s` [s]; None: half of its duration.

    Raises
    ------
    BadInput
        When the scene ends before.
    """
    from twin.record.inputs import inputs_hash
    from twin.runtime.inline import run

    at_s = scenario.duration_s / 2 if at_s is None else at_s
    must_be_within(at_s, scenario.duration_s)
    engine = run(scenario, seed=seed, until_s=at_s, progress=progress).engine
    engine.advance(at_s)  # what happens at t = 0 itself too
    return Moment(engine, _frame(engine), inputs_hash(scenario))


def moment_of_run(path: str, at_s: float | None, progress: Progress | None) -> Moment:
    """Go to `at_s` [s] of a recorded run from the nearest snapshot before; None: half of what is recorded.

    Raises
    ------
    RunFileError
        When the file cannot be read.
    BadInput
        When the recording ends before, or the program that wrote it computed something else.
    """
    from twin.record.reader import Reader

    with Reader(path) as reader:
        at_s = reader.t_end_s / 2 if at_s is None else at_s
        must_be_within(at_s, reader.t_end_s)
        engine = _nearest(reader, at_s)
        if progress is not None:
            progress(engine.now_s, at_s)
        engine.advance(at_s)
        return Moment(engine, _frame(engine), reader.header.inputs_hash)


def _nearest(reader: Reader, at_s: float) -> RunEngine:
    """Return the engine at the last snapshot before `at_s`, or at the start with all that was done to the run."""
    from twin.analysis.rerun import settled
    from twin.runtime.loading import begun, engine_type, gone_on
    from twin.runtime.protocol import ENGINE

    make, header, found = engine_type(ENGINE), reader.header, settled(reader)
    snapshot = None if found.asked or found.spans else reader.nearest_snapshot(at_s)
    if snapshot is not None:
        return gone_on(make, header.scenario, snapshot.data, header.redraws)
    engine = begun(make, found.scene(header.scenario), header.seed, header.redraws)
    for request in found.asked:
        engine.intervene(request.done.model_copy(update={"at_s": request.marker.t_s}))
    return engine


def _frame(engine: RunEngine) -> Frame:
    from twin.record.frame import Frame

    frame = Frame.empty(engine.layout)
    engine.fill(frame)
    return frame


def must_be_within(at_s: float, end_s: float) -> None:
    """Raise `BadInput` when a time lies after the end [s]."""
    if at_s > end_s:
        raise BadInput(f"--at: {spoken(at_s)} lies after the end, {spoken(end_s)}; give a time before it")
