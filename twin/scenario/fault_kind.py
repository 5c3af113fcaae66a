"""What is known of a kind of fault or intervention: what it acts on, takes and needs, its events, and its chances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

TargetKind = Literal[
    "gpu",
    "node",
    "rack",
    "row",
    "hall",
    "switch",
    "link",
    "power",
    "loop",
    "plant",
    "job",
    "all",
    "site",
    "path",
]
Dimension = Literal["", "power", "fraction", "factor", "kelvin", "text"]
Option = Literal["for", "count", "cause", "value"]
Severity = Literal["notice", "warning", "alarm"]
Group = Literal["Nodes and GPUs", "Network", "Power", "Cooling", "Jobs", "Site"]
GROUPS: tuple[Group, ...] = ("Nodes and GPUs", "Network", "Power", "Cooling", "Jobs", "Site")
"""Groups of menus, in their order."""
Need = Literal[
    "battery",
    "breaker",
    "generator",
    "pumps",
    "fans",
    "valve",
    "coolant",
    "cold plate",
    "air",
    "chiller",
    "shelves",
    "supplies",
    "cards",
    "other partition",
]
"""What a thing must have, or be cooled by, for a fault to mean anything there."""
Counted = Literal["", "machines", "pumps", "fans", "supplies"]
Grade = Literal["harmless", "worse", "stopping", "cascade"]
"""Of a random incident: no job should feel it; work becomes slower or wrong; a job stops; one follows another."""
Pool = Literal[
    "gpu",
    "node",
    "rack",
    "wired_node",
    "air_node",
    "plate_gpu",
    "wet_rack",
    "cable",
    "leaf",
    "loop",
    "valve_loop",
    "plant",
    "chiller",
    "utility",
    "generator",
    "pdu",
    "site",
]
"""Things that random incidents strike."""

_GROUP_OF: dict[TargetKind, Group] = {
    "switch": "Network",
    "link": "Network",
    "power": "Power",
    "loop": "Cooling",
    "plant": "Cooling",
    "job": "Jobs",
    "site": "Site",
    "all": "Site",
}


@dataclass(frozen=True)
class Chance:
    """A random incident of a kind.

    Parameters
    ----------
    grade, pool
        How bad it is, and which things it strikes.
    weight
        How often, against others of its grade [-].
    value
        Range of its value, and how that is written.
    count
        Machines it takes; None: as it comes without.
    lasts_s
        Median of its duration [s]; None: as its repair is drawn in the run.
    """

    grade: Grade
    pool: Pool
    weight: float = 1.0
    value: tuple[float, float, str] | None = None
    count: int | None = None
    lasts_s: float | None = None


@dataclass(frozen=True)
class Told:
    """The kinds of events that tell of a fault.

    Parameters
    ----------
    begins, clears
        Ids of `twin.record.event_kinds`; no `clears`: it is over at once, or something else ends it.
    targets
        Of faults of these things; (): of all others.
    """

    begins: str
    clears: str = ""
    targets: tuple[TargetKind, ...] = ()


@dataclass(frozen=True)
class Limits:
    """Values that can be.

    Parameters
    ----------
    low, high
        Bounds, themselves included unless it is `between` them.
    words
        As a sentence says them: "0 % (shut) to 100 % (open)".
    """

    low: float
    high: float
    words: str
    between: bool = False

    def holds(self, number: float) -> bool:
        """Return whether a value can be."""
        return self.low < number < self.high if self.between else self.low <= number <= self.high


@dataclass(frozen=True)
class FaultKind:
    """One kind of fault or intervention.

    Parameters
    ----------
    id
        As scenes and ``--inject`` name it.
    title
        As a menu says it, such as "Pumps stop".
    targets
        Kinds of things it acts on.
    events
        How it is told.
    options
        Which it takes.
    value, value_title
        What ``value`` is, and what a dialog calls it; no `value`: it takes none.
    example
        A value that makes sense; empty where there is none.
    value_needed
        What has to be said where no value is usual; empty: `example` is.
    limits
        Values that can be.
    words
        Texts that ``value`` may be; (): any.
    counted, count_of
        What ``count`` counts, and of which targets; no targets: of all.
    needs
        What a target of a kind must have.
    repair_s
        (median, spread sigma of its logarithm) of the time until it is back where ``for`` is not given [s, -];
        None: not by itself, or as `twin.physics.reliability` draws it for nodes and cables.
    drawn_by_class
        Of targets whose repair is drawn as published for nodes or cables, the class of it.
    passes
        Nobody repairs it: weather.
    severity
        How severe it is.
    group
        Of menus; None: that of its target.
    verb
        What a person does who asks for it.
    chances
        How it comes in random incidents; (): it never happens by itself there.
    """

    id: str
    title: str
    targets: tuple[TargetKind, ...]
    events: tuple[Told, ...]
    options: tuple[Option, ...] = ()
    value: Dimension = ""
    value_title: str = "Value"
    example: str = ""
    value_needed: str = ""
    limits: Limits | None = None
    words: tuple[str, ...] = ()
    counted: Counted = ""
    count_of: tuple[TargetKind, ...] = ()
    needs: Mapping[TargetKind, Need] = field(default_factory=dict)
    repair_s: tuple[float, float] | None = None
    drawn_by_class: Mapping[TargetKind, str] = field(default_factory=dict)
    passes: bool = False
    severity: Severity = "alarm"
    group: Group | None = None
    verb: str = "Break"
    chances: tuple[Chance, ...] = ()

    def told(self, target: TargetKind | None) -> Told:
        """Return the events that tell of a fault of such a thing."""
        return next((told for told in self.events if target in told.targets), self.events[-1])

    def group_of(self, target: TargetKind) -> Group:
        """Return the group of menus in which a fault of such a thing stands."""
        return self.group or _GROUP_OF.get(target, "Nodes and GPUs")

    def counts(self, target: TargetKind) -> bool:
        """Return whether it takes a number of parts of such a thing."""
        return "count" in self.options and (not self.count_of or target in self.count_of)
