"""What runs of the open scene with other seeds came to, while the scene is as it was for them. No widgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psygnal import Signal

from twin.scenario.schema.document import Scenario

if TYPE_CHECKING:
    from twin.studies.seed_curves import SeedCurves


class OverSeeds:
    """Bands of the open scene.

    Attributes
    ----------
    found
        The bands; None: there are none.
    """

    changed = Signal()

    def __init__(self) -> None:
        self.found: SeedCurves | None = None
        self._scenario: Scenario | None = None

    def show(self, found: SeedCurves, scenario: Scenario | None) -> None:
        """Take bands, of a scene that is open."""
        self.found, self._scenario = found, scenario
        self.changed.emit()

    def is_of(self, scenario: Scenario | None) -> bool:
        """Return whether the bands are of a scene."""
        return self.found is not None and (scenario is self._scenario or scenario == self._scenario)

    def clear(self) -> None:
        """Have no bands any more."""
        if self.found is not None:
            self.found, self._scenario = None, None
            self.changed.emit()
