"""Energy, water, carbon and cost by the hour: PUE and WUE as they change with weather and load.

Rows are hours since the start of the run; past 30 days they become days, past two years six days each, and so on:
memory stays bounded however long a run lasts.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add, sub
from typing import Any

from twin.sim.core.state import Fields, StateField, Stateful

HOUR_S = 3600.0
MAX_ROWS = 720
"""30 days of hours; then rows are joined."""
COLUMNS = (
    "seconds",
    "it_j",
    "facility_j",
    "loss_j",
    "cooling_j",
    "water_l",
    "carbon_kg",
    "cost_usd",
    "free_s",
)
LEAST_IT_W = 1.0
"""Mean IT power of a row below which it has no PUE and WUE: what is left is rounding, or a hall without IT [W]."""
KWH_J = 3.6e6


class Hourly(Stateful):
    """Meter with a row for each hour of the run, in the units of `COLUMNS`.

    Attributes
    ----------
    width_s
        What a row stands for [s].
    """

    def __init__(self) -> None:
        self.width_s = HOUR_S
        self._rows: list[list[float]] = [[0.0] * len(COLUMNS)]
        self._sums = [0.0] * len(COLUMNS)
        self.end_s = HOUR_S  # of the last row

    def add(
        self,
        t0_s: float,
        t1_s: float,
        it_w: float,
        facility_w: float,
        water_l_s: float,
        loss_w: float,
        cooling_w: float,
        carbon_kg_s: float = 0.0,
        cost_usd_s: float = 0.0,
        free: float = 0.0,
    ) -> None:
        """Book what flowed from `t0_s`, where the last call ended, to `t1_s` [W, L/s, kg/s, USD/s].

        `free` is the share of heat that left without a compressor, 0..1 [-].
        """
        # In the order of the columns; the first counts the time itself.
        flows = (1.0, it_w, facility_w, loss_w, cooling_w, water_l_s, carbon_kg_s, cost_usd_s, free)
        while t1_s > self.end_s:
            self._book(self.end_s - t0_s, flows)
            t0_s = self.end_s
            self._next_row()
        self._book(t1_s - t0_s, flows)

    def _book(self, dt_s: float, flows: tuple[float, ...]) -> None:
        amounts = [flow * dt_s for flow in flows]
        self._rows[-1][:] = map(add, self._rows[-1], amounts)
        self._sums[:] = map(add, self._sums, amounts)

    def wait(self, dt_s: float, free: float) -> None:
        """Book a time [s] within the last row, and of it what heat left without a compressor; `settle` has the rest."""
        for figures in (self._rows[-1], self._sums):
            figures[0] += dt_s
            figures[-1] += free * dt_s

    def settle(self, totals: Sequence[float]) -> None:
        """Let the sums be what the meters read in all: what they found beyond powers and rates is of this row.

        `totals` are those of the columns from IT energy to cost, shape (7,).
        """
        row, told = self._rows[-1], slice(1, 1 + len(totals))
        row[told] = map(add, row[told], map(sub, totals, self._sums[told]))
        self._sums[told] = totals

    def _next_row(self) -> None:
        if len(self._rows) == MAX_ROWS:
            joined = 24 if self.width_s == HOUR_S else 6
            self._rows = [
                [sum(values) for values in zip(*self._rows[i : i + joined], strict=True)]
                for i in range(0, MAX_ROWS, joined)
            ]
            self.width_s *= joined
            self.end_s = len(self._rows) * self.width_s
        self._rows.append([0.0] * len(COLUMNS))
        self.end_s += self.width_s

    def summary(self) -> dict[str, Any]:
        """Return the rows and their sum, as plain JSON; PUE and WUE are None where no IT ran (below `LEAST_IT_W`)."""
        return {
            "width_h": self.width_s / HOUR_S,
            "rows": [
                {"at_h": index * self.width_s / HOUR_S, **_figures(row)}
                for index, row in enumerate(self._rows)
                if row[0] > 0
            ],
            "total": _figures(self._sums),
        }

    def on_restored(self) -> None:
        """Add up the rows where run files of before do not say their sums."""
        if not self._sums:
            self._sums = [sum(values) for values in zip(*self._rows, strict=True)]

    STATE = Fields(
        StateField("width_s", float),
        StateField("_rows", lambda saved: [list(map(float, row)) for row in saved]),
        StateField("end_s", float),
        StateField("_sums", list, missing=()),
    )


def _figures(row: list[float]) -> dict[str, float | None]:
    seconds, it_j, facility_j, loss_j, cooling_j, water_l, carbon_kg, cost_usd, free_s = row
    runs = it_j > LEAST_IT_W * seconds
    return {
        "hours": seconds / HOUR_S,
        "pue": facility_j / it_j if runs else None,
        "wue_l_kwh": water_l / (it_j / KWH_J) if runs else None,
        "it_kwh": it_j / KWH_J,
        "facility_kwh": facility_j / KWH_J,
        "loss_kwh": loss_j / KWH_J,
        "cooling_kwh": cooling_j / KWH_J,
        "water_l": water_l,
        "carbon_kg": carbon_kg,
        "cost_usd": cost_usd,
        "free_hours": free_s / HOUR_S,
    }
