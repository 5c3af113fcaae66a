"""Full runs of several designs with common seeds, in other processes; each is told as it ends."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from twin.analysis.background_process import Aside, PartMade, Tell
from twin.analysis.compare import Sample, sample_of
from twin.analysis.run_pool import RunLost, RunPool, processors
from twin.economics.it_lines import gpus_by_part
from twin.economics.run_work import WorkDone, work_of
from twin.plant.build import build
from twin.runtime.loading import engine_type
from twin.runtime.protocol import ENGINE
from twin.scenario.schema.document import Scenario

LATE = 1.25
"""A run goes on for so much of the length of its scene: what is late is told as late, not as unfinished."""


@dataclass(frozen=True)
class DesignRun:
    """One full run of a design.

    Attributes
    ----------
    design, seed
        Which design, by its place, and its random draws.
    job_s
        By job: from its submission to its end [s]; None: it was not done.
    span_s
        Until the last job was done; of a run with jobs that were not, all of it [s].
    sample
        Figures and ledger.
    work
        GPU-hours, tokens and FLOP.
    """

    design: int
    seed: int
    job_s: Mapping[str, float | None]
    span_s: float
    sample: Sample
    work: WorkDone

    @property
    def is_done(self) -> bool:
        """Return whether it has jobs, and all were done."""
        return bool(self.job_s) and None not in self.job_s.values()

    @property
    def time_s(self) -> float | None:
        """Return what all its jobs took, one after another [s]; None where there is none, or one was not done."""
        times = [time for time in self.job_s.values() if time is not None]
        return sum(times) if times and len(times) == len(self.job_s) else None


def design_runs_aside(
    scenarios: Sequence[Scenario], seeds: Sequence[int]
) -> Aside[PartMade[DesignRun] | int]:
    """Return the process that runs each design with each seed; it tells a `PartMade` of each run, then how many."""
    return Aside(_aside, tuple(scenarios), tuple(seeds), name="twin-design-runs")


def design_runs(
    scenarios: Sequence[Scenario],
    seeds: Sequence[int],
    progress: Callable[[int, int], None] | None = None,
    workers: int | None = None,
) -> list[list[DesignRun]]:
    """Return the runs of each design, in the order of the seeds; raises `RunLost`."""
    found: dict[tuple[int, int], DesignRun] = {}
    for run in _runs(scenarios, seeds, workers):
        found[run.design, run.seed] = run
        if progress is not None:
            progress(len(found), len(scenarios) * len(seeds))
    return [[found[design, seed] for seed in seeds] for design in range(len(scenarios))]


def _aside(
    scenarios: Sequence[Scenario], seeds: Sequence[int], tell: Tell
) -> Generator[PartMade[DesignRun], None, int]:
    done = 0
    tell(0, len(scenarios) * len(seeds))
    for run in _runs(scenarios, seeds):
        done += 1
        tell(done, len(scenarios) * len(seeds))
        yield PartMade(run)
    return done


def _runs(
    scenarios: Sequence[Scenario], seeds: Sequence[int], workers: int | None = None
) -> Generator[DesignRun, None, None]:
    tasks = [(design, seed) for seed in seeds for design in range(len(scenarios))]
    number = min(workers or processors(), len(tasks))
    with RunPool(_run, number, _begin, tuple(scenarios)) as pool:
        for _, made in pool.results(tasks):
            if isinstance(made, RunLost):
                raise made
            yield made


def _times(summary: Mapping[str, Any]) -> dict[str, float | None]:
    return {
        row["id"]: row["end_s"] - row["submit_s"] if row["state"] == "done" else None
        for row in summary["jobs"]
    }


_scenarios: tuple[Scenario, ...] = ()


def _begin(scenarios: tuple[Scenario, ...]) -> None:
    """Store the designs for all runs of a process."""
    global _scenarios
    _scenarios = scenarios


def _run(task: tuple[int, int]) -> DesignRun:
    design, seed = task
    scenario = _scenarios[design]
    longer = scenario.model_copy(update={"duration_s": LATE * scenario.duration_s})
    engine = engine_type(ENGINE)(longer, seed)
    engine.advance(engine.end_s)
    summary = engine.summary()
    work = work_of(scenario, summary, gpus_by_part(build(scenario)))
    ends = [row["end_s"] for row in summary["jobs"]]
    span_s = float(summary["simulated_s"] if None in ends or not ends else max(ends))
    return DesignRun(design, seed, _times(summary), span_s, sample_of(summary), work)
