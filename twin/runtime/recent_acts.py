"""What people did to a run last, and its state just before each act, to which undo returns."""

from __future__ import annotations

from dataclasses import dataclass, replace

from twin.record.recorder import RecordMark
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention

MOST = 50
"""Acts kept."""
MOST_BYTES = 32 * 2**20
"""What their snapshots may take together [B]; one of 16,384 GPUs takes about 50 kB."""
MOST_HALLS = 16
"""Acts whose hall is kept; one of 16,384 GPUs takes about 2 MB. That of an older act is built again from its edits."""


@dataclass(frozen=True)
class RecentAct:
    """An intervention or edit that the run has taken.

    Parameters
    ----------
    rev
        Number of the request.
    asked, done
        As it was asked for, and with the time from which it acts.
    state, hall
        Snapshot and hall of the run before, where it acts at once; no hall: it is to be built again.
    mark
        Where it was recorded.
    at_once
        Whether it was to act then and there.
    """

    rev: int
    asked: Intervention | Edit
    done: Intervention | Edit
    state: bytes
    hall: object
    mark: RecordMark
    at_once: bool


class RecentActs:
    """The last acts, in their order."""

    def __init__(self) -> None:
        self._acts: list[RecentAct] = []

    def add(self, act: RecentAct, now_s: float) -> None:
        """Take another, asked for at `now_s` [s]; the oldest go where there are too many, or too large ones.

        Where the run has continued since the last, there is no way back to those before.
        """
        if self._acts and self._acts[-1].done.at_s < now_s:
            self.clear()
        self._acts.append(act)
        if len(self._acts) > MOST_HALLS:
            older = len(self._acts) - MOST_HALLS - 1
            self._acts[older] = replace(self._acts[older], hall=None)
        while len(self._acts) > MOST or self._nbytes > MOST_BYTES:
            del self._acts[0]

    def find(self, asked: Intervention | Edit) -> RecentAct | None:
        """Return the newest act that was asked for so, an edit by its name; None: there is none."""
        return next((act for act in reversed(self._acts) if _is(act.asked, asked)), None)

    def is_last(self, act: RecentAct) -> bool:
        """Return whether nothing was done after an act."""
        return bool(self._acts) and self._acts[-1] is act

    def take_out(self, act: RecentAct | None) -> None:
        """Forget an act that is undone; where it was not the last, snapshots of later ones hold it, and go too."""
        if act is not None and self.is_last(act):
            self._acts.pop()
        else:
            self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._acts.clear()

    @property
    def _nbytes(self) -> int:
        return sum(len(act.state) for act in self._acts)


def _is(first: Intervention | Edit, second: Intervention | Edit) -> bool:
    if isinstance(first, Edit) and isinstance(second, Edit):
        return first.id == second.id
    return first == second
