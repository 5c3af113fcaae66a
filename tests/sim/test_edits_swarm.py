"""Random clusters whose halls are edited at random while faults, people and jobs are at work: all laws hold."""

from __future__ import annotations

import random

import pytest
from edit_scenes import edit, with_edits
from swarm import load_case, wrong_books, wrong_neighbours, wrong_places
from usual_cases import usually

from twin.sim.engine.engine import Engine

EVENTS = 200
Changes = list[tuple[str, str | None]]


def _change(die: random.Random, engine: Engine) -> tuple[str, str | None] | None:
    scene, plant = engine.edits.scene, engine.plant
    hall = scene.halls[0]
    row, over = die.choice(hall.rows), f"halls[{hall.id}].overrides"
    racks = [name for name, there in zip(plant.racks.ids, plant.racks.present, strict=True) if there]
    mine = [name for name in racks if name.startswith(f"{row.id}/")] or racks
    nodes = [name for name, there in zip(plant.nodes.ids, plant.nodes.present, strict=True) if there]
    gone = [name for name, one in hall.overrides.items() if one.absent]
    loop = die.choice(scene.cooling.loops)
    kinds: list[tuple[str, str | None]] = [
        (f"halls[{hall.id}].rows[{row.id}].racks.count", str(row.racks.count + die.choice((1, 1, 2)))),
        (f"{over}[{die.choice(mine)}].absent", "true"),
        (f"{over}[{die.choice(gone)}].absent", None) if gone else ("title", "another"),
        (f"{over}[{die.choice(mine)}].at", f"{{x: {die.randint(40, 60)} m, y: {die.randint(40, 60)} m}}"),
        (f"cooling.loops[{loop.id}].count", str(max(1, (loop.count or 1) + die.choice((1, -1))))),
        (f"{over}[{die.choice(nodes)}].drained", die.choice(("true", "false"))),
        (f"{over}[{die.choice(nodes)}].absent", "true"),
    ]
    if scene.jobs:
        kinds.append(
            (f"jobs[{die.choice(scene.jobs).id}].checkpoint.interval", f"{die.randint(200, 4000)} s")
        )
    return die.choices(kinds, [25, 20, 15, 8, 8, 8, 6, 10][: len(kinds)])[0]


def _laws(engine: Engine, *, books: bool) -> None:
    assert not list(wrong_places(engine))
    if books:
        assert not [*wrong_books(engine), *wrong_neighbours(engine)]


@pytest.mark.parametrize("seed", usually([3, 52, *range(60, 110)], 1))
def test_all_laws_hold_over_edits(seed: int) -> None:
    scene, die = load_case(seed), random.Random(7 * seed + 1)
    engine, saved = Engine(scene), None
    every = die.choice((20, 40))
    for event in range(EVENTS):
        due_s = engine.timers.next_s()
        if due_s > engine.end_s:
            break
        engine.advance(due_s)
        _laws(engine, books=event % 60 == 59)
        change = _change(die, engine) if event % every == every - 1 else None
        if change is not None:
            at_s = engine.boundary_s(0.0)
            if engine.intervene(edit(at_s, f"edit-{event}", change)) is None:
                engine.advance(at_s)
                _laws(engine, books=True)
        if event == EVENTS // 2:
            saved = engine.snapshot()
    _laws(engine, books=True)
    again = Engine(with_edits(scene, *engine.edits.asked))
    again.advance(engine.now_s)
    assert again.event_hash() == engine.event_hash()
    if saved is not None:
        back = Engine.restore(scene, saved)
        for one in engine.edits.asked[len(back.edits.asked) :]:
            assert back.intervene(one) is None
        back.advance(engine.now_s)
        assert back.event_hash() == engine.event_hash()
