"""``extends``: a scene as its differences from another one."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path as FilePath

from twin import resources
from twin.scenario.reading.migrate import migrated
from twin.scenario.text.parse import MAX_BYTES, Tree, TreeEntry, decode, parsed
from twin.scenario.text.problem import Problem, ScenarioError

SUFFIX = ".twin.yaml"
MAX_CHAIN = 8
MAX_CHAIN_CHARACTERS = 2 * MAX_BYTES
"""Of all files of a scene together."""
_BUILTIN = re.compile(r"builtin:([a-z0-9][a-z0-9-]{0,60})")
_OWN = ("format", "version", "catalog", "extends", "branch", "chapters")
"""Keys every file says for itself; chapters tell of the run of that very scene."""
_KINDS = ("workload", "problem")
"""Keys whose `kind` decides what else they take: another kind is another thing, nothing of the old one stays."""


@dataclass(frozen=True)
class SceneSource:
    """One file of a scene, without the file it extends."""

    name: str
    path: FilePath | None
    text: str
    tree: Tree


def read(path: FilePath, name: str) -> SceneSource:
    """Read one file; raises `ScenarioError` when it cannot be read or is not YAML."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise _error(name, 0, "", "is not a regular file")
        if status.st_size > MAX_BYTES:
            raise _error(name, 0, "", f"is larger than {MAX_BYTES // 1_000_000} MB, too large for a scenario")
        data = path.read_bytes()
    except (OSError, ValueError) as bad:
        reason = bad.strerror if isinstance(bad, OSError) and bad.strerror else str(bad)
        if isinstance(bad, ScenarioError):
            raise
        raise _error(name, 0, "", f"cannot be read: {reason}") from None
    text = decode(data, name)
    return SceneSource(name, path, text, parsed(text, name))


def chain(first: SceneSource) -> list[SceneSource]:
    """Return a scene and all it extends, the scene itself first.

    Raises
    ------
    ScenarioError
        When a file is missing, lies outside the folder of the one that names it, or extends itself.
    """
    files = [first]
    while True:
        last = files[-1]
        entry = last.tree.value.get("extends") if isinstance(last.tree.value, dict) else None
        if entry is None or entry.tree.value is None:
            return files
        mark = entry.mark
        path, name = _target(last, entry)
        if any(source.path is not None and source.path.resolve() == path.resolve() for source in files):
            raise _error(
                mark.file, mark.line, "extends", f"forms a cycle: {name} is already part of this scene"
            )
        if len(files) >= MAX_CHAIN:
            reason = f"extends a chain of more than {MAX_CHAIN} files"
            raise _error(mark.file, mark.line, "extends", reason, "flatten one of them with twin show")
        if path.exists() and not path.is_file():
            reason = f"names {name!r}, which is not a regular file"
            raise _error(mark.file, mark.line, "extends", reason, "a scene must be a text file")
        if not path.is_file():
            hint = _near(path, files) or "copy it next to this file: a branch needs its parent scene"
            raise _error(mark.file, mark.line, "extends", f"names {name!r}, which does not exist", hint)
        files.append(read(path, name))
        if sum(len(file.text) for file in files) > MAX_CHAIN_CHARACTERS:
            reason = f"has more than {MAX_CHAIN_CHARACTERS // 1_000_000} MB of text with the files it extends"
            raise _error(mark.file, mark.line, "extends", reason, "use a smaller base scene")


def merge(base: Tree, over: Tree) -> Tree:
    """Return `base` overridden with `over`; lists of entries with ids are merged by id."""
    if isinstance(base.value, dict) and isinstance(over.value, dict):
        entries: dict[str, TreeEntry] = dict(base.value)
        for key, entry in over.value.items():
            below = entries.get(key)
            if below is None or (key in _KINDS and _kind(entry.tree) not in (None, _kind(below.tree))):
                entries[key] = entry
            else:
                entries[key] = TreeEntry(entry.mark, entry.start, entry.stop, merge(below.tree, entry.tree))
        return Tree(entries, over.mark, over.start, over.end, over.flow)
    if isinstance(base.value, list) and isinstance(over.value, list) and _by_id(base) and _by_id(over):
        places = {item.id(): place for place, item in enumerate(base.value)}
        items = list(base.value)
        for item in over.value:
            place = places.get(item.id())
            if place is None:
                items.append(item)
            else:
                items[place] = merge(items[place], item)
        return Tree(items, over.mark, over.start, over.end, over.flow)
    return over


def merged(files: list[SceneSource]) -> Tree:
    """Return the tree of a whole chain, as `chain` gives it, each file of whatever version migrated to the present one.

    Raises
    ------
    NewerVersion
        When one of them was made by a newer program.
    """
    tree = migrated(files[-1].tree)
    for file in reversed(files[:-1]):
        if isinstance(tree.value, dict):
            kept = {key: entry for key, entry in tree.value.items() if key not in _OWN}
            tree = Tree(kept, tree.mark, tree.start, tree.end)
        tree = merge(tree, migrated(file.tree))
    return tree


def builtin(name: str) -> FilePath:
    """Return the file of ``builtin:NAME``; raises `ScenarioError` when there is none."""
    return _shipped(name, Problem(name, 0, "", "", ""))


def _shipped(name: str, place: Problem) -> FilePath:
    match = _BUILTIN.fullmatch(name)
    names = builtin_names()
    if match is None or match[1] not in names:
        near = get_close_matches(name.removeprefix("builtin:"), names, 1, 0.4)
        hint = f"did you mean builtin:{near[0]}?" if near else f"known: {', '.join(names)}"
        raise _error(place.file, place.line, place.key, f"names no shipped scene: {name[:80]!r}", hint)
    return FilePath(str(resources.folder("scenes"))) / (match[1] + SUFFIX)


def builtin_names() -> list[str]:
    """Return the names of the shipped scenes, as ``builtin:NAME`` takes them."""
    folder = FilePath(str(resources.folder("scenes")))
    return sorted(path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}"))


def _target(last: SceneSource, entry: TreeEntry) -> tuple[FilePath, str]:
    target_name, mark = entry.tree.value, entry.mark
    if not isinstance(target_name, str):
        raise _error(mark.file, mark.line, "extends", "must be text", "a path, or builtin:NAME")
    if target_name.startswith("builtin:"):
        path = _shipped(target_name, Problem(mark.file, mark.line, "extends", "", ""))
        return path, path.name
    if last.path is None:
        raise _error(
            mark.file, mark.line, "extends", "is a path, but this text has no folder yet", "save it first"
        )
    folder = last.path.parent
    inside = FilePath(target_name)
    if inside.is_absolute() or "\x00" in target_name or len(target_name) > 400:
        raise _error(mark.file, mark.line, "extends", "must be a path inside the folder of this file")
    target = folder / inside
    try:
        leaves = not target.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        leaves = True
    if leaves or ".." in inside.parts:
        raise _error(
            mark.file, mark.line, "extends", "leaves the folder of this file", "copy the scene into it"
        )
    return target, target_name


def _near(path: FilePath, chain: list[SceneSource]) -> str:
    """Return a file with a similar name, without those of the chain itself."""
    own = {source.path.name for source in chain if source.path is not None}
    try:
        siblings = path.parent.glob(f"*{SUFFIX}") if path.parent.is_dir() else ()
        names = [file.name for file in siblings if file.name not in own]
    except OSError:
        names = []
    near = get_close_matches(path.name, names, 1, 0.5)
    return f"did you mean {near[0]}?" if near else ""


def _by_id(tree: Tree) -> bool:
    return all(item.id() is not None for item in tree.value)


def _kind(tree: Tree) -> object:
    entry = tree.value.get("kind") if isinstance(tree.value, dict) else None
    return entry.tree.value if entry is not None else None


def _error(name: str, line: int, key: str, reason: str, hint: str = "") -> ScenarioError:
    return ScenarioError([Problem(name, line, key, "", reason, hint)])
