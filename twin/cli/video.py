"""`twin video`: a recorded run as a film of its hall."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twin.cli.options import Camera, ColourBy, Run, Size, Theme, ThemeName, a_file

if TYPE_CHECKING:
    from twin.report.film import FilmInMaking

SECONDS = 20.0
"""Of a film that does not say."""
EXAMPLE = "Example: twin video pump.twinrun -o pump.mp4 --from '4 min' --to '12 min' --seconds 15"


def make_video(
    run: Run,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", parser=a_file, help="Video to write, an *.mp4 file."),
    ] = None,
    frames: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Folder for numbered PNG files instead of a video; needs no encoder."
        ),
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="TIME", help="Start of the range (default: the start of the run)."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="TIME", help="End of the range (default: the end of the run)."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(min=0.1, max=3600, help=f"Length of the film in seconds (default: {SECONDS:g})."),
    ] = None,
    fps: Annotated[int, typer.Option(min=1, max=120, help="Pictures per second of the film.")] = 30,
    chapters: Annotated[
        bool,
        typer.Option(
            "--chapters",
            help="Film the chapters of the scene, with their cameras and captions; these also go to a .vtt file.",
        ),
    ] = False,
    camera: Camera = "overview",
    colour_by: ColourBy = "gpu.temp_c",
    size: Size = "1280x720",
    theme: Theme = ThemeName.dark,
    replace: Annotated[
        bool,
        typer.Option(
            "--replace",
            help="Replace the pictures of another film in --frames FOLDER, or captions beside -o FILE.",
        ),
    ] = False,
) -> None:
    """Make a film of a run, off screen.

    MP4 files need the extra [video]; numbered PNG files need nothing. Ctrl-C leaves no half file.
    """
    from twin.api.picture import channel_of
    from twin.cli.errors import BadInput, reporting_errors
    from twin.cli.explain import range_of
    from twin.cli.scene import must_be_run
    from twin.cli.shot import size_of
    from twin.cli.stage import on_display, qt_application
    from twin.cli.target import must_be_folder, must_be_free
    from twin.record.reader import Reader
    from twin.report.frame_files import CAPTIONS
    from twin.whole_file import write_whole

    with reporting_errors(run):
        must_be_run(run)
        if (out is None) == (frames is None):
            raise BadInput("give either -o FILE for a video or --frames FOLDER for pictures")
        if out is not None:
            must_be_free(out, "-o", run, endings=(".mp4",))
        if chapters:
            given = {"--from": from_, "--to": to, "--seconds": seconds}
            for option, value in given.items():
                if value is not None:
                    raise BadInput(
                        f"{option} is not for --chapters: each says in the scene when and how fast"
                    )
            beside = out.with_suffix(".vtt") if out is not None else (frames or Path()) / CAPTIONS
            if beside.exists():  # what the film there had beside it goes with it
                option, over = ("-o", out.exists()) if out is not None else ("--frames", False)
                must_be_free(beside, option, run, replace=replace or over)
        if replace and frames is None and not chapters:
            raise BadInput("--replace says that pictures at --frames FOLDER may be overwritten; give both")
        if frames is not None:
            must_be_folder(frames, "--frames")
            if not replace:
                _must_hold_no_film(frames)
        wanted = size_of(size)
        colour_by = channel_of(colour_by)
        with Reader(run) as reader:
            t0_s, t1_s = range_of(reader, from_, to)
            on_display(wanted)
            qt_application()
            from twin.report.film import Film, FilmCut, Frames, Mp4, NoEncoder, Sink
            from twin.report.studio import NoPicture, Shot
            from twin.report.tour_film import TourFilm, caption_file
            from twin.report.tour_times import NoChapters

            shot = Shot(camera=camera, colour_by=colour_by, theme=theme.value, size=wanted)
            try:
                sink: Sink = Mp4(out, fps) if out is not None else Frames(frames or Path(), replace=replace)
                if chapters:
                    tour = TourFilm(reader, shot, fps, sink)
                    _make(tour)
                    write_whole(caption_file(out or frames or Path()), tour.vtt.encode())
                else:
                    _make(Film(reader, shot, FilmCut(t0_s, t1_s, seconds or SECONDS, fps), sink))
            except NoEncoder as error:
                raise BadInput(
                    str(error).replace("numbered PNG files always work", "or --frames FOLDER")
                ) from None
            except (NoPicture, NoChapters) as error:
                raise BadInput(str(error)) from None
        print(out if out is not None else frames)


def _must_hold_no_film(folder: Path) -> None:
    from twin.cli.errors import BadInput
    from twin.report.frame_files import FilmThere, must_hold_no_film

    try:
        must_hold_no_film(folder)
    except FilmThere as error:
        raise BadInput(f"--frames: {error}, or give --replace to overwrite them") from None


def _make(film: FilmInMaking) -> None:
    """Make a film with a progress bar; an early end removes the unfinished file."""
    import signal

    from twin.cli.progress import counted

    try:
        with counted("film") as show:
            while film.step():
                if show is not None:
                    show(film.done, film.count)
    except BaseException:
        before = signal.signal(
            signal.SIGINT, signal.SIG_IGN
        )  # a second Ctrl-C would leave what the first one clears
        film.cancel()
        signal.signal(signal.SIGINT, before)
        raise
