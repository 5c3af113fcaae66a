"""Stocks of spare parts: taken by repairs, ordered again when few are left, there after a lead time."""

from __future__ import annotations

from collections.abc import Callable

from twin.scenario.schema.faults import SparePart
from twin.sim.core.log import Log
from twin.sim.core.state import Fields, Items, StateField, Stateful
from twin.sim.core.timers import Timers


class PartsStore(Stateful):
    """Handler of the timer ``part``, whose id is the number of an order.

    Attributes
    ----------
    left, used, ordered
        Parts of each stock in hand, built in and ordered so far. At any time the parts at the start and all ordered
        are in hand, built in or on their way.
    waiting
        Nodes that wait for a part of each stock, in the order of their tickets.
    orders
        (stock, due [s]) of each order on its way, by its number.
    """

    def __init__(
        self, timers: Timers, log: Log, stocks: tuple[SparePart, ...], arrived: Callable[[int], None]
    ) -> None:
        self.timers, self.log, self.stocks, self._arrived = timers, log, stocks, arrived
        self.of_class: dict[str, int] = {name: i for i, stock in enumerate(stocks) for name in stock.repairs}
        self.left = [stock.stock for stock in stocks]
        self.used, self.ordered = [0] * len(stocks), [0] * len(stocks)
        self.waiting: list[list[int]] = [[] for _ in stocks]
        self.orders: dict[int, int] = {}
        self._number = 0
        timers.handle("part", self._part)
        for i in range(len(stocks)):
            self._order(i)

    def take(self, stock: int, node: int) -> bool:
        """Take a part of `stock` for `node`; without one left the node waits, and False is returned."""
        there = self.left[stock] > 0
        if there:
            self._use(stock)
        else:
            self.waiting[stock].append(node)
        self._order(stock)
        return there

    def forgo(self, node: int) -> None:
        """Let `node` wait for no part any more."""
        for queue in self.waiting:
            if node in queue:
                queue.remove(node)

    def due_s(self, stock: int) -> float | None:
        """Return when the next parts of `stock` come [s]; None: none are on their way."""
        due = [self.timers.due_s("part", n) for n, of in self.orders.items() if of == stock]
        return min((at for at in due if at is not None), default=None)

    def on_order(self, stock: int) -> int:
        """Return how many parts of `stock` are on their way."""
        return self.stocks[stock].order * list(self.orders.values()).count(stock)

    def _use(self, stock: int) -> None:
        self.left[stock] -= 1
        self.used[stock] += 1

    def _order(self, i: int) -> None:
        stock = self.stocks[i]
        while (
            stock.order and self.left[i] + self.on_order(i) - len(self.waiting[i]) <= stock.reorder
        ):  # promised parts are as good as gone
            self.orders[self._number] = i
            self.ordered[i] += stock.order
            self.timers.set("part", self._number, self.timers.now_s + stock.lead_s)
            self._number += 1

    def _part(self, number: int) -> None:
        i = self.orders.pop(number)
        stock = self.stocks[i]
        self.left[i] += stock.order
        count = min(len(self.waiting[i]), self.left[i])
        served, self.waiting[i] = self.waiting[i][:count], self.waiting[i][count:]
        text = f"{stock.order} delivered" + (f", {count} for waiting repairs" if count else "")
        self.log.add(
            self.timers.now_s,
            "part_arrived",
            stock.id,
            text,
            parts=stock.order,
            awaited_parts=count,
            still=len(self.waiting[i]),
        )
        for node in served:
            self._use(i)
            self._arrived(node)
        self._order(i)

    def figures(self) -> dict[str, dict[str, int]]:
        """Return the figures of each stock for the summary."""
        return {
            stock.id: {
                "stock": self.left[i],
                "used": self.used[i],
                "on_order": self.on_order(i),
                "waiting": len(self.waiting[i]),
            }
            for i, stock in enumerate(self.stocks)
        }

    STATE = Fields(
        *StateField.each("left", "used", "ordered", load=list),
        StateField(
            "waiting",
            lambda saved: [list(queue) for queue in saved],
            carry=lambda new, old, edit: [edit.numbers.all(queue) for queue in old.waiting],
        ),
        Items("orders", int),
        StateField("_number", int),
    )
