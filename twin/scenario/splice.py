"""Edits of the text of a scenario: only the lines of the keys that change are rewritten."""

from __future__ import annotations

from twin.scenario import extend
from twin.scenario.extend import Source
from twin.scenario.load import Document, document_from, document_of
from twin.scenario.patch import Change, Exact, Patch, digest
from twin.scenario.path import resolve, split
from twin.scenario.problem import Problem, ScenarioError
from twin.scenario.text_edit import TextEdit
from twin.scenario.tree import Tree, child, parse
from twin.scenario.write import flow


def apply(document: Document, patch: Patch) -> Document:
    """Return the document after a patch; see `edit`."""
    return edit(document, patch)[0]


def edit(document: Document, patch: Patch) -> tuple[Document, Patch]:
    """Return the document after a patch, and the patch that takes it back.

    An inherited value is overridden in the file itself; the files it extends stay as they are.

    Raises
    ------
    ScenarioError
        With every path that leads nowhere, or where the document would be wrong after all changes, which are checked
        together. The given one is unchanged.
    """
    text, before = document.text, document.text
    inverse: list[Change] = []
    exact = patch.exact
    if exact is not None and exact.digest == digest(before):
        text = before[: exact.start] + exact.text + before[exact.end :]
        inverse = [Change(one.path, _said(document.files[0], one.path)) for one in patch.changes]
    else:
        source, inherited = document.files[0], document.files[1:]
        wrong: list[Problem] = []
        for change in patch.changes:
            try:
                inverse.append(Change(change.path, _said(source, change.path)))
                base = extend.merged(list(inherited)) if inherited else None
                text = TextEdit(source, base, change).text()
                source = Source(source.name, source.path, text, parse(text, source.name))
            except ScenarioError as error:
                wrong += error.problems
        if wrong:
            raise ScenarioError(wrong)
    after = _reload(document, text)
    return after, Patch(tuple(reversed(inverse)), patch.title, _difference(text, before))


def _reload(document: Document, text: str) -> Document:
    """Load changed text; what it extends is read anew only when `extends` itself changed."""
    old = document.files[0]
    source = Source(old.name, old.path, text, parse(text, old.name))
    if _plain(source.tree, "extends") == _plain(old.tree, "extends"):
        return document_from((source, *document.files[1:]))
    return document_of(source)


def _plain(tree: Tree, key: str) -> object:
    below = child(tree, key)
    return below.plain() if below is not None else None


def _difference(after: str, before: str) -> Exact:
    """Return the splice that turns `after` into `before`."""
    limit = min(len(after), len(before))
    start = next((i for i in range(limit) if after[i] != before[i]), limit)
    tail = next((i for i in range(limit - start) if after[-1 - i] != before[-1 - i]), limit - start)
    return Exact(digest(after), start, len(after) - tail, before[start : len(before) - tail])


def _said(source: Source, path: str) -> str | None:
    """Return the text of a value in the file itself, as a `Change` takes it; None when it is not there."""
    place, rest = resolve(split(path), source.tree)
    if rest:
        return None
    at = source.tree
    for step in place:
        at = child(at, step) or at
    return source.text[at.start : at.end] if at.flow and not at.shared else flow(at.plain())
