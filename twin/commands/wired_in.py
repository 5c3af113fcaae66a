"""New things are connected as they come: to the nearest loop, feeds and network that have room, in the same step."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from twin.commands.auto_wire import AutoWire, wired
from twin.commands.command import Command, CommandError, Scene
from twin.commands.names import hardware
from twin.plant.error import PlantError
from twin.scenario import Change, Patch, ScenarioError
from twin.scenario.splice import edit
from twin.scenario.write import flow

_REST: tuple[Literal["coolant", "power"], ...] = ("coolant", "power")


@dataclass(frozen=True)
class WiredIn:
    """A command that brings things, and what connects those.

    What has no room for them, or is not there at all, is left out: design rules tell what is still loose.

    Parameters
    ----------
    brings
        The command.
    """

    brings: Command

    @property
    def title(self) -> str:
        """Return what is done."""
        return self.brings.title

    def patch(self, scene: Scene) -> Patch:
        """Return the changes of the command, and those that connect what it brings."""
        patch = self.brings.patch(scene)
        try:
            document = edit(scene.document, patch)[0]
        except ScenarioError:
            return patch  # whoever lands it says why it does not fit
        new = frozenset(hardware(document.scenario) - hardware(scene.scenario))
        if not new:
            return patch
        brought = Scene.of(document, catalog=scene.catalog)
        made, after = _joined(brought, new) or _landed(brought, [AutoWire("fabric", only=new)])
        # What cools new things and what feeds them is chosen from the same scene: neither looks at the other.
        rest, _ = _landed(after, [AutoWire(what, only=new) for what in _REST])
        return Patch(patch.changes + made + rest, patch.title)


def _landed(scene: Scene, wishes: Sequence[Command]) -> tuple[tuple[Change, ...], Scene]:
    """Return the changes of those wishes that can be done, and the scene after them."""
    found: list[tuple[Change, ...]] = []
    for wish in wishes:
        with suppress(CommandError, ScenarioError):
            found.append(wish.patch(scene).changes)
    together = tuple(change for changes in found for change in changes)
    done: tuple[Change, ...] = ()
    document = scene.document
    for changes in (together, *found) if found else ():
        with suppress(ScenarioError):
            document, done = edit(document, Patch(changes))[0], done + changes
        if done == together:
            break
    return (done, Scene.of(document, catalog=scene.catalog)) if done else ((), scene)


def _joined(scene: Scene, new: frozenset[str]) -> tuple[tuple[Change, ...], Scene] | None:
    """Return the change that puts new rows into a network that stands, and the scene after it.

    Its switches have ports, or are as many as it takes; None: no network has room.
    """
    loose = [one.id for one in wired(scene) if one.what == "fabric" and one.id in new]
    for fabric in scene.scenario.fabrics:
        if fabric.kind == "explicit" or not fabric.rows or not loose:
            continue
        changes = (Change(f"fabrics[{fabric.id}].rows", flow([*fabric.rows, *loose])),)
        try:
            after = Scene.of(edit(scene.document, Patch(changes))[0], catalog=scene.catalog)
        except (ScenarioError, PlantError):
            continue  # no port is left, or cards of another speed
        if not any(one.what == "fabric" and one.id in loose for one in wired(after)):
            return changes, after
    return None
