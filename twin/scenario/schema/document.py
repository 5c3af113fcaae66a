"""The scenario document, version 3: what exists and what happens."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints, field_validator

from twin.catalog.own_texts import MOST_FILES
from twin.scenario.schema.base import DocumentPart
from twin.scenario.schema.chapter import MOST_CHAPTERS, Chapter
from twin.scenario.schema.cloud import Cloud, Ownership
from twin.scenario.schema.edit import BranchPoint, Edit
from twin.scenario.schema.exclusion import Exclusion
from twin.scenario.schema.faults import Failures, Intervention
from twin.scenario.schema.group import Group
from twin.scenario.schema.own_files import OwnFile, OwnPath, catalog_with
from twin.scenario.schema.prices import MOST_PRICES, OneFigureToo, PriceId, ScenePrice
from twin.scenario.schema.quantity import Moment
from twin.scenario.schema.rental import Rental
from twin.scenario.schema.scheduling import Partition, Reservation, Scheduler
from twin.scenario.schema.site import Hall, Site
from twin.scenario.schema.streams import JobStream, JobTrace
from twin.scenario.schema.systems import Cooling, Fabric, PowerCap, PowerStage, Storage
from twin.scenario.schema.work import Job, Tenant

FORMAT = "twin/scenario"
VERSION = 3
"""Raised with new keys; `twin.scenario.reading.migrate` reads files of the versions before."""

Edition = Annotated[str, StringConstraints(pattern=r"^20[0-9]{2}\.(0[1-9]|1[0-2])$")]
"""Year and month of a catalogue."""

FIRST_YEAR, LAST_YEAR = 1900, 2999
LONGEST_S = 1000 * 365 * 86400.0
"""A run lasts no longer, so that its end has a date [s]."""


class Scenario(DocumentPart):
    """A whole scene, as a frozen value."""

    format: Literal["twin/scenario"] = Field(description="always twin/scenario")
    version: Literal[3] = Field(description="of this schema")
    catalog: Edition = Field(description="catalogue edition the file was made with, such as 2026.11")
    extends: str | None = Field(
        default=None, description="a scene this one varies: a path in its folder, or builtin:NAME"
    )
    title: str = Field(min_length=1, max_length=200, description="one line")
    notes: str = Field(default="", description="description of the scene")
    sources: tuple[str, ...] = Field(default=(), description="sources of the figures")
    branch: BranchPoint | None = Field(
        default=None, description="of a branch: its parent run and branch time; written by the program"
    )
    start: AwareDatetime = Field(
        default=datetime.fromisoformat("2026-01-05T00:00:00+00:00"),
        description="wall clock at t = 0, with offset",
    )
    duration_s: Moment = Field(
        default=86400.0, alias="duration", gt=0, le=LONGEST_S, description="how long a run lasts"
    )
    ends: Literal["duration", "jobs"] = Field(
        default="duration",
        description="when a run ends: after its duration, or with the last job if that is sooner",
    )
    speed: float | None = Field(
        default=None,
        ge=0.01,
        le=1e7,
        description="initial speed of playback, simulated seconds per second; none: that of the window",
    )
    seed: int = Field(default=1, ge=0, le=2**63 - 1, description="seed of all random draws")
    site: Site = Field(default=Site(), description="the place")
    halls: tuple[Hall, ...] = Field(min_length=1, description="rooms with rows")
    fabrics: tuple[Fabric, ...] = Field(default=(), description="scale-out networks")
    power: tuple[PowerStage, ...] = Field(default=(), description="the power tree, utility first")
    power_caps: tuple[PowerCap, ...] = Field(default=(), description="power caps of parts of the site")
    cooling: Cooling = Field(default=Cooling(), description="cooling and heat rejection")
    storage: tuple[Storage, ...] = Field(default=(), description="stores")
    groups: tuple[Group, ...] = Field(
        default=(), max_length=2000, description="sets of items that are edited together; no effect on a run"
    )
    tenants: tuple[Tenant, ...] = Field(default=(), description="owners of jobs")
    jobs: tuple[Job, ...] = Field(default=(), description="work")
    streams: tuple[JobStream, ...] = Field(default=(), description="generators of jobs")
    traces: tuple[JobTrace, ...] = Field(default=(), description="recorded jobs")
    scheduler: Scheduler = Field(default=Scheduler(), description="how the queue is served")
    partitions: tuple[Partition, ...] = Field(
        default=(), description="parts of the cluster; none: one for all"
    )
    reservations: tuple[Reservation, ...] = Field(default=(), description="reserved times")
    clouds: tuple[Cloud, ...] = Field(default=(), description="rented GPUs elsewhere")
    rentals: tuple[Rental, ...] = Field(
        default=(), max_length=200, description="nodes of this site that are rented; none: all are owned"
    )
    ownership: Ownership | None = Field(
        default=None, description="cost of own GPUs, compared with rented ones; none: no comparison"
    )
    prices: dict[PriceId, Annotated[ScenePrice, OneFigureToo()]] = Field(
        default={},
        max_length=MOST_PRICES,
        description="prices other than those of the catalogue, by id of a part or of an entry of its prices",
    )
    failures: Failures = Field(default=Failures(), description="random failures")
    interventions: tuple[Intervention, ...] = Field(default=(), description="interventions at given times")
    edits: tuple[Edit, ...] = Field(
        default=(), max_length=5000, description="changes of the scene itself, made while it ran"
    )
    exclusions: tuple[Exclusion, ...] = Field(
        default=(), max_length=5000, description="accepted findings of design rules, with the reason"
    )

    parts: tuple[OwnPath, ...] | None = Field(
        default=None,
        max_length=MOST_FILES,
        description="files and folders of own parts, in the folder of the scene; none: its folder parts, "
        "[] for nothing",
    )
    models: tuple[OwnPath, ...] | None = Field(
        default=None,
        max_length=MOST_FILES,
        description="files and folders of own models, in the folder of the scene; none: its folder models, "
        "[] for nothing",
    )
    own_files: tuple[OwnFile, ...] = Field(
        default=(),
        max_length=2 * MOST_FILES,
        description="what these files say, kept by the program so that runs need no folder; leave it out",
    )

    chapters: tuple[Chapter, ...] = Field(
        default=(),
        max_length=MOST_CHAPTERS,
        description="a tour of the run, in its order; no effect on it, and not inherited",
    )

    @field_validator("own_files")
    @classmethod
    def _can_be_read(cls, value: tuple[OwnFile, ...]) -> tuple[OwnFile, ...]:
        catalog_with(value)
        return value

    @field_validator("start")
    @classmethod
    def _has_a_date_everywhere(cls, value: datetime) -> datetime:
        if not FIRST_YEAR <= value.year <= LAST_YEAR:
            raise ValueError(f"must be in a year from {FIRST_YEAR} to {LAST_YEAR}")
        return value
