"""What a button of a chapter changes in the scene: values as --set takes them, and faults at given times."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from twin.commands.edit.command import CommandError, EditedScene
from twin.language import tr
from twin.scenario import Change, Patch
from twin.scenario.file.effective_text import plain
from twin.scenario.schema.faults import Intervention
from twin.scenario.text.emit import flow


@dataclass(frozen=True)
class TryOut:
    """Set some values and add some interventions, as one step.

    Parameters
    ----------
    label
        What the button says; the title of the step.
    settings
        ``PATH=VALUE`` each.
    interventions
        To be added at their times.
    """

    label: str
    settings: tuple[str, ...]
    interventions: tuple[Intervention, ...] = ()

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return self.label

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes.

        Raises
        ------
        CommandError
            When a setting is none.
        """
        changes = []
        for text in self.settings:
            path, equals, value = text.partition("=")
            if not equals:
                raise CommandError(tr("“{text}” is no setting", text=text))
            changes.append(Change(path.strip(), value.strip()))
        taken = {known.id for known in scene.scenario.interventions}
        for intervention in self.interventions:
            id = next(name for number in count(1) if (name := f"tried-{number}") not in taken)
            taken.add(id)
            entry = {"id": id, **plain(intervention, exact=True)}
            changes.append(Change(f"interventions[{id}]", flow(entry)))
        return Patch(tuple(changes), self.title)
