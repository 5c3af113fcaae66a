"""Edits of what fails in a scene: causes on and off, rates of the catalogue, all of it on and off."""

from __future__ import annotations

from dataclasses import dataclass

from twin.commands.edit.changes import Changes, value_at
from twin.commands.edit.command import EditedScene
from twin.language import tr
from twin.scenario import Patch
from twin.scenario.text.emit import flow

_OFF = "failures.off"


@dataclass(frozen=True)
class SwitchCause:
    """Let a cause of failure act, or not.

    Parameters
    ----------
    cause
        Its id.
    on
        Whether it acts.
    name
        For people.
    """

    cause: str
    on: bool
    name: str

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Switch {word} failures by {name}", word="on" if self.on else "off", name=self.name)

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        changes = Changes(scene)
        off = [cause for cause in scene.scenario.failures.off if cause != self.cause]
        if not self.on:
            off.append(self.cause)
        if off or scene.scenario.extends is not None:
            changes.text(_OFF, flow(off))
        elif value_at(scene, _OFF) is not None:
            changes.take(_OFF)
        return changes.patch(self.title)


@dataclass(frozen=True)
class UseCatalogRates:
    """Take the causes of failure of the catalogue, or only those of the scene."""

    on: bool = True

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return (
            tr("Use the catalogue's failure rates")
            if self.on
            else tr("Use no failure rates of the catalogue")
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes; failures that were off are on then."""
        changes = Changes(scene)
        changes.set("failures.rates", "catalog" if self.on else "scene")
        if self.on and not scene.scenario.failures.enabled:
            changes.set("failures.enabled", True)
        kept = {
            cause.id
            for cause in scene.scenario.failures.causes
            if value_at(scene, f"failures.causes[{cause.id}]")
        }
        if not self.on and (off := scene.scenario.failures.off):
            changes.text(_OFF, flow([cause for cause in off if cause in kept]))
        return changes.patch(self.title)


@dataclass(frozen=True)
class LetFail:
    """Let what can fail do so, or let nothing fail by itself."""

    on: bool

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Switch on random failures") if self.on else tr("Switch off random failures")

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        changes = Changes(scene)
        changes.set("failures.enabled", self.on)
        return changes.patch(self.title)
