"""Of which seed the random draws of a run are: of its own, and from a redraw on of another.

A draw belongs to a component and to a count, so it is of the seed in force when what it decides happens. What lasts
is of the run's own seed: the spread of the dies, the quality of the nodes it began with, which jobs have stragglers,
and the jobs that streams bring. A redraw leaves what a failure before it has brought with it, as its repair and those
that its burst pulls along; it draws again how far every clock still has to go.
"""

from __future__ import annotations

from typing import Any

from twin.record.redraw import Redraw


class Draws:
    """Seeds of a run.

    Parameters
    ----------
    own
        Of the run.

    Attributes
    ----------
    seed
        Of the draws that are made now.
    redraws
        Asked for so far, in the order of asking; the first `done` have been made.
    """

    def __init__(self, own: int) -> None:
        self.own = self.seed = own
        self.redraws: list[Redraw] = []
        self.done: list[int] = []

    def begin(self, place: int) -> None:
        """Draw from the seed of a redraw from now on."""
        self.seed = self.redraws[place].seed
        self.done.append(place)

    def state(self) -> dict[str, Any]:
        """Return what a snapshot needs; nothing where nothing is redrawn."""
        if not self.redraws:
            return {}
        return {"redraws": [[redraw.at_s, redraw.seed] for redraw in self.redraws], "redrawn": self.done}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what `state` returned."""
        self.redraws = [Redraw(float(at_s), int(seed)) for at_s, seed in state.get("redraws", ())]
        self.done = [int(place) for place in state.get("redrawn", ())]
        self.seed = self.redraws[self.done[-1]].seed if self.done else self.own
