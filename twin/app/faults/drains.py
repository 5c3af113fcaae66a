"""Draining a place as a whole: what that takes out of use, asked first where work on many nodes would stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from twin.app.session.session import Session
from twin.app.toolkit.command_palette import PaletteEntry
from twin.app.toolkit.problem_notice import Trouble
from twin.app.world.nodes_of_thing import nodes_of
from twin.language import counted, tr
from twin.plant.find import find
from twin.record.channels import NodeCondition
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.faults import Intervention

MOST_JOBS = 4
"""Jobs of one place that are named."""
DRAINS = (
    ("now", tr("Now"), tr("Jobs stop at once and return to their last checkpoint")),
    (
        "checkpoint",
        tr("At the next checkpoint"),
        tr("Jobs stop after their next checkpoint and lose no work"),
    ),
    ("end", tr("When its jobs end"), tr("Jobs run to their end")),
)
"""Values of `drain`, their titles and what they do."""
LARGE = ("row", "hall")
"""Places of so many nodes that draining them is asked first where their jobs would stop."""
_MOST_HALLS = 12
"""Halls of a site that the command palette offers to drain."""
_CANCEL = tr("Cancel")
Answers = Mapping[str, Callable[[], object]]


@dataclass(frozen=True)
class Drainable:
    """What a place has to drain, as on screen.

    Attributes
    ----------
    nodes, gpus
        That it has.
    drained
        Nodes out of use.
    jobs
        Ids of jobs with GPUs there.
    """

    nodes: int
    gpus: int
    drained: int
    jobs: tuple[str, ...]

    @classmethod
    def of(cls, session: Session, id: str) -> Drainable:
        """Return what a thing has: nothing where it is no place."""
        plant, frame, document = session.plant, session.shown, session.document
        if plant is None or document is None:
            return cls(0, 0, 0, ())
        nodes = nodes_of(plant, id)
        gpus, drained, jobs = int(plant.nodes.gpu_count[nodes].sum()), 0, list[str]()
        if frame is not None and frame.layout.epoch == plant.epoch:
            drained = int(np.count_nonzero(frame.values["node.condition"][nodes] == NodeCondition.DRAINED))
            inside = np.zeros(len(plant.nodes.ids), np.bool_)
            inside[nodes] = True
            held = frame.values["gpu.job"][inside[plant.gpus.node] & plant.gpus.present]
            every = jobs_of(document.scenario)
            jobs = [every[job].id for job in np.unique(held).tolist() if 0 <= job < len(every)]
        return cls(len(nodes), gpus, drained, tuple(jobs))

    @property
    def named_jobs(self) -> str:
        """Return the first jobs by name, and how many more there are."""
        some = ", ".join(self.jobs[:MOST_JOBS])
        more = len(self.jobs) - MOST_JOBS
        return some if more <= 0 else tr("{some} and {jobs:,} more", some=some, jobs=more)

    @property
    def size(self) -> str:
        """Return how many nodes and GPUs it has, in words."""
        return tr("{nodes} with {gpus}", nodes=counted(self.nodes, "node"), gpus=counted(self.gpus, "GPU"))


class Drains:
    """Does what drains a place, and asks once before the work of a row or hall stops.

    Parameters
    ----------
    ask
        Shows a question with its answers.
    """

    def __init__(self, session: Session, ask: Callable[[Trouble, Answers], object]) -> None:
        self._session, self._ask = session, ask

    def act(self, asked: Intervention) -> None:
        """Do something to a place by hand: at once, or when that is agreed to."""
        place = Drainable.of(self._session, asked.target) if self._stops_many(asked) else None
        if place is None or not place.jobs:
            self._session.intervene(asked)
            return
        title, tip = next((title, tip) for when, title, tip in DRAINS if when == (asked.value or "now"))
        self._ask(
            Trouble(tr("Drain {place}", place=asked.target), _question(place, f"{tip}.")),
            {tr("Drain: {when}", when=title): partial(self._do, asked), _CANCEL: _nothing},
        )

    def drain(self, id: str) -> None:
        """Drain a place that was named without saying when its jobs leave: that is asked where there are any."""
        place = Drainable.of(self._session, id)
        ways = {
            title: partial(self._do, Intervention(at=0.0, kind="drain", target=id, value=when))
            for when, title, _ in (*DRAINS[1:], DRAINS[0])  # what loses no work comes first
        }
        if not place.jobs:
            ways[DRAINS[0][1]]()
        else:
            question = _question(place, tr("When do its jobs leave?"))
            self._ask(Trouble(tr("Drain {place}", place=id), question), ways)

    def entries(self) -> Iterator[PaletteEntry]:
        """Yield what the command palette offers whatever is selected: to drain each hall, or to undrain it."""
        plant = self._session.plant
        if plant is None:
            return
        for id, name in zip(plant.halls.ids[:_MOST_HALLS], plant.halls.titles, strict=False):
            place = Drainable.of(self._session, id)
            title = f"{name} ({id})" if name else id
            why_not = self._session.permit(Intervention(at=0.0, kind="drain", target=id))
            if place.nodes > place.drained:
                yield PaletteEntry(
                    tr("Drain: {place}", place=title),
                    partial(self.drain, id),
                    tr("Faults"),
                    words=tr("hall take out of service maintenance"),
                    why_not=why_not,
                )
            if place.drained:
                yield PaletteEntry(
                    tr("Undrain: {place}", place=title),
                    partial(self._do, Intervention(at=0.0, kind="undrain", target=id)),
                    tr("Faults"),
                    words=tr("hall put back to use"),
                    why_not=why_not,
                )

    def _stops_many(self, asked: Intervention) -> bool:
        """Return whether something drains a row or a hall whose jobs do not run to their end."""
        plant = self._session.plant
        if plant is None or asked.kind != "drain" or asked.value == "end":
            return False
        return (find(plant, asked.target) or ("",))[0] in LARGE

    def _do(self, asked: Intervention) -> None:
        self._session.intervene(asked.model_copy(update={"at_s": self._session.shown_s}))


def _question(place: Drainable, then: str) -> str:
    return tr(
        "{size} take no new work. {jobs} there: {names}. {then}",
        size=place.size,
        jobs=counted(len(place.jobs), "job"),
        names=place.named_jobs,
        then=then,
    )


def _nothing() -> None:
    """Leave all as it is."""
