"""Edits of the text of a scenario: only the lines of the keys that change are rewritten."""

from __future__ import annotations

from dataclasses import dataclass

from twin.scenario import extend, fields
from twin.scenario.extend import Source
from twin.scenario.fields import Spot
from twin.scenario.load import Document, document_from, document_of
from twin.scenario.patch import Change, Exact, Patch, digest
from twin.scenario.path import resolve, split
from twin.scenario.problem import Problem, ScenarioError
from twin.scenario.tree import Entry, Path, Tree, child, parse, written
from twin.scenario.validate import nearest
from twin.scenario.write import flow, scalar


def apply(document: Document, patch: Patch) -> Document:
    """Return the document after a patch; see `edit`."""
    return edit(document, patch)[0]


def edit(document: Document, patch: Patch) -> tuple[Document, Patch]:
    """Return the document after a patch, and the patch that takes it back.

    An inherited value is overridden in the file itself; the files it extends stay as they are.

    Raises
    ------
    ScenarioError
        When a path leads nowhere, or the document would be wrong afterwards. The given one is unchanged.
    """
    text, before = document.text, document.text
    inverse: list[Change] = []
    exact = patch.exact
    if exact is not None and exact.digest == digest(before):
        text = before[: exact.start] + exact.text + before[exact.end :]
        inverse = [Change(one.path, _said(document.files[0], one.path)) for one in patch.changes]
    else:
        source, inherited = document.files[0], document.files[1:]
        for change in patch.changes:
            inverse.append(Change(change.path, _said(source, change.path)))
            base = extend.merged(list(inherited)) if inherited else None
            text = _Editor(source, base).change(change)
            source = Source(source.name, source.path, text, parse(text, source.name))
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


@dataclass(frozen=True)
class _Editor:
    """One change of one text."""

    source: Source
    base: Tree | None

    def change(self, change: Change) -> str:
        steps = split(change.path)
        spots = self._spots(steps, change)
        path, rest = resolve(steps, self.source.tree)
        if change.value is None:
            if rest:
                raise self._refused(change, self._why_not(steps))
            return self._removed(path)
        value = self._parsed(change, change.value)
        if not rest:
            return self._replaced(path, value, change)
        at = self._at(path)
        if isinstance(at.value, list) and len(rest) > 1 and not self._inherited(steps[: len(path) + 1]):
            known = [name for item in at.value if (name := item.id())]
            near = nearest(rest[0], known)
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}" if known else ""
            raise self._refused(change, f"names nothing that exists: {rest[0]!r}", hint)
        return self._inserted(path, rest, spots[len(path) :], value, change)

    def _parsed(self, change: Change, text: str) -> Tree:
        try:
            return parse(text, self.source.name)
        except ScenarioError as bad:
            raise self._refused(change, bad.problems[0].reason, bad.problems[0].hint) from None

    def _spots(self, steps: tuple[str, ...], change: Change) -> list[Spot]:
        """Return what may stand at each container on the way; refuse a path the schema does not know."""
        spots = [fields.ROOT]
        for step in steps:
            spot = fields.below(spots[-1], step)
            if spot == Spot() and step not in fields.keys(spots[-1]) and spots[-1].item is None:
                known = fields.keys(spots[-1])
                near = nearest(step, known)
                hint = (
                    f"did you mean {near!r}?" if near else f"known here: {', '.join(known)}" if known else ""
                )
                raise self._refused(change, f"leads nowhere: there is no key {step!r} at this place", hint)
            spots.append(spot)
        return spots

    def _at(self, path: Path) -> Tree:
        at = self.source.tree
        for step in path:
            at = child(at, step) or at
        return at

    def _inherited(self, steps: tuple[str, ...]) -> bool:
        return self.base is not None and not resolve(steps, self.base)[1]

    def _why_not(self, steps: tuple[str, ...]) -> str:
        if self._inherited(steps):
            return "is inherited and cannot be taken away here; give it another value"
        return "is not in the file, so it cannot be taken away"

    def _refused(self, change: Change, reason: str, hint: str = "") -> ScenarioError:
        return ScenarioError([Problem(self.source.name, 0, change.path, change.value or "", reason, hint)])

    def _replaced(self, path: Path, value: Tree, change: Change) -> str:
        text, at = self.source.text, self._at(path)
        if at.shared:
            raise self._refused(change, "is shared through an alias (*)", "edit the text of the file")
        inside = self._in_brackets(path)
        said = self._value_text(value, change, inside, 0 if not path else self._column(path) + 2)
        entry = self._entry(path)
        if entry is None:  # an item of a list, or the whole document
            if said.startswith("\n"):
                said = said.lstrip()
            return text[: at.start] + said + text[at.end :]
        start, end = text.index(":", entry.stop) + 1, max(at.end, entry.stop)
        if at.flow and at.end > start and not said.startswith("\n"):
            return text[: at.start] + said + text[at.end :]
        end = max(end, start)
        return text[:start] + (said if said.startswith("\n") else f" {said}") + text[end:]

    def _inserted(
        self, path: Path, rest: tuple[str, ...], spots: list[Spot], value: Tree, change: Change
    ) -> str:
        text, at = self.source.text, self._at(path)
        if at.shared:
            raise self._refused(change, "is shared through an alias (*)", "edit the text of the file")
        # From the inside out: keys that are missing on the way become groups on one line.
        nested = value
        for step, spot in zip(reversed(rest[1:]), reversed(spots[1 : len(rest)]), strict=True):
            nested = parse(flow(_wrapped(step, nested.plain(), spot)), change.path)
        step, spot = rest[0], spots[0]
        if at.value is None:
            return self._replaced(
                path, parse(flow(_wrapped(step, nested.plain(), spot)), change.path), change
            )
        if isinstance(at.value, list):
            item = nested.plain()
            if not isinstance(item, dict) or str(item.get("id", step)) != step:
                raise self._refused(change, f"needs a group of keys with id: {step}")
            nested = nested if "id" in item else parse(flow({"id": step, **item}), change.path)
            return self._appended(at, path, nested, change)
        if not isinstance(at.value, dict):
            raise self._refused(change, f"leads nowhere: {written(path, self.source.tree)} is a single value")
        key = scalar(step)
        last = self._neighbour(at, step, spot)
        if at.flow:
            said = f"{key}: {self._value_text(nested, change, True, 0)}"
            if last is None:
                return text[: at.start + 1] + said + text[at.start + 1 :]
            return text[: last.tree.end] + f", {said}" + text[last.tree.end :]
        assert last is not None
        indent = last.mark.column - 1
        said = self._value_text(nested, change, False, indent + 2)
        line = f"{' ' * indent}{key}:" + (said if said.startswith("\n") else f" {said}")
        return self._line_after(max(last.tree.end, last.stop), line)

    def _appended(self, at: Tree, path: Path, item: Tree, change: Change) -> str:
        text = self.source.text
        if at.flow:
            said = flow(item.plain())
            if not at.value:
                return text[: at.start + 1] + said + text[at.start + 1 :]
            return text[: at.value[-1].end] + f", {said}" + text[at.value[-1].end :]
        last: Tree = at.value[-1]
        dash = text.rindex("-", 0, last.start)
        indent = dash - (text.rfind("\n", 0, dash) + 1)
        said = self._value_text(item, change, False, indent + 2).lstrip()
        return self._line_after(last.end, f"{' ' * indent}- {said}")

    def _removed(self, path: Path) -> str:
        text, above, at = self.source.text, self._at(path[:-1]), self._at(path)
        if at.shared or above.shared:
            change = Change(written(path, self.source.tree), None)
            raise self._refused(change, "is shared through an alias (*)", "edit the text of the file")
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
            empty = parse("{}" if isinstance(above.value, dict) else "[]", "")
            return self._replaced(path[:-1], empty, Change(written(path[:-1], self.source.tree), None))
        if isinstance(above.value, list):
            start = text.rindex("-", 0, start)
        line = text.rfind("\n", 0, start) + 1
        if text[line:start].strip():  # the first key behind "- ": the next one moves up to its place
            return text[:start] + text[spans[index + 1][0] :]
        stop = text.find("\n", end)
        return text[:line] + (text[stop + 1 :] if stop >= 0 else "")

    def _entry(self, path: Path) -> Entry | None:
        above = self._at(path[:-1]) if path else None
        if above is None or not isinstance(above.value, dict):
            return None
        found: Entry | None = above.value.get(str(path[-1]))
        return found

    def _in_brackets(self, path: Path) -> bool:
        return any(self._at(path[:depth]).flow for depth in range(len(path)))

    def _column(self, path: Path) -> int:
        entry = self._entry(path)
        return (entry.mark if entry is not None else self._at(path).mark).column - 1

    def _neighbour(self, at: Tree, step: str, spot: Spot) -> Entry | None:
        """Return the entry a new key goes behind: the last that precedes it in the schema."""
        order = list(fields.keys(spot))
        entries = list(at.value.items())
        if not entries:
            return None
        rank = order.index(step) if step in order else len(order)
        before = [entry for key, entry in entries if key in order and order.index(key) < rank]
        return before[-1] if before and step in order else entries[-1][1]

    def _value_text(self, value: Tree, change: Change, inside: bool, indent: int) -> str:
        """Return a value as it is put behind a colon; it begins with a line end when it is a block."""
        said = (change.value or "").strip("\n")
        same = change.value is not None and value.plain() == parse(change.value, change.path).plain()
        if not isinstance(value.value, dict | list):
            keep = (
                same
                and "\n" not in said
                and "#" not in said
                and (not inside or not set(said) & set(",[]{}\"'"))
            )
            return said.strip() if keep and said.strip() else scalar(value.value)
        if inside or value.flow or not same:
            return flow(value.plain())
        lines = said.split("\n")
        depth = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        newline = "\r\n" if "\r\n" in self.source.text else "\n"
        return "".join(f"{newline}{' ' * indent}{line[depth:].rstrip()}".rstrip(" ") for line in lines)

    def _line_after(self, end: int, line: str) -> str:
        """Return the text with a line put in behind the line of character `end`."""
        text = self.source.text
        newline = "\r\n" if "\r\n" in text else "\n"
        stop = text.find("\n", end)
        if stop < 0:
            return f"{text}{newline}{line}{newline}"
        return f"{text[: stop + 1]}{line}{newline}{text[stop + 1 :]}"


def _wrapped(step: str, value: object, spot: Spot) -> object:
    if spot.item is not None and not spot.table:
        inner = dict(value) if isinstance(value, dict) else {}
        return [{"id": step, **inner}]
    return {step: value}


def _spans(above: Tree) -> list[tuple[int, int]]:
    if isinstance(above.value, dict):
        return [(entry.start, max(entry.stop, entry.tree.end)) for entry in above.value.values()]
    return [(item.start, item.end) for item in above.value]
