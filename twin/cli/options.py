"""Arguments and options that several commands share."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


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


Scene = Annotated[
    str,
    typer.Argument(
        metavar="SCENE", help="A *.twin.yaml file or the name of a shipped scene.", show_default=False
    ),
]
SceneOrRun = Annotated[
    str,
    typer.Argument(
        metavar="SCENE|RUN", help="A scene by file or name, or a *.twinrun file.", show_default=False
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(min=0, max=2**63 - 1, metavar="N", help="Of all random draws; without it the scene's own."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Change one value: jobs[llama3].checkpoint.pause='20 s'."
    ),
]
Injections = Annotated[
    list[str] | None,
    typer.Option(
        "--inject",
        metavar="'T KIND TARGET [k=v]'",
        help="Do something at a time, or time of day: '10 h fail gpu/0/3/1', '10:00 pump_stop cdu/0 for=20s', "
        "'2 h trip pdu-a/0', '6 h heat_wave site value=8K'. KIND without a target that fits says what it takes.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(metavar="FORMAT", help="Of the trace, where the program should not tell by itself."),
]
Maps = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="KEY=VALUE",
        help="How rows of the trace become jobs: size=0.5, time=0.1, gaps=0.1, gpus_per_processor=0.125, first=1000, "
        "skip=100, estimate=exact, limits=false, utilisation=0.7, throughput=10, partition=ID, tenants=user.",
    ),
]
Camera = Annotated[
    str,
    typer.Option(metavar="NAME", help="overview, row, top, aisle, close, or the id of a thing to fly to."),
]
ColourBy = Annotated[
    str, typer.Option(metavar="CHANNEL", help="What the colours show, such as gpu.power_w or gpu.state.")
]
Size = Annotated[str, typer.Option(metavar="WxH", help="Pixels.")]
Theme = Annotated[ThemeName, typer.Option(help="Colours of the picture.")]
Replace = Annotated[
    bool, typer.Option("--replace", help="Record over an older run of that name, which is lost.")
]
Overwrite = Annotated[bool, typer.Option("--replace", help="Write over a file of that name, which is lost.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]
