"""A finding of the design rules that is accepted as it is, with the reason why."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from twin.scenario.schema.base import DocumentPart, Id

EVERYTHING = "*"
"""Target of an exclusion that means whatever its rule finds."""


class Exclusion(DocumentPart):
    """What a rule finds at a target is told apart from the others and counts for nothing."""

    id: Id = Field(description="permanent id of this entry: scenes that extend this one keep or overwrite it")
    rule: Id = Field(description="id of the rule, as twin check gives it, such as cable-reach")
    target: Annotated[str, StringConstraints(min_length=1, max_length=200)] = Field(
        description="id of the component, the key of the finding, or * for all findings of the rule"
    )
    comment: Annotated[str, StringConstraints(min_length=1, max_length=2000)] = Field(
        description="why it is accepted"
    )
