"""Things that a person works on together: picked as one, moved as one, shown under one name."""

from __future__ import annotations

from pydantic import Field

from twin.scenario.schema.base import DocumentPart, Id, ItemId


class Group(DocumentPart):
    """A named group; it changes nothing in a run."""

    id: Id = Field(description="permanent id of the group")
    title: str = Field(default="", max_length=200, description="display name")
    members: tuple[ItemId, ...] = Field(
        min_length=1,
        max_length=5000,
        description="rows, racks, nodes, loops, power items, or whole generators",
    )
