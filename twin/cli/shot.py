"""`twin shot`: a picture of a hall at one moment, without a person."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from twin.cli.options import (
    Camera,
    ColourBy,
    Injections,
    SceneOrRun,
    Seed,
    Settings,
    Size,
    Theme,
    ThemeName,
    a_file,
)
from twin.whole_file import write_whole

if TYPE_CHECKING:
    from twin.cli.moment import Moment
    from twin.report.studio import Shot

EXAMPLE = "Example: twin shot llama3-16k --at '20 day' --colour-by gpu.temp_c -o hall.png"


class CablesBy(StrEnum):
    """What colours the cables."""

    rail = "rail"
    load = "load"


class TilesBy(StrEnum):
    """What racks, rows and halls show from afar."""

    mean = "mean"
    worst = "worst"


def take_picture(
    scene_or_run: SceneOrRun,
    out: Annotated[
        Path,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            parser=a_file,
            help="Picture to write, a *.png file.",
            show_default=False,
        ),
    ],
    at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Simulated time, such as '20 day' (default: half-way)."),
    ] = None,
    camera: Camera = "overview",
    colour_by: ColourBy = "gpu.temp_c",
    cables: Annotated[
        CablesBy, typer.Option(help="Colour of the cables: by rail, or by load.")
    ] = CablesBy.rail,
    tiles: Annotated[
        TilesBy, typer.Option(help="What racks, rows and halls show from afar: mean or worst of their GPUs.")
    ] = TilesBy.mean,
    size: Size = "1600x1000",
    theme: Theme = ThemeName.dark,
    seed: Seed = None,
    set_: Settings = None,
    inject: Injections = None,
) -> None:
    """Take a picture of a scene or run.

    It has legend, seed, time and the SIMULATED mark; its metadata say which scene, seed, time and version made it. Of a
    run it shows the sample at that time or the last before. Where there is no display it brings its own (Xvfb).
    """
    from twin.cli.errors import reporting_errors
    from twin.cli.stage import on_display
    from twin.cli.target import must_be_free

    with reporting_errors(scene_or_run):
        must_be_free(out, "-o", scene_or_run, endings=(".png",))
        wanted = size_of(size)
        on_display(wanted)
        picture = _Picture(camera, colour_by, cables.value, theme.value, wanted, tiles_by=tiles.value)
        if _is_recorded(scene_or_run, seed, set_ or [], inject or []):
            data = _of_run(scene_or_run, at, picture)
        else:
            data = _of_scene(scene_or_run, at, seed, set_ or [], inject or [], picture)
        write_whole(out, data)


def size_of(text: str) -> tuple[int, int]:
    """Return width and height of ``1600x1000``; raises `BadInput`."""
    from twin.api.picture import LEAST_PIXELS, MOST_PIXELS
    from twin.cli.errors import BadInput

    match = re.fullmatch(r"(\d+)[x×](\d+)", text)
    if match is None or not all(LEAST_PIXELS <= int(side) <= MOST_PIXELS for side in match.groups()):
        raise BadInput(
            f"--size: {text!r} is no size; write it like 1600x1000, each side from {LEAST_PIXELS} to {MOST_PIXELS}"
        )
    return int(match[1]), int(match[2])


class _Picture(NamedTuple):
    """The options that say how a picture is taken; made before anything of Qt is imported."""

    camera: str
    colour_by: str
    cables_by: Literal["rail", "load"]
    theme: Literal["dark", "light", "contrast"]
    size: tuple[int, int]
    layers: None = None
    tiles_by: Literal["mean", "worst"] = "mean"

    def shot(self) -> Shot:
        """Return it for the studio, and have a Qt application; raises `BadInput` where there is no such channel."""
        from twin.api.picture import channel_of
        from twin.cli.stage import qt_application

        named = self._replace(colour_by=channel_of(self.colour_by))
        qt_application()
        from twin.report.studio import Shot

        return Shot(*named)


def _is_recorded(scene_or_run: str, seed: int | None, settings: list[str], injections: list[str]) -> bool:
    from twin.cli.errors import BadInput
    from twin.cli.scene import is_run

    if is_run(scene_or_run) and (seed is not None or settings or injections):
        raise BadInput(
            "--seed, --set and --inject change a scene, not a recorded run; name the scene instead"
        )
    return is_run(scene_or_run)


def _of_run(run_file: str, at: str | None, picture: _Picture) -> bytes:
    """Return the picture of a recorded run; of one recorded before single GPUs were, it is simulated to there again."""
    from twin.cli.moment import must_be_within
    from twin.cli.scene import time_of
    from twin.record.reader import Reader
    from twin.record.runfile import NoDetail

    with Reader(run_file) as reader:
        end_s = reader.t_end_s
        at_s = end_s / 2 if at is None else time_of(at, "--at", reader.header.scenario, end_s)
        must_be_within(at_s, reader.t_end_s)
        try:
            reader.frame(at_s)
        except NoDetail:
            return _simulated_to(run_file, at_s, picture)
        shot = picture.shot()
        from twin.report.shots import Shots
        from twin.report.studio import NoPicture

        try:
            with Shots(reader, shot) as shots:
                return shots.png(at_s)
        except NoPicture as error:
            raise _picture_error(str(error)) from None


def _of_scene(
    scene: str,
    at: str | None,
    seed: int | None,
    settings: list[str],
    injections: list[str],
    picture: _Picture,
) -> bytes:
    from twin.cli.moment import moment_of_scene
    from twin.cli.progress import progress
    from twin.cli.scene import load_scene, time_of, with_changes

    scenario = with_changes(load_scene(scene), settings, injections)
    at_s = None if at is None else time_of(at, "--at", scenario, scenario.duration_s)
    with progress(scenario.title) as show:
        moment = moment_of_scene(scenario, seed, at_s, show)
    return _of_moment(moment, picture)


def _simulated_to(run_file: str, at_s: float, picture: _Picture) -> bytes:
    from twin.cli.moment import moment_of_run
    from twin.cli.progress import progress

    with progress(run_file) as show:
        moment = moment_of_run(run_file, at_s, show)
    return _of_moment(moment, picture)


def _of_moment(moment: Moment, picture: _Picture) -> bytes:
    """Return the picture of an engine that stands."""
    from twin.record.inputs import input_hashes

    shot = picture.shot()
    from twin.report.studio import NoPicture, Studio, metadata, png

    engine, frame = moment.engine, moment.frame
    scenario, seed = engine.scenario, engine.seed
    inputs = input_hashes(scenario)
    fields = metadata(scenario.title, seed, frame.t_s, inputs, moment.inputs_hash, engine.event_hash())
    studio = None
    try:
        studio = Studio(shot, seed)
        return png(studio.picture(scenario, engine.plant, frame), fields)
    except NoPicture as error:
        raise _picture_error(str(error)) from None
    finally:
        if studio is not None:
            studio.close()


def _picture_error(sentence: str) -> Exception:
    """Return the error of a picture: of the request, or of drawing itself."""
    from twin.cli.errors import BadInput, Failure

    return BadInput(f"--{sentence}") if sentence.startswith("camera ") else Failure(sentence)
