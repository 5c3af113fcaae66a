"""`twin catalog`: the parts with value, unit and source of each number."""

from __future__ import annotations

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
    json: Json = False,
) -> None:
    """Show every number of a part with its unit, status and source; of a node also its power by part."""
    from twin.catalog import load_catalog, show_rows
    from twin.cli.errors import reporting_errors
    from twin.cli.output import print_json

    with reporting_errors():
        catalog = load_catalog()
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
