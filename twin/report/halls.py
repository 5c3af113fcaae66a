"""The hall of a recorded run as it stood at any time: its scene, and every edit that had acted by then."""

from __future__ import annotations

from twin.analysis.rerun import asked_of
from twin.plant.build import build
from twin.plant.patch import rebuild
from twin.plant.tables import Plant
from twin.record.events import Event
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.scenario.file.apply_edits import edited
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit


class RecordedHalls:
    """Builds the halls of one run, each epoch once.

    Parameters
    ----------
    reader
        Of its file.
    """

    def __init__(self, reader: Reader) -> None:
        scenario = reader.header.scenario
        self._made: list[tuple[Scenario, Plant]] = [(scenario, build(scenario))]
        self._path = reader.path
        asked = (request.done for request in asked_of(reader))
        self._edits = {edit.id: edit for edit in (*scenario.edits, *asked) if isinstance(edit, Edit)}
        self._acted = [event.subject for event in _edits_of(reader)]

    def at(self, epoch: int) -> tuple[Scenario, Plant]:
        """Return scene and plant after so many edits.

        Raises
        ------
        RunFileError
            When the file does not hold an edit that acted.
        """
        while len(self._made) <= epoch:
            number = len(self._made) - 1
            edit = self._edits.get(self._acted[number]) if number < len(self._acted) else None
            if edit is None:
                raise RunFileError(f"{self._path}: the file does not hold edit {number + 1} of the hall")
            scenario, plant = self._made[-1]
            after = edited(scenario, edit.changes)
            self._made.append((after, rebuild(plant, after)))
        return self._made[epoch]


def _edits_of(reader: Reader) -> list[Event]:
    found: list[Event] = []
    row = 0
    while chunk := reader.events(row):
        found += [event for event in chunk if event.kind == "edited"]
        row = chunk[-1].row + 1
    return found
