"""How available power, cooling and network of a hall are, and what that leaves to a job."""

from __future__ import annotations

import os

from twin.api.arguments import Settings, path_of, settings_of
from twin.api.errors import as_arguments
from twin.api.named import load_scene
from twin.api.scene import Scene
from twin.planning.risk.availability_figures import HallAvailability
from twin.planning.risk.hall_availability import availability_of
from twin.planning.risk.risk import risk_of
from twin.plant.build import build
from twin.scenario.file.set_option import set_texts
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.scene_catalog import catalog_of


def availability(
    scene: str | os.PathLike[str] | Scene,
    job: str | None = None,
    *,
    set: Settings = (),
) -> HallAvailability:
    """Return the availability of a hall whose machines fail at the rates of the catalogue, by minimal cut sets.

    Parameters
    ----------
    scene
        A scene, or its file or name.
    job
        Which job; None: the largest, if there is one.
    set
        Changes of the scene, as for `Scene.run`.

    Raises
    ------
    ScenarioError, PlanError
        When the scene, or the job in it, cannot be.

    Examples
    --------
    >>> import twin
    >>> found = twin.availability("nvl72-row")
    >>> [system.system for system in found.systems]
    ['power', 'cooling', 'network', 'site']
    >>> found.worst[0].outages > 0.1  # a year
    True
    """
    document = scene.document if isinstance(scene, Scene) else load_scene(path_of(scene, "scene"))
    with as_arguments():
        scenario = set_texts(document, settings_of(set)).scenario
        catalog = catalog_of(scenario)
        plant = build(scenario, catalog)
        risk = risk_of(scenario, plant, catalog, job) if jobs_of(scenario) or job is not None else None
        return availability_of(scenario, plant, catalog, risk)
