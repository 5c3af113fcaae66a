"""What is taken out of a hall that runs: it is first let go of, as a person would who is about to carry it away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from twin.arrays import IntP
from twin.plant.links import find_link, stands
from twin.plant.tables import Plant
from twin.sim.jobs.job_row import AT_REST, JobRow
from twin.sim.jobs.spare_choice import seats_of

if TYPE_CHECKING:
    from twin.sim.run.parts import RunParts


PLANNED = "edit"
"""Name under which jobs that were stopped for it are counted."""


def let_go(engine: RunParts, nodes: IntP, after: Plant, why: str) -> None:
    """Take `nodes` from their jobs and from all that is done to them, and end the faults of what stands no more.

    Parameters
    ----------
    engine
        With the hall as it stands.
    nodes
        That will be gone.
    after
        The plant as it will be.
    why
        For people.
    """
    _end_faults(engine, set(nodes.tolist()), after)
    now = engine.timers.now_s
    for node in nodes.tolist():
        engine.nodes.cordon(now, node, True)
    gone = set(nodes.tolist())
    for job in engine.nodes.jobs_of(nodes):
        row = engine.jobs.rows[job]
        if engine.recovery.interrupt(row, None, why):
            engine.incidents.planned[PLANNED] += 1
        _leave(engine, row, gone)
    for node in nodes.tolist():
        _forget(engine, node)
        engine.failures.set_up(node, now, False)
    if gone:
        engine.repairs._call()
        health = engine.health
        health.held = {
            group: (checks, [n for n in held if n not in gone])
            for group, (checks, held) in health.held.items()
        }
        health.reported = {(check, node) for check, node in health.reported if node not in gone}


def _leave(engine: RunParts, row: JobRow, gone: set[int]) -> None:
    """Let a job that was stopped do without nodes that are carried away: it holds them no longer."""
    recovery, now = engine.recovery, engine.timers.now_s
    lost = [node for node in row.nodes if node in gone]
    if not lost or row.state in AT_REST:
        return
    if row.dropping:  # nobody needs to notice first what everybody was told
        engine.timers.cancel("job", row.index)
        recovery.swap(row)
        return
    engine.jobs.book(row, now)
    count = len(row.nodes) + len(row.vacant)
    seats = seats_of(row, engine.jobs.slots(row), count)
    seats = np.where(np.isin(seats, lost), -1, seats)
    engine.nodes.give_back(now, row.index, lost)
    engine.jobs.take_slots(row, seats[seats >= 0])
    row.vacant = np.flatnonzero(seats < 0).tolist()
    row.struck = [node for node in row.struck if node not in gone]
    recovery._hold(row)
    recovery.changed.add(row.index)


def _forget(engine: RunParts, node: int) -> None:
    """Let repairs, checks and bursts have nothing more to do with a node."""
    repairs, timers, now = engine.repairs, engine.timers, engine.timers.now_s
    if repairs.tickets.pop(node, None) is not None:
        repairs.parts.forgo(node)
        if node in repairs.queue:
            repairs.queue.remove(node)
        repairs.busy.discard(node)
        for kind in ("repair", "hands"):
            timers.cancel(kind, node)
        engine.nodes.bring_back(now, node)
    pending = engine.incidents.strikes.pending
    for number in [number for number, follower in pending.items() if follower[0] == node]:
        del pending[number]
        timers.cancel("burst", number)
    engine.health.marked.pop(node, None)


def _end_faults(engine: RunParts, gone: set[int], after: Plant) -> None:
    """End what lasts at components that are removed."""
    degraded, incidents = engine.degraded, engine.incidents
    for number, bad in list(degraded.faults.items()):
        if bad.node in gone or (bad.link and find_link(after, bad.link) is None):
            degraded.end(number)
    for acting in (engine.outages.acting, incidents.facility.acting):
        for i in [i for i in acting if not stands(after, i.target)]:
            incidents.end_at_once(i)
