"""Laws of fans and pumps as the parts of the catalogue say, or as is usual for their kind."""

from __future__ import annotations

from twin.catalog.cooling_parts import DrivenPart
from twin.physics.flow_laws import FlowLaw


def law_of(part: DrivenPart, usual: FlowLaw) -> FlowLaw:
    """Return the law of the fans or pumps of a part; what it does not say is that of `usual`."""
    return FlowLaw(
        least=usual.least if part.least_flow is None else part.least_flow,
        standing=usual.standing if part.standing_power is None else part.standing_power,
        held=usual.held if part.held_pressure is None else part.held_pressure,
    )
