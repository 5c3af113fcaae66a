"""The document of a need: what has to be computed by when, and what the site may cost, draw and emit."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator

from twin.catalog.own_texts import MOST_FILES
from twin.record.state_folder import NEED_SUFFIX
from twin.scenario.schema.base import DocumentPart, Id
from twin.scenario.schema.own_files import OwnPath
from twin.scenario.schema.quantity import Bandwidth, Carbon, Data, Duration, Power, Price
from twin.scenario.schema.site import RedundancyLevel
from twin.scenario.schema.streams import TraceMap

FORMAT, VERSION = "twin/need", 1
SUFFIX = NEED_SUFFIX
MOST_GPUS = 131_072
DAY_S = 86_400.0
WEEK_S = 7 * DAY_S

Line = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Prose = Annotated[str, StringConstraints(max_length=4000)]
Gpus = Annotated[int, Field(ge=1, le=MOST_GPUS)]
Precision = Literal["bf16", "fp8", "mxfp8", "nvfp4"]


class ModelShape(DocumentPart):
    """A transformer of one's own."""

    layers: int = Field(ge=1, le=1000, description="transformer layers")
    hidden: int = Field(ge=64, le=1_000_000, description="width of the residual stream")
    ffn: int = Field(ge=64, le=4_000_000, description="width of the feed-forward network")
    heads: int = Field(ge=1, le=4096, description="attention heads")
    kv_heads: int | None = Field(default=None, ge=1, le=4096, description="key-value heads; none: as heads")
    vocab: int = Field(ge=2, le=10_000_000, description="vocabulary")
    gated: bool = Field(default=True, description="feed-forward network with a gate (three matrices)")
    head_size: int | None = Field(default=None, ge=1, le=65536, description="none: hidden / heads")


class LanguageWork(DocumentPart):
    """Training of a language model."""

    kind: Literal["llm"] = Field(description="family of the workload")
    model: str | None = Field(
        default=None,
        max_length=60,
        description="preset of assets/profiles/models.yaml, such as llama3-405b, or an own model",
    )
    shape: ModelShape | None = Field(default=None, description="a model of one's own instead")
    config: str | None = Field(
        default=None, max_length=200, description="its config.json instead, in the folder of the need"
    )
    tokens: float = Field(gt=0, le=1e18, description="tokens of the whole training")
    global_batch: int = Field(ge=1, le=1_000_000, description="sequences of one step")
    sequence: int | None = Field(
        default=None, ge=128, le=10_000_000, description="tokens of one sequence; none: that of the model"
    )
    precision: Precision = Field(default="bf16", description="of the matrix products")
    deadline_s: Duration | None = Field(
        default=None, alias="deadline", gt=0, description="longest time from its start; none: any"
    )
    stage: Literal["first", "last"] = Field(default="last", description="stage of growth that must manage it")

    @model_validator(mode="after")
    def _one_model(self) -> LanguageWork:
        if sum(way is not None for way in (self.model, self.shape, self.config)) != 1:
            raise ValueError("needs one of model, shape and config")
        if self.shape is not None and self.sequence is None:
            raise ValueError("a model of one's own needs a sequence")
        return self


class VisionWork(DocumentPart):
    """Training of a vision or video model, sample by sample."""

    kind: Literal["vision"] = Field(description="family of the workload")
    model: str = Field(default="vision model", max_length=60, description="display name")
    sample_flop: float = Field(gt=0, le=1e18, description="model FLOP of one sample, forward and backward")
    parameters: float = Field(gt=0, le=1e14, description="weights of the model")
    sample_bytes: Data = Field(alias="sample", gt=0, description="read for one sample")
    batch_per_gpu: int = Field(default=8, ge=1, le=65536, description="samples of one step on one GPU")
    efficiency: float = Field(default=0.35, gt=0, le=1, description="achieved share of the 16-bit peak")
    epochs: float = Field(default=1.0, gt=0, le=1e6, description="times that the data set is read")
    node_cache_bytes: Data = Field(
        default=0.0,
        alias="node_cache",
        ge=0,
        description="part of the data set that each node keeps on its drives",
    )
    deadline_s: Duration | None = Field(
        default=None, alias="deadline", gt=0, description="longest time from its start; none: any"
    )
    stage: Literal["first", "last"] = Field(default="last", description="stage of growth that must manage it")


Work = Annotated[LanguageWork | VisionWork, Field(discriminator="kind")]


class Stage(DocumentPart):
    """A size of the site from a date on."""

    date: Annotated[str, StringConstraints(pattern=r"^20[0-9]{2}-(0[1-9]|1[0-2])$")] = Field(
        description="month in which it begins, such as 2027-04"
    )
    gpus: Gpus = Field(description="GPUs in service by then, at least")


class DataSet(DocumentPart):
    """What is stored, and how fast it must be read whatever the workloads ask."""

    size_bytes: Data = Field(alias="size", ge=0, description="of the whole data set, kept once")
    read_bytes_s: Bandwidth = Field(default=0.0, alias="read", ge=0, description="least read bandwidth")


class JobTraceNeed(DocumentPart):
    """Jobs of a trace that the site must take, in place of stages: their GPU-hours, and the largest of them."""

    file: Line = Field(description="job trace beside the need, as `twin jobs` reads it")
    utilisation: float = Field(
        default=0.7, gt=0, le=1, description="share of the GPU time that its jobs may ask for"
    )
    map: TraceMap = Field(default=TraceMap(), description="how its rows become jobs of this site")


class LeadTimes(DocumentPart):
    """From the order to the day it stands."""

    gpus_s: Duration = Field(
        default=26 * WEEK_S, alias="gpus", ge=0, description="GPUs with their nodes [est]"
    )
    switches_s: Duration = Field(
        default=20 * WEEK_S, alias="switches", ge=0, description="of the network [est]"
    )
    transformer_s: Duration = Field(
        default=160 * WEEK_S, alias="transformer", ge=0, description="power transformer of a site above 5 MW"
    )
    switchgear_s: Duration = Field(
        default=63 * WEEK_S, alias="switchgear", ge=0, description="46 to 80 weeks"
    )
    generator_s: Duration = Field(default=70 * WEEK_S, alias="generator", ge=0, description="30 to 110 weeks")
    chiller_s: Duration = Field(default=70 * WEEK_S, alias="chiller", ge=0, description="30 to 110 weeks")


class Limits(DocumentPart):
    """What the site may cost, draw, take and emit; none: no limit."""

    budget_usd: float | None = Field(
        default=None, gt=0, le=1e13, description="capital, at likely prices [USD]"
    )
    yearly_usd: float | None = Field(
        default=None, gt=0, le=1e13, description="capital by its life and operation, a year [USD]"
    )
    power_w: Power | None = Field(
        default=None, alias="power", gt=0, description="of the site, cooling included"
    )
    area_m2: float | None = Field(default=None, gt=0, le=1e7, description="of the hall [m2]")
    carbon_t: float | None = Field(
        default=None, gt=0, le=1e9, description="CO2e a year, energy and making [t]"
    )
    availability: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="share of the time with power, cooling and enough GPUs, at least",
    )
    ready_s: Duration | None = Field(
        default=None, alias="ready", gt=0, description="longest time from the order to the first work"
    )


class SiteNeed(DocumentPart):
    """What a site is wanted for."""

    format: Literal["twin/need"] = Field(description="marks the file")
    version: Literal[1] = Field(description="of the format")
    title: Line = Field(default="Need", description="name for people")
    notes: Prose = Field(default="", description="for people")
    sources: tuple[Line, ...] = Field(default=(), max_length=40, description="where its figures are from")
    workloads: tuple[Work, ...] = Field(
        default=(), max_length=8, description="done one after another, each on all GPUs of its stage"
    )
    dataset: DataSet | None = Field(default=None, description="what is stored; none: nothing but checkpoints")
    stages: tuple[Stage, ...] = Field(
        default=(), max_length=8, description="growth; none: one stage, as large as the workloads ask"
    )
    trace: JobTraceNeed | None = Field(
        default=None, description="jobs that the last stage must take; without stages they say its GPUs"
    )
    gpus: tuple[Line, ...] = Field(
        default=("H100", "H200", "B200"),
        min_length=1,
        max_length=12,
        description="GPUs that may be chosen: parts of the catalogue or own ones, or how their names begin",
    )
    limits: Limits = Field(default=Limits(), description="what must not be exceeded")
    redundancy: RedundancyLevel = Field(default="N", description="of power and cooling, at least")
    climate: str = Field(
        default="frankfurt", max_length=60, description="place of assets/weather/places.yaml"
    )
    carbon_kg_j: Carbon = Field(default=0.4 / 3.6e6, alias="carbon", ge=0, description="of the grid")
    price_usd_j: Price = Field(
        default=0.08 / 3.6e6, alias="price", ge=0, description="of energy from the grid"
    )
    lead: LeadTimes = Field(default=LeadTimes(), description="lead times")
    tenants: tuple[Id, ...] = Field(
        default=(), max_length=40, description="who uses it; the first one owns the workloads"
    )
    isolation: Literal["shared", "racks", "leafs"] = Field(
        default="shared",
        description="what each tenant has to itself, all as much: nothing, whole racks, or whole leaf switches",
    )

    parts: tuple[OwnPath, ...] | None = Field(
        default=None,
        max_length=MOST_FILES,
        description="files and folders of own parts, in the folder of the need; none: its folder parts, "
        "[] for nothing",
    )
    models: tuple[OwnPath, ...] | None = Field(
        default=None,
        max_length=MOST_FILES,
        description="files and folders of own models, in the folder of the need; none: its folder models, "
        "[] for nothing",
    )

    @property
    def data_bytes(self) -> float:
        """Return the size of the data set [B]; 0 without one."""
        return self.dataset.size_bytes if self.dataset is not None else 0.0

    @field_validator("isolation")
    @classmethod
    def _has_tenants(cls, value: str, known: ValidationInfo) -> str:
        if value != "shared" and len(known.data.get("tenants", (0, 0))) < 2:
            raise ValueError("needs two tenants or more")
        return value

    @model_validator(mode="after")
    def _says_how_much(self) -> SiteNeed:
        if (
            self.trace is None
            and not self.stages
            and not any(work.deadline_s is not None for work in self.workloads)
        ):
            raise ValueError("needs a workload with a deadline, a stage with its GPUs, or a trace")
        dates = [stage.date for stage in self.stages]
        if dates != sorted(set(dates)):
            raise ValueError("stages: their dates must rise")
        if not self.data_bytes and any(isinstance(work, VisionWork) for work in self.workloads):
            raise ValueError("a vision workload needs a dataset with a size")
        return self
