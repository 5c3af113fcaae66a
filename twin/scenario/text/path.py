"""The one grammar of paths into a scenario: ``jobs[llama3].checkpoint.pause``.

A path is keys joined by dots. ``[x]`` chooses from a list the item whose `id` is x (its number, from 0, where
the items have no id), and from a group the key x where x is no plain word:
``halls[main].overrides[gpu/3/12/1].absent``, ``halls[main].rows[gpu].racks.nodes[0].count``.
Files, patches, ``--set``, interventions of kind set and error messages all use it.
"""

from __future__ import annotations

import re

from twin.scenario.text.parse import Path, Tree, child, written
from twin.scenario.text.problem import Problem, ScenarioError

_FIRST = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)()")
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[([^\[\]]+)\]")


def split(text: str) -> tuple[str, ...]:
    """Return the steps of a path.

    >>> split("halls[main].overrides[gpu/3/12/1].absent")
    ('halls', 'main', 'overrides', 'gpu/3/12/1', 'absent')

    Raises
    ------
    ScenarioError
        When the text is no path.
    """
    steps, at = [], 0
    while match := (_STEP if at else _FIRST).match(text, at):
        steps.append(match[1] or match[2])
        at = match.end()
    if at < len(text) or not steps:
        reason = f"is not a path: unexpected character at {at + 1}"
        hint = "write it like jobs[llama3].checkpoint.pause"
        raise ScenarioError([Problem("path", 0, text, "", reason, hint)])
    return tuple(steps)


def first(text: str, count: int) -> str:
    """Return a path cut behind its first `count` steps.

    >>> first("halls[main].overrides[gpu/3/12/1].absent", 3)
    'halls[main].overrides'
    """
    at = 0
    for _ in range(count):
        match = (_STEP if at else _FIRST).match(text, at)
        at = match.end() if match else at
    return text[:at]


def resolve(steps: tuple[str, ...], root: Tree) -> tuple[Path, tuple[str, ...]]:
    """Follow `steps` through a tree as far as it goes.

    Returns
    -------
    path
        Keys and indices of what is there.
    rest
        Steps that are not in the tree, outermost first.
    """
    path: list[str | int] = []
    at = root
    for taken, step in enumerate(steps):
        place = _choose(at, step)
        below = child(at, place) if place is not None else None
        if place is None or below is None:
            return tuple(path), steps[taken:]
        path.append(place)
        at = below
    return tuple(path), ()


def _choose(at: Tree, step: str) -> str | int | None:
    if isinstance(at.value, dict):
        return step if step in at.value else None
    if isinstance(at.value, list):
        for index, item in enumerate(at.value):
            if item.id() == step:
                return index
        if step.isascii() and step.isdigit() and not any(item.id() for item in at.value):
            return int(step)
    return None


__all__ = ["first", "resolve", "split", "written"]
