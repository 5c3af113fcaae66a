"""`twin draw`: drawings of a scene as PDF or SVG."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from twin.cli.options import Overwrite, Paper, Scene, Settings, a_file

EXAMPLE = """Example: twin draw llama3-16k -o llama3.pdf --paper A0

Sheets: plan of each hall, rack elevations, one-line diagram, piping, network by tier."""


class SheetKind(StrEnum):
    """What can be drawn."""

    plan = "plan"
    elevation = "elevation"
    one_line = "one-line"
    piping = "piping"
    network = "network"


def draw_scene(
    scene: Scene,
    to: Annotated[
        Path,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            help="A .pdf file with all sheets, or an .svg file; several sheets get its name and theirs.",
            parser=a_file,
            show_default=False,
        ),
    ],
    sheet: Annotated[
        list[SheetKind] | None,
        typer.Option(help="Draw this alone; may be repeated (default: all).", show_default=False),
    ] = None,
    paper: Annotated[Paper, typer.Option(help="Size of the paper.", case_sensitive=False)] = Paper.a3,
    hall: Annotated[
        str | None, typer.Option(metavar="ID", help="Plan and elevations of this hall alone.")
    ] = None,
    replace: Overwrite = False,
    set_: Settings = None,
) -> None:
    """Draw a scene for paper: black on white, to scale, with dimensions, title block and references between sheets."""
    from twin.api.drawings import draw
    from twin.cli.errors import BadInput, reporting_errors
    from twin.cli.scene import load_scene
    from twin.cli.target import must_be_free
    from twin.drawings.site_drawings import KINDS, DrawingError, svg_names
    from twin.language import counted
    from twin.scenario.file.set_option import set_texts
    from twin.whole_file import write_whole

    with reporting_errors(scene):
        must_be_free(to, "-o", scene, endings=(".pdf", ".svg"))
        if not to.suffix:
            raise BadInput(f"-o: {to} does not tell its format; end it with .pdf or .svg")
        document = set_texts(load_scene(scene), set_ or [])
        kinds = [kind.value for kind in sheet] if sheet else list(KINDS)
        try:
            made = draw(document.scenario, kinds, paper.value, hall)
        except DrawingError as error:
            raise BadInput(str(error)) from None
        files = svg_names(made, to) if to.suffix.lower() == ".svg" else {to: made}
        for path in files:
            must_be_free(path, "-o", scene, replace=replace)
        from twin.drawings.render import pdf_bytes, svg_bytes

        title = document.scenario.title
        for path, sheets in files.items():
            data = svg_bytes(sheets[0], title) if to.suffix.lower() == ".svg" else pdf_bytes(sheets, title)
            try:
                write_whole(path, data)
            except OSError as error:
                raise BadInput(f"{path}: {error.strerror or error}") from None
            print(f"written: {path} ({', '.join(drawn.name for drawn in sheets)})")
        edits = len(document.scenario.edits)
        if edits:
            print(f"note: drawn as the scene begins, without its {counted(edits, 'later edit')}")
