"""`twin bom`, `twin cables`, `twin ports`, `twin addresses`, `twin racks`: what a scene consists of, as lists."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Overwrite, Scene, Settings, a_file

if TYPE_CHECKING:
    from twin.lists.table import SiteList

EXAMPLE = """Example: twin bom llama3-16k -o llama3.xlsx

Example: twin cables lab-16 -o cables.csv

Example: twin ports lab-16

Example: twin addresses lab-16

Example: twin racks nvl72-row

A .xlsx file needs openpyxl: pip install 'gpu-twin[lists]'"""
FORMAT = JsonFormat("site-list")
ENDINGS = (".csv", ".xlsx")
SHOWN_ROWS = 200
"""Rows for a terminal; a file has all."""

To = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        metavar="FILE",
        help="A .csv or .xlsx file to write all rows to.",
        parser=a_file,
        show_default=False,
    ),
]


def list_parts(
    scene: Scene, to: To = None, replace: Overwrite = False, set_: Settings = None, json: Json = False
) -> None:
    """List what to order: count, price from low to high, weight, power, usual lead time, and who says the price.

    A node is listed without its GPUs, CPUs and network cards, which have rows of their own. Likely totals sum to the
    capital that `twin cost` tells.
    """
    _print_list("bom", scene, to, replace, set_, json)


def list_cables(
    scene: Scene, to: To = None, replace: Overwrite = False, set_: Settings = None, json: Json = False
) -> None:
    """List the cables of the networks: label, both ends with their ports, type, length along the trays, bundle.

    A cable that fans out has a row for each of its ends: ib-0012.1 and ib-0012.2 are one cable.
    """
    _print_list("cables", scene, to, replace, set_, json)


def list_ports(
    scene: Scene, to: To = None, replace: Overwrite = False, set_: Settings = None, json: Json = False
) -> None:
    """List the ports of switches and nodes, what each leads to and by which cable; free ones too."""
    _print_list("ports", scene, to, replace, set_, json)


def list_addresses(
    scene: Scene, to: To = None, replace: Overwrite = False, set_: Settings = None, json: Json = False
) -> None:
    """List the IP and VLAN plan: name, network, VLAN, address, gateway and port of each card, BMC, switch, machine.

    Prefixes are those of `site.addresses`, else private ranges. Addresses follow row, rack and rack unit.
    """
    _print_list("addresses", scene, to, replace, set_, json)


def list_racks(
    scene: Scene, to: To = None, replace: Overwrite = False, set_: Settings = None, json: Json = False
) -> None:
    """List the racks: weight, design power, heat, feeds, and the current of each phase with one feed and with both."""
    _print_list("racks", scene, to, replace, set_, json)


def _print_list(
    name: str, scene: str, to: Path | None, replace: bool, settings: list[str] | None, json: bool
) -> None:
    from twin.api.lists import list_of
    from twin.cli.errors import BadInput, reporting_errors, warn
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene
    from twin.cli.target import must_be_free
    from twin.lists.list_file import NoWorkbook, must_be_writable, write_lists
    from twin.scenario.file.set_option import set_texts

    with reporting_errors(scene):
        if to is not None:
            must_be_free(to, "-o", scene, endings=ENDINGS, replace=replace)
            if not to.suffix:
                raise BadInput(f"-o: {to} does not tell its format; end it with .csv or .xlsx")
        document = set_texts(load_scene(scene), settings or [])
        try:
            if to is not None:
                must_be_writable(to)
            made = list_of(document.scenario, name)
            if to is not None:
                write_lists([made], to)
        except NoWorkbook as none:
            raise BadInput(str(none)) from None
        except OSError as error:
            raise BadInput(f"{to}: {error.strerror or error}") from None
        for note in made.notes:
            warn(note)
        if json:
            columns = [{"key": c.key, "title": c.title, "unit": c.unit or None} for c in made.columns]
            head = {"scene": document.name, "list": name, "title": made.title, "columns": columns}
            print_json(FORMAT, {**head, "rows": made.records(), "notes": list(made.notes)})
            return
        if to is not None:
            print(f"written: {to} ({len(made.rows):,} rows)")
            return
        _print_rows(made)


def _print_rows(made: SiteList) -> None:
    from twin.cli.tables import print_table
    from twin.lists.list_file import shown

    sums = made.sums()
    rows = [*made.rows[:SHOWN_ROWS], *([sums] if sums is not None else [])]
    print_table(
        [column.head for column in made.columns if not column.detail],
        [
            [shown(cell, column) for cell, column in zip(row, made.columns, strict=True) if not column.detail]
            for row in rows
        ],
    )
    hidden = len(made.rows) - SHOWN_ROWS
    if hidden > 0:
        print(f"{hidden:,} more rows; -o FILE writes all")
