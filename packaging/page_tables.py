"""Markdown tables of the help pages: of rows, and of all keys of a kind of file by its JSON Schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

_QUANTITY = re.compile(r"\s*\(an? ([^()]*), such as ([^()]*)\)$")
_MOST_VALUES = 12
"""Values of a key that are listed one by one."""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return a table in Markdown; cells are Markdown already.

    >>> print(table(("a", "b"), [("1", "2|3")]))
    | a | b |
    |---|---|
    | 1 | 2\|3 |
    """
    lines = [heads, ["---"] * len(heads), *rows]
    shown = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
    shown[1] = "|" + "---|" * len(heads)
    return "\n".join(shown)


def plain(text: str) -> str:
    r"""Return plain text as Markdown that reads so.

    >>> plain("a *.twin.yaml of <NAME>")
    'a \\*.twin.yaml of \\<NAME>'
    """
    return re.sub(r"([*<\[])", r"\\\1", " ".join(text.split()))


def code(words: Iterable[str]) -> str:
    """Return words as code, one beside the other."""
    return ", ".join(f"`{word}`" for word in words)


def keys(schema: Mapping[str, Any]) -> str:
    """Return the keys of a kind of file, group by group."""
    groups = schema["definitions"]
    places: dict[str, str] = {}
    waiting: list[tuple[str, Mapping[str, Any]]] = [("The file", schema)]
    order: list[tuple[str, Mapping[str, Any]]] = []
    while waiting:
        place, group = waiting.pop(0)
        order.append((place, group))
        for key, value in group.get("properties", {}).items():
            for name in _groups_in(value):
                if name not in places:
                    inner = key if place == "The file" else f"{place}.{key}"
                    several = len(list(_groups_in(value))) > 1
                    places[name] = f"{inner} ({_kind_of(groups[name]) or name})" if several else inner
                    waiting.append((places[name], groups[name]))
    heads = [place for place, _ in order if "." not in place]
    order.sort(key=lambda section: heads.index(section[0].split(".")[0]))
    return "\n\n".join(_keys_of(place, group, places) for place, group in order)


def _keys_of(place: str, group: Mapping[str, Any], places: Mapping[str, str]) -> str:
    needed = {*group.get("required", ()), *group.get("else", {}).get("required", ())}
    rows = []
    for key, value in group["properties"].items():
        default = value.get("default")
        usual = "needed" if key in needed else "" if default in (None, "", [], {}) else f"`{_short(default)}`"
        kind, meaning = _type_of(value, places), value.get("description", "")
        quantity = _QUANTITY.search(meaning)
        if quantity is not None:
            kind, meaning = f"{quantity[1]}, such as `{quantity[2]}`", meaning[: quantity.start()]
        rows.append((f"`{key}`", kind, usual, plain(meaning)))
    about = plain(group.get("description", ""))
    return f"## {place}\n\n{about}\n\n{table(('key', 'value', 'default', 'meaning'), rows)}"


def _groups_in(value: Any) -> Iterator[str]:
    """Yield the names of the groups that a key may hold, itself or in a list."""
    if isinstance(value, Mapping):
        if "$ref" in value:
            yield value["$ref"].rpartition("/")[2]
        for key, inner in value.items():
            if key in ("anyOf", "oneOf", "items", "additionalProperties"):
                yield from _groups_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _groups_in(inner)


def _kind_of(group: Mapping[str, Any]) -> str:
    """Return the `kind` that tells a group apart; empty: it has none."""
    kind = group["properties"].get("kind", {})
    return str(kind.get("const") or "/".join(kind.get("enum", ())))


def _type_of(value: Mapping[str, Any], places: Mapping[str, str]) -> str:
    from twin.app.help.pages import anchor_of  # of the checkout that `help_pages` has chosen

    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{places[name]}](#{anchor_of(places[name])})"
    for several in ("oneOf", "anyOf"):
        if several in value:
            kinds = [_type_of(inner, places) for inner in value[several] if inner.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    if "const" in value:
        return f"`{value['const']}`"
    if "enum" in value:
        values = [str(one) for one in value["enum"]]
        if len(values) > _MOST_VALUES:
            return f"one of {len(values)}, `{values[0]}` to `{values[-1]}`"
        return code(values)
    if value.get("type") == "array":
        return f"list of {_type_of(value.get('items', {}), places)}"
    if value.get("type") == "object":
        return "names and values"
    return {"integer": "whole number", "boolean": "`true` or `false`", "string": "text"}.get(
        value.get("type", ""), value.get("type", "any")
    ) + _bounds(value)


def _bounds(value: Mapping[str, Any]) -> str:
    names = {
        "minimum": "at least",
        "exclusiveMinimum": "above",
        "maximum": "at most",
        "exclusiveMaximum": "below",
    }
    bounds = {words: value[key] for key, words in names.items() if key in value}
    if set(bounds) == {"at least", "at most"}:
        return f", {_number(value['minimum'])} to {_number(value['maximum'])}"
    return "".join(f", {words} {_number(bound)}" for words, bound in bounds.items())


def _number(bound: float) -> str:
    return f"{bound:,.0f}" if bound == round(bound) else f"{bound:g}"


def _short(default: Any) -> str:
    return default.strip() if isinstance(default, str) else json.dumps(default)
