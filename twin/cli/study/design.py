"""`twin design`: from a need to designs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json

if TYPE_CHECKING:
    from twin.designs.answer import Designs

EXAMPLE = """Example: twin design llama3-405b-54-days -o designs

Shipped needs: llama3-405b-54-days, lab-16-to-256, vision-512."""
FORMAT = JsonFormat("design")
SHOWN = (
    *("design", "GPUs", "part", "redundancy", "days", "MUSD", "MUSD/y", "MW"),
    *("site available", "nodes available", "nearest limit"),
)
"""Columns for the terminal; all stand in the tables that are written."""


def design_need(
    need: Annotated[
        str,
        typer.Argument(
            metavar="NEED", help="A *.twin-need.yaml file or the name of a shipped need.", show_default=False
        ),
    ],
    candidates: Annotated[
        int, typer.Option(min=1, max=1_000_000, metavar="N", help="Candidates that are screened.")
    ] = 1000,
    most: Annotated[int, typer.Option("--most", min=1, max=20, metavar="N", help="Designs, at most.")] = 20,
    folder: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FOLDER",
            help="New folder for a scene of each design, and tables in Markdown and JSON.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Find designs that meet a need: work, deadline, budget, power, growth.

    Candidates over GPU, number, cut, network, storage, cooling, redundancy, spares and checkpoint interval are screened
    by closed forms. Those that none other beats in cost, time, carbon, power and availability are shown, with the limit
    that each is nearest to. With -o they become scenes, each built and held against the design rules. Own parts and
    models in the folders parts and models beside the need, or those that its keys name, are candidates too; with -o
    they go along.

    Exit code 1: none keeps all limits, or with -o no scene passes its checks. Which limit stands in the way, and the
    nearest need that can be met, is told.
    """
    from twin.api.design import answered, with_scenes
    from twin.cli.errors import ExitCode, reporting_errors, warn
    from twin.cli.output import print_json
    from twin.designs.design_folder import new_folder, write_folder
    from twin.designs.design_rows import answer_row

    with reporting_errors(need):
        if folder is not None:
            new_folder(folder)
        found = answered(need, candidates, most)
        names = [f"design-{place + 1:02d}" for place in range(len(found.designs))]
        if folder is not None and found.designs:
            made = with_scenes(found)
            found, names = made.answer, made.names
            for sentence in made.left_out:
                warn(f"left out: {sentence}")
            if found.designs:
                write_folder(made, folder)
        if json:
            print_json(FORMAT, answer_row(found, names))
        else:
            _print(found, names)
            if folder is not None and found.designs:
                print(f"written: {folder}")
        raise typer.Exit(ExitCode.DONE if found.designs else ExitCode.FINDINGS)


def _print(found: Designs, names: list[str]) -> None:
    from twin.cli.tables import print_table
    from twin.designs.design_rows import HEADS, cells
    from twin.shown_text import printable

    print(
        f"{printable(found.file.need.title)}: {found.screened:,} of {found.possible:,} candidates screened, "
        f"{found.feasible:,} keep all limits"
    )
    places = [HEADS.index(head) for head in SHOWN]
    if found.designs:
        rows = [cells(name, design) for name, design in zip(names, found.designs, strict=True)]
        print_table(SHOWN, [[row[place] for place in places] for row in rows])
        print("days: mean and two standard deviations, failures included; money: likely prices")
    asked = found.file.trace
    if asked is not None:
        print(
            f"trace: {asked.jobs:,} jobs of {asked.gpu_h:,.0f} GPU-hours, {asked.largest:,} GPUs the largest, "
            f"{asked.peak:,} at the peak: {asked.gpus:,} GPUs at {100.0 * asked.utilisation:.0f} %"
        )
    isolated = [design for design in found.designs if design.isolation_nodes or design.isolation_ports]
    if isolated:
        nodes = [design.isolation_nodes for design in isolated]
        ports = [design.isolation_ports for design in isolated]
        print(
            f"isolation of tenants: {min(nodes):,} to {max(nodes):,} nodes and {min(ports):,} to {max(ports):,} "
            "leaf ports more"
        )
    for sentence in found.sentences:
        print(sentence)
