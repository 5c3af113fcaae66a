"""The Faults menu: what can go wrong with what is selected and with what it depends on, and random incidents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from twin.app.faults.drains import Drainable
from twin.app.faults.fault_groups import faults_near, why_no_fault
from twin.app.faults.random_incidents import Level, draw, words_of
from twin.app.session.session import Session
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.command_palette import PaletteEntry
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.fault_kinds.kind import FaultKind
from twin.scenario.schema.faults import Intervention

_DOTS = "\N{HORIZONTAL ELLIPSIS}"


class FaultsMenu:
    """Fills the menu anew each time it opens and offers the same to the palette; draws incidents, and tells of all.

    Parameters
    ----------
    thing
        Returns what is selected, None: the site.
    break_thing
        Asks for details of a fault of a thing.
    tell
        Writes a line in the status bar.
    """

    def __init__(
        self,
        session: Session,
        thing: Callable[[], str | None],
        break_thing: Callable[[str | None, str], None],
        tell: Callable[[str], None],
    ) -> None:
        self._session, self._thing, self._break_thing, self._tell = session, thing, break_thing, tell
        self._draws = 0
        self._drawn: dict[int, str] = {}  # id of an intervention of the last draw, and what is told of it
        self._made: list[QAction | QMenu] = []
        session.run_started.connect(self._on_run_started)
        session.broken.connect(self._on_taken)

    def attach(self, menu: QMenu, before: QMenu) -> None:
        """Offer faults in a menu, in front of one of its submenus."""
        menu.aboutToShow.connect(partial(self.fill, menu, before))

    def entries(self) -> list[PaletteEntry]:
        """Return the same for the command palette: "Fans stop: crah/0...", and why others do not fit."""
        session, thing = self._session, self._thing()
        if session.document is None or session.plant is None:
            return [_greyed(kind, tr("open a scene first")) for kind in KINDS.values()]
        scenario, plant = session.document.scenario, session.plant
        near = faults_near(scenario, plant, thing, session.shown)
        offered = {choice.kind for found in near.values() for _, choice in found}
        fitting = [
            PaletteEntry(
                f"{choice.title}: {target or 'the site'}{_DOTS}",
                partial(self._break_thing, target, choice.kind),
                tr("Faults"),
                why_not=self._why_not(choice.kind, target),
            )
            for found in near.values()
            for target, choice in found
        ]
        return fitting + [
            _greyed(kind, why_no_fault(scenario, plant, thing, kind))
            for kind in KINDS.values()
            if kind.id not in offered and not kind.is_setting
        ]

    def fill(self, menu: QMenu, before: QMenu) -> None:
        """Offer what fits what is selected now."""
        for made in self._made:  # a menu without the action it is offered by may end the process
            menu.removeAction(made.menuAction() if isinstance(made, QMenu) else made)
            made.deleteLater()
        self._made = []
        session, at = self._session, before.menuAction()
        if session.document is None or session.plant is None:
            return
        subject = self._thing()
        near = faults_near(session.document.scenario, session.plant, subject, session.shown)
        title = (
            tr("{subject} and what it depends on", subject=subject)
            if subject is not None
            else tr("The whole site")
        )
        head = QAction(title, menu)
        head.setEnabled(False)
        menu.insertAction(at, head)
        self._made.append(head)
        for group, found in near.items():
            sub = QMenu(group, menu)
            sub.setToolTipsVisible(True)
            for target, choice in found:
                act = partial(self._break_thing, target, choice.kind)
                offered = sub.addAction(f"{choice.title}{_DOTS}\t{target or 'site'}", act)
                reason = self._why_not(choice.kind, target)
                offered.setEnabled(not reason)
                offered.setToolTip(plain_tip(reason))
            menu.insertMenu(at, sub)
            self._made.append(sub)
        self._made.append(menu.insertSeparator(at))

    def strike_at_random(self, level: Level, span: str) -> None:
        """Let random incidents happen, each as an intervention of its own."""
        session = self._session
        if session.document is None or session.plant is None:
            return
        if session.looking_s is not None:
            self._tell(tr("Random incidents need a live run: go back to live first"))
            return
        if session.finished or session.lost:
            self._tell(tr("Run finished: start it again to inject a fault"))
            return
        self._draws += 1
        seed = 1000 * session.seed + self._draws
        scenario, end_s = session.document.scenario, session.end_s or session.document.scenario.duration_s
        drawn = draw(scenario, session.plant, level, span, seed, session.t_s, end_s)
        first = drawn.incidents[0] if drawn.incidents else None
        when = (
            tr(
                "; the first at {at}: {first}",
                at=Clock.of(scenario).says(first.at_s),
                first=words_of(first),
            )
            if first
            else ""
        )
        message = tr("SIMULATED. {words}{when}", words=drawn.words, when=when)
        self._drawn = {id(incident): message for incident in drawn.incidents}
        self._tell(message)
        for incident in drawn.incidents:
            session.intervene(incident)

    def _why_not(self, kind: str, target: str | None) -> str:
        """Return why something may not be done to a thing now, "" when it may."""
        return self._session.permit(Intervention(at=0.0, kind=kind, target=target or "site"))

    def _on_run_started(self) -> None:
        self._draws, self._drawn = 0, {}

    def _on_taken(self, fault: Intervention) -> None:
        """Tell what was injected: of random incidents all at once."""
        message = self._drawn.get(id(fault))
        if message is None:
            at = Clock.of(self._session.document.scenario).says(fault.at_s) if self._session.document else ""
            words = words_of(fault)
            if fault.kind in ("drain", "undrain"):
                words += f", {Drainable.of(self._session, fault.target).size}"
            message = tr("SIMULATED. {at}  {fault}", at=at, fault=words)
        self._tell(message)


def _greyed(kind: FaultKind, why_not: str) -> PaletteEntry:
    return PaletteEntry(kind.title, lambda: None, tr("Faults"), why_not=why_not)
