"""`twin catalog`: the parts with value, unit and source of each number."""

from __future__ import annotations

from typing import Annotated

import typer

from twin.cli.commands import Commands
from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json

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


@app.command("list", epilog="Example: twin catalog list --kind gpu")
def list_parts(
    kind: Annotated[str | None, typer.Option(help="Kind of the parts to list, such as gpu or node.")] = None,
    json: Json = False,
) -> None:
    """List the parts, and how many of their numbers are published, derived, ..."""
    from twin.catalog import list_rows, load_catalog
    from twin.cli.errors import reporting_errors
    from twin.cli.output import print_json

    with reporting_errors():
        rows = list_rows(load_catalog(), kind)
        if json:
            print_json(LIST_FORMAT, {"parts": rows})
            return
        from twin.cli.tables import print_table

        print_table(
            ("part", "kind", "title", "publ.", "deriv.", "recall.", "estim."),
            [
                (
                    row["id"],
                    row["kind"],
                    row["title"],
                    *(str(row[k] or "") for k in ("published", "derived", "recalled", "estimated")),
                )
                for row in rows
            ],
            right=4,
        )


@app.command("show", epilog="Example: twin catalog show H100-SXM")
def show_part(
    part: Annotated[
        str,
        typer.Argument(
            metavar="PART", help="Name of a part, as `twin catalog list` prints it.", show_default=False
        ),
    ],
    json: Json = False,
) -> None:
    """Show every number of a part with its unit, status and source."""
    from twin.catalog import load_catalog, show_rows
    from twin.cli.errors import reporting_errors
    from twin.cli.output import print_json

    with reporting_errors():
        rows = show_rows(load_catalog(), part)
        if json:
            print_json(PART_FORMAT, {"part": part, "values": rows})
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


@app.command("check", epilog="Example: twin catalog check --json")
def check_parts(json: Json = False) -> None:
    """Check that the numbers of the catalogue can be true together; exit code 1 when one cannot.

    A warning is unusual but possible, and does not count.
    """
    from twin.catalog import check_rows, load_catalog
    from twin.cli.errors import ExitCode, reporting_errors
    from twin.cli.output import print_json

    with reporting_errors():
        catalog = load_catalog()
        rows = check_rows(catalog)
        if json:
            print_json(CHECK_FORMAT, {"findings": rows})
        else:
            for row in rows:
                print(f"{row['severity']}: {row['part']}: {row['key']}: {row['message']}")
            if not rows:
                print(f"{len(catalog.ids())} parts: nothing found")
        wrong = any(row["severity"] == "error" for row in rows)
        raise typer.Exit(ExitCode.FINDINGS if wrong else ExitCode.DONE)
