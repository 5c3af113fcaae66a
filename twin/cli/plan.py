"""`twin plan`: the best parallel configurations for a model on the GPUs of a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.options import Json, Scene

if TYPE_CHECKING:
    from twin.planning.scene_plan import SceneGpus
    from twin.planning.search import Candidate, Found
    from twin.scenario import Scenario
    from twin.scenario.work import Job

EXAMPLE = "Example: twin plan superpod-h100 --model llama3-70b --gpus 256 --batch 512"

_PARTS = (
    ("compute", ("productive_s",)),
    ("tensor", ("exposed_tensor_s",)),
    ("pipe", ("exposed_pipeline_s",)),
    ("data", ("exposed_data_s",)),
    ("ctx+exp", ("exposed_context_s", "exposed_expert_s")),
    ("bubble", ("pipeline_bubble_s",)),
    ("other", ("launch_s", "straggler_s")),
)
_HINT = "give more GPUs, a shorter sequence or a batch that divides into more parts"
_DEGREES = ("tensor", "pipeline", "context", "data", "interleave", "microbatch")


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
    top: Annotated[int, typer.Option(min=1, max=100, metavar="K", help="Plans to show.")] = 5,
    json: Json = False,
) -> None:
    """Find the fastest ways to cut a model over the GPUs of a scene that fit in their memory.

    Exit code 1: nothing fits.
    """
    from twin.cli.errors import ExitCode, told
    from twin.cli.output import print_json

    with told(scene):
        said = planned(scene, model, gpus, batch, sequence, precision, profile, sharding, top)
        if json:
            print_json(said)
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
    top: int,
) -> dict[str, Any]:
    """Return what ``--json`` prints; the parameters are those of the command."""
    import time

    from twin.catalog import load_catalog
    from twin.cli.errors import BadInput
    from twin.cli.estimate import named_profile
    from twin.cli.scene import load_scene
    from twin.planning.advice import fewest_gpus
    from twin.planning.case_model import preset_named
    from twin.planning.models import load_model
    from twin.planning.nearby import nearby
    from twin.planning.profiles import load_calibrated
    from twin.planning.scene_plan import plan_for_scene, scene_gpus
    from twin.planning.search import SHARDINGS, Limits
    from twin.plant.build import build

    if precision not in (None, "bf16", "fp8"):
        raise BadInput(f"--precision: {precision!r} is neither bf16 nor fp8")
    if sharding not in (None, "any", *SHARDINGS):
        raise BadInput(f"--sharding: {sharding!r} is none of {', '.join(SHARDINGS)} and any")
    shardings = SHARDINGS if sharding == "any" else tuple(one for one in SHARDINGS if one == sharding)
    known = preset_named(model)
    preset = load_model(model) if known is None else known
    scenario, catalog = load_scene(scene).scenario, load_catalog()
    hardware = scene_gpus(build(scenario, catalog), catalog)
    calibrated = load_calibrated(hardware.profile) if profile is None else named_profile(profile)
    wanted, sequences = _size(scenario, hardware, gpus, batch)
    start = time.perf_counter()
    found = plan_for_scene(
        hardware,
        preset.name,
        wanted,
        sequences,
        sequence=sequence,
        precision="fp8" if precision == "fp8" else "bf16",
        profile=calibrated,
        limits=Limits(top=top, shardings=shardings),
    )
    hint = None
    if not found.best:
        more = fewest_gpus(
            found.model,
            wanted,
            sequences,
            calibrated,
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
                node_gpus=hardware.node_gpus,
                gpu_bytes=hardware.memory_bytes,
                domain_gpus=hardware.domain_gpus,
            )
            hint = near.words or None
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
        "worth": worth_of(calibrated, found),
        "tried": found.tried,
        "refused": dict(found.refused),
        "search_s": time.perf_counter() - start,
        "hint": hint,
        "plans": [_plan(one, found.best[0], hardware) for one in found.best],
    }


def worth_of(calibrated: Any, found: Found) -> str:
    """Return how far a prediction can be trusted, in a sentence."""
    from twin.planning.profiles import worth

    if found.model.experts:
        return "low confidence: no published table holds the times of experts against this model"
    return worth(calibrated)


def _size(scenario: Scenario, hardware: SceneGpus, gpus: int | None, batch: int | None) -> tuple[int, int]:
    """Return GPUs and batch: as asked for, else of the first training job of the scene."""
    from twin.cli.errors import BadInput
    from twin.scenario.work import LlmTraining

    jobs = [job for job in scenario.jobs if isinstance(job.workload, LlmTraining)]
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

    from twin.planning.case_output import PART_NAMES

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
        "yaml": snippet(plan),
    }


def _why(plan: Candidate, best: Candidate) -> str | None:
    """Return the part that makes a plan slower than the best one; none for the best."""
    if plan is best:
        return None
    more = {
        head: sum(getattr(plan.parts, name) - getattr(best.parts, name) for name in names)
        for head, names in _PARTS
    }
    head = max(more, key=lambda one: more[one])
    return f"{head} {more[head]:+.2f} s"


def snippet(plan: Candidate) -> str:
    """Return what to paste into the workload of a job, as YAML."""
    cut = plan.parallel
    lines = ["parallelism:", f"  tensor: {cut.tp}", f"  pipeline: {cut.pp}", f"  context: {cut.cp}"]
    if cut.ep > 1:
        lines.append(f"  expert: {cut.ep}")
    lines += [
        f"  interleave: {cut.vp}",
        f"  microbatch: {cut.microbatch}",
        f"recompute: {plan.stack.recompute}",
    ]
    return "\n".join([*lines, "stack:", f"  sharding: {plan.stack.sharding}"]) + "\n"


def _print(said: dict[str, Any]) -> None:
    from twin.cli.tables import print_table

    print(
        f"{said['model']}, {said['sequence']:,} tokens, batch {said['global_batch']:,}, {said['precision']}, on "
        f"{said['gpus']:,} x {said['gpu']} (scale-up domain {said['domain_gpus']}), profile {said['profile']}"
    )
    plans = said["plans"]
    saving = any(plan["recompute"] != "none" or plan["sharding"] == "weights" for plan in plans)
    shown = [
        (head, names) for head, names in _PARTS if any(plan["parts"][n] for plan in plans for n in names)
    ]
    heads = ["tp pp cp dp v m", *(["saves by"] if saving else []), "step s"]
    heads += [*(head for head, _ in shown), "GB", "MFU %"]
    rows = []
    for plan in plans:
        degrees = " ".join(str(plan[key]) for key in _DEGREES)
        saves = [plan["recompute"]] if plan["recompute"] != "none" else []
        saves += ["FSDP"] if plan["sharding"] == "weights" else []
        rows.append(
            (
                degrees + (f" ep {plan['expert']}" if plan["expert"] > 1 else ""),
                *([", ".join(saves)] if saving else []),
                f"{plan['step_s']:.3f}",
                *(f"{sum(plan['parts'][name] for name in names):.2f}" for _, names in shown),
                f"{plan['memory_bytes'] / 1e9:.1f}",
                f"{100 * plan['mfu']:.1f}",
            )
        )
    if rows:
        print_table(heads, rows, right=len(heads) - 1)
        print()
        for plan in said["plans"][1:]:
            cut = "tensor {tensor}, pipeline {pipeline}, context {context}".format(**plan)
            print(
                f"{cut}: slower by {plan['step_s'] - said['plans'][0]['step_s']:.2f} s, {plan['slower_because']}"
            )
    else:
        print(f"no configuration can run; {said['hint'] or _HINT}")
    print(f"{said['tried']} configurations evaluated in {1e3 * said['search_s']:.0f} ms; refused:")
    for reason, count in said["refused"].items():
        if count:
            print(f"  {count:6d}  {reason}")
    print(said["worth"])
    if rows:
        print()
        print(said["plans"][0]["yaml"], end="")
