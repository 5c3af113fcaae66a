"""Edits of the text of a scenario: only the lines of the keys that change are rewritten."""

from __future__ import annotations

import operator
from collections import deque
from dataclasses import dataclass

from twin.scenario.file.load import Document, document_from, document_of
from twin.scenario.reading import extend, migrate
from twin.scenario.reading.extend import SceneSource
from twin.scenario.reading.key_edit import TextEdit
from twin.scenario.text.emit import flow
from twin.scenario.text.incremental_parse import common, reparse
from twin.scenario.text.parse import Path, Tree, child
from twin.scenario.text.patch import Change, Exact, Patch, digest
from twin.scenario.text.path import first, resolve, split
from twin.scenario.text.problem import Problem, ScenarioError


def apply(document: Document, patch: Patch, *, sparing: bool = False) -> Document:
    """Return the document after a patch; see `edit`."""
    return edit(document, patch, sparing=sparing)[0]


def edit(document: Document, patch: Patch, *, sparing: bool = False) -> tuple[Document, Patch]:
    """Return the document after a patch, and the inverse patch.

    An inherited value is overridden in the file itself; the files it extends stay as they are. A file of an older
    version becomes one of the present version.

    Raises
    ------
    ScenarioError
        With every path that leads nowhere, or where the document would be wrong after all changes, which are checked
        together. The given one is unchanged. A `sparing` edit passes over keys to take away that have no text: they are
    at their default already.
    """
    text, before = document.text, document.text
    inverse: list[Change] = []
    made: SceneSource | None = None
    exact = patch.exact
    if exact is not None and exact.digest == digest(before):
        text = before[: exact.start] + exact.text + before[exact.end :]
        inverse = [_inverse(document.files[0], document.tree, change) for change in patch.changes]
    else:
        source, inherited = document.files[0], document.files[1:]
        whole = document.tree
        wrong: list[Problem] = []
        if migrate.is_older(source.tree):
            step = _step(source, inherited, whole, migrate.raising())
            source, whole = step.after, step.whole
        for change in patch.changes:
            if sparing and change.value is None and resolve(split(change.path), source.tree)[1]:
                continue
            try:
                step = _step(source, inherited, whole, change)
                source, whole = step.after, step.whole
                inverse.append(step.inverse)
            except ScenarioError as error:
                wrong += error.problems
        if wrong:
            raise ScenarioError(wrong)
        text, made = source.text, source
    after = _reload(document, text, made)
    return after, Patch(tuple(reversed(inverse)), patch.title, difference(text, before))


@dataclass(frozen=True)
class _Step:
    """The result of one change of one file.

    Attributes
    ----------
    before, inherited, change
        The file, what it extends, and the change.
    after, whole, inverse
        The file afterwards, all files merged, and the change that takes it back.
    """

    before: SceneSource
    inherited: tuple[SceneSource, ...]
    change: Change
    after: SceneSource
    whole: Tree
    inverse: Change


_STEPS: deque[_Step] = deque(maxlen=32)
_DOCUMENTS: deque[Document] = deque(maxlen=8)
"""What was done last. A command that tries out what it will do has done most of it when it lands."""


def forget() -> None:
    """Forget the last result."""
    _STEPS.clear()
    _DOCUMENTS.clear()


def _step(source: SceneSource, inherited: tuple[SceneSource, ...], whole: Tree, change: Change) -> _Step:
    for known in tuple(_STEPS):
        if known.before is source and known.change == change and _same(known.inherited, inherited):
            return known
    inverse = _inverse(source, whole, change)
    base = extend.merged(list(inherited)) if inherited else None
    text = TextEdit(source, base, change).text()
    after = SceneSource(source.name, source.path, text, reparse(source.tree, source.text, text, source.name))
    step = _Step(source, inherited, change, after, extend.merged([after, *inherited]), inverse)
    _STEPS.append(step)
    return step


def _reload(document: Document, text: str, source: SceneSource | None) -> Document:
    """Load changed text, read already or not; what it extends is read again only when `extends` itself changed."""
    old = document.files[0]
    if source is None:
        source = SceneSource(old.name, old.path, text, reparse(old.tree, old.text, text, old.name))
    if _plain(source.tree, "extends") != _plain(old.tree, "extends"):
        return document_of(source)
    files = (source, *document.files[1:])
    for known in tuple(_DOCUMENTS):
        if _same(known.files, files):
            return known
    made = document_from(files, document)
    _DOCUMENTS.append(made)
    return made


def _same(first: tuple[SceneSource, ...], second: tuple[SceneSource, ...]) -> bool:
    return len(first) == len(second) and all(map(operator.is_, first, second))


def _plain(tree: Tree, key: str) -> object:
    below = child(tree, key)
    return below.plain() if below is not None else None


def difference(after: str, before: str) -> Exact:
    """Return the splice that turns `after` into `before`."""
    limit = min(len(after), len(before))
    start = common(after, before, limit)
    tail = common(after[::-1], before[::-1], limit - start)
    return Exact(digest(after), start, len(after) - tail, before[start : len(before) - tail])


def _inverse(source: SceneSource, whole: Tree, change: Change) -> Change:
    """Return the change that restores the value of a path: in the file itself, inherited, or none.

    Of what was not there the outermost missing key is taken away again, with all that was put below it. An item that
    goes from the midst of a list comes back with its list, for the order counts.
    """
    path = change.path
    steps = split(path)
    place, rest = resolve(steps, source.tree)
    if not rest:
        inside, _ = resolve(steps, whole)
        above = _at(whole, inside[:-1])
        if change.value is None and isinstance(above.value, list) and inside[-1] != len(above.value) - 1:
            return Change(first(path, len(inside) - 1), flow(above.plain()))
        at = _at(source.tree, place)
        return Change(path, source.text[at.start : at.end] if at.flow and not at.shared else flow(at.plain()))
    place, rest = resolve(steps, whole)
    if not rest:
        return Change(path, flow(_at(whole, place).plain()))
    return Change(first(path, len(place) + 1), None)


def _at(tree: Tree, place: Path) -> Tree:
    for step in place:
        tree = child(tree, step) or tree
    return tree
