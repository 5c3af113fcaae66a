"""Plain values to YAML text: one-line flow for edits, readable blocks for `twin show`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

_PLAIN = re.compile(r"(-(?=[0-9]))?[A-Za-z0-9_./+°µ][A-Za-z0-9_./+*%()°µ@=' -]*")
_OTHER = re.compile(
    r"~|null|true|false|[-+]?(\.?[0-9]|0[ox])[0-9a-f_.xo]*([eE][-+]?[0-9]+)?|[-+]?\.(inf|nan)", re.I
)
_HIDDEN = re.compile("[\x7f\x85\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that no file of text has as they are."""
_WIDE = 100


def scalar(value: bool | int | float | str | None) -> str:
    """Return a scalar that reads back as the same value anywhere, also inside brackets."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and abs(value) >= 1e6:
        return f"{Decimal(repr(value)).normalize():e}"
    if isinstance(value, int | float):
        return repr(value)
    plain = _PLAIN.fullmatch(value) and not _OTHER.fullmatch(value) and value == value.strip()
    return value if plain else _HIDDEN.sub(_escaped, json.dumps(value, ensure_ascii=False))


def flow(value: Any) -> str:
    """Return any plain value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key)}: {flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(inner) for inner in value) + "]"
    return scalar(value)


def block(value: dict[str, Any], indent: int = 0) -> str:
    """Return a group of keys as lines, short groups and lists on one line."""
    return "".join(f"{line}\n" for line in _lines(value, indent))


def reads_as_block(text: str) -> bool:
    """Return whether a text comes back as it is from lines below ``|``, or ``|-`` where no line end closes it."""
    lines = text.removesuffix("\n").split("\n")
    ends = lines[0].strip() == lines[0] and bool(lines[0]) and bool(lines[-1])
    return ends and all(line == line.rstrip() and line.isprintable() for line in lines)


def item_lines(item: Any) -> Iterator[str]:
    """Yield the lines of one item of a list."""
    return _item(item, 0)


def _escaped(hidden: re.Match[str]) -> str:
    return f"\\u{ord(hidden[0]):04x}"


def _lines(value: dict[str, Any], indent: int) -> Iterator[str]:
    pad = " " * indent
    for key, inner in value.items():
        head = f"{pad}{scalar(key)}:"
        if isinstance(inner, str) and "\n" in inner.strip("\n") and reads_as_block(inner):
            yield f"{head} |" if inner.endswith("\n") else f"{head} |-"
            yield from (f"{pad}  {line}" if line else "" for line in inner.removesuffix("\n").split("\n"))
        elif isinstance(inner, dict) and inner and not _short(inner, indent + len(key) + 2):
            yield head
            yield from _lines(inner, indent + 2)
        elif isinstance(inner, list | tuple) and inner and not _short(inner, indent + len(key) + 2):
            yield head
            for item in inner:
                yield from _item(item, indent + 2)
        else:
            yield f"{head} {flow(inner)}"


def _item(item: Any, indent: int) -> Iterator[str]:
    pad = " " * indent
    if isinstance(item, dict) and item and not _short(item, indent + 2):
        first, *rest = _lines(item, indent + 2)
        yield f"{pad}- {first[indent + 2 :]}"
        yield from rest
    else:
        yield f"{pad}- {flow(item)}"


def _short(value: Any, indent: int) -> bool:
    """Return whether a value fits on one line without hiding groups of groups in it."""
    inner = value.values() if isinstance(value, dict) else value
    groups = any(isinstance(item, dict) for item in inner)
    deep = groups and (isinstance(value, list | tuple) or len(value) > 2)
    return not deep and not any(_holds_groups(item) for item in inner) and len(flow(value)) + indent <= _WIDE


def _holds_groups(value: Any) -> bool:
    return isinstance(value, list | tuple) and any(isinstance(item, dict) for item in value)
