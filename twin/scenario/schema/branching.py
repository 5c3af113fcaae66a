"""Where a branch leaves the run that it was cut from."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from twin.scenario.schema.base import DocumentPart
from twin.scenario.schema.quantity import Duration

EventHash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{1,128}$")]


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
