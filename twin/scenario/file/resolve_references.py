"""References of a scene - a place, files of weather, grid, traces, own parts, rates - resolved into the scenario.

After this a scenario needs no folder any more: worker processes and run files have what the files said with them.
"""

from __future__ import annotations

from pathlib import Path as FilePath

from twin.catalog.own_texts import Holds
from twin.scenario.file.catalog_causes import with_catalog_causes
from twin.scenario.formats import (
    climates,
    fault_trace,
    grid_file,
    own_files,
    trace_file,
    underlay_file,
    weather_file,
)
from twin.scenario.reading.extend import SceneSource
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.faults import FaultTrace
from twin.scenario.schema.own_files import OwnFile
from twin.scenario.schema.site import Climate, Grid, Site
from twin.scenario.text.parse import Path, Tree, child, locate, written
from twin.scenario.text.problem import Problem, ScenarioError, shown


def resolved(
    scenario: Scenario, tree: Tree, files: tuple[SceneSource, ...], before: Scenario | None = None
) -> Scenario:
    """Return `scenario` with the contents of the files it names, and the latitude and time zone of its place.

    Parameters
    ----------
    scenario
        As validated.
    tree
        What it was made from, for the places.
    files
        Of the chain, the scene itself first: paths are inside the folder of the one that says them.
    before
        The scene before an edit: it keeps its own parts, whatever has become of their files.

    Raises
    ------
    ScenarioError
        When a place or file is not there, or a file holds anything wrong.
    """
    if not scenario.own_files:
        if before is not None and (before.parts, before.models) == (scenario.parts, scenario.models):
            if before.own_files:
                scenario = scenario.model_copy(update={"own_files": before.own_files})
        else:
            scenario = _with_own_files(scenario, tree, files)
    if any(trace.rows is None for trace in scenario.traces):
        scenario = _with_traces(scenario, tree, files)
    if any(rental.file is not None and rental.hours is None for rental in scenario.rentals):
        scenario = _with_rents(scenario, tree, files)
    if scenario.failures.trace is not None and scenario.failures.trace.rows is None:
        scenario = _with_faults(scenario, scenario.failures.trace, tree, files)
    if any(hall.building is not None and hall.building.underlay is not None for hall in scenario.halls):
        scenario = _with_underlays(scenario, tree, files)
    scenario = with_catalog_causes(scenario)
    site = scenario.site
    climate, latitude_deg = _climate(site.climate, tree, files)
    grid = _grid(site.grid, tree, files)
    if climate is site.climate and grid is site.grid and latitude_deg is None:
        return scenario
    changes: dict[str, Climate | Grid | float | str] = {"climate": climate, "grid": grid}
    if latitude_deg is not None and site.latitude_deg is None:
        changes["latitude_deg"] = latitude_deg
    if climate.place is not None and "timezone" not in site.model_fields_set:
        changes["timezone"] = climates.place(climate.place).timezone
    made: Site = site.model_copy(update=changes)
    return scenario.model_copy(update={"site": made})


def in_place(scenario: Scenario, name: str) -> Scenario:
    """Return a scenario in another shipped climate, with its latitude and time zone; raises `climates.PlaceError`."""
    known = climates.place(name)
    site = scenario.site.model_copy(
        update={
            "climate": Climate(place=name),
            "latitude_deg": known.latitude_deg,
            "timezone": known.timezone,
        }
    )
    return scenario.model_copy(update={"site": site})


def _with_own_files(scenario: Scenario, tree: Tree, files: tuple[SceneSource, ...]) -> Scenario:
    found: list[OwnFile] = []
    holds: Holds
    for holds in ("parts", "models"):
        names = scenario.parts if holds == "parts" else scenario.models
        if names is not None:
            for place, name in enumerate(names):
                found += own_files.read(name, holds, _folder(files, (holds,)), _problem(tree, (holds, place)))
            continue
        for source in files:
            if source.path is not None and (source.path.parent / holds).is_dir():
                found += own_files.read(
                    holds, holds, source.path.parent, Problem(source.name, 0, holds, "", "")
                )
                break
    if not found:
        return scenario
    return scenario.model_copy(update={"own_files": own_files.joined(found)})


def _climate(climate: Climate, tree: Tree, files: tuple[SceneSource, ...]) -> tuple[Climate, float | None]:
    at: Path = ("site", "climate", "place")
    if climate.place is not None:
        if climate.file is not None:
            reason, hint = "conflicts with file: only one can give the weather", "remove one of them"
            raise ScenarioError([_problem(tree, at, shown(climate.place), reason, hint)])
        try:
            return climate, climates.place(climate.place).latitude_deg
        except climates.PlaceError as bad:
            reason, _, hint = str(bad).partition("; ")
            raise ScenarioError([_problem(tree, at, "", reason, hint)]) from None
    if climate.file is None or climate.hours is not None:
        return climate, None
    at = ("site", "climate", "file")
    made = weather_file.read(climate.file, _folder(files, at), _problem(tree, at))
    return climate.model_copy(update={"hours": made.packed}), made.latitude_deg


def _grid(grid: Grid, tree: Tree, files: tuple[SceneSource, ...]) -> Grid:
    if grid.file is None or grid.hours is not None:
        return grid
    at: Path = ("site", "grid", "file")
    packed = grid_file.read(grid.file, _folder(files, at), _problem(tree, at))
    return grid.model_copy(update={"hours": packed})


def _with_traces(scenario: Scenario, tree: Tree, files: tuple[SceneSource, ...]) -> Scenario:
    traces = []
    for i, trace in enumerate(scenario.traces):
        if trace.rows is None:
            place = _problem(tree, ("traces", i, "file"))
            packed = trace_file.read(trace, _folder_of(files, "traces", trace.id), place)
            trace = trace.model_copy(update={"rows": packed})
        traces.append(trace)
    return scenario.model_copy(update={"traces": tuple(traces)})


def _with_rents(scenario: Scenario, tree: Tree, files: tuple[SceneSource, ...]) -> Scenario:
    rentals = []
    for i, rental in enumerate(scenario.rentals):
        if rental.file is not None and rental.hours is None:
            place = _problem(tree, ("rentals", i, "file"))
            packed = grid_file.read(rental.file, _folder_of(files, "rentals", rental.id), place, rent=True)
            rental = rental.model_copy(update={"hours": packed})
        rentals.append(rental)
    return scenario.model_copy(update={"rentals": tuple(rentals)})


def _with_underlays(scenario: Scenario, tree: Tree, files: tuple[SceneSource, ...]) -> Scenario:
    halls = []
    for h, hall in enumerate(scenario.halls):
        building = hall.building
        if building is not None and building.underlay is not None:
            at: Path = ("halls", h, "building", "underlay", "file")
            folder = _folder_of(files, "halls", hall.id, at[2:])
            digest = underlay_file.read(building.underlay.file, folder, _problem(tree, at))
            underlay = building.underlay.model_copy(update={"digest": digest})
            hall = hall.model_copy(update={"building": building.model_copy(update={"underlay": underlay})})
        halls.append(hall)
    return scenario.model_copy(update={"halls": tuple(halls)})


def _with_faults(
    scenario: Scenario, trace: FaultTrace, tree: Tree, files: tuple[SceneSource, ...]
) -> Scenario:
    at: Path = ("failures", "trace", "file")
    packed = fault_trace.read(trace.file, _folder(files, at), _problem(tree, at))
    trace = trace.model_copy(update={"rows": packed})
    failures = scenario.failures.model_copy(update={"trace": trace})
    return scenario.model_copy(update={"failures": failures})


def _folder_of(files: tuple[SceneSource, ...], key: str, id: str, below: Path = ("file",)) -> FilePath | None:
    """Return the folder of the nearest file of the chain that sets a value of one entry of a list, its `file`."""
    for source in files:
        entries = child(source.tree, key)
        for item in entries.value if entries is not None and isinstance(entries.value, list) else ():
            if item.id() == id and _at(item, below) is not None:
                return source.path.parent if source.path is not None else None
    return None


def _folder(files: tuple[SceneSource, ...], at: Path) -> FilePath | None:
    """Return the folder of the nearest file of the chain that sets the value at `at`."""
    for source in files:
        if _at(source.tree, at) is not None:
            return source.path.parent if source.path is not None else None
    return None


def _at(tree: Tree, at: Path) -> Tree | None:
    node: Tree | None = tree
    for step in at:
        node = child(node, step) if node is not None else None
    return node


def _problem(tree: Tree, at: Path, value: str = "", reason: str = "", hint: str = "") -> Problem:
    mark = locate(tree, at)
    return Problem(mark.file, mark.line, written(at, tree), value, reason, hint)
