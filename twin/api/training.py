"""What a whole training takes with the fastest layout on the GPUs of a scene."""

from __future__ import annotations

import math
from dataclasses import dataclass

from twin.api.year import full_load_pue
from twin.catalog import Catalog
from twin.planning.job.job_power import all_in_tanks, job_w
from twin.planning.job.whole_training import WholeTraining
from twin.planning.profile.models import ModelPreset
from twin.planning.search.scene_plan import SceneGpus
from twin.planning.search.search import SearchResult
from twin.plant.tables import Plant
from twin.scenario import Scenario


@dataclass(frozen=True)
class TrainingReport:
    """A whole training with the fastest layout, without interruptions.

    Attributes
    ----------
    tokens, tokens_source
        Of the whole training, and where that number is from: "typed", or who published it; None: not known.
    tokens_per_day
        Tokens of a day.
    time_s
        How long all tokens take [s]; None: their number is not known.
    nodes_w
        Power of the job's nodes while it steps [W].
    pue
        Of the hall in its typical year at full load; None: the hall has no year, as nothing cools or feeds it.
    energy_j
        Of all tokens, cooling and losses included where the PUE is known [J].
    """

    tokens: float | None
    tokens_source: str | None
    tokens_per_day: float
    time_s: float | None
    nodes_w: float
    pue: float | None
    energy_j: float | None


def training_report(
    found: SearchResult,
    preset: ModelPreset,
    tokens: float | None,
    sequences: int,
    hardware: SceneGpus,
    scenario: Scenario,
    plant: Plant,
    catalog: Catalog,
    *,
    fp8: bool,
) -> TrainingReport | None:
    """Return what a whole training takes with the best of the layouts found; None where none was."""
    if not found.best:
        return None
    best, count = found.best[0], preset.trained_tokens if tokens is None else tokens
    source = None if count is None else "typed" if tokens is not None else preset.trained_source
    nodes_w = job_w(
        catalog, hardware.node, best.parallel.gpus, best.parts, fp8=fp8, in_tank=all_in_tanks(plant)
    )
    tokens_s = sequences * found.model.seq / best.step_s
    whole = WholeTraining(count or math.nan, tokens_s, nodes_w, full_load_pue(scenario, plant, catalog))
    return TrainingReport(
        tokens=count,
        tokens_source=source,
        tokens_per_day=whole.tokens_per_day,
        time_s=whole.time_s if count else None,
        nodes_w=nodes_w,
        pue=whole.pue,
        energy_j=whole.energy_j if count else None,
    )
