"""Runs of designs in processes of their own: over several seeds for figures alone, or one of each, recorded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from twin.analysis.aside import Aside, Tell
from twin.analysis.compare import Sample
from twin.analysis.seeds import samples
from twin.runtime.inline import run
from twin.scenario.document import Scenario


def samples_aside(designs: Sequence[Scenario], seeds: Sequence[int]) -> Aside[list[list[Sample]]]:
    """Return what runs designs as `twin.analysis.seeds.samples` does; it counts runs."""
    return Aside(_samples, tuple(designs), tuple(seeds), name="twin-seeds")


def recorded_aside(design: Scenario, seed: int, until_s: float | None, path: Path) -> Aside[Path]:
    """Return what runs a design once and records it at `path`; it counts simulated seconds.

    Parameters
    ----------
    until_s
        Stop there [s]; None: at its end.
    """
    return Aside(_recorded, design, seed, until_s, path, name="twin-record", alone=True)


def _samples(designs: Sequence[Scenario], seeds: Sequence[int], tell: Tell) -> list[list[Sample]]:
    return samples(designs, seeds, progress=tell)


def _recorded(design: Scenario, seed: int, until_s: float | None, path: Path, tell: Tell) -> Path:
    run(design, seed, until_s, record=path, progress=tell, paced=True)
    return path
