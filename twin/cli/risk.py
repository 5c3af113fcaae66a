"""`twin risk`: how failures, spares and checkpoints of one job play together, in a thousand quick runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.options import Json, Scene, Seed, Settings

if TYPE_CHECKING:
    from twin.planning.risk.risk import JobRisk, Outcome
    from twin.scenario import Document

EXAMPLE = """Example: twin risk llama3-16k --sweep checkpoint.interval=5min,10min,20min

The reliability model of the engine without power, heat and network: nodes fail, go into repair, spares take their
places, the job restarts. Power trees, cooling and queues are not in it; twin run has them."""

_SHARES = ("ettr", "lost", "checkpoints", "detection", "restart", "waiting")
_WORDS = {
    "ettr": "ETTR",
    "unexpected": "interruptions, unexpected",
    "planned": "interruptions, planned",
    "lost": "lost work",
    "checkpoints": "checkpoint stall",
    "detection": "detection time",
    "restart": "restart overhead",
    "waiting": "waiting for replacement node",
    "nodes_down": "nodes in repair at a time",
}


def risk_of_scene(
    scene: Scene,
    job: Annotated[
        str | None, typer.Option("--job", metavar="J", help="Job to look at (default: the largest).")
    ] = None,
    seeds: Annotated[
        int, typer.Option(min=2, max=100_000, metavar="N", help="Number of Monte Carlo runs.")
    ] = 1000,
    spares: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Spare nodes (default: unallocated nodes in its rows)."),
    ] = None,
    seed: Seed = None,
    set_: Settings = None,
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH=A,B,...",
            help="Compare values of the job (checkpoint.interval=5min,10min) or of the scene (failures.lemons=...). "
            "May be repeated; several are crossed.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Estimate ETTR, losses, spare count and checkpoint interval of a job (Monte Carlo)."""
    from twin.cli.errors import told
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene
    from twin.scenario.file.set_option import set_texts

    with told(scene):
        own = [] if seed is None else [f"seed={seed}"]
        document = set_texts(load_scene(scene), [*(set_ or []), *own])
        said = sampled(document, job, seeds, spares, sweep or [])
        if json:
            print_json("risk", {"seed": document.scenario.seed, **said})
        else:
            _print(said)


def sampled(
    document: Document, job: str | None, seeds: int, spares: int | None, sweeps: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what ``--json`` prints; the parameters are those of the command."""
    from dataclasses import asdict

    from twin.planning.risk.risk import by_spares, ettr_at, outcome

    seed = document.scenario.seed
    found = outcome(_risk(document, job, spares), seeds, seed)
    risk = found.risk
    best_s = found.best_interval_s
    return {
        "job": risk.job,
        "seeds": seeds,
        "nodes": risk.model.nodes,
        "spares": risk.model.spares,
        "horizon_s": risk.model.horizon_s,
        "mean_between_s": risk.model.mean_between_s,
        "interval_s": risk.interval_s,
        "pause_s": risk.pause_s,
        "drain_s": risk.drain_s,
        "figures": {name: asdict(figure) for name, figure in found.figures.items()},
        "renewal_ettr": risk.exact_ettr,
        "best_interval_s": best_s,
        "best_ettr": None if best_s is None else asdict(ettr_at(found, best_s)),
        "by_spares": [
            {"spares": number, **_brief(one)} for number, one in by_spares(risk, seeds, seed).items()
        ],
        "sweep": _swept(document, risk.job, seeds, spares, sweeps) if sweeps else None,
        "left_out": list(risk.left_out),
    }


def _risk(document: Document, job: str | None, spares: int | None) -> JobRisk:
    from twin.catalog import load_catalog
    from twin.planning.risk.risk import risk_of
    from twin.plant.build import build

    catalog = load_catalog()
    return risk_of(document.scenario, build(document.scenario, catalog), catalog, job, spares)


def _brief(one: Outcome) -> dict[str, Any]:
    from dataclasses import asdict

    figures = one.figures
    names = ("ettr", "unexpected", "lost", "checkpoints", "waiting")
    return {"interval_s": one.risk.interval_s} | {name: asdict(figures[name]) for name in names}


def _swept(
    document: Document, job: str, seeds: int, spares: int | None, sweeps: Sequence[str]
) -> dict[str, Any]:
    """Return the outcome at each value of a sweep, on the same failures where the failures stay the same.

    Several sweeps are crossed: each value of one with each of the others.
    """
    from itertools import product

    from twin.planning.risk.risk import outcome
    from twin.scenario.file.set_option import set_texts

    axes = [_axis(sweep, job) for sweep in sweeps]
    for place in range(len(axes)):
        _must_matter(document, job, spares, axes, place)
    rows = []
    for chosen in product(*(values for _, values in axes)):
        texts = [f"{path}={value}" for (path, _), value in zip(axes, chosen, strict=True)]
        risk = _risk(set_texts(document, texts), job, spares)
        found = outcome(risk, seeds, document.scenario.seed)
        rows.append({"value": ", ".join(chosen), "values": list(chosen), **_brief(found)})
    paths = [path for path, _ in axes]
    return {"path": ", ".join(paths), "paths": paths, "values": rows}


def _axis(sweep: str, job: str) -> tuple[str, list[str]]:
    """Return the whole path of a sweep, and its values; raises `BadInput` where it is none."""
    from twin.cli.errors import BadInput
    from twin.scenario.schema.document import Scenario

    path, equals, said = sweep.partition("=")
    path, values = path.strip(), [value.strip() for value in said.split(",")]
    if not equals or not path or not all(values):
        raise BadInput(
            f"--sweep: {sweep!r} is not PATH=A,B,...; write it like checkpoint.interval=5min,10min"
        )
    heads = {field.alias or name for name, field in Scenario.model_fields.items()}
    whole = path if path.split(".")[0].split("[")[0] in heads else f"jobs[{job}].{path}"
    return whole, values


def _must_matter(
    document: Document, job: str, spares: int | None, axes: Sequence[tuple[str, list[str]]], place: int
) -> None:
    """Refuse a sweep over what the quick model does not hold: all its rows would be equal."""
    from dataclasses import replace

    from twin.cli.errors import BadInput
    from twin.scenario.file.set_option import set_texts

    path, values = axes[place]
    others = [f"{one}={first[0]}" for at, (one, first) in enumerate(axes) if at != place]
    changed = [set_texts(document, others)]
    changed += [set_texts(document, [*others, f"{path}={value}"]) for value in values]
    if all(variant.scenario == changed[0].scenario for variant in changed):
        return  # what the scene says, in several ways
    risks = [replace(_risk(variant, job, spares), left_out=()) for variant in changed]
    if all(found == risks[0] for found in risks):
        raise BadInput(
            f"--sweep: {path} is nothing that this quick model holds: nodes fail and are repaired, spares take their "
            f"places, the job saves and restarts. twin run --set {path}={values[0]} has it, and twin compare SCENE "
            f"SCENE --set-b {path}={values[-1]}"
        )


def _print(said: dict[str, Any]) -> None:
    from twin import units
    from twin.cli.tables import console, print_table

    show = console().print
    between = said["mean_between_s"]
    fails = f"one failure every {units.spoken(between)}" if between < float("inf") else "nothing fails"
    show(
        f"job {said['job']}: {said['nodes']} nodes, {said['spares']} spares, {units.spoken(said['horizon_s'])}, "
        f"{fails}; {said['seeds']} runs\n"
    )
    rows = []
    for name, figure in said["figures"].items():
        share = name in _SHARES
        cells = [figure[key] for key in ("mean", "error", "low", "median", "high")]
        rows.append((_WORDS[name], *(f"{100 * x:.2f} %" if share else f"{x:.1f}" for x in cells)))
    print_table(("figure", "mean", "s.e.", "5 %", "median", "95 %"), rows, right=5)
    show("")
    interval = said["interval_s"]
    told = (
        "no checkpoints"
        if interval == float("inf")
        else f"a checkpoint every {units.spoken(interval)} of work"
    )
    exact = said["renewal_ettr"]
    if exact is not None:
        told += f"; with spares enough the renewal formula gives {100 * exact:.2f} %"
    show(told)
    if said["best_interval_s"] is not None:
        show(
            f"best interval: {units.spoken(said['best_interval_s'])}, ETTR {100 * said['best_ettr']['mean']:.2f} %"
        )
    show("")
    print_table(("spares", *_HEADS), [_row(str(one["spares"]), one) for one in said["by_spares"]], right=5)
    if said["sweep"]:
        show("")
        print_table(
            (said["sweep"]["path"], *_HEADS),
            [_row(one["value"], one) for one in said["sweep"]["values"]],
            right=5,
        )
    for words in said["left_out"]:
        show(f"note: {words}")


_HEADS: Sequence[str] = ("ETTR", "s.e.", "5 %", "interruptions", "waiting")


def _row(name: str, one: dict[str, Any]) -> tuple[str, ...]:
    ettr, waiting = one["ettr"], one["waiting"]
    return (
        name,
        f"{100 * ettr['mean']:.2f} %",
        f"{100 * ettr['error']:.2f} %",
        f"{100 * ettr['low']:.2f} %",
        f"{one['unexpected']['mean']:.1f}",
        f"{100 * waiting['mean']:.2f} %",
    )
