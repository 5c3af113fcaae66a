"""The scene of a study: which it is, where its results lie, and the scene of a point. No widgets."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from twin.app.files.scene_file import NEW_NAME, document_of_text
from twin.app.files.scene_list import SUFFIX as SCENE_SUFFIX
from twin.app.session.save_folder import is_shipped
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.study.scene_keys import key_at
from twin.record.inputs import inputs_hash
from twin.record.state_folder import state_folder
from twin.scenario import Document, load, loads
from twin.scenario.file.save import save
from twin.studies.continued import same_scene
from twin.studies.design import document_at
from twin.studies.sweep_file import SUFFIX
from twin.studies.sweep_records import SweepContents, SweepHeader

_MOST_NAMES = 10_000


@dataclass(frozen=True)
class PointScene:
    """The scene of a point, derived from that of its study; it lies nowhere yet.

    Attributes
    ----------
    document
        The scene.
    name
        Of the file that it could be.
    seed
        Of the run that is wanted.
    """

    document: Document
    name: str
    seed: int


def scene_name(path: Path | None) -> str:
    """Return what the header of a study calls its scene: a shipped one by its short name, another by its path."""
    if path is None:
        return NEW_NAME
    return path.name.removesuffix(SCENE_SUFFIX) if is_shipped(path) else str(path)


def free_name(path: Path | None) -> Path:
    """Return where a new study of a scene is kept: beside it, of a shipped or new one among those of the program."""
    if path is None or is_shipped(path):
        folder = state_folder() / "studies"
        folder.mkdir(mode=0o700, exist_ok=True)
    else:
        folder = path.parent
    stem = (path.name if path is not None else NEW_NAME).removesuffix(SCENE_SUFFIX)
    names = (folder / f"{stem}-{number}{SUFFIX}" for number in range(1, _MOST_NAMES))
    return next((name for name in names if not name.exists()), folder / f"{stem}{SUFFIX}")


def scene_of(header: SweepHeader, beside: Path, opened: Iterable[Document]) -> Document | None:
    """Return the scene of a study with its settings; None where nobody knows it, or it has changed since.

    Parameters
    ----------
    header, beside
        Of its file, and the folder of that.
    opened
        Scenes that are open, looked at first.
    """
    for document in opened:
        with suppress(*SCENE_ERRORS):
            found = same_scene(document, header)
            if found is not None:
                return found
    named = Path(header.scene)
    for source in (
        named,
        beside / named.name,
        beside / f"{header.scene}{SCENE_SUFFIX}",
        f"builtin:{header.scene}",
    ):
        with suppress(*SCENE_ERRORS, OSError):
            if isinstance(source, str) or source.is_file():
                found = same_scene(load(source), header)
                if found is not None:
                    return found
    return None


def standing_values(document: Document | None, header: SweepHeader) -> dict[str, str]:
    """Return the value of each key in the scene as it stands, as far as it has one."""
    if document is None:
        return {}
    found = {key.path: key_at(document.scenario, key.path) for key in header.keys}
    return {path: key.text for path, key in found.items() if key is not None and key.text}


def point_scene(document: Document, contents: SweepContents, number: int, seed: int) -> PointScene:
    """Return the scene of a point, apart from the file of the scene that it comes from; raises `ScenarioError`."""
    header = contents.header
    made = document_at(document, [key.path for key in header.keys], contents.points[number].values)
    stem = document.name.removesuffix(SCENE_SUFFIX)
    name = f"{stem}-point-{number}{SCENE_SUFFIX}"
    return PointScene(_apart(made, name), name, seed)


def _apart(document: Document, name: str) -> Document:
    """Return a scene under another name; without a place on the disk, unless it needs files beside it."""
    with suppress(*SCENE_ERRORS, OSError):
        apart = loads(document.text, name)
        if document.path is None or inputs_hash(apart.scenario) == inputs_hash(document.scenario):
            return apart
    folder = document.path.parent if document.path is not None else None
    return loads(document.text, name, folder)


def save_point(point: PointScene, path: Path) -> None:
    """Write the scene of a point; raises one of `SCENE_ERRORS` where it cannot stand there, or the disk refuses."""
    document_of_text(point.document, path)  # it names files beside it: they must be there, too
    save(point.document, path)
