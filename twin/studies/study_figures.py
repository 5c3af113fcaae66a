"""The figures of a study: those by which runs are compared, and closed forms that need no run."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from twin.analysis.figures import FIGURES, ComparedFigure, at
from twin.language import tr
from twin.planning.risk.risk import risk_of
from twin.plant.build import build
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of
from twin.studies.study_error import StudyError

CLOSED_FORMS: tuple[ComparedFigure, ...] = (
    ComparedFigure("installed_gpus", tr("GPUs in the halls"), "", 0, at("installed_gpus"), extensive=True),
    ComparedFigure(
        "mean_between_s",
        tr("mean time between failures of the largest job"),
        "duration",
        1,
        at("mean_between_s"),
    ),
    ComparedFigure("interval_s", tr("work between checkpoints"), "duration", 0, at("interval_s")),
    ComparedFigure("renewal_ettr", tr("ETTR by the renewal formula"), "share", 1, at("renewal_ettr")),
)
"""Figures that follow from the scene and its largest job."""
STUDY_FIGURES = {figure.key: figure for figure in (*FIGURES, *CLOSED_FORMS)}
_CLOSED = frozenset(figure.key for figure in CLOSED_FORMS)
DEFAULT_FIGURES = ("goodput", "energy_per_gpu_h")


def chosen_figures(keys: Sequence[str]) -> tuple[ComparedFigure, ...]:
    """Return figures by their keys; raises `StudyError` for one that is unknown."""
    for key in keys:
        if key not in STUDY_FIGURES:
            near = get_close_matches(key, STUDY_FIGURES, 1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(STUDY_FIGURES)}"
            raise StudyError(f"unknown figure {key!r}; {hint}")
    return tuple(STUDY_FIGURES[key] for key in dict.fromkeys(keys))


def is_closed(figure: ComparedFigure) -> bool:
    """Return whether a figure needs no run."""
    return figure.key in _CLOSED


def closed_forms(scenario: Scenario) -> dict[str, float | None]:
    """Return the closed forms of a scene; raises as `twin.planning.risk.risk.risk_of`."""
    catalog = catalog_of(scenario)
    plant = build(scenario, catalog)
    job = risk_of(scenario, plant, catalog)
    values = {
        "installed_gpus": float(plant.nodes.gpu_count[plant.nodes.present].sum()),
        "mean_between_s": job.model.mean_between_s,
        "interval_s": job.interval_s,
        "renewal_ettr": job.exact_ettr,
    }
    return {figure.key: figure.of(values) for figure in CLOSED_FORMS}
