"""What the design rules find, told to the hall: marks over the things concerned, and the way there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from twin.app.hall.panel import HallPanel
from twin.app.money.dock import MoneyDock
from twin.app.monitor.availability_dock import AvailabilityDock
from twin.app.monitor.checks_dock import RulesDock
from twin.app.session.session import Session
from twin.plant.cable_names import find_bundle
from twin.plant.graph import find
from twin.rules import BY_ID, Finding, Report
from twin.view3d.colour.machine_state import HallMark

MOST_MARKS = 24
"""More words over the hall than these nobody reads; the list has them all."""
PER_FINDING = 6
MOST_SELECTED = 200
_SIGNS = {"error": ("\N{HEAVY MULTIPLICATION X}", 2), "warning": ("\N{BLACK UP-POINTING TRIANGLE}", 1)}


class RulesMarks:
    """Marks what is found in the 3D view, and goes to what is chosen.

    Parameters
    ----------
    session
        Of the plant.
    hall
        The view.
    go_to
        Goes to what stands nowhere: a job, a tenant.
    """

    def __init__(self, session: Session, hall: HallPanel, go_to: Callable[[str], None]) -> None:
        self._session, self._hall, self._go_to = session, hall, go_to

    def follow(self, checks: RulesDock, availability: AvailabilityDock, money: MoneyDock) -> None:
        """Mark what a list of findings reports, and go to what is chosen there, in that of outages or of money."""
        checks.reported.connect(self.show)
        checks.chosen.connect(self.go)
        checks.thing_chosen.connect(self._go_to)
        for dock in (availability, money):
            dock.picture_due = self._hall.picture_due
            dock.chosen.connect(self.go_to)
        checks.picture_due = self._hall.picture_due

    def show(self, report: Report) -> None:
        """Mark the first things of every error and warning that nobody accepted."""
        marks = [mark for finding in report.open for mark in _marks(finding)]
        self._hall.view.mark_found(marks[:MOST_MARKS])

    def go(self, finding: Finding) -> None:
        """Select the things of a finding and fly there; what stands nowhere is shown in the inspector."""
        self.go_to(finding.ids)

    def go_to(self, ids: Sequence[str]) -> None:
        """Select things and fly there; what stands nowhere is shown in the inspector."""
        plant = self._session.plant
        if plant is None or not ids:
            return
        standing = [
            item for item in ids if find(plant, item) is not None or find_bundle(plant, item) is not None
        ]
        if len(standing) > 1:
            chosen = standing[:MOST_SELECTED]
            self._hall.state.selection = tuple(reversed(chosen))  # the last one is what the inspector shows
            self._hall.view.frame(chosen)
        else:
            self._go_to(standing[0] if standing else ids[0])


def _marks(finding: Finding) -> list[HallMark]:
    if finding.severity not in _SIGNS:
        return []
    sign, weight = _SIGNS[finding.severity]
    text = f"{sign} {BY_ID[finding.rule].title}"
    return [HallMark(item, text, weight) for item in finding.ids[:PER_FINDING]]
