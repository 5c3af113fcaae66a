"""Where a branch leaves the run that it was cut from, and edits of a hall that runs: patches with their times."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from twin.scenario.schema.base import DocumentPart, Id
from twin.scenario.schema.quantity import Duration, Moment

MOST_CHANGES = 20_000
AT_ONCE_S = 2e-3
"""What people do now acts at most so much later than it was asked for [simulated s]."""

EventHash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{1,128}$")]
ChangePath = Annotated[str, StringConstraints(min_length=1, max_length=400)]
ChangeText = Annotated[str, StringConstraints(max_length=200_000)]


class BranchPoint(DocumentPart):
    """The time of a run from which a scene goes its own way; what the run was before is the same."""

    at_s: Duration = Field(alias="at", ge=0, description="branch time, after the start")
    run: str = Field(max_length=200, description="run file that it branches from")
    events: int = Field(ge=0, description="events of the run before it")
    event_hash: EventHash = Field(alias="hash", description="hash of these events")
    own_parts: EventHash | None = Field(
        default=None,
        alias="parts",
        description="hash of the own parts and models of the run; none: it had none",
    )


class EditChange(DocumentPart):
    """One value of the scene, set or taken away."""

    path: ChangePath = Field(description="where, such as halls[hall].overrides[gpu/0/3].absent")
    value: ChangeText | None = Field(
        default=None,
        description="the new value as YAML text, such as 'true' or '20 s'; none: removed",
    )


class Edit(DocumentPart):
    """What a person changed in the scene while it ran; until then the scene is as the file says above."""

    id: Id = Field(description="name of the edit")
    at_s: Moment = Field(alias="at", ge=0, description="after the start")
    title: str = Field(default="", max_length=200, description="title of the edit")
    changes: tuple[EditChange, ...] = Field(
        min_length=1, max_length=MOST_CHANGES, description="changes in order; they act together"
    )
