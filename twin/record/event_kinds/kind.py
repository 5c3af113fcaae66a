"""A kind of event: its title, the events it ends and causes, and its cost."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from twin.language import tr
from twin.record.channels import NodeCondition, PowerState
from twin.record.events import Event, Severity

INFO, NOTICE, WARNING, ALARM = Severity

Group = Literal["cooling", "power", "supply", "nodes", "reclaims"]
"""What an event may cause: heat, lost power and caps, cooling without power, failed jobs, reclaimed nodes."""


class Gantt(Enum):
    """Marks of an event on the Gantt chart."""

    WAITS = "waits"
    TAKES = "takes"
    YIELDS = "yields"  # its GPUs; it may save its state first
    RETURNS = "returns"  # to the queue
    CHANGES = "changes"  # continues on other nodes or in another partition
    SWAPS = "swaps"  # a node for another one
    RESERVES = "reserves"
    FAILS = "fails"


class JobTurn(Enum):
    """State of a job after an event about it."""

    QUEUED = "queued"
    STARTING = "starting"
    CLOUD = "cloud"
    RUNNING = "running"
    STOPPED = "stopped"
    DONE = "done"
    ENDED = "ended"  # before its work was done
    REFUSED = "refused"

    @property
    def is_over(self) -> bool:
        """Return whether nothing of the job follows."""
        return self in (JobTurn.DONE, JobTurn.ENDED, JobTurn.REFUSED)


@dataclass(frozen=True)
class Evidence:
    """Signs of an event in the frames of its component while it lasts; without any of them, the event is over.

    Parameters
    ----------
    nodes
        Conditions, one of which at least one of its nodes is in.
    power
        States, one of which the item of the power tree is in.
    charged
        The battery of the item has to hold some charge, too, before it is over.
    throttle
        Bits of the throttle reason (NVML), one of which is set for a GPU that it cools.
    gear
        It may be about a piece of equipment: over when that is removed.
    """

    nodes: tuple[NodeCondition, ...] = ()
    power: tuple[PowerState, ...] = ()
    charged: bool = False
    throttle: int = 0
    gear: bool = False


@dataclass(frozen=True)
class EventKind:
    """One kind of event.

    Parameters
    ----------
    id
        Snake case, as it is hashed and stored.
    severity
        How severe it is unless the event itself says otherwise.
    title
        In the window and reports; "" is replaced by the words of the id.
    ends
        Kinds of events about the same subject that last until this one.
    hashed
        Names of its values that enter the event hash; all are integers.
    groups
        Of causes, to which it belongs.
    caused_by
        Groups of causes that may be behind it.
    at_once
        Only what happened at the same moment is a cause of it, or what warned of it and lasts.
    warns
        What it causes may come any time while it lasts.
    opens, closes
        Ledger accounts a stretch of which it begins or ends.
    verb
        What its subject was in a stretch that it opened: "throttled".
    counts_nodes
        Its value ``nodes`` counts the nodes that it holds down while it lasts.
    counts_all
        These hold those that an earlier one of the kind took down; else they are further ones.
    singly
        Its nodes come back one by one, each with an event of its own.
    of_nodes
        It ends events of nodes: of a rack or hall those inside it, of a node those it was a part of.
    each_ends
        Several on one component end one by one; of other kinds the run logs again what still acts.
    part_ends
        What ends it may be about a part of its subject.
    kept_by
        Kinds of events: it lasts for as long as one of them about the same subject lasts.
    evidence
        What a frame shows while it lasts.
    job
        What the job it is about is from then on; None: the same as before.
    setback
        It is listed among the failures of a job.
    saves
        The job it is about is safe up to its value ``step``.
    gantt
        What the chart of who held which GPUs draws of it.
    job_title
        On the page of a job; "": the title.
    job_detail
        What its values say on the page of a job: "at step {step:,}"; "": its sentence.
    names_subject
        Its sentence names its subject.
    mark
        In capitals on a machine of a diagram while it lasts; "": none.
    """

    id: str
    severity: Severity = Severity.INFO
    title: str = ""
    ends: tuple[str, ...] = ()
    hashed: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    caused_by: tuple[Group, ...] = ()
    at_once: bool = False
    warns: bool = False
    opens: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    verb: str = "lasted"
    counts_nodes: bool = False
    counts_all: bool = False
    singly: bool = False
    of_nodes: bool = False
    each_ends: bool = False
    part_ends: bool = False
    kept_by: tuple[str, ...] = ()
    evidence: Evidence | None = None
    job: JobTurn | None = None
    setback: bool = False
    saves: bool = False
    gantt: Gantt | None = None
    job_title: str = ""
    job_detail: str = ""
    names_subject: bool = False
    mark: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", tr(self.title or self.id.replace("_", " ")))
        object.__setattr__(self, "job_title", tr(self.job_title))
        object.__setattr__(self, "mark", tr(self.mark))
        object.__setattr__(self, "hashed", tuple(sorted(self.hashed)))

    def detail_of(self, event: Event) -> str:
        """Return the text of an event on the page of its job; for older files, which lack values, its sentence."""
        try:
            return tr(self.job_detail, **event.data) or event.text
        except (KeyError, ValueError):
            return event.text


DOWN = (
    NodeCondition.IN_REPAIR,
    NodeCondition.NO_PART,
    NodeCondition.NO_HANDS,
    NodeCondition.BURN_IN,
    NodeCondition.REPLACED,
)
"""Conditions of a node that is in repair."""
GEAR = Evidence(gear=True)
