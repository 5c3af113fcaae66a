"""YAML text to a tree of plain values in which every key knows its place in the text.

YAML 1.2 core schema, one document, string keys. Nothing is ever executed: tags are refused, and size, depth,
aliases and duplicate keys are limited before any value is built.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from twin.scenario.text import fast_yaml
from twin.scenario.text.error_key import advice, key_around, key_of_line
from twin.scenario.text.problem import Problem, ScenarioError
from twin.scenario.text.source_tree import Path, SourceMark, Tree, TreeEntry, scalar

__all__ = [
    "MAX_BYTES",
    "Path",
    "SourceMark",
    "Tree",
    "TreeEntry",
    "child",
    "decode",
    "locate",
    "parse",
    "parsed",
    "written",
]

MAX_BYTES = 2_000_000
MAX_DEPTH = 40
MAX_ALIASES = 100
MAX_VALUES = 100_000
KEPT_CHARACTERS = 50_000


def decode(data: bytes, name: str) -> str:
    """Return the text of a scenario file; raises `ScenarioError` when it is none."""
    if len(data) > MAX_BYTES:
        raise _error(name, 0, "", f"is larger than {MAX_BYTES // 1_000_000} MB, too large for a scenario")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as bad:
        at = len(data[: bad.start].decode("utf-8"))
        line, key = key_around(data.decode("utf-8", "replace"), at)
        raise _error(name, line, key, "is not UTF-8 text", "scenario files are text") from None
    return text


def parse(text: str, name: str) -> Tree:
    """Return the tree of one YAML document.

    Parameters
    ----------
    text
        The whole file.
    name
        Of the file, for messages.

    Raises
    ------
    ScenarioError
        When it is not YAML, or goes beyond the limits above.
    """
    if len(text) > MAX_BYTES:
        raise _error(name, 0, "", f"is larger than {MAX_BYTES // 1_000_000} MB, too large for a scenario")
    simple = fast_yaml.read(text, name)
    if simple is not None:
        return simple
    bad = _UNREADABLE.search(text)
    if bad is not None:
        line, key = key_around(text, bad.start())
        reason = f"character U+{ord(bad[0]):04X} is not allowed in a text file"
        raise _error(name, line, key, reason, "is it a scenario?")
    builder = _Builder(text, name)
    try:
        for event in _Yaml(typ="safe", pure=True).parse(text):
            builder.take(event)
    except MarkedYAMLError as bad_yaml:
        mark = bad_yaml.problem_mark or bad_yaml.context_mark
        line = mark.line + 1 if mark is not None else 1
        lines = text.count("\n") + (not text.endswith("\n"))
        line = min(line, max(lines, 1))
        fault = " ".join(str(bad_yaml.problem or bad_yaml.context or "is not YAML").split())
        seen, seen_line = builder.last
        key = written(seen, builder.root) if seen_line == line else key_of_line(text, line)
        raise _error(name, line, key, f"is not YAML here: {fault}", advice(text, line)) from None
    except YAMLError as bad_yaml:
        fault = " ".join(str(bad_yaml).split())
        raise _error(name, 1, "", f"is not YAML: {fault}") from None
    if builder.root is None:
        raise _error(name, 1, "", "is empty", "a scenario begins with format: twin/scenario")
    return builder.root


@lru_cache(maxsize=16)
def kept(text: str, name: str) -> Tree:
    """Return the tree of a file as `parse` does, and remember it: nobody changes a tree."""
    return parse(text, name)


def parsed(text: str, name: str) -> Tree:
    """Return the tree of a file as `parse` does; one of usual length that was read lately is not read again.

    What scenes extend is read with each of them, and a shipped scene whenever its name is said.
    """
    return kept(text, name) if len(text) <= KEPT_CHARACTERS else parse(text, name)


class _Yaml(YAML):
    """A parser that does not search the disk for extensions of itself each time it is made."""

    def official_plug_ins(self) -> list[str]:
        """Return none."""
        return []


# Control characters other than tab and line ends, also those of C1, line ends that only YAML knows, byte order marks,
# surrogates.
_UNREADABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]|\r(?!\n)"
)


@dataclass(slots=True)
class _Open:
    """A list or group being read."""

    tree: Tree
    path: Path
    key: str | None = None
    key_mark: SourceMark | None = None
    key_start: int = 0
    key_stop: int = 0


@dataclass(slots=True)
class _Builder:
    """Builds the tree from parser events, so that depth costs no recursion."""

    text: str
    name: str
    root: Tree | None = None
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, Tree] = field(default_factory=dict)
    aliases: int = 0
    values: int = 0
    documents: int = 0
    last: tuple[Path, int] = ((), 0)
    """The last key read, and its line."""

    def take(self, event: Any) -> None:
        if isinstance(event, NodeEvent):
            self._node(event)
        elif isinstance(event, MappingEndEvent | SequenceEndEvent):
            done = self.stack.pop()
            if done.tree.flow:
                done.tree.end = event.end_mark.index
            if self.stack:
                self.stack[-1].tree.end = max(self.stack[-1].tree.end, done.tree.end)
        elif isinstance(event, DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                line = event.start_mark.line + 1
                raise _error(
                    self.name, line, "", "starts a second YAML document", "a scenario is one document"
                )

    def _node(self, event: Any) -> None:
        mark = SourceMark(self.name, event.start_mark.line + 1, event.start_mark.column + 1)
        top = self.stack[-1] if self.stack else None
        if top is not None and isinstance(top.tree.value, dict) and top.key is None:
            self._key(event, mark, top)
            return
        if getattr(event, "tag", None) is not None:
            raise self._bad(mark, "has a YAML tag (!)", "scenarios allow plain values only")
        if isinstance(event, AliasEvent):
            self._place(self._alias(event, mark), mark)
            return
        start, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, ScalarEvent):
            block = event.style in ("|", ">")
            end = _block_end(self.text, start, bool(event.value.strip())) if block else end
            tree = Tree(self._scalar(event, mark), mark, start, end, flow=not block)
            self._place(tree, mark)
        else:
            group = isinstance(event, MappingStartEvent)
            assert group or isinstance(event, SequenceStartEvent)
            tree = Tree({} if group else [], mark, start, end, flow=bool(event.flow_style))
            path = self._place(tree, mark)
            self.stack.append(_Open(tree, path))
            if len(self.stack) > MAX_DEPTH:
                raise self._bad(mark, f"is nested deeper than {MAX_DEPTH} levels")
        if event.anchor is not None:
            self.anchors[event.anchor] = tree

    def _key(self, event: Any, mark: SourceMark, top: _Open) -> None:
        if not isinstance(event, ScalarEvent):
            raise self._bad(mark, "has a list, group or alias as a key", "keys are words")
        key = event.value
        if key in top.tree.value:
            first = top.tree.value[key].mark.line
            top.key = key
            raise self._bad(mark, "is a duplicate key", f"first given in line {first}")
        if len(key) > 200 or not key:
            raise self._bad(mark, "has an empty or overlong key", "keys are words")
        top.key, top.key_mark = key, mark
        top.key_start, top.key_stop = event.start_mark.index, event.end_mark.index
        self.last = ((*top.path, key), mark.line)

    def _alias(self, event: Any, mark: SourceMark) -> Tree:
        self.aliases += 1
        anchored = self.anchors.get(event.anchor)
        if anchored is None:
            raise self._bad(mark, f"refers to the anchor {event.anchor!r}, which does not exist")
        if any(open_.tree is anchored for open_ in self.stack):
            raise self._bad(mark, "contains itself by an alias")
        if self.aliases > MAX_ALIASES:
            raise self._bad(mark, f"is one alias too many (limit {MAX_ALIASES})")
        self.values += sum(1 for _ in _walk(anchored, MAX_VALUES))
        return _shared(anchored, event.end_mark.index) if self.values <= MAX_VALUES else anchored

    def _place(self, tree: Tree, mark: SourceMark) -> Path:
        """Hang a value under the open list or group; return its path."""
        self.values += 1
        if self.values > MAX_VALUES:
            raise self._bad(mark, f"has more than {MAX_VALUES:,} values, aliases expanded")
        if not self.stack:
            self.root = tree
            return ()
        top = self.stack[-1]
        top.tree.end = max(top.tree.end, tree.end)
        if isinstance(top.tree.value, list):
            top.tree.value.append(tree)
            return (*top.path, len(top.tree.value) - 1)
        assert top.key is not None
        assert top.key_mark is not None
        top.tree.value[top.key] = TreeEntry(top.key_mark, top.key_start, top.key_stop, tree)
        path = (*top.path, top.key)
        top.key = None
        return path

    def _scalar(self, event: Any, mark: SourceMark) -> Any:
        text: str = event.value
        if any("\ud800" <= c <= "\udfff" for c in text):
            raise self._bad(mark, "contains half a character (a surrogate escape)")
        if event.style is not None:
            return text
        try:
            return scalar(text)
        except ValueError as bad:
            raise self._bad(mark, str(bad)) from None

    def _bad(self, mark: SourceMark, reason: str, hint: str = "") -> ScenarioError:
        path: list[str | int] = list(self.stack[-1].path) if self.stack else []
        if self.stack and self.stack[-1].key is not None:
            path.append(self.stack[-1].key)
        elif self.stack and isinstance(self.stack[-1].tree.value, list):
            path.append(len(self.stack[-1].tree.value))
        key = written(tuple(path), self.root)
        return ScenarioError([Problem(self.name, mark.line, key, "", reason, hint)])


def _block_end(text: str, start: int, some: bool) -> int:
    """Return where a block scalar (``|`` or ``>``) with `some` text ends; the parser counts comments behind it in."""
    at = text.find("\n", start) + 1
    end, indent = at - 1 if at else len(text), -1
    while some and 0 < at < len(text):
        stop = text.find("\n", at) % (len(text) + 1)
        line = text[at:stop].rstrip()
        depth = len(line) - len(line.lstrip(" "))
        if line and indent < 0:
            indent = depth
        if line and depth < indent:
            break
        if line:
            end = at + len(line)
        at = stop + 1
    return end


def _walk(tree: Tree, limit: int) -> Iterator[Tree]:
    """Yield the values under `tree`, at most `limit`."""
    waiting = [tree]
    while waiting and limit > 0:
        limit -= 1
        node = waiting.pop()
        yield node
        if isinstance(node.value, dict):
            waiting.extend(entry.tree for entry in node.value.values())
        elif isinstance(node.value, list):
            waiting.extend(node.value)


def _shared(tree: Tree, end: int) -> Tree:
    """Return a copy of an anchored tree as an alias shows it."""
    value = tree.value
    if isinstance(value, dict):
        value = {key: TreeEntry(e.mark, e.start, e.stop, _shared(e.tree, end)) for key, e in value.items()}
    elif isinstance(value, list):
        value = [_shared(item, end) for item in value]
    return Tree(value, tree.mark, end, end, tree.flow, shared=True)


_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def written(path: Path, root: Tree | None) -> str:
    """Return a path as people write it: items of lists by id where they have one.

    >>> written(("jobs", 0, "checkpoint", "pause"), None)
    'jobs[0].checkpoint.pause'
    """
    text, at = "", root
    for step in path:
        at = child(at, step) if at is not None else None
        if isinstance(step, int):
            text += f"[{(at.id() if at is not None else None) or step}]"
        elif _WORD.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{step}]"
    return text


def child(tree: Tree, step: str | int) -> Tree | None:
    """Return the value under one key or index, if there."""
    if isinstance(tree.value, dict) and isinstance(step, str):
        entry = tree.value.get(step)
        return entry.tree if entry is not None else None
    if isinstance(tree.value, list) and isinstance(step, int) and 0 <= step < len(tree.value):
        item: Tree = tree.value[step]
        return item
    return None


def locate(root: Tree, path: Path) -> SourceMark:
    """Return the mark of the key at `path`, or of the nearest key above it that is in the file."""
    at, mark = root, root.mark
    for step in path:
        if isinstance(at.value, dict) and isinstance(step, str) and step in at.value:
            mark, at = at.value[step].mark, at.value[step].tree
        elif isinstance(at.value, list) and isinstance(step, int) and 0 <= step < len(at.value):
            at = at.value[step]
            mark = at.mark
        else:
            break
    return mark


def _error(name: str, line: int, key: str, reason: str, hint: str = "") -> ScenarioError:
    return ScenarioError([Problem(name, line, key, "", reason, hint)])
