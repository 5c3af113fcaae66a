"""Work in other processes: figures over seeds, one recorded run, and a run continued."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from twin.analysis.background_process import Aside, Tell
from twin.analysis.branch import other_past
from twin.analysis.compare import Comparison, Sample
from twin.analysis.seeds import Design, samples
from twin.analysis.what_if import WhatIf, futures
from twin.record.reader import Reader
from twin.runtime.inline import go_on, run
from twin.scenario.schema.document import Scenario


def samples_aside(
    designs: Sequence[Design], seeds: Sequence[int], until_s: float | None = None
) -> Aside[list[list[Sample]]]:
    """Return the process that runs and prices designs as `twin.analysis.seeds.samples`; its progress counts runs."""
    return Aside(_samples, tuple(designs), tuple(seeds), until_s, name="twin-seeds")


def recorded_aside(design: Scenario, seed: int, until_s: float | None, path: Path) -> Aside[Path]:
    """Return the process that records one run of a design at `path`; its progress is simulated time [s].

    Parameters
    ----------
    until_s
        Stop there [s]; None: at its end.
    """
    return Aside(_recorded, design, seed, until_s, path, name="twin-record", alone=True)


def gone_on_aside(scene: Scenario, run_file: Path, until_s: float | None) -> Aside[Path]:
    """Return the process that continues a run file to its end or `until_s` [s]; its progress is simulated time [s].

    A branch that differs from its parent before the cut is refused.
    """
    return Aside(_gone_on, scene, run_file, until_s, name="twin-go-on", alone=True)


def futures_aside(asked: WhatIf, seeds: Sequence[int]) -> Aside[Comparison]:
    """Return the process that compares a run with its branch over seeds from the cut on; its progress counts runs."""
    return Aside(_futures, asked, tuple(seeds), name="twin-futures")


def _samples(
    designs: Sequence[Design], seeds: Sequence[int], until_s: float | None, tell: Tell
) -> list[list[Sample]]:
    return samples(designs, seeds, until_s, progress=tell, priced=True)


def _recorded(design: Scenario, seed: int, until_s: float | None, path: Path, tell: Tell) -> Path:
    run(design, seed, until_s, record=path, progress=tell, paced=True)
    return path


def _gone_on(scene: Scenario, run_file: Path, until_s: float | None, tell: Tell) -> Path:
    go_on(scene, run_file, until_s, tell)
    if scene.branch is not None:
        with Reader(run_file) as reader:
            divergence = other_past(scene.branch, reader.all_events(), scene.own_files)
        if divergence:
            raise ValueError(divergence)
    return run_file


def _futures(asked: WhatIf, seeds: Sequence[int], tell: Tell) -> Comparison:
    return futures(asked, seeds, tell)
