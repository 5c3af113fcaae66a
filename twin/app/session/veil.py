"""What of a run is kept from whoever watches it: what happens beside its scene, and what events tell of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from twin.commands.edit.draft import Draft
from twin.record.events import Event
from twin.scenario.schema.document import Scenario

Events = tuple[Event, ...]


@dataclass(frozen=True)
class Veil:
    """Hides a part of the run of one draft; of every other it hides nothing.

    Parameters
    ----------
    draft
        Whose run it is; None: nothing is hidden.
    hiding
        Returns the scene of the run from the scene that is shown.
    seen
        Returns what is seen of events.
    """

    draft: Draft | None = None
    hiding: Callable[[Scenario], Scenario] = lambda scenario: scenario
    seen: Callable[[Events], Events] = lambda events: events

    def covers(self, draft: Draft | None) -> bool:
        """Return whether something of the run of a draft is hidden."""
        return self.draft is not None and draft is self.draft

    def into(self, draft: Draft | None, scenario: Scenario) -> Scenario:
        """Return the scene of the run of a draft."""
        return self.hiding(scenario) if self.covers(draft) else scenario

    def of(self, draft: Draft | None, events: Events) -> Events:
        """Return what is seen of events of a draft's run."""
        return self.seen(events) if self.covers(draft) else events
