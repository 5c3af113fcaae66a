"""Runs of designs over several seeds, in as many processes as there are processors; only figures come back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from twin.analysis.compare import Sample, sample_of
from twin.analysis.run_cost import simulated_cost
from twin.analysis.run_pool import RunLost, RunPool, processors
from twin.record.redraw import Redraw
from twin.runtime.loading import begun_anew, engine_type, gone_on
from twin.runtime.protocol import ENGINE, RunEngine
from twin.scenario.schema.document import Scenario


@dataclass(frozen=True)
class PastKept:
    """A run with a fixed past: a seed draws anew what comes after it.

    Parameters
    ----------
    scenario
        Scene with the interventions and edits of people.
    seed
        Of the run.
    at_s
        End of the fixed past [s].
    snapshot
        Of the run before that; None: it is made from the start.
    redraws
        Times from which the run itself draws from other seeds.
    """

    scenario: Scenario
    seed: int
    at_s: float
    snapshot: bytes | None = None
    redraws: tuple[Redraw, ...] = ()

    def engine(self, seed: int | None) -> RunEngine:
        """Return the run, drawn from `seed` from the end of its past on; None: as it is.

        Raises
        ------
        ValueError
            When an intervention or edit after the past is refused.
        """
        again = () if seed is None else (Redraw(self.at_s, seed),)
        redraws, make = (*self.redraws, *again), engine_type(ENGINE)
        if self.snapshot is None:
            return begun_anew(make, self.scenario, self.seed, redraws)
        return gone_on(make, self.scenario, self.snapshot, redraws)


Design = Scenario | PastKept
"""What is run over seeds: from the start, or from the end of a past that all have in common."""


def samples(
    designs: Sequence[Design],
    seeds: Sequence[int],
    until_s: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    workers: int | None = None,
    priced: bool = False,
) -> list[list[Sample]]:
    """Return the results of each design with each seed: one list per design, in the order of the seeds.

    Parameters
    ----------
    designs
        What to run. The same seed draws the same failures in all of them, as far as they have the same components;
        where a past is kept, it draws what had not happened by its end.
    until_s
        Stop there [s]; None: at the end of each.
    progress
        Called with (runs done, runs in all).
    workers
        Processes; 1: this one; None: as many as this one may use.
    priced
        Say what each run cost, too.
    """
    tasks = [(design, seed) for design in range(len(designs)) for seed in seeds]
    done: dict[tuple[int, int], Sample] = {}
    number = min(workers or processors(), len(tasks))
    with RunPool(_sample, number, _begin, tuple(designs), until_s, priced) as pool:
        for task, made in pool.results(tasks):
            if isinstance(made, RunLost):
                raise made
            done[task] = made
            if progress is not None:
                progress(len(done), len(tasks))
    return _by_design(done, len(designs), seeds)


def _by_design(done: dict[tuple[int, int], Sample], designs: int, seeds: Sequence[int]) -> list[list[Sample]]:
    return [[done[design, seed] for seed in seeds] for design in range(designs)]


def sample(design: Design, seed: int | None, until_s: float | None = None, priced: bool = False) -> Sample:
    """Return the results of one run; no seed: its own. `priced`: with what it cost."""
    engine = design.engine(seed) if isinstance(design, PastKept) else engine_type(ENGINE)(design, seed)
    engine.advance(engine.end_s if until_s is None else min(until_s, engine.end_s))
    summary = engine.summary()
    scenario = design.scenario if isinstance(design, PastKept) else design
    return sample_of(summary, simulated_cost(scenario, engine, summary) if priced else None)


_designs: tuple[Design, ...] = ()
_until_s: float | None = None
_priced = False


def _begin(designs: tuple[Design, ...], until_s: float | None, priced: bool) -> None:
    """Store the designs for all runs of a process."""
    global _designs, _until_s, _priced
    _designs, _until_s, _priced = designs, until_s, priced


def _sample(task: tuple[int, int]) -> Sample:
    design, seed = task
    return sample(_designs[design], seed, _until_s, _priced)
