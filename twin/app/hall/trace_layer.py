"""Trace and blast radius: lights what a thing hangs on, or who feels its loss, and says so in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from psygnal import Signal

from twin.app.session.session import Session
from twin.app.world.blast_radius_text import node_mask, reach_line, trace_lines, trace_names
from twin.language import tr
from twin.plant.dependencies import blast_radius, trace
from twin.plant.find import find
from twin.plant.tables import Plant
from twin.view3d.base.highlight import Lit, Reach
from twin.view3d.base.state import ViewState
from twin.view3d.colour.legend import Legend, reach_legend
from twin.view3d.view.hall_view import HallView

Mode = Literal["", "trace", "blast"]
ENDS = tr("Esc to close")


@dataclass(frozen=True)
class Told:
    """What stands over the picture: a title, lines under it, how to end it, and rows of the events they tell of."""

    title: str
    lines: tuple[str, ...]
    hint: str = ""
    rows: tuple[int, ...] = ()


class TraceLayer:
    """Keeps the lit path true to the selection; an empty selection puts it out.

    Attributes
    ----------
    mode, thing
        What is shown, of which thing.
    told
        The same in words; None when nothing is lit.
    """

    changed = Signal()

    def __init__(self, session: Session, view: HallView, state: ViewState) -> None:
        self._session, self._view, self._state = session, view, state
        self.mode: Mode = ""
        self.thing: str | None = None
        self.told: Told | None = None
        self._counts: tuple[int, int, int] = (0, 0, 0)
        session.plant_changed.connect(self.clear)
        state.events.selection.connect(self._on_selection)

    def show_trace(self, thing: str | None = None) -> None:
        """Highlight what an item depends on (None: the selection); again: clear."""
        self._toggle("trace", thing)

    def show_blast(self, thing: str | None = None) -> None:
        """Highlight the blast radius of an item (None: the selection); again: clear."""
        self._toggle("blast", thing)

    def clear(self, *_plant: object) -> None:
        """Clear the highlight."""
        if not self.mode:
            return
        self.mode, self.thing, self.told = "", None, None
        self._view.light()
        self.changed.emit()

    def legend(self) -> Legend | None:
        """Return the legend of the colours while the reach of a fault is shown."""
        if self.mode != "blast" or self.thing is None:
            return None
        return reach_legend(tr("If {thing} fails", thing=self.thing), *self._counts)

    def _toggle(self, mode: Mode, id: str | None) -> None:
        chosen = id if id is not None else next(iter(self._state.selection[-1:]), None)
        if chosen is None or (self.mode == mode and self.thing == chosen):
            self.clear()
            return
        self._show(mode, chosen)

    def _show(self, mode: Mode, id: str) -> None:
        plant = self._session.plant
        found = find(plant, id) if plant is not None else None
        if plant is None or found is None:
            self.clear()
            return
        self.mode, self.thing = mode, id
        if mode == "trace":
            way = trace(plant, *found)
            lit = Lit(way.power_a, way.power_b, way.loops, way.plants, way.racks)
            self.told = Told(tr("{id} depends on", id=id), tuple(trace_lines(plant, way)), ENDS)
            self._view.light(lit, None, trace_names(plant, way))
        else:
            blast = blast_radius(plant, *found)
            reach = Reach(node_mask(plant, blast.nodes), node_mask(plant, blast.thinned))
            self._counts = _gpu_counts(plant, reach)
            self.told = Told(tr("If {id} fails", id=id), (reach_line(plant, found[0], blast),), ENDS)
            self._view.light(None, reach)
        self.changed.emit()

    def _on_selection(self, selection: tuple[str, ...], *_old: object) -> None:
        if not self.mode:
            return
        if selection and selection[-1] != self.thing:
            self._show(self.mode, selection[-1])
        elif not selection:
            self.clear()


def _gpu_counts(plant: Plant, reach: Reach) -> tuple[int, int, int]:
    node, present = plant.gpus.node, plant.gpus.present
    lost = int(np.count_nonzero(reach.lost[node] & present))
    thinned = int(np.count_nonzero(reach.thinned[node] & present))
    return lost, thinned, int(present.sum()) - lost - thinned
