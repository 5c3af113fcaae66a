"""The tree of a text that was edited at one place: only the keys or items round that place are read again."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from twin.scenario.text.parse import MAX_BYTES, SourceMark, Tree, TreeEntry, parse
from twin.scenario.text.problem import ScenarioError


def reparse(before: Tree, old: str, new: str, name: str) -> Tree:
    """Return the tree of `new`, as `parse` does; `before` is that of `old`, which stays as it is.

    Keys of a group and items of a list that begin on lines of their own can be read without the others. Texts in
    which places depend on one another, by aliases or directives, are read as a whole.

    Raises
    ------
    ScenarioError
        When the text is no scenario, as `parse` does.
    """
    apart = before.mark.column == 1 and not any(mark in text for text in (old, new) for mark in _WHOLE)
    if not apart or len(new) > MAX_BYTES or ("&" in old and before.has_aliases):
        return parse(new, name)
    change = _Rewriting(old, new, name)
    made = change.block(before, len(old)) if not _REFERS.intersection(change.put) else None
    return made if made is not None else parse(new, name)


_WHOLE = ("\n---", "\n...", "\n%", "\r", "\t")
"""Marks of documents and directives, and odd white space."""
_REFERS = frozenset("&*")
"""Begin an anchor and an alias; in prose they are rare enough to read the whole for them."""
_FAR = 200
"""Characters that an inserted or deleted text is moved back, at most, to begin at a line end."""


@dataclass
class _Rewriting:
    """A text that became another by one change.

    Attributes
    ----------
    first, behind
        The first character of the old text that changed, and the one behind the last.
    grown
        Characters that the new text has more.
    """

    old: str
    new: str
    name: str
    first: int = field(init=False)
    behind: int = field(init=False)
    grown: int = field(init=False)

    def __post_init__(self) -> None:
        self.first, self.behind = _changed(self.old, self.new)
        self.grown = len(self.new) - len(self.old)

    @property
    def put(self) -> str:
        """Return the text that was put in."""
        return self.new[self.first : self.behind + self.grown]

    def block(self, tree: Tree, stop: int) -> Tree | None:
        """Return a group or list that reaches up to character `stop`, as it became; None to read it as a whole."""
        if tree.shared or not isinstance(tree.value, dict | list) or not tree.value:
            return None
        if tree.flow:
            return self._in_brackets(tree)
        begins, lines = self._children(tree)
        if not begins:
            return None
        whole = self._lines_apart(tree, begins, lines)
        if whole is not None:
            return whole
        # The first character of the first child read again stays, and so does the line end before what follows.
        low, high = bisect_left(begins, self.first) - 1, bisect_right(lines, self.behind)
        if low < 0 or low >= high or lines[low] < 0:
            return None
        end = lines[high] if high < len(lines) else stop
        if self.behind >= end and end < len(self.old):
            return None
        more = self.new.count("\n", lines[low], end + self.grown) - self.old.count("\n", lines[low], end)
        inner = self.block(_child(tree, low), end) if high == low + 1 else None
        if inner is not None:
            part = Tree([inner], tree.mark, 0, 0)
            if isinstance(tree.value, dict):
                key, entry = list(tree.value.items())[low]
                part.value = {key: TreeEntry(entry.mark, entry.start, entry.stop, inner)}
        else:
            read = self._read(tree, lines[low], end)
            if read is None:
                return None
            part = read
        return self._joined(tree, part, low, high, more)

    def _in_brackets(self, tree: Tree) -> Tree | None:
        """Return a list or group in brackets on one line in which something has changed."""
        text = self.new[tree.start : tree.end + self.grown]
        inside = tree.start < self.first and self.behind < tree.end
        if not inside or "\n" in text or "#" in text or "\n" in self.old[tree.start : tree.end]:
            return None
        inner = self._one_within(tree)
        if inner is not None:
            return inner
        try:
            read = parse(text, self.name)
        except ScenarioError:
            return None
        if type(read.value) is not type(tree.value) or not read.flow or read.end != len(text):
            return None
        return _inline(read, tree.mark, tree.start)

    def _one_within(self, tree: Tree) -> Tree | None:
        """Return a list or group in brackets of which one child in brackets has changed inside."""
        children = [_child(tree, number) for number in range(len(tree.value))]
        number = next(
            (
                n
                for n, child_before in enumerate(children)
                if child_before.start < self.first < child_before.end
            ),
            -1,
        )
        if number < 0:  # among them, or they are none
            return None
        child = children[number]
        if not child.flow or not isinstance(child.value, dict | list):
            return None
        made = self._in_brackets(child)
        if made is None:
            return None
        shift = SourceMark(self.name, tree.mark.line, 1 + self.grown)
        after = Tree(list(children[number + 1 :]), SourceMark(self.name, 1, 1), 0, 0)
        trees = [*children[:number], made, *_inline(after, shift, self.grown).value]
        if isinstance(tree.value, list):
            value: list[Tree] | dict[str, TreeEntry] = trees
        else:
            value = {}
            for (key, entry), child_after in zip(tree.value.items(), trees, strict=True):
                by = 0 if child_after is entry.tree or child_after is made else self.grown
                mark = SourceMark(entry.mark.file, entry.mark.line, entry.mark.column + by)
                value[key] = TreeEntry(mark, entry.start + by, entry.stop + by, child_after)
        return Tree(value, tree.mark, tree.start, tree.end + self.grown, tree.flow, tree.shared)

    def _lines_apart(self, tree: Tree, begins: list[int], lines: list[int]) -> Tree | None:
        """Return a group or list in which whole children were put in behind another, or taken out, and no more.

        What stands before them and behind them need not be read again.
        """
        first, last = self.first, max(self.first, self.first - self.grown)
        if last != self.behind or not self.grown:
            return None
        longer = self.new if self.grown > 0 else self.old
        if (
            first and longer[first - 1] == longer[first - 1 + abs(self.grown)] == "\n"
        ):  # lines with their own ends
            first, last = first - 1, last - 1
        if self.old[first : first + 1] != "\n" or self.old[last : last + 1] != "\n":
            return None
        low, high = bisect_left(begins, first), bisect_left(begins, last)
        if not low or _ends_loosely(_child(tree, low - 1)) or _child(tree, low - 1).end > first:
            return None
        if any(line <= first for line in lines[low:]) or any(line <= last for line in lines[high:]):
            return None
        more = self.new.count("\n", first, first + max(self.grown, 0)) - self.old.count("\n", first, last)
        if self.grown < 0:
            gone = [_child(tree, number).end for number in range(low, high)]
            if not gone or max(gone) > last:
                return None
            return self._joined(tree, Tree(type(tree.value)(), tree.mark, 0, 0), low, high, more)
        text = self.new[first + 1 : first + self.grown + 1]
        if not self.new.startswith("\n", first) or _indent(text) != tree.mark.column - 1:
            return None
        try:
            part = parse(text, self.name)
        except ScenarioError:
            return None
        if type(part.value) is not type(tree.value) or part.flow or _ends_loosely(part):
            return None
        if part.mark.column != tree.mark.column:
            return None
        part = part.moved(self.old.count("\n", 0, first) + 1, first + 1)
        return self._joined(tree, part, low, low, more)

    def _children(self, tree: Tree) -> tuple[list[int], list[int]]:
        """Return the first character of each child and of its line; -1 where a line begins with something else."""
        if isinstance(tree.value, dict):
            begins = [entry.start for entry in tree.value.values()]
        else:
            begins = [self.old.rfind("-", 0, item.start) for item in tree.value]
        lines = [self.old.rfind("\n", 0, begin) + 1 for begin in begins]
        apart = [
            not self.old[line:begin].strip() and begin - line == tree.mark.column - 1
            for line, begin in zip(lines, begins, strict=True)
        ]
        if not all(apart[1:]):
            return [], []
        return begins, lines if apart[0] else [-1, *lines[1:]]

    def _read(self, tree: Tree, start: int, end: int) -> Tree | None:
        """Return the children from `start` to `end` of the old text as they became."""
        lines = self.put.split("\n")[1:]
        if any(
            line.strip() and not line[: tree.mark.column - 1].isspace()
            for line in lines[:-1]
            if tree.mark.column > 1
        ):
            return None  # it begins something further out
        try:
            part = parse(self.new[start : end + self.grown], self.name)
        except ScenarioError:
            return None  # the whole text knows the line
        alike = type(part.value) is type(tree.value) and part.mark.column == tree.mark.column
        if not alike or part.flow or _ends_open(part):
            return None
        return part.moved(self.old.count("\n", 0, start), start)

    def _joined(self, tree: Tree, part: Tree, low: int, high: int, more: int) -> Tree | None:
        """Return a group or list with some of its children replaced by those of another."""
        moved = self.grown or more
        if isinstance(tree.value, dict):
            keys = list(tree.value)
            if any(key in part.value for key in (*keys[:low], *keys[high:])):
                return None  # the whole text names the line of the first
            group: dict[str, TreeEntry] = {key: tree.value[key] for key in keys[:low]} | part.value
            for key in keys[high:]:
                group[key] = tree.value[key].moved(more, self.grown) if moved else tree.value[key]
            end = max(entry.tree.end for entry in group.values())
            return Tree(group, tree.mark, tree.start, end, tree.flow, tree.shared)
        rest = [item.moved(more, self.grown) for item in tree.value[high:]] if moved else tree.value[high:]
        items: list[Tree] = [*tree.value[:low], *part.value, *rest]
        end = max(item.end for item in items)
        return Tree(items, tree.mark, tree.start, end, tree.flow, tree.shared)


def _ends_open(tree: Tree) -> bool:
    """Return whether the last value is an empty one: where that stands, what follows it tells."""
    while isinstance(tree.value, dict | list) and tree.value:
        tree = _child(tree, len(tree.value) - 1)
    return tree.start == tree.end


def _inline(tree: Tree, at: SourceMark, start: int) -> Tree:
    """Return what was read of one line as it stands at a place in a text."""
    value = tree.value
    mark = SourceMark(at.file, at.line, at.column + tree.mark.column - 1)
    if isinstance(value, dict):
        value = {
            key: TreeEntry(
                SourceMark(at.file, at.line, at.column + entry.mark.column - 1),
                entry.start + start,
                entry.stop + start,
                _inline(entry.tree, at, start),
            )
            for key, entry in value.items()
        }
    elif isinstance(value, list):
        value = [_inline(item, at, start) for item in value]
    return Tree(value, mark, tree.start + start, tree.end + start, tree.flow, tree.shared)


def _ends_loosely(tree: Tree) -> bool:
    """Return whether where the last value ends, or what it is, depends on the lines behind it."""
    while isinstance(tree.value, dict | list) and tree.value:
        tree = _child(tree, len(tree.value) - 1)
    return tree.start == tree.end or not tree.flow


def _indent(text: str) -> int:
    """Return the fewest spaces before what stands in a line of a text; -1 when nothing does."""
    return min((len(line) - len(line.lstrip(" ")) for line in text.split("\n") if line.strip()), default=-1)


def _child(tree: Tree, number: int) -> Tree:
    """Return one value of a group or list by its place."""
    children = [entry.tree for entry in tree.value.values()] if isinstance(tree.value, dict) else tree.value
    child: Tree = children[number]
    return child


def _changed(old: str, new: str) -> tuple[int, int]:
    """Return the first character of the old text that differs, and the one behind the last.

    Where text was only put in, or only taken out, there may be several such places: lines go from line end to line end.
    """
    limit = min(len(old), len(new))
    first = common(old, new, limit)
    tail = common(old[::-1], new[::-1], limit - first)
    behind, grown = len(old) - tail, len(new) - len(old)
    for _ in range(min(first - 1, _FAR)):
        at_line_end = old[first : first + 1] == "\n"
        pure, same = first == behind or first == behind + grown, old[first - 1]
        last = new[first + grown - 1] if first == behind else old[behind - 1]
        if at_line_end or not pure or not grown or same != last:
            break
        first, behind = first - 1, behind - 1
    return first, behind


def common(a: str, b: str, limit: int) -> int:
    """Return how many characters two texts begin with in common, at most `limit`."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
