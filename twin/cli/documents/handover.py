"""`twin handover`: a scene with all it needs and what others read of it, as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from twin.cli.options import Overwrite, Scene, Settings, a_file

EXAMPLE = """Example: twin handover my-hall.twin.yaml -o my-hall.zip

Example: twin handover my-hall.twin.yaml -o for-others.zip --anonymise

twin open my-hall.zip unpacks it beside itself and opens the scene."""


def hand_over(
    scene: Scene,
    to: Annotated[
        Path,
        typer.Option(
            "-o", "--out", metavar="F.zip", help="File to write.", parser=a_file, show_default=False
        ),
    ],
    anonymise: Annotated[
        bool,
        typer.Option(
            "--anonymise",
            help="Make up names of tenants, users, jobs, hosts and files; leave prices, titles and stories out.",
        ),
    ] = False,
    replace: Overwrite = False,
    set_: Settings = None,
) -> None:
    """Pack a scene with the files it needs, its report as designed, drawings, lists and 3D into one zip file.

    A page in it lists all with their hashes.
    """
    from twin.cli.errors import reporting_errors
    from twin.cli.scene import load_scene
    from twin.cli.target import must_be_free
    from twin.handover.package import package_bytes
    from twin.scenario.file.set_option import set_texts
    from twin.whole_file import write_whole

    with reporting_errors(scene):
        must_be_free(to, "-o", scene, endings=(".zip",), replace=replace)
        names: list[str] = []
        data = package_bytes(set_texts(load_scene(scene), set_ or []), names.append, anonymous=anonymise)
        write_whole(to, data)
        print(f"written: {to} ({len(names) + 1} files, {len(data) / 1e6:.1f} MB)")
