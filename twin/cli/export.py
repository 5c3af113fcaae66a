"""`twin export`: series, jobs and events of a run, and sites as solids, in formats that other programs read."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from twin.cli.options import Overwrite, SceneOrRun, a_file

EXAMPLE = """Example: twin export lab.twinrun --format csv --channel rack.power_w --channel site -o lab.csv

csv and openmetrics write the channels of the site unless others are named: an id (rack.power_w), a kind (loop), or
all. Those of single GPUs (--channel gpu) carry the names of DCGM fields, at every sample or --every so often.

Solids: twin export llama3-16k -o hall.glb, or .usda for OpenUSD; of a run with --colour-by gpu.power_w --at '2 h'."""


class To(StrEnum):
    """What to write."""

    csv = "csv"
    openmetrics = "openmetrics"
    parquet = "parquet"
    perfetto = "perfetto"


_BY_ENDING = {
    ".csv": To.csv,
    ".parquet": To.parquet,
    ".prom": To.openmetrics,
    ".txt": To.openmetrics,
    ".json": To.perfetto,
}
_ANY_TEXT = ".txt"
"""An ending that promises no more than text."""


def export_run(
    run: SceneOrRun,
    out: Annotated[
        Path,
        typer.Option("-o", "--out", metavar="FILE", parser=a_file, help="File to write.", show_default=False),
    ],
    format: Annotated[
        To | None, typer.Option("--format", help="Format of the file (default: by its ending).")
    ] = None,
    channel: Annotated[
        list[str] | None,
        typer.Option(
            "--channel",
            metavar="ID|KIND|all",
            help="Channels to write; may be repeated (default: those of the site).",
        ),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option("--every", metavar="TIME", help="Interval between values of single GPUs, such as 1h."),
    ] = None,
    colour_by: Annotated[
        str | None,
        typer.Option(
            metavar="CHANNEL", help="Channel that colours GPUs in solids of a run (default: temperature)."
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Time of the colours of solids of a run (default: its end)."),
    ] = None,
    replace: Overwrite = False,
) -> None:
    """Write the series of a run as CSV, Parquet or OpenMetrics, a Perfetto trace, or a scene or run as 3D solids.

    With a name that ends in .glb (glTF) or .usda (OpenUSD) racks, nodes, GPUs, switches and machines are written as
    boxes with their ids, parts, power and temperature.
    """
    from twin.analysis import export
    from twin.analysis.export import NoParquet, write_parquet
    from twin.cli.documents.solids import ENDINGS, export_solids
    from twin.cli.errors import BadInput, reporting_errors
    from twin.cli.progress import progress
    from twin.cli.scene import must_be_run, time_of
    from twin.cli.target import must_be_free
    from twin.record.reader import Reader

    write = {
        To.csv: export.write_csv,
        To.openmetrics: export.write_openmetrics,
        To.perfetto: export.write_trace,
    }
    with reporting_errors(run):
        if format is None and out.suffix.lower() in ENDINGS:
            if channel or every is not None:
                raise BadInput(
                    f"{'--channel' if channel else '--every'} is for series; {out} would hold solids"
                )
            export_solids(run, out, colour_by, at, replace)
            return
        if colour_by is not None or at is not None:
            option = "--colour-by" if colour_by is not None else "--at"
            raise BadInput(f"{option} is for solids: -o FILE.glb or FILE.usda")
        must_be_run(run)
        must_be_free(out, "-o", run, replace=replace)
        to = _named(out, format)
        names = channel or (["site.facility_w", "site.goodput_now"] if to is To.perfetto else ["site"])
        every_s = None if every is None else time_of(every, "--every")
        try:
            channels = export.channels_named(names)
        except export.NoSuchChannel as error:
            raise BadInput(f"--channel: {error}") from None
        if every_s is not None and (every_s <= 0 or not any(channel.dcgm for channel in channels)):
            raise BadInput(
                f"--every: {every} is the interval between values of single GPUs: give more than 0 s, and with it "
                "--channel gpu or one of the channels of GPUs"
            )
        part = out.with_name(f".{out.name}.part")
        with Reader(run) as reader, progress(f"export {run}") as show:
            asked = export.ExportRequest(reader, channels, show, every_s)
            try:
                if to is To.parquet:
                    count = write_parquet(asked, part)
                else:
                    with part.open("w", encoding="utf-8", newline="") as file:
                        count = write[to](asked, file)
                part.replace(out)
            except NoParquet as error:
                raise BadInput(f"--format: {error}") from None
            finally:
                part.unlink(missing_ok=True)
        print(f"{out}: {count:,} {'entries' if to is To.perfetto else 'values'}")


def _named(out: Path, asked: To | None) -> To:
    """Return the format that was asked for, or that the ending of a file names; without either CSV."""
    from twin.cli.errors import BadInput

    ending = out.suffix.lower()
    named = _BY_ENDING.get(ending)
    if asked is not None:
        text = ending == _ANY_TEXT and asked is not To.parquet
        if named not in (None, asked) and not text:
            right = next(known_ending for known_ending, to in _BY_ENDING.items() if to is asked)
            raise BadInput(
                f"--format: {out} is named like {named}, and would hold {asked}; end it with {right}, "
                f"or leave --format {asked} out"
            )
        return asked
    if not ending:
        return To.csv
    if named is None:
        endings = ", ".join(f"{known_ending} ({to})" for known_ending, to in _BY_ENDING.items())
        raise BadInput(f"-o: {out} does not tell its format; end it with {endings}, or give --format")
    return named
