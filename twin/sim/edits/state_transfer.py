"""The state of a run onto parts made for an edited hall: who stands on keeps its state, newcomers begin as new.

The state is that of a snapshot; how each field of it goes over stands where it is declared (`twin.sim.core.state`).
Temperatures and groups are `heat_transfer`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from twin.arrays import IntP
from twin.plant.tables import Plant
from twin.sim.core.slot_map import EditedPair, KeptSlots, Numbers
from twin.sim.core.timers import Timer
from twin.sim.edits.heat_transfer import graft_heat
from twin.sim.run.parts import PARTS

if TYPE_CHECKING:
    from twin.sim.run.parts import RunParts


GROUPED = ("traces", "clocks", "lifetime")
"""Parts whose state is by group of GPUs."""


def _same(slots: IntP) -> KeptSlots:
    return KeptSlots(slots, slots)


def standing(before: Plant, after: Plant, jobs: int, at_s: float) -> EditedPair:
    """Compare two plants with the same slots at `at_s` [s]; so many `jobs` there were before, and none of them goes."""
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
    numbers = Numbers.of(before, after, kept["nodes"].number)
    return EditedPair(kept, np.flatnonzero(came), np.flatnonzero(gone), numbers, at_s)


def graft(old: RunParts, new: RunParts, edit: EditedPair) -> None:
    """Let `new`, freshly built on the edited plant, continue where `old` stands, whose heat is booked up to now."""
    carried = {
        name: getattr(new, name).carried(getattr(old, name), edit) for name in PARTS if name not in GROUPED
    }
    for name, saved in carried.items():
        getattr(new, name).restore(saved)
    for was in old.jobs.rows:
        row = new.jobs.rows[was.index]
        if row.start_s is not None:
            row.first_s = was.first_s or old.jobs.planned[was.index].step_s
            done = old.jobs.progress_at(was, new.timers.now_s)
            new.jobs.planned_anew(row, done, old.jobs.ideal_s(was))
    graft_heat(old, new, edit)


def timers_of(old: RunParts, new: RunParts, edit: EditedPair) -> list[Timer]:
    """Return the timers that continue, those of cooling and nodes under the numbers they have now."""
    before, after = old.plant, new.plant
    loops, plants = len(before.loops.ids), len(before.plants.ids)
    more_loops, more_plants = len(after.loops.ids) - loops, len(after.plants.ids) - plants

    def renumbered(id: int) -> int:  # as cooling numbers them: loops, plants, water of plants, coils of loops
        ends = (loops, loops + plants, loops + 2 * plants)
        steps = (0, more_loops, more_loops + more_plants, more_loops + 2 * more_plants)
        return id + steps[sum(id >= end for end in ends)]

    gone = {slot for slot in range(loops) if not after.loops.present[slot]}
    number = edit.kept["nodes"].number
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
