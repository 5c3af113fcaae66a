"""Values of the scenario that people change while it runs: how jobs save and restart, how the queue is served."""

from __future__ import annotations

from collections.abc import Callable

from twin.scenario import ScenarioError, set_value
from twin.scenario.checks.interventions import LIVE
from twin.scenario.schema.document import Scenario


class ScenarioInForce:
    """The scenario as it is in force, with every value set since the start.

    Parameters
    ----------
    scenario
        As it was at the start.
    replan
        Called with the scenario in force whenever it changes.
    """

    def __init__(self, scenario: Scenario, replan: Callable[[Scenario], None]) -> None:
        self.scenario = scenario
        self.done: list[tuple[str, str]] = []  # (path, value) in the order they were set
        self._replan = replan

    def refusal(self, path: str, value: str | None) -> str | None:
        """Return why `path` cannot be set to `value` now, or None."""
        if not LIVE.match(path):
            return (
                f"{path!r} cannot be set during a run; only checkpoint and recovery of a job, and the scheduler can, "
                "such as jobs[llama3].checkpoint.interval; set others with --set before the start"
            )
        if value is None:
            return "set needs value=, such as value='10 min'"
        try:
            set_value(self.scenario, path, value)
        except ScenarioError as error:
            return str(error)
        return None

    def apply(self, path: str, value: str) -> None:
        """Set a value that `refusal` had nothing against."""
        self.scenario = set_value(self.scenario, path, value)
        self.done.append((path, value))
        self._replan(self.scenario)
