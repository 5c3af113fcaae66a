"""A scenario file to a `Document`: the scenario with its text beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path as FilePath

from twin.scenario.checks import check
from twin.scenario.file import apply_edits, resolve_references
from twin.scenario.file.apply_edits import Stages
from twin.scenario.reading import extend
from twin.scenario.reading.extend import SceneSource
from twin.scenario.reading.parse_cache import ReadBefore
from twin.scenario.reading.validate import scenario_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.own_files import OwnFile
from twin.scenario.text.parse import Tree, parsed


@dataclass(frozen=True)
class Document:
    """A scenario as it was loaded.

    Attributes
    ----------
    scenario
        What exists and happens, after inheritance, with the hours of its weather and grid files; not expanded.
    files
        The file itself, then what it extends, nearest first.
    tree
        All of them merged, every key with its place.
    stages
        What its edits make of it.
    read
        What need not be read again after an edit.
    """

    scenario: Scenario
    files: tuple[SceneSource, ...]
    tree: Tree
    stages: Stages
    read: ReadBefore = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """Return the name of the file as people know it."""
        return self.files[0].name

    @property
    def path(self) -> FilePath | None:
        """Return where the file is; None for text that lies nowhere yet."""
        return self.files[0].path

    @property
    def text(self) -> str:
        """Return the text of the file itself."""
        return self.files[0].text


def load(path: FilePath | str) -> Document:
    """Return the scenario of a file.

    Parameters
    ----------
    path
        A ``*.twin.yaml`` file, or ``builtin:NAME`` for a shipped scene.

    Raises
    ------
    NewerVersion
        When the file needs a newer program.
    ScenarioError
        When it cannot be read or is wrong anywhere; it names every problem with file, line and key.
    """
    if isinstance(path, str) and path.startswith("builtin:"):
        path = extend.builtin(path)
    path = FilePath(path)
    return document_of(extend.read(path, path.name))


def loads(
    text: str,
    name: str = "scenario",
    folder: FilePath | None = None,
    own_files: tuple[OwnFile, ...] = (),
) -> Document:
    """Return the scenario of a text; raises as `load`.

    Parameters
    ----------
    text
        What a file would hold.
    name
        For messages.
    folder
        Where ``extends`` finds other files; none: it can name shipped scenes only.
    own_files
        Own parts and models that will be beside it once it is saved.
    """
    path = folder / name if folder is not None else None
    source = SceneSource(name, path, text, parsed(text, name))
    return document_from(tuple(extend.chain(source)), own_files=own_files)


def document_of(source: SceneSource) -> Document:
    """Return the scenario of a file that was read already; raises as `load`."""
    return document_from(tuple(extend.chain(source)))


def document_from(
    files: tuple[SceneSource, ...], before: Document | None = None, own_files: tuple[OwnFile, ...] = ()
) -> Document:
    """Return the scenario of a file and all it extends, read already; raises as `load`.

    Parameters
    ----------
    files
        The file itself, then what it extends, nearest first.
    before
        The document that it was before its text was changed: what that shows to be right is not looked at again.
    own_files
        Own parts and models, in place of those beside it.
    """
    tree = extend.merged(list(files))
    scenario, read = scenario_of(tree, files[0].name, before.read if before is not None else None)
    known = before.scenario if before is not None else None
    if own_files:
        scenario = scenario.model_copy(update={"own_files": own_files})
    scenario = resolve_references.resolved(scenario, tree, files, known)
    check.check(scenario, tree)
    stages = apply_edits.stages(scenario, tree, before.stages if before is not None else None)
    return Document(scenario, files, tree, stages, read)
