"""Rows and overrides of a scene that its file says as it did before an edit: they are the objects read then.

A hall has many of them and an edit changes few. To read them costs time, and so does to compare two scenes in which all
of them are equal but none is the same.
"""

from __future__ import annotations

import marshal
from dataclasses import dataclass, field
from typing import Any

from twin.scenario.document import Scenario
from twin.scenario.site import Hall, Override, Rows


@dataclass(frozen=True)
class ReadBefore:
    """Rows, and overrides with their items, by all that the file says of each."""

    rows: dict[bytes, Rows] = field(default_factory=dict)
    overrides: dict[bytes, Override] = field(default_factory=dict)

    @classmethod
    def of(cls, plain: Any, scenario: Scenario) -> ReadBefore:
        """Return those of a scene, and of the plain content of its file."""
        found = cls()
        for said, hall in zip(plain["halls"], scenario.halls, strict=True):
            found.rows.update(zip(map(_said, said.get("rows", ())), hall.rows, strict=True))
            overrides = map(_said, said.get("overrides", {}).items())
            found.overrides.update(zip(overrides, hall.overrides.values(), strict=True))
        return found

    def left(self, plain: Any) -> Any:
        """Return the plain content of a file without what is known; whatever else it is stays as it is."""
        halls = plain.get("halls")
        if not isinstance(halls, list) or not (self.rows or self.overrides):
            return plain
        return plain | {"halls": [self._left(hall) if isinstance(hall, dict) else hall for hall in halls]}

    def with_known(self, plain: Any, scenario: Scenario) -> Scenario:
        """Return the scene read of what is `left` of a file with all that the file says."""
        if not (self.rows or self.overrides):
            return scenario
        halls = [self._whole(said, hall) for said, hall in zip(plain["halls"], scenario.halls, strict=True)]
        return scenario.model_copy(update={"halls": tuple(halls)})

    def _left(self, said: dict[str, Any]) -> dict[str, Any]:
        left = dict(said)
        if isinstance(said.get("rows"), list):
            left["rows"] = [one for one in said["rows"] if _said(one) not in self.rows]
        if isinstance(said.get("overrides"), dict):
            items = said["overrides"].items()
            left["overrides"] = {key: one for key, one in items if _said((key, one)) not in self.overrides}
        return left

    def _whole(self, said: dict[str, Any], hall: Hall) -> Hall:
        update: dict[str, object] = {}
        if "rows" in said:
            new = iter(hall.rows)
            update["rows"] = tuple(self.rows.get(_said(one)) or next(new) for one in said["rows"])
        if "overrides" in said:
            items = said["overrides"].items()
            update["overrides"] = {
                key: self.overrides.get(_said((key, one))) or hall.overrides[key] for key, one in items
            }
        return hall.model_copy(update=update)


def _said(plain: Any) -> bytes:
    """Return plain content as a key; 1, 1.0 and true are not the same to a reader."""
    return marshal.dumps(plain, 2)
