"""Keeps the cables of the picture true: what is isolated, which collective runs along them, and their legends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from psygnal import Signal

from twin.app.fabric.facts import collective_cost, collective_line, job_index, links_of_thing
from twin.app.fabric.world import Fabrics, fabrics_of, forget
from twin.app.session.session import Session
from twin.app.world.rows import World
from twin.planning.network.collective import Collective
from twin.planning.network.traffic import KINDS
from twin.plant.cable_names import find_bundle
from twin.plant.find import find
from twin.scenario.generators.all_jobs import jobs_of
from twin.view3d.base.state import ViewState
from twin.view3d.colour.cable_colours import traffic_rgb
from twin.view3d.colour.legend import Legend, cable_legend, traffic_legend
from twin.view3d.view.hall_view import HallView

FAINTEST = 0.45
"""Brightness of the dashes of the least traffic, against those of the most."""


class FabricLayer:
    """Feeds the cables of a view from session, selection and view state.

    Parameters
    ----------
    session
        Its frames are followed.
    view, state
        What is fed, and what says what to show.
    world
        Returns scene and frame; None without a scene.
    """

    changed = Signal()  # another job, kind or placement is shown

    def __init__(
        self, session: Session, view: HallView, state: ViewState, world: Callable[[], World | None]
    ) -> None:
        self._view, self._state, self._world = view, state, world
        self._thing: str | None = None
        self._watched = False
        self._key: tuple[object, ...] = ()
        self.job: int | None = None
        self.shown: Collective | None = None
        self.kinds: tuple[Collective, ...] = ()
        self.senders: tuple[int, ...] = ()
        session.opened.connect(self._put_away)
        session.plant_changed.connect(self._anew)
        session.figures_changed.connect(self._follow)
        for name in ("layers", "traffic", "selection"):
            getattr(state.events, name).connect(self._follow)

    @staticmethod
    def _put_away(_path: object) -> None:
        forget()

    def choose(self, thing: str | None) -> None:
        """Take what the inspector shows: cables or a job are told apart from the rest."""
        self._thing = thing
        self._follow()

    def watch(self, on: bool) -> None:
        """Say whether anybody reads what jobs send: else it is worked out only for the picture."""
        self._watched = on
        self._follow()

    def show_collective(self, on: bool) -> None:
        """Show or hide the collective layer."""
        layers = set(self._state.layers)
        (layers.add if on else layers.discard)("collective")
        self._state.layers = frozenset(layers)

    @property
    def on(self) -> bool:
        """Return whether the collective layer is shown."""
        return "collective" in self._state.layers

    def legends(self) -> list[Legend]:
        """Return the legends of the cables as they are shown now."""
        world, found = self._world(), []
        if world is None or "cables" not in self._state.layers:
            return []
        if self._state.cables_by == "load":
            found.append(cable_legend(world.plant, world.frame))
        jobs = jobs_of(
            world.scenario
        )  # a scene is told before its hall: by then the job is of the one before
        if self.on and self.job is not None and self.shown is not None and self.job < len(jobs):
            lines = [
                jobs[self.job].id,
                collective_line(self.shown),
                collective_cost(self.shown),
            ]
            found.append(traffic_legend(self.shown.kind, lines))
        return found

    def _anew(self, *_plant: object) -> None:
        self._thing, self._key, self.job, self.shown = None, (), None, None
        self.kinds, self.senders = (), ()
        self.changed.emit()

    def _follow(self, *_change: object) -> None:
        world = self._world()
        if world is None or world.frame is None:
            return
        fabrics = fabrics_of(world)
        shown = (self.on, self._watched, self._state.traffic)
        key = (self._thing, self._state.selection, shown, fabrics.key(), id(world.plant))
        if key == self._key:
            return
        self._key = key
        self._isolate(world, fabrics)
        if self.on or self._watched:
            self._animate(world, fabrics)
        self.changed.emit()

    def _isolate(self, world: World, fabrics: Fabrics) -> None:
        id = self._state.selection[-1] if self._state.selection else self._thing
        if id is None:
            self._view.isolate(None)
            return
        bundle, job = find_bundle(world.plant, id), job_index(world, id)
        found = find(world.plant, id)
        if bundle is not None:
            self._view.isolate(fabrics.along(links_of_thing(world, id, bundle)))
        elif job is not None and (seat := fabrics.seat(job)) is not None:
            there, back = fabrics.traffic.of_bundles(fabrics.traffic.bytes_s(seat))
            self._view.isolate(np.flatnonzero(there + back > 0).astype(np.int32))
        elif found is not None and found[0] == "switch":
            is_switch = np.arange(len(world.plant.switches.ids)) == found[1]
            links = fabrics.traffic.links.of_switches(is_switch)
            self._view.isolate(np.unique(world.plant.bundles.of_link[links]).astype(np.int32))
        else:
            self._view.isolate(None)

    def _animate(self, world: World, fabrics: Fabrics) -> None:
        chosen = job_index(world, self._thing)
        self.senders = fabrics.sending()
        if chosen not in self.senders:
            chosen = self.job if self.job in self.senders else next(iter(self.senders), None)
        self.job = chosen
        seat = None if chosen is None else fabrics.seat(chosen)
        self.kinds = () if chosen is None else fabrics.collectives(chosen)
        self.shown = next(
            (collective for collective in self.kinds if collective.kind == self._state.traffic), None
        )
        if self.shown is None and self.kinds:
            self.shown = self.kinds[0]
        if not self.on:
            return
        if seat is None or self.shown is None:
            nothing = np.zeros(len(world.plant.bundles.rail))
            none = np.zeros(0, np.int64)
            self._view.show_traffic(nothing, nothing, none, traffic_rgb(self._state.traffic))
            return
        sent = fabrics.traffic.bytes_s(seat, KINDS.index(self.shown.kind))
        load = sent / np.repeat(np.maximum(fabrics.traffic.links.bytes_s, 1.0), 2)
        there, back = fabrics.traffic.of_bundles(load)
        most = max(float(there.max(initial=0.0)), float(back.max(initial=0.0)), 1e-30)
        there, back = (
            np.where(way > 0, FAINTEST + (1 - FAINTEST) * way / most, 0.0) for way in (there, back)
        )
        racks = world.plant.nodes.rack[self.shown.nodes].astype(np.int64)
        if self.shown.shape == "ring":
            racks = np.append(racks, racks[:1])
        self._view.show_traffic(there, back, racks, traffic_rgb(self.shown.kind))
