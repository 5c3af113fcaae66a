"""What is known of a kind of fault or intervention: what it acts on, takes and needs, its events, and its chances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from twin.language import tr
from twin.scenario.schema.fault_kinds.needs import Counted, FaultFacts, Need

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
PLACES: tuple[TargetKind, ...] = ("gpu", "node", "rack", "row")
"""Of the hall: each is nodes, or a part of one."""
CAPPED: tuple[TargetKind, ...] = ("rack", "row", "hall", "power")
"""What has a power cap as a whole; of a job, and of all, each GPU has it."""
HOUR_S = 3600.0
PERCENT = "{:.0f} %"
Dimension = Literal["", "power", "fraction", "factor", "kelvin", "text"]
Option = Literal["for", "count", "cause", "value"]
Severity = Literal["notice", "warning", "alarm"]
Group = Literal["Nodes and GPUs", "Network", "Power", "Cooling", "Jobs", "Site"]
GROUPS: tuple[Group, ...] = ("Nodes and GPUs", "Network", "Power", "Cooling", "Jobs", "Site")
"""Groups of menus, in their order."""
Component = Literal["node", "switch", "link", "rack", "pdu", "cdu", "row", "leaf", "nvlink"]
"""What the rate of a cause of failure is counted for: a node, a switch, a link, or a fault domain of many nodes."""
Impaired = Literal["clock", "results", "cards", "cable"]
"""What of a node works worse: its clocks, what it computes, all its cards of the fabric, one cable of them."""
Kept = Literal["nothing", "value", "rest"]
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
    "wet_loop",
    "valve_loop",
    "plant",
    "chiller",
    "utility",
    "generator",
    "pdu",
    "site",
]
"""Things that random incidents strike."""

BREAK = tr("Break")
"""What a person does to a thing to bring most faults about."""
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


class Recipe(NamedTuple):
    """A random incident: its kind, and how it comes."""

    kind: str
    chance: Chance


@dataclass(frozen=True)
class Chance:
    """How a random incident of a kind comes.

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
    then
        Of a cascade: what follows it, one after the other.
    """

    grade: Grade
    pool: Pool
    weight: float = 1.0
    value: tuple[float, float, str] | None = None
    count: int | None = None
    lasts_s: float | None = None
    then: tuple[Recipe, ...] = ()


def step(
    kind: str,
    pool: Pool,
    value: tuple[float, float, str] | None = None,
    count: int | None = None,
    lasts_s: float | None = None,
) -> Recipe:
    """Return what follows in a cascade."""
    return Recipe(kind, Chance("cascade", pool, value=value, count=count, lasts_s=lasts_s))


@dataclass(frozen=True)
class Impairment:
    """How a node keeps working, but slower or wrong, until the fault is detected.

    Parameters
    ----------
    what
        Works worse.
    begins, ends
        Sentences of its events, with ``{left}``; no `ends`: it lasts until it is detected and repaired.
    finding
        What a health check says that it found: "reduced PCIe lanes".
    left
        Share of speed that is left where a cause of failure does not say [-]; None: it takes no speed.
    """

    what: Impaired
    begins: str
    finding: str
    ends: str = ""
    left: float | None = None


@dataclass(frozen=True)
class FaultEvents:
    """The kinds of events that tell of a fault.

    Parameters
    ----------
    begins, clears
        Ids of `twin.record.event_kinds`; no `clears`: it is over at once, or something else ends it.
    targets
        Of faults of these things; (): of all others.
    mark
        What diagrams write on the thing while it lasts: "VALVE STUCK".
    """

    begins: str
    clears: str = ""
    targets: tuple[TargetKind, ...] = ()
    mark: str = ""


@dataclass(frozen=True)
class ValueLimits:
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
        That tell of it.
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
        What ``count`` counts, and of which kinds of targets it can be said; no `count_of`: of all of them.
    needs
        What a target of a kind must have; kinds that are not named need nothing.
    repair_s
        (median, spread sigma of its logarithm) of the time until it is back where ``for`` is not given [s, -];
        None: not by itself, or as `twin.physics.reliability` draws it for nodes and cables.
    drawn_by_class
        Of faults of nodes, switches and links whose repair takes what a published fleet took: class by kind of target;
        `repair_s` does not count for those.
    passes
        Nobody repairs it: weather.
    hands_s
        From the call of a technician on site until it is over [s], by kind of target; kinds that are not named nobody
        on site can end.
    effect, components
        As causes of failure name it, and what those are causes of that have this effect; "": no cause has.
    impairment
        What a node does while it lasts; None: it stops, or is no node.
    silent
        Nothing reports it: only a watchdog notices.
    keeps
        Of faults of clocks, cards, switches and cables: what is left of their speed: nothing, the share that is its
        value, or the rest of that. Machines of power and cooling do not read it.
    sentence
        Of faults of switches, links and cards: the words of their event, "failed", "down {value} of the time".
    severity
        Of the event with which it begins; warning and alarm both raise an alarm, a notice raises none.
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
    events: tuple[FaultEvents, ...]
    options: tuple[Option, ...] = ()
    value: Dimension = ""
    value_title: str = "Value"
    example: str = ""
    value_needed: str = ""
    limits: ValueLimits | None = None
    words: tuple[str, ...] = ()
    counted: Counted = ""
    count_of: tuple[TargetKind, ...] = ()
    needs: Mapping[TargetKind, Need] = field(default_factory=dict)
    repair_s: tuple[float, float] | None = None
    drawn_by_class: Mapping[TargetKind, str] = field(default_factory=dict)
    passes: bool = False
    hands_s: Mapping[TargetKind, float] = field(default_factory=dict)
    effect: str = ""
    components: tuple[Component, ...] = ()
    impairment: Impairment | None = None
    silent: bool = False
    keeps: Kept = "nothing"
    sentence: str = "failed"
    severity: Severity = "alarm"
    group: Group | None = None
    verb: str = BREAK
    chances: tuple[Chance, ...] = ()

    @property
    def is_setting(self) -> bool:
        """Return whether it sets a key of the scene to its value."""
        return self.targets == ("path",)

    @property
    def value_words(self) -> str:
        """Return what its value is: "opening, such as 30 %"."""
        if self.value_needed:
            return self.value_needed
        return f"{self.value_title.lower()}, {' or '.join(self.words) or f'such as {self.example}'}"

    def events_of(self, target: TargetKind | None) -> FaultEvents:
        """Return the events that tell of a fault of such a thing."""
        return next((events for events in self.events if target in events.targets), self.events[-1])

    def left(self, value: float) -> float:
        """Return the share of speed that a fault with a value leaves [-]."""
        return {"nothing": 0.0, "value": value, "rest": 1.0 - value}[self.keeps]

    def value_text(self, left: float) -> str | None:
        """Return its value as scenes write it where a share of speed is left [-]; None: it takes none."""
        if self.keeps == "nothing":
            return None
        return f"{100 * (left if self.keeps == 'value' else 1.0 - left):.6g} %"

    def group_of(self, target: TargetKind) -> Group:
        """Return the group of menus in which a fault of such a thing stands."""
        return self.group or _GROUP_OF.get(target, "Nodes and GPUs")

    def counts(self, target: TargetKind) -> bool:
        """Return whether it takes a number of parts of such a thing."""
        return "count" in self.options and (not self.count_of or target in self.count_of)

    def refusal(self, target: TargetKind, facts: FaultFacts | None) -> tuple[str, str]:
        """Return why a thing of a kind cannot have it, and what to do instead: empty when it can.

        No facts: it stands in a hall that could not follow the last edit, and what it has is not known.
        """
        need = self.needs.get(target)
        if need is None:
            return "", ""
        if facts is None:
            return "is no longer in the scene", ""
        reason = need.refusal(facts)
        return reason, need.hint if reason else ""
