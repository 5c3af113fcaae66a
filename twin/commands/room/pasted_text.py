"""Problems of a pasted text: line, key and remedy, as for a whole scene file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from twin.catalog import Catalog, UnknownPart
from twin.commands.edit.command import CommandError
from twin.commands.room.snippet import JOINS, SECTIONS
from twin.language import tr
from twin.scenario import ScenarioError
from twin.scenario.reading.validate import known_keys, piece_problems
from twin.scenario.text.parse import Tree, parse
from twin.scenario.text.problem import Problem

_TAKEN = ("halls", "fabrics", "power", "cooling", "storage", "partitions")
_PART_KEYS = ("part", "cable", "technology")
_LISTED = ("jobs", "streams", "traces", "tenants", "reservations", "interventions", "groups")


def read(text: str) -> Tree:
    """Return the tree of a pasted text.

    Raises
    ------
    CommandError
        When it is not YAML, or an item to paste is wrong.
    """
    try:
        tree = parse(text, "clipboard")
    except ScenarioError as error:
        problem = error.problems[0]
        raise CommandError(
            tr(
                "the text is not part of a scene: line {line} {reason}",
                line=problem.line,
                reason=problem.reason,
            )
        ) from None
    if not isinstance(tree.value, dict):
        raise CommandError(tr("the text is not part of a scene"))
    whole = known_keys()
    known = {key: entry for key, entry in tree.value.items() if key in _TAKEN or key not in whole}
    if not any(key in _TAKEN for key in known):
        raise CommandError(tr("the text has no rows, nodes, power stages, loops, fabrics or storage systems"))
    problems = piece_problems(_without_joins(replace(tree, value=known)))
    if problems:
        raise _refused(problems[0], len(problems) - 1)
    return tree


def must_know_parts(text: str, catalog: Catalog) -> None:
    """Raise CommandError, with its line, when a text names a part that the catalogue lacks."""
    for key, at in _named_parts(read(text)):
        try:
            catalog.part(at.value)
        except UnknownPart as error:
            raise CommandError(
                tr("line {line}, {key}: {error}", line=at.mark.line, key=key, error=error)
            ) from None


def left_out(text: str) -> list[str]:
    """Return the keys of a text that cannot be pasted, since they stand in no hall, such as jobs."""
    keys = read(text).plain()
    return [key for key in _LISTED if keys.get(key)]


def _refused(problem: Problem, more: int) -> CommandError:
    shown = f"{problem.key} = {problem.value}" if problem.value else problem.key
    and_more = tr(" (and {more} more)", more=more) if more else ""
    return CommandError(
        tr("line {line}, {shown}: {reason}", line=problem.line, shown=shown, reason=problem.reason),
        problem.hint + and_more,
    )


def _without_joins(tree: Tree) -> Tree:
    """Return a tree without the entries that only name an item, to say what it joins."""
    found = dict(tree.value)
    for section in ("partitions", *SECTIONS):
        above, _, below = section.rpartition(".")
        if section not in JOINS or (above and above not in found):
            continue
        inside = found[above].tree if above else tree
        if not isinstance(inside.value, dict) or below not in inside.value:
            continue
        entry = inside.value[below]
        if not isinstance(entry.tree.value, list):
            continue
        only = {"id", JOINS[section]}
        left = [
            item
            for item in entry.tree.value
            if not (isinstance(item.value, dict) and set(item.value) <= only)
        ]
        short = replace(entry, tree=replace(entry.tree, value=left))
        if above:
            group = replace(inside, value={**inside.value, below: short})
            found[above] = replace(found[above], tree=group)
        else:
            found[below] = short
    return replace(tree, value=found)


def _named_parts(tree: Tree, key: str = "") -> Iterator[tuple[str, Tree]]:
    value: Any = tree.value
    if isinstance(value, dict):
        for name, entry in value.items():
            if not key and name not in _TAKEN:
                continue
            yield from _named_parts(entry.tree, name)
    elif isinstance(value, list):
        for item in value:
            yield from _named_parts(item, key)
    elif key in _PART_KEYS and isinstance(value, str):
        yield key, tree
