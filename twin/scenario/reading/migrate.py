"""Migration of scenes of older versions: what they say, as the present version says it. Their text stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from twin.scenario.schema.document import FORMAT, VERSION
from twin.scenario.text.parse import SourceMark, Tree, TreeEntry, child
from twin.scenario.text.patch import Change
from twin.scenario.text.problem import NewerVersion, Problem


def _from_1(tree: Tree) -> Tree:
    """Return a tree of version 1 as version 2: that has new keys, and the old ones mean what they meant."""
    return _numbered(tree, 2)


def _from_2(tree: Tree) -> Tree:
    """Return a tree of version 2 as version 3: that has chapters, and the old keys mean what they meant."""
    return _numbered(tree, 3)


MIGRATIONS: Mapping[int, Callable[[Tree], Tree]] = {1: _from_1, 2: _from_2}
"""What makes a tree of each older version one of the next."""


def is_older(tree: Tree) -> bool:
    """Return whether a file is of a version that is migrated when it is read."""
    return type(tree.value) is dict and _version(tree) in MIGRATIONS


def migrated(tree: Tree) -> Tree:
    """Return the tree of one file as the present version has it; what is no scene comes back as it is.

    Raises
    ------
    NewerVersion
        When the file was made by a newer program.
    """
    if type(tree.value) is not dict or _plain(tree, "format") != FORMAT:
        return tree
    version = _version(tree)
    if version > VERSION:
        mark = tree.value["version"].mark
        reason = f"was written by a newer gpu-twin: this one reads versions up to {VERSION}"
        problem = Problem(mark.file, mark.line, "version", str(version), reason, "install a newer gpu-twin")
        raise NewerVersion([problem], version)
    while version in MIGRATIONS:
        tree = MIGRATIONS[version](tree)
        version = _version(tree)
    return tree


def migrated_values(values: Any) -> Any:
    """Return the plain values of a whole scene as the present version has them."""
    if not isinstance(values, dict) or values.get("version") not in MIGRATIONS:
        return values
    return migrated(_tree_of(values)).plain()


def raising() -> Change:
    """Return the change of the text that goes with any other change of an older file."""
    return Change("version", str(VERSION))


def _version(tree: Tree) -> int:
    """Return the version that a file names; 0 without one."""
    version = _plain(tree, "version")
    return version if type(version) is int else 0


def _plain(tree: Tree, key: str) -> object:
    below = child(tree, key)
    return below.plain() if below is not None else None


def _numbered(tree: Tree, version: int) -> Tree:
    """Return a tree with another version; each key keeps its place in the text."""
    entry = tree.value["version"]
    at = entry.tree
    number = Tree(version, at.mark, at.start, at.end, at.flow, at.shared)
    return Tree(
        tree.value | {"version": replace(entry, tree=number)},
        tree.mark,
        tree.start,
        tree.end,
        tree.flow,
        tree.shared,
    )


def _tree_of(values: Any) -> Tree:
    """Return a tree of values that stand in no file."""
    mark = SourceMark("", 0, 0)
    if isinstance(values, dict):
        return Tree(
            {key: TreeEntry(mark, 0, 0, _tree_of(value)) for key, value in values.items()}, mark, 0, 0
        )
    if isinstance(values, list):
        return Tree([_tree_of(value) for value in values], mark, 0, 0)
    return Tree(values, mark, 0, 0)
