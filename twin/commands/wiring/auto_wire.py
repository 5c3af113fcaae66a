"""Automatic wiring: network, power and cooling of unconnected items; connections made by hand stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from twin.commands.edit.changes import Changes
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.wiring.auto_coolant import wire_coolant
from twin.commands.wiring.auto_fabric import wire_fabric
from twin.commands.wiring.auto_power import wire_power
from twin.commands.wiring.unconnected import Loose, wired
from twin.scenario import Patch, ScenarioError
from twin.scenario.file import patch_text

__all__ = ["AutoWire", "Loose", "wired"]


@dataclass(frozen=True)
class AutoWire:
    """Connect items without network, power or cooling.

    Parameters
    ----------
    connection
        Which of the three, or all.
    rule
        Kind of a new fabric.
    oversubscription
        Down-links over up-links of its leaves.
    feeds
        1: A alone, 2: A and B.
    add
        Whether switches, PDUs, CDUs and air handlers may be added where there are too few.
    only
        Ids of the generators and machines to connect; None: all unconnected ones.
    """

    connection: Literal["fabric", "power", "coolant", "all"] = "all"
    rule: Literal["rail-optimised", "leaf-spine"] = "rail-optimised"
    oversubscription: float = 1.0
    feeds: int = 2
    add: bool = False
    only: frozenset[str] | None = None

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        words = {"fabric": "the network", "power": "power", "coolant": "cooling", "all": "everything"}
        return f"Wire {words[self.connection]} automatically"

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        changes = Changes(scene, self.only)
        done = 0
        if self.connection in ("fabric", "all"):
            done += wire_fabric(changes, self.rule, self.oversubscription, self.add)
        if self.connection in ("coolant", "all"):
            done += wire_coolant(changes, self.add)
        if self.connection == "all" and self.add and done:
            return self._powered(scene, changes.patch(self.title))
        if self.connection in ("power", "all"):
            done += wire_power(changes, self.feeds, self.add)
        if not done:
            raise CommandError("everything is connected already")
        return changes.patch(self.title)

    def _powered(self, scene: EditedScene, first: Patch) -> Patch:
        """Return a patch that powers the added equipment, too."""
        try:
            after = EditedScene.of(patch_text.apply(scene.document, first), catalog=scene.catalog)
        except ScenarioError as error:
            raise CommandError(str(error.problems[0].reason), error.problems[0].hint) from error
        changes = Changes(after, self.only)
        more = wire_power(changes, self.feeds, self.add)
        return Patch(first.changes + (changes.patch("").changes if more else ()), self.title)
