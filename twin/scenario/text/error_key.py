"""The line and key to blame in a text that is not YAML."""

from __future__ import annotations

import re

_KEY = re.compile(r"([A-Za-z_][\w/-]*)\s*:(?:\s|$)")
_KEY_LINE = re.compile(r"\s*(?:- )*\{?\s*([A-Za-z_][A-Za-z0-9_]*)\s*:")


def key_of_line(text: str, line: int) -> str:
    """Return the nearest key at or above a line of text that is not YAML, for want of a path."""
    lines = text.split("\n")
    for candidate in reversed(lines[:line]):
        match = _KEY_LINE.match(candidate)
        if match:
            return match[1]
    return ""


def key_around(text: str, at: int) -> tuple[int, str]:
    """Return line and key of a character that does not belong; the key it touches, else the one before it."""
    line = text.count("\n", 0, at) + 1
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line_text = text[start : end if end >= 0 else len(text)]
    key = ""
    for match in _KEY.finditer(line_text):
        touches = not re.search(r"\s", line_text[at - start : match.start()]) and match.end() > at - start
        if match.start() < at - start or touches:
            key = match[1]
        if touches and match.start() >= at - start:
            break
    return line, key or key_of_line(text, line)


def advice(text: str, line: int) -> str:
    """Return a hint for a line that is not YAML."""
    near = text.split("\n")[max(line - 2, 0) : line]
    if any("\t" in line_text[: len(line_text) - len(line_text.lstrip())] for line_text in near):
        return "indent with spaces, not tabs"
    return "check indentation, colons, quotes and brackets of this line and the one above"
