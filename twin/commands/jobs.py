"""Adds a job to the queue of the scene."""

from __future__ import annotations

from dataclasses import dataclass

from twin.commands.edit.changes import Changes
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.edit.names import fresh
from twin.language import tr
from twin.scenario import Patch

_EVERY = "30 min"
"""Between checkpoints. A rule such as Daly's goes by the failures of the scene: where none are described it would
never write one, and the first fault by hand would cost all that was done."""
_NO_STORE = f"checkpoint: {{interval: {_EVERY}, tiers: [{{to: peer}}]}} # to other nodes: there is no store"


@dataclass(frozen=True)
class AddJob:
    """Put a job into the queue of the scene.

    Parameters
    ----------
    text
        Nodes and workload as lines of a scenario's job.
    name
        Name for people; the id is made of it.
    saves
        Whether it writes checkpoints: to the first store of the scene, or into the memory of other nodes where
        there is none. A load has no state to save.
    """

    text: str
    name: str = tr("Job")
    saves: bool = True

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Add job {name}", name=self.name)

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        scenario = scene.scenario
        if not scene.plant.gpus.present.any():
            raise CommandError(
                tr("the halls hold no GPU that it could run on"), tr("put racks into a hall first")
            )
        taken = {load.id for load in scenario.jobs} | {load.id for load in scenario.streams}
        id = fresh(taken, self.name)
        lines = [f"id: {id}", f'title: "{self.name}"', self.text.rstrip("\n")]
        if self.saves:
            store = next((storage.id for storage in scenario.storage), None)
            lines.append(
                _NO_STORE if store is None else f"checkpoint: {{interval: {_EVERY}, storage: {store}}}"
            )
        changes = Changes(scene)
        changes.text(f"jobs[{id}]", "\n".join(lines) + "\n")
        return changes.patch(self.title)
