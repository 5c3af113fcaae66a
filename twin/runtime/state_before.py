"""Snapshots right behind an act of people: the state before it, and the act; so one state serves file and undo."""

from __future__ import annotations

from dataclasses import dataclass

from twin.record.scenario_json import part_from_json, part_to_json
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention

_HEADS: dict[bytes, type[Intervention] | type[Edit]] = {b"\0intervention": Intervention, b"\0edit": Edit}
"""What such a snapshot begins with; one of an engine never does."""
_SIZE_BYTES = 4


@dataclass(frozen=True)
class StateBefore:
    """A state of an engine, and what the run was asked for then and there.

    Parameters
    ----------
    state
        What `RunEngine.snapshot` returned before.
    act
        None: nothing.
    """

    state: bytes
    act: Intervention | Edit | None = None

    def data(self) -> bytes:
        """Return both as a snapshot of a run file."""
        if self.act is None:
            return self.state
        text = part_to_json(self.act).encode()
        head = next(head for head, kind in _HEADS.items() if isinstance(self.act, kind))
        return head + len(text).to_bytes(_SIZE_BYTES, "big") + text + self.state

    @classmethod
    def of(cls, snapshot: bytes) -> StateBefore:
        """Return what a snapshot of a run file holds; raises `ValueError` where its act is damaged."""
        head = next((head for head in _HEADS if snapshot.startswith(head)), None)
        if head is None:
            return cls(snapshot)
        begin = len(head) + _SIZE_BYTES
        end = begin + int.from_bytes(snapshot[len(head) : begin], "big")
        return cls(snapshot[end:], part_from_json(_HEADS[head], snapshot[begin:end]))


def holds(scenario: Scenario, act: Intervention | Edit) -> bool:
    """Return whether a scene has an act: a run of it is asked for it by the scene."""
    if isinstance(act, Edit):
        return any(edit.id == act.id for edit in scenario.edits)
    return act in scenario.interventions
