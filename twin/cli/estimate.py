"""`twin estimate`: predicted step time and its parts for each training configuration of a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, a_file

if TYPE_CHECKING:
    from twin.physics.training_inputs import Parallel
    from twin.planning.profile.uncertainty import Interval
    from twin.planning.table.case_file import CaseFile
    from twin.planning.table.estimate_cases import CaseEstimate

EXAMPLE = """Example: twin estimate runs.csv --profile h100 --out predicted.csv

Columns, in any order: model (a preset) or layers, hidden, ffn, heads, kv_heads, vocab, gated; seq, gpu, precision,
gpus or dp, tp, pp, cp, vp, microbatch, global_batch; software (or framework, stack, else what source names) chooses
among profiles of one GPU; recompute (none, selective, full), seq_parallel, attention (flash, flash2, flash8, unfused),
compiled, offload, tp_overlap, dp_overlap, p2p_overlap, grad_bytes, optimizer (none, distributed, zero1-3, fsdp), fsdp,
deferred_head, launch_ms, nic (Gb/s of each GPU), power_limit_w; experts, topk, expert_ffn, shared_experts, ep, etp,
ep_overlap, dispatcher (collective, fused), dispatch_bytes, fused_experts, graphs (of steps), balanced, most_nodes,
even_stages, or release of Megatron-Bridge (26.04), which says the last ones; head_size, window and full_every,
predicted (multi-token), query_rank, kv_rank, head_plain, head_rotary, head_value (latent attention), ssm_layers,
ffn_layers, ssm_heads, ssm_head, ssm_state, ssm_groups (Mamba-2);
step_time_s, tflops_per_gpu or tokens_per_s_per_gpu where it was measured. precision: bf16, fp8, mxfp8, nvfp4.
Unknown columns are carried through. A blank takes the default of the profile's stack; a blank microbatch or vp is the
fastest that fits. A row that was measured and would not fit ran all the same: it recomputes as many layers as memory
asks for, or offloads. A row that cannot be judged says why in column reason.
Nine in ten measured times are expected between predicted_low_s and predicted_high_s; column interval says what that
rests on: where it is estimated, no published run stands behind it (a question mark in the table)."""
FORMAT = JsonFormat("estimate")


def estimate_cases(
    cases: Annotated[
        Path,
        typer.Argument(metavar="CASES.csv", help="Table of training runs, one a line.", show_default=False),
    ],
    profile: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE.yaml", help="Calibration profile (default: by the column gpu)."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE.csv",
            parser=a_file,
            help="Table to write, with all columns and the predictions.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Predict step times of the training configurations in a table, by part.

    Exit code 0 also where single rows cannot be judged: each of them says why.
    """
    from twin.api.estimate import named_profile, stacks_of, worth_of
    from twin.cli.errors import BadInput, reporting_errors, warn
    from twin.cli.output import print_json
    from twin.cli.target import must_be_free
    from twin.planning.table.case_file import CaseFileError, read_case_file, write_csv
    from twin.planning.table.case_output import csv_rows, json_rows, output_columns, summary
    from twin.planning.table.estimate_cases import judge_table

    with reporting_errors():
        if out is not None:
            must_be_free(out, "-o", cases, *([profile] if profile else []))
        try:
            table = read_case_file(cases)
            judged = judge_table(table, None if profile is None else named_profile(profile))
        except CaseFileError as error:
            raise BadInput(str(error)) from None
        totals = summary(judged)
        if out is not None:
            write_csv(out, output_columns(table), csv_rows(table, judged))
        if json:
            print_json(
                FORMAT,
                {
                    "file": str(cases),
                    **totals,
                    "worth": worth_of(judged),
                    "stacks": stacks_of(judged),
                    "cases": json_rows(table, judged),
                },
            )
            return
        if out is None:
            _print(table, judged)
        print(_totals_words(totals) if out is None else f"{out}: {_totals_words(totals)}")
        stacks = stacks_of(judged)
        for name, sentence in worth_of(judged).items():
            print(f"{name}: {sentence}")
            if name in stacks:
                print(f"{name}: where a row does not say, {stacks[name]}")
        if out is not None:
            for line, estimate in zip(table.lines, judged, strict=True):
                if estimate.parts is None:
                    warn(f"{cases}:{line}: {estimate.reason}")


def _totals_words(totals: dict[str, Any]) -> str:
    text = f"{totals['judged']} of {totals['rows']} rows judged"
    if not totals["measured"]:
        return text
    figures = (f"{word} {totals[f'{key}_pct']:.2f} %" for word, key in _FIGURES)
    return f"{text}; {totals['measured']} measured: {', '.join(figures)}"


_FIGURES = (
    ("mean error", "mape"),
    ("median", "median"),
    ("90th percentile", "p90"),
    ("worst", "worst"),
    ("bias", "bias"),
)
_COMMUNICATION = ("tensor", "pipeline", "data", "context", "expert")


def _around(interval: Interval, step_s: float) -> str:
    """Return the ends of an interval, with a question mark where no measured run stands behind it."""
    low_s, high_s = interval.around(step_s)
    return f"{low_s:.3g}-{high_s:.3g}{'' if interval.sure else '?'}"


def _cut(parallel: Parallel) -> dict[str, int]:
    """Return degrees as the table of plans calls them."""
    return {
        "tensor": parallel.tp,
        "pipeline": parallel.pp,
        "context": parallel.cp,
        "data": parallel.dp,
        "expert": parallel.ep,
        "interleave": parallel.vp,
        "microbatch": parallel.microbatch,
    }


def _print(table: CaseFile, judged: Sequence[CaseEstimate]) -> None:
    from twin.cli.plan_table import degrees
    from twin.cli.tables import print_table

    cuts = [_cut(estimate.case.parallel) for estimate in judged if estimate.case is not None]
    degree_head, cut_cells = degrees(cuts) if cuts else ("", [])
    each = iter(cut_cells)
    heads = ("line", "run", "GPUs", degree_head, "step s", "90 % within", "comm %", "GB", "MFU %", "error %")
    rows, notes = [], []
    for line, cells, estimate in zip(table.lines, table.rows, judged, strict=True):
        if estimate.reason:
            notes.append(f"line {line}: {estimate.reason}")
        model = next((cells[head] for head in table.columns if head.lower() == "model"), "")
        if estimate.parts is None or estimate.case is None or estimate.memory is None:
            rows.append((str(line), model, *[""] * (len(heads) - 2)))
            continue
        step_s = estimate.parts.step_s
        exposed_s = sum(getattr(estimate.parts, f"exposed_{kind}_s") for kind in _COMMUNICATION)
        rows.append(
            (
                str(line),
                f"{model} {estimate.case.stack.precision}".strip(),
                str(estimate.case.parallel.gpus),
                next(each),
                f"{step_s:.3f}",
                _around(estimate.case.interval, step_s),
                f"{100 * exposed_s / step_s:.1f}",
                f"{estimate.memory.total_bytes / 1e9:.1f}",
                f"{100 * estimate.parts.mfu:.1f}",
                "" if estimate.ratio is None else f"{100 * (estimate.ratio - 1):+.1f}",
            )
        )
    print_table(heads, rows, right=len(heads) - 2)
    for note in notes:
        print(note)
