"""Going to a thing: it is selected, the camera flies to it, and the inspector speaks of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from twin.analysis.explain import LossCause
from twin.app.hall.panel import HallPanel
from twin.app.inspector.facts import facts_of
from twin.app.inspector.inspector import Inspector
from twin.app.session.session import Session
from twin.app.toolkit.command_palette import PaletteEntry
from twin.app.world.rows import World
from twin.language import tr
from twin.plant.cable_names import find_bundle
from twin.plant.find import holder
from twin.plant.graph import describe, find
from twin.record.events import Event


class Going:
    """Goes to things by their names, from lists, events, causes and what is typed.

    Parameters
    ----------
    session, hall, inspector
        Of the window.
    world
        What facts are told of; None before the first figures.
    """

    def __init__(
        self, session: Session, hall: HallPanel, inspector: Inspector, world: Callable[[], World | None]
    ) -> None:
        self._session, self._hall, self._inspector, self._world = session, hall, inspector, world
        hall.state.events.colour_by.connect(inspector.show_coloured)

    @property
    def thing(self) -> str | None:
        """Return what is selected or in the inspector."""
        selection = self._hall.state.selection
        return selection[-1] if selection else self._inspector.thing

    def to(self, thing: str) -> None:
        """Select a thing and fly to it; a job is shown in the inspector."""
        plant = self._session.plant
        if plant is not None and (find(plant, thing) or find_bundle(plant, thing) is not None):
            self._hall.state.selection = (thing,)
            self._hall.view.fly_to(self._seen_whole(thing))
        else:
            self._hall.state.selection = ()  # nothing in the hall is what the inspector speaks of
        self._inspector.show_thing(thing)

    def to_event(self, event: Event) -> None:
        """Select what an event happened to and fly there."""
        self.to(event.subject)

    def to_cause(self, cause: LossCause) -> None:
        """Look at the time of what is behind a loss, and fly to its thing."""
        if cause.events and self._session.replay.possible:
            self._session.replay.look(cause.events[0].t_s)
        self.to(cause.subject)

    def to_parent(self) -> str | None:
        """Select the node of a GPU, the rack of a node, the row of a rack; return it."""
        plant, selection = self._session.plant, self._hall.state.selection
        parent = holder(plant, selection[-1]) if plant is not None and selection else None
        if parent is not None:
            self._hall.state.selection = (parent,)
        return parent

    def up(self) -> None:
        """Go back out of what was gone into, else to what holds the selection, with the camera."""
        if not self._hall.view.pointing.up():
            parent = self.to_parent()
            if parent is not None:
                self._hall.view.fly_to(parent)

    def nowhere(self) -> None:
        """Select nothing, and let the inspector speak of nothing."""
        self._hall.state.selection = ()
        self._inspector.show_thing(None)

    def places(self, typed: str) -> Sequence[PaletteEntry]:
        """Return where the command palette can go for what is typed."""
        plant, world = self._session.plant, self._world()
        id = typed.strip()
        if plant is None or world is None or facts_of(world, id) is None:
            return []
        found = find(plant, id)
        title = describe(plant, *found) if found is not None else id
        return [PaletteEntry(title, partial(self.to, id), tr("Go to"))]

    def _seen_whole(self, id: str) -> str:
        """Return what to frame: of a GPU its node, so that one sees where it is."""
        plant = self._session.plant
        found = find(plant, id) if plant is not None else None
        return id.rpartition("/")[0] if found is not None and found[0] == "gpu" else id
