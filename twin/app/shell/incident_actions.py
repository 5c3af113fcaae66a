"""What leads to an incident: events, alarms, failed nodes, jobs, marks of the timeline, losses; and where it leads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from twin.analysis.explain import LossCause
from twin.analysis.incident import Incident
from twin.app.branches.choices import Sort
from twin.app.jobs.events import EventLine
from twin.app.world.nodes_of_thing import nodes_of
from twin.language import tr
from twin.plant.dependencies import trace
from twin.plant.find import find, holder
from twin.record.alarms import Alarm
from twin.record.channels import State
from twin.record.events import Event

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi

HOUR_S = 3600.0
_NONE = tr("No incident so far")
_UNSUPPLIED = (State.UNPOWERED, State.OFF)
"""States of what is sound itself: something above it took power or cooling away."""


class IncidentActions:
    """Shows the incident behind what is chosen, and follows what its page asks for.

    Parameters
    ----------
    window
        Of which docks, hall and session are taken.
    """

    def __init__(self, window: WindowApi) -> None:
        self._window, self._dock = window, window.docks.incident
        self._awaited: Event | None = None  # its time is on the way to the screen

    def connect(self) -> None:
        """Follow the parts of the window, once all are there."""
        window, docks, page = self._window, self._window.docks, self._dock.page
        docks.events.chosen.connect(self.follow_event)
        docks.alarms.picked.connect(lambda alarm: window.going.to(alarm.subject))
        docks.alarms.picked.connect(self.follow_alarm)
        docks.why.chosen.connect(self.follow_cause)
        docks.job.line_chosen.connect(self.follow_line)
        docks.job.incident_wanted.connect(self.open_thing)
        docks.inspector.incident_wanted.connect(self.open_thing)
        window.hall.menus.incident_wanted.connect(self.open_thing)
        window.hall.ticker.clicked.connect(self.follow_event)
        window.hall.view.clicked.connect(lambda hit: self.follow_failed() if hit is not None else None)
        window.hall.story_plate.clicked.connect(self.follow_row)
        window.timeline.strip.mark_chosen.connect(window.going.to_event)
        window.timeline.strip.mark_chosen.connect(self.follow_event)
        window.session.looked.connect(lambda _looking_s: self._arrive())
        stops, goodput = (
            window.transport.kpis.tiles[f"site.{name}"] for name in ("interruptions", "goodput_now")
        )
        stops.leads(tr("A click shows what failed, and what that cost"))
        goodput.leads(tr("A click shows why it is not more"))
        stops.clicked.connect(self.open_list)
        goodput.clicked.connect(partial(docks.show, "why"))
        self._dock.chosen.connect(window.going.to)
        page.interval_wanted.connect(self.ask_interval)
        page.spares_wanted.connect(window.jobs_asked.ask_risk)
        page.job_wanted.connect(window.jobs_asked.open_job)
        page.hour_wanted.connect(self.explain_hour)

    # -- what actions do ----

    def open(self) -> None:
        """Show the incident of what is selected, else the last that stopped a job."""
        thing = self._window.going.thing
        incident = self._behind(thing) if thing is not None else None
        self._show(incident or self._dock.latest())

    def open_list(self) -> None:
        """Show all incidents by cause."""
        self._window.docks.show("incident")
        self._dock.show_list()

    def open_thing(self, id: str) -> None:
        """Show the last incident of a component or job."""
        incident = self._behind(id)
        if incident is None:
            self._window.tell(f"{_NONE}: {id}")
        else:
            self._show(incident)

    # -- following ----

    def follow_event(self, event: Event) -> None:
        """Show the incident that an event belongs to, where there is one."""
        incident = self._dock.of_event(event)
        self._awaited = event if incident is None and event.t_s >= self._window.session.shown_s else None
        self._follow(incident)

    def _arrive(self) -> None:
        """Show the incident of an event that was chosen, now that it is on screen."""
        if self._awaited is not None:
            event, self._awaited = self._awaited, None
            self._follow(self._dock.of_event(event))

    def follow_alarm(self, alarm: Alarm) -> None:
        """Show the incident that an alarm belongs to, where there is one."""
        self._follow(self._dock.of_row(alarm.row))

    def follow_row(self, row: int) -> None:
        """Go where an event of the status happened, and show its incident; alarms where it belongs to none."""
        events, incident = self._window.session.events, self._dock.of_row(row)
        if 0 <= row < len(events):
            self._window.going.to_event(events[row])
        if incident is None:
            self._window.docks.show("alarms")
        else:
            self._show(incident)

    def follow_cause(self, cause: LossCause) -> None:
        """Show the incident behind a loss, where there is one."""
        self._follow(self._dock.of_cause(cause))

    def follow_line(self, line: EventLine) -> None:
        """Show the incident that an event of a job belongs to, where there is one."""
        self.follow_event(line.event)

    def follow_failed(self) -> None:
        """Show the incident of a GPU, node or rack that was clicked in the hall, where one of its nodes is down."""
        selection = self._window.hall.state.selection
        if len(selection) != 1 or self._window.docks.is_in("design"):
            return
        if np.isin(self._states(selection[0]), (State.FAILED, *_UNSUPPLIED)).any():
            self._follow(self._behind(selection[0]))

    def _behind(self, id: str) -> Incident | None:
        """Return the last incident of a job or thing: of a GPU that of its node; of what lost power or cooling, theirs.

        A node fails as a whole: seven of its eight GPUs are down for what struck the eighth.
        """
        plant = self._window.session.plant
        found = None if plant is None else find(plant, id)
        if plant is None or found is None:
            return self._dock.of_thing(id)
        ids = [(holder(plant, id) or id) if found[0] == "gpu" else id]
        if np.isin(self._states(id), _UNSUPPLIED).any():
            above = trace(plant, *found)
            ids += [plant.power.ids[item] for item in (*above.power_a, *above.power_b, *above.spares)]
            ids += [plant.loops.ids[loop] for loop in above.loops]
            ids += [plant.plants.ids[source] for source in above.plants if source >= 0]
        last = [incident for name in ids if (incident := self._dock.of_thing(name)) is not None]
        return max(last, key=lambda incident: incident.event.row, default=None)

    def _states(self, id: str) -> NDArray[np.integer]:
        """Return the states of the GPUs of a GPU, node, rack or row, as on screen."""
        session = self._window.session
        plant, frame = session.plant, session.frame
        if plant is None or frame is None:
            return np.zeros(0, np.int8)
        gpus = np.isin(plant.gpus.node, nodes_of(plant, id)) & plant.gpus.present
        states: NDArray[np.integer] = frame.values["gpu.state"][: len(gpus)]
        return states[gpus[: len(states)]]

    def ask_interval(self, _job: str) -> None:
        """Ask for a branch with another checkpoint interval: from now, or from the incident where the run is over."""
        incident = self._dock.incident
        self._window.branching.ask(sort=Sort.CHECKPOINT, since_s=None if incident is None else incident.t_s)

    def explain_hour(self) -> None:
        """Explain where the GPU time of the hour after the incident went: it becomes the loop range."""
        incident, replay = self._dock.incident, self._window.session.replay
        if incident is not None and replay.possible:
            replay.set_loop(incident.t_s, min(incident.t_s + HOUR_S, replay.reach_s))
        self._window.docks.show("why")

    def _show(self, incident: Incident | None) -> None:
        self._window.docks.show("incident")
        if incident is None:
            self._dock.show_list()
        else:
            self._dock.show_incident(incident)

    def _follow(self, incident: Incident | None) -> None:
        if incident is not None:
            self._show(incident)
