"""`twin plan`: the best parallel configurations for a model on the GPUs of a scene."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from twin.cli.options import Json, Scene

EXAMPLE = "Example: twin plan superpod-h100 --model llama3-70b --gpus 256 --batch 512"

_HINT = "give more GPUs, a shorter sequence or a batch that divides into more parts"


def plan_scene(
    scene: Scene,
    model: Annotated[
        str, typer.Option("--model", metavar="M", help="Preset such as llama3-70b.", show_default=False)
    ],
    gpus: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="GPUs of the job; without it those of the scene's own job."),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(min=1, metavar="B", help="Sequences of a step; without it the scene's own job's."),
    ] = None,
    sequence: Annotated[
        int | None, typer.Option(min=1, metavar="S", help="Tokens of a sequence; without it the model's.")
    ] = None,
    precision: Annotated[
        str | None, typer.Option(metavar="bf16|fp8", help="Of the big matrix products; without it bf16.")
    ] = None,
    profile: Annotated[
        str | None, typer.Option(metavar="NAME|FILE.yaml", help="Calibration profile; without it by the GPU.")
    ] = None,
    sharding: Annotated[
        str | None,
        typer.Option(
            metavar="none|optimizer|gradients|weights|any",
            help="Over data parallelism (ZeRO 0-3); without it the profile's, and weights where nothing else fits.",
        ),
    ] = None,
    flash: Annotated[bool | None, typer.Option("--flash/--no-flash", help="Fused attention.")] = None,
    seq_parallel: Annotated[
        bool | None, typer.Option("--seq-parallel/--no-seq-parallel", help="Norms split over tensor groups.")
    ] = None,
    tp_overlap: Annotated[
        bool | None, typer.Option("--tp-overlap/--no-tp-overlap", help="Tensor traffic behind compute.")
    ] = None,
    dp_overlap: Annotated[
        bool | None, typer.Option("--dp-overlap/--no-dp-overlap", help="Gradient traffic behind compute.")
    ] = None,
    p2p_overlap: Annotated[
        bool | None, typer.Option("--p2p-overlap/--no-p2p-overlap", help="Stage transfers behind compute.")
    ] = None,
    grad_bytes: Annotated[int | None, typer.Option(metavar="2|4", help="Of one gradient element.")] = None,
    top: Annotated[int, typer.Option(min=1, max=100, metavar="K", help="Plans to show.")] = 5,
    json: Json = False,
) -> None:
    """Find the fastest ways to cut a model over the GPUs of a scene that fit in their memory.

    Exit code 1: nothing fits.
    """
    from dataclasses import asdict

    from twin.api.plan import planned
    from twin.cli.errors import ExitCode, told
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene

    with told(scene):
        options = {
            "flash": flash,
            "seq_parallel": seq_parallel,
            "tp_overlap": tp_overlap,
            "dp_overlap": dp_overlap,
            "p2p_overlap": p2p_overlap,
            "grad_bytes": grad_bytes,
        }
        found = planned(
            load_scene(scene), scene, model, gpus, batch, sequence, precision, profile, sharding, options, top
        )
        said = asdict(found)
        if json:
            print_json(said)
        else:
            _print(said)
        raise typer.Exit(ExitCode.DONE if said["plans"] else ExitCode.FINDINGS)


def _print(said: dict[str, Any]) -> None:
    import textwrap

    from twin.cli.plan_table import print_plans
    from twin.cli.tables import console

    print(
        f"{said['model']}, {said['sequence']:,} tokens, batch {said['global_batch']:,}, {said['precision']}, on "
        f"{said['gpus']:,} x {said['gpu']} (scale-up domain {said['domain_gpus']}), profile {said['profile']}"
    )
    print(textwrap.fill(f"stack: {said['stack_words']}: {said['profile_title']}", console().width))
    if said["other_profiles"]:
        print(f"other stacks on this GPU: --profile {', '.join(said['other_profiles'])}")
    if said["plans"]:
        print_plans(said["plans"])
    else:
        print(f"no configuration can run; {said['hint'] or _HINT}")
    print(f"{said['tried']} configurations evaluated in {1e3 * said['search_s']:.0f} ms; refused:")
    for reason, count in said["refused"].items():
        if count:
            print(f"  {count:6d}  {reason}")
    print(said["worth"])
    if said["plans"]:
        print()
        print(said["plans"][0]["yaml"], end="")
