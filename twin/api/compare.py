"""Two designs or two runs side by side, figure by figure, with intervals over several seeds."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from twin.analysis.branch import shared_past_s
from twin.analysis.compare import Basis, Comparison, Sample, compare_at, sample_of
from twin.analysis.compare import compare as comparison_of
from twin.analysis.figures import FIGURES
from twin.analysis.money_comparison import money_verdict
from twin.analysis.rerun import scenario_of_run
from twin.analysis.run_cost import recorded_cost
from twin.analysis.significance import judged, verdict
from twin.api.arguments import (
    MAX_SEED,
    Settings,
    Texts,
    Time,
    count_of,
    path_of,
    seconds_of,
    seed_of,
    settings_of,
    texts_of,
)
from twin.api.changes import with_changes
from twin.api.errors import BadInput, Warn, as_arguments, warn
from twin.api.named import is_run, load_scene
from twin.api.older import tell_if_older
from twin.api.run import Run
from twin.api.scene import Scene
from twin.record.reader import Reader

if TYPE_CHECKING:
    from twin.scenario import Scenario

Counted = Callable[[str], AbstractContextManager[Callable[[int, int], None] | None]]
"""Takes what is counted, and gives what takes (done, in all); None: nobody watches."""
MOST_SEEDS = 10_000


@dataclass(frozen=True)
class DesignComparison(Comparison):
    """What two designs or runs come to, side by side; ``differences["goodput"]`` is one figure.

    Parameters
    ----------
    names
        What A and B are called.
    judgements
        What each figure says, in words, by its key.
    verdict
        What the comparison says, in a sentence.
    money_verdict
        Which is better by money, by how much and how sure; "": what one of them cost is unknown.
    """

    names: tuple[str, str] = ("A", "B")
    judgements: tuple[tuple[str, str], ...] = ()
    verdict: str = ""
    money_verdict: str = ""


def compare(
    a: str | os.PathLike[str] | Scene | Run,
    b: str | os.PathLike[str] | Scene | Run,
    *,
    seeds: int | None = None,
    seed: int | None = None,
    until: Time | None = None,
    set: Settings = (),
    set_b: Settings = (),
    inject: Texts = (),
    at: Time | None = None,
    workers: int | None = 1,
) -> DesignComparison:
    """Return how far two designs or runs are apart: goodput, energy, heat, cost, and where the GPU time went.

    Two recorded runs alone are read as they are. With any of the arguments but `at`, or where one is a scene, both are
    run with the same seeds, so that both have the same failures: the paired interval says how sure a difference is.

    Parameters
    ----------
    a, b
        Scenes, runs, or the files or names of them.
    seeds
        Runs of each; None: one.
    seed
        The first seed; None: that of `a`, for both.
    until
        Stop both there, seconds or text; None: at their ends.
    set, set_b, inject
        Changes of both scenes, of `b` alone, and interventions in both, as for `Scene.run`.
    at
        Compare what two recorded runs say up to then, seconds or text.
    workers
        Processes: 1: this one; None: as many as there are processors, which start the script anew, so that it must
        call this under ``if __name__ == "__main__":``.

    Returns
    -------
    DesignComparison
        Differences by the key of their figure, such as "goodput" and "ettr": `a`, `b`, `difference`, and half widths
        of the 95 % intervals `paired` and `unpaired`; the way of the ledger from A to B [GPU h]; `money`, what both
        cost; verdicts.

    Raises
    ------
    ScenarioError, RunFileError
        When a scene or run cannot be read.
    BadInput
        When an argument is wrong; it is a `ValueError`.

    Examples
    --------
    >>> import twin
    >>> found = twin.compare("lab-16", "lab-16", until="1 h", set_b={"jobs[llama3].checkpoint.pause": "1 min"})
    >>> found.differences["goodput"].difference < 0
    True
    """
    sides = tuple(
        side if isinstance(side, Scene) else str(side.path) if isinstance(side, Run) else path_of(side, name)
        for name, side in (("a", a), ("b", b))
    )
    first, second = (side.name if isinstance(side, Scene) else side for side in sides)
    if seeds is not None:
        count_of(seeds, "seeds", 2, MOST_SEEDS)
    if workers is not None:
        count_of(workers, "workers", 1, MOST_SEEDS)
    until_s = None if until is None else seconds_of(until, "until")
    asked = Reruns(
        seeds,
        seed_of(seed),
        until_s,
        settings_of(set),
        settings_of(set_b, "set_b"),
        texts_of(inject, "inject"),
    )
    with as_arguments():
        if at is None:
            made = compared((sides[0], sides[1]), asked, warn=warn, workers=workers)
            found = comparison_of(made.a, made.b, made.seeds, made.basis, made.since_s)
        else:
            if asked.any or not all(isinstance(side, str) and is_run(side) for side in sides):
                raise BadInput("at: this reads two recorded runs as they are; give two, and nothing else")
            with Reader(str(sides[0])) as reader_a, Reader(str(sides[1])) as reader_b:
                end_s = min(reader_a.t_end_s, reader_b.t_end_s)
                found = compared_at(
                    reader_a, reader_b, seconds_of(at, "at", reader_a.header.scenario, end_s), warn=warn
                )
    return DesignComparison(
        **vars(found),
        names=(first, second) if first != second else ("A", "B"),
        judgements=tuple(
            (figure.key, judged(figure, found).words) for figure in FIGURES if figure.key in found.differences
        ),
        verdict=verdict(found),
        money_verdict=money_verdict(found.money) if found.money is not None else "",
    )


class Reruns(NamedTuple):
    """How both are to be run again: seeds, the first one, the end [s], and what is set and injected."""

    seeds: int | None
    seed: int | None
    until_s: float | None
    settings: list[str]
    settings_b: list[str]
    injections: list[str]

    @property
    def any(self) -> bool:
        """Return whether they are."""
        return self != (None, None, None, [], [], [])


class Compared(NamedTuple):
    """The seeds, what each run of A and of B comes to, the two scenes, and what both have in common."""

    seeds: list[int]
    a: list[Sample]
    b: list[Sample]
    scenes: tuple[Scenario, Scenario]
    basis: Basis
    since_s: float | None = None


def _unwatched(title: str) -> AbstractContextManager[None]:
    return nullcontext()


def compared(
    sides: tuple[str | Scene, str | Scene],
    asked: Reruns,
    *,
    warn: Warn,
    counted: Counted = _unwatched,
    workers: int | None = None,
) -> Compared:
    """Read two runs that are over as they are; run anything else with each seed.

    Parameters
    ----------
    sides
        Scenes, or names of scenes or run files.
    asked
        How they are run again.
    warn
        Takes what to say of older runs and late interventions.
    counted
        Shows how many runs are done.
    workers
        Processes; None: as many as there are processors.
    """
    from twin.analysis.seeds import samples

    names = [side for side in sides if isinstance(side, str) and is_run(side)]
    if not asked.any and len(names) == len(sides):
        (seed_a, of_a, scene_a), (seed_b, of_b, scene_b) = (_recorded(name, warn) for name in names)
        with Reader(names[0]) as reader_a, Reader(names[1]) as reader_b:
            since_s = shared_past_s(reader_a, reader_b)
        basis = Basis.RECORDED if since_s is None else Basis.SAME_PAST
        seen = list(dict.fromkeys((seed_a, seed_b)))
        return Compared(seen, [of_a], [of_b], (scene_a, scene_b), basis, since_s)
    (first, own_seed), (second, _) = (
        _design(side, [*asked.settings, *more], asked.injections, warn)
        for side, more in zip(sides, ([], asked.settings_b), strict=True)
    )
    start = own_seed if asked.seed is None else asked.seed
    numbers = list(range(start, start + (asked.seeds or 1)))
    if numbers[-1] > MAX_SEED:
        raise BadInput(f"--seed: the seeds from {start} on go beyond {MAX_SEED}; begin with a smaller one")
    with counted(f"{len(numbers)} seeds of two designs") as show:
        a, b = samples([first, second], numbers, asked.until_s, show, workers, priced=True)
    return Compared(numbers, a, b, (first, second), Basis.RERUN)


def compared_at(a: Reader, b: Reader, at_s: float, *, warn: Warn) -> Comparison:
    """Return the comparison of two recorded runs up to a time [s]."""
    tell_if_older(a, b, warn=warn)
    found, since_s = compare_at(a, b, at_s), shared_past_s(a, b)
    return found if since_s is None else replace(found, basis=Basis.SAME_PAST, since_s=since_s)


def _recorded(name: str, warn: Warn) -> tuple[int, Sample, Scenario]:
    """Return seed, sample and scene of a run that is over."""
    with Reader(name) as reader:
        tell_if_older(reader, warn=warn)
        summary, seed = reader.summary, reader.header.seed
        if summary is None:
            raise BadInput(
                f"{name}: this run is not over, so it has no summary; with --seeds 2 its scene is run anew"
            )
        if not isinstance(summary.get("ledger_gpu_s"), dict):
            raise BadInput(f"{name}: the summary of this run file is damaged")
        return seed, sample_of(summary, recorded_cost(reader)), scenario_of_run(reader)


def _design(
    side: str | Scene, settings: list[str], injections: Sequence[str], warn: Warn
) -> tuple[Scenario, int]:
    """Return a side as a scene to run, and its seed."""
    if isinstance(side, Scene):
        scenario = side.changed(settings, injections).scenario
        return scenario, scenario.seed
    if not is_run(side):
        scenario = with_changes(load_scene(side), settings, injections, warn=warn)
        return scenario, scenario.seed
    if settings or injections:
        raise BadInput(f"{side}: --set and --inject change scenes; name the scene of this run instead")
    with Reader(side) as reader:
        return scenario_of_run(reader), reader.header.seed
