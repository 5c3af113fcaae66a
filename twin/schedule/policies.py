"""Named policies: which order, way to fill gaps and placement each name stands for."""

from __future__ import annotations

from dataclasses import dataclass, field

from twin.scenario.schema.scheduling import Backfill, Green, Order, Placement, Preemption, Scheduler, Weights

PRESETS: dict[str, tuple[Order, Backfill, Placement]] = {
    "fifo": ("submit", "none", "first"),
    "shortest": ("shortest", "none", "first"),
    "easy": ("submit", "easy", "pack"),
    "conservative": ("submit", "conservative", "pack"),
    "priority": ("multifactor", "easy", "pack"),
}
"""Order, backfill and placement of each policy of a scenario, where it does not say otherwise."""


@dataclass(frozen=True)
class Policy:
    """How the queue is served."""

    order: Order = "submit"
    backfill: Backfill = "none"
    placement: Placement = "first"
    depth: int = 500
    weights: Weights = field(default_factory=Weights)
    preemption: Preemption = field(default_factory=Preemption)
    green: Green = field(default_factory=Green)

    @classmethod
    def of(cls, said: Scheduler) -> Policy:
        """Return what a scenario asks for."""
        order, backfill, placement = PRESETS[said.policy]
        return cls(
            order=said.order or order,
            backfill=said.backfill or backfill,
            placement=said.placement or placement,
            depth=said.depth,
            weights=said.weights,
            preemption=said.preemption,
            green=said.green,
        )

    @property
    def prompt(self) -> bool:
        """Whether seeing one event of a moment before the others decides the same: nobody passes anybody."""
        return self.order == "submit" and self.backfill == "none" and not self.preemption.enabled
