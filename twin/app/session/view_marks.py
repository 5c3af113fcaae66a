"""What is hidden and what is locked: part of how a scene is looked at, never of the scene."""

from __future__ import annotations

from collections.abc import Iterable

from psygnal import Signal

from twin.app.session.session import Session
from twin.app.world.locks import struck
from twin.language import tr
from twin.scenario import Scenario
from twin.view3d.base.state import ViewState


class ViewMarks:
    """Hides, isolates and locks things.

    Parameters
    ----------
    state
        Holds the marks of the open scene.
    """

    changed = Signal()

    def __init__(self, session: Session, state: ViewState) -> None:
        self._session, self._state = session, state
        for event in (state.events.hidden, state.events.only, state.events.locked):
            event.connect(self._on_change)  # a lambda would keep the state, and the window, for ever

    def _on_change(self, *_ids: object) -> None:
        self.changed.emit()

    def is_hidden(self, id: str) -> bool:
        """Return whether a thing is hidden by itself or with what holds it."""
        hidden, only = self._state.hidden, self._state.only
        plant = self._session.plant
        room = plant is not None and id in plant.halls.ids
        apart = bool(only) and not (room or _holds(only, id) or _held(only, id))
        return apart or _holds(hidden, id)

    def is_locked(self, id: str) -> bool:
        """Return whether a thing is locked by itself or with what made it."""
        return _holds(self._state.locked, id)

    def hide(self, ids: Iterable[str], on: bool | None = None) -> None:
        """Hide things or show them again; None: as the first of them is not."""
        chosen = set(ids)
        if not chosen:
            return
        if on is None:
            on = not self.is_hidden(next(iter(sorted(chosen))))
        if on:
            self._state.hidden = self._state.hidden | chosen
            return
        around = {
            held for held in self._state.hidden for id in chosen if id == held or id.startswith(f"{held}/")
        }
        self._state.hidden = self._state.hidden - around
        if self._state.only:
            self._state.only = self._state.only | chosen

    def show_only(self, ids: Iterable[str]) -> None:
        """Hide everything else."""
        self._state.hidden, self._state.only = frozenset(), frozenset(ids)

    def show_all(self) -> None:
        """Hide nothing."""
        self._state.hidden = self._state.only = frozenset()

    def lock(self, ids: Iterable[str], on: bool | None = None) -> None:
        """Lock things or let them be edited again; None: as the first of them is not."""
        chosen = set(ids)
        if not chosen:
            return
        if on is None:
            on = not self.is_locked(next(iter(sorted(chosen))))
        around = {
            held for held in self._state.locked for id in chosen if id == held or id.startswith(f"{held}/")
        }
        self._state.locked = self._state.locked | chosen if on else self._state.locked - around

    def why_not(self, before: Scenario, after: Scenario) -> str:
        """Return why an edit may not be done: it changes what is locked; "" when it may."""
        id = struck(before, after, self._state.locked) if self._state.locked else ""
        return tr("{id} is locked: unlock it in the outliner first", id=id) if id else ""


def _holds(ids: frozenset[str], id: str) -> bool:
    """Return whether an id, or what it is made by, is among some."""
    if not ids:
        return False
    while id:
        if id in ids:
            return True
        id = id.rpartition("/")[0]
    return False


def _held(ids: frozenset[str], id: str) -> bool:
    """Return whether an id is what holds one of some."""
    return any(item.startswith(f"{id}/") for item in ids)
