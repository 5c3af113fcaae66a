"""Automatic wiring: network, power and cooling of unconnected items; connections made by hand stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from twin.commands.edit.changes import Changes
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.wiring.auto_coolant import wire_coolant
from twin.commands.wiring.auto_fabric import wire_fabric
from twin.commands.wiring.auto_power import wire_power, wire_roots
from twin.commands.wiring.redundancy import PowerMeans
from twin.commands.wiring.unconnected import Connection, Loose, wired
from twin.language import tr
from twin.scenario import Change, Document, Patch, Scenario, ScenarioError
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
        1: A alone, 2: A and B; None: as the power target of the site asks.
    add
        Whether switches, PDUs, CDUs and air handlers may be added where there are too few.
    only
        Ids of the generators and machines to connect; None: all unconnected ones.
    """

    connection: Literal["fabric", "power", "coolant", "all"] = "all"
    rule: Literal["rail-optimised", "leaf-spine"] = "rail-optimised"
    oversubscription: float = 1.0
    feeds: int | None = None
    add: bool = False
    only: frozenset[str] | None = None

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        words = {"fabric": tr("the network"), "power": "power", "coolant": "cooling", "all": "everything"}
        return tr("Wire {words} automatically", words=words[self.connection])

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes.

        Of all connections those are made that can be.

        Raises
        ------
        CommandError
            When nothing can be connected, with the first reason.
        """
        made, after, refused = self._made(scene)
        if not made:
            raise refused[0] if refused else CommandError(tr("everything is connected already"))
        return Patch(made + _stated(scene.scenario, after.scenario), self.title)

    def missing(self, scene: EditedScene) -> tuple[str, ...]:
        """Return why some of it cannot be connected: what equipment is missing."""
        return tuple(refusal.reason for refusal in self._made(scene)[2])

    def _made(self, scene: EditedScene) -> tuple[tuple[Change, ...], Document, list[CommandError]]:
        """Return the changes, the scene after them, and why others cannot be made."""
        kinds: tuple[Connection, ...] = ("fabric", "coolant", "power")
        wanted = kinds if self.connection == "all" else (self.connection,)
        made: tuple[Change, ...] = ()
        after, refused = scene.document, []
        alone = len(wanted) == 1 and not self.add  # nothing is built on it: who lands it sees whether it fits
        for kind in (*wanted, *(("roots",) if self.add and "power" in wanted else ())):
            if after is not scene.document:
                scene = EditedScene.of(after, catalog=scene.catalog)
            changes = Changes(scene, self.only)
            try:
                if not self._wire(kind, changes):
                    continue
                more = changes.patch(self.title)
                after = after if alone else patch_text.apply(after, more)
            except CommandError as error:
                refused.append(error)
            except ScenarioError as error:
                refused.append(CommandError(str(error.problems[0].reason), error.problems[0].hint))
            else:
                made += more.changes
        return made, after, refused

    def _wire(self, kind: str, changes: Changes) -> int:
        """Connect one kind of supply; return how many were connected."""
        target = changes.scene.scenario.site.redundancy
        if kind == "fabric":
            return wire_fabric(changes, self.rule, self.oversubscription, self.add, target.network or "N")
        if kind == "coolant":
            return wire_coolant(changes, self.add, target.cooling or "N")
        # Who asks for nothing gets one chain, and racks their two cords.
        feeds = self.feeds or (2 if target.power is None else None)
        means = PowerMeans.of(target.power or "N", feeds)
        return wire_roots(changes, means) if kind == "roots" else wire_power(changes, means, self.add)


def _stated(before: Scenario, now: Scenario) -> tuple[Change, ...]:
    """Return the changes that state N as the target of what was built from nothing, where nobody has said more."""
    built = {
        "power": bool(now.power) and not before.power,
        "cooling": bool(now.cooling.plants) and not before.cooling.plants,
        "network": bool(now.fabrics) and not before.fabrics,
    }
    asked = before.site.redundancy
    return tuple(
        Change(f"site.redundancy.{system}", "N")
        for system, anew in built.items()
        if anew and getattr(asked, system) is None
    )
