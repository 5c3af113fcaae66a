"""Two people's changes of one scene as one: those of B put into the text of A, which keeps its comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from twin.scenario.file.diff import Difference, differences, value_at
from twin.scenario.file.load import Document
from twin.scenario.file.patch_text import edit
from twin.scenario.text.emit import flow
from twin.scenario.text.patch import Change, Patch
from twin.scenario.text.path import split

Side = Literal["a", "b"]
_OWN = ("own_parts[", "own_models[")


@dataclass(frozen=True)
class MergeConflict:
    """A place at which both changed something, and not alike.

    Parameters
    ----------
    path
        The outermost of the places: a whole thing, where one side took it away or put it in.
    a, b
        What each side changed there.
    """

    path: str
    a: tuple[Difference, ...]
    b: tuple[Difference, ...]


@dataclass(frozen=True)
class MergedScene:
    """What comes of two scenes.

    Parameters
    ----------
    document
        A with the changes of B in it; at places of conflict as was asked, else as A has it.
    from_a, from_b
        What each side changed since the base; what both changed alike is A's.
    conflicts
        All of them, in the order of the places.
    undecided
        Those for which neither side was asked.
    of_files
        What B changed in files of its own parts and models: these are no part of the text.
    """

    document: Document
    from_a: tuple[Difference, ...]
    from_b: tuple[Difference, ...]
    conflicts: tuple[MergeConflict, ...]
    undecided: tuple[MergeConflict, ...]
    of_files: tuple[Difference, ...] = ()


def merged(base: Document, a: Document, b: Document, take: Mapping[str, Side] | None = None) -> MergedScene:
    """Return A with the changes that B made since the base.

    Parameters
    ----------
    base
        What both began with.
    a, b
        What they made of it.
    take
        Whose value counts at the path of a conflict; "" stands for all others.

    Raises
    ------
    ScenarioError
        When the changes of both are no valid scene together.
    """
    of_a = differences(base.scenario, a.scenario)
    of_b = [difference for difference in differences(base.scenario, b.scenario) if difference not in of_a]
    of_files = tuple(difference for difference in of_b if difference.path.startswith(_OWN))
    from_b = tuple(difference for difference in of_b if difference not in of_files)
    conflicts = tuple(
        MergeConflict(place, _within(place, of_a), _within(place, from_b))
        for place in _conflict_places(base, of_a, from_b, a, b)
    )
    asked = {conflict.path: (take or {}).get(conflict.path, (take or {}).get("")) for conflict in conflicts}
    free = [difference for difference in from_b if not any(_meet(path, difference.path) for path in asked)]
    changes = [_change(difference) for difference in free if not _is_entry(difference)]
    for path in dict.fromkeys(difference.path for difference in free if _is_entry(difference)):
        entries = [difference for difference in free if difference.path == path]
        changes.append(Change(path, flow(_with_entries(value_at(a.scenario, path) or [], entries))))
    for path, side in asked.items():
        if side == "b":
            value = value_at(b.scenario, path)
            changes.append(Change(path, None if value is None else flow(value)))
    document = edit(a, Patch(tuple(changes)), sparing=True)[0] if changes else a
    undecided = tuple(conflict for conflict in conflicts if asked[conflict.path] is None)
    return MergedScene(document, tuple(of_a), from_b, conflicts, undecided, of_files)


def _conflict_places(
    base: Document, of_a: Sequence[Difference], of_b: Sequence[Difference], a: Document, b: Document
) -> list[str]:
    """Return the outermost places at which both changed something, and not alike."""
    found: list[str] = []
    for difference in of_b:
        for rival in of_a:
            entries = _is_entry(rival) and _is_entry(difference)
            if _meet(rival.path, difference.path) and (
                not entries or _same_entry_changed(difference.path, base, a, b)
            ):
                found.append(min((rival.path, difference.path), key=lambda path: len(split(path))))
    outermost: list[str] = []
    for place in sorted(dict.fromkeys(found), key=lambda path: len(split(path))):
        if not any(_meet(outer, place) for outer in outermost):
            outermost.append(place)
    return outermost


def _same_entry_changed(path: str, base: Document, a: Document, b: Document) -> bool:
    """Return whether both took the same entry out of a list without ids, and then went different ways.

    An entry that is changed goes, and comes again: nothing but its absence tells that both meant the same one.
    """
    before, left, right = (value_at(side.scenario, path) or [] for side in (base, a, b))
    gone = [entry for entry in before if entry not in left and entry not in right]
    news = [[entry for entry in side if entry not in before] for side in (left, right)]
    return bool(gone) and news[0] != news[1]


def _within(place: str, changed: Sequence[Difference]) -> tuple[Difference, ...]:
    return tuple(difference for difference in changed if _meet(place, difference.path))


def _change(difference: Difference) -> Change:
    return Change(difference.path, None if difference.new is None else flow(difference.new))


def _is_entry(difference: Difference) -> bool:
    """Return whether it is an entry that came to a list without ids, or went: all of a list have the same path."""
    return difference.path.endswith(("interventions", "links")) and isinstance(
        difference.new if difference.new is not None else difference.old, dict
    )


def _with_entries(entries: list[Any], changed: Sequence[Difference]) -> list[Any]:
    """Return entries with those that came and without those that went."""
    kept = list(entries)
    for difference in changed:
        if difference.new is None and difference.old in kept:
            kept.remove(difference.old)
        elif difference.new is not None:
            kept.append(difference.new)
    return kept


def _meet(first: str, second: str) -> bool:
    """Return whether one place lies in the other, or is it."""
    a, b = split(first), split(second)
    shorter = min(len(a), len(b))
    return a[:shorter] == b[:shorter]
