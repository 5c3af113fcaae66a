"""What the buttons of chapters do: the same acts as the menus, to be undone like them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from twin.analysis.branch import Addition
from twin.analysis.branch_changes import set_from
from twin.app.branches.actions import BranchActions
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.commands.trial import TryOut
from twin.language import tr
from twin.scenario import Scenario, ScenarioError
from twin.scenario.checks.chapters import injection, with_setting
from twin.scenario.checks.interventions import LIVE
from twin.scenario.schema.chapter import ChapterTrial
from twin.scenario.schema.faults import Intervention


class OpensDocks(Protocol):
    """Shows docks by name."""

    def show(self, name: str) -> None:
        """Open a dock in front of its tabs."""


class Trials:
    """Does what a button says.

    Parameters
    ----------
    tell
        Says a sentence to people.
    """

    def __init__(
        self,
        session: Session,
        editor: Editor,
        branching: BranchActions,
        docks: OpensDocks,
        tell: Callable[[str], None],
    ) -> None:
        self._session, self._editor, self._branching = session, editor, branching
        self._docks, self._tell = docks, tell

    def do(self, trial: ChapterTrial) -> bool:
        """Do it; return whether the run begins again from its start for it."""
        if trial.dock is not None:
            self._docks.show(trial.dock)
        if not (trial.inject or trial.settings):
            return False
        try:
            if trial.when == "start":
                return self._from_start(trial)
            if trial.when == "what-if":
                self._branching.ask(self._additions(trial))
            else:
                self._now(trial)
        except ScenarioError as error:
            wrong = error.problems[0]
            self._tell("; ".join(filter(None, (f"{trial.label}: {wrong.reason}", wrong.hint))))
        return False

    def _now(self, trial: ChapterTrial) -> None:
        """Change the scene and let faults act, in the run as it stands."""
        at_s = self._session.shown_s
        injections = self._injections(trial, at_s)
        changed = self._scenario
        for text in trial.settings:  # all are looked at before one acts
            changed = with_setting(text, changed)
        hall = tuple(text for text in trial.settings if not LIVE.match(text))
        if hall and not self._editor.do(TryOut(trial.label, hall)):
            return
        for text in trial.settings:
            if text not in hall:
                path, _, value = text.partition("=")
                asked = Intervention(at=at_s, kind="set", target=path.strip(), value=value.strip())
                self._session.intervene(asked)
        for intervention in injections:
            self._session.intervene(intervention)

    def _from_start(self, trial: ChapterTrial) -> bool:
        """Change the scene itself, and run it again from its start."""
        if self._session.recording is not None:
            self._tell(tr("This is a recorded run: open its scene to run it again"))
            return False
        return self._editor.do_from_start(TryOut(trial.label, trial.settings, self._injections(trial, 0.0)))

    def _additions(self, trial: ChapterTrial) -> tuple[Addition, ...]:
        at_s = self._session.shown_s
        return (*set_from(trial.settings, at_s), *self._injections(trial, at_s))

    def _injections(self, trial: ChapterTrial, at_s: float) -> tuple[Intervention, ...]:
        return tuple(injection(text, at_s, self._scenario) for text in trial.inject)

    @property
    def _scenario(self) -> Scenario:
        document = self._session.document
        assert document is not None
        return document.scenario
