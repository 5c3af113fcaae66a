"""Arguments and options that several commands share."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from twin.cli import completion


def a_file(text: str) -> Path:
    """Return the file that an option names; `Path` alone would not tell ``name.csv/`` from ``name.csv``."""
    if text.endswith(("/", os.sep)):
        raise typer.BadParameter(f"{text} is a folder; name a file in it")
    return Path(text)


class ThemeName(StrEnum):
    """Colours of pictures."""

    dark = "dark"
    light = "light"
    contrast = "contrast"


class Paper(StrEnum):
    """Sizes of ISO 216."""

    a4 = "A4"
    a3 = "A3"
    a2 = "A2"
    a1 = "A1"
    a0 = "A0"


Scene = Annotated[
    str,
    typer.Argument(
        metavar="SCENE",
        help="A *.twin.yaml file or the name of a shipped scene.",
        show_default=False,
        autocompletion=completion.scenes,
    ),
]
SceneOrRun = Annotated[
    str,
    typer.Argument(
        metavar="SCENE|RUN",
        help="A scene by file or name, or a *.twinrun file.",
        show_default=False,
        autocompletion=completion.scenes_and_runs,
    ),
]
Run = Annotated[
    str,
    typer.Argument(
        metavar="RUN", help="A *.twinrun file.", show_default=False, autocompletion=completion.runs
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(min=0, max=2**63 - 1, metavar="N", help="Random seed (default: the scene's)."),
]
Seeds = Annotated[
    int | None,
    typer.Option(
        min=2,
        max=10_000,
        metavar="N",
        help="Run N seeds in all, from that of the run on, and give P5, P50 and P95 of the figures.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Change one value of the scene, such as jobs[llama3].checkpoint.pause='20 s'; may be repeated.",
    ),
]
Injections = Annotated[
    list[str] | None,
    typer.Option(
        "--inject",
        metavar="'T KIND TARGET [k=v]'",
        help="Inject a fault or an action at a time: '10 h fail gpu/0/3/1', '10:00 pump_stop cdu/0 for=20s', "
        "'2 h trip pdu-a/0', '6 h heat_wave site value=8K'. With a wrong target, the error says what KIND takes. "
        "May be repeated.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(metavar="FORMAT", help="Format of the job trace (default: told from the file)."),
]
Maps = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="KEY=VALUE",
        help="How rows of the job trace become jobs: size=0.5, time=0.1, gaps=0.1, gpus_per_processor=0.125, "
        "first=1000, skip=100, estimate=exact, limits=false, utilisation=0.7, throughput=10, partition=ID, "
        "tenants=user. May be repeated.",
    ),
]
Camera = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Camera: overview, row, top, aisle, close, or the id of a component to look at."
    ),
]
ColourBy = Annotated[
    str,
    typer.Option(metavar="CHANNEL", help="Channel that the colours show, such as gpu.power_w or gpu.state."),
]
Size = Annotated[str, typer.Option(metavar="WxH", help="Width and height of the picture in pixels.")]
Theme = Annotated[ThemeName, typer.Option(help="Colour theme of the picture.")]
Replace = Annotated[bool, typer.Option("--replace", help="Replace an existing run file.")]
Overwrite = Annotated[bool, typer.Option("--replace", help="Replace an existing file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else.")]
