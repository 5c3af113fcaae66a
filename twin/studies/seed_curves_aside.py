"""The bands of a scene over seeds, worked out in another process and in those that it starts."""

from __future__ import annotations

from collections.abc import Sequence

from twin.analysis.background_process import Aside, Tell
from twin.scenario.schema.document import Scenario
from twin.studies.seed_curves import SeedCurves, curves_over_seeds


def curves_aside(
    scenario: Scenario, seeds: Sequence[int], series: Sequence[str], end_s: float
) -> Aside[SeedCurves]:
    """Return the process that runs a scene as `curves_over_seeds`; its progress counts runs."""
    return Aside(_curves, scenario, tuple(seeds), tuple(series), end_s, name="twin-seed-curves")


def _curves(
    scenario: Scenario, seeds: Sequence[int], series: Sequence[str], end_s: float, tell: Tell
) -> SeedCurves:
    return curves_over_seeds(scenario, seeds, series, end_s, tell)
