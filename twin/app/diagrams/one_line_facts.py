"""What power items do at one moment: values, states in words, losses by stage. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twin.app.diagrams.diagram import URGENCY, Tone
from twin.app.toolkit import text
from twin.app.world.rows import World
from twin.language import tr
from twin.plant.stage_figures import STAGE_TITLES
from twin.plant.tables import PowerItems
from twin.record.channels import PowerState
from twin.view3d.colour.power_state import WORDS

TONES: dict[PowerState, Tone] = {
    PowerState.LIVE: "live",
    PowerState.DEAD: "dead",
    PowerState.TRIPPED: "alarm",
    PowerState.FAILED: "alarm",
    PowerState.ON_BATTERY: "warning",
    PowerState.STARTING: "warning",
    PowerState.RUNNING: "live",
    PowerState.STANDBY: "calm",
    PowerState.OVERLOAD: "alarm",
    PowerState.CHARGING: "live",
    PowerState.DISCHARGING: "warning",
    PowerState.ON_SPARE: "warning",
}
_SILENT = (PowerState.LIVE,)
_WITHOUT = (PowerState.DEAD, PowerState.TRIPPED, PowerState.FAILED, PowerState.STARTING, PowerState.STANDBY)
"""States in which nothing comes out of an item."""
_FROM_BATTERY = (PowerState.ON_BATTERY, PowerState.DISCHARGING)


@dataclass(frozen=True)
class PowerNow:
    """The power tree and what its items do; zeros while there is no frame, and then nobody should be told them."""

    items: PowerItems
    state: NDArray[np.uint8]
    out_w: NDArray[np.float64]
    loss_w: NDArray[np.float64]
    load: NDArray[np.float64]  # %
    charge: NDArray[np.float64]  # %

    @classmethod
    def of(cls, world: World) -> PowerNow:
        """Return the items of a world as its frame has them."""
        items, frame = world.plant.power, world.frame
        names = ("out_w", "loss_w", "load", "charge")
        if frame is None or len(frame.values["power.state"]) != len(items.ids):
            return cls(items, np.zeros(len(items.ids), np.uint8), *(np.zeros(len(items.ids)) for _ in names))
        values = [np.asarray(frame.values[f"power.{name}"], np.float64) for name in names]
        return cls(items, np.asarray(frame.values["power.state"]), *values)

    @cached_property
    def in_w(self) -> NDArray[np.float64]:
        """Return the power each item takes from the one above [W]; on battery it takes none."""
        fed = ~np.isin(self.state, [*map(int, _FROM_BATTERY), *map(int, _WITHOUT)])
        return np.where(fed, self.out_w + self.loss_w, 0.0)

    @cached_property
    def giving(self) -> list[bool]:
        """Return of every item whether power comes out of it."""
        giving: list[bool] = (~np.isin(self.state, [*map(int, _WITHOUT)])).tolist()
        return giving

    def fed(self, item: int) -> bool:
        """Return whether an item lives by the one above it, and not by a battery."""
        return PowerState(int(self.state[item])) not in (*_FROM_BATTERY, *_WITHOUT)

    def gives(self, item: int) -> bool:
        """Return whether power comes out of an item."""
        return PowerState(int(self.state[item])) not in _WITHOUT

    def tone(self, item: int) -> Tone:
        """Return how an item is doing."""
        return TONES[PowerState(int(self.state[item]))]

    def state_words(self, item: int) -> str:
        """Return the state of an item in capitals, with the minutes left on a battery; "" when it is plain."""
        state = PowerState(int(self.state[item]))
        if state in _SILENT:
            return ""
        words = WORDS[state].upper()
        left_s = self.left_s(item)
        return words if left_s is None else f"{words} {minutes(left_s)}"

    def left_s(self, item: int) -> float | None:
        """Return how long the battery of an item lasts at its present load [s]; None while it is not used."""
        from_battery = PowerState(int(self.state[item])) in _FROM_BATTERY
        drawn_w = float(self.out_w[item] + self.loss_w[item])
        if not from_battery or drawn_w <= 0.0 or self.items.energy_j[item] <= 0.0:
            return None
        return float(self.items.energy_j[item] * self.charge[item] / 100.0) / drawn_w

    def worst(self, group: Sequence[int]) -> int:
        """Return the item of a group that asks most for attention, of equals the busiest."""
        return max(group, key=lambda item: (URGENCY[self.tone(item)], float(self.load[item])))

    def load_words(self, item: int) -> str:
        """Return load and capacity: "62 % of 400 kW"; only the power where there is no limit."""
        capacity_w = float(self.items.capacity_w[item])
        if not np.isfinite(capacity_w):
            return text.quantity(float(self.out_w[item]), "W")
        share = f"{self.load[item]:.0f}\N{NO-BREAK SPACE}%"
        return tr("{share} of {capacity_power}", share=share, capacity_power=text.quantity(capacity_w, "W"))

    def share(self, item: int) -> float:
        """Return the load as a share of the capacity; nan where there is none."""
        return float(self.load[item]) / 100.0 if np.isfinite(self.items.capacity_w[item]) else np.nan

    def charge_share(self, item: int) -> float:
        """Return how full the battery is, nan without one."""
        return float(self.charge[item]) / 100.0 if self.items.energy_j[item] > 0 else np.nan

    def facts(self, item: int) -> tuple[tuple[str, str], ...]:
        """Return everything there is to say about an item."""
        items = self.items
        found = [
            (tr("State"), WORDS[PowerState(int(self.state[item]))]),
            (tr("Delivers"), text.quantity(float(self.out_w[item]), "W")),
            (tr("Losses"), text.quantity(float(self.loss_w[item]), "W")),
            (tr("Load"), self.load_words(item)),
        ]
        if items.units[item] > 1:
            found.append(
                (
                    tr("Units"),
                    tr("{units}, {needed} needed", units=items.units[item], needed=items.needed[item]),
                )
            )
        if np.isfinite(items.breaker_w[item]):
            found.append((tr("Breaker"), text.quantity(float(items.breaker_w[item]), "W")))
        if items.energy_j[item] > 0:
            found.append((tr("Battery"), tr("{charge:.0f}\xa0% full", charge=self.charge[item])))
        left_s = self.left_s(item)
        if left_s is not None:
            found.append((tr("Autonomy"), text.duration(left_s)))
        if items.part[item]:
            found.append((tr("Part"), items.part[item]))
        return tuple(found)


@dataclass(frozen=True)
class StageLoss:
    """What the items of one kind lose together [W]."""

    kind: str
    title: str
    loss_w: float


def losses(now: PowerNow) -> list[StageLoss]:
    """Return the losses of a site by kind of stage, in the order of the tree; what loses nothing is left out.

    They end at the racks, as those of the inspector and of the results do: shelves and supplies are part of the IT.
    """
    found: dict[str, float] = {}
    for kind, loss_w in zip(now.items.kind, now.loss_w.tolist(), strict=True):
        found[kind] = found.get(kind, 0.0) + loss_w
    stages = [StageLoss(kind, STAGE_TITLES[kind], loss_w) for kind, loss_w in found.items()]
    return [stage for stage in stages if stage.loss_w > 0.0]


def shelves_w(world: World) -> float:
    """Return what the power shelves and supplies of all racks lose [W]."""
    return float(np.sum(world.frame.values["rack.loss_w"], dtype=float)) if world.frame is not None else 0.0


def losses_note(stages: Sequence[StageLoss], taken_w: float, in_racks_w: float = 0.0) -> str:
    """Return the losses by stage in one line, with their share of what the site takes, and those inside the IT."""
    total_w = sum(stage.loss_w for stage in stages)
    inside = (
        tr(
            "Inside the IT, power shelves lose {in_racks_power}",
            in_racks_power=text.quantity(in_racks_w, "W"),
        )
        if in_racks_w > 0.0
        else ""
    )
    if total_w <= 0.0:
        return tr("Losses: none. {inside}", inside=inside).rstrip(". ")
    share = f" ({total_w / taken_w:.1%})".replace("%", "\N{NO-BREAK SPACE}%") if taken_w > 0 else ""
    each = ", ".join(
        f"{stage.title} {text.quantity(stage.loss_w, 'W')}".replace(" ", "\N{NO-BREAK SPACE}")
        for stage in stages
    )
    words = tr(
        "Losses {total_power}{share}: {each}", total_power=text.quantity(total_w, "W"), share=share, each=each
    )
    return f"{words}. {inside}" if inside else words


def state_of_many(now: PowerNow, group: Sequence[int], others: int = 0) -> tuple[Tone, str]:
    """Return tone and words of the worst of a group and of so many loads: "2 of 6 TRIPPED"; "" while all are plain."""
    states = now.state[np.asarray(group, np.int64)]
    present = [PowerState(int(state)) for state in np.unique(states)]
    state = max(present, key=lambda state: URGENCY[TONES[state]])
    if all(state in _SILENT for state in present):
        return "live", ""
    if state in _SILENT:  # some stand by, the others are plain
        return "live", ""
    count, of_all = int(np.count_nonzero(states == state)), len(states) + others
    if count == of_all == 1:
        return TONES[state], now.state_words(int(group[0]))
    words = WORDS[state].upper()
    return TONES[state], words if count == of_all else tr(
        "{count} of {of_all} {words}", count=count, of_all=of_all, words=words
    )


def minutes(left_s: float) -> str:
    """Return how long a battery lasts, in minutes a line never breaks in, or in hours."""
    if left_s >= 2 * 3600.0:
        return f"{left_s / 3600:.1f}\N{NO-BREAK SPACE}h"
    return f"{left_s / 60:.{1 if left_s < 600 else 0}f}\N{NO-BREAK SPACE}min"
