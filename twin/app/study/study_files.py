"""Files of a study: which is opened, a row for each run as a table, the scene of a point."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from twin.analysis.export import NoParquet
from twin.app.files.scene_list import SUFFIX as SCENE_SUFFIX
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.study.points import StudyPoints
from twin.app.study.study_scene import PointScene, save_point
from twin.language import counted, tr
from twin.studies.sweep_export import write_table
from twin.studies.sweep_file import SUFFIX

_TABLES = (".csv", ".parquet")


class StudyFiles:
    """Asks which files, and writes them.

    Parameters
    ----------
    window
        Over which it asks.
    say
        Told what was written, or why it was not.
    """

    def __init__(self, window: QWidget, say: Callable[[str], None]) -> None:
        self._window, self._say = window, say

    def ask_sweep(self, folder: Path) -> Path | None:
        """Let the person choose a sweep file; None: nobody did."""
        what = tr("Sweeps (*{suffix});;All files (*)", suffix=SUFFIX)
        chosen, _ = QFileDialog.getOpenFileName(self._window, tr("Open a study"), str(folder), what)
        return Path(chosen) if chosen else None

    def ask_save(self, point: PointScene, folder: Path) -> None:
        """Let the person choose where the scene of a point is saved."""
        title, what = tr("Save the scene of this point"), tr("Scenes (*{suffix})", suffix=SCENE_SUFFIX)
        chosen, _ = QFileDialog.getSaveFileName(self._window, title, str(folder / point.name), what)
        if chosen:
            named = chosen.endswith((".yaml", ".yml"))
            self.save(point, Path(chosen if named else f"{chosen}{SCENE_SUFFIX}"))

    def save(self, point: PointScene, path: Path) -> None:
        """Write the scene of a point."""
        try:
            save_point(point, path)
        except SCENE_ERRORS as error:
            self._say(tr("Not saved: {error}", error=error))
        else:
            self._say(tr("Saved: {path}", path=path))

    def ask_export(self, points: StudyPoints, usual: Path) -> None:
        """Let the person choose where a row for each run goes."""
        title, what = tr("Save the runs of this study"), tr("Tables (*.csv *.parquet)")
        chosen, _ = QFileDialog.getSaveFileName(self._window, title, str(usual), what)
        if chosen:
            self.export(points, Path(chosen if chosen.endswith(_TABLES) else f"{chosen}{_TABLES[0]}"))

    def export(self, points: StudyPoints, path: Path) -> None:
        """Write a row for each run, with all figures that are known."""
        try:
            rows = write_table(points.contents, points.figures, path)
        except (NoParquet, OSError) as error:
            self._say(tr("Not saved: {error}", error=error))
        else:
            self._say(tr("{rows} in {path}", rows=counted(rows, "row"), path=path))
