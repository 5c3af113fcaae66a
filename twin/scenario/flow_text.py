"""Text as edits write it, read at once: scalars without quotes, lists and groups in brackets, one line.

A parser of all of YAML takes a millisecond for it. What looks in any way unusual is left to that.
"""

from __future__ import annotations

import re

from twin.scenario.node import Entry, Mark, Tree, scalar

MAX_CHARACTERS = 50_000
MAX_DEPTH = 20

_SCALAR = r"-?[A-Za-z0-9][A-Za-z0-9/+._-]*(?: [A-Za-z0-9/+._-]+)*"
_TOKEN = re.compile(rf"(?P<key>[A-Za-z0-9][A-Za-z0-9/._-]{{0,199}}): |(?P<scalar>{_SCALAR})|, |[\[\]{{}}]")
_LINE = re.compile(r"( *)(?:- |([A-Za-z0-9][A-Za-z0-9/._-]{0,199}): )(?=[\[{])([^\n]*)\n?")


def read(text: str, name: str) -> Tree | None:
    """Return the tree of a text that is one value, or one line of a list or group whose value is in brackets.

    None: it is something else, or wrong; a parser of YAML knows.
    """
    if len(text) > MAX_CHARACTERS:
        return None
    line = _LINE.fullmatch(text)
    if line is None:
        return _Reader(text, name, 0).whole(len(text))
    value = _Reader(text, name, line.start(3)).whole(line.end(3))
    if value is None:
        return None
    start, mark, key = line.end(1), Mark(name, 1, line.end(1) + 1), line[2]
    return Tree(
        [value] if key is None else {key: Entry(mark, start, start + len(key), value)}, mark, start, value.end
    )


class _Unusual(Exception):
    """The text is not of the kind that is read here."""


class _Reader:
    """Reads one value from a character on."""

    def __init__(self, text: str, name: str, start: int) -> None:
        self._text, self._name, self._at = text, name, start

    def whole(self, stop: int) -> Tree | None:
        """Return the value if it ends there."""
        try:
            value = self._value(0)
        except (_Unusual, ValueError):
            return None
        return value if self._at == stop else None

    def _value(self, depth: int) -> Tree:
        start = self._at
        token = self._next()
        mark = Mark(self._name, 1, start + 1)
        if token["scalar"] is not None:
            return Tree(scalar(token["scalar"]), mark, start, self._at, flow=True)
        if depth == MAX_DEPTH or token[0] not in ("[", "{"):
            raise _Unusual
        items: list[Tree] = []
        group: dict[str, Entry] = {}
        close = "]" if token[0] == "[" else "}"
        while not self._passed(close):
            if (items or group) and not self._passed(", "):
                raise _Unusual
            if close == "]":
                items.append(self._value(depth + 1))
            else:
                self._entry(group, depth)
        return Tree(items if close == "]" else group, mark, start, self._at, flow=True)

    def _entry(self, group: dict[str, Entry], depth: int) -> None:
        start = self._at
        key = self._next()["key"]
        if key is None or key in group:
            raise _Unusual
        group[key] = Entry(Mark(self._name, 1, start + 1), start, start + len(key), self._value(depth + 1))

    def _next(self) -> re.Match[str]:
        token = _TOKEN.match(self._text, self._at)
        if token is None:
            raise _Unusual
        self._at = token.end()
        return token

    def _passed(self, said: str) -> bool:
        if not self._text.startswith(said, self._at):
            return False
        self._at += len(said)
        return True
