"""Nodes in repair: each waits for its part, for hands and for its repair time, is tested, and comes back.

A repair of its own class (a failure's) runs two things side by side, from the moment the node goes down:

- its drawn time. The published times run from failure to return in a fleet that had queues, nights and deliveries of
  its own; they are in it, so waiting here is never added to it;
- what it needs here: a part of its stock, then a person of the crew for ``hands_on`` (at most its drawn time).

The node is back when both are over, and after its burn-in, in which it draws nothing yet. So without crew, stocks and
burn-in the drawn time is all there is, and an ample crew changes nothing. Planned maintenance, and repairs whose time
a person gave, take exactly their time: whoever plans them brings people and parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from twin import units
from twin.record.channels import NodeCondition
from twin.record.events import Severity
from twin.scenario.schema.document import Scenario
from twin.sim.care.lemon_rule import Lemons
from twin.sim.care.part_stock import PartsStore
from twin.sim.core.log import Log
from twin.sim.core.nodes import DOWN, NodeTable
from twin.sim.core.shifts import Shifts
from twin.sim.core.slot_fields import NamedNodes
from twin.sim.core.state import Child, Fields, Items, StateField, Stateful
from twin.sim.core.timers import Timers
from twin.sim.core.weather import zone_of
from twin.sim.hazard.failure_clocks import FailureClocks
from twin.sim.jobs.recovery import RecoveryHandler

PLANNED = "maintenance"


@dataclass(slots=True)
class Ticket:
    """A node in repair.

    Parameters
    ----------
    since_s
        When it went down [s].
    drawn_s
        When its drawn repair time is over [s].
    work_s
        Hands-on work that it waits for [s]; 0: none, or begun.
    burn_in_s
        Test before use that is still to come [s].
    stage
        Where it stands.
    """

    since_s: float
    drawn_s: float
    work_s: float = 0.0
    burn_in_s: float = 0.0
    stage: NodeCondition = NodeCondition.IN_REPAIR


def _ticket_of(saved: dict[str, Any]) -> Ticket:
    return Ticket(**{**saved, "stage": NodeCondition(saved["stage"])})


class RepairShop(Stateful):
    """Handler of the timers ``repair`` and ``hands`` (ids of nodes) and ``shift``.

    Attributes
    ----------
    changed
        Whether nodes went down or came back since this was last set false.
    arm
        Waits for the earliest failure, after nodes came back; whoever watches failures sets it.
    forget
        Lets what is wrong with a node be over: another one stands there; whoever keeps such faults sets it.
    tickets
        Nodes in repair.
    """

    def __init__(
        self,
        timers: Timers,
        log: Log,
        nodes: NodeTable,
        recovery: RecoveryHandler,
        failures: FailureClocks,
        scenario: Scenario,
    ) -> None:
        self.timers, self.log, self.nodes = timers, log, nodes
        self.recovery, self.failures = recovery, failures
        self.changed = False
        self.arm: Callable[[], None] = lambda: None
        self.forget: Callable[[int], None] = lambda node: None
        rules = scenario.failures.repairs
        self.crew, self.burn_in_s = rules.crew, rules.burn_in_s
        self.zone = zone_of(scenario.site.timezone, scenario.start)
        self.start = scenario.start
        self.shifts = None if rules.crew is None else Shifts(rules.crew, scenario.start, self.zone)
        self.parts = PartsStore(timers, log, rules.parts, self._has_part)
        self.lemons = Lemons(scenario.failures.lemon_rule, log)
        self.tickets: dict[int, Ticket] = {}
        self.queue: list[int] = []  # nodes that wait for hands
        self.busy: set[int] = set()  # nodes in the hands of somebody
        self.down_s: list[float] = []  # of every repair that is over
        for kind in ("repair", "hands", "shift"):
            timers.handle(kind, getattr(self, f"_{kind}"))

    # --- nodes go down

    def failed(self, node: int, repair_s: float, repair_class: str) -> None:
        """Take note of a failure of `node`, and take it down for its repair, if it needs one.

        Parameters
        ----------
        node
            Its slot.
        repair_s
            Drawn repair time [s]; 0: a restart is enough.
        repair_class
            As its cause says; "maintenance": planned, it is no failure of the node.
        """
        planned = repair_class == PLANNED
        if not planned and self.lemons.is_one(node, self.timers.now_s):
            self._lemon(node, repair_s, repair_class)
        elif repair_s > 0:
            self._down(node, repair_s, None if planned else repair_class)

    def take_down(self, node: int, repair_s: float) -> None:
        """Take `node` out of use for exactly so long [s]."""
        self._down(node, repair_s, None)

    def prolong(self, node: int, repair_s: float) -> None:
        """Let the repair of `node` that continues last at least so long from now [s]."""
        ticket, now = self.tickets[node], self.timers.now_s
        ticket.drawn_s = max(ticket.drawn_s, now + repair_s)
        due_s = self.timers.due_s("repair", node)
        if due_s is not None:
            self.timers.set("repair", node, max(due_s, now + repair_s))

    def _down(self, node: int, repair_s: float, repair_class: str | None) -> None:
        if node in self.tickets:
            self.prolong(node, repair_s)
            return
        now = self.timers.now_s
        self.nodes.set_condition(now, node, DOWN)
        self.failures.set_up(node, now, False)
        self.changed = True
        ticket = self.tickets[node] = Ticket(now, now + repair_s)
        if repair_class is None:
            self.timers.set("repair", node, ticket.drawn_s)
            return
        ticket.burn_in_s = self.burn_in_s
        if self.crew is not None:
            ticket.work_s = min(self.crew.hands_on_s, repair_s)
        stock = self.parts.of_class.get(repair_class)
        if stock is None or self.parts.take(stock, node):
            self._ask_for_hands(node)
            return
        ticket.stage = NodeCondition.NO_PART
        due_s, name = self.parts.due_s(stock), self.parts.stocks[stock].id
        comes = "not on order" if due_s is None else f"delivery in {units.spoken(due_s - now)}"
        severity = Severity.ALARM if due_s is None else Severity.WARNING
        in_s = None if due_s is None else due_s - now
        self.log.add(
            now, "part_missing", name, f"out of stock; {comes}", severity, node=node, comes_in_s=in_s
        )
        text = f"waiting for spare part {name}; {comes}"
        self.log.add(now, "repair_waits", self.nodes.plant.nodes.ids[node], text, part=name, comes_in_s=in_s)

    def _lemon(self, node: int, repair_s: float, repair_class: str) -> None:
        now, rule = self.timers.now_s, self.lemons
        self.changed = True
        rule.out(node, now, self.nodes.plant.nodes.ids[node])
        if rule.replace_s is None:
            self.nodes.cordon(now, node, True)
            if repair_s > 0:
                self._down(node, repair_s, repair_class)
            return
        self.nodes.set_condition(now, node, DOWN)
        self.failures.set_up(node, now, False)
        self.tickets[node] = Ticket(now, now + rule.replace_s, burn_in_s=self.burn_in_s)
        self.tickets[node].stage = NodeCondition.REPLACED
        self.timers.set("repair", node, now + rule.replace_s)

    # --- parts and hands

    def _has_part(self, node: int) -> None:
        self._ask_for_hands(node)
        self.changed = True

    def _ask_for_hands(self, node: int) -> None:
        ticket = self.tickets[node]
        if ticket.work_s == 0:
            self._repairing(node)
            return
        ticket.stage = NodeCondition.NO_HANDS
        self.queue.append(node)
        self._call()
        if ticket.stage == NodeCondition.NO_HANDS:
            before = len(self.queue) - 1
            text = "waiting for a technician" + (f" ({before} ahead in queue)" if before else "")
            now = self.timers.now_s
            self.log.add(now, "repair_waits", self.nodes.plant.nodes.ids[node], text, ahead=before)

    def _call(self) -> None:
        """Let people who are free and at work begin with the nodes that have waited longest."""
        crew, shifts, now = self.crew, self.shifts, self.timers.now_s
        if crew is None or shifts is None or not self.queue or len(self.busy) >= crew.people:
            return
        begin_s = shifts.next_s(now)
        if begin_s > now:
            self.timers.set("shift", 0, begin_s)
            return
        while self.queue and len(self.busy) < crew.people:
            node = self.queue.pop(0)
            ticket = self.tickets[node]
            ticket.stage = NodeCondition.IN_REPAIR
            self.busy.add(node)
            self.timers.set("hands", node, shifts.finish_s(now, ticket.work_s))
            ticket.work_s = 0.0

    def _shift(self, _: int) -> None:
        self._call()

    def _hands(self, node: int) -> None:
        self.busy.discard(node)
        self._repairing(node)
        self._call()

    def _repairing(self, node: int) -> None:
        """Let what is left of the drawn time of `node` pass."""
        ticket = self.tickets[node]
        ticket.stage = NodeCondition.IN_REPAIR
        self.timers.set("repair", node, max(ticket.drawn_s, self.timers.now_s))

    # --- nodes come back

    def _repair(self, node: int) -> None:
        now, ticket, name = self.timers.now_s, self.tickets[node], self.nodes.plant.nodes.ids[node]
        if ticket.stage == NodeCondition.REPLACED:
            self.failures.renew(node, now)
            self.forget(node)
            self.lemons.replaced(node)
            self.log.add(now, "replaced", name, "replaced with a new node")
        if ticket.burn_in_s:
            self.timers.set("repair", node, now + ticket.burn_in_s)
            ticket.stage, ticket.burn_in_s = NodeCondition.BURN_IN, 0.0
            return
        dark = ", still without power" if self.nodes.dark[node] else ""
        del self.tickets[node]
        self.down_s.append(now - ticket.since_s)
        self.nodes.withheld[node] = False  # whatever a check found before
        self.nodes.bring_back(now, node)
        self.failures.set_up(node, now, not self.nodes.away[node])
        self.log.add(now, "repaired", name, f"repaired{dark}", job=int(self.nodes.job[node]))
        self.changed = True
        self.recovery.node_usable()
        self.arm()

    # --- looking, keeping

    def figures(self) -> dict[str, Any]:
        """Return the figures of the summary."""
        over = np.array(self.down_s)
        return {
            "open": len(self.tickets),
            "waiting_for_hands": len(self.queue),
            "waiting_for_parts": sum(len(queue) for queue in self.parts.waiting),
            "done": len(over),
            "mean_down_s": float(over.mean()) if len(over) else None,
            "p90_down_s": float(np.quantile(over, 0.9)) if len(over) else None,
            "parts": self.parts.figures(),
        }

    STATE = Fields(
        Items("tickets", _ticket_of, asdict, of_nodes=True),
        NamedNodes("queue"),
        NamedNodes("busy", sort=True),
        StateField("down_s", list),
        Child("parts"),
        Child("lemons"),
    )
