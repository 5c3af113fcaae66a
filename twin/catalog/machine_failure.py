"""Part types of what fails: machines of the facility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twin.catalog import fields
from twin.catalog.part import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFailurePart(Part):
    """How often machines of one sort fail, and how long their repair takes."""

    KIND: ClassVar[str] = "machines"

    rate_per_s: float | None = fields.quantity(
        "rate", "Failures of one machine while it works", optional=True
    )
    fails_to_start: float | None = fields.quantity(
        "fraction", "Chance of a stand-by machine not to start", optional=True
    )
    repair_s: float = fields.quantity("duration", "Mean time to repair, or until it is over")
