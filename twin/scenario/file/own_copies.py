"""Files of own parts and models, copied along with a scene that is saved in another folder."""

from __future__ import annotations

from codecs import BOM_UTF8
from pathlib import Path as FilePath

from twin.scenario.formats.sibling_files import is_inside
from twin.scenario.schema.document import Scenario
from twin.scenario.text.problem import Problem, ScenarioError
from twin.whole_file import write_whole


def copy_own_files(scenario: Scenario, folder: FilePath) -> list[FilePath]:
    """Write the own parts and models of a scene into a folder, and return the files that were not there.

    Raises
    ------
    ScenarioError
        When other files of such names are there: nothing is written then.
    OSError
        When one cannot be written.
    """
    missing = []
    for own in scenario.own_files:
        target = folder / own.file
        if not is_inside(own.file, folder):
            raise ScenarioError([Problem(own.file, 0, "", "", "leaves the folder of the scene")])
        data = own.text.encode()
        if not target.exists():
            missing.append((target, data))
        elif not target.is_file() or target.read_bytes().removeprefix(BOM_UTF8) != data:
            reason, hint = f"is another file in {folder}", "choose a folder without one"
            raise ScenarioError([Problem(own.file, 0, "", "", reason, hint)])
    for target, data in missing:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, data)
    return [target for target, _ in missing]
