"""What a thing must have, or be cooled by, for a fault to mean anything there: read by menus, checks and runs.

A kind of fault names its needs by kind of target (`FaultKind.needs`). What a thing has is worked out from the scene in
one place, `twin.scenario.checks.fault_facts`; so a fault is offered, accepted and refused alike everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Counted = Literal["", "machines", "pumps", "fans", "supplies"]
"""What a fault can take some of."""
BY_AIR = frozenset({"air", "rear-door"})
"""Loops whose air passes through the nodes."""


class Parts(NamedTuple):
    """How many parts of a thing there are to lose, and what people call them."""

    there: int
    title: str


@dataclass(frozen=True)
class FaultFacts:
    """What needs ask about one thing; what does not apply to it is left as it is here.

    Parameters
    ----------
    what
        Kind of a power stage, coolant or air loop, or facility loop.
    battery, valve, cards
        Whether it has a battery, a control valve, a network card on a fabric.
    cooled_by
        Kinds of loops that take the heat of a node, or of the nodes of a rack.
    counts
        Its parts, by what a fault counts.
    partitions
        To which a job could be moved.
    """

    what: str = ""
    battery: bool = False
    valve: bool = False
    cards: bool = False
    cooled_by: frozenset[str] = frozenset()
    counts: Mapping[Counted, Parts] = field(default_factory=dict)
    partitions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Need:
    """What a target must have.

    Parameters
    ----------
    name
        As the help names it.
    met
        Whether a thing has it.
    reason
        Of a thing that has not: the rest of a sentence that begins with its id; ``{what}`` is its kind, "an air".
    hint
        What could be done instead.
    """

    name: str
    met: Callable[[FaultFacts], bool]
    reason: str
    hint: str = ""

    def refusal(self, facts: FaultFacts) -> str:
        """Return why a thing does not do; empty when it has what is needed."""
        article = "an" if facts.what[:1] in tuple("aei") else "a"
        return "" if self.met(facts) else self.reason.format(what=f"{article} {facts.what}")


def _supplied(facts: FaultFacts) -> bool:
    return "supplies" in facts.counts


BATTERY = Need(
    "battery",
    lambda stage: stage.battery,
    "is {what} and has no battery",
    "choose a UPS or battery storage",
)
GENERATOR = Need(
    "generator",
    lambda stage: stage.what == "generator",
    "is {what} and does not start",
    "choose a generator",
)
SHELVES = Need("shelves", _supplied, "has no power shelves", "choose one of its nodes")
SUPPLIES = Need(
    "supplies",
    _supplied,
    "has no power supplies of its own",
    "choose its rack where that has power shelves",
)
PUMPS = Need(
    "pumps",
    lambda loop: loop.what != "air",
    "is {what} loop and has no pumps",
    "fan_stop stops its fans",
)
FANS = Need(
    "fans",
    lambda loop: loop.what in BY_AIR,
    "is {what} loop and has no fans",
    "pump_stop stops its pumps",
)
VALVE = Need("valve", lambda loop: loop.valve, "has no control valve", "give the loop control: valve")
COOLANT = Need(
    "coolant",
    lambda loop: loop.what != "air",
    "is {what} loop and has no coolant",
    "choose a loop with coolant",
)
AIR_FILTER = Need(  # rear doors have fans and no filter
    "air filter",
    lambda loop: loop.what == "air",
    "is {what} loop and has no air filter",
    "choose a loop of air handlers",
)
RACK_COOLANT = Need("coolant", lambda rack: bool(rack.cooled_by - BY_AIR), "is on no loop with coolant")
COLD_PLATE = Need(
    "cold plate",
    lambda node: "liquid" in node.cooled_by,
    "has no cold plates",
    "fan_stop stops fans of a node that is air-cooled",
)
AIR = Need(
    "air",
    lambda node: bool(node.cooled_by & BY_AIR),
    "has liquid-cooled GPUs: its fans do not cool them",
)
CHILLER = Need(
    "chiller",
    lambda plant: plant.what == "chiller",
    "is {what}: it has no chiller",
    "use fan_stop for its fans, heat_rejection_loss for all of it",
)
CARDS = Need("cards", lambda node: node.cards, "has no NIC on a fabric", "connect its rows by fabrics")
PARTITION = Need(
    "other partition",
    lambda job: bool(job.partitions),
    "has no other partition that would admit it",
    "add one under partitions",
)
