"""A report of the run from the window: one HTML file or PDF, with pictures as the camera stands, light as on paper."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from twin.analysis.explain import events_until
from twin.app.hall.panel import HallPanel
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.session.session import Session
from twin.language import tr
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.report.handout import chapters_of, handout, with_pictures
from twin.report.paper import report_bytes
from twin.report.run_report import ReportPicture, picture_times, run_report
from twin.report.shots import pictures
from twin.report.studio import NoPicture, Shot, png
from twin.report.tour_times import NoChapters
from twin.studies.bands import SeedBands
from twin.whole_file import write_whole

SIZE = (1600, 900)


def page_filter() -> str:
    """Return the kinds of files that a report can be."""
    return tr("Pages (*.html);;On paper (*.pdf)")


def page_path(chosen: str, kind: str) -> Path:
    """Return the file that was chosen, with the ending of its kind where none was given."""
    if chosen.lower().endswith((".html", ".htm", ".pdf")):
        return Path(chosen)
    return Path(f"{chosen}.pdf" if "*.pdf" in kind else f"{chosen}.html")


class NoReport(Exception):
    """There is nothing to report, or it could not be written; the message is one sentence for people."""


def write_report(session: Session, hall: HallPanel, path: Path) -> None:
    """Write the report of the run as it is recorded so far.

    Raises
    ------
    NoReport
        When nothing is recorded, or the file cannot be written.
    """
    if session.run_file is None:
        raise NoReport(tr("Nothing is recorded yet: start the run first."))
    state = hall.state
    shot = Shot(
        camera=hall.view.pose,
        colour_by=state.colour_by,
        cables_by=state.cables_by,
        tiles_by=state.tiles_by,
        theme="light",
        size=SIZE,
        layers=state.layers,
    )
    QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        with Reader(session.run_file) as reader:
            taken, without = _pictures(reader, shot)
            text = run_report(reader, taken, without, bands=_bands(session))
            write_whole(path, report_bytes(path, text))
    except (RunFileError, OSError) as error:
        raise NoReport(str(error)) from error
    finally:
        QApplication.restoreOverrideCursor()


def write_scene_report(session: Session, hall: HallPanel, path: Path) -> None:
    """Write the report of the open scene as designed, without a run; raises `NoReport`."""
    from twin.report.scene_report import scene_report

    draft = session.draft
    if draft is None:
        raise NoReport(tr("No scene is open."))
    QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        shown = hall.view.grab() if hall.isVisible() else None
        pictures = [ReportPicture(png(shown, {}), tr("The hall"))] if shown is not None else []
        write_whole(path, report_bytes(path, scene_report(draft.file, pictures)))
    except (*SCENE_ERRORS, NoPicture, OSError) as error:
        raise NoReport(str(error)) from error
    finally:
        QApplication.restoreOverrideCursor()


def write_handout(session: Session, path: Path) -> None:
    """Write the handout of the chapters of the run as far as it is recorded; raises `NoReport`."""
    if session.run_file is None:
        raise NoReport(tr("Nothing is recorded yet: start the run first."))
    QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        with Reader(session.run_file) as reader:
            chapters, without = chapters_of(reader), ""
            try:
                chapters = with_pictures(reader, chapters, Shot(theme="light", size=SIZE))
            except NoPicture as error:
                without = tr("Without pictures of the hall: {error}.", error=error)
            write_whole(path, report_bytes(path, handout(reader, chapters, without)))
    except (RunFileError, NoChapters, OSError) as error:
        raise NoReport(str(error)) from error
    finally:
        QApplication.restoreOverrideCursor()


def _bands(session: Session) -> SeedBands | None:
    """Return the bands over seeds, where the scene was run with others."""
    found = session.over_seeds.found
    return found.figures if found is not None else None


def _pictures(reader: Reader, shot: Shot) -> tuple[list[ReportPicture], str]:
    """Return pictures of start, worst moment and end, or why there are none."""
    try:
        return pictures(reader, picture_times(reader, events_until(reader, reader.t_end_s)), shot), ""
    except NoPicture as error:
        return [], tr("Without pictures of the hall: {error}.", error=error)
    except RunFileError as error:  # of before single GPUs were recorded
        return [], tr("Without pictures of the hall: {error}.", error=error)
