"""Design rules of power, cooling and tenancy: what a scene promises and its plant does not keep, for `twin check`."""

from __future__ import annotations

from twin.catalog import Catalog
from twin.plant.cooling_doubts import cooling_doubts
from twin.plant.power_doubts import power_doubts
from twin.plant.tables import Plant
from twin.plant.tenancy_doubts import tenancy_doubts
from twin.scenario.doubts import problem_at
from twin.scenario.load import Document
from twin.scenario.problem import Problem


def facility_doubts(document: Document, plant: Plant, catalog: Catalog) -> list[Problem]:
    """Return what is doubtful in power, cooling and tenancy of a scene, in the order of its file.

    Parameters
    ----------
    document
        The scene.
    plant
        As built from it.
    catalog
        Its parts.
    """
    scenario = document.scenario
    wrong = [
        *power_doubts(scenario, plant, catalog),
        *cooling_doubts(scenario, plant, catalog),
        *tenancy_doubts(scenario, plant),
    ]
    return sorted((problem_at(document, *one) for one in wrong), key=lambda problem: problem.line)
