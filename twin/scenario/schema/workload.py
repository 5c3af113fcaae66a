"""What one step of a job does: training, reinforcement learning, serving, simulation."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from twin.scenario.schema.base import DocumentPart
from twin.scenario.schema.calibration import Calibration
from twin.scenario.schema.quantity import Data, Duration, Fraction, Rate

Cells = Annotated[int, Field(ge=1, le=10_000_000)]


class Parallelism(DocumentPart):
    """How a model is cut over GPUs; data parallelism is what remains."""

    tensor: int = Field(
        default=1, ge=1, le=128, description="GPUs that share each matrix; best inside one scale-up domain"
    )
    pipeline: int = Field(
        default=1, ge=1, le=256, description="pipeline stages that the layers are split into"
    )
    context: int = Field(default=1, ge=1, le=128, description="GPUs that share each sequence, for long ones")
    expert: int = Field(
        default=1,
        ge=1,
        le=1024,
        description="GPUs that share the experts of a layer, out of data x context parallel",
    )
    expert_tensor: int | None = Field(
        default=None, ge=1, le=128, description="GPUs that each expert is split over; none: tensor"
    )
    interleave: int = Field(
        default=1, ge=1, le=64, description="virtual stages of each GPU; more stages, smaller bubble"
    )
    microbatch: int = Field(default=1, ge=1, le=1024, description="sequences that pass the pipeline together")
    order: Literal["data-first", "pipeline-first"] = Field(
        default="data-first",
        description="which GPUs are adjacent: replicas of a stage, or all stages of a replica",
    )


class StackOptions(DocumentPart):
    """What the training software does; what is not said is as the calibration profile has it."""

    sharding: Literal["none", "optimizer", "gradients", "weights"] | None = Field(
        default=None, description="what data parallelism shards: ZeRO 0, 1, 2, 3 (FSDP)"
    )
    seq_parallel: bool | None = Field(
        default=None, description="norms split over the tensor group: less memory"
    )
    flash: bool | None = Field(default=None, description="fused attention")
    flash2: bool | None = Field(
        default=None, description="FlashAttention-2 as fused attention, not the best for the GPU"
    )
    attention8: bool | None = Field(
        default=None, description="fused attention in 8 bits, forward and backward; not FlashAttention-2"
    )
    compiled: bool | None = Field(
        default=None, description="norms and activation functions in fused kernels; otherwise eager"
    )
    tensor_overlap: bool | None = Field(
        default=None, description="tensor communication overlapped with compute"
    )
    data_overlap: bool | None = Field(default=None, description="gradient reduction overlapped with compute")
    pipeline_overlap: bool | None = Field(default=None, description="stage transfers overlapped with compute")
    expert_overlap: bool | None = Field(
        default=None, description="exchange between experts overlapped with other work"
    )
    dispatcher: Literal["collective", "fused"] | None = Field(
        default=None,
        description="tokens to experts: all-to-all of sorted copies, or fused kernels that send one copy to a node",
    )
    dispatch_bytes: Literal[1, 2] | None = Field(
        default=None, description="of one element on its way to the experts; the way back is 16-bit"
    )
    balanced: bool | None = Field(
        default=None, description="router forced to spread tokens evenly, as in benchmarks"
    )
    fused_experts: bool | None = Field(
        default=None, description="activation and casts of experts fused into their products"
    )
    graphs: bool | None = Field(
        default=None, description="CUDA graphs: the CPU launches no expert layer kernel by kernel"
    )
    even_stages: bool | None = Field(
        default=None, description="fewer layers on the pipeline stage with the output head"
    )
    chunk_overlap: bool | None = Field(
        default=None, description="gradients of an interleaved chunk reduced behind the other chunks"
    )
    gradient_bytes: Literal[2, 4] | None = Field(default=None, description="of one gradient element")
    launch_s: Duration | None = Field(
        default=None, alias="launch", ge=0, le=1, description="CPU launch bound of a layer's forward pass"
    )


class Input(DocumentPart):
    """What a workload reads while it runs, and the tiers that keep it; the base of those that read."""

    kind: str
    dataset_bytes: Data | None = Field(
        default=None, alias="dataset", gt=0, description="whole data set, read once an epoch; none: endless"
    )
    cache_bytes: Data = Field(
        default=0.0, alias="node_cache", ge=0, description="local NVMe of each node for it"
    )
    host_cache_bytes: Data = Field(
        default=0.0, alias="host_cache", ge=0, description="host memory of each node for it"
    )
    shuffle: Literal["none", "shards", "samples"] = Field(
        default="shards", description="order of reading: as stored, whole shards at random, or each sample"
    )
    operation_bytes: Data | None = Field(
        default=None, alias="operation", gt=0, description="of one read; none: one sample when shuffled so"
    )


class LlmTraining(Input):
    """A transformer in training, dense or with experts."""

    kind: Literal["llm"] = Field(description="workload family")
    model: str = Field(description="own model, or a preset such as llama3-405b")
    global_batch: int = Field(ge=1, le=1_000_000, description="sequences of one step, over all GPUs")
    sequence: int | None = Field(
        default=None, ge=1, le=10_000_000, description="tokens of one sequence; none: the preset's"
    )
    predicted: int | None = Field(
        default=None,
        ge=0,
        le=16,
        description="further tokens predicted at once, each by one more layer and head; none: the preset's",
    )
    expert_nodes: int | None = Field(
        default=None,
        ge=0,
        le=1024,
        description="nodes that a token may go to, of models with experts; 0: any, none: the preset's",
    )
    precision: Literal["bf16", "fp8", "mxfp8", "nvfp4"] = Field(
        default="bf16", description="of the big matrix products; attention and the rest stay 16-bit"
    )
    recompute: Literal["none", "selective", "full"] = Field(
        default="none", description="of activations in the backward pass: less memory, more time"
    )
    parallelism: Parallelism = Field(default=Parallelism(), description="parallelism layout of the model")
    stack: StackOptions = Field(default=StackOptions(), description="features of the training software")
    token_bytes: Data = Field(default=4.0, alias="token", gt=0, le=65536, description="read for one token")
    profile: str | None = Field(default=None, description="calibration profile; none: by GPU generation")
    calibration: Calibration | None = Field(
        default=None,
        description="instead: a profile fitted to own runs by twin calibrate",
    )


class VisionTraining(Input):
    """A vision or video model in data-parallel training, described by its work per sample."""

    kind: Literal["vision"] = Field(description="workload family")
    model: str = Field(description="display name")
    sample_flop: float = Field(gt=0, le=1e18, description="model FLOP of one sample, forward and backward")
    parameters: float = Field(gt=0, le=1e14, description="weights of the model")
    batch_per_gpu: int = Field(ge=1, le=65536, description="samples of one step on one GPU")
    sample_bytes: Data = Field(alias="sample", ge=0, description="read for one sample")
    activation_bytes: Data = Field(
        default=0.0, alias="activations", ge=0, description="kept of one sample for its backward pass"
    )
    hbm_bytes: Data = Field(
        default=0.0, alias="traffic", ge=0, description="between GPU and memory for one sample; 0: unknown"
    )
    efficiency: float = Field(default=0.35, gt=0, le=1, description="achieved share of the 16-bit peak")
    dataset_bytes: Data = Field(alias="dataset", gt=0, description="whole data set, read once an epoch")
    profile: str | None = Field(default=None, description="calibration profile; none: by GPU generation")


class Reinforcement(Input):
    """A language model that learns from its own answers: they are generated, scored and learnt from."""

    kind: Literal["reinforcement"] = Field(description="workload family")
    model: str = Field(description="own model, or a preset such as llama3-8b")
    prompts: int = Field(ge=1, le=1_000_000, description="prompts of one step")
    samples: int = Field(default=8, ge=1, le=4096, description="answers generated for each prompt")
    prompt_tokens: int = Field(default=512, ge=1, le=1_000_000, description="mean length of a prompt")
    output_tokens: int = Field(default=2048, ge=1, le=1_000_000, description="mean length of an answer")
    longest: float = Field(default=2.5, ge=1, le=100, description="longest answer of a step over the mean")
    reference: bool = Field(default=True, description="a frozen copy scores the answers too (KL penalty)")
    rollout_nodes: int | None = Field(
        default=None,
        ge=1,
        le=200_000,
        description="nodes that only generate, one step ahead of the others; none: all do both in turn",
    )
    rollout_tensor: int = Field(
        default=1, ge=1, le=128, description="GPUs of one copy that generates answers"
    )
    precision: Literal["bf16", "fp8"] = Field(
        default="bf16", description="of the big matrix products; attention and the rest stay 16-bit"
    )
    recompute: Literal["none", "selective", "full"] = Field(
        default="none", description="of activations in the backward pass: less memory, more time"
    )
    parallelism: Parallelism = Field(default=Parallelism(), description="parallelism layout of the learner")
    stack: StackOptions = Field(default=StackOptions(), description="features of the training software")
    profile: str | None = Field(default=None, description="calibration profile; none: by GPU generation")


class Inference(DocumentPart):
    """A language model that answers requests; one step is what arrives in one second."""

    kind: Literal["inference"] = Field(description="workload family")
    model: str = Field(description="own model, or a preset such as llama3-70b")
    requests_s: Rate = Field(
        alias="requests", gt=0, description="offered load over all replicas, such as 20 /s"
    )
    prompt_tokens: int = Field(default=1024, ge=1, le=10_000_000, description="mean length of a prompt")
    output_tokens: int = Field(default=256, ge=1, le=1_000_000, description="mean length of an answer")
    tensor: int = Field(default=1, ge=1, le=128, description="GPUs of one replica, in one scale-up domain")
    batch_limit: int | None = Field(
        default=None, ge=1, le=1_000_000, description="requests a replica decodes at once; none: by memory"
    )
    precision: Literal["bf16", "fp8"] = Field(default="bf16", description="of weights and big products")
    cache_precision: Literal["bf16", "fp8"] = Field(default="bf16", description="of keys and values kept")
    profile: str | None = Field(default=None, description="calibration profile; none: by GPU generation")


class Stencil(DocumentPart):
    """A grid whose cells look at their neighbours each time step, as weather and seismic codes do."""

    kind: Literal["stencil"] = Field(description="pattern of the computation")
    cells: tuple[Cells, Cells, Cells] = Field(description="of the whole grid: x, y, z")
    cell_flop: float = Field(gt=0, le=1e9, description="FLOP of one cell and time step")
    cell_bytes: Data = Field(alias="cell", gt=0, description="HBM traffic of one cell and time step")
    state_bytes: Data = Field(alias="state", gt=0, description="memory of one cell, all fields")
    halo: int = Field(default=1, ge=0, le=64, description="layers of cells exchanged with each neighbour")
    halo_bytes: Data = Field(
        default=8.0, alias="halo_cell", ge=0, description="sent for one halo cell and exchange"
    )
    exchanges: int = Field(default=1, ge=0, le=10_000, description="halo exchanges of a time step")
    precision: Literal["fp64", "fp32", "bf16"] = Field(default="fp64", description="of the arithmetic")
    efficiency: float = Field(default=0.5, gt=0, le=1, description="achieved share of that peak")


class MonteCarlo(DocumentPart):
    """Independent paths, as option pricing, particle transport and genomics have: no collectives."""

    kind: Literal["monte-carlo"] = Field(description="pattern of the computation")
    paths: float = Field(gt=0, le=1e18, description="of one step, over all GPUs")
    path_flop: float = Field(gt=0, le=1e18, description="FLOP of one path")
    path_bytes: Data = Field(default=0.0, alias="path", ge=0, description="HBM traffic of one path")
    state_bytes: Data = Field(default=1e9, alias="state", ge=0, description="memory used on a GPU")
    result_bytes: Data = Field(
        default=1e6, alias="result", ge=0, description="saved at a checkpoint, whole job"
    )
    precision: Literal["fp64", "fp32", "bf16"] = Field(default="fp32", description="of the arithmetic")
    efficiency: float = Field(default=0.5, gt=0, le=1, description="achieved share of that peak")


class Hpc(Input):
    """Numerical simulation: no model, no gradients."""

    kind: Literal["hpc"] = Field(description="workload family")
    model: str = Field(description="display name")
    problem: Annotated[Stencil | MonteCarlo, Field(discriminator="kind")] = Field(
        description="what a step computes"
    )
    step_input_bytes: Data = Field(
        default=0.0, alias="step_input", ge=0, description="read in one step, whole job"
    )
    profile: str | None = Field(default=None, description="calibration profile; none: by GPU generation")


class Load(DocumentPart):
    """Work known only by how hard it drives the hardware, as telemetry and benchmarks of power report it.

    GPUs draw idle + gpu x (rated - idle), the rest of the node likewise with cpu; there is no clock in it.
    """

    kind: Literal["load"] = Field(description="workload family")
    gpu: Fraction = Field(
        ge=0, le=1, description="utilisation of the GPUs: their power between idle and rated"
    )
    cpu: Fraction | None = Field(
        default=None, ge=0, le=1, description="utilisation of the rest of the node; none: as the GPUs"
    )
    step_s: Duration = Field(default=60.0, alias="step", gt=0, description="what counts as one step")


Workload = Annotated[
    LlmTraining | VisionTraining | Reinforcement | Inference | Hpc | Load, Field(discriminator="kind")
]
