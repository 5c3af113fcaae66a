"""Chapters of a scene: what a tour of its run shows, when, from where, and what there is to try."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from twin.markdown_text import MarkdownError, read_markdown
from twin.scenario.schema.base import DocumentPart, ItemId
from twin.scenario.schema.choice import OneOf
from twin.scenario.schema.quantity import Length, Moment

MOST_CHAPTERS, MOST_TRIALS, MOST_LETTERS = 50, 9, 4000
FAR_M = 1e5

VIEWS: tuple[str, ...] = ("overview", "row", "top", "aisle", "close", "front", "side")
"""Views that a camera may have without the id of anything."""
COLOURS: tuple[str, ...] = (
    "gpu.temp_c",
    "gpu.power_w",
    "gpu.clock_mhz",
    "gpu.util",
    "gpu.state",
    "gpu.job",
    "gpu.throttle",
    "gpu.tenant",
    "gpu.partition",
)
"""Channels that may colour the GPUs."""
LAYER_NAMES: tuple[str, ...] = (
    "racks",
    "trays",
    "cables",
    "collective",
    "pipes",
    "air",
    "labels",
    "power",
    "building",
)
DOCK_NAMES: tuple[str, ...] = (
    "inspector",
    "fabric",
    "power",
    "cooling",
    "incident",
    "events",
    "alarms",
    "jobs",
    "job",
    "queue",
    "tenants",
    "spares",
    "energy",
    "plots",
    "checks",
    "availability",
    "money",
    "palette",
    "outliner",
    "story",
    "branches",
    "why",
    "lesson",
    "drill",
    "lesson_editor",
)
"""Docks that a button may open."""
# These are the lists of the window, which lies above: a test compares them.

Words = Annotated[str, StringConstraints(min_length=1, max_length=400)]
Text = Annotated[str, StringConstraints(max_length=MOST_LETTERS)]
Metres = Annotated[Length, Field(ge=-FAR_M, le=FAR_M)]


class Position(DocumentPart):
    """A point of the hall, as the inspector tells places."""

    x_m: Metres = Field(alias="x", description="along the rows")
    y_m: Metres = Field(alias="y", description="across the rows")
    z_m: Metres = Field(alias="z", description="above the floor")

    @property
    def metres(self) -> tuple[float, float, float]:
        """Return x, y and z [m]."""
        return self.x_m, self.y_m, self.z_m


class ChapterTrial(DocumentPart):
    """A button of a chapter: something to do to the run, or a dock to look at."""

    label: Annotated[str, StringConstraints(min_length=1, max_length=80)] = Field(
        description="what the button says"
    )
    inject: tuple[Words, ...] = Field(
        default=(),
        max_length=10,
        description="faults and interventions as --inject takes them; without a time they act when it is pressed",
    )
    settings: tuple[Words, ...] = Field(
        default=(),
        alias="set",
        max_length=10,
        description="changes of the scene, PATH=VALUE as --set takes them",
    )
    when: Literal["now", "start", "what-if"] = Field(
        default="now",
        description="now: done to the run as it stands; start: the scene is changed and run again from its start; "
        "what-if: a branch from here is compared with the run",
    )
    dock: Annotated[str, OneOf(lambda: DOCK_NAMES)] | None = Field(
        default=None, description="dock to open; none: none"
    )

    @model_validator(mode="after")
    def _does_something(self) -> ChapterTrial:
        if not (self.inject or self.settings or self.dock):
            raise ValueError("does nothing: give inject, set or dock")
        if self.when != "now" and not (self.inject or self.settings):
            raise ValueError(f"when: {self.when} needs inject or set")
        return self


class Chapter(DocumentPart):
    """A part of a tour through a run; it changes nothing in the run."""

    title: Annotated[str, StringConstraints(min_length=1, max_length=120)] = Field(description="one line")
    at_s: Moment = Field(
        alias="at",
        ge=0,
        description="its time: after the start, or a time of day: 10:00, or 2026-01-06T10:00",
    )
    until_s: Moment | None = Field(
        default=None,
        alias="until",
        ge=0,
        description="when the run stops for the words; none: the next chapter, or the end of the run",
    )
    speed: float | None = Field(
        default=None,
        ge=0.01,
        le=1e7,
        description="simulated seconds per second; none: that of the scene or the window",
    )
    slow_at_s: tuple[Moment, ...] = Field(
        default=(),
        alias="slow_at",
        max_length=20,
        description="key moments: near them the run plays ten times slower, but not slower than time itself",
    )
    camera: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        default=None,
        description=f"view of the hall: {', '.join(VIEWS)}, or the id of a component to fly to; none: it stays",
    )
    eye: Position | None = Field(default=None, description="place of the camera instead; goes with target")
    target: Position | None = Field(default=None, description="point that it looks at")
    colour_by: Annotated[str, OneOf(lambda: COLOURS)] | None = Field(
        default=None, description="channel that colours the GPUs; none: it stays"
    )
    layers: tuple[Annotated[str, OneOf(lambda: LAYER_NAMES)], ...] | None = Field(
        default=None, max_length=len(LAYER_NAMES), description="what is drawn; none: it stays"
    )
    select: tuple[ItemId, ...] = Field(
        default=(), max_length=50, description="components that are selected; none: nothing"
    )
    text: Text = Field(
        default="",
        description="what is told, in Markdown without HTML; {gpu.temp_c max} stands for a figure of the moment shown",
    )
    notes: Text = Field(default="", description="for the presenter alone, in the same Markdown")
    trials: tuple[ChapterTrial, ...] = Field(
        default=(), alias="try", max_length=MOST_TRIALS, description="buttons to try something"
    )

    @field_validator("text", "notes")
    @classmethod
    def _is_markdown(cls, value: str) -> str:
        try:
            read_markdown(value)
        except MarkdownError as error:
            raise ValueError(str(error)) from None
        return value

    @model_validator(mode="after")
    def _has_one_camera(self) -> Chapter:
        if (self.eye is None) != (self.target is None):
            raise ValueError("eye and target go together")
        if self.eye is not None and self.camera is not None:
            raise ValueError("has two cameras: give camera, or eye and target")
        if self.eye is not None and self.eye == self.target:
            raise ValueError("eye and target are the same point")
        return self
