"""Of which seed the random draws of a run are: of its own, and from a redraw on of another.

A draw belongs to a component and to a count, so it is of the seed in force when what it decides happens. What lasts
is of the run's own seed: the spread of the dies, the quality of the nodes it began with, which jobs have stragglers,
and the jobs that streams bring. A redraw leaves what a failure before it has brought with it, as its repair and those
that its burst pulls along; it draws again how far every clock still has to go.
"""

from __future__ import annotations

from twin.record.redraw import Redraw
from twin.sim.core.state import Fields, StateField, Stateful


class Draws(Stateful):
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

    def on_restored(self) -> None:
        """Draw from the seed of the last redraw that was made."""
        self.seed = self.redraws[self.done[-1]].seed if self.done else self.own

    STATE = Fields(
        StateField(
            "redraws",
            lambda saved: [Redraw(float(at_s), int(seed)) for at_s, seed in saved],
            lambda redraws: [[redraw.at_s, redraw.seed] for redraw in redraws],
            missing=[],
            spare=True,
        ),
        StateField("done", lambda saved: list(map(int, saved)), key="redrawn", missing=[], spare=True),
    )
