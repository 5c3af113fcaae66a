"""`twin report`: a run as one HTML file that needs nothing else to be read, or as PDF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.options import (
    Camera,
    ColourBy,
    Injections,
    Overwrite,
    SceneOrRun,
    Seed,
    Seeds,
    Settings,
    a_file,
)

if TYPE_CHECKING:
    from twin.record.reader import Reader
    from twin.report.run_report import ReportPicture
    from twin.studies.bands import SeedBands

EXAMPLE = "Example: twin report blackout -o blackout.html\n\nThe same on paper: twin report blackout -o blackout.pdf"
_SIZE = (1600, 900)


def write_report(
    scene_or_run: SceneOrRun,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            parser=a_file,
            help="File to write, .html or .pdf (default: NAME.html in this folder).",
        ),
    ] = None,
    seed: Seed = None,
    seeds: Seeds = None,
    until: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Stop a scene at this time, such as '10 day' (default: its end)."),
    ] = None,
    set_: Settings = None,
    inject: Injections = None,
    pictures: Annotated[
        bool, typer.Option(help="Add pictures of the hall at start, worst moment and end.")
    ] = True,
    camera: Camera = "overview",
    colour_by: ColourBy = "gpu.temp_c",
    handout: Annotated[
        bool, typer.Option("--handout", help="Write a handout of the chapters of the scene instead.")
    ] = False,
    no_run: Annotated[
        bool,
        typer.Option(
            "--no-run",
            help="Report a scene as designed, without a run: money, power, availability, design rules, sources.",
        ),
    ] = False,
    replace: Overwrite = False,
) -> None:
    """Write a report of a run, HTML or PDF; a scene is run first, or with --no-run reported as designed.

    Three parts for three readers: a page for who decides (what came of it, cost, risk), one for who builds and runs the
    site (losses by cause, power, cooling, water, carbon, reliability, jobs), one for who teaches or checks (method,
    glossary, sources); an appendix has every constant with its source. It asks for no network and runs no script.
    """
    from twin.cli.display import has_display
    from twin.cli.errors import BadInput, Failure, reporting_errors, warn
    from twin.cli.older import tell_if_older
    from twin.cli.target import must_be_free
    from twin.record.reader import Reader
    from twin.report.paper import report_bytes
    from twin.report.run_report import run_report
    from twin.units import spoken
    from twin.whole_file import write_whole

    with reporting_errors(scene_or_run):
        path = out if out is not None else Path(f"{Path(scene_or_run).name.partition('.')[0]}.html")
        must_be_free(path, "-o", scene_or_run, endings=(".html", ".htm", ".pdf"), replace=replace)
        if no_run:
            if any((seed is not None, seeds, until, set_, inject, handout)):
                raise BadInput(
                    "--no-run takes a scene as it is: no --seed, --seeds, --until, --set, --inject, --handout"
                )
            write_whole(path, report_bytes(path, _as_designed(scene_or_run)))
            print(path)
            return
        without = "" if pictures else "No pictures were asked for."
        if pictures and not has_display():
            from twin.cli.stage import on_display

            try:
                on_display(_SIZE)
            except Failure as error:
                without = f"Without pictures of the hall: {error}."
        run = run_of(scene_or_run, seed, until, set_ or [], inject or [])
        with Reader(run) as reader:
            tell_if_older(reader)
            if reader.summary is None:
                reached, end = spoken(reader.t_end_s), spoken(reader.header.end_s)
                warn(
                    f"{run}: this run is not over, it reached {reached} of {end}; the report says so in its head"
                )
            if handout:
                text = _handout(reader, without, camera, colour_by)
            else:
                taken: list[ReportPicture] = []
                if not without:
                    taken, without = _pictures(reader, camera, colour_by)
                text = run_report(reader, taken, without, None if seeds is None else _bands(reader, seeds))
        write_whole(path, report_bytes(path, text))
        print(path)


def _as_designed(scene: str) -> str:
    """Return the report of a scene that is not run."""
    from twin.api.named import load_scene
    from twin.report.scene_report import scene_report

    return scene_report(load_scene(scene))


def run_of(
    scene_or_run: str, seed: int | None, until: str | None, settings: list[str], injections: list[str]
) -> str:
    """Return the named run file; a scene is run first, into the state folder."""
    from twin.cli.errors import BadInput
    from twin.cli.run import summary_of_run
    from twin.cli.scene import is_run

    if not is_run(scene_or_run):
        return str(summary_of_run(scene_or_run, seed, until, settings, injections, None, True)["run_file"])
    if seed is not None or until is not None or settings or injections:
        raise BadInput(
            "--seed, --until, --set and --inject change a scene, not a recorded run; name the scene instead"
        )
    return scene_or_run


def _bands(reader: Reader, seeds: int) -> SeedBands:
    """Return the figures of a run over seeds, of which the others are run now."""
    from twin.analysis.compare import summary_so_far
    from twin.analysis.rerun import scenario_of_run
    from twin.cli.progress import counted
    from twin.studies.bands import bands_beside

    scenario, end_s = scenario_of_run(reader), reader.t_end_s
    summary = reader.summary or summary_so_far(reader, end_s)
    over = scenario.ends == "jobs" and all(job.get("state") == "done" for job in summary.get("jobs", ()))
    with counted(f"{seeds - 1} more seeds") as show:
        until_s = None if over else end_s  # with other seeds the last job ends at another time
        return bands_beside(summary, scenario, reader.header.seed, seeds, until_s, show)


def _handout(reader: Reader, without: str, camera: str, colour_by: str) -> str:
    """Return the handout of the chapters of a run; camera and colours are those of chapters that say none."""
    from twin.api.picture import channel_of
    from twin.cli.errors import BadInput
    from twin.cli.stage import qt_application

    colour_by = channel_of(colour_by)
    if not without:
        qt_application()
    from twin.report.handout import chapters_of, handout, with_pictures
    from twin.report.studio import NoPicture, Shot
    from twin.report.tour_times import NoChapters

    try:
        chapters = chapters_of(reader)
    except NoChapters as error:
        raise BadInput(f"--handout: {error}") from None
    if not without:
        shot = Shot(camera=camera, colour_by=colour_by, theme="light", size=_SIZE)
        try:
            chapters = with_pictures(reader, chapters, shot)
        except NoPicture as error:
            without = f"Without pictures of the hall: {error}."
    return handout(reader, chapters, without)


def _pictures(reader: Reader, camera: str, colour_by: str) -> tuple[list[ReportPicture], str]:
    """Return the pictures of a run, or why there are none."""
    from twin.analysis.explain import events_until
    from twin.api.picture import channel_of
    from twin.cli.stage import qt_application
    from twin.record.runfile import RunFileError

    colour_by = channel_of(colour_by)
    qt = qt_application()
    from twin.report.run_report import picture_times
    from twin.report.shots import pictures
    from twin.report.studio import NoPicture, Shot

    try:
        times = picture_times(reader, events_until(reader, reader.t_end_s))
        return pictures(
            reader, times, Shot(camera=camera, colour_by=colour_by, theme="light", size=_SIZE)
        ), ""
    except NoPicture as error:
        return [], f"Without pictures of the hall: {error}."
    except RunFileError as error:  # of before single GPUs were recorded
        return [], f"Without pictures of the hall: {error}."
    finally:
        qt.processEvents()
