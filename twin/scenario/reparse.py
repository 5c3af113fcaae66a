"""The tree of a text that was edited at one place: only the section of the file round that place is read again."""

from __future__ import annotations

from twin.scenario.problem import ScenarioError
from twin.scenario.tree import MAX_BYTES, Entry, Mark, Tree, parse


def reparse(before: Tree, old: str, new: str, name: str) -> Tree:
    """Return the tree of `new`, as `parse` does; `before` is that of `old`, which stays as it is.

    A section is a key at the left margin with all below it. Texts in which sections depend on one another, by anchors
    or directives, are read as a whole.

    Raises
    ------
    ScenarioError
        When the text is no scenario, as `parse` does.
    """
    found = _section(before, old, new)
    if found is None:
        return parse(new, name)
    entries, at, start, end = found
    grown = len(new) - len(old)
    try:
        part = parse(new[start : end + grown], name)
    except ScenarioError:
        return parse(new, name)  # the whole text knows the line
    if not isinstance(part.value, dict) or part.flow or part.mark.column != 1:
        return parse(new, name)
    keys = list(entries)
    lines = old.count("\n", 0, start)
    more = new.count("\n", start, end + grown) - old.count("\n", start, end)
    made = {key: entries[key] for key in keys[:at]}
    for key, entry in part.value.items():
        if key in made or key in keys[at + 1 :]:
            return parse(new, name)  # the whole text names the line of the first
        made[key] = _entry(entry, lines, start)
    for key in keys[at + 1 :]:
        made[key] = _entry(entries[key], more, grown) if grown or more else entries[key]
    last = max(entry.tree.end for entry in made.values())
    return Tree(made, before.mark, before.start, last, before.flow, before.shared)


def _section(before: Tree, old: str, new: str) -> tuple[dict[str, Entry], int, int, int] | None:
    """Return (sections, number of the one that changed, its first character, behind its last) in the old text."""
    plain = isinstance(before.value, dict) and not before.flow and before.mark.column == 1
    if not plain or len(new) > MAX_BYTES or any(mark in text for text in (old, new) for mark in _WHOLE):
        return None
    entries: dict[str, Entry] = before.value
    first, last = _changed(old, new)
    starts = [entry.start for entry in entries.values()]
    ends = [*starts[1:], len(old)]
    for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
        # The line end before the next section belongs to the text that may change, the key itself does not.
        if start < first and last <= end and (last < end or end == len(old)):
            return entries, at, start, end
    return None


_WHOLE = ("\n---", "\n...", "\n%", "&", "\n*", " *", "\r", "\t")
"""Marks of documents, directives, anchors and aliases, and odd white space."""


def _changed(old: str, new: str) -> tuple[int, int]:
    """Return the first character of the old text that differs, and the one behind the last."""
    limit = min(len(old), len(new))
    first = _common(old, new, limit)
    tail = _common(old[::-1], new[::-1], limit - first)
    return first, len(old) - tail


def _common(a: str, b: str, limit: int) -> int:
    """Return how many characters two texts begin with in common, at most `limit`."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _entry(entry: Entry, lines: int, characters: int) -> Entry:
    """Return an entry moved down by so many lines and on by so many characters."""
    mark = Mark(entry.mark.file, entry.mark.line + lines, entry.mark.column)
    tree = _tree(entry.tree, lines, characters)
    return Entry(mark, entry.start + characters, entry.stop + characters, tree)


def _tree(tree: Tree, lines: int, characters: int) -> Tree:
    value = tree.value
    if isinstance(value, dict):
        value = {key: _entry(entry, lines, characters) for key, entry in value.items()}
    elif isinstance(value, list):
        value = [_tree(item, lines, characters) for item in value]
    mark = Mark(tree.mark.file, tree.mark.line + lines, tree.mark.column)
    return Tree(value, mark, tree.start + characters, tree.end + characters, tree.flow, tree.shared)
