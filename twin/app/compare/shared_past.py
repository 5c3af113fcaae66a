"""What two runs that are held against each other have in common: a past, or the start. No widgets."""

from __future__ import annotations

from collections.abc import Sequence

from twin.analysis.branch import shared_past_s
from twin.analysis.branch_changes import additions_of, instead_in_words
from twin.analysis.compare import Basis
from twin.analysis.what_if import what_if
from twin.app.branches.answer import Answered
from twin.app.compare.designs import Simulated
from twin.app.compare.run import ComparedRun
from twin.app.compare.seeds import Pair


class SharedPast:
    """Where two runs part, and how they are run over seeds.

    Parameters
    ----------
    made
        Where both were simulated from the start; None: they are recordings.
    answered
        The what-if that they answer; None: another question.

    Attributes
    ----------
    basis, since_s
        What they have in common, and until when [s].
    change
        What the branch changes, in words; "": neither is a branch of the other.

    Raises
    ------
    RunFileError
        When one of the runs is damaged.
    """

    def __init__(
        self, runs: Sequence[ComparedRun], made: Simulated | None, answered: Answered | None
    ) -> None:
        self._runs, self._until_s = runs, None if answered is None else answered.question.asked.until_s
        a, b = runs
        self.since_s = shared_past_s(a.reader(0.0), b.reader(0.0)) if made is None else None
        self.basis = Basis.RECORDED if made is None else Basis.RERUN
        self.change = ""
        if self.since_s is not None:
            self.basis = Basis.SAME_PAST
            parent, branch = self._ordered()
            was = parent.design()
            self.change = instead_in_words(additions_of(branch.scenario, was), was, parent.plant())

    def pair(self) -> Pair:
        """Return what is run over seeds; may raise `RunFileError`."""
        a, b = self._runs
        if self.since_s is None:
            return Pair((a.design(), b.design()), a.seed, self.basis)
        parent, branch = self._ordered()
        asked = what_if(parent.reader(0.0), branch.design(), self.since_s, self._until_s)
        kept = (asked.parent, asked.branch) if parent is a else (asked.branch, asked.parent)
        return Pair(kept, a.seed, self.basis, self.since_s, asked.until_s)

    def _ordered(self) -> tuple[ComparedRun, ComparedRun]:
        """Return the run that is left, and its branch."""
        a, b = self._runs
        point = b.scenario.branch
        return (a, b) if point is not None and point.at_s == self.since_s else (b, a)
