"""Cache of what an edit of a file left unchanged, of halls each row and override: their objects are reused.

There are many of them and an edit changes few. To read them costs time, and so does to compare two scenes in which all
of them are equal but none is the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from twin.scenario.schema.document import Scenario
from twin.scenario.schema.site import Hall, Override, RowGenerator


@dataclass(frozen=True)
class ReadBefore:
    """Objects read before, by the plain content of each; of overrides with the item first.

    Of other keys of the file the plain content and the value, by name.
    """

    keys: dict[str, tuple[str, object]] = field(default_factory=dict)
    halls: dict[str, Hall] = field(default_factory=dict)
    rows: dict[str, RowGenerator] = field(default_factory=dict)
    overrides: dict[str, Override] = field(default_factory=dict)


class ParsedFile:
    """The part of a file that has to be read again.

    Parameters
    ----------
    plain
        Its plain content.
    before
        What was read of it already.

    Attributes
    ----------
    left
        The plain content without what is known; where it is no scenario it is as it was.
    """

    def __init__(self, plain: Any, before: ReadBefore) -> None:
        self._before = before
        halls = plain.get("halls")
        self._halls = [_HallText(hall) for hall in halls] if isinstance(halls, list) else []
        self._keys = {key: _key(plain[key]) for key in _KEYS if key in plain}
        self._known = {key for key, text in self._keys.items() if before.keys.get(key, ("",))[0] == text}
        self.left = {key: value for key, value in plain.items() if key not in self._known}
        if self._halls:
            self.left["halls"] = [hall.left(before) for hall in self._halls]

    def whole(self, scenario: Scenario) -> tuple[Scenario, ReadBefore]:
        """Return the whole scene, and the cache for the next edit.

        Parameters
        ----------
        scenario
            Read of what is `left`.
        """
        known = ReadBefore()
        halls = [
            hall_text.whole(hall, self._before, known)
            for hall_text, hall in zip(self._halls, scenario.halls, strict=True)
        ]
        update: dict[str, object] = {"halls": tuple(halls)}
        for key, text in self._keys.items():
            name = _KEYS[key]
            value = self._before.keys[key][1] if key in self._known else getattr(scenario, name)
            known.keys[key] = text, value
            update[name] = value
        return scenario.model_copy(update=update), known


_KEYS = {spot.alias or name: name for name, spot in Scenario.model_fields.items() if not spot.is_required()}
"""Names of the fields of a scene that a file may leave out, by key: each is read without the others."""


class _HallText:
    """The text of one hall, with a key for each of its rows and overrides."""

    def __init__(self, plain: Any) -> None:
        self._plain = plain
        rows, overrides = (
            (plain.get("rows"), plain.get("overrides")) if isinstance(plain, dict) else (None, None)
        )
        self._rows = [(_key(row), row) for row in rows] if isinstance(rows, list) else []
        items = overrides.items() if isinstance(overrides, dict) else ()
        self._overrides = [(_key(item), *item) for item in items]

    def left(self, before: ReadBefore) -> Any:
        """Return the hall without rows and overrides read before."""
        left = dict(self._plain) if isinstance(self._plain, dict) else self._plain
        if self._rows:
            left["rows"] = [row for key, row in self._rows if key not in before.rows]
        if self._overrides:
            left["overrides"] = {
                item: override for key, item, override in self._overrides if key not in before.overrides
            }
        return left

    def whole(self, hall: Hall, before: ReadBefore, known: ReadBefore) -> Hall:
        """Return the whole hall, with rows and overrides read before, and add it to the cache."""
        new = iter(hall.rows)
        for key, _ in self._rows:
            known.rows[key] = before.rows.get(key) or next(new)
        for key, item, _ in self._overrides:
            known.overrides[key] = before.overrides.get(key) or hall.overrides[item]
        update: dict[str, object] = {}
        if "rows" in self._plain:
            update["rows"] = tuple(known.rows[key] for key, _ in self._rows)
        if "overrides" in self._plain:
            update["overrides"] = {item: known.overrides[key] for key, item, _ in self._overrides}
        key_of_hall = _key(self._plain)
        known.halls[key_of_hall] = before.halls.get(key_of_hall) or hall.model_copy(update=update)
        return known.halls[key_of_hall]


def _key(plain: Any) -> str:
    """Return a key of plain content that tells 1, 1.0 and true apart."""
    return repr(plain)
