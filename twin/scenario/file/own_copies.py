"""Files of own parts and models, and drawings of buildings, copied along with a scene that is saved elsewhere."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path as FilePath

from twin.scenario.formats.sibling_files import is_inside
from twin.scenario.formats.underlay_file import picture
from twin.scenario.schema.document import Scenario
from twin.scenario.text.problem import Problem, ScenarioError
from twin.whole_file import write_whole


def copy_own_files(scenario: Scenario, folder: FilePath) -> list[FilePath]:
    """Write own parts, own models and drawings of a scene into a folder, and return the files that were not there.

    Raises
    ------
    ScenarioError
        When other files of such names are there: nothing is written then.
    OSError
        When one cannot be written.
    """
    missing = []
    for name, data in _files(scenario):
        target = folder / name
        if not is_inside(name, folder):
            raise ScenarioError([Problem(name, 0, "", "", "leaves the folder of the scene")])
        if not target.exists():
            missing.append((target, data))
        elif not target.is_file() or target.read_bytes().removeprefix(BOM_UTF8) != data:
            reason, hint = f"is another file in {folder}", "choose a folder without one"
            raise ScenarioError([Problem(name, 0, "", "", reason, hint)])
    for target, data in missing:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, data)
    return [target for target, _ in missing]


def _files(scenario: Scenario) -> Iterator[tuple[str, bytes]]:
    """Yield the files that go along: path in the folder of the scene, and what they hold."""
    for own in scenario.own_files:
        yield own.file, own.text.encode()
    for hall in scenario.halls:
        underlay = hall.building.underlay if hall.building is not None else None
        found = picture(underlay.digest) if underlay is not None else None
        if underlay is not None and found is not None:
            yield underlay.file, found.data
