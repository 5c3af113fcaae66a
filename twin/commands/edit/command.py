"""What a person does to a scene: a Command knows its name and, for a scene, the Patch that does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from twin.catalog import Catalog, load_catalog
from twin.plant.build import plant_of
from twin.plant.tables import Plant
from twin.scenario import Document, Patch, Scenario


class CommandError(ValueError):
    """A command cannot be done: one sentence that says why, and what would be right.

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
    """What a command is done to: the scene as it stands now.

    Attributes
    ----------
    document
        Its text and scenario.
    plant
        What stands in the halls.
    catalog
        Parts there are.
    """

    document: Document
    plant: Plant
    catalog: Catalog

    @classmethod
    def of(
        cls, document: Document, plant: Plant | None = None, catalog: Catalog | None = None
    ) -> EditedScene:
        """Return the scene of a document; builds the plant unless one is given."""
        catalog = catalog or load_catalog()
        return cls(document, plant_of(document.scenario, catalog) if plant is None else plant, catalog)

    @property
    def scenario(self) -> Scenario:
        """Return the scenario of the document."""
        return self.document.scenario


class Command(Protocol):
    """One edit, not yet done."""

    @property
    def title(self) -> str:
        """Return what is done, as the undo menu says it: "Move 3 racks"."""
        ...

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes that do it in this scene.

        Raises
        ------
        CommandError
            When it cannot be done here.
        """
        ...


@dataclass(frozen=True)
class Given:
    """A command whose changes are known already: of a text pasted, a value set by its path, an exclusion."""

    done: Patch

    @property
    def title(self) -> str:
        """Return what is done."""
        return self.done.title

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes as they were given."""
        return self.done
