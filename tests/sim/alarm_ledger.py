"""Reads the alarms of an engine's events and pictures, and holds them against what is down."""

from __future__ import annotations

import numpy as np
from sim_scenes import frame

from twin.record.alarms import Alarms
from twin.record.alarms_pictured import over_in
from twin.record.events import Severity
from twin.sim.core.nodes import DOWN
from twin.sim.engine.engine import Engine

NODE_KINDS = ("failure", "injected_failure", "node_found", "lemon_out")
GEAR_KINDS = ("fabric_fault", "power_failure", "breaker_trip", "psu_loss", "pump_stop", "fans_stop", "leak")


class Ledger:
    """Alarms of a run that goes on, as the window keeps them: events, and now and then a picture."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.alarms, self._rows = engine, Alarms(), 0

    def advance(self, until_s: float, step_s: float = 1200.0) -> Ledger:
        """Go on, look at every step."""
        engine = self.engine
        while engine.now_s < until_s:
            engine.advance(min(until_s, engine.now_s + step_s))
            self.look()
        return self

    def look(self) -> None:
        """Take what happened, and the picture after it."""
        fresh = self.engine.events(self._rows)
        self._rows += len(fresh)
        self.alarms.add(fresh)
        picture = frame(self.engine)
        picture.events = self._rows
        self.alarms.settle(over_in(self.engine.plant, picture), picture.events)

    @property
    def standing(self) -> list[tuple[str, str]]:
        """Return kind and subject of what stands."""
        return [(alarm.kind, alarm.subject) for alarm in self.alarms.active()]

    def down(self) -> set[str]:
        """Return the nodes that are down, or out for good."""
        nodes, out = self.engine.plant.nodes, self.engine.repairs.lemons.out_now
        return {nodes.ids[k] for k in {*np.flatnonzero(self.engine.nodes.condition == DOWN).tolist(), *out}}

    def untold(self) -> set[str]:
        """Return what is down, or out for good, though no alarm about it stands; idle nodes are no alarm's matter."""
        about = self._about()
        quiet = {event.subject for event in self.engine.events(0) if event.severity < Severity.WARNING}
        nodes = {node for node in self.down() if not any(_is_part(node, s) for s in about)}
        nodes = {node for node in nodes if not any(_is_part(node, s) for s in quiet)}
        gear = {i.target for i in (*self.engine.outages.acting, *self.engine.incidents.facility.acting)}
        return nodes | (gear - {alarm.subject for alarm in self.alarms.active()})

    def unfounded(self) -> list[tuple[str, str]]:
        """Return the alarms that stand about nodes, links and machines none of which is down."""
        down = self.down()
        gear = {i.target for i in (*self.engine.outages.acting, *self.engine.incidents.facility.acting)}
        return [
            (alarm.kind, alarm.subject)
            for alarm in self.alarms.active()
            if alarm.kind in (*NODE_KINDS, *GEAR_KINDS)
            and alarm.subject not in gear
            and not any(_is_part(node, alarm.subject) for node in down)
        ]

    def _about(self) -> set[str]:
        """Return the places that standing alarms about nodes speak of; a scale-up domain is named by its first node."""
        lasting, ids = [a for a in self.alarms.active() if a.kind in NODE_KINDS], self.engine.plant.nodes.ids
        return {
            a.subject.rpartition("/")[0] if a.nodes > 1 and a.subject in ids else a.subject for a in lasting
        }


def _is_part(node: str, place: str) -> bool:
    """Return whether a node is a place, or in it, or holds it."""
    return node == place or place.startswith(f"{node}/") or node.startswith(f"{place}/")
