"""What a builder keeps from the plant before is what it would have made: slot by slot, number by number."""

from __future__ import annotations

import random
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from usual_cases import usually

from twin.plant.build import Builder, build, plant_of
from twin.scenario import Change, ScenarioError, load
from twin.scenario.file.apply_edits import edited
from twin.scenario.schema.document import Scenario


def differing(one: Any, other: Any, name: str = "plant") -> list[str]:
    """Return which columns of two plants are not the same."""
    if isinstance(one, np.ndarray):
        same = one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        return [] if same else [name]
    if is_dataclass(one):
        pairs = ((f.name, getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
        return [found for key, a, b in pairs for found in differing(a, b, f"{name}.{key}")]
    return [] if one == other else [name]


def changes_of(scenario: Scenario, draw: random.Random) -> list[Change]:
    """Return changes of one part of the scene each: what stands, cools, feeds, joins, stores, and what does neither."""
    hall = draw.choice(scenario.halls)
    rows = draw.choice(hall.rows)
    rack = f"{rows.id}/{draw.randrange(rows.count)}/{draw.randrange(rows.racks.count)}"
    found = [
        Change("title", f"Another {draw.randrange(99)}"),
        Change("duration", f"{draw.randrange(1, 9)} d"),
        Change(f"halls[{hall.id}].overrides[{rack}]", "{absent: true}"),
        Change(f"halls[{hall.id}].overrides[{rack}]", f"{{at: {{x: {draw.randrange(99)} m, y: 50 m}}}}"),
        Change(f"halls[{hall.id}].overrides[{rack}/0]", "{drained: true}"),
        Change(f"halls[{hall.id}].rows[{rows.id}].containment", draw.choice(("hot", "cold", "none"))),
        Change(
            f"halls[{hall.id}].rows[far]",
            "{id: far, at: {x: 0 m, y: 99 m}, racks: {count: 2, role: network}}",
        ),
    ]
    if scenario.fabrics:
        found.append(
            Change(f"fabrics[{scenario.fabrics[0].id}].cable", draw.choice(("DAC-800G", "AOC-400G")))
        )
    if scenario.cooling.loops:
        loop = draw.choice(scenario.cooling.loops)
        found.append(Change(f"cooling.loops[{loop.id}].count", str(draw.randint(1, 4))))
    if scenario.power:
        stage = draw.choice(scenario.power)
        found.append(Change(f"power[{stage.id}].count", str(draw.randint(1, 4))))
    if scenario.storage:
        store = draw.choice(scenario.storage)
        found.append(Change(f"storage[{store.id}].count", str(draw.randint(1, 4))))
    return found


@pytest.mark.parametrize(
    "name",
    usually(["llama3-16k", "nvl72-row", "superpod-h100", "shared-cluster"], ("nvl72-row", "shared-cluster")),
)
def test_each_edit_gives_the_plant_that_building_anew_gives(name: str) -> None:
    draw = random.Random(name)
    stages = [load(f"builtin:{name}").scenario]
    builder = Builder()
    for _ in range(40):
        try:
            stages.append(edited(draw.choice(stages[-3:]), [draw.choice(changes_of(stages[-1], draw))]))
        except ScenarioError:
            continue  # a job that finds no nodes, a place that is taken
    assert len(stages) > 10
    for stage in stages:
        plant = builder.plant(stage)
        assert not differing(plant, build(stage))
        again = builder.plant(draw.choice(stages))
        assert not differing(plant, build(stage)), "an earlier plant was written into"
        assert again.epoch == 0


def test_what_stands_nowhere_makes_no_other_plant() -> None:
    scenario = load("builtin:superpod-h100").scenario
    renamed = edited(scenario, [Change("title", "Another"), Change("duration", "3 d")])
    assert plant_of(renamed) is plant_of(scenario)
    assert plant_of(edited(renamed, [Change("halls[su].title", "Another hall")])) is not plant_of(scenario)
