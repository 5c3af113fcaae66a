"""Connecting new items in the same step: to the nearest loop, feeds and network with room."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from twin.catalog import Catalog
from twin.commands.edit.command import Command, CommandError, EditedScene
from twin.commands.edit.names import hardware
from twin.commands.wiring.auto_wire import AutoWire
from twin.commands.wiring.unconnected import unlinked
from twin.plant.error import PlantError
from twin.scenario import Change, Document, Patch, Scenario, ScenarioError
from twin.scenario.checks.fabric_size import cards_of
from twin.scenario.file.patch_text import edit
from twin.scenario.generators.expand import node_counts
from twin.scenario.text.emit import flow

_REST: tuple[Literal["coolant", "power"], ...] = ("coolant", "power")


@dataclass(frozen=True)
class WiredIn:
    """A command that adds items, with the connections of these.

    Connections without room are left out: design rules report the items still unconnected.

    Parameters
    ----------
    brings
        The command.
    """

    brings: Command

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return self.brings.title

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes of the command, and those that connect its items."""
        patch = self.brings.patch(scene)
        try:
            document = edit(scene.document, patch)[0]
        except ScenarioError:
            return patch  # whoever lands it says why it does not fit
        new = frozenset(hardware(document.scenario) - hardware(scene.scenario))
        if not new:
            return patch
        joined = _joined(document, scene.catalog, new)
        if joined is None:
            brought = EditedScene.of(document, catalog=scene.catalog)
            joined = _landed(brought, [AutoWire("fabric", only=new)])
        made, after = joined
        # What cools new things and what feeds them is chosen from the same scene: neither looks at the other.
        rest, _ = _landed(after, [AutoWire(kind, only=new) for kind in _REST])
        return Patch(patch.changes + made + rest, patch.title)


def _landed(scene: EditedScene, wishes: Sequence[Command]) -> tuple[tuple[Change, ...], EditedScene]:
    """Return the changes of those commands that apply, and the scene after them."""
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
    return (done, EditedScene.of(document, catalog=scene.catalog)) if done else ((), scene)


def _joined(
    document: Document, catalog: Catalog, new: frozenset[str]
) -> tuple[tuple[Change, ...], EditedScene] | None:
    """Return the change that puts new rows into a network that stands, and the scene after it.

    Its switches have ports, or are as many as it takes; None: no network has room, or one connects all there is.
    """
    fabrics = document.scenario.fabrics
    loose = _with_cards(document.scenario, catalog, new)
    brought = any(fabric.id in new or not new.isdisjoint(fabric.rows) for fabric in fabrics)
    ruled = [fabric for fabric in fabrics if fabric.kind != "explicit"]
    if not loose or brought or not all(fabric.rows for fabric in ruled):
        return None
    for fabric in ruled:
        changes = (Change(f"fabrics[{fabric.id}].rows", flow([*fabric.rows, *loose])),)
        try:
            after = EditedScene.of(edit(document, Patch(changes))[0], catalog=catalog)
        except (ScenarioError, PlantError):
            continue  # no port is left, or cards of another speed
        if not any(unconnected.id in loose for unconnected in unlinked(after)):
            return changes, after
    return None


def _with_cards(scenario: Scenario, catalog: Catalog, new: frozenset[str]) -> list[str]:
    """Return the new row generators with nodes that have network cards, in the order of the scene."""
    counts = node_counts(scenario, catalog)
    return [
        rows.id
        for hall in scenario.halls
        for rows in hall.rows
        if rows.id in new and any(cards_of(catalog.node(part), catalog)[0] for part in counts[rows.id])
    ]
