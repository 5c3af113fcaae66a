"""The light of the floor: what is baked from the plant before is what is baked from nothing."""

from __future__ import annotations

import random

import numpy as np

from twin.plant.build import build
from twin.plant.geometry import build_geometry
from twin.scenario import Change, Patch, ScenarioError, load
from twin.scenario.file.patch_text import edit
from twin.view3d.place.lightmap import Baker, bake


def test_light_follows_edits_as_if_baked_anew() -> None:
    """Racks that go and come, rows far off that make the hall grow, and all of it back again."""
    draw = random.Random(4)
    stages = [load("builtin:superpod-h100")]
    hall = stages[0].scenario.halls[0]
    rows = hall.rows[0]
    for number in range(12):
        racks = f"{draw.randrange(rows.count)}/{draw.randrange(rows.racks.count)}"
        row = (
            f"{{id: far-{number}, label: R, at: {{x: {draw.uniform(-3, 30):.2f} m, y: {draw.uniform(0, 140):.2f} m}}, "
            "facing: south, racks: {count: 2}}"
        )
        change = draw.choice(
            [
                Change(f"halls[{hall.id}].overrides[{rows.id}/{racks}]", "{absent: true}"),
                Change(f"halls[{hall.id}].rows[far-{number}]", row),
            ]
        )
        try:
            stages.append(edit(stages[-1], Patch((change,)))[0])
        except ScenarioError:
            continue  # a job has too few nodes now
    assert len(stages) > 6
    baker = Baker()
    in_parts = 0
    for stage in [*stages, *reversed(stages)]:
        plant = build(stage.scenario)
        geometry = build_geometry(plant)
        light, anew = baker.bake(plant, geometry), bake(plant, geometry)
        assert np.array_equal(light.texels, anew.texels)
        assert (light.origin_m, light.size_m) == (anew.origin_m, anew.size_m)
        in_parts += light.changed is not None
    assert in_parts > 2
