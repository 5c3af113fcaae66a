"""Commands: one edit of a scene each, with a title and the Patch that makes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from twin.catalog import Catalog
from twin.plant.build import plant_of
from twin.plant.tables import Plant
from twin.scenario import Document, Patch, Scenario
from twin.scenario.schema.scene_catalog import catalog_of


class CommandError(ValueError):
    """A command cannot be done: one sentence that says why, and what is allowed.

    Parameters
    ----------
    reason
        Such as "rack gpu/0/3 is full: 2 U are free and DGX-H100 needs 8".
    hint
        What to do instead; "" when the reason says it.
    """

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(f"{reason}; {hint}" if hint else reason)
        self.reason, self.hint = reason, hint


@dataclass(frozen=True)
class EditedScene:
    """The scene that a command changes.

    Attributes
    ----------
    document
        Text and scenario of the scene.
    plant
        The plant built from it.
    catalog
        The catalogue of parts.
    """

    document: Document
    plant: Plant
    catalog: Catalog

    @classmethod
    def of(
        cls, document: Document, plant: Plant | None = None, catalog: Catalog | None = None
    ) -> EditedScene:
        """Return the scene of a document; builds the plant unless one is given."""
        catalog = catalog or catalog_of(document.scenario)
        return cls(document, plant_of(document.scenario, catalog) if plant is None else plant, catalog)

    @property
    def scenario(self) -> Scenario:
        """Return the scenario of the document."""
        return self.document.scenario


class Command(Protocol):
    """One edit of a scene, not yet made."""

    @property
    def title(self) -> str:
        """Return the title for the undo menu: "Move 3 racks"."""
        ...

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes that the command makes in this scene.

        Raises
        ------
        CommandError
            When the command does not apply to this scene.
        """
        ...


@dataclass(frozen=True)
class Given:
    """A command with given changes: of a pasted text, a value set by its path, an exclusion."""

    done: Patch

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return self.done.title

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes as they were given."""
        return self.done
