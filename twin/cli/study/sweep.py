"""`twin sweep`: many designs with the same seeds, side by side."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from twin.cli.completion import scenes
from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Overwrite, Seed, Settings, a_file

EXAMPLE = """Example: twin sweep lab-16 --vary jobs[llama3].checkpoint.interval=5min,30min --seeds 5 -o lab.sweep

Every point runs with the same seeds, so that differences from the scene as it stands are paired. The same command with
the same --out goes on where it was stopped; twin sweep lab.sweep shows what is there, and --table writes it."""
FORMAT = JsonFormat("sweep")
_OF_A_FILE = ("scene", "figures", "table", "replace", "json")
"""Parameters that do something where a sweep is shown; the others say what is run."""


class PointDesign(StrEnum):
    """How points come about."""

    grid = "grid"
    lhs = "lhs"
    sobol = "sobol"


def sweep_scene(
    ctx: typer.Context,
    scene: Annotated[
        str,
        typer.Argument(
            metavar="SCENE|SWEEP",
            help="A *.twin.yaml file, the name of a shipped scene, or a *.sweep file to show.",
            show_default=False,
            autocompletion=scenes,
        ),
    ],
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH=A,B,...|PATH=LOW..HIGH",
            help="A key of the scene and its values, such as jobs[llama3].checkpoint.interval=5min,10min, or the ends "
            "of a range, such as 5..20 min. May be repeated.",
        ),
    ] = None,
    design: Annotated[
        PointDesign,
        typer.Option(
            help="How points come about: grid crosses all values, lhs (Latin hypercube) and sobol fill the space."
        ),
    ] = PointDesign.grid,
    points: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100_000,
            metavar="N",
            help="Points of lhs and sobol (default: 64); of a grid, values of each range (5); with --indices, base "
            "samples (64); with --optimise, the budget (200).",
        ),
    ] = None,
    indices: Annotated[
        bool,
        typer.Option(
            "--indices",
            help="Tell which keys matter: Sobol' indices of each figure, with points of their own.",
        ),
    ] = False,
    optimise: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIGURE[:min|max]",
            help="Look for the best designs by a figure (NSGA-II); may be repeated, for the front of several.",
        ),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIGURE<=VALUE",
            help="With --optimise: what a figure may be at most, or at least, such as 'power_max_w<=20 MW'; may be "
            "repeated.",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=10_000, metavar="N", help="Runs of each point.")] = 1,
    seed: Seed = None,
    until: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Stop runs at this time, such as '10 day' (default: their end)."),
    ] = None,
    set_: Settings = None,
    figures: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Figures to show (default: goodput,energy_per_gpu_h)."),
    ] = None,
    on: Annotated[
        str,
        typer.Option(
            metavar="pool|tcp://HOST:PORT",
            help="Where to run: processes of this machine, or a Dask scheduler on it; on others tls://HOST:PORT.",
        ),
    ] = "pool",
    certificates: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Folder with ca.pem, cert.pem, key.pem for a scheduler over TLS."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", metavar="FILE", parser=a_file, help="Sweep file to write, or to go on with."
        ),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", parser=a_file, help="Write a row for each run, too: *.csv or *.parquet."
        ),
    ] = None,
    replace: Overwrite = False,
    json: Json = False,
) -> None:
    """Run a scene with many values of its keys, each with the same seeds, and compare figures.

    Exit code 3: runs were lost, as their process ended; the same command runs them again.
    """
    from twin.analysis.export import NoParquet
    from twin.api.sweep import swept
    from twin.cli.errors import BadInput, Failure, reporting_errors, warn
    from twin.cli.output import print_json
    from twin.cli.progress import counted
    from twin.cli.scene import time_of
    from twin.cli.study.sweep_text import as_json, print_sweep
    from twin.cli.target import must_be_free
    from twin.studies.study import SweepOutcome, SweepRequest
    from twin.studies.study_error import SchedulerGone, StudyError
    from twin.studies.study_figures import DEFAULT_FIGURES, chosen_figures
    from twin.studies.sweep_export import must_be_writable, write_table
    from twin.studies.sweep_file import SUFFIX, read_sweep

    kept = "" if out is None else f"; what is done is in {out}, and the same command goes on"
    given = _given(ctx)
    with reporting_errors(scene):
        try:
            if scene.endswith(SUFFIX):
                _must_show(scene, given)
            elif "design" in given and (indices or optimise):
                raise BadInput("--design: --indices and --optimise come to points of their own; leave it out")
            chosen = chosen_figures(figures.split(",") if figures else () if optimise else DEFAULT_FIGURES)
            if table is not None:
                must_be_free(table, "--table", scene, endings=(".csv", ".parquet"), replace=replace)
                must_be_writable(table)
            if scene.endswith(SUFFIX):
                found = SweepOutcome(read_sweep(Path(scene)))
            else:
                if out is not None:
                    must_be_free(out, "-o", scene, endings=(SUFFIX,))
                asked = SweepRequest(
                    scene,
                    vary or [],
                    design.value,
                    points,
                    seeds,
                    seed,
                    None if until is None else time_of(until, "--until"),
                    set_ or [],
                    out,
                    indices=indices,
                    optimise=optimise or [],
                    limits=limit or [],
                    on=on,
                    certificates=certificates,
                )
                found = swept(asked, chosen, counted, lambda words: print(words, file=sys.stderr))
                chosen = (*found.figures, *(figure for figure in chosen if figure not in found.figures))
            if table is not None:
                write_table(found.contents, chosen, table)
        except KeyboardInterrupt:
            if kept:
                warn(f"stopped{kept}")
            raise
        except SchedulerGone as error:
            raise Failure(f"{error}{kept}") from None
        except NoParquet as error:
            raise BadInput(f"--table: {error}") from None
        except StudyError as error:
            raise BadInput(str(error)) from None
        if json:
            print_json(FORMAT, as_json(found, chosen))
        else:
            print_sweep(found, chosen)
        if found.lost:
            again = (
                "the same command runs them again" if out is not None else "with --out they can be run again"
            )
            stopped = "; the search stopped there" if optimise else ""
            raise Failure(f"{len(found.lost)} runs were lost: {found.lost[0]}{stopped}; {again}")


def _given(ctx: typer.Context) -> dict[str, str]:
    """Return the parameters that a command line has, with the options that they are given by."""
    sources = {param: ctx.get_parameter_source(param.name or "") for param in ctx.command.params}
    return {
        param.name or "": param.opts[-1]
        for param, source in sources.items()
        if source is not None and source.name == "COMMANDLINE"
    }


def _must_show(file: str, given: Mapping[str, str]) -> None:
    """Refuse options that say what is run, where a sweep is only shown; raises `BadInput`."""
    from twin.cli.errors import BadInput

    others = [option for name, option in given.items() if name not in _OF_A_FILE]
    if others:
        raise BadInput(f"{file} is a sweep already, and is only shown: {', '.join(others)} go with a scene")
