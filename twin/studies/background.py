"""A study in a process of its own, which starts the processes of its runs: told as it goes, paused, ended at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from time import monotonic

from twin.analysis.background_process import Aside, ProcessFailed, RunProgress, Tell
from twin.analysis.run_pool import processors
from twin.record.runfile import RunFileError
from twin.scenario import Document, ScenarioError
from twin.scenario.schema.document import Scenario
from twin.studies.continued import plan_of
from twin.studies.run_task import RunTask, run_task
from twin.studies.study import POOL, SweepRequest, carried_out, planned
from twin.studies.study_error import StudyError
from twin.studies.study_figures import chosen_figures
from twin.studies.sweep_records import SweepHeader


@dataclass(frozen=True)
class StudyEnd:
    """How a study came to its end, or to a halt.

    Attributes
    ----------
    lost
        Why runs were lost.
    halted
        Whether it was paused before its last run began.
    why
        Why it could not be carried out; "": it could.
    """

    lost: tuple[str, ...] = ()
    halted: bool = False
    why: str = ""


class StudyProcess:
    """Carries out a study into its file; ask `words` from time to time, and `close` it.

    Parameters
    ----------
    document
        The scene, with the settings of the study.
    asked
        What is asked for, or the header of the file that goes on.
    out
        The file.
    figures
        Keys of figures that are asked for.
    on, certificates
        Where runs are made, as in `SweepRequest`.
    """

    def __init__(
        self,
        document: Document,
        asked: SweepRequest | SweepHeader,
        out: Path,
        figures: Sequence[str],
        on: str = POOL,
        certificates: Path | None = None,
    ) -> None:
        self._pause = get_context("spawn").Event()
        self._aside: Aside[StudyEnd] = Aside(
            _carried_out,
            document,
            asked,
            out,
            tuple(figures),
            (on, certificates),
            self._pause,
            name="twin-study",
        )
        self.pausing = False

    @property
    def pid(self) -> int | None:
        """Number of the process."""
        return self._aside.pid

    def words(self) -> list[RunProgress | StudyEnd]:
        """Return the messages since the last call; the last one is its end."""
        return [
            StudyEnd(why=word.why) if isinstance(word, ProcessFailed) else word
            for word in self._aside.words()
        ]

    def pause(self) -> None:
        """Begin no more runs; those in flight end, and are kept."""
        self.pausing = True
        self._pause.set()

    def close(self) -> None:
        """End it and its runs at once; harmless when it has ended."""
        self._aside.close()


def timing_aside(scenario: Scenario, seed: int, until_s: float | None) -> Aside[float]:
    """Return the process that makes one run of a scene: first it says that it is ready, then how long it took [s]."""
    return Aside(_timed, scenario, seed, until_s, name="twin-timing", alone=True)


def wall_s(runs: int, run_s: float, start_s: float = 0.0) -> float:
    """Return how long so many runs take on the processes of this machine [s], each ready after `start_s`."""
    at_once = min(processors(), max(runs, 1))
    return start_s + -(-runs // at_once) * run_s


def _carried_out(
    document: Document,
    asked: SweepRequest | SweepHeader,
    out: Path,
    figures: tuple[str, ...],
    place: tuple[str, Path | None],
    pause: Event,
    tell: Tell,
) -> StudyEnd:
    try:
        chosen = chosen_figures(figures)
        if isinstance(asked, SweepHeader):
            plan = plan_of(document, asked, chosen, out)
        else:
            plan = planned(document, asked, chosen)
        on, certificates = place
        plan = replace(plan, asked=replace(plan.asked, on=on, certificates=certificates))
        found = carried_out(document, plan, tell, pause.is_set)
    except (StudyError, ScenarioError, RunFileError) as error:
        return StudyEnd(why=str(error))
    except OSError as error:
        return StudyEnd(why=f"{out}: {error.strerror or error}")
    return StudyEnd(found.lost, found.halted)


def _timed(scenario: Scenario, seed: int, until_s: float | None, tell: Tell) -> float:
    first_s = min(1.0, until_s or 1.0)
    run_task(RunTask(0, seed, scenario, first_s))  # what is imported and built once is not counted
    tell(0.0, 1.0)
    begun_s = monotonic()
    run_task(RunTask(0, seed, scenario, until_s))
    return monotonic() - begun_s
