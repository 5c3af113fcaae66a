"""Places of machines and power items that a person has set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twin.scenario.schema.cooling import Loop
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.electricity import PowerStage


@dataclass(frozen=True, slots=True)
class FootprintPlace:
    """The middle of a footprint in the coordinates of a hall [m]; hall -1: that of what it serves."""

    hall: int
    x_m: float
    y_m: float


def stands_of(scenario: Scenario, generators: Sequence[Loop | PowerStage]) -> list[FootprintPlace | None]:
    """Return the place of every item of some generators in order; None: it stands where its kind does."""
    halls = {hall.id: number for number, hall in enumerate(scenario.halls)}
    found: list[FootprintPlace | None] = []
    for generator in generators:
        for item in range(generator.count):
            placed = generator.places.get(f"{generator.id}/{item}") if generator.places else None
            hall = -1 if placed is None or placed.hall is None else halls[placed.hall]
            found.append(None if placed is None else FootprintPlace(hall, placed.x_m, placed.y_m))
    return found
