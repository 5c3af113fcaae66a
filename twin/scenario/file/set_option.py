"""One value set by its path: ``--set PATH=VALUE`` and interventions of kind ``set``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import overload

from twin.scenario.checks import check
from twin.scenario.file import patch_text
from twin.scenario.file.catalog_causes import with_rates_switched
from twin.scenario.file.load import Document
from twin.scenario.reading.set_value import assign
from twin.scenario.schema.document import Scenario
from twin.scenario.text.parse import SourceMark, Tree
from twin.scenario.text.patch import Change, Patch
from twin.scenario.text.problem import Problem, ScenarioError

_NOWHERE = Tree({}, SourceMark("--set", 0, 0), 0, 0)


@overload
def set_value(target: Document, path: str, value: str) -> Document: ...
@overload
def set_value(target: Scenario, path: str, value: str) -> Scenario: ...
def set_value(target: Document | Scenario, path: str, value: str) -> Document | Scenario:
    """Return the document or scenario with one value changed.

    A document keeps its text in step; use a scenario where there is no text, as in a worker.

    Parameters
    ----------
    target
        What to change; it stays as it is.
    path
        Such as ``jobs[llama3].checkpoint.interval``.
    value
        As in a file: "10 min", "true", "[a, b]", "{tensor: 8}".

    Raises
    ------
    ScenarioError
        When the path leads nowhere or the value does not fit there.

    Examples
    --------
    >>> from twin.scenario import load
    >>> lab = load("builtin:lab-16").scenario
    >>> set_value(lab, "jobs[llama3].checkpoint.pause", "1 min").jobs[0].checkpoint.pause_s
    60.0
    """
    if isinstance(target, Document):
        return patch_text.apply(target, Patch((Change(path, value),), f"set {path} to {value}"))
    changed = with_rates_switched(target, assign(target, path, value))
    check.check(changed, _NOWHERE)
    return changed


def set_text(target: Document, text: str) -> Document:
    """Return the document after ``PATH=VALUE``; raises as `set_value`."""
    return set_texts(target, (text,))


def set_texts(target: Document, texts: Iterable[str]) -> Document:
    """Return the document after several ``PATH=VALUE``, which are one change: they need to fit only together.

    Raises
    ------
    ScenarioError
        With each that is not understood, else with what the document does not allow after all of them.
    """
    changes: list[Change] = []
    wrong: list[Problem] = []
    for text in texts:
        path, equals, value = text.partition("=")
        if equals and path.strip():
            changes.append(Change(path.strip(), value.strip()))
        else:
            reason, hint = "must be PATH=VALUE", "write it like jobs[llama3].checkpoint.pause='20 s'"
            wrong.append(Problem("--set", 0, "", repr(text), reason, hint))
    if wrong:
        raise ScenarioError(wrong)
    if not changes:
        return target
    title = "set " + ", ".join(f"{change.path} to {change.value}" for change in changes)
    return patch_text.apply(target, Patch(tuple(changes), title))
