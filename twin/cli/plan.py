"""`twin plan`: the best parallel configurations for a model on the GPUs of a scene."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Scene, Settings

EXAMPLE = "Example: twin plan superpod-h100 --model llama3-70b --gpus 256 --batch 512"
FORMAT = JsonFormat("plan")

_HINT = "give more GPUs, a shorter sequence or a batch that divides into more parts"


def plan_scene(
    scene: Scene,
    model: Annotated[
        str,
        typer.Option(
            "--model", metavar="M", help="Model to plan: a preset such as llama3-70b.", show_default=False
        ),
    ],
    gpus: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="GPUs of the job (default: those of the scene's job)."),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="B", help="Global batch, in sequences per step (default: the scene's job's)."
        ),
    ] = None,
    sequence: Annotated[
        int | None, typer.Option(min=1, metavar="S", help="Sequence length in tokens (default: the model's).")
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            metavar="bf16|fp8|mxfp8|nvfp4", help="Precision of the matrix products (default: bf16)."
        ),
    ] = None,
    profile: Annotated[
        str | None, typer.Option(metavar="NAME|FILE.yaml", help="Calibration profile (default: by the GPU).")
    ] = None,
    sharding: Annotated[
        str | None,
        typer.Option(
            metavar="none|optimizer|gradients|weights|any",
            help="What data parallelism shards, ZeRO 0 to 3 (default: the profile's; weights where nothing else fits).",
        ),
    ] = None,
    flash: Annotated[
        bool | None, typer.Option("--flash/--no-flash", help="Use fused (flash) attention.")
    ] = None,
    seq_parallel: Annotated[
        bool | None,
        typer.Option(
            "--seq-parallel/--no-seq-parallel",
            help="Use sequence parallelism: norms split over the tensor-parallel group.",
        ),
    ] = None,
    tp_overlap: Annotated[
        bool | None,
        typer.Option(
            "--tp-overlap/--no-tp-overlap", help="Overlap tensor-parallel communication with compute."
        ),
    ] = None,
    dp_overlap: Annotated[
        bool | None,
        typer.Option("--dp-overlap/--no-dp-overlap", help="Overlap gradient communication with compute."),
    ] = None,
    p2p_overlap: Annotated[
        bool | None,
        typer.Option("--p2p-overlap/--no-p2p-overlap", help="Overlap pipeline transfers with compute."),
    ] = None,
    grad_bytes: Annotated[
        int | None,
        typer.Option(metavar="2|4", help="Bytes of one gradient element (default: the profile's)."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, max=100, metavar="K", help="Number of plans to show.")] = 5,
    tokens: Annotated[
        str | None,
        typer.Option(
            metavar="COUNT",
            help="Tokens of the whole training, such as 15T (default: the model's published count).",
        ),
    ] = None,
    set_: Settings = None,
    json: Json = False,
) -> None:
    """Find the fastest parallelism layouts of a model on a scene.

    Those that fit in the memory of its GPUs, and why others are rejected. Of the fastest also tokens a day, and days
    and energy of a whole training at the hall's PUE.

    Exit code 1: nothing fits.
    """
    from dataclasses import asdict

    from twin.api.errors import BadInput
    from twin.api.plan import planned
    from twin.cli.errors import ExitCode, reporting_errors
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene
    from twin.planning.job.whole_training import tokens_in
    from twin.scenario.file.set_option import set_texts
    from twin.shown_text import printable

    with reporting_errors(scene):
        count = None if tokens is None else tokens_in(tokens)
        if tokens is not None and count is None:
            raise BadInput(
                f"--tokens: {printable(tokens)!r} is no number of tokens; give one such as 15T or 300B"
            )
        options = {
            "flash": flash,
            "seq_parallel": seq_parallel,
            "tp_overlap": tp_overlap,
            "dp_overlap": dp_overlap,
            "p2p_overlap": p2p_overlap,
            "grad_bytes": grad_bytes,
        }
        document = set_texts(load_scene(scene), set_ or [])
        found = planned(
            document, scene, model, gpus, batch, sequence, precision, profile, sharding, options, top, count
        )
        report = asdict(found)
        if json:
            print_json(FORMAT, report)
        else:
            _print(report)
        raise typer.Exit(ExitCode.DONE if report["plans"] else ExitCode.FINDINGS)


def _print(report: dict[str, Any]) -> None:
    import math
    import textwrap

    from twin.cli.plan_table import print_plans
    from twin.cli.tables import console
    from twin.planning.job.whole_training import DAY_S, WholeTraining

    print(
        f"{report['model']}, {report['sequence']:,} tokens, batch {report['global_batch']:,}, {report['precision']}, "
        f"on {report['gpus']:,} x {report['gpu']} (scale-up domain {report['domain_gpus']}), "
        f"profile {report['profile']}"
    )
    print(textwrap.fill(f"stack: {report['stack_words']}: {report['profile_title']}", console().width))
    if report["other_profiles"]:
        print(f"other stacks on this GPU: --profile {', '.join(report['other_profiles'])}")
    if report["plans"]:
        print_plans(report["plans"])
        training = report["training"]
        whole = WholeTraining(
            training["tokens"] or math.nan,
            training["tokens_per_day"] / DAY_S,
            training["nodes_w"],
            training["pue"],
        )
        print(textwrap.fill(f"fastest: {whole.words}", console().width))
        if training["tokens"] is None:
            print("give --tokens for days and energy of a whole training")
    else:
        print(f"no configuration can run; {report['hint'] or _HINT}")
    print(f"{report['tried']} configurations evaluated in {1e3 * report['search_s']:.0f} ms; refused:")
    for reason, count in report["refused"].items():
        if count:
            print(f"  {count:6d}  {reason}")
    print(report["worth"])
    if report["plans"]:
        print()
        print(report["plans"][0]["yaml"], end="")
