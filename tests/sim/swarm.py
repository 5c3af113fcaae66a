"""Laws that hold in every one of the random clusters of `swarm_scenes`.

``python -m tests.sim.swarm SEED [SEED ...]`` (or ``FIRST-LAST``) runs cases again; ``--show`` prints the scene,
``--brief`` only what is wrong, ``--events=N`` stops after so many timers.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))  # run as a program, from anywhere

from tests.sim.swarm_scenes import load_case, scene_of
from twin.record.channels import JobState
from twin.record.frame import Frame
from twin.scenario.generators.all_jobs import jobs_of
from twin.sim.engine.engine import Engine

EVENTS = 700
"""Timers of a case at most: the longest take a second."""
LOOKS = 12
"""Times within a case when all books are read."""


class Broken(AssertionError):
    """A law that does not hold in a case."""

    def __init__(self, seed: int, law: str, said: object) -> None:
        super().__init__(f"case {seed}: {law}: {said}")


# --- laws


def wrong_books(engine: Engine) -> Iterator[tuple[str, object]]:
    """Yield what does not add up now: law, and what was seen."""
    figures = engine.summary()
    json.dumps(figures)
    booked = figures["ledger_gpu_s"]
    installed = figures["installed_gpu_s"]
    off = abs(sum(booked.values()) - installed)
    if off > 1e-9 * max(installed, 1.0):
        yield "ledger sums to installed GPU-seconds", f"{off} of {installed}"
    for account, spent in booked.items():
        if spent < -1e-9 * max(installed, 1.0):
            yield "no account is negative", f"{account} {spent}"
    if engine.now_s > 0 and not figures["energy"]["residual"] <= 1e-9:
        yield "energy balances", figures["energy"]["residual"]
    frame = Frame.empty(engine.layout)
    engine.fill(frame)


AWAY = (JobState.DONE, JobState.KILLED, JobState.REMOTE)


def wrong_places(engine: Engine) -> Iterator[tuple[str, object]]:
    """Yield what nodes and jobs say of each other that cannot be; cheap enough for every event."""
    nodes, rows = engine.nodes, engine.jobs.rows
    held = np.zeros(len(nodes.gpus))
    for row in rows:
        holds = row.state not in (*AWAY, JobState.QUEUED)
        if not holds and (row.nodes or row.held):
            yield (
                "a job that does not run holds nothing",
                (row.id, JobState(row.state).name, row.nodes, row.held),
            )
        if len(set(row.nodes)) != len(row.nodes):
            yield "a job has each node once", (row.id, row.nodes)
        if holds and abs(row.held - nodes.held_gpus(row.index, row.nodes)) > 1e-9:
            yield "a job holds what its nodes say", (row.id, row.held, nodes.held_gpus(row.index, row.nodes))
        for node in row.nodes:
            held[node] += nodes.held_gpus(row.index, [node])
            if row.index not in nodes.jobs_on(node):
                yield "its nodes know a job", (row.id, node, nodes.jobs_on(node))
        if row.progress < row.durable - 1e-6:
            yield "progress is not behind what is safe", (row.id, row.progress, row.durable)
    if (held > nodes.gpus + 1e-9).any():
        yield "capacity is not exceeded", held[held > nodes.gpus].tolist()
    if np.abs(held - nodes.held).max(initial=0.0) > 1e-9:
        yield "nodes hold what jobs say", np.flatnonzero(np.abs(held - nodes.held) > 1e-9).tolist()
        plan = engine.plans[row.index]
        if row.nodes and not plan.allowed[row.nodes].all():
            yield "a job runs where it may", (row.id, row.nodes)
        if (
            holds
            and plan.limit_s is not None
            and (engine.timers.due_s("limit", row.index) or -1.0) < engine.now_s
        ):
            yield "a wall time is watched", (row.id, plan.limit_s)
    submitted = {row.index for row in rows if row.submit_s < engine.now_s and row.state == JobState.QUEUED}
    queue = list(engine.scheduler.queue)
    if len(set(queue)) != len(queue):
        yield "a job waits once", queue
    if submitted - set(queue):
        yield "no job is lost", [rows[i].id for i in sorted(submitted - set(queue))]
    if any(rows[i].state != JobState.QUEUED for i in queue):
        yield "who waits does not run", [(rows[i].id, JobState(rows[i].state).name) for i in queue]


def wrong_neighbours(engine: Engine) -> Iterator[tuple[str, object]]:
    """Yield nodes and racks that a tenant shares though it shares none with others."""
    isolation = {tenant.id: tenant.isolation for tenant in engine.scenario.tenants}
    if set(isolation.values()) <= {"none"}:
        return
    specs, racks = jobs_of(engine.scenario), engine.plant.nodes.rack
    of_node: dict[int, set[str | None]] = {}
    of_rack: dict[int, set[str | None]] = {}
    for row in engine.jobs.active:
        for node in row.nodes:
            of_node.setdefault(node, set()).add(specs[row.index].tenant)
            of_rack.setdefault(int(racks[node]), set()).add(specs[row.index].tenant)
    for kind, of_place, apart in (("node", of_node, ("node", "leaf", "rack")), ("rack", of_rack, ("rack",))):
        for place, tenants in of_place.items():
            if len(tenants) > 1 and any(isolation.get(one or "") in apart for one in tenants):
                yield f"who is isolated shares no {kind}", (place, sorted(map(str, tenants)))


def obeyed(seed: int, events: int = EVENTS) -> Engine:
    """Run a case as `run_case`; whatever goes wrong is told with the command that repeats it."""
    try:
        return run_case(seed, events)
    except Exception as error:
        error.add_note(f"repeat: python -m tests.sim.swarm {seed} --events={events}")
        raise


def run_case(seed: int, events: int = EVENTS) -> Engine:
    """Run the first `events` timers of case `seed` under all laws; raise `Broken` at the first that does not hold.

    It runs once with looks, once more from a snapshot in its midst, and once without a look.
    """
    scenario = load_case(seed)
    die = random.Random(~seed)
    engine = Engine(scenario)
    saved: tuple[float, bytes] | None = None
    save_at = die.randint(1, max(1, events // 2))
    look_every = max(1, EVENTS // LOOKS)
    for k in range(events):
        due_s = engine.timers.next_s()
        if due_s > engine.end_s:
            engine.advance(engine.end_s)
            break
        engine.advance(due_s)
        _obey(seed, wrong_places(engine))
        if k % look_every == 0:
            _obey(seed, wrong_books(engine))
            _obey(seed, wrong_neighbours(engine))
        if k == save_at:
            saved = engine.now_s, engine.snapshot()
    _obey(seed, wrong_places(engine))
    _obey(seed, wrong_books(engine))
    if len(engine.jobs.rows) != len(jobs_of(engine.scenario)):
        raise Broken(seed, "every job has a row", len(engine.jobs.rows))
    again = Engine(scenario)
    again.advance(engine.now_s)
    _same(seed, "the same run twice", engine, again)
    if saved is not None:
        at_s, data = saved
        back = Engine.restore(scenario, data)
        differs = _difference(back.snapshot(), data)
        if differs:
            raise Broken(seed, "a snapshot of what was restored is the same", differs)
        back.advance(engine.now_s)
        _same(seed, f"the same run from a snapshot at {at_s:.1f} s", engine, back)
    return engine


def _obey(seed: int, wrong: Iterator[tuple[str, object]]) -> None:
    for law, said in wrong:
        raise Broken(seed, law, said)


def _same(seed: int, law: str, one: Engine, other: Engine) -> None:
    if one.event_hash() != other.event_hash():
        raise Broken(seed, law, _first_difference(one, other))
    a, b = one.summary()["ledger_gpu_s"], other.summary()["ledger_gpu_s"]
    for account, spent in a.items():
        if abs(spent - b[account]) > 1e-6 * max(abs(spent), 1.0):
            raise Broken(seed, law, f"{account} {spent} and {b[account]}")


def _first_difference(one: Engine, other: Engine) -> str:
    said = [[(e.t_s, e.kind, e.subject, e.text) for e in engine.events(0)] for engine in (one, other)]
    skipped = max(0, len(said[0]) - len(said[1]))
    for a, b in zip(said[0][skipped:], said[1], strict=False):
        if a[1:3] != b[1:3] or abs(a[0] - b[0]) > 1e-3:
            return f"{a} and {b}"
    return f"{len(said[0])} and {len(said[1])} events"


def _difference(one: bytes, other: bytes) -> str:
    from twin.sim.edits.snapshot import unpack

    # 0 and 0.0 are one number
    a, b = (json.loads(json.dumps(unpack(data)), parse_int=float) for data in (one, other))
    return ", ".join(key for key in a if json.dumps(a[key]) != json.dumps(b.get(key)))


def main(arguments: list[str]) -> int:
    """Run the cases of the command line; return how many broke."""
    import traceback
    from time import process_time

    broken, events = 0, EVENTS
    for word in arguments:
        if word.startswith("--events="):
            events = int(word.partition("=")[2])
    for word in arguments:
        if word.startswith("--"):
            continue
        first, _, last = word.partition("-")
        for seed in range(int(first), int(last or first) + 1):
            if "--show" in arguments:
                print(json.dumps(scene_of(seed), indent=1))
            began = process_time()
            try:
                engine = obeyed(seed, events)
            except Exception as error:  # noqa: BLE001 - a program that goes through many cases says of each what was wrong
                broken += 1
                brief = "--brief" in arguments
                print(f"case {seed}: {type(error).__name__}: {error}" if brief else traceback.format_exc())
            else:
                if "--brief" not in arguments:
                    print(f"case {seed}: holds, {engine.log.rows} events, {process_time() - began:.2f} s")
    return broken


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
