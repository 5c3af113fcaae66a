"""Text as edits write it, read at once: scalars without quotes, lists and groups in brackets or on lines of their own.

A parser of all of YAML takes a millisecond for a few lines. What looks in any way unusual is left to that.
"""

from __future__ import annotations

import re

from twin.scenario.text.source_tree import SourceMark, Tree, TreeEntry, scalar

MAX_CHARACTERS = 50_000
MAX_DEPTH = 20

_SCALAR = r"-?[A-Za-z0-9][A-Za-z0-9/+._-]*(?: [A-Za-z0-9/+._-]+)*"
_KEY = r"[A-Za-z0-9][A-Za-z0-9/._-]{0,199}"
_TOKEN = re.compile(rf"(?P<key>{_KEY}): |(?P<scalar>{_SCALAR})|[\[\]{{}}]")
_WORDS = re.compile(rf"{_SCALAR}(?:, {_SCALAR})*(?=\])")
_LINE_KEY = re.compile(rf"({_KEY}):(?: |$)", re.MULTILINE)


def read(text: str, name: str) -> Tree | None:
    """Return the tree of a text; None: it is unusual, or wrong, and a parser of YAML knows."""
    if len(text) > MAX_CHARACTERS:
        return None
    reader = _Reader(text, name)
    try:
        tree = reader.value(0)
        return tree if reader.ended else None
    except (_Unusual, ValueError):
        return None


class _Unusual(Exception):
    """The text is not of the kind that is read here."""


class _Reader:
    """Reads values one behind the other; every line but the last has its own end."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name
        self._line, self._begin = 1, 0  # number of the line, and its first character
        self._at = self._indent()

    @property
    def ended(self) -> bool:
        """Return whether all was read."""
        return self._at == len(self._text)

    def value(self, depth: int) -> Tree:
        """Return the value that begins here; behind one with lines of its own the next line has begun."""
        if depth == MAX_DEPTH:
            raise _Unusual
        if self._text.startswith("- ", self._at):
            return self._list(depth)
        if _LINE_KEY.match(self._text, self._at):
            return self._group(depth)
        found = self._inline(depth)
        self._end_line()
        return found

    def _list(self, depth: int) -> Tree:
        start, mark = self._at, self._mark()
        items: list[Tree] = []
        while self._stands_at(mark.column) and self._text.startswith("- ", self._at):
            self._at += 2
            items.append(self.value(depth + 1))
        return Tree(items, mark, start, items[-1].end)

    def _group(self, depth: int) -> Tree:
        start, mark = self._at, self._mark()
        group: dict[str, TreeEntry] = {}
        while self._stands_at(mark.column):
            key = _LINE_KEY.match(self._text, self._at)
            if key is None or key[1] in group:
                raise _Unusual
            place = self._mark()
            self._at = key.end()
            if key[0].endswith(" "):
                below = self._inline(depth + 1)
                self._end_line()
            else:
                self._end_line()
                if self.ended or self._mark().column <= mark.column:
                    raise _Unusual
                below = self.value(depth + 1)
                if not isinstance(below.value, dict | list) or below.flow:
                    raise _Unusual
            group[key[1]] = TreeEntry(place, key.start(), key.end(1), below)
        return Tree(group, mark, start, below.end)

    def _inline(self, depth: int) -> Tree:
        """Return a scalar, or a value in brackets."""
        start, mark, token = self._at, self._mark(), _TOKEN.match(self._text, self._at)
        if token is None or depth == MAX_DEPTH:
            raise _Unusual
        self._at = token.end()
        if token["scalar"] is not None:
            return Tree(scalar(token["scalar"]), mark, start, self._at, flow=True)
        if token[0] == "[":
            items = self._words()
            while not self._passed("]"):
                if items and not self._passed(", "):
                    raise _Unusual
                items.append(self._inline(depth + 1))
            return Tree(items, mark, start, self._at, flow=True)
        if token[0] != "{":
            raise _Unusual
        group: dict[str, TreeEntry] = {}
        while not self._passed("}"):
            if group and not self._passed(", "):
                raise _Unusual
            begin, place, key = self._at, self._mark(), _TOKEN.match(self._text, self._at)
            if key is None or key["key"] is None or key["key"] in group:
                raise _Unusual
            self._at = key.end()
            group[key["key"]] = TreeEntry(place, begin, key.end("key"), self._inline(depth + 1))
        return Tree(group, mark, start, self._at, flow=True)

    def _words(self) -> list[Tree]:
        """Return all items of a list when they are scalars, which most long ones have."""
        words = _WORDS.match(self._text, self._at)
        items: list[Tree] = []
        for word in words[0].split(", ") if words is not None else ():
            start, mark = self._at, self._mark()
            self._at += len(word)
            items.append(Tree(scalar(word), mark, start, self._at, flow=True))
            self._at += 2
        self._at -= 2 if items else 0
        return items

    def _mark(self) -> SourceMark:
        return SourceMark(self._name, self._line, self._at - self._begin + 1)

    def _stands_at(self, column: int) -> bool:
        return not self.ended and self._at - self._begin + 1 == column

    def _end_line(self) -> None:
        if not self.ended and not self._passed("\n"):
            raise _Unusual
        self._line, self._begin = self._line + 1, self._at
        self._at = self._indent()

    def _indent(self) -> int:
        at = self._begin
        while self._text.startswith(" ", at):
            at += 1
        return at

    def _passed(self, token: str) -> bool:
        if not self._text.startswith(token, self._at):
            return False
        self._at += len(token)
        return True
