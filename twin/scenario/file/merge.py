"""Two people's changes of one scene as one: those of B put into the text of A, which keeps its comments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from twin.scenario.file.diff import Difference, differences, entries_at
from twin.scenario.file.load import Document
from twin.scenario.file.patch_text import edit
from twin.scenario.text.emit import flow
from twin.scenario.text.patch import Change, Patch
from twin.scenario.text.path import split

Side = Literal["a", "b"]
_OWN = ("own_parts[", "own_models[")


@dataclass(frozen=True)
class MergeConflict:
    """What both changed, and not alike.

    Parameters
    ----------
    path
        The outer of the two places: a whole thing, where one side took it away.
    a, b
        What each side changed there.
    """

    path: str
    a: Difference
    b: Difference


@dataclass(frozen=True)
class MergedScene:
    """What comes of two scenes.

    Parameters
    ----------
    document
        A with the changes of B in it, those in conflict left out unless B's were asked for.
    from_a, from_b
        What each side changed since the base; what both changed alike is A's.
    conflicts
        What neither side was asked for.
    of_files
        What B changed in files of its own parts and models: these are no part of the text.
    """

    document: Document
    from_a: tuple[Difference, ...]
    from_b: tuple[Difference, ...]
    conflicts: tuple[MergeConflict, ...]
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
    of_a, of_b = differences(base.scenario, a.scenario), differences(base.scenario, b.scenario)
    asked = take or {}
    changes: list[Change] = []
    from_b: list[Difference] = []
    conflicts: list[MergeConflict] = []
    lists: dict[str, list[Difference]] = defaultdict(list)
    of_files = tuple(difference for difference in of_b if difference.path.startswith(_OWN))
    for difference in of_b:
        if difference in of_files:
            continue
        rival = next((candidate for candidate in of_a if _meet(candidate.path, difference.path)), None)
        if _is_entry(difference):
            if rival is not None and not _is_entry(rival):
                _settle(
                    MergeConflict(_outer(rival, difference), rival, difference),
                    asked,
                    conflicts,
                    changes,
                    from_b,
                )
            elif difference not in of_a:
                lists[difference.path].append(difference)
                from_b.append(difference)
        elif rival is None:
            changes.append(_change(difference))
            from_b.append(difference)
        elif rival.path != difference.path or rival.new != difference.new:
            _settle(
                MergeConflict(_outer(rival, difference), rival, difference), asked, conflicts, changes, from_b
            )
    changes += [_list_change(a, path, entries) for path, entries in lists.items()]
    document = edit(a, Patch(tuple(changes)), sparing=True)[0] if changes else a
    return MergedScene(document, tuple(of_a), tuple(from_b), tuple(conflicts), of_files)


def _settle(
    conflict: MergeConflict,
    take: Mapping[str, Side],
    conflicts: list[MergeConflict],
    changes: list[Change],
    from_b: list[Difference],
) -> None:
    """Decide a conflict as it was asked, or keep it."""
    side = take.get(conflict.path, take.get(""))
    if side is None:
        conflicts.append(conflict)
    elif side == "b":
        changes.append(_change(conflict.b))
        from_b.append(conflict.b)


def _change(difference: Difference) -> Change:
    return Change(difference.path, None if difference.new is None else flow(difference.new))


def _is_entry(difference: Difference) -> bool:
    """Return whether it is an entry that came to a list without ids, or went: all of a list have the same path."""
    return difference.path.endswith(("interventions", "links")) and isinstance(
        difference.new if difference.new is not None else difference.old, dict
    )


def _list_change(a: Document, path: str, entries: list[Difference]) -> Change:
    """Return the list of A with the entries that B added, without those that B took away."""
    kept = entries_at(a.scenario, path)
    for difference in entries:
        if difference.new is None and difference.old in kept:
            kept.remove(difference.old)
        elif difference.new is not None:
            kept.append(difference.new)
    return Change(path, flow(kept))


def _meet(first: str, second: str) -> bool:
    """Return whether one place lies in the other, or is it."""
    a, b = split(first), split(second)
    shorter = min(len(a), len(b))
    return a[:shorter] == b[:shorter]


def _outer(a: Difference, b: Difference) -> str:
    return min((a.path, b.path), key=lambda path: len(split(path)))
