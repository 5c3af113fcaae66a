"""The fields of the job dialog: which of a workload, under which heading, and what the schema does not say of them.

No widgets.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel

from twin.app.form.field import Field, field_of
from twin.planning.profile.models import model_presets
from twin.scenario.schema.work import Load, Workload

Section = Literal["Work of a step", "Parallelism layout", "Memory", "Overlap"]


def entry(path: str, title: str, unit: str = "", **said: Any) -> tuple[str, dict[str, Any]]:
    """Return one field; what is said of it goes before what the schema says."""
    return path, {"title": title, "unit": unit, "optional": False} | said


FIELDS: dict[Section, tuple[tuple[str, dict[str, Any]], ...]] = {
    "Work of a step": (
        entry("global_batch", "Global batch", "sequences"),
        entry("batch_per_gpu", "Batch of a GPU", "samples"),
        entry("prompts", "Prompts", "a step"),
        entry("samples", "Answers", "a prompt"),
        entry("requests_s", "Requests", "a second", steps="double"),
        entry("prompt_tokens", "Prompt", "tokens"),
        entry("output_tokens", "Answer", "tokens"),
        entry("sequence", "Sequence", "tokens"),
        entry("precision", "Precision", titles=("BF16", "FP8", "MXFP8", "NVFP4")),
        entry("gpu", "GPU load", "of rated", steps="one"),
        entry("efficiency", "Efficiency", "of peak", kind="quantity", dimension="fraction", steps="one"),
    ),
    "Parallelism layout": (
        entry("parallelism.tensor", "Tensor TP", "GPUs"),
        entry("parallelism.pipeline", "Pipeline PP", "stages"),
        entry("parallelism.context", "Context CP", "GPUs"),
        entry("parallelism.expert", "Expert EP", "GPUs"),
        entry("parallelism.interleave", "Interleave", "chunks", steps="one"),
        entry("parallelism.microbatch", "Microbatch", "sequences"),
        entry("tensor", "Tensor TP", "GPUs"),
        entry("rollout_tensor", "Rollout TP", "GPUs"),
    ),
    "Memory": (
        entry("recompute", "Recompute"),
        entry(
            "stack.sharding",
            "Sharding",
            titles=("none (ZeRO-0)", "optimizer (ZeRO-1)", "+ gradients (ZeRO-2)", "+ weights (FSDP)"),
        ),
    ),
    "Overlap": (
        entry("stack.seq_parallel", "Sequence parallel"),
        entry("stack.tensor_overlap", "Overlap tensor traffic"),
        entry("stack.data_overlap", "Overlap data traffic"),
        entry("stack.pipeline_overlap", "Overlap pipeline traffic"),
        entry("stack.compiled", "Fused kernels"),
        entry("stack.flash2", "FlashAttention-2"),
    ),
}


def fields_for(workload: Workload) -> tuple[Field, ...]:
    """Return the fields that a workload has; expert parallelism only where there are experts."""
    made = workload_fields(type(workload))
    return made if _has_experts(workload) else tuple(of for of in made if of.key != "parallelism.expert")


@lru_cache(maxsize=16)
def workload_fields(workload: type[BaseModel]) -> tuple[Field, ...]:
    """Return the fields of a kind of workload, as the schema has them; counts double and halve."""
    made = (
        field_of(workload, path, Field, heading=section, **settings)
        for section, entries in FIELDS.items()
        for path, settings in entries
        if path.partition(".")[0] in workload.model_fields
    )
    return tuple(
        replace(
            of,
            steps="double" if of.kind == "count" and not of.steps else of.steps,
            titles=of.titles[: len(of.choices)],
        )
        for of in made
        if of is not None
    )


def _has_experts(workload: Workload) -> bool:
    known = None if isinstance(workload, Load) else model_presets().get(workload.model)
    return known is None or known.model.experts is not None


def value_of(workload: Workload, path: str) -> object:
    """Return a field of a workload by its path, such as ``parallelism.tensor``."""
    part: object = workload
    for name in path.split("."):
        part = getattr(part, name)
    return part


def with_value(workload: Workload, path: str, value: object) -> Workload:
    """Return the workload with one field changed."""
    name, _, rest = path.partition(".")
    if not rest:
        return workload.model_copy(update={name: value})
    part = getattr(workload, name)
    return workload.model_copy(update={name: part.model_copy(update={rest: value})})
