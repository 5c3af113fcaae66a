"""One change of the text of a scenario file: which characters become which."""

from __future__ import annotations

import json
from dataclasses import dataclass

from twin.scenario.reading.extend import SceneSource
from twin.scenario.reading.validate import nearest
from twin.scenario.schema import fields
from twin.scenario.schema.fields import FieldSpot
from twin.scenario.text.emit import block, flow, item_lines, reads_as_block, scalar
from twin.scenario.text.parse import Path, Tree, TreeEntry, child, parse, written
from twin.scenario.text.patch import Change
from twin.scenario.text.path import resolve, split
from twin.scenario.text.problem import Problem, ScenarioError


def value_of(text: str, spot: FieldSpot, name: str) -> tuple[Tree, str]:
    """Return the value of a change, and its YAML text.

    Where any text may stand, "Title: subtitle" and "2026.11" are text and come back in quotes.

    Raises
    ------
    ScenarioError
        When the text is no value.
    """
    quoted = json.dumps(text.strip())
    try:
        value = parse(text, name)
    except ScenarioError:
        if not spot.text:
            raise
        return parse(quoted, name), quoted
    if spot.text and value.value is not None and not isinstance(value.value, str):
        return parse(quoted, name), quoted
    return value, text


@dataclass(frozen=True, slots=True)
class _Value:
    """A new value, and the text it was given as; no text when keys had to be made round it."""

    tree: Tree
    given: str = ""


@dataclass(frozen=True)
class TextEdit:
    """One change of one file.

    Attributes
    ----------
    source
        The file.
    base
        What it inherits, or None.
    change
        What becomes of one value.
    root
        What may stand in the file.
    """

    source: SceneSource
    base: Tree | None
    change: Change
    root: FieldSpot = fields.ROOT

    def text(self) -> str:
        """Return the text of the file afterwards.

        Raises
        ------
        ScenarioError
            When the path leads nowhere or the value is no YAML. Whether it fits is for the loader to say.
        """
        steps = split(self.change.path)
        spots = self._spots(steps)
        path, rest = resolve(steps, self.source.tree)
        self._refuse_shared(path)
        if self.change.value is None:
            if rest:
                inherited = "is inherited and cannot be removed here; set another value"
                reason = "is not in the file, so it cannot be removed"
                raise self._refused(inherited if self._inherited(steps) else reason)
            return self._removed(path)
        value = self._value(self.change.value, spots[-1])
        if not rest:
            return self._replaced(path, value)
        at = self._at(path)
        if isinstance(at.value, list) and len(rest) > 1 and not self._inherited(steps[: len(path) + 1]):
            raise self._refused(*_nothing(rest[0], [name for item in at.value if (name := item.id())]))
        return self._inserted(path, rest, spots[len(path) :], value)

    def _value(self, text: str, spot: FieldSpot) -> _Value:
        try:
            tree, text = value_of(text, spot, self.source.name)
        except ScenarioError as bad:
            raise self._refused(bad.problems[0].reason, bad.problems[0].hint) from None
        # A comment behind a one-line value is not part of it.
        lines = "\n" in text.strip()
        kept = tree.flow != lines or isinstance(tree.value, dict)
        return _Value(tree, text.strip("\n") if kept and (lines or "#" not in text) else "")

    def _spots(self, steps: tuple[str, ...]) -> list[FieldSpot]:
        """Return the types allowed at each place of a path; refuse a path the schema does not know."""
        spots = [self.root]
        for step in steps:
            known = fields.keys(spots[-1])
            if spots[-1].item is None and step not in known:
                near = nearest(step, known)
                hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}" if known else ""
                raise self._refused(f"unknown key {step!r}", hint)
            spots.append(fields.below(spots[-1], step))
        return spots

    def _refuse_shared(self, path: Path) -> None:
        if any(self._at(path[: depth + 1]).shared for depth in range(len(path))):
            raise self._refused("is shared by a YAML alias (*)", "edit the file as text")

    def _refused(self, reason: str, hint: str = "") -> ScenarioError:
        change = self.change
        return ScenarioError([Problem(self.source.name, 0, change.path, change.value or "", reason, hint)])

    def _inherited(self, steps: tuple[str, ...]) -> bool:
        return self.base is not None and not resolve(steps, self.base)[1]

    def _at(self, path: Path) -> Tree:
        at = self.source.tree
        for step in path:
            at = child(at, step) or at
        return at

    def _entry(self, path: Path) -> TreeEntry | None:
        above = self._at(path[:-1]) if path else None
        entries: dict[str, TreeEntry] = (
            above.value if above is not None and isinstance(above.value, dict) else {}
        )
        return entries.get(str(path[-1])) if path else None

    def _replaced(self, path: Path, value: _Value) -> str:
        text, at, entry = self.source.text, self._at(path), self._entry(path)
        inside = any(self._at(path[:depth]).flow for depth in range(len(path)))
        # Below its key a value stands two columns in; an item of a list stands where it did, behind its dash.
        indent = entry.mark.column + 1 if entry is not None else at.mark.column - 1
        new_text = self._value_text(value, inside, indent)
        if entry is None:
            return text[: at.start] + new_text.lstrip() + text[at.end :]
        colon = text.index(":", entry.stop) + 1
        if at.flow and at.end > colon and not new_text.startswith(("\n", "\r")):
            return text[: at.start] + new_text + text[at.end :]
        gap = "" if new_text.startswith(("\n", "\r")) else " "
        return text[:colon] + gap + new_text + text[max(at.end, colon) :]

    def _inserted(self, path: Path, rest: tuple[str, ...], spots: list[FieldSpot], value: _Value) -> str:
        """Put a value under keys that are missing; `spots` are the places from the first of them on."""
        at, step = self._at(path), rest[0]
        for missing, spot in zip(reversed(rest[1:]), reversed(spots[1 : len(rest)]), strict=True):
            value = _laid(_wrapped(missing, value.tree.plain(), spot))
        if at.value is None:
            return self._replaced(path, _laid(_wrapped(step, value.tree.plain(), spots[0])))
        if isinstance(at.value, list):
            item = value.tree.plain()
            if not isinstance(item, dict) or item.get("id", step) != step:
                raise self._refused(f"needs a group of keys with id: {step}")
            return self._appended(at, value if "id" in item else _made({"id": step, **item}))
        if not isinstance(at.value, dict):
            raise self._refused(f"has no keys: {written(path, self.source.tree)} is a single value")
        return self._new_key(at, step, spots[0], value)

    def _new_key(self, at: Tree, step: str, spot: FieldSpot, value: _Value) -> str:
        text, key = self.source.text, scalar(step)
        before = _neighbour(at, step, spot)
        if at.flow or before is None:
            new_text = f"{key}: {self._value_text(value, True, 0)}"
            start = at.start + 1 if before is None else before.tree.end
            return f"{text[:start]}{', ' if before is not None else ''}{new_text}{text[start:]}"
        indent = before.mark.column - 1
        new_text = self._value_text(value, False, indent + 2)
        gap = "" if new_text.startswith(("\n", "\r")) else " "
        return self._line_after(max(before.tree.end, before.stop), f"{' ' * indent}{key}:{gap}{new_text}")

    def _appended(self, at: Tree, value: _Value) -> str:
        text = self.source.text
        if at.flow:
            start = at.value[-1].end if at.value else at.start + 1
            return f"{text[:start]}{', ' if at.value else ''}{flow(value.tree.plain())}{text[start:]}"
        last: Tree = at.value[-1]
        dash = text.rindex("-", 0, last.start)
        indent = dash - (text.rfind("\n", 0, dash) + 1)
        new_text = self._value_text(value, False, indent + 2).lstrip()
        return self._line_after(last.end, f"{' ' * indent}- {new_text}")

    def _removed(self, path: Path) -> str:
        text, above = self.source.text, self._at(path[:-1])
        spans = _spans(above)
        index = list(above.value).index(path[-1]) if isinstance(above.value, dict) else int(path[-1])
        start, end = spans[index]
        if above.flow:
            if index + 1 < len(spans):
                end = spans[index + 1][0]
            elif index:
                start = spans[index - 1][1]
            return text[:start] + text[end:]
        if len(spans) == 1:
            return self._replaced(path[:-1], _made({} if isinstance(above.value, dict) else []))
        if isinstance(above.value, list):
            start = text.rindex("-", 0, start)
        line = text.rfind("\n", 0, start) + 1
        if text[line:start].strip():  # the first key behind "- ": the next one moves up to its place
            return text[:start] + text[spans[index + 1][0] :]
        stop = text.find("\n", end)
        return text[:line] + (text[stop + 1 :] if stop >= 0 else "")

    def _value_text(self, value: _Value, inside: bool, indent: int) -> str:
        """Return a value as it stands behind a colon; a block begins with a line end."""
        tree, given = value.tree, value.given
        if not isinstance(tree.value, dict | list):
            if given and "\n" not in given and not (inside and set(given) & set(",[]{}\"'")):
                return given.strip()
            text = tree.value
            if not inside and isinstance(text, str) and text.endswith("\n") and reads_as_block(text):
                pad = self._newline() + " " * indent
                return "|" + "".join(f"{pad}{line}".rstrip(" ") for line in text.splitlines())
            return scalar(tree.value)
        if inside or tree.flow or not given:
            return flow(tree.plain())
        lines = given.split("\n")
        depth = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        pad = self._newline() + " " * indent
        return "".join(f"{pad}{line[depth:].rstrip()}".rstrip(" ") for line in lines)

    def _line_after(self, end: int, line: str) -> str:
        """Return the text with a line put in behind the line of character `end`."""
        text, newline = self.source.text, self._newline()
        stop = text.find("\n", end)
        if stop < 0:
            return f"{text}{newline}{line}{newline}"
        return f"{text[: stop + 1]}{line}{newline}{text[stop + 1 :]}"

    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self.source.text else "\n"


def _made(plain: object) -> _Value:
    return _Value(parse(flow(plain), ""))


def _laid(plain: object) -> _Value:
    """Return a value with lists of groups of keys on lines of their own, one each, where there is room for lines."""
    groups = plain if isinstance(plain, list) else list(plain.values()) if isinstance(plain, dict) else []
    if isinstance(plain, list) and any(isinstance(item, dict) for item in groups):
        text = "".join(f"{line}\n" for item in plain for line in item_lines(item))
        return _Value(parse(text, ""), text.strip("\n"))
    if isinstance(plain, dict) and any(_lists_groups(item) for item in groups):
        text = block(plain)
        return _Value(parse(text, ""), text.strip("\n"))
    return _made(plain)


def _lists_groups(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def _wrapped(step: str, value: object, spot: FieldSpot) -> object:
    if spot.item is not None and not spot.table:
        inner = dict(value) if isinstance(value, dict) else {}
        return [{"id": step, **inner}]
    return {step: value}


def _neighbour(at: Tree, step: str, spot: FieldSpot) -> TreeEntry | None:
    """Return the entry a new key goes behind: the last that precedes it in the schema."""
    order = list(fields.keys(spot))
    entries: dict[str, TreeEntry] = at.value
    if not entries:
        return None
    rank = order.index(step) if step in order else len(order)
    before = [entry for key, entry in entries.items() if key in order and order.index(key) < rank]
    return before[-1] if before and step in order else list(entries.values())[-1]


def _nothing(step: str, known: list[str]) -> tuple[str, str]:
    near = nearest(step, known)
    hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}" if known else ""
    return f"unknown id: {step!r}", hint


def _spans(above: Tree) -> list[tuple[int, int]]:
    if isinstance(above.value, dict):
        return [(entry.start, max(entry.stop, entry.tree.end)) for entry in above.value.values()]
    return [(item.start, item.end) for item in above.value]
