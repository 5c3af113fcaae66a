"""`twin plan`: the best parallel configurations for a model on the GPUs of a scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.options import Json, Scene, Settings

if TYPE_CHECKING:
    from twin.physics.training_inputs import Stack
    from twin.planning.search.scene_plan import SceneGpus
    from twin.planning.search.search import Candidate
    from twin.scenario import Scenario
    from twin.scenario.schema.work import Job

EXAMPLE = "Example: twin plan superpod-h100 --model llama3-70b --gpus 256 --batch 512"

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
        str | None, typer.Option(metavar="bf16|fp8", help="Precision of the matrix products (default: bf16).")
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
    set_: Settings = None,
    json: Json = False,
) -> None:
    """Find the fastest parallelism layouts of a model on a scene.

    Those that fit in the memory of its GPUs, and why others are rejected.

    Exit code 1: nothing fits.
    """
    from twin.cli.errors import ExitCode, told
    from twin.cli.output import print_json

    with told(scene):
        options = {
            "flash": flash,
            "seq_parallel": seq_parallel,
            "tp_overlap": tp_overlap,
            "dp_overlap": dp_overlap,
            "p2p_overlap": p2p_overlap,
            "grad_bytes": grad_bytes,
        }
        said = planned(
            scene, model, gpus, batch, sequence, precision, profile, sharding, options, top, set_ or []
        )
        if json:
            print_json("plan", said)
        else:
            _print(said)
        raise typer.Exit(ExitCode.DONE if said["plans"] else ExitCode.FINDINGS)


def planned(
    scene: str,
    model: str,
    gpus: int | None,
    batch: int | None,
    sequence: int | None,
    precision: str | None,
    profile: str | None,
    sharding: str | None,
    options: Mapping[str, Any],
    top: int,
    settings: Sequence[str] = (),
) -> dict[str, Any]:
    """Return what ``--json`` prints; the parameters are those of the command.

    `options` are by field of `Stack`, `settings` as --set takes them.
    """
    import time
    from dataclasses import asdict, replace

    from twin.catalog import load_catalog
    from twin.cli.errors import BadInput
    from twin.cli.estimate import named_profile
    from twin.cli.scene import load_scene
    from twin.planning.job.llm import default_stack
    from twin.planning.profile.models import load_model
    from twin.planning.profile.profiles import (
        WORTH_OF_EXPERTS,
        load_calibrated,
        other_stacks,
        profile_names,
        worth,
    )
    from twin.planning.search.advice import fewest_gpus
    from twin.planning.search.nearest_feasible import nearby
    from twin.planning.search.scene_plan import plan_for_scene, scene_gpus
    from twin.planning.search.search import SHARDINGS, Limits
    from twin.planning.software_text import stack_words
    from twin.planning.table.case_model import preset_named
    from twin.plant.build import build
    from twin.scenario.file.set_option import set_texts

    if precision not in (None, "bf16", "fp8"):
        raise BadInput(f"--precision: {precision!r} is neither bf16 nor fp8")
    if sharding not in (None, "any", *SHARDINGS):
        raise BadInput(f"--sharding: {sharding!r} is none of {', '.join(SHARDINGS)} and any")
    if options["grad_bytes"] not in (None, 2, 4):
        raise BadInput(f"--grad-bytes: {options['grad_bytes']} is neither 2 nor 4")
    shardings = SHARDINGS if sharding == "any" else tuple(one for one in SHARDINGS if one == sharding)
    known = preset_named(model)
    preset = load_model(model) if known is None else known
    scenario, catalog = set_texts(load_scene(scene), settings).scenario, load_catalog()
    _refuse_loads(scenario, batch)
    hardware = scene_gpus(build(scenario, catalog), catalog)
    calibrated = load_calibrated(hardware.profile) if profile is None else named_profile(profile)
    default = default_stack(calibrated, preset.name, "fp8" if precision == "fp8" else "bf16")
    stack = replace(default, **{name: value for name, value in options.items() if value is not None})
    wanted, sequences = _size(scenario, hardware, gpus, batch)
    start = time.perf_counter()
    found = plan_for_scene(
        hardware,
        preset.name,
        wanted,
        sequences,
        sequence=sequence,
        profile=calibrated,
        stack=stack,
        limits=Limits(top=top, shardings=shardings),
    )
    hint = None
    if not found.best:
        more = fewest_gpus(
            found.model,
            wanted,
            sequences,
            calibrated,
            stack=stack,
            gpu_bytes=hardware.memory_bytes,
            domain_gpus=hardware.domain_gpus,
        )
        if more is not None:
            hint = f"{more.parallel.gpus:,} GPUs would do"
        else:
            near = nearby(
                found.model,
                wanted,
                sequences,
                calibrated,
                stack=stack,
                node_gpus=hardware.node_gpus,
                scene_gpus=hardware.count,
                gpu_bytes=hardware.memory_bytes,
                domain_gpus=hardware.domain_gpus,
            )
            hint = near.words or None
    changed = {
        "sequence": sequence if sequence != preset.model.seq else None,
        "precision": precision if precision != "bf16" else None,
        "profile": profile if profile in profile_names() and profile != hardware.profile else None,
    }
    return {
        "scene": scene,
        "model": preset.name,
        "gpu": hardware.part,
        "gpus": wanted,
        "scene_gpus": hardware.count,
        "domain_gpus": hardware.domain_gpus,
        "global_batch": sequences,
        "sequence": found.model.seq,
        "precision": precision or "bf16",
        "profile": calibrated.name,
        "confidence": "low" if found.model.experts else found.confidence,
        "worth": WORTH_OF_EXPERTS if found.model.experts else worth(calibrated),
        "stack": asdict(stack),
        "stack_words": stack_words(stack, recompute=False),
        "profile_title": calibrated.title,
        "other_profiles": [other.name for other in other_stacks(calibrated)],
        "tried": found.tried,
        "refused": dict(found.refused),
        "search_s": time.perf_counter() - start,
        "hint": hint,
        "plans": [
            {**_plan(one, found.best[0], hardware), "yaml": snippet(one, default, changed)}
            for one in found.best
        ],
    }


def _refuse_loads(scenario: Scenario, batch: int | None) -> None:
    """Refuse a scene whose jobs say nothing but their power, unless a batch is given to plan with."""
    from twin.cli.errors import BadInput
    from twin.scenario.generators.all_jobs import jobs_of
    from twin.scenario.schema.work import Load

    jobs = jobs_of(scenario)
    if batch is None and jobs and all(isinstance(job.workload, Load) for job in jobs):
        raise BadInput(
            "the jobs of this scene are loads, of which only the power is given: there is nothing to plan; "
            "give --batch to plan a model on its GPUs"
        )


def _size(scenario: Scenario, hardware: SceneGpus, gpus: int | None, batch: int | None) -> tuple[int, int]:
    """Return GPUs and batch: as asked for, else of the first training job of the scene."""
    from twin.cli.errors import BadInput
    from twin.scenario.generators.all_jobs import jobs_of
    from twin.scenario.schema.work import LlmTraining

    jobs = [job for job in jobs_of(scenario) if isinstance(job.workload, LlmTraining)]
    job: Job | None = jobs[0] if jobs else None
    if gpus is None:
        gpus = hardware.count if job is None else min(hardware.count, job.nodes * hardware.node_gpus)
    if batch is None:
        if job is None or not isinstance(job.workload, LlmTraining):
            raise BadInput("the scene trains no language model, so give --batch, the sequences of one step")
        batch = job.workload.global_batch
    return gpus, batch


def _plan(plan: Candidate, best: Candidate, hardware: SceneGpus) -> dict[str, Any]:
    from dataclasses import asdict, fields

    from twin.planning.table.case_output import PART_NAMES

    cut = plan.parallel
    return {
        "step_s": plan.step_s,
        "mfu": plan.parts.mfu,
        "tensor": cut.tp,
        "pipeline": cut.pp,
        "context": cut.cp,
        "data": cut.dp,
        "expert": cut.ep,
        "interleave": cut.vp,
        "microbatch": cut.microbatch,
        "recompute": plan.stack.recompute,
        "sharding": plan.stack.sharding,
        "parts": {name: getattr(plan.parts, name) for name in PART_NAMES},
        "memory_bytes": plan.memory.total_bytes,
        "memory": {part.name: getattr(plan.memory, part.name) for part in fields(plan.memory)},
        "network": asdict(plan.network),
        "nodes": -(-cut.gpus // hardware.node_gpus),
        "slower_because": _why(plan, best),
    }


def _why(plan: Candidate, best: Candidate) -> str | None:
    """Return the part that makes a plan slower than the best one; none for the best."""
    from twin.cli.plan_table import PARTS

    if plan is best:
        return None
    more = {
        head: sum(getattr(plan.parts, name) - getattr(best.parts, name) for name in names)
        for head, names in PARTS
    }
    head = max(more, key=lambda one: more[one])
    return f"{head} {more[head]:+.2f} s"


_STACK_KEYS = {
    "seq_parallel": "seq_parallel",
    "flash": "flash",
    "tp_overlap": "tensor_overlap",
    "dp_overlap": "data_overlap",
    "p2p_overlap": "pipeline_overlap",
    "grad_bytes": "gradient_bytes",
}
"""What a scene calls the fields of `Stack` that have an option here."""


def snippet(plan: Candidate, default: Stack, workload: Mapping[str, object]) -> str:
    """Return what to paste into the workload of a job, as YAML.

    Parameters
    ----------
    plan
        What to write.
    default
        The stack of its profile; what differs from it is said.
    workload
        Further keys of the workload; those that are None are left out.
    """
    cut = plan.parallel
    lines = [f"{key}: {value}" for key, value in workload.items() if value is not None]
    lines += ["parallelism:", f"  tensor: {cut.tp}", f"  pipeline: {cut.pp}", f"  context: {cut.cp}"]
    if cut.ep > 1:
        lines.append(f"  expert: {cut.ep}")
    lines += [
        f"  interleave: {cut.vp}",
        f"  microbatch: {cut.microbatch}",
        f"recompute: {plan.stack.recompute}",
        "stack:",
        f"  sharding: {plan.stack.sharding}",
    ]
    for field, key in _STACK_KEYS.items():
        value = getattr(plan.stack, field)
        if value != getattr(default, field):
            lines.append(f"  {key}: {str(value).lower()}")
    return "\n".join(lines) + "\n"


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
