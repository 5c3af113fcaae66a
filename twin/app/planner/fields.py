"""The fields of the job dialog as a table: what each is called, its unit, its tip, its range. No widgets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from twin.app.planner.draft import JobDraft, has_value, value_of, with_value
from twin.planning.profile.models import model_presets
from twin.planning.profile.profiles import load_calibrated
from twin.scenario.schema.work import Load

Choices = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FormField:
    """One field.

    Attributes
    ----------
    path
        Where it is in the workload, such as ``parallelism.tensor``.
    title, unit, tip
        For people.
    section
        Heading it stands under.
    low, high
        Range of a number.
    doubles
        Whether a step doubles or halves a count, rather than adding one.
    choices
        (value, title) of a field that is chosen from a list; empty otherwise.
    switch
        Whether it is on or off.
    share
        Whether it is a share, 0..1, shown in per cent.
    real
        Whether the count is kept as a number that need not be whole.
    """

    path: str
    title: str
    unit: str
    tip: str
    section: Literal["Work", "Layout", "Memory", "Overlap"]
    low: int = 1
    high: int = 1_000_000
    doubles: bool = False
    choices: Choices = ()
    switch: bool = False
    share: bool = False
    real: bool = False


FIELDS: tuple[FormField, ...] = (
    FormField(
        "global_batch",
        "Global batch",
        "sequences",
        "Sequences of one step, over all GPUs",
        "Work",
        doubles=True,
    ),
    FormField(
        "batch_per_gpu",
        "Batch of a GPU",
        "samples",
        "Samples of one step on one GPU",
        "Work",
        high=65536,
        doubles=True,
    ),
    FormField("prompts", "Prompts", "a step", "Prompts of one training step", "Work", doubles=True),
    FormField(
        "samples", "Answers", "a prompt", "Answers generated for each prompt", "Work", high=4096, doubles=True
    ),
    FormField(
        "requests_s",
        "Requests",
        "a second",
        "Offered load, over all replicas",
        "Work",
        doubles=True,
        real=True,
    ),
    FormField("prompt_tokens", "Prompt", "tokens", "Mean length of a prompt", "Work", doubles=True),
    FormField("output_tokens", "Answer", "tokens", "Mean length of an answer", "Work", doubles=True),
    FormField(
        "sequence", "Sequence", "tokens", "Tokens of one sequence", "Work", high=10_000_000, doubles=True
    ),
    FormField(
        "precision",
        "Precision",
        "",
        "Of the large matrix products; attention and the rest stay 16-bit",
        "Work",
        choices=(("bf16", "BF16"), ("fp8", "FP8")),
    ),
    FormField(
        "gpu",
        "GPU load",
        "of rated",
        "Power of the GPUs between idle and rated",
        "Work",
        low=0,
        share=True,
    ),
    FormField(
        "efficiency",
        "Efficiency",
        "of peak",
        "Share of the 16-bit peak reached",
        "Work",
        share=True,
    ),
    FormField(
        "parallelism.tensor",
        "Tensor TP",
        "GPUs",
        "GPUs that share each matrix; best inside one NVLink domain",
        "Layout",
        high=128,
        doubles=True,
    ),
    FormField(
        "parallelism.pipeline",
        "Pipeline PP",
        "stages",
        "Pipeline stages that the layers are split into",
        "Layout",
        high=256,
        doubles=True,
    ),
    FormField(
        "parallelism.context",
        "Context CP",
        "GPUs",
        "GPUs that share each sequence, for long ones",
        "Layout",
        high=128,
        doubles=True,
    ),
    FormField(
        "parallelism.expert",
        "Expert EP",
        "GPUs",
        "GPUs that share the experts of a layer, out of DP \N{MULTIPLICATION SIGN} CP",
        "Layout",
        high=1024,
        doubles=True,
    ),
    FormField(
        "parallelism.interleave",
        "Interleave",
        "chunks",
        "Virtual stages of each GPU; more stages, smaller bubble",
        "Layout",
        high=64,
    ),
    FormField(
        "parallelism.microbatch",
        "Microbatch",
        "sequences",
        "Sequences that pass the pipeline together",
        "Layout",
        high=1024,
        doubles=True,
    ),
    FormField("tensor", "Tensor TP", "GPUs", "GPUs of one replica", "Layout", high=128, doubles=True),
    FormField(
        "rollout_tensor",
        "Rollout TP",
        "GPUs",
        "GPUs of one copy that generates answers",
        "Layout",
        high=128,
        doubles=True,
    ),
    FormField(
        "recompute",
        "Recompute",
        "",
        "Recomputes activations in the backward pass: less memory, more time",
        "Memory",
        choices=(("none", "none"), ("selective", "selective"), ("full", "full")),
    ),
    FormField(
        "stack.sharding",
        "Sharding",
        "",
        "State sharded over data-parallel GPUs",
        "Memory",
        choices=(
            ("none", "none (ZeRO-0)"),
            ("optimizer", "optimizer (ZeRO-1)"),
            ("gradients", "+ gradients (ZeRO-2)"),
            ("weights", "+ weights (FSDP)"),
        ),
    ),
    FormField(
        "stack.seq_parallel",
        "Sequence parallel",
        "",
        "Norms split over the tensor group: less memory",
        "Overlap",
        switch=True,
    ),
    FormField(
        "stack.tensor_overlap",
        "Overlap tensor traffic",
        "",
        "Tensor-parallel communication overlaps matrix products",
        "Overlap",
        switch=True,
    ),
    FormField(
        "stack.data_overlap",
        "Overlap data traffic",
        "",
        "Gradient reduction overlaps the backward pass",
        "Overlap",
        switch=True,
    ),
    FormField(
        "stack.pipeline_overlap",
        "Overlap pipeline traffic",
        "",
        "Transfers between stages overlap compute",
        "Overlap",
        switch=True,
    ),
)
_STACK_FIELDS = {
    "stack.sharding": "sharding",
    "stack.seq_parallel": "seq_parallel",
    "stack.tensor_overlap": "tp_overlap",
    "stack.data_overlap": "dp_overlap",
    "stack.pipeline_overlap": "p2p_overlap",
}


def fields_for(draft: JobDraft) -> tuple[FormField, ...]:
    """Return the fields that a draft has; expert parallelism only where there are experts."""
    return tuple(
        spec for spec in FIELDS if has_value(draft.workload, spec.path) and _makes_sense(draft, spec)
    )


def shown_value(draft: JobDraft, spec: FormField) -> object:
    """Return the value in force: what the workload leaves open is as model and profile have it."""
    if spec.path == "sequence":
        return draft.sequence
    value = value_of(draft.workload, spec.path)
    if value is None and spec.path in _STACK_FIELDS:
        return getattr(load_calibrated(draft.profile).stack, _STACK_FIELDS[spec.path])
    return value


def edited(draft: JobDraft, spec: FormField, value: object) -> JobDraft:
    """Return the draft with a field changed."""
    return replace(draft, workload=with_value(draft.workload, spec.path, value))


def _makes_sense(draft: JobDraft, spec: FormField) -> bool:
    if spec.path != "parallelism.expert" or isinstance(draft.workload, Load):
        return True
    known = model_presets().get(draft.workload.model)
    return known is None or known.model.experts is not None
