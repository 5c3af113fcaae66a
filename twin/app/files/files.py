"""Opening scenes and saving pictures: dialogs, errors, recent files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from psygnal import Signal
from PySide6.QtWidgets import QFileDialog, QMainWindow

from twin.app.files.newer_file import NewerFile
from twin.app.files.scenario_problems import ScenarioProblems
from twin.app.files.scene_list import SUFFIX, keep_picture, shipped_scenes
from twin.app.hall.panel import HallPanel
from twin.app.session.recording import SUFFIX as RUN_SUFFIX
from twin.app.session.recording import is_recording
from twin.app.session.save_folder import save_folder
from twin.app.session.scene_errors import SCENE_ERRORS, problems_of
from twin.app.session.session import Session
from twin.app.toolkit import text
from twin.app.toolkit.look import Look
from twin.app.toolkit.problem_notice import Unplayable
from twin.app.toolkit.settings import UserSettings
from twin.language import tr
from twin.record.inputs import input_hashes, inputs_hash
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.record.state_folder import STUDY_SUFFIX
from twin.scenario import NewerVersion, Problem, Scenario

_FILTER = tr(
    "Scenes, runs, studies and lessons (*{suffix} *{run_suffix} *{study_suffix} *.yaml *.yml);;All files (*)",
    suffix=SUFFIX,
    run_suffix=RUN_SUFFIX,
    study_suffix=STUDY_SUFFIX,
)


class Files:
    """Opens scenes and recordings in a session and tells what is wrong with those that cannot be opened.

    Parameters
    ----------
    tell
        Shows a title and a sentence to the person.
    """

    opened = Signal(object)  # Path

    def __init__(
        self,
        look: Look,
        session: Session,
        settings: UserSettings,
        window: QMainWindow,
        hall: HallPanel,
        tell: Callable[[str, str], None],
    ) -> None:
        self._look, self._session, self._settings = look, session, settings
        self._window, self._hall, self._tell = window, hall, tell
        self.problems: ScenarioProblems | None = None
        self.may_leave: Callable[[], bool] = lambda: True  # asked before another scene is opened
        self.openers: dict[str, Callable[[Path], bool]] = {}  # of other files, by how their names end
        session.unplayable.connect(self._on_unplayable)

    @property
    def path(self) -> Path | None:
        """Return the file of the open scene."""
        return self._session.path

    def open(self, path: Path, seed: int | None = None, *, ask: bool = True) -> bool:
        """Open a scene; when it is no good list its problems, keep the present scene and return False.

        Unless told not to `ask`, what is not saved of the present scene is asked about first.
        """
        opener = self.opener_of(path)
        if opener is not None:
            return opener(path)
        if ask and not self.may_leave():
            return False
        self.keep_picture()
        try:
            if is_recording(path):
                self._open_recording(path)
            else:
                self._session.open(path, seed)
        except RunFileError as error:
            self.show_problems(path, (Problem(path.name, 0, "", "", str(error)),))
            return False
        except NewerVersion as error:
            self.tell_newer(path, error)
            return False
        except SCENE_ERRORS as error:
            self.show_problems(path, problems_of(error, path.name))
            return False
        self._take(path)
        return True

    def opener_of(self, path: Path) -> Callable[[Path], bool] | None:
        """Return who opens a file that is neither a scene nor a run; None: this does."""
        return next((open for end, open in self.openers.items() if path.name.endswith(end)), None)

    def tell_newer(self, path: Path, error: NewerVersion) -> None:
        """Say that a file needs a newer program."""
        NewerFile(path, error, self._window).show()

    def keep_picture(self) -> None:
        """Keep how the hall looks, for the card of its scene."""
        if self.path is not None and self._session.frame is not None and self._hall.isVisible():
            keep_picture(self.path, self._hall.view.grab, self._settings.recent)

    def _open_recording(self, path: Path) -> None:
        warning = self._session.open_recording(path)
        if warning:
            self._tell(tr("Other version"), warning)

    def take_over(self, path: Path) -> None:
        """Show the scene of `path`, which the session opened before there was a window."""
        self._session.announce()
        self._take(path)

    def took(self, path: Path) -> None:
        """Remember a scene that the session has opened by itself."""
        self._take(path)

    def ask(self) -> None:
        """Let the person choose a scene or a run."""
        recent = self._settings.recent
        shipped = shipped_scenes()
        start = recent[0].parent if recent else shipped[0].parent if shipped else Path.home()
        chosen, _ = QFileDialog.getOpenFileName(
            self._window, tr("Open a scene, a run or a study"), str(start), _FILTER
        )
        if chosen:
            self.open_and_play(Path(chosen))

    def open_and_play(self, path: Path) -> None:
        """Open a scene or a run and let it move, however it was chosen; another file as it is."""
        if self.open(path) and self.opener_of(path) is None:
            self._session.play()

    def ask_picture(self) -> None:
        """Let the person choose where a picture of the hall goes."""
        stem = self.path.name.removesuffix(SUFFIX) if self.path is not None else "hall"
        chosen, _ = QFileDialog.getSaveFileName(
            self._window,
            tr("Save a picture"),
            str(save_folder(self.path) / f"{stem}.png"),
            tr("Pictures (*.png)"),
        )
        if chosen:
            path = Path(chosen) if chosen.endswith(".png") else Path(f"{chosen}.png")
            self.save_picture(path)
            self._tell(tr("Picture saved"), str(path))

    def ask_report(self) -> None:
        """Let the person choose where a report of the run goes, and write it."""
        from twin.app.files.report_page import write_report

        title, done = tr("Save a report"), tr("Report saved")
        self._ask_page(title, done, "", lambda path: write_report(self._session, self._hall, path))

    def ask_scene_report(self) -> None:
        """Let the person choose where a report of the scene as designed goes, and write it."""
        from twin.app.files.report_page import write_scene_report

        title, done = tr("Save a report of the design"), tr("Report saved")
        write = partial(write_scene_report, self._session, self._hall)
        self._ask_page(title, done, "-design", write)

    def ask_handout(self) -> None:
        """Let the person choose where the handout of the chapters goes, and write it."""
        from twin.app.files.report_page import write_handout

        title, done = tr("Save a handout"), tr("Handout saved")
        self._ask_page(title, done, "-handout", lambda path: write_handout(self._session, path))

    def ask_solids(self) -> None:
        """Let the person choose where the hall goes for other 3D programs, and write it."""
        from twin.app.documents.solids_file import ask_solids

        ask_solids(self._session, self._hall.state.colour_by, self._window, self._tell)

    def ask_handover(self) -> None:
        """Let the person choose where the scene goes with all that others read of it, and write that."""
        from twin.app.documents.handover import hand_over

        hand_over(self._session, self._window, self._tell)

    def _ask_page(self, title: str, done: str, ending: str, write: Callable[[Path], None]) -> None:
        from twin.app.files.report_page import NoReport, page_filter, page_path

        stem = self.path.name.partition(".")[0] if self.path is not None else "run"
        first = str(save_folder(self.path) / f"{stem}{ending}.html")
        chosen, kind = QFileDialog.getSaveFileName(self._window, title, first, page_filter())
        if chosen:
            path = page_path(chosen, kind)
            try:
                write(path)
            except NoReport as error:
                self._tell(tr("Page not saved"), str(error))
            else:
                self._tell(done, str(path))

    def save_picture(self, path: Path) -> None:
        """Save the hall as it is shown, with legends, seed, the time it is of and the "SIMULATED" mark."""
        from twin.view3d.layers.overlay import draw_overlay, save_png

        session = self._session
        if session.document is None or session.plant is None:
            return
        scenario, theme = session.document.scenario, self._hall.state.theme
        main, more = self._hall.legends(session.plant)
        frame = session.frame  # of a record it may be older than the time looked at
        at_s = session.shown_s if frame is None else frame.t_s
        rgb = draw_overlay(
            self._hall.view.grab(),
            main,
            title=scenario.title,
            subtitle=text.calendar(scenario.start, at_s),
            seed=session.seed,
            t_s=at_s,
            theme=theme,
            more=more,
            left=True,
        )
        save_png(rgb, path, self._about(scenario, at_s))

    def _about(self, scenario: Scenario, at_s: float) -> dict[str, str]:
        """Return what a picture says of itself, as far as it is recorded what made it."""
        from twin.report.studio import about, metadata

        session = self._session
        try:
            if session.run_file is not None:
                with Reader(session.run_file) as reader:
                    return about(reader, at_s)
        except (RunFileError, OSError):  # the run is just being put away
            pass
        return metadata(scenario.title, session.seed, at_s, input_hashes(scenario), inputs_hash(scenario), "")

    def _take(self, path: Path) -> None:
        self._settings.remember(path)
        self.opened.emit(path)

    def _on_unplayable(self, refused: Unplayable) -> None:
        """List why a scene that could be read cannot be played."""
        self._settings.forget(refused.path)
        self.show_problems(refused.path, (Problem(refused.path.name, 0, "", "", refused.reason),))
        if self.path is not None:
            self._settings.remember(self.path)
            self.opened.emit(self.path)

    def show_problems(self, path: Path, problems: tuple[Problem, ...]) -> None:
        """List what is wrong with a file."""
        if self.problems is not None:
            self.problems.close()
        self.problems = ScenarioProblems(
            self._look, path, problems, self._window, kept=self._session.document is not None
        )
        self.problems.destroyed.connect(self._forget_problems)
        self.problems.show()

    def _forget_problems(self) -> None:
        self.problems = None
