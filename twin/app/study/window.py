"""The Study window: set up on the left, pictures and table on the right, the chosen point below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.study.point_strip import PointStrip
from twin.app.study.points import StudyPoints
from twin.app.study.results import StudyResults
from twin.app.study.run_foot import RunFoot
from twin.app.study.run_time import RunTime
from twin.app.study.setup_form import SetupForm
from twin.app.study.study_files import StudyFiles
from twin.app.study.study_run import StudyRun
from twin.app.study.study_scene import (
    PointScene,
    free_name,
    point_scene,
    scene_name,
    scene_of,
    standing_values,
)
from twin.app.toolkit import theme
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.overflow_row import ToolRow
from twin.app.toolkit.text_fields import ElidedLabel
from twin.language import counted, tr
from twin.scenario import Document, ScenarioError
from twin.scenario.reading.run_times import NoTime
from twin.studies.background import StudyEnd
from twin.studies.continued import OPTIMISED, front_of_study, plan_of
from twin.studies.study import POOL
from twin.studies.study_error import StudyError
from twin.studies.study_figures import STUDY_FIGURES, chosen_figures
from twin.studies.sweep_records import SweepContents, SweepHeader

_SIDE_PX, _OF_SCREEN = 340, 0.96
_MOST_FRONT = 1500
"""Of more points the front is looked for when nothing runs."""


@dataclass(frozen=True)
class StudiedScene:
    """The scene that is open in the main window: as it lies in its file or would, where that is, its seed."""

    document: Document
    path: Path | None
    seed: int


class StudyWindow(QDialog):
    """Sets up a study, runs it, shows what it comes to; stays open beside the hall.

    Parameters
    ----------
    opened
        Returns the scene that is open in the main window; None: none is.

    Attributes
    ----------
    form, results, run
        What is asked, what it comes to, what makes it.
    document
        The scene that is studied; None: none is known.
    """

    run_wanted = Signal(object)  # PointScene: open it in the main window, and run it
    finished_run = Signal(object, object)  # Path, StudyEnd
    help_wanted = Signal()

    def __init__(self, look: Look, parent: QWidget, opened: Callable[[], StudiedScene | None]) -> None:
        super().__init__(parent)
        self._look, self._opened = look, opened
        self.document: Document | None = None
        self._scene_path: Path | None = None
        self._header: SweepHeader | None = None  # of the study that is shown
        self._asked: tuple[object, ...] = ()  # the form as it made that study
        self._wanted_figures: tuple[str, ...] = ()
        self._is_whole = False  # a search has come to its end
        self.setWindowTitle(tr("Study"))
        self.setWindowFlag(Qt.WindowType.WindowMinMaxButtonsHint)
        self.setSizeGripEnabled(True)
        wanted = QSize(860 + theme.scaled(_SIDE_PX), 780)
        self.resize(wanted.boundedTo(self.screen().availableSize() * _OF_SCREEN))
        self.setMinimumSize(QSize(460 + theme.scaled(_SIDE_PX), 520).boundedTo(self.screen().availableSize()))
        self.form, self.results, self.run = SetupForm(look), StudyResults(look), StudyRun(self)
        self.results.seed_of_design = self._design_seed
        self.strip, self.foot = PointStrip(), RunFoot()
        self.timing, self.files = RunTime(self), StudyFiles(self, self.foot.say)
        self._lay_out()
        self.form.changed.connect(self._on_form)
        self.form.checked.connect(self._tell_budget)
        self.timing.known.connect(self._tell_budget)
        self.run.came.connect(self._on_results)
        self.run.moved.connect(self._tell_progress)
        self.run.ended.connect(self._on_ended)
        self.run.broken.connect(self._on_broken)
        self.results.selected_changed.connect(self._on_selected)
        self.results.opened.connect(self.open_point)
        self.foot.run_button.clicked.connect(self.begin)
        self.foot.pause_button.clicked.connect(self.run.pause)
        self.strip.open_wanted.connect(self._open_selected)
        self.strip.save_wanted.connect(self.ask_save)
        look.changed.connect(self._on_look)
        self._tell_progress()
        self._tell_head()

    # -- building ----

    def _lay_out(self) -> None:
        self.side = QWidget()
        self.side.setProperty("role", "side")
        self.side.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.side.setFixedWidth(theme.scaled(_SIDE_PX))
        left = QVBoxLayout(self.side)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(0)
        left.addWidget(self.form, 1)
        left.addWidget(self.foot)
        page = QWidget()
        right = QVBoxLayout(page)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self._head())
        right.addWidget(self.results, 1)
        right.addWidget(self.strip)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.side)
        row.addWidget(page, 1)

    def _head(self) -> QWidget:
        head = QWidget()
        row = QHBoxLayout(head)
        row.setContentsMargins(12, 8, 8, 0)
        row.setSpacing(6)
        self.title = ElidedLabel("title")
        self.take_button = QPushButton(tr("Study the open scene"))
        self.take_button.setToolTip(tr("Begin another study, of the scene that is open in the main window"))
        self.take_button.setAutoDefault(False)
        self.take_button.clicked.connect(self.take_open_scene)
        self.tools = ToolRow(self._look)
        for icon, tip, act in (
            ("layout", tr("Hide or show what is studied"), self.toggle_side),
            ("copy", tr("Copy the table of points"), self.results.copy),
            ("save", tr("Save a row for each run as CSV or Parquet"), self.ask_export),
            ("open", tr("Open a sweep file"), self.ask_file),
            ("info", tr("Help on studies"), lambda: self.help_wanted.emit()),
        ):
            button = tool_button(self._look, icon, tip)
            button.clicked.connect(partial(_call, act))
            self.tools.add(button)
        row.addWidget(self.title, 1)
        row.addWidget(label(tr("SIMULATED"), "badge"))
        row.addWidget(self.take_button)
        row.addWidget(self.tools)
        return head

    def _on_look(self, _theme: object) -> None:
        if isValid(self):
            self.side.setFixedWidth(theme.scaled(_SIDE_PX))

    # -- what others ask ----

    def take_open_scene(self) -> None:
        """Study the scene that is open in the main window; a study that runs stays."""
        opened = self._opened()
        if opened is None or self.run.is_running:
            return
        self._forget_study()
        self._set_scene(opened.document, opened.path, scene_name(opened.path), opened.document.scenario.seed)
        self.form.name_file(free_name(self._scene_path))

    def bring_up_to_date(self) -> None:
        """Take the open scene where no study is under way and none is shown."""
        opened = self._opened()
        fresh = self._header is None and not self.run.is_running
        if fresh and opened is not None and opened.document is not self.document:
            self._set_scene(
                opened.document, opened.path, scene_name(opened.path), opened.document.scenario.seed
            )
            if not self.form.is_named:
                self.form.name_file(free_name(self._scene_path))
        self._tell_head()

    def vary(self, path: str, values: str = "") -> None:
        """Set up a study of the open scene in which a key varies, too."""
        opened = self._opened()
        other = (
            opened is not None and self.document is not None and opened.document.text != self.document.text
        )
        if not self.run.is_running and (other or self._header is not None):
            keys = () if other else tuple((row.path.text(), row.values.text()) for row in self.form.keys.rows)
            self.take_open_scene()
            self.form.keys.show_keys([key for key in keys if key[0]])
        self.side.show()
        self.form.keys.vary(path, values)

    def open_file(self, path: Path) -> None:
        """Show a sweep file, which another program may be writing.

        Raises
        ------
        StudyError
            When it is no sweep, or another study runs here.
        OSError
            When it cannot be read.
        """
        if self.run.is_running:
            if self.run.path == path:
                return
            raise StudyError(tr("a study runs in the window: pause it first"))
        self.run.open(path)
        self._forget_points()
        contents = self.run.contents
        assert contents is not None
        self._know_study(contents)
        self.form.name_file(path, own=True)
        self._tell_head()

    def begin(self) -> None:
        """Make the runs, or those that the file lacks."""
        if self.run.is_running or self.document is None:
            return
        self.timing.stop()
        header = self._header if self._is_as_asked() else None
        if not (self.form.place.check() if header is not None else self.form.check()):
            return
        try:
            wish = self.form.wish()
        except NoTime:
            return  # the form says so
        self._wanted_figures = wish.figures
        if header is None:
            if self._header is not None and self.run.path == wish.out and not self.form.is_named:
                self.form.name_file(free_name(self._scene_path))
                wish = self.form.wish()
            if wish.out.exists() and wish.out.stat().st_size:
                self.form.refuse_file(tr("is there already: open it to go on with it, or name another file"))
                return
            self._header = None
            self.results.forget_choice()
            self.results.show_points(None)
            self.run.forget()
        self._asked, self._is_whole = self.form.state, False
        self.foot.say("")
        self.run.begin(self.document, header or wish.asked, wish.out, wish.figures, self.form.place)
        self._tell_head()

    def close_runs(self) -> None:
        """End everything, as the main window closes; the file keeps what was done."""
        self.timing.stop()
        self.run.close()
        self.close()

    def toggle_side(self) -> None:
        """Hide what is studied, so that the pictures have all room, or show it again."""
        self.side.setVisible(not self.side.isVisible())

    # -- the study that is shown ----

    def _forget_study(self) -> None:
        self.run.close()
        self.run.forget()
        self._forget_points()

    def _forget_points(self) -> None:
        self._header, self._asked, self._wanted_figures = None, (), ()
        self.results.forget_choice()
        self.results.show_points(None)
        self.foot.say("")

    def _set_scene(self, document: Document | None, path: Path | None, name: str, seed: int | None) -> None:
        self.document, self._scene_path = document, path
        self.form.set_scene(document, name, seed)
        if document is not None and self.isVisible():
            self.timing.of(document, self.form.length.text())
        self._tell_head()

    def _know_study(self, contents: SweepContents) -> None:
        """Take note of a study that is new here: its scene, and what was asked."""
        self._header = header = contents.header
        if self.run.is_running:
            return
        path = self.run.path
        opened = self._opened()
        documents = [document for document in (self.document, opened and opened.document) if document]
        found = scene_of(header, path.parent if path is not None else Path(), documents)
        self._set_scene(found, found.path if found is not None else None, header.scene, None)
        levels = None
        if found is not None:
            try:
                levels = plan_of(found, header, chosen_figures(list(STUDY_FIGURES)), path).asked.points
            except (ScenarioError, StudyError) as error:
                self.foot.say(str(error))
        self.form.show_study(header, levels)
        self._asked = self.form.state

    def _is_as_asked(self) -> bool:
        """Return whether the form still asks for the study that is shown."""
        return self._header is not None and self._asked == self.form.state and self.form.out == self.run.path

    def _design_seed(self) -> int | None:
        return None if self.document is None else self.document.scenario.seed

    def _on_results(self) -> None:
        contents = self.run.contents
        if contents is None:
            return
        if self._header is None:
            self._know_study(contents)
        best: frozenset[int] = frozenset()
        few = len(contents.points) <= _MOST_FRONT or not self.run.is_running
        if contents.header.design.startswith(OPTIMISED) and few:
            best = frozenset(front_of_study(contents))
        points = StudyPoints(contents, standing_values(self.document, contents.header), best)
        self.results.show_points(points)
        if self._wanted_figures:
            self.results.prefer(self._wanted_figures)
        self._on_selected(self.results.selected)
        self._tell_progress()
        self._tell_head()

    def _on_ended(self, end: StudyEnd) -> None:
        self._is_whole = not (end.halted or end.lost or end.why)
        if end.why:
            self.form.refuse(end.why)
            self.foot.say("")
        elif end.lost:
            self.foot.say(
                tr(
                    "{runs} lost: {why}. Go on to run them again.",
                    runs=counted(len(end.lost), "run"),
                    why=end.lost[0],
                )
            )
        else:
            self.foot.say(tr("Paused; go on when you like") if end.halted else tr("All runs are done"))
        self._tell_progress()
        if self.run.path is not None and not end.why:
            self.finished_run.emit(self.run.path, end)

    def _on_broken(self, why: str) -> None:
        self.foot.say(why)
        self.results.show_points(None)

    # -- telling ----

    def _on_form(self) -> None:
        other = self._header is not None and self._asked != self.form.state
        if other and (not self.form.is_named or self.form.out == self.run.path):
            self.form.name_file(free_name(self._scene_path))
        self._tell_progress()

    def _tell_budget(self) -> None:
        if self.document is None:
            self.foot.say_budget(tr("Open a scene, or the scene of this study, to run it"))
        elif not self.form.keys.texts:
            self.foot.say_budget(tr("Name a key that varies"))
        elif not self.form.runs:
            self.foot.say_budget(tr("Not ready to run"))
        else:
            points, runs = self.form.points, self.form.runs
            words = tr("{points}, {runs}", points=counted(points, "point"), runs=counted(runs, "run"))
            if self.form.plan is not None and self.form.plan.aims:
                words = tr("at most {words}", words=words)
            about = self.timing.words(runs) if self.form.place.on == POOL else ""
            self.foot.say_budget(f"{words}: {about}" if about else words)
        self._tell_progress()

    def _tell_progress(self) -> None:
        run, same = self.run, self._is_as_asked()
        can = self.document is not None and (same or self.form.runs > 0) and not self._is_done(same)
        self.form.hold(run.is_running)
        self.foot.show_run(run, goes_on=same, can=can)

    def _is_done(self, same: bool) -> bool:
        """Return whether all runs of the study that is shown are made."""
        contents, plan = self.run.contents, self.form.plan
        if not same or contents is None or plan is None:
            return False
        if plan.aims:
            return self._is_whole
        done = sum(bool(point.reason) for point in contents.points.values()) * len(contents.header.seeds)
        return len(contents.runs) + done >= plan.runs

    def _tell_head(self) -> None:
        contents, path = self.run.contents, self.run.path
        scene = self.document.scenario.title if self.document is not None else ""
        if contents is not None and path is not None:
            self.title.setText(
                tr(
                    "{file}: {points} of {scene}",
                    file=path.name,
                    points=counted(len(contents.points), "point"),
                    scene=scene or contents.header.scene,
                )
            )
        else:
            self.title.setText(scene or tr("No scene is open"))
        opened = self._opened()
        other = opened is not None and (self.document is None or opened.document.text != self.document.text)
        self.take_button.setVisible((other or self._header is not None) and not self.run.is_running)
        self.take_button.setEnabled(opened is not None)

    # -- a point ----

    def _on_selected(self, number: int | None) -> None:
        points, contents = self.results.points, self.run.contents
        if number is None or points is None or contents is None or points.index(number) is None:
            self.strip.show_none()
            return
        figures = [figure for figure in (self.results.figure, self.results.other) if figure is not None]
        why = points.contents.points[number].reason
        if self.document is None:
            why = tr("its scene is not known: open it, as it was when the study began")
        words = [f"{figure.title} {words}" for figure in figures if (words := points.words(figure, number))]
        name = points.named(number) or tr("the scene as it stands")
        self.strip.show_point(number, ", ".join([name, *words]), contents.header.seeds, why)

    def _open_selected(self, seed: int) -> None:
        if self.results.selected is not None:
            self.open_point(self.results.selected, seed)

    def open_point(self, number: int, seed: int | None = None) -> None:
        """Open the scene of a point in the main window, and run it with a seed of the study."""
        point = self.point(number, self.strip.seed if seed is None else seed)
        if point is not None:
            self.run_wanted.emit(point)

    def point(self, number: int, seed: int) -> PointScene | None:
        """Return the scene of a point; None, and the reason is told: it has none."""
        contents = self.run.contents
        if contents is None or self.document is None:
            return None
        try:
            return point_scene(self.document, contents, number, seed)
        except SCENE_ERRORS as error:
            self.foot.say(str(error))
            return None

    def ask_save(self) -> None:
        """Let the person choose where the scene of the chosen point is saved."""
        number = self.results.selected
        point = self.point(number, self.strip.seed) if number is not None else None
        if point is not None and self.run.path is not None:
            self.files.ask_save(point, self.run.path.parent)

    def ask_export(self) -> None:
        """Let the person choose where a row for each run goes."""
        if self.results.points is not None and self.run.path is not None:
            self.files.ask_export(self.results.points, self.run.path.with_suffix(".csv"))

    def ask_file(self) -> None:
        """Let the person choose a sweep file."""
        chosen = self.files.ask_sweep(self.form.out.parent if self.form.file.text() else Path.home())
        if chosen is not None:
            try:
                self.open_file(chosen)
            except (StudyError, OSError) as error:
                self.foot.say(str(error))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter in a field run nothing; F1 is help."""
        if event.key() == Qt.Key.Key_F1:
            self.help_wanted.emit()
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)


def _call(act: Callable[[], object], _checked: bool = False) -> None:
    act()
