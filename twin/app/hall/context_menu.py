"""What can be done with one thing: the menu of the right button, in the hall, in diagrams and in lists."""

from __future__ import annotations

from functools import partial

from psygnal import Signal
from PySide6.QtWidgets import QMenu, QWidget

from twin.app.faults.break_choices import choices, target_kind
from twin.app.faults.drains import DRAINS, MOST_JOBS, Drainable
from twin.app.faults.fault_groups import grouped
from twin.app.hall.trace_layer import TraceLayer
from twin.app.session.session import Session
from twin.app.toolkit.plain_text import plain_tip
from twin.app.world.job_lookup import job_place
from twin.language import tr
from twin.plant.find import find
from twin.plant.tables import Plant
from twin.record.channels import BY_ID, COLOUR_BY, JobState
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds.kind import GROUPS
from twin.scenario.schema.faults import Intervention
from twin.view3d.base.state import ViewState
from twin.view3d.view.hall_view import HallView

_OVER = (JobState.DONE, JobState.KILLED)
_DOTS = "\N{HORIZONTAL ELLIPSIS}"
_INCIDENT = tr("Last incident")
_INCIDENT_TIP = tr("What failed, whom it stopped, and what that cost")


class ThingMenus:
    """Makes the menus; what is chosen that acts on the run is told by signals."""

    break_wanted = Signal(object, str)  # id of the thing, kind of fault or ""
    act_wanted = Signal(object)  # Intervention
    job_wanted = Signal(str)  # job id: open its page
    incident_wanted = Signal(str)  # id of a component or job: show its last incident
    move_wanted = Signal(list, str)  # job ids, partition id

    def __init__(self, session: Session, view: HallView, trace: TraceLayer, state: ViewState) -> None:
        self._session, self._view, self._trace, self._state = session, view, trace, state

    def menu(self, thing: str | None, parent: QWidget) -> QMenu | None:
        """Return the menu of a thing, None: of the whole site; None without a scene."""
        document, plant = self._session.document, self._session.plant
        if document is None or plant is None:
            return None
        menu = QMenu(parent)
        menu.setToolTipsVisible(True)
        menu.addAction(thing or tr("The whole site")).setEnabled(False)
        menu.addSeparator()
        place = job_place(document.scenario, thing) if thing is not None else None
        if thing is not None and find(plant, thing) is None and place is not None:
            self._fill_job(menu, thing, place)
        elif thing is not None:
            self.fill_place(menu, thing)
        self._colours(menu)
        menu.addSeparator()
        self._breaking(menu, thing, document.scenario, plant)
        return menu

    # -- places ----

    def fill_place(self, menu: QMenu, id: str) -> None:
        """Offer what can be done with a thing of the hall."""
        menu.addAction(tr("Fly there"), partial(self._view.fly_to, id))
        menu.addAction(tr("Trace power and heat"), partial(self._trace.show_trace, id))
        menu.addAction(tr("Blast radius"), partial(self._trace.show_blast, id))
        menu.addAction(_INCIDENT, partial(self.incident_wanted.emit, id)).setToolTip(_INCIDENT_TIP)
        place = Drainable.of(self._session, id)
        if not place.nodes:
            return
        menu.addSeparator()
        drain = menu.addMenu(tr("Drain"))
        drain.setToolTipsVisible(True)
        whose = f": {place.named_jobs}" if place.jobs else ""
        for when, title, tip in DRAINS:
            action = drain.addAction(title, partial(self._act, "drain", id, when))
            action.setToolTip(
                plain_tip(
                    tr("{nodes} take no new work. {tip}{whose}", nodes=place.size, tip=tip, whose=whose)
                )
            )
        drain.setEnabled(place.drained < place.nodes)
        undrain = menu.addAction(tr("Undrain"), partial(self._act, "undrain", id))
        undrain.setToolTip(plain_tip(tr("{nodes} take new work again", nodes=place.size)))
        undrain.setEnabled(place.drained > 0)
        for job in place.jobs[:MOST_JOBS]:
            row = self._place_of(job)
            if row is not None:
                self._fill_job(menu.addMenu(tr("Job {job}", job=job)), job, row)

    # -- jobs ----

    def _place_of(self, job: str) -> int | None:
        document = self._session.document
        return job_place(document.scenario, job) if document is not None else None

    def _fill_job(self, menu: QMenu, job: str, place: int) -> None:
        menu.setToolTipsVisible(True)
        frame, document = self._session.shown, self._session.document
        assert document is not None
        state = JobState(int(frame.values["job.state"][place])) if frame is not None else JobState.QUEUED
        menu.addAction(tr("Open job page"), partial(self.job_wanted.emit, job))
        menu.addAction(_INCIDENT, partial(self.incident_wanted.emit, job)).setToolTip(_INCIDENT_TIP)
        menu.addSeparator()
        cancel = menu.addAction(tr("Cancel"), partial(self._act, "cancel", job))
        cancel.setToolTip(tr("End the job and free its GPUs"))
        cancel.setEnabled(state not in _OVER)
        requeue = menu.addAction(tr("Requeue"), partial(self._act, "requeue", job))
        requeue.setToolTip(tr("Requeue: restarts from its last checkpoint"))
        requeue.setEnabled(state not in (*_OVER, JobState.QUEUED, JobState.REMOTE))
        partitions = document.scenario.partitions
        if partitions:
            move = menu.addMenu(tr("Move to partition"))
            for part in partitions:
                move.addAction(part.title or part.id, partial(self.move_wanted.emit, [job], part.id))
            move.setEnabled(state == JobState.QUEUED)

    # -- all ----

    def _colours(self, menu: QMenu) -> None:
        colours = menu.addMenu(tr("Colour by"))
        for channel in COLOUR_BY:
            title = BY_ID[channel].title
            action = colours.addAction(
                title[:1].upper() + title[1:], partial(setattr, self._state, "colour_by", channel)
            )
            action.setCheckable(True)
            action.setChecked(self._state.colour_by == channel)

    def _breaking(self, menu: QMenu, target: str | None, scenario: Scenario, plant: Plant) -> None:
        breaking = menu.addMenu(tr("Break"))
        breaking.setToolTipsVisible(True)
        found = choices(scenario, plant, target)
        at = target_kind(scenario, plant, target)
        sorted_out = grouped(found, at[0] if at is not None else "site")
        for number, group in enumerate(name for name in GROUPS if name in sorted_out):
            if number:
                breaking.addSeparator()
            for choice in sorted_out[group]:
                act = partial(self.break_wanted.emit, target, choice.kind)
                offered = breaking.addAction(f"{choice.title}{_DOTS}", act)
                asked = Intervention(at=0.0, kind=choice.kind, target=target or "site")
                reason = self._session.permit(asked)
                offered.setEnabled(not reason)
                offered.setToolTip(plain_tip(reason))
        breaking.setEnabled(not breaking.isEmpty())

    def _act(self, kind: str, target: str, value: str | None = None) -> None:
        self.act_wanted.emit(Intervention(at=self._session.shown_s, kind=kind, target=target, value=value))
