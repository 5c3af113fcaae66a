"""Files of own parts and models beside a scene: catalogue files, presets, and `config.json` of models."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path as FilePath

from twin.catalog import CatalogError
from twin.catalog.own_texts import MOST_BYTES, MOST_FILES, Holds
from twin.scenario.formats import sibling_files
from twin.scenario.formats.sibling_files import FileLimit, Origin
from twin.scenario.schema.own_files import OwnFile, catalog_with
from twin.scenario.text.problem import Problem, ScenarioError, shown

LIMIT = FileLimit(MOST_BYTES, "own parts and models")
_PATTERNS: dict[Holds, tuple[str, ...]] = {
    "parts": ("*.yaml", "*.yml"),
    "models": ("*.yaml", "*.yml", "*.json", "*/config.json"),
}
"""What is read of a folder."""
_FORMATS: dict[Holds, tuple[str, ...]] = {"parts": (".yaml", ".yml"), "models": (".yaml", ".yml", ".json")}


def read(name: str, holds: Holds, folder: FilePath | None, place: Problem) -> list[OwnFile]:
    """Return the files that a scene names: one, or all of a folder in the order of their names.

    Parameters
    ----------
    name
        A path inside the folder of the scene.
    holds
        Parts or models.
    folder
        Of the scene; None: its text lies nowhere yet.
    place
        File, line and key that name it, for the error.

    Raises
    ------
    ScenarioError
        When it leaves the folder, is missing, too large, or of another format.
    """
    if folder is not None and sibling_files.is_inside(name, folder) and (folder / name).is_dir():
        names = sorted(
            {
                path.relative_to(folder).as_posix()
                for pattern in _PATTERNS[holds]
                for path in (folder / name).glob(pattern)
                if not path.name.startswith(".")
            }
        )
        if len(names) > MOST_FILES:
            reason, hint = f"has {len(names):,} files", f"at most {MOST_FILES} are read; join them"
            raise ScenarioError([Problem(place.file, place.line, place.key, shown(name), reason, hint)])
    elif not name.lower().endswith(_FORMATS[holds]):
        sibling_files.found(name, folder, place, LIMIT)  # says first whether it is there
        reason, hint = f"is no file of {holds}", f"name a folder, or a {' or '.join(_FORMATS[holds])} file"
        raise ScenarioError([Problem(place.file, place.line, place.key, shown(name), reason, hint)])
    else:
        names = [name]
    return [_read(sibling_files.found(file_name, folder, place, LIMIT), holds) for file_name in names]


def joined(found: list[OwnFile]) -> tuple[OwnFile, ...]:
    """Return files, each once; raises `ScenarioError` where what they say is no part and no model."""
    known = tuple({own.file: own for own in found}.values())
    try:
        catalog_with(known)
    except CatalogError as wrong:
        reason, _, hint = wrong.reason.partition("; ")
        raise ScenarioError([Problem(wrong.file, wrong.line, wrong.key, "", reason, hint)]) from None
    return known


def of_folder(folder: FilePath) -> list[OwnFile]:
    """Return the own parts and models of a folder: of a scene, or of parts alone.

    Raises
    ------
    ScenarioError
        When there is none, or a file cannot be read.
    """
    place = Problem(str(folder), 0, "", "", "")
    if not folder.is_dir():
        raise ScenarioError([Problem(str(folder), 0, "", "", "is no folder")])
    found: list[OwnFile] = []
    holds: Holds
    for holds in ("parts", "models"):
        if (folder / holds).is_dir():
            found += read(holds, holds, folder, place)
    return found or read(folder.name, "parts", folder.resolve().parent, place)


@lru_cache(maxsize=2 * MOST_FILES)
def _read(origin: Origin, holds: Holds) -> OwnFile:
    return OwnFile(file=origin.name, holds=holds, text=sibling_files.text_of(origin, LIMIT))
