"""The runbook: what to look at and what to do about each kind of alarm, and what an automatic response does."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from twin.record.event_kinds import KINDS as EVENTS
from twin.resources import ResourceError, shipped_mapping
from twin.scenario.schema.base import DocumentPart
from twin.scenario.schema.fault_kinds import KINDS as FAULTS

FILE = "assets/runbook.yaml"


class RunbookAct(DocumentPart):
    """One thing that the automatic response does about the subject of an alarm."""

    act: Literal["repair", "replace", "requeue", "cap"] = Field(
        description="repair: send a technician to it; replace: move work off its node where that pays; requeue: start "
        "the job again; cap: limit its power"
    )
    of: tuple[str, ...] = Field(default=(), description="only of such subjects: gpu, node, loop, ...")
    value: float | None = Field(default=None, gt=0, le=1, description="cap: share of what it draws now")

    def is_for(self, kind: str) -> bool:
        """Return whether it can be done about a thing of a kind: a technician mends no GPU, only jobs start again."""
        if self.of and kind not in self.of:
            return False
        on = {"repair": FAULTS["repair"].targets, "replace": ("gpu", "node"), "requeue": ("job",)}
        return kind in on.get(self.act, (kind,))


class RunbookEntry(DocumentPart):
    """What to do about some kinds of alarms."""

    alarms: tuple[str, ...] = Field(min_length=1, description="kinds of events")
    title: str = Field(description="one line")
    look: tuple[str, ...] = Field(min_length=1, description="what to look at, in order")
    do: tuple[str, ...] = Field(min_length=1, description="what to do, in order")
    acts: tuple[RunbookAct, ...] = Field(default=(), description="the automatic response; none: nothing")
    also: tuple[RunbookAct, ...] = Field(
        default=(),
        description="what people may do as well or instead, as `do` says; the automatic response does not",
    )


class Runbook(DocumentPart):
    """All of it."""

    format: Literal["twin/runbook"]
    version: Literal[1]
    sources: tuple[str, ...] = Field(min_length=1, description="where it comes from")
    entries: tuple[RunbookEntry, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _once(self) -> Runbook:
        named = [alarm for entry in self.entries for alarm in entry.alarms]
        twice = next((alarm for alarm in named if named.count(alarm) > 1), None)
        unknown = next((alarm for alarm in named if alarm not in EVENTS), None)
        if twice is not None:
            raise ValueError(f"two entries are about {twice!r}")
        if unknown is not None:
            raise ValueError(f"{unknown!r} is no kind of event")
        return self

    def entry(self, alarm: str) -> RunbookEntry | None:
        """Return what to do about a kind of alarm; None: nothing is said."""
        return next((entry for entry in self.entries if alarm in entry.alarms), None)


@lru_cache(maxsize=1)
def load_runbook() -> Runbook:
    """Return the shipped runbook; raises `ResourceError` when its file is missing or wrong."""
    try:
        return Runbook.model_validate(dict(shipped_mapping(FILE)))
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        key = ".".join(map(str, first["loc"]))
        raise ResourceError(FILE, key, first["msg"].removeprefix("Value error, ")) from None
