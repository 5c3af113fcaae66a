"""`twin shot`: a picture of a hall at one moment, without a person."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from twin.cli.options import Injections, SceneOrRun, Seed, Settings

if TYPE_CHECKING:
    from twin.cli.moment import Moment

EXAMPLE = "Example: twin shot llama3-16k --at '20 day' --colour-by gpu.temp_c -o hall.png"
_MAX_PIXELS = 7680


class CablesBy(StrEnum):
    """What colours the cables."""

    rail = "rail"
    load = "load"


class Theme(StrEnum):
    """Colours of the picture."""

    dark = "dark"
    light = "light"
    contrast = "contrast"


def take_picture(
    what: SceneOrRun,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="FILE", help="PNG file to write.", show_default=False)
    ],
    at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Simulated time, such as '20 day'; without it half-way."),
    ] = None,
    camera: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="overview, row, top, aisle, close, or the id of a thing to fly to."
        ),
    ] = "overview",
    colour_by: Annotated[
        str, typer.Option(metavar="CHANNEL", help="What the colours show, such as gpu.power_w or gpu.state.")
    ] = "gpu.temp_c",
    cables: Annotated[CablesBy, typer.Option(help="What colours the cables.")] = CablesBy.rail,
    size: Annotated[str, typer.Option(metavar="WxH", help="Pixels.")] = "1600x1000",
    theme: Annotated[Theme, typer.Option(help="Colours of the picture.")] = Theme.dark,
    seed: Seed = None,
    set_: Settings = None,
    inject: Injections = None,
) -> None:
    """Take a picture of a scene or run.

    It has legend, seed, time and the SIMULATED mark. Where there is no display it brings its own (Xvfb).
    """
    import sys

    from twin.cli.display import has_display, in_virtual_display
    from twin.cli.errors import told

    with told(what):
        width, height = size_of(size)
        if not has_display():
            raise typer.Exit(in_virtual_display(sys.argv[1:], width, height))
        moment = _moment(what, at, seed, set_ or [], inject or [])
        draw(moment, out, camera, colour_by, (width, height), theme.value, cables.value)


def size_of(text: str) -> tuple[int, int]:
    """Return width and height of ``1600x1000``; raises `BadInput`."""
    from twin.cli.errors import BadInput

    match = re.fullmatch(r"(\d+)[x×](\d+)", text)
    if match is None or not all(64 <= int(side) <= _MAX_PIXELS for side in match.groups()):
        raise BadInput(
            f"--size: {text!r} is no size; write it like 1600x1000, each side from 64 to {_MAX_PIXELS}"
        )
    return int(match[1]), int(match[2])


def _moment(
    what: str, at: str | None, seed: int | None, settings: list[str], injections: list[str]
) -> Moment:
    from twin.cli.errors import BadInput
    from twin.cli.moment import moment_of_run, moment_of_scene
    from twin.cli.progress import progress
    from twin.cli.scene import is_run, load_scene, time_of, with_changes

    at_s = None if at is None else time_of(at, "--at")
    with progress(f"to {at or 'half-way'}") as show:
        if not is_run(what):
            return moment_of_scene(with_changes(load_scene(what), settings, injections), seed, at_s, show)
        if seed is not None or settings or injections:
            raise BadInput(
                "--seed, --set and --inject change a scene, not a recorded run; name the scene instead"
            )
        return moment_of_run(what, at_s, show)


def draw(
    moment: Moment,
    out: Path,
    camera: str,
    colour_by: str,
    size: tuple[int, int],
    theme: Literal["dark", "light", "contrast"],
    cables_by: Literal["rail", "load"] = "rail",
) -> None:
    """Write the picture of a moment to `out`; the other parameters are those of the command.

    Raises
    ------
    BadInput
        When camera or channel are unknown.
    Failure
        When the picture cannot be drawn here.
    """
    from twin.cli.errors import BadInput, Failure
    from twin.view3d.presets import PRESETS
    from twin.view3d.state import COLOUR_BY, ViewState

    if colour_by not in COLOUR_BY:
        raise BadInput(
            f"--colour-by: there is no channel {colour_by!r} of GPUs; there are {', '.join(COLOUR_BY)}"
        )
    from twin.plant.find import find

    engine, frame, plant = moment.engine, moment.frame, moment.engine.plant
    if camera not in PRESETS and find(plant, camera) is None:
        raise BadInput(f"--camera: {camera!r} is neither a view ({', '.join(PRESETS)}) nor the id of a thing")
    from twin.app.platform_choice import decide_platform

    decide_platform()
    from PySide6.QtCore import QCoreApplication, Qt
    from PySide6.QtWidgets import QApplication

    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    qt = QApplication.instance() or QApplication(["twin"])
    from twin.view3d.groups import Groups
    from twin.view3d.hall_view import HallView
    from twin.view3d.legend import cable_legend, legend_for
    from twin.view3d.overlay import draw_overlay, overlay_areas, save_png

    scenario = engine.scenario
    groups = Groups.of(scenario, plant)
    legend = legend_for(colour_by, plant, frame, groups)
    subtitle = f"{int(plant.gpus.present.sum()):,} GPUs in {int(plant.nodes.present.sum()):,} nodes"
    more = (cable_legend(plant, frame),) if cables_by == "load" else ()
    view = HallView(ViewState(colour_by=colour_by, theme=theme, cables_by=cables_by), size=size)
    try:
        view.set_plant(plant, groups)
        view.set_frame(frame)
        if camera in PRESETS:
            view.preset(camera, animate=False)
        else:
            view.state.selection = (camera,)
            view.fly_to(camera, animate=False)
        view.keep_clear(
            overlay_areas(
                *size,
                legend,
                title=scenario.title,
                subtitle=subtitle,
                seed=engine.seed,
                t_s=frame.t_s,
                more=more,
            )
        )
        qt.processEvents()
        rgb = view.grab()
        if view.errors:
            raise Failure(f"the picture could not be drawn: {view.errors[0].splitlines()[-1]}")
        rgb = draw_overlay(
            rgb,
            legend,
            title=scenario.title,
            subtitle=subtitle,
            seed=engine.seed,
            t_s=frame.t_s,
            scale=rgb.shape[1] / size[0],
            theme=theme,
            more=more,
        )
    finally:
        view.close()
    save_png(rgb, out, _metadata(moment))


def _metadata(moment: Moment) -> dict[str, str]:
    """Return what the picture says about itself: enough to take it again."""
    from twin.record.inputs import app_version

    return {
        "Title": moment.engine.scenario.title,
        "Description": "simulated, not measured",
        "Software": f"gpu-twin {app_version()}",
        "Seed": str(moment.engine.seed),
        "Simulated time s": f"{moment.frame.t_s:.3f}",
        "Inputs hash": moment.inputs_hash,
    }
