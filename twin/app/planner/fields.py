"""The fields of the job dialog: which of a workload, under which heading, and what the schema does not say of them.

No widgets.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from twin.app.form.field import Field, field_of
from twin.catalog import Catalog
from twin.language import tr
from twin.planning.profile.models import model_presets, presets_of
from twin.scenario.schema.work import Load, Workload

Section = str


def entry(path: str, title: str, unit: str = "", **said: Any) -> tuple[str, dict[str, Any]]:
    """Return one field; what is said of it goes before what the schema says."""
    return path, {"title": title, "unit": unit, "optional": False} | said


FIELDS: dict[Section, tuple[tuple[str, dict[str, Any]], ...]] = {
    tr("Work of a step"): (
        entry("global_batch", tr("Global batch"), tr("sequences")),
        entry("batch_per_gpu", tr("Batch of a GPU"), tr("samples")),
        entry("prompts", tr("Prompts"), tr("a step")),
        entry("samples", tr("Answers"), tr("a prompt")),
        entry("requests_s", tr("Requests"), tr("a second"), steps="double"),
        entry("prompt_tokens", tr("Prompt"), tr("tokens")),
        entry("output_tokens", tr("Answer"), tr("tokens")),
        entry("sequence", tr("Sequence"), tr("tokens")),
        entry("predicted", tr("Predicted more"), tr("tokens"), steps="one"),
        entry("precision", tr("Precision"), titles=("BF16", "FP8", "MXFP8", "NVFP4")),
        entry("gpu", tr("GPU load"), tr("of rated"), steps="one"),
        entry(
            "efficiency", tr("Efficiency"), tr("of peak"), kind="quantity", dimension="fraction", steps="one"
        ),
    ),
    tr("Parallelism layout"): (
        entry("parallelism.tensor", tr("Tensor TP"), "GPUs"),
        entry("parallelism.pipeline", tr("Pipeline PP"), tr("stages")),
        entry("parallelism.context", tr("Context CP"), "GPUs"),
        entry("parallelism.expert", tr("Expert EP"), "GPUs"),
        entry("parallelism.interleave", tr("Interleave"), tr("chunks"), steps="one"),
        entry("parallelism.microbatch", tr("Microbatch"), tr("sequences")),
        entry("tensor", tr("Tensor TP"), "GPUs"),
        entry("rollout_tensor", tr("Rollout TP"), "GPUs"),
    ),
    tr("Experts"): (
        entry("stack.dispatcher", tr("Dispatch"), titles=(tr("all-to-all"), tr("fused kernels"))),
        entry("stack.dispatch_bytes", tr("Dispatched as"), titles=(tr("8 bits"), tr("16 bits"))),
        entry("expert_nodes", tr("Nodes of a token"), tr("at most"), steps="one"),
        entry("stack.expert_overlap", tr("Overlap expert traffic")),
        entry("stack.balanced", tr("Forced balance")),
    ),
    tr("Memory"): (
        entry("recompute", tr("Recompute")),
        entry(
            "stack.sharding",
            tr("Sharding"),
            titles=(
                tr("none (ZeRO-0)"),
                tr("optimizer (ZeRO-1)"),
                tr("+ gradients (ZeRO-2)"),
                tr("+ weights (FSDP)"),
            ),
        ),
    ),
    tr("Overlap"): (
        entry("stack.seq_parallel", tr("Sequence parallel")),
        entry("stack.tensor_overlap", tr("Overlap tensor traffic")),
        entry("stack.data_overlap", tr("Overlap data traffic")),
        entry("stack.pipeline_overlap", tr("Overlap pipeline traffic")),
        entry("stack.compiled", tr("Fused kernels")),
        entry("stack.flash2", tr("FlashAttention-2")),
        entry("stack.attention8", tr("8-bit attention")),
    ),
}


_OF_EXPERTS = frozenset(
    {"parallelism.expert", "expert_nodes"}
    | {f"stack.{name}" for name in ("dispatcher", "dispatch_bytes", "expert_overlap", "balanced")}
)


def fields_for(workload: Workload, catalog: Catalog | None = None) -> tuple[Field, ...]:
    """Return the fields that a workload has; those of experts only where there are some (`catalog`: own models)."""
    made = workload_fields(type(workload))
    return made if _has_experts(workload, catalog) else tuple(of for of in made if of.key not in _OF_EXPERTS)


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


def _has_experts(workload: Workload, catalog: Catalog | None) -> bool:
    presets = model_presets() if catalog is None else presets_of(catalog)
    known = None if isinstance(workload, Load) else presets.get(workload.model)
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
