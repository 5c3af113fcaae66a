"""The state of a run onto parts made for an edited hall: who stands on keeps its state, newcomers begin as new.

The state is that of a snapshot. Slots of a plant keep their numbers in a run, so most of it goes over as it is;
`TABLE` says which of it has an entry for each slot of a table, and what becomes of these where things came or went.
Temperatures and groups are `grafting_heat`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from twin.arrays import IntP
from twin.plant.tables import Plant
from twin.sim.core.timers import Timer
from twin.sim.edits.heat_transfer import graft_heat
from twin.sim.edits.slot_map import EditedPair, KeptSlots, Numbers, renumber
from twin.sim.hazard.failure_clocks import FailureClocks
from twin.sim.hazard.hazard_clocks import ClockSet
from twin.sim.run.parts import PARTS

if TYPE_CHECKING:
    from twin.sim.run.parts import RunParts


GROUPED = ("traces", "clocks", "lifetime")
"""Parts whose state is by group of GPUs."""


def _same(slots: IntP) -> KeptSlots:
    return KeptSlots(slots, slots)


def standing(before: Plant, after: Plant, jobs: int) -> EditedPair:
    """Compare two plants with the same slots; so many `jobs` there were before, and none of them goes."""
    kept: dict[str, KeptSlots] = {"jobs": _same(np.arange(jobs))}
    for name in ("racks", "switches", "loops", "power"):
        old, new = getattr(before, name), getattr(after, name)
        stays = old.present & new.present[: len(old.ids)]
        if name == "power":
            stays &= np.array([a == b for a, b in zip(old.kind, new.kind, strict=False)], bool)
        kept[name] = _same(np.flatnonzero(stays))
    for name in ("halls", "plants", "storage"):  # never taken away in a run
        kept[name] = _same(np.arange(len(getattr(before, name).ids)))
    old, new = before.nodes, after.nodes
    place = {new.ids[slot]: slot for slot in np.flatnonzero(new.present).tolist()}
    there = np.flatnonzero(old.present)
    here = np.array([place.get(old.ids[slot], -1) for slot in there.tolist()], np.intp)
    same = (here >= 0) & (old.part[there] == new.part[here]) & (old.gpu_count[there] == new.gpu_count[here])
    kept["nodes"] = KeptSlots(there[same], here[same])
    came, gone = new.present.copy(), old.present.copy()
    gone[there[same]] = came[here[same]] = False
    return EditedPair(kept, np.flatnonzero(came), np.flatnonzero(gone))


# --- how a piece of state goes over: (old, fresh, slots kept before and after) -> merged


def _column(old: list[Any], fresh: list[Any], kept: KeptSlots) -> list[Any]:
    """One entry a slot; of facility loops only up to the last one that carries water, which an edit may change."""
    if kept.all_of(len(old)) and len(fresh) >= len(old):
        return [*old, *fresh[len(old) :]]
    merged = list(fresh)
    for there, here in kept.number.items():
        if there < len(old) and here < len(merged):
            merged[here] = old[there]
    return merged


def _members(old: list[int], fresh: list[int], kept: KeptSlots) -> list[int]:
    """Slots of which something is true."""
    return [kept.number[slot] for slot in old if slot in kept.number]


def _rows(old: list[Any], fresh: list[Any], kept: KeptSlots) -> list[Any]:
    """Rows that begin with a slot."""
    return [[kept.number[row[0]], *row[1:]] for row in old if row[0] in kept.number]


def _pairs(old: list[list[Any]], fresh: list[list[Any]], kept: KeptSlots) -> list[list[Any]]:
    """Slots, and a value of each."""
    both = [(kept.number[slot], value) for slot, value in zip(*old, strict=True) if slot in kept.number]
    return [[slot for slot, _ in both], [value for _, value in both]]


Way = Callable[[Any, Any, KeptSlots], Any]
TABLE: tuple[tuple[str, str, Way], ...] = (
    *((f"nodes.{name}", "nodes", _column) for name in ("condition", "cordoned", "job", "wanted")),
    *((f"nodes.{name}", "nodes", _members) for name in ("withheld", "left", "cut", "dark")),
    ("nodes.parts", "nodes", _rows),
    ("stores.tally", "storage", _column),
    ("health.count.*", "nodes", _column),
    *(
        (f"incidents.shutdowns.{name}", "nodes", _members)
        for name in ("was_off", "unsupplied", "braked", "waiting")
    ),
    ("incidents.shutdowns.boots", "nodes", _rows),
    ("incidents.unlit", "switches", _members),
    ("limits.braked", "nodes", _members),
    ("limits.capped", "nodes", _pairs),
    ("limits.slow", "nodes", _pairs),
    ("job_energy.node_w", "nodes", _column),
    ("job_energy.energy_j", "jobs", _column),
    *((f"caps.{name}", "nodes", _column) for name in ("holder", "rest_w")),
    *((f"meter.overhead.{name}", "nodes", _column) for name in ("node_w", "converter_w", "converted_w")),
    *((f"meter.overhead.{name}", "racks", _column) for name in ("static_w", "shelf_w")),
    *(
        (f"meter.overhead.{name}", "loops", _column)
        for name in ("_own_loop_w", "_extra_loop_w", "loop_heat_w", "warm_loops")
    ),
    *(
        (f"meter.overhead.{name}", "halls", _column)
        for name in ("_own_hall_w", "_extra_hall_w", "hall_heat_w", "hall_tripped", "warm_halls")
    ),
    ("meter.power.condition.*", "power", _column),
    ("meter.power.supplies.node", "nodes", _column),
    ("meter.power.supplies.shelf", "racks", _column),
    *((f"meter.power.wanted.{i}", name, _column) for i, name in enumerate(("racks", "loops", "plants"))),
    ("meter.power.loss_j", "power", _column),
    *(
        (f"cooling.{movers}.{name}", table, _column)
        for movers, table in (("pumps", "loops"), ("water", "plants"))
        for name in ("ramp.*", "down", "live", "shut", "recovered", "branches", "filtered")
    ),
    *(
        (f"cooling.rejection.{name}", "plants", _column)
        for name in (
            "live",
            "down",
            "waiting",
            "still",
            "fault",
            "heat_w",
            "held_c",
            "over_k",
            "goal_k",
            "free.*",
        )
    ),
    *((f"cooling.{name}", "loops", _column) for name in ("opening", "stage.0", "loop_w", "bypass_w.*")),
    *((f"cooling.{name}", "halls", _column) for name in ("hall_w", "room_w.*")),
    *((f"cooling.{name}", "plants", _column) for name in ("stage.1", "facility_c")),
)
"""(where in the state, table of its slots, how it goes over); * is every entry of a list or group."""


def _merge(old: Any, fresh: Any, steps: list[str], kept: KeptSlots, way: Way) -> Any:
    """Return `old` with what lies at `steps` gone over."""
    if not steps:
        return way(old, fresh, kept)
    step, rest = steps[0], steps[1:]
    merged = dict(old) if isinstance(old, dict) else list(old)
    keys: Any = range(len(old)) if isinstance(old, list) else list(old)
    if step != "*":
        keys = [int(step) if isinstance(old, list) else step]
    for key in keys:
        merged[key] = _merge(old[key], fresh[key], rest, kept, way)
    return merged


def graft(old: RunParts, new: RunParts, stands: EditedPair) -> None:
    """Let `new`, freshly built on the edited plant, continue where `old` stands, whose heat is booked up to now."""
    names = [name for name in PARTS if name not in GROUPED]
    state = {name: getattr(old, name).state() for name in names}
    fresh = {name: getattr(new, name).state() for name in names}
    fresh["caps"] = {"holder": new.caps._holder.tolist(), "rest_w": new.caps._rest_w.tolist()}
    if not old.caps.caps:
        state["caps"] |= {"holder": old.caps._holder.tolist(), "rest_w": old.caps._rest_w.tolist()}
    for path, table, way in TABLE:
        state = _merge(state, fresh, path.split("."), stands.kept[table], way)
    _joined_comfort(state["comfort"], fresh["comfort"], old.plant, new.plant, stands)
    _breaker_loads(state, old, new)
    _oddities(state["oddities"], old, new, stands)
    gone = set(stands.gone.tolist())
    state["network"]["seats"] = [one for one in state["network"]["seats"] if gone.isdisjoint(one[2])]
    nodes = stands.kept["nodes"]
    if not nodes.unmoved:
        renumber(state, Numbers.of(old.plant, new.plant, nodes.number))
    state["cooling"]["rejection"]["known"] = None  # recomputed at the next look
    state["incidents"]["set"] = [
        one for one in state["incidents"]["set"] if new.incidents.settings.refusal(*one) is None
    ]
    _not_begun(state["jobs"])
    clocks = _Clocks(old.failures, new.failures, new.timers.now_s)
    state["failures"] = clocks.state(stands)
    for name in names:
        getattr(new, name).restore(state[name])
    for was in old.jobs.rows:
        row = new.jobs.rows[was.index]
        if row.start_s is not None:
            row.first_s = was.first_s or old.jobs.planned[was.index].step_s
            done = old.jobs.progress_at(was, new.timers.now_s)
            new.jobs.planned_anew(row, done, old.jobs.ideal_s(was))
    graft_heat(old, new, stands)


def _joined_comfort(
    state: dict[str, Any], fresh: dict[str, Any], before: Plant, after: Plant, stands: EditedPair
) -> None:
    """Levels of loops, halls, and facility water twice, one behind the other."""
    merged: list[int] = []
    old_at = new_at = 0
    for table in ("loops", "halls", "plants", "plants"):
        had, has = len(getattr(before, table).ids), len(getattr(after, table).ids)
        old, new = state["level"][old_at : old_at + had], fresh["level"][new_at : new_at + has]
        merged += _column(old, new, stands.kept[table])
        old_at, new_at = old_at + had, new_at + has
    state["level"] = merged


def _breaker_loads(state: dict[str, Any], old: RunParts, new: RunParts) -> None:
    """Loads of breakers are by their place among all breakers."""
    known = dict(zip(old.power.circuit.breakers.tolist(), old.power.breakers.ratio.tolist(), strict=True))
    ratio = [known.get(item, 0.0) for item in new.power.circuit.breakers.tolist()]
    state["meter"]["power"] = state["meter"]["power"] | {"ratio": ratio}


def _oddities(state: dict[str, Any], old: RunParts, new: RunParts, stands: EditedPair) -> None:
    """Faults of cooling stay with the nodes and GPUs that do; parts are numbered anew."""
    kept, node_of = stands.kept["nodes"].number, old.plant.gpus.node
    acting = []
    for key, nodes, gpu, *rest in state["acting"]:
        mine = [node for node in nodes if node in kept]
        if mine or (gpu >= 0 and int(node_of[gpu]) in kept):
            acting.append([key, mine, gpu, *rest])
    place = {key: number for number, key in enumerate(new.body.keys)}
    known = [(place.get(old.body.keys[base]), *how) for base, *how in state["variants"]]
    state["variants"] = [list(one) for one in known if one[0] is not None]
    state["acting"], state["changed"] = acting, True


def _not_begun(state: dict[str, Any]) -> None:
    """A job that has not begun asks for what its scene says now."""
    for row in state["rows"]:
        if row.get("start_s") is None:
            row.pop("gpus", None)
            row.pop("submit_s", None)


class _Clocks:
    """Clocks of failures: each component keeps its own, by its key; that of a newcomer starts now."""

    def __init__(self, old: FailureClocks, new: FailureClocks, now_s: float) -> None:
        self.old, self.new, self.now_s = old, new, now_s

    def state(self, stands: EditedPair) -> dict[str, Any]:
        old, new = self.old.state(), self.new.state()
        before, after = len(self.old.count), len(self.new.count)
        there, here = stands.kept["nodes"].there, stands.kept["nodes"].here
        gone = np.setdiff1d(np.arange(before), there)  # should they come back, their clocks continue
        gone = gone[~np.isin(gone, here)]
        nodes = np.append(there, gone), np.append(here, gone)
        generation = np.zeros(after, np.int64)
        generation[nodes[1]] = self.old.generation[nodes[0]]
        merged = self._set(self.old, self.new, old, new, nodes) | {"generation": generation.tolist()}
        if self.old.replaced_by:
            place = dict(zip(nodes[0].tolist(), nodes[1].tolist(), strict=True))
            merged["replaced_by"] = [(place[node], seed) for node, seed in self.old.replaced_by.items()]
        others = []
        laws = {(on, clocks.shape): at for at, (on, _, clocks) in enumerate(self.old.others)}
        for at, (on, _, clocks) in enumerate(self.new.others):
            before = laws[on, clocks.shape]
            mine, slots = self.old.others[before][2], nodes
            if on != "node":
                _, had, has = np.intersect1d(mine.keys, clocks.keys, return_indices=True)
                slots = had, has
            others.append(self._set(mine, clocks, old["others"][before], new["others"][at], slots))
        return merged | {"others": others}

    def _set(
        self,
        mine: ClockSet,
        clocks: ClockSet,
        old: dict[str, Any],
        new: dict[str, Any],
        slots: tuple[IntP, IntP],
    ) -> dict[str, Any]:
        (there, here), count = slots, len(clocks.count)
        merged: dict[str, Any] = {}
        for name, begin in (("count", 0), ("hazard", 0.0), ("since_s", self.now_s), ("wear", 1.0)):
            values = np.full(count, begin)
            if old[name]:
                values[here] = np.array(old[name])[there]
            merged[name] = values.tolist()
        if mine.redrawn:
            threshold = clocks.threshold.copy()
            threshold[here] = mine.threshold[there]
            merged["threshold"] = threshold.tolist()
        up = np.array(new["up"], bool)
        up[here] = np.array(old["up"], bool)[there]
        return merged | {"up": up.tolist()}


def timers_of(old: RunParts, new: RunParts, stands: EditedPair) -> list[Timer]:
    """Return the timers that continue, those of cooling and nodes under the numbers they have now."""
    before, after = old.plant, new.plant
    loops, plants = len(before.loops.ids), len(before.plants.ids)
    more_loops, more_plants = len(after.loops.ids) - loops, len(after.plants.ids) - plants

    def renumbered(
        id: int,
    ) -> int:  # as `Cooling` numbers them: loops, plants, water of plants, coils of loops
        ends = (loops, loops + plants, loops + 2 * plants)
        steps = (0, more_loops, more_loops + more_plants, more_loops + 2 * more_plants)
        return id + steps[sum(id >= end for end in ends)]

    gone = {slot for slot in range(loops) if not after.loops.present[slot]}
    number = stands.kept["nodes"].number
    rows = []
    for timer in old.timers.rows():
        if timer.kind in ("repair", "hands"):
            timer = timer._replace(id=number[timer.id])
        if timer.kind == "cooling":
            coil = timer.id - loops - 2 * plants
            if timer.id in gone or coil in gone:
                continue
            timer = timer._replace(id=renumbered(timer.id))
        rows.append(timer)
    return rows
