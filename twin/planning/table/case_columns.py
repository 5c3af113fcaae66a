"""The columns of a table of training configurations: their names, their spellings, and how a cell is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from twin.planning.table.case_cells import (
    NO,
    YES,
    CaseColumn,
    CellError,
    count,
    count_or_none,
    from_zero,
    layers_of,
    positive,
    switch,
)
from twin.planning.table.case_file import CaseFile, CaseFileError
from twin.units import UnitError, parse

BLANKS = frozenset(("", "-", "--", "n/a", "na", "nan", "null", "?", "auto", "default"))
"""Cells that say nothing (besides `none`, which says something in some columns)."""

_GBIT_S = 1e9 / 8


def _precision(text: str) -> str:
    low = re.sub(r"[^a-z0-9]", "", text.lower())
    if low.startswith(("bf16", "fp16", "bfloat16", "float16", "half")) or low == "16":
        return "bf16"
    if low.startswith(("mxfp8", "fp8mx")):
        return "mxfp8"
    if low.startswith(("fp8", "float8", "e4m3")) or low == "8":
        return "fp8"
    if low.startswith(("nvfp4", "fp4")) or low == "4":
        return "nvfp4"
    raise CellError(
        f"{text!r} is a precision no profile was fitted to; known are BF16, FP16, FP8, MXFP8 and NVFP4"
    )


def _recompute(text: str) -> str:
    low = text.lower()
    word = re.match(r"[a-z0-9.]*", low)
    first = word[0] if word else ""
    if first in ("full", "uniform", "block", "checkpoint", "activation") or low in YES:
        return "full"
    if first in ("selective", "core", "attention"):
        return "selective"
    if first in NO:
        return "none"
    raise CellError(f"{text!r} is no kind of recomputation; known are none, selective and full")


def _attention(text: str) -> bool | str | None:
    low = re.sub(r"[^a-z0-9]", "", text.lower())
    if low in ("gqa", "mha", "mqa", "mla"):  # says what is computed, not how
        return None
    if low in ("flash2", "flashattention2", "flashattn2", "fa2"):
        return "flash2"
    if low in ("flash8", "flashattention8", "fp8", "8bit", "fp8attention"):
        return "flash8"
    if low.startswith(("flash", "fused", "sdpa", "cudnn", "te")) or low in YES:
        return True
    if low.startswith(("unfused", "core", "math", "eager", "standard", "local")) or low in NO:
        return False
    raise CellError(f"{text!r} is no kind of attention; known are flash, flash2, flash8 and unfused")


def _graphs(text: str) -> bool:
    low = text.lower()
    if low in ("full", "full_iteration"):
        return True
    if low in ("partial", "attention", "local", "transformer_engine"):
        return False
    return switch(text)


def _dispatcher(text: str) -> str:
    low = re.sub(r"[^a-z0-9]", "", text.lower())
    if low in ("fused", "deepep", "hybridep", "flex"):
        return "fused"
    if low in ("collective", "alltoall", "a2a", "nccl", "allgather"):
        return "collective"
    raise CellError(
        f"{text!r} is no dispatcher of tokens; known are collective (alltoall) and fused (DeepEP, HybridEP)"
    )


def _release(text: str) -> tuple[int, ...]:
    """Year, month and patch of a release, such as 26.02.01."""
    found = re.fullmatch(r"v?(\d{2})\.(\d{2})(?:\.(\d{1,2}))?", text.lower())
    if found is None:
        raise CellError(f"{text!r} is no release; give year and month as in 26.02 or 26.02.01")
    return tuple(int(part) for part in found.groups(default="0"))


_SHARDINGS = {
    "none": "none",
    "replicated": "none",
    "ddp": "none",
    "zero0": "none",
    "noshard": "none",
    "standard": "none",
    "optimizer": "optimizer",
    "distributed": "optimizer",
    "distributedoptimizer": "optimizer",
    "zero1": "optimizer",
    "gradients": "gradients",
    "zero2": "gradients",
    "shardgradop": "gradients",
    "weights": "weights",
    "zero3": "weights",
    "fsdp": "weights",
    "fsdp2": "weights",
    "fullshard": "weights",
}
_ALGORITHMS = ("adam", "adamw", "fusedadam", "sgd", "lion", "lamb", "adafactor", "muon")


def _sharding(text: str) -> str | None:
    low = re.sub(r"[^a-z0-9]", "", text.lower())
    if low in _ALGORITHMS:
        return None
    found = _SHARDINGS.get(low) or _SHARDINGS.get(low.removesuffix("optimizer"))
    if found is None:
        known = "none, distributed, zero1, zero2, zero3 and fsdp"
        raise CellError(f"{text!r} is no way to shard the optimizer; known are {known}")
    return found


def _fsdp(text: str) -> str | None:
    """Fully sharded where it says yes, or over how many GPUs."""
    if text.lower() in NO:
        return None
    if text.lower() not in YES:
        count(text)
    return "weights"


def _stage(text: str) -> str:
    low = text.lower().removeprefix("zero").strip(" -_")
    stages = ("none", "optimizer", "gradients", "weights")
    if low in ("0", "1", "2", "3"):
        return stages[int(low)]
    raise CellError(f"{text!r} is no ZeRO stage; give 0, 1, 2 or 3")


def _distributed(text: str) -> str | None:
    low = text.lower()
    if low in YES or low in ("0", "0.0", "false", "no", "n", "off"):
        return "optimizer" if low in YES else "none"
    return _sharding(text)


_PLAIN_GBIT_S = 200
"""Plain numbers from here on can only be Gb/s; below they might be GB/s as well."""


def _nic(text: str) -> float:
    """Bytes per second of "400 Gb/s", "50 GB/s", or of a plain number that can only be Gb/s."""
    try:
        plain = positive("Gb/s")(text)
    except CellError:
        try:
            speed = parse(text, "bandwidth")
        except UnitError as fault:
            raise CellError(f"{text!r} is no speed of a NIC: {fault}") from None
        if speed <= 0:
            raise CellError(f"{text!r} must be positive") from None
        return speed
    if plain < _PLAIN_GBIT_S:
        raise CellError(f"{text!r} may be Gb/s or GB/s; write '{text} Gb/s' or '{text} GB/s'")
    return plain * _GBIT_S


def _watts(text: str) -> float:
    """Watts of "500", "500 W" or "0.5 kW"."""
    try:
        return positive("W")(text)
    except CellError:
        try:
            return positive("W")(str(parse(text, "power")))
        except UnitError as fault:
            raise CellError(f"{text!r} is no power limit: {fault}") from None


_SAYS_NONE = (switch, _recompute, _attention, _sharding, _stage, _distributed, _graphs)
"""Readers for which the word none is an answer, and no blank."""

COLUMNS: tuple[CaseColumn, ...] = (
    CaseColumn("model", str, ("model_name",)),
    CaseColumn("gpu", str, ("gpu_type", "gpu_model", "accelerator", "system")),
    CaseColumn("profile", str),
    CaseColumn("software", str),
    CaseColumn("framework", str),
    CaseColumn("stack", str, ("software_stack",)),
    CaseColumn("source", str),
    CaseColumn("precision", _precision, ("dtype",)),
    CaseColumn("gpus", count, ("num_gpus", "n_gpus", "gpu_count", "world_size", "#gpus", "#_gpus")),
    CaseColumn("seq", count, ("seq_len", "seqlen", "seq_length", "sequence", "sequence_length")),
    CaseColumn("layers", layers_of, ("num_layers", "n_layers", "n_layer", "num_hidden_layers")),
    CaseColumn("hidden", count, ("hidden_size", "h", "d_model", "n_embd")),
    CaseColumn("ffn", count, ("ffn_hidden", "ffn_hidden_size", "ffn_size", "intermediate_size", "d_ff")),
    CaseColumn("heads", count, ("num_heads", "n_heads", "attention_heads", "num_attention_heads", "n_head")),
    CaseColumn(
        "kv_heads",
        count,
        ("num_kv_heads", "n_kv_heads", "num_key_value_heads", "query_groups", "num_query_groups"),
    ),
    CaseColumn("vocab", count, ("vocab_size", "vocabulary", "padded_vocab_size")),
    CaseColumn("gated", switch, ("swiglu", "glu", "gated_ffn")),
    CaseColumn("tp", count, ("tensor_parallel", "tensor_parallel_size", "tensor_model_parallel_size")),
    CaseColumn("pp", count, ("pipeline_parallel", "pipeline_parallel_size", "pipeline_model_parallel_size")),
    CaseColumn("cp", count, ("context_parallel", "context_parallel_size")),
    CaseColumn("dp", count, ("data_parallel", "data_parallel_size")),
    CaseColumn("etp", count, ("expert_tensor_parallel", "expert_tensor_parallel_size")),
    CaseColumn("ep", count, ("expert_parallel", "expert_parallel_size", "expert_model_parallel_size")),
    CaseColumn(
        "vp",
        count,
        ("vpp", "interleave", "virtual_pipeline", "virtual_stages", "virtual_pipeline_parallel_size"),
    ),
    CaseColumn("microbatch", count, ("micro_batch", "mbs", "mb", "micro_batch_size", "microbatch_size")),
    CaseColumn("global_batch", count, ("gbs", "global_batch_size", "batch", "batch_size")),
    CaseColumn(
        "recompute",
        _recompute,
        (
            "recomputation",
            "activation_recompute",
            "activation_recomputation",
            "checkpointing",
            "recompute_granularity",
        ),
    ),
    CaseColumn("seq_parallel", switch, ("sp", "sequence_parallel")),
    CaseColumn(
        "attention",
        _attention,
        ("flash", "flash_attention", "flash_attn", "fused_attention", "use_flash_attn"),
    ),
    CaseColumn("overlap", switch),
    CaseColumn("tp_overlap", switch, ("tensor_overlap", "overlap_tp", "tp_comm_overlap")),
    CaseColumn(
        "dp_overlap", switch, ("data_overlap", "overlap_dp", "dp_comm_overlap", "overlap_grad_reduce")
    ),
    CaseColumn("p2p_overlap", switch, ("pp_overlap", "pipeline_overlap", "overlap_p2p", "overlap_p2p_comm")),
    CaseColumn("ep_overlap", switch, ("expert_overlap",)),
    CaseColumn("compiled", switch, ("compile", "torch_compile")),
    CaseColumn("offload", switch, ("cpu_offload", "cpu_offloading")),
    CaseColumn("grad_bytes", count, ("gradient_bytes", "gradb", "grad_b", "bytes_per_gradient")),
    CaseColumn("optimizer", _sharding),
    CaseColumn("sharding", _sharding, ("data_sharding",)),
    CaseColumn("fsdp", _fsdp),
    CaseColumn("zero", _stage, ("zero_stage", "zero_optimization_stage")),
    CaseColumn(
        "distributed_optimizer", _distributed, ("dist_optimizer", "use_distributed_optimizer", "dist_opt")
    ),
    CaseColumn("deferred_head", switch, ("defer_embedding_wgrad", "defer_embedding_wgrad_compute")),
    CaseColumn("launch_s", from_zero("s"), ("launch", "launch_bound_s", "cpu_launch_s")),
    CaseColumn("launch_ms", from_zero("ms", 1e-3), ("cpu_launch_ms",)),
    CaseColumn("launch_us", from_zero("us", 1e-6), ("cpu_launch_us",)),
    CaseColumn("nic", _nic, ("nic_speed", "nic_bandwidth")),
    CaseColumn(
        "nic_gbit_s", positive("Gb/s", _GBIT_S), ("nic_gbps", "nic_gbit", "nic_gbits", "network_gbps")
    ),
    CaseColumn("nic_gbyte_s", positive("GB/s", 1e9), ("nic_gb_s", "nic_gbytes_s")),
    CaseColumn("power_limit_w", _watts, ("power_limit", "power_cap", "power_cap_w", "gpu_power_limit")),
    CaseColumn("p2p_factor", positive("1"), ("xp",)),
    CaseColumn(
        "experts", count_or_none, ("num_experts", "n_experts", "moe_num_experts", "num_local_experts")
    ),
    CaseColumn(
        "topk",
        count_or_none,
        ("top_k", "experts_per_token", "num_experts_per_tok", "moe_router_topk", "moe_topk"),
    ),
    CaseColumn("expert_ffn", count_or_none, ("moe_ffn", "moe_ffn_hidden_size", "moe_intermediate_size")),
    CaseColumn("shared_experts", count_or_none, ("n_shared_experts", "num_shared_experts")),
    CaseColumn("dense_layers", count_or_none, ("first_dense_layers", "first_k_dense_replace")),
    CaseColumn("most_nodes", count_or_none, ("expert_nodes", "topk_group", "moe_router_group_topk")),
    CaseColumn("head_size", count, ("head_dim", "kv_channels", "attention_head_dim")),
    CaseColumn("window", count_or_none, ("sliding_window", "window_size")),
    CaseColumn("full_every", count_or_none, ("window_attn_skip_freq", "full_attention_every")),
    CaseColumn("predicted", count_or_none, ("mtp", "mtp_num_layers", "num_nextn_predict_layers")),
    CaseColumn("query_rank", count, ("q_lora_rank",)),
    CaseColumn("kv_rank", count, ("kv_lora_rank",)),
    CaseColumn("head_plain", count, ("qk_nope_head_dim", "qk_head_dim")),
    CaseColumn("head_rotary", count, ("qk_rope_head_dim", "qk_pos_emb_head_dim")),
    CaseColumn("head_value", count, ("v_head_dim",)),
    CaseColumn("ssm_layers", count_or_none, ("mamba_layers", "state_space_layers")),
    CaseColumn("ffn_layers", count_or_none, ("mlp_layers", "feed_forward_layers")),
    CaseColumn("ssm_heads", count, ("mamba_num_heads",)),
    CaseColumn("ssm_head", count, ("mamba_head_dim",)),
    CaseColumn("ssm_state", count, ("mamba_state_dim",)),
    CaseColumn("ssm_groups", count, ("mamba_num_groups",)),
    CaseColumn("release", _release, ("container", "software_release")),
    CaseColumn("graphs", _graphs, ("cuda_graphs", "cuda_graph")),
    CaseColumn("dispatcher", _dispatcher, ("moe_dispatcher", "token_dispatcher")),
    CaseColumn("dispatch_bytes", count),
    CaseColumn("fused_experts", switch, ("fused_grouped_mlp",)),
    CaseColumn("balanced", switch, ("force_balance", "moe_router_force_load_balancing")),
    CaseColumn("even_stages", switch, ("account_for_loss_in_pipeline_split",)),
    CaseColumn(
        "step_time_s",
        positive("s"),
        (
            "iter_time_s",
            "iteration_time_s",
            "step_s",
            "measured_s",
            "measured_step_s",
            "step_time",
            "iter_time",
        ),
    ),
    CaseColumn("step_time_ms", positive("ms", 1e-3), ("iter_time_ms", "iteration_time_ms", "measured_ms")),
    CaseColumn("tflops_per_gpu", positive("TFLOP/s", 1e12), ("tflops_gpu", "tflop_s_per_gpu")),
    CaseColumn("flops_kind", str),
    CaseColumn(
        "tokens_per_s_per_gpu", positive("tokens/s"), ("tokens_per_sec_per_gpu", "tokens_per_gpu_per_s")
    ),
)

_BY_HEAD: Mapping[str, CaseColumn] = {
    head: column for column in COLUMNS for head in (column.name, *column.spellings)
}


def column_of(head: str) -> CaseColumn | None:
    """Return the column that a head means, none where the planner knows no such column.

    Examples
    --------
    >>> column_of(" Global Batch ").name, column_of("GBS").name, column_of("colour")
    ('global_batch', 'global_batch', None)
    """
    if re.search(r"nic.*(GBps|GB_?/?s)$", head.strip()):  # bytes, not bits: the case is what tells them apart
        return _BY_HEAD["nic_gbyte_s"]
    return _BY_HEAD.get(re.sub(r"[\s/-]+", "_", head.strip().lower()))


def understood(table: CaseFile) -> dict[str, CaseColumn]:
    """Return the columns of a table that the planner understands, by their heads.

    Raises
    ------
    CaseFileError
        When there are none, or two that mean the same.
    """
    found: dict[str, CaseColumn] = {}
    for head in table.columns:
        column = column_of(head)
        if column is None:
            continue
        same = [other_head for other_head, other_column in found.items() if other_column.name == column.name]
        if same:
            raise CaseFileError(
                table.name, 1, head, "", f"means the same as {same[0]!r}; leave one of them out"
            )
        found[head] = column
    if not {column.name for column in found.values()} & {
        "gpus",
        "dp",
        "global_batch",
        "model",
        "layers",
        "hidden",
    }:
        heads = ", ".join(repr(head) for head in table.columns[:4])
        raise CaseFileError(
            table.name,
            1,
            "",
            "",
            f"has no column of a training run ({heads} are unknown); the first line must name columns such as "
            "model, gpu, gpus, tp, pp, global_batch",
        )
    return found


def read_row(
    cells: Mapping[str, str], columns: Mapping[str, CaseColumn], decimal_comma: bool = False
) -> dict[str, Any]:
    """Return the values of a row by column name; blanks are left out.

    Parameters
    ----------
    cells
        Text by head.
    columns
        What `understood` made of the heads.
    decimal_comma
        Whether a comma may stand for the decimal point.

    Raises
    ------
    CellError
        For the first cell that cannot be understood, with its head.
    """
    values: dict[str, Any] = {}
    for head, column in columns.items():
        text = cells.get(head, "").strip()
        if text.lower() in BLANKS or (text.lower() == "none" and column.read not in _SAYS_NONE):
            continue
        if decimal_comma and re.fullmatch(r"[+-]?\d+,\d+", text):
            text = text.replace(",", ".")
        try:
            value = column.read(text)
        except CellError as fault:
            raise CellError(f"column {head!r}: {fault}") from None
        if value is not None:
            values[column.name] = value
    return values
