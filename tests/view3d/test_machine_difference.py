"""What differs between the machines of two halls: numbers, before anything is drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from twin.plant.build import build
from twin.plant.geometry import build_geometry
from twin.plant.tables import Plant
from twin.record.channels import PowerState, State
from twin.record.frame import Frame
from twin.runtime.inline import run
from twin.scenario import load
from twin.view3d.colour.machine_difference import (
    LINK_PERCENT,
    WATER_K,
    MachinesApart,
    Matched,
    machines_apart,
    standing_alone,
)
from twin.view3d.place.cable_field import CableField


@pytest.fixture(scope="module")
def hall() -> tuple[Plant, Frame]:
    scenario = load("builtin:lab-16").scenario
    engine = run(scenario, until_s=600.0).engine
    frame = Frame.empty(engine.layout)
    engine.fill(frame)
    return build(scenario), frame


def changed(frame: Frame, **values: tuple[int, float]) -> Frame:
    """Return a copy in which one entity of some channels has another value."""
    copy = Frame.empty(frame.layout)
    for name, array in frame.values.items():
        copy.values[name][:] = array
    for name, (place, value) in values.items():
        copy.values[name.replace("__", ".")][place] = value
    return copy


def between(hall: tuple[Plant, Frame], b: Frame) -> MachinesApart:
    plant, a = hall
    return machines_apart((plant, plant), (a, b), Matched.of(plant, plant))


def test_nothing_differs_from_itself(hall: tuple[Plant, Frame]) -> None:
    found = between(hall, hall[1])
    assert (found.categories, found.worse, found.better) == ((), (), ())
    assert not found.links_differ
    assert len(np.unique(found.colours.loops.reshape(-1, 3), axis=0)) == 1
    assert len(np.unique(found.colours.power, axis=0)) == 1


def test_water_is_coloured_where_it_is_warmer(hall: tuple[Plant, Frame]) -> None:
    before = float(hall[1].values["loop.return_c"][0])
    found = between(hall, changed(hall[1], loop__return_c=(0, before + 2 * WATER_K)))
    there, back = found.colours.loops[0]
    assert back[0] > back[2] > 0
    assert back[0] > 0.9  # the warm end of the ramp: what is beyond it looks no other
    assert there.max() - there.min() < 0.05
    (water,) = found.categories
    assert (water.label, water.count) == ("coolant, ± 5 K", 1)
    assert water.rgb == pytest.approx(back.tolist())


def test_what_fails_in_one_only_is_named(hall: tuple[Plant, Frame]) -> None:
    plant, frame = hall
    b = changed(frame, power__state=(0, PowerState.TRIPPED), switch__state=(0, State.FAILED))
    assert between(hall, b).worse == (plant.power.ids[0], plant.switches.ids[0])
    back = machines_apart((plant, plant), (b, frame), Matched.of(plant, plant))
    assert back.better == (plant.power.ids[0], plant.switches.ids[0])
    assert [one.label for one in back.categories] == ["machine faulty in A only"]


def test_a_piece_of_cable_shows_the_bundle_that_differs_most(hall: tuple[Plant, Frame]) -> None:
    plant, frame = hall
    runs = CableField(plant, build_geometry(plant)).runs
    one = int(runs.bundle[0])
    load = float(frame.values["bundle.load"][one])
    b = changed(frame, bundle__load=(one, load + LINK_PERCENT if load < 50 else load - LINK_PERCENT))
    found = between(hall, b)
    assert found.links_differ
    rgb = found.colours.pieces(runs)
    neutral = between(hall, frame).colours.pieces(runs)
    differs = np.abs(rgb - neutral).max(axis=1) > 0.02
    of_bundle = runs.highest((runs.bundle == one).astype(float)) > 0
    assert differs.any()
    assert (differs == of_bundle).all()
    lost = between(hall, changed(frame, bundle__down=(one, 1)))
    assert lost.colours.links[one] == -1.0


def test_halls_are_matched_by_id_and_what_stands_alone_is_named(hall: tuple[Plant, Frame]) -> None:
    plant, frame = hall
    gone = replace(plant, loops=replace(plant.loops, ids=["other", *plant.loops.ids[1:]]))
    assert standing_alone(plant, gone) == (plant.loops.ids[0],)
    assert standing_alone(gone, plant) == ("other",)
    found = machines_apart(
        (plant, gone), (frame, changed(frame, loop__return_c=(0, 99.0))), Matched.of(plant, gone)
    )
    assert found.categories == ()  # the one that is warmer has nothing to be held against
    assert found.worse == ()
