"""What the window does with jobs: shows their pages, flies to them, moves them, asks what could become of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from twin.app.jobs.events import EventLine
from twin.app.jobs.what_if_dialog import RiskDialog
from twin.app.queue.moves import move, offer, why_not
from twin.commands.place.failures import UseCatalogRates
from twin.commands.place.properties import SetProperty
from twin.language import tr
from twin.planning.job.result import PlanError
from twin.planning.risk.risk import risk_of

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi

STATUS_MS = 8000


class JobActions:
    """Follows what docks and menus ask about jobs.

    Parameters
    ----------
    window
        Of which docks, hall and session are taken.
    """

    def __init__(self, window: WindowApi) -> None:
        self._window = window
        window.hall.menus.job_wanted.connect(self.open_job)
        window.hall.menus.move_wanted.connect(self.move_jobs)
        window.docks.job.attach(window.world, window.hall.thing_menu)
        window.docks.jobs.opened.connect(self.open_job)
        window.docks.job.chosen.connect(self.fly_to_job)
        window.docks.job.line_chosen.connect(self.go_to_line)
        window.docks.job.plan_wanted.connect(window.planner.open)
        window.docks.job.risk_wanted.connect(self.ask_risk)
        window.docks.inspector.shown.connect(window.docks.job.show_job)
        window.docks.jobs.chosen.connect(self.choose_job)
        window.docks.queue_feed.changed.connect(self._focus)
        window.docks.queue.chosen.connect(self.choose_job)
        window.docks.queue.opened.connect(self.fly_to_job)
        window.docks.queue.move_wanted.connect(self.move_jobs)
        window.docks.tenants.dropped.connect(self.move_jobs)
        window.docks.tenants.quota_wanted.connect(self.set_quota)
        window.docks.tenants.dragged.connect(self._on_job_dragged)
        window.docks.inspector.shown.connect(self._on_shown)
        window.docks.inspector.plan_wanted.connect(window.planner.open)
        window.docks.jobs.plan_wanted.connect(window.planner.open)

    def choose_job(self, job_id: str | None) -> None:
        """Show a job in the inspector and let it stand out in hall and queue; None: no job."""
        self._window.hall.state.selection = ()
        self._window.docks.inspector.show_thing(job_id)

    def fly_to_job(self, job_id: str) -> None:
        """Show a job and fly to the racks it holds."""
        self.choose_job(job_id)
        history, plant = self._window.docks.queue_feed.history, self._window.session.plant
        if history is None or plant is None or job_id not in history.index:
            return
        nodes = history.nodes_of(history.index[job_id])
        self._window.hall.view.frame(
            list(dict.fromkeys(plant.racks.ids[rack] for rack in plant.nodes.rack[nodes].tolist()))
        )

    def open_job(self, job_id: str) -> None:
        """Show the page of a job."""
        self._window.docks.show_roomy("job")
        self.choose_job(job_id)

    def ask_risk(self, job_id: str | None = None) -> None:
        """Open the sliders on the reliability of a job; None: of the one on the job page."""
        document, plant, job = (
            self._window.session.document,
            self._window.session.plant,
            job_id or self._window.docks.job.job_id,
        )
        if document is None or plant is None or job is None:
            return
        try:
            risk = risk_of(document.scenario, plant, plant.catalog, job)
        except PlanError as error:
            self._window.tell(tr("Not sampled: {error}", error=error))
            return
        dialog = RiskDialog(self._window.look, risk, self._window.session.seed, self._window)
        dialog.rates_wanted.connect(self._use_catalog_rates)
        dialog.show()

    def _use_catalog_rates(self) -> None:
        """Let the scene fail at the rates of the catalogue, and show them."""
        if self._window.editing.editor.do(UseCatalogRates()):
            self.show_failure_rates()

    def show_failure_rates(self) -> None:
        """Show what fails in the scene, in the inspector."""
        docks = self._window.docks
        self._window.going.nowhere()
        docks.show("inspector")
        docks.inspector.show_thing(None)
        docks.inspector.show_page("failures")

    def go_to_line(self, line: EventLine) -> None:
        """Go to the time and the place of something that happened to a job."""
        self._window.docks.events.show_event(line.event)
        if line.place:
            self._window.go_to(line.place)

    def set_quota(self, tenant: str, gpus: int | None) -> None:
        """Change the quota of a tenant in the scene, as one step that can be undone; None: no limit."""
        value = None if gpus is None else str(gpus)
        self._window.editing.editor.do(SetProperty(("",), f"tenants[{tenant}].quota", value))

    def move_jobs(self, job_ids: Sequence[str], partition: str) -> None:
        """Ask the run to move jobs to a partition; the status bar tells what speaks against it."""
        document, history = self._window.session.document, self._window.docks.queue_feed.history
        if document is None or history is None:
            return
        refusals = []
        for job_id in job_ids:
            refusal = why_not(document.scenario, history, job_id, partition)
            if refusal:
                refusals.append(refusal)
            else:
                self._window.session.intervene(move(job_id, partition, self._window.session.shown_s))
        if refusals:
            more = tr(" (and {refusals:,} more)", refusals=len(refusals) - 1) if len(refusals) > 1 else ""
            self._window.statusBar().showMessage(
                tr("Not moved: {refusals}{more}", refusals=refusals[0], more=more), STATUS_MS
            )

    def _on_job_dragged(self, job_id: str, partition: str) -> None:
        document, history = self._window.session.document, self._window.docks.queue_feed.history
        if document is None or history is None or not job_id:
            self._window.statusBar().clearMessage()
            return
        refusal = why_not(document.scenario, history, job_id, partition)
        self._window.statusBar().showMessage(refusal or offer(document.scenario, job_id, partition))

    def _on_shown(self, id: str | None) -> None:
        """Let the job that the inspector shows stand out, or none."""
        self._window.docks.queue.choose(id)
        self._focus()

    def _focus(self) -> None:
        """Let GPUs of the job in the inspector stand out while it holds any."""
        job = self._window.docks.inspector.job
        history = self._window.docks.queue_feed.history if job is not None else None
        place = history.index.get(job) if history is not None and job is not None else None
        held = history is not None and place is not None and history.holds(place)
        self._window.hall.state.focus_job = place if held else None

    def plan_job(self) -> None:
        """Open the job dialog, on the job in the inspector when there is one."""
        self._window.planner.open(self._window.docks.inspector.job)
