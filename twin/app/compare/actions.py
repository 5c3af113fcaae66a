"""Runs held against each other: the open one and a recording, a branch and what it left, two designs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from twin.app.branches.answer import Answered
from twin.app.compare.designs import DesignChoice, DesignsDialog, Simulated
from twin.app.compare.dialog import CompareDialog
from twin.app.compare.recorded_runs import RunsDialog
from twin.app.compare.run import ComparedRun
from twin.app.files.scene_list import own_scenes
from twin.app.session.save_folder import is_shipped
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.session.session import Session
from twin.app.toolkit.look import Look
from twin.app.toolkit.notifications import Notifications
from twin.app.toolkit.problem_notice import Trouble
from twin.app.toolkit.settings import UserSettings
from twin.language import tr
from twin.record.runfile import RunFileError

if TYPE_CHECKING:
    from twin.analysis.design_figures import DesignToCompare
    from twin.analysis.design_runs import DesignRun
    from twin.app.compare.designs_window import DesignsWindow


class CompareRuns:
    """Opens windows with two runs.

    Attributes
    ----------
    dialog
        The last one, while it is open.
    asking
        What asks for two designs and simulates them, while it is open.
    designs
        The window of designs side by side, while it is open.
    choosing
        What lists the runs to compare with, while it is open.
    """

    def __init__(
        self,
        look: Look,
        session: Session,
        settings: UserSettings,
        notifications: Notifications,
        window: QWidget,
    ) -> None:
        self._look, self._session, self._settings = look, session, settings
        self._notifications, self._window = notifications, window
        self.choosing: RunsDialog | None = None
        self.dialog: CompareDialog | None = None
        self.asking: DesignsDialog | None = None
        self.designs: DesignsWindow | None = None

    def ask(self) -> None:
        """Let the person choose a recording, and hold it against the run that is open."""
        run_file = self._session.run_file
        if run_file is None:
            self._notifications.tell(tr("Nothing is recorded yet"), tr("Start the run first."))
            return
        if self.choosing is not None:
            self.choosing.raise_()
            return
        document, path = self._session.document, self._session.path
        title = document.scenario.title if document is not None else ""
        beside = path.parent if path is not None and not is_shipped(path) else None
        self.choosing = RunsDialog(beside, run_file, title, self._window)
        self.choosing.chosen.connect(lambda chosen: self.show(run_file, chosen))
        self.choosing.finished.connect(self._forget_choosing)
        self.choosing.show()

    def ask_designs(self, second: Path | None = None) -> None:
        """Ask which two designs are to be simulated; `second` is what the open scene is held against at first."""
        if self.asking is not None:
            self.asking.raise_()
            return
        own = [path for path in own_scenes(self._settings.recent) if path != self._session.path]
        self.asking = DesignsDialog(self._open_designs(), own, self._session.seed, self._window, second)
        self.asking.made.connect(self._show_simulated)
        self.asking.designs_wanted.connect(lambda designs, seeds: self.show_designs(designs, seeds=seeds))
        self.asking.finished.connect(self._forget_asking)
        self.asking.show()

    def show_designs(
        self,
        designs: Sequence[DesignToCompare],
        runs: list[list[DesignRun]] | None = None,
        seeds: Sequence[int] = (),
    ) -> None:
        """Show designs side by side by their money, time, carbon and power; `runs` and `seeds` as of the window."""
        from twin.app.compare.designs_window import DesignsWindow

        if self.designs is not None:
            self.designs.close()
        self.designs = DesignsWindow(self._look, designs, self._window, runs, seeds)
        self.designs.finished.connect(self._forget_designs)
        self.designs.show()

    def show_answer(self, answered: Answered) -> None:
        """Show run and branch of a what-if, and what came of it."""
        self._show(answered.question.runs, ("", ""), None, answered)

    def show(self, a: Path, b: Path) -> None:
        """Show two recordings side by side."""
        self._show((a, b), ("", ""), None)

    def _show_simulated(self, made: Simulated) -> None:
        self._show(made.runs, made.titles, made)

    def _show(
        self,
        paths: tuple[Path, Path],
        titles: tuple[str, str],
        made: Simulated | None,
        answered: Answered | None = None,
    ) -> None:
        self.close()
        self._session.halt()
        opened: list[ComparedRun] = []
        try:
            for path, title in zip(paths, titles, strict=True):
                opened.append(ComparedRun(path, title))
            if made is None and opened[0].title == opened[1].title:  # two runs of one scene
                for run in opened:
                    run.title = f"{run.title} ({run.path.name})"
            self.dialog = CompareDialog(self._look, (opened[0], opened[1]), self._window, made, answered)
        except (RunFileError, *SCENE_ERRORS) as error:
            for run in opened:
                run.close()
            self._notifications.warn(Trouble(tr("These runs cannot be compared"), str(error)), None)
            return
        self.dialog.finished.connect(self._forget)
        self.dialog.show()

    def _open_designs(self) -> list[DesignChoice]:
        """Return the open scene as it stands and, where that is another, as it was saved."""
        draft = self._session.draft
        if draft is None:
            return []
        path, title = draft.file.path, draft.file.scenario.title
        found = [DesignChoice(tr("{title}, as open", title=title) if draft.dirty else title, draft.file)]
        return (
            [*found, DesignChoice(tr("{title}, as saved", title=title), path)]
            if draft.dirty and path is not None
            else found
        )

    def close(self) -> None:
        """Close the windows, if there are any."""
        for asking in (self.asking, self.choosing, self.designs):
            if asking is not None:
                asking.close()
        if self.dialog is not None:
            self.dialog.close()

    def _forget(self) -> None:
        self.dialog = None

    def _forget_choosing(self) -> None:
        self.choosing = None

    def _forget_asking(self) -> None:
        self.asking = None

    def _forget_designs(self) -> None:
        self.designs = None
