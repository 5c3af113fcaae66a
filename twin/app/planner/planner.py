"""Opens the job dialog over the window and keeps it on the open scene and its run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QWidget

from twin.app.session.editor import Editor
from twin.app.session.plot_pages import PUE_RUN
from twin.app.session.session import Session
from twin.app.toolkit.look import Look
from twin.app.world.job_lookup import job_place
from twin.app.world.rows import World
from twin.commands.jobs import AddJob
from twin.language import tr
from twin.record.channels import JobState

if TYPE_CHECKING:
    from twin.app.planner.dialog import JobDialog

_STEPPING = (JobState.RUNNING, JobState.CHECKPOINT)


class JobPlanner:
    """Holds one dialog, made when it is first asked for."""

    def __init__(self, look: Look, session: Session, editor: Editor, window: QWidget) -> None:
        self._look, self._session, self._window = look, session, window
        self._editor = editor
        self._asked: AddJob | None = None  # what the dialog wanted last
        editor.done.connect(self._on_done)
        editor.refused.connect(self._on_refused)
        self.dialog: JobDialog | None = None
        self._scene: object = None  # document the dialog plans on
        session.document_changed.connect(self._on_document)
        session.figures_changed.connect(self._on_figures)

    def open(self, job_id: str | None = None) -> None:
        """Show the dialog, starting from a job of the scene; none: as it was left, at first from the first job."""
        if self.dialog is None:
            from twin.app.planner.dialog import JobDialog

            self.dialog = JobDialog(self._look, self._window)
            self.dialog.wanted.connect(self._add)
            self.dialog.wanted_anew.connect(self._add_anew)
        self._bring_up_to_date()
        if job_id is not None:
            self.dialog.show_job(job_id)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()
        self._on_figures()

    def close(self) -> None:
        """Put the dialog away."""
        if self.dialog is not None:
            self.dialog.close()

    def _add(self, command: AddJob) -> None:
        self._asked = command
        if self._session.looking_s is not None and self.dialog is not None:
            self.dialog.tell(
                tr("The time on screen is in the past: {name} starts a branch.", name=command.name)
            )
        self._editor.do(command)

    def _add_anew(self) -> None:
        """Go back to the start of the run and add there what was refused later."""
        if self._asked is not None:
            self._session.restart()
            self._add(self._asked)

    def _on_done(self, title: str) -> None:
        if self._asked is not None and self.dialog is not None and title == self._asked.title:
            self.dialog.tell(tr("{name} was added to the scene; Undo removes it.", name=self._asked.name))

    def _on_refused(self, title: str, reason: str) -> None:
        if self._asked is not None and self.dialog is not None and title == self._asked.title:
            words = tr("{name} was not added: {reason}.", name=self._asked.name, reason=reason)
            self.dialog.tell(words, anew=self._editor.live and not self._editor.locked)

    def _bring_up_to_date(self) -> None:
        document, plant = self._session.document, self._session.plant
        if self.dialog is None or document is self._scene:
            return
        self._scene = document
        if document is None or plant is None:
            self.dialog.set_world(None)
        else:
            self.dialog.set_world(World(document.scenario, plant, plant.catalog, None))

    def _on_document(self) -> None:
        if self.dialog is not None and self.dialog.isVisible():
            self._bring_up_to_date()

    def _on_figures(self) -> None:
        if self.dialog is not None and self.dialog.isVisible():
            self.dialog.follow(self._pace(self.dialog.followed), self._pue())

    def _pue(self) -> float | None:
        """Return the PUE of the run so far, to the digits shown; None before it draws power."""
        pue = self._session.curves.at(PUE_RUN, self._session.shown_s)
        return round(pue, 3) if np.isfinite(pue) else None

    def _pace(self, job_id: str | None) -> float | None:
        """Return the step time of a job in the run now [s]; None while it makes no steps."""
        document, frame = self._session.document, self._session.shown
        if job_id is None or document is None or frame is None:
            return None
        at = job_place(document.scenario, job_id)
        if at is None or at >= len(frame.values["job.state"]):
            return None
        if JobState(int(frame.values["job.state"][at])) not in _STEPPING:
            return None
        step_s = float(frame.values["job.step_s"][at])
        return step_s if np.isfinite(step_s) and step_s > 0.0 else None
