"""One moment of a scene or of a recorded run: the engine standing there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from twin.cli.errors import BadInput
from twin.units import spoken

if TYPE_CHECKING:
    from twin.cli.progress import Progress
    from twin.record.frame import Frame
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
    from twin.analysis.rerun import engine_near
    from twin.record.reader import Reader

    with Reader(path) as reader:
        at_s = reader.t_end_s / 2 if at_s is None else at_s
        must_be_within(at_s, reader.t_end_s)
        engine = engine_near(reader, at_s)
        if progress is not None:
            progress(engine.now_s, at_s)
        engine.advance(at_s)
        return Moment(engine, _frame(engine), reader.header.inputs_hash)


def _frame(engine: RunEngine) -> Frame:
    from twin.record.frame import Frame

    frame = Frame.empty(engine.layout)
    engine.fill(frame)
    return frame


def must_be_within(at_s: float, end_s: float) -> None:
    """Raise `BadInput` when a time lies after the end [s]."""
    if at_s > end_s:
        raise BadInput(f"--at: {spoken(at_s)} lies after the end, {spoken(end_s)}; give a time before it")
