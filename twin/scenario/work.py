"""What the cluster is asked to do: tenants, jobs, checkpoints, recovery."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from twin.scenario.base import Id, Part
from twin.scenario.quantity import Bandwidth, Data, Duration


class Tenant(Part):
    """Who owns jobs."""

    id: Id = Field(description="name of the tenant, for ever")
    title: str = Field(default="", description="as people call it")


class Parallelism(Part):
    """How a model is cut over GPUs; data parallelism is what remains."""

    tensor: int = Field(default=1, ge=1, le=128, description="tensor parallel degree")
    pipeline: int = Field(default=1, ge=1, le=256, description="pipeline stages")
    context: int = Field(default=1, ge=1, le=128, description="context parallel degree")
    interleave: int = Field(default=1, ge=1, le=64, description="virtual pipeline stages of each GPU")
    microbatch: int = Field(default=1, ge=1, le=1024, description="sequences of one microbatch")


class LlmTraining(Part):
    """A dense transformer in training."""

    kind: Literal["llm"] = Field(description="workload family")
    model: str = Field(description="preset of assets/profiles/models.yaml, such as llama3-405b")
    global_batch: int = Field(ge=1, le=1_000_000, description="sequences per step")
    sequence: int | None = Field(default=None, ge=1, le=10_000_000, description="tokens; none: the preset's")
    precision: Literal["bf16", "fp8"] = Field(default="bf16", description="of the big matrix products")
    recompute: Literal["none", "selective", "full"] = Field(default="none", description="of activations")
    parallelism: Parallelism = Field(default=Parallelism(), description="how the model is cut")
    profile: str | None = Field(default=None, description="calibration profile; none: by GPU generation")


class VisionTraining(Part):
    """A vision or video model in data-parallel training, described by its work per sample."""

    kind: Literal["vision"] = Field(description="workload family")
    model: str = Field(description="name, for people")
    sample_flop: float = Field(gt=0, le=1e18, description="model FLOP of one sample, forward and backward")
    parameters: float = Field(gt=0, le=1e14, description="weights of the model")
    batch_per_gpu: int = Field(ge=1, le=65536, description="samples of one step on one GPU")
    sample_bytes: Data = Field(alias="sample", ge=0, description="read for one sample")
    efficiency: float = Field(default=0.35, gt=0, le=1, description="achieved share of the 16-bit peak")
    dataset_bytes: Data = Field(alias="dataset", gt=0, description="whole data set, read once an epoch")
    cache_bytes: Data = Field(
        default=0.0, alias="node_cache", ge=0, description="local NVMe of each node for it"
    )


Workload = Annotated[LlmTraining | VisionTraining, Field(discriminator="kind")]


class Checkpointing(Part):
    """When and where state is saved."""

    interval: Literal["daly", "young", "none"] | Annotated[Duration, Field(gt=0)] = Field(
        default="daly",
        description="work between checkpoints: a duration, or a rule that balances pause and loss",
    )
    pause_s: Duration = Field(
        default=10.0, alias="pause", ge=0, le=86400, description="blocking part of a write"
    )
    drain_s: Duration = Field(
        default=0.0,
        alias="drain",
        ge=0,
        le=86400,
        description="after the pause, until the checkpoint is durable",
    )
    storage: Id | None = Field(default=None, description="store it goes to; none: none is modelled")


class Recovery(Part):
    """What a restart after a failure is made of."""

    detect_s: Duration = Field(
        default=15.0, alias="detect", ge=0, le=86400, description="failure seen explicitly"
    )
    watchdog_s: Duration = Field(
        default=600.0, alias="watchdog", ge=0, le=86400, description="a hang is found after"
    )
    swap_s: Duration = Field(default=45.0, alias="swap", ge=0, le=86400, description="drain and take a spare")
    container_s: Duration = Field(
        default=60.0, alias="container", ge=0, le=86400, description="image and processes"
    )
    init_s: Duration = Field(default=30.0, alias="init", ge=0, le=86400, description="communicators")
    load_bytes_s: Bandwidth | None = Field(
        default=None, alias="load", gt=0, description="checkpoint read; none: the store's read bandwidth"
    )
    warmup_s: Duration = Field(
        default=60.0, alias="warmup", ge=0, le=86400, description="first steps, compilation"
    )
    constant_s: Duration | None = Field(
        default=None,
        alias="constant",
        ge=0,
        le=86400,
        description="instead of all of these: one restart time",
    )


class Job(Part):
    """One gang-scheduled job."""

    id: Id = Field(description="name of the job, for ever")
    title: str = Field(default="", description="as people call it")
    tenant: Id | None = Field(default=None, description="owner")
    submit_s: Duration = Field(
        default=0.0, alias="submit", ge=0, description="enters the queue, after the start"
    )
    nodes: int = Field(ge=1, le=200_000, description="nodes, all of them whole")
    rows: tuple[Id, ...] = Field(default=(), description="row generators it may use; none: any")
    steps: int | None = Field(default=None, ge=1, le=1_000_000_000, description="ends after; none: never")
    workload: Workload = Field(description="what one step does")
    checkpoint: Checkpointing = Field(default=Checkpointing(), description="when and where state is saved")
    recovery: Recovery = Field(default=Recovery(), description="what a restart is made of")
    storage: Id | None = Field(default=None, description="store its input comes from")
