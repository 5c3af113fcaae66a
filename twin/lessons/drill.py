"""A drill: a scene, a seed and a level; the faults that the seed draws come while somebody runs the hall, unseen."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from twin import resources, units
from twin.language import tr
from twin.lessons.step_hall import with_acts
from twin.planning.risk.random_incidents import incidents_at_rates
from twin.plant.tables import Plant
from twin.record.frame import Frame
from twin.runtime.loading import begun, engine_type
from twin.runtime.protocol import ENGINE
from twin.scenario import loads
from twin.scenario.file.effective_text import show
from twin.scenario.file.load import Document
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.faults import Intervention

HOUR_S = 3600.0
SCENE_SUFFIX = ".twin.yaml"
BUILTIN = "builtin:"
"""Before the name of a shipped scene."""
LENGTHS_S = (1 * HOUR_S, 2 * HOUR_S, 4 * HOUR_S)
SHORTEST_S, LONGEST_S = 0.5 * HOUR_S, 24 * HOUR_S
SPEED = 10.0
"""Of a drill at first, against real time: two hours in twelve minutes; whoever takes part may change it or pause."""
CALM_S = 600.0
"""Nothing is broken before: jobs start, and whoever runs the hall looks round."""
LATEST = 0.7
"""Share of a drill in which faults begin: the last can still be answered."""
LEAST_GAP_S = 120.0
"""Between two faults, where the drill is long enough for that."""
_AHEAD_S = 40 * 86400.0
"""Faults are drawn over so long, and then brought together."""
NOT_DRAWN = ("corrupt",)
"""Nobody sees silent errors in a drill, so that nobody could answer them."""


class DrillError(ValueError):
    """A drill cannot be made of a scene; the message says why."""


@dataclass(frozen=True)
class Level:
    """How hard a drill is.

    Parameters
    ----------
    id, title
        Its name in files and options, and in words.
    faults
        How many there are at most.
    a_day
        By which they are drawn, against each other: harmless, worse, stopping, cascades (`random_incidents.A_DAY`).
    """

    id: str
    title: str
    faults: int
    a_day: tuple[float, float, float, float]


LEVELS: dict[str, Level] = {
    level.id: level
    for level in (
        Level("light", tr("two faults, each by itself"), 2, (1, 5, 2, 0)),
        Level("medium", tr("four faults, some follow each other"), 4, (1, 4, 3, 1)),
        Level("heavy", tr("seven faults, with cascades of the facility"), 7, (1, 4, 3, 4)),
    )
}
"""By id; the proportions are an exercise, not a statistic [est]."""


@dataclass(frozen=True)
class OperatorDrill:
    """A drill as it is made.

    Parameters
    ----------
    scene
        Name or path of the scene.
    level, seed, length_s
        As asked for [s].
    document
        What the trainee sees: the scene without faults of its own, as long as the drill.
    faults
        What happens, in order of time.
    digest
        Of the text of the scene as it was read: by that another text of the same name is found.
    """

    scene: str
    level: str
    seed: int
    length_s: float
    document: Document
    faults: tuple[Intervention, ...]
    digest: str

    @property
    def scenario(self) -> Scenario:
        """Return the scene with what is hidden in it."""
        return self.hiding(self.document.scenario)

    def hiding(self, scenario: Scenario) -> Scenario:
        """Return a scene with the faults of this drill in it, before what people do."""
        return with_acts(scenario, self.faults)


def drill_of(
    document: Document, level: str, seed: int, length_s: float = 2 * HOUR_S, plant: Plant | None = None
) -> OperatorDrill:
    """Return the drill of a scene; the same seed gives the same one.

    Parameters
    ----------
    document
        The scene.
    level
        One of `LEVELS`.
    seed
        Of the faults; chance in the run itself is drawn from the seed of the scene.
    length_s
        Of the drill [s].
    plant
        The scene as built, where that is known.

    Raises
    ------
    DrillError
        When the level or length is none, or nothing in the scene can fail.
    ScenarioError
        When the scene is none without its own faults.
    """
    if level not in LEVELS:
        raise DrillError(f"{level!r} is no level of drills: {', '.join(LEVELS)}")
    if not SHORTEST_S <= length_s <= LONGEST_S:
        raise DrillError(
            f"a drill lasts {units.spoken(SHORTEST_S)} to {units.spoken(LONGEST_S)}, not {units.spoken(length_s)}"
        )
    given = document.scenario
    if not given.jobs and not given.streams and not given.traces:
        raise DrillError(f"{document.name}: has no work that a fault could cost")
    shown = _without_faults(document, length_s)
    drawn = incidents_at_rates(
        shown.scenario, LEVELS[level].a_day, seed, 0.0, _AHEAD_S, plant, without=NOT_DRAWN
    )
    if not drawn:
        raise DrillError(f"{document.name}: nothing in this scene can fail")
    idle = _idle_nodes(shown.scenario)
    felt = (fault for fault in drawn if not any(_is_of(fault.target, node) for node in idle))
    faults = _brought_together(_varied(felt, LEVELS[level].faults), length_s)
    if not faults:
        raise DrillError(f"{document.name}: nothing that can fail in this scene has work on it")
    return OperatorDrill(_name_of(document), level, seed, length_s, shown, faults, _digest_of(document))


def _digest_of(document: Document) -> str:
    """Return the SHA-256 of the text of a scene and of what it extends."""
    return hashlib.sha256("\0".join(file.text for file in document.files).encode()).hexdigest()


def _name_of(document: Document) -> str:
    """Return the name by which a scene is loaded again: of a shipped one that, on whatever computer."""
    path = document.path
    if path is None:
        return document.name
    shipped = Path(str(resources.folder("scenes"))).resolve()
    inside = path.resolve().parent == shipped
    return f"{BUILTIN}{path.name.removesuffix(SCENE_SUFFIX)}" if inside else str(path)


def _without_faults(document: Document, length_s: float) -> Document:
    """Return a scene in which nothing is planned to break, and that ends with the drill."""
    scenario = document.scenario.model_copy(
        update={"interventions": (), "duration_s": length_s, "branch": None, "notes": "", "speed": SPEED}
    )
    folder = None if document.path is None else document.path.parent
    return loads(show(scenario, exact=True), document.name, folder)


def _idle_nodes(scenario: Scenario) -> list[str]:
    """Return the nodes on which no job runs when the first fault may come: nobody would feel it there."""
    engine = begun(engine_type(ENGINE), scenario, None)
    engine.advance(min(CALM_S, engine.end_s))
    frame = Frame.empty(engine.layout)
    engine.fill(frame)
    nodes = engine.plant.nodes
    held = frame.values["gpu.job"] >= 0
    return [
        id
        for id, first, count in zip(
            nodes.ids, nodes.gpu_first.tolist(), nodes.gpu_count.tolist(), strict=True
        )
        if count and not held[first : first + count].any()
    ]


def _is_of(thing: str, node: str) -> bool:
    """Return whether a thing is a node, one of its GPUs, or a cable of it."""
    return thing == node or thing.startswith((f"{node}/", f"{node}~"))


def _varied(drawn: Iterable[Intervention], most: int) -> list[Intervention]:
    """Return the first faults, each once, and of each kind no more than a third: most failures are of single nodes."""
    taken: list[Intervention] = []
    times: Counter[str] = Counter()
    for fault in drawn:
        new = all((fault.kind, fault.target) != (other.kind, other.target) for other in taken)
        if new and times[fault.kind] < max(1, most // 3) and len(taken) < most:
            times[fault.kind] += 1
            taken.append(fault)
    return taken


def _brought_together(drawn: Sequence[Intervention], length_s: float) -> tuple[Intervention, ...]:
    """Return faults of many days within one drill: those that follow each other keep their distance.

    Where they would go beyond it, what lies between them above the least distance is made shorter by one factor.
    """
    room_s = LATEST * length_s - CALM_S
    mean_s = room_s / max(len(drawn), 1)
    least_s = min(LEAST_GAP_S, mean_s)
    more: list[float] = []
    before_s = 0.0
    for fault in drawn:
        gap_s = fault.at_s - before_s
        if not more or gap_s > mean_s:
            gap_s = mean_s / 2 + fault.at_s % mean_s
        before_s = fault.at_s
        more.append(max(0.0, gap_s - least_s))
    share = min(1.0, (room_s - len(drawn) * least_s) / max(sum(more), 1.0))
    times = CALM_S + np.cumsum([least_s + share * each_s for each_s in more])
    return tuple(
        fault.model_copy(update={"at_s": 10.0 * round(at_s / 10.0)})
        for fault, at_s in zip(drawn, times.tolist(), strict=True)
    )
