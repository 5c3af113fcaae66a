"""`twin risk`: how failures, spares and checkpoints of one job play together, in a thousand quick runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Scene, Seed, Settings

EXAMPLE = """Example: twin risk llama3-16k --sweep checkpoint.interval=5min,10min,20min

The reliability model of the engine without power, heat and network: nodes fail, go into repair, spares take their
places, the job restarts. Queues are not in it; twin run has them. Outages of power, cooling and network are told
beside it, by minimal cut sets."""
FORMAT = JsonFormat("risk")

_TITLES = {
    "ettr": "ETTR",
    "unexpected": "interruptions, unexpected",
    "reclaims": "of them reclaims of rented nodes",
    "planned": "interruptions, planned",
    "nodes_down": "nodes in repair at a time",
}
_JOB_TIME = {
    "lost": "job.lost_s",
    "checkpoints": "job.checkpoint_s",
    "detection": "job.detect_s",
    "restart": "job.restart_s",
    "waiting": "job.spare_wait_s",
}
"""Figures that are shares of the time, and the channel with their title."""


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
            metavar="PATH=A,B,...|PATH=LOW..HIGH",
            help="Compare values of the job (checkpoint.interval=5min,10min) or of the scene (failures.lemons=...). "
            "May be repeated; several are crossed.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Estimate ETTR, losses, spare count and checkpoint interval of a job (Monte Carlo)."""
    from dataclasses import asdict

    from twin.api.risk import sampled
    from twin.cli.errors import reporting_errors
    from twin.cli.failure_table import plain, summary
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene
    from twin.planning.risk.failure_table import NO_FAILURES, OFFER
    from twin.scenario.file.set_option import set_texts

    with reporting_errors(scene):
        own = [] if seed is None else [f"seed={seed}"]
        document = set_texts(load_scene(scene), [*(set_ or []), *own])
        found = sampled(document, job, seeds, spares, sweep or [])
        report, table = asdict(found), found.failures
        if json:
            print_json(FORMAT, {"seed": document.scenario.seed, **report, "failures": plain(table)})
        else:
            _print(report, [NO_FAILURES, OFFER] if table.none else summary(table))


def _print(report: dict[str, Any], of_failures: Sequence[str]) -> None:
    from twin import units
    from twin.cli.availability_table import print_availability
    from twin.cli.tables import console, print_table
    from twin.record.account_titles import JOB_TIME_TITLES

    titles = _TITLES | {name: JOB_TIME_TITLES[channel].title for name, channel in _JOB_TIME.items()}
    show = console().print
    between = report["mean_between_s"]
    event = "failure or reclaim" if "reclaims" in report["figures"] else "failure"
    fails = f"one {event} every {units.spoken(between)}" if between < float("inf") else "nothing fails"
    show(
        f"job {report['job']}: {report['nodes']} nodes, {report['spares']} spares, {units.spoken(report['horizon_s'])}"
        f", {fails}; {report['seeds']} runs\n"
    )
    rows = []
    for name, figure in report["figures"].items():
        share = name == "ettr" or name in _JOB_TIME
        cells = [figure[key] for key in ("mean", "error", "low", "median", "high")]
        rows.append((titles[name], *(f"{100 * x:.2f} %" if share else f"{x:.1f}" for x in cells)))
    print_table(("figure", "mean", "s.e.", "5 %", "median", "95 %"), rows, right=5)
    show("")
    interval = report["interval_s"]
    checkpoints = (
        "no checkpoints"
        if interval == float("inf")
        else f"a checkpoint every {units.spoken(interval)} of work"
    )
    exact = report["renewal_ettr"]
    if exact is not None:
        checkpoints += f"; with spares enough the renewal formula gives {100 * exact:.2f} %"
    show(checkpoints)
    if report["best_interval_s"] is not None:
        show(
            f"best interval: {units.spoken(report['best_interval_s'])}, ETTR {100 * report['best_ettr']['mean']:.2f} %"
        )
    show("")
    print_table(("spares", *_HEADS), [_row(str(row["spares"]), row) for row in report["by_spares"]], right=5)
    if report["sweep"]:
        show("")
        print_table(
            (report["sweep"]["path"], *_HEADS),
            [_row(row["value"], row) for row in report["sweep"]["values"]],
            right=5,
        )
    print_availability(report["availability"])
    for words in (*of_failures, *report["left_out"]):
        show(f"note: {words}", soft_wrap=True)


_HEADS: Sequence[str] = ("ETTR", "s.e.", "5 %", "interruptions", "waiting")


def _row(name: str, row: dict[str, Any]) -> tuple[str, ...]:
    ettr, waiting = row["ettr"], row["waiting"]
    return (
        name,
        f"{100 * ettr['mean']:.2f} %",
        f"{100 * ettr['error']:.2f} %",
        f"{100 * ettr['low']:.2f} %",
        f"{row['unexpected']['mean']:.1f}",
        f"{100 * waiting['mean']:.2f} %",
    )
