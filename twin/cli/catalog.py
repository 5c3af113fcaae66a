"""`twin catalog`: the parts with value, unit and source of each number."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.commands import Commands
from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json

if TYPE_CHECKING:
    from twin.catalog import Catalog

LIST_FORMAT = JsonFormat("catalog-list")
PART_FORMAT = JsonFormat("catalog-part")
CHECK_FORMAT = JsonFormat("catalog-check")


app = typer.Typer(
    cls=Commands,
    help="List, show and check the parts, with value, unit and source.",
    epilog="Example: twin catalog show H100-SXM",
    no_args_is_help=True,
    rich_markup_mode=None,
)


Own = Annotated[
    Path | None,
    typer.Option("--own", metavar="FOLDER", help="Folder of own parts, or of the scene that has them."),
]


@app.command("list", epilog="Example: twin catalog list --kind gpu")
def list_parts(
    kind: Annotated[str | None, typer.Option(help="Kind of the parts to list, such as gpu or node.")] = None,
    own: Own = None,
    json: Json = False,
) -> None:
    """List the parts, and how many of their numbers are published, derived, ..."""
    from twin.catalog import list_rows
    from twin.cli.errors import reporting_errors
    from twin.cli.output import print_json

    with reporting_errors():
        rows = list_rows(_catalog(own), kind)
        if json:
            print_json(LIST_FORMAT, {"parts": rows})
            return
        from twin.cli.tables import print_table

        print_table(
            ("part", "kind", "title", "publ.", "deriv.", "recall.", "estim.", "unver."),
            [
                (
                    row["id"],
                    row["kind"],
                    row["title"],
                    *(
                        str(row[k] or "")
                        for k in ("published", "derived", "recalled", "estimated", "unverified")
                    ),
                )
                for row in rows
            ],
            right=5,
        )


@app.command("show", epilog="Example: twin catalog show H100-SXM")
def show_part(
    part: Annotated[
        str,
        typer.Argument(
            metavar="PART", help="Name of a part, as `twin catalog list` prints it.", show_default=False
        ),
    ],
    own: Own = None,
    json: Json = False,
) -> None:
    """Show every number of a part with its unit, status and source; of a node also its power by part."""
    from twin.catalog import show_rows
    from twin.cli.errors import reporting_errors
    from twin.cli.output import print_json

    with reporting_errors():
        catalog = _catalog(own)
        rows = show_rows(catalog, part)
        shares = _power_by_part(catalog, part)
        if json:
            found = {"power_by_part": shares} if shares else {}
            print_json(PART_FORMAT, {"part": part, "values": rows, **found})
            return
        from twin.cli.tables import print_table

        print_table(
            ("key", "value", "status", "note and source"),
            [
                (
                    row["key"],
                    row["text"],
                    row["status"] or "",
                    "; ".join(words for words in (row["note"], row["source"]) if words),
                )
                for row in rows
            ],
        )
        if shares:
            print("\nPower by part, no job and GPUs at their rating, in air of 25 degC:")
            print_table(
                ("part", "no job", "full", "status"),
                [
                    (row["part"], f"{row['idle_w']:.0f} W", f"{row['full_w']:.0f} W", row["status"])
                    for row in shares
                ],
            )


def _power_by_part(catalog: Catalog, part_id: str) -> list[dict[str, Any]]:
    """Return the power of a node by part, with no job and with its GPUs at their rating [W]; of others nothing."""
    from twin.catalog.compute_parts import NodePart
    from twin.planning.job.job_power import power_by_part

    part = catalog.part(part_id)
    if not isinstance(part, NodePart):
        return []
    idle, full = (power_by_part(catalog, part, driven) for driven in (0.0, 1.0))
    return [
        {"part": share.part, "idle_w": low.power_w, "full_w": share.power_w, "status": share.status}
        for low, share in zip(idle, full, strict=True)
    ]


def _catalog(own: Path | None) -> Catalog:
    """Return the shipped catalogue, with the own parts of a folder where one is named."""
    from twin.catalog import load_catalog
    from twin.scenario.formats.own_files import of_folder
    from twin.scenario.schema.own_files import catalog_with

    return load_catalog() if own is None else catalog_with(tuple(of_folder(own)))


@app.command("check", epilog="Example: twin catalog check parts")
def check_parts(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="FOLDER",
            help="Folder of own parts, or of the scene that has them: only these are checked.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Check that the numbers of the catalogue can be true together; exit code 1 when one cannot.

    A warning is unusual but possible, and does not count.
    """
    from twin.catalog import check_rows
    from twin.cli.errors import ExitCode, reporting_errors
    from twin.cli.output import print_json

    with reporting_errors():
        catalog = _catalog(folder)
        rows = [row for row in check_rows(catalog) if folder is None or row["part"] in catalog.own_parts]
        if json:
            print_json(CHECK_FORMAT, {"findings": rows})
        else:
            for row in rows:
                print(f"{row['severity']}: {row['part']}: {row['key']}: {row['message']}")
            checked = len(catalog.ids()) if folder is None else len(catalog.own_parts)
            if not rows:
                models = f", {len(catalog.own_models)} own models" if catalog.own_models else ""
                print(f"{checked} parts{models}: nothing found")
        wrong = any(row["severity"] == "error" for row in rows)
        raise typer.Exit(ExitCode.FINDINGS if wrong else ExitCode.DONE)


@app.command("copy", epilog="Example: twin catalog copy H100-SXM --as MY-GPU -o parts")
def copy_part(
    part: Annotated[str, typer.Argument(metavar="PART", help="Shipped part to copy.", show_default=False)],
    name: Annotated[str, typer.Option("--as", metavar="ID", help="Its name as an own part.")],
    folder: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Folder of own parts.")],
) -> None:
    """Copy a shipped part into a folder of own parts, to be changed there."""
    from twin.catalog import load_catalog
    from twin.catalog.part_text import copy_of
    from twin.cli.errors import reporting_errors

    with reporting_errors():
        print(_written(copy_of(load_catalog(), part, name), name, folder))


@app.command("import-netbox", epilog="Example: twin catalog import-netbox ax64.yaml --like QM9700 -o parts")
def import_netbox(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Device type of the NetBox library.", show_default=False)
    ],
    like: Annotated[
        str,
        typer.Option(
            "--like",
            metavar="PART",
            help="Shipped part of its kind: gives what the kind needs and the file lacks, as estimates.",
        ),
    ],
    folder: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Folder of own parts.")],
) -> None:
    """Make an own part of a device type of the NetBox library, and tell what its file does not say.

    Figures of the file become unverified ones: the library has no sources. Power is the sum over power ports.
    """
    from twin.catalog import load_catalog
    from twin.catalog.netbox import imported
    from twin.cli.errors import reporting_errors
    from twin.cli.tables import print_table
    from twin.scenario.formats.own_files import LIMIT
    from twin.scenario.formats.sibling_files import found, text_of
    from twin.scenario.text.problem import Problem

    with reporting_errors():
        origin = found(file.name, file.parent, Problem(str(file), 0, "", "", ""), LIMIT)
        made = imported(text_of(origin, LIMIT), file.name, like, load_catalog())
        print(_written(made.text, made.id, folder))
        told = {"NetBox": "the file, unverified", "like": f"{like}, estimated", "missing": "missing"}
        print_table(
            ("key", "value", "from", "what"),
            [(figure.key, figure.text, told[figure.origin], figure.doc) for figure in made.figures],
        )


def _written(text: str, name: str, folder: Path) -> str:
    """Write a file of own parts that can be read, and return its place; raises CatalogError or BadInput."""
    from twin.catalog.catalog import with_own
    from twin.catalog.own_texts import OwnText
    from twin.cli.errors import BadInput
    from twin.whole_file import write_whole

    target = folder / f"{name}.yaml"
    with_own((OwnText(target.name, "parts", text),))
    if target.exists():
        raise BadInput(f"{target}: is there already; take it away, or name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(target, text.encode())
    except OSError as error:
        raise BadInput(f"{target}: cannot be written: {error.strerror or error}") from None
    return str(target)
