"""What a sweep file holds: a header, the points, and what each run came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from twin.record.inputs import MODEL_REVISION, app_version, inputs_hash
from twin.scenario import Document
from twin.scenario.schema.base import DocumentPart
from twin.studies.design import MOST_POINTS, SweepDesign
from twin.studies.study_figures import STUDY_FIGURES
from twin.studies.varied_key import MOST_LETTERS, MOST_VALUES

MOST_KEYS = 100
MOST_SEEDS = 10_000
MOST_RUNS = 500_000
Text = Annotated[str, StringConstraints(max_length=MOST_LETTERS)]
Number = Annotated[float, Field(allow_inf_nan=False)]
FigureValue = Annotated[float, Field(ge=-1e60, le=1e60, allow_inf_nan=False)]
"""Of which squares and sums are finite, too."""
MAX_SEED = 2**63 - 1
Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]
PointNumber = Annotated[int, Field(ge=0, lt=MOST_POINTS + 1)]


_COLUMNS = ("point", "seed", "reason")
"""Of a table of runs, beside the keys that vary and the figures."""


class KeyRecord(DocumentPart):
    """A key that varies, as `twin.studies.varied_key.VariedKey`."""

    path: Text
    texts: tuple[Text, ...] = Field(default=(), max_length=MOST_VALUES)
    low: Number = 0.0
    high: Number = 0.0
    unit: Text = ""
    whole: bool = False


class SweepHeader(DocumentPart):
    """What a sweep is of; results of another one never mix with it."""

    format: Literal["twin/sweep"] = "twin/sweep"
    version: Literal[1] = 1
    program: Text = Field(default_factory=app_version, description="version of the program that began it")
    model: int = Field(default=MODEL_REVISION, description="revision of the model")
    scene: Text = Field(description="what the scene was called")
    inputs: Text = Field(description="hash of the scene and of all data that a run reads")
    settings: tuple[Text, ...] = Field(
        default=(), max_length=1000, description="PATH=VALUE before anything varies"
    )
    keys: tuple[KeyRecord, ...] = Field(min_length=1, max_length=MOST_KEYS)
    design: Text = Field(description="how points come about")
    points: PointNumber = Field(description="how many, or of which size the design is")
    base: PointNumber | None = Field(default=None, description="the point that is the scene as it stands")
    seeds: tuple[Seed, ...] = Field(min_length=1, max_length=MOST_SEEDS)
    until_s: Number | None = Field(default=None, description="runs stop there [s]")

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        """Refuse keys that would share a column of a table, and seeds that would count twice."""
        paths = [key.path for key in self.keys]
        twice = {path for path in paths if paths.count(path) > 1} | {*paths} & {*_COLUMNS, *STUDY_FIGURES}
        if twice:
            raise ValueError(f"the key {min(twice)!r} varies twice, or is named as another column")
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError("a seed is there twice")
        return self


class PointRecord(DocumentPart):
    """A point: its values, and why it is no valid scene, if so."""

    point: PointNumber
    values: tuple[Text, ...] = Field(max_length=MOST_KEYS)
    reason: Text = ""


class RunRecord(DocumentPart):
    """What a run came to; without a seed: the closed forms of a point."""

    point: PointNumber
    seed: Seed | None
    figures: dict[Annotated[str, StringConstraints(max_length=60)], FigureValue | None] = Field(
        max_length=200
    )
    reason: Text = ""


@dataclass
class SweepContents:
    """A sweep with its results so far.

    Attributes
    ----------
    header
        What it is of.
    points
        By number.
    runs
        By point and seed.
    """

    header: SweepHeader
    points: dict[int, PointRecord] = field(default_factory=dict)
    runs: dict[tuple[int, int | None], RunRecord] = field(default_factory=dict)

    def take(self, record: PointRecord | RunRecord) -> bool:
        """Keep a record; return whether it is new, for nothing counts twice."""
        if isinstance(record, PointRecord):
            return self.points.setdefault(record.point, record) is record
        return self.runs.setdefault((record.point, record.seed), record) is record

    def figures(self, point: int, key: str) -> list[float | None]:
        """Return a figure of a point for each seed; None where it is unknown, or not run yet."""
        found = (self.runs.get((point, seed)) for seed in self.header.seeds)
        return [None if run is None else run.figures.get(key) for run in found]

    def closed(self, point: int) -> Mapping[str, float | None]:
        """Return the closed forms of a point."""
        run = self.runs.get((point, None))
        return {} if run is None else run.figures

    def closed_reason(self, point: int) -> str:
        """Return why the closed forms of a point could not be; "": they are there, or nobody asked for them."""
        run = self.runs.get((point, None))
        return "" if run is None else run.reason


def header_of(
    document: Document,
    design: SweepDesign,
    seeds: tuple[int, ...],
    until_s: float | None,
    scene: str,
    settings: tuple[str, ...] = (),
) -> SweepHeader:
    """Return the header of a sweep over a scene, to which `settings` have been applied."""
    return SweepHeader(
        scene=scene,
        inputs=inputs_hash(document.scenario),
        settings=settings,
        keys=tuple(KeyRecord(**vars(key)) for key in design.keys),
        design=design.kind,
        points=design.number,
        base=design.base,
        seeds=seeds,
        until_s=until_s,
    )
