"""What lessons measure: a figure of the recorded run, of the scene, of its design rules, or of what was done."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from twin import units
from twin.record.accounts import ACCOUNTS
from twin.record.channels import BY_ID, SERIES_CHANNELS
from twin.record.event_kinds import KINDS as EVENT_KINDS
from twin.rules import BY_ID as RULES
from twin.scenario.schema import fields
from twin.scenario.schema.base import DocumentPart
from twin.scenario.schema.choice import OneOf
from twin.scenario.schema.fault_kinds import KINDS as FAULT_KINDS
from twin.scenario.schema.quantity import Moment
from twin.scenario.text.path import split

_CHANNELS = tuple(channel.id for channel in SERIES_CHANNELS)
EDIT = "edit"
"""Kind of an act that changes the scene, beside the kinds of faults and interventions."""

Channel = Annotated[str, OneOf(lambda: _CHANNELS)]
EventKind = Annotated[str, OneOf(lambda: EVENT_KINDS)]
Account = Annotated[str, OneOf(lambda: ACCOUNTS)]
RuleId = Annotated[str, OneOf(lambda: RULES)]
ActKind = Annotated[str, OneOf(lambda: (EDIT, *FAULT_KINDS))]
Text = Annotated[str, StringConstraints(min_length=1, max_length=400)]


class _Timed(DocumentPart):
    """Something of the run within a range of its time."""

    since_s: Moment | None = Field(
        default=None,
        alias="from",
        ge=0,
        description="from when, after the start of the run; none: of the step",
    )
    until_s: Moment | None = Field(
        default=None, alias="until", ge=0, description="until when; none: the end of the step"
    )

    @model_validator(mode="after")
    def _in_order(self) -> _Timed:
        if self.since_s is not None and self.until_s is not None and self.until_s < self.since_s:
            raise ValueError("ends before it begins: `until` must be later than `from`")
        return self


class ChannelMeasure(_Timed):
    """A curve of the run, such as the hottest GPU of a loop."""

    kind: Literal["channel"] = Field(description="a curve of the run")
    channel: Channel = Field(description="id of the channel, as in the help")
    of: str | None = Field(default=None, max_length=100, description="the thing it is of; none: the site")
    take: Literal["last", "max", "min", "mean"] = Field(
        default="last", description="of its values from `from` to `until`"
    )

    @model_validator(mode="after")
    def _of_something(self) -> ChannelMeasure:
        entity = BY_ID[self.channel].entity
        if (entity == "site") != (self.of is None):
            raise ValueError(
                f"{self.channel} is of a {entity}: name it under `of`"
                if self.of is None
                else f"{self.channel} is of the whole site: leave `of` out"
            )
        return self

    @property
    def unit(self) -> str:
        """Return the unit of its value."""
        return BY_ID[self.channel].unit


class EventMeasure(_Timed):
    """How often something happened."""

    kind: Literal["events"] = Field(description="how often something happened")
    event: EventKind = Field(description="kind of event, as in the help")
    of: str | None = Field(default=None, max_length=100, description="the thing it happened to; none: any")

    @property
    def unit(self) -> str:
        """Return the unit of its value."""
        return ""


class AlarmMeasure(_Timed):
    """How many alarms stand."""

    kind: Literal["alarms"] = Field(description="how many alarms stand at the end of the range")
    alarm: EventKind | None = Field(default=None, description="kind of event that raises it; none: any alarm")
    of: str | None = Field(default=None, max_length=100, description="the thing it is of; none: any")

    @property
    def unit(self) -> str:
        """Return the unit of its value."""
        return ""


class LedgerMeasure(_Timed):
    """Where GPU time went."""

    kind: Literal["ledger"] = Field(description="where GPU time went")
    accounts: tuple[Account, ...] = Field(min_length=1, max_length=len(ACCOUNTS), description="summed up")
    job: str | None = Field(
        default=None, max_length=60, description="of one job; none: of all and of idle GPUs"
    )
    share: bool = Field(default=False, description="as a share of all GPU time, in %; else in GPU-hours")

    @property
    def unit(self) -> str:
        """Return the unit of its value."""
        return "%" if self.share else "GPU h"


class SummaryMeasure(_Timed):
    """A figure that the run has come to, as `twin run --json` calls it."""

    kind: Literal["summary"] = Field(description="a figure that the run has come to")
    figure: Annotated[str, StringConstraints(min_length=1, max_length=100)] = Field(
        description="as in the object of twin run --json: progress.goodput"
    )

    @property
    def unit(self) -> str:
        """Return the unit of its value, which its name tells."""
        return ""


class ActMeasure(_Timed):
    """How often the person did something."""

    kind: Literal["acts"] = Field(description="how often the person did something")
    acts: tuple[ActKind, ...] = Field(
        min_length=1, max_length=20, description="kinds; edit: the scene was changed"
    )
    of: str | None = Field(default=None, max_length=100, description="to what; none: anything")

    @property
    def unit(self) -> str:
        """Return the unit of its value."""
        return ""


class SceneMeasure(DocumentPart):
    """A value of the scene as it stands."""

    kind: Literal["scene"] = Field(description="a value of the scene")
    path: Text = Field(description="such as jobs[llama3].checkpoint.interval or halls[hall].rows[gpu].racks")

    @property
    def unit(self) -> str:
        """Return the unit of its value, that of its dimension."""
        spot = fields.ROOT
        for step in split(self.path):
            spot = fields.below(spot, step)
        return units.DIMENSIONS[spot.quantity.dimension].si_unit if spot.quantity is not None else ""


class FindingMeasure(DocumentPart):
    """How many findings a design rule has."""

    kind: Literal["findings"] = Field(description="how many findings a design rule has")
    rule: RuleId | None = Field(default=None, description="of one rule; none: errors and warnings of all")
    of: str | None = Field(default=None, max_length=100, description="about one thing; none: any")

    @property
    def unit(self) -> str:
        """Return the unit of its value."""
        return ""


class PlanMeasure(DocumentPart):
    """What the planner says of a job of the scene on its hardware."""

    kind: Literal["plan"] = Field(description="what the planner says of a job")
    job: str = Field(max_length=60, description="id of the job")
    figure: Literal["step_s", "mfu", "memory_gb", "memory_share", "communication_share", "bubble_share"] = (
        Field(description="step time [s], shares in %, memory of the fullest GPU [GB]")
    )

    @property
    def unit(self) -> str:
        """Return the unit of its value."""
        return {"step_s": "s", "memory_gb": "GB"}.get(self.figure, "%")


Measure = Annotated[
    ChannelMeasure
    | EventMeasure
    | AlarmMeasure
    | LedgerMeasure
    | SummaryMeasure
    | ActMeasure
    | SceneMeasure
    | FindingMeasure
    | PlanMeasure,
    Field(discriminator="kind"),
]
OF_THE_SCENE = (SceneMeasure, FindingMeasure, PlanMeasure)
"""Measures that need no run."""


def rises(measure: Measure) -> bool:
    """Return whether the value can only grow as the run goes on."""
    if isinstance(measure, ChannelMeasure):
        return measure.take == "max"
    return isinstance(measure, EventMeasure | ActMeasure)


def falls(measure: Measure) -> bool:
    """Return whether the value can only shrink as the run goes on."""
    return isinstance(measure, ChannelMeasure) and measure.take == "min"
