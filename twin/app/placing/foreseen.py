"""What the design rules will say of power, cooling and ways to racks once what is carried stands where it is held."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from PySide6.QtCore import QTimer

from twin.catalog import UnknownPart
from twin.commands.edit.command import Command, CommandError, EditedScene
from twin.language import tr
from twin.plant.error import PlantError
from twin.rules.check import check
from twin.rules.finding import Finding
from twin.rules.table import BY_ID
from twin.scenario import ScenarioError
from twin.scenario.file.patch_text import edit

_FAMILIES = ("power", "cooling")
_RULES = ("door-path", "door-swing")
"""Asked for beside these families: what else speaks against a place, the snapping has said by then."""
REST_MS = 200
"""A pointer that stays so long at one row or rack is asked for."""


def foreseen(scene: EditedScene, command: Command) -> str:
    """Return what the rules of power and cooling newly find once a command is done, in a line; "" for nothing."""
    try:
        after = EditedScene.of(edit(scene.document, command.patch(scene))[0], catalog=scene.catalog)
    except (CommandError, ScenarioError, PlantError, UnknownPart):
        return ""  # whoever lands it says why it does not fit
    known = {(finding.rule, finding.key) for finding in _found(scene)}
    new = [finding for finding in _found(after) if (finding.rule, finding.key) not in known]
    if not new:
        return ""
    worst, more = new[0], len(new) - 1
    figures = (
        tr(", {worst} of {limit}", worst=worst.value.text, limit=worst.limit.text)
        if worst.value and worst.limit
        else ""
    )
    others = tr("; {more} more in Checks", more=more) if more else ""
    return f"{BY_ID[worst.rule].title}: {', '.join(worst.ids[:1])}{figures}{others}"


def _found(scene: EditedScene) -> list[Finding]:
    return [
        finding
        for finding in check(scene.scenario, scene.plant, scene.catalog).findings
        if finding.severity != "notice"
        and not finding.excluded
        and (BY_ID[finding.rule].family in _FAMILIES or finding.rule in _RULES)
    ]


class RuleSight:
    """Answers of the rules by place, asked once the pointer rests; each place is asked once.

    Parameters
    ----------
    ask
        What the rules say of the place where the thing is held now.
    again
        To be called when an answer has come.
    """

    def __init__(self, ask: Callable[[], str], again: Callable[[], None]) -> None:
        self._ask, self._again = ask, again
        self._known: dict[Hashable, str] = {}
        self._place: Hashable = None
        self._timer = QTimer()
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._answer)

    def forget(self) -> None:
        """Forget all answers: the hall is another, or nothing is carried."""
        self._known, self._place = {}, None
        self._timer.stop()

    def words(self, place: Hashable) -> str:
        """Return what is known of a place; what is not will be asked for. None: no place."""
        if place is None or place in self._known:
            self._timer.stop()
            self._place = None
            return self._known.get(place, "")
        if place != self._place:
            self._place = place
            self._timer.start(REST_MS)
        return ""

    def _answer(self) -> None:
        place, self._place = self._place, None
        if place is not None:
            self._known[place] = self._ask()
            self._again()
