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
    """The policy of the queue."""

    order: Order = "submit"
    backfill: Backfill = "none"
    placement: Placement = "first"
    depth: int = 500
    weights: Weights = field(default_factory=Weights)
    preemption: Preemption = field(default_factory=Preemption)
    green: Green = field(default_factory=Green)

    @classmethod
    def of(cls, scheduler: Scheduler) -> Policy:
        """Return the policy of a scenario."""
        order, backfill, placement = PRESETS[scheduler.policy]
        return cls(
            order=scheduler.order or order,
            backfill=scheduler.backfill or backfill,
            placement=scheduler.placement or placement,
            depth=scheduler.depth,
            weights=scheduler.weights,
            preemption=scheduler.preemption,
            green=scheduler.green,
        )

    @property
    def prompt(self) -> bool:
        """Whether seeing one event of a moment before the others decides the same: nobody passes anybody."""
        return self.order == "submit" and self.backfill == "none" and not self.preemption.enabled
