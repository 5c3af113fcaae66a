import numpy as np
import pytest
from canonical import canonical
from demo_scenes import nvl72_rows, superpod
from hypothesis import given, settings
from hypothesis import strategies as st

from twin.plant.build import build
from twin.plant.error import PlantError
from twin.plant.patch import rebuild
from twin.scenario.schema.document import Scenario


def with_rows(
    scenario: Scenario,
    *,
    rows: int,
    racks: int,
    nodes: int,
    overrides: dict,
    abreast: int = 1,
    extra_power: tuple[dict, ...] = (),
) -> Scenario:
    document = scenario.model_dump(by_alias=True)
    generator = document["halls"][0]["rows"][0]
    generator["count"] = rows
    generator["racks"]["count"] = racks
    if generator["racks"]["nodes"]:
        generator["racks"]["nodes"] = [generator["racks"]["nodes"][0] | {"count": nodes, "abreast": abreast}]
    document["halls"][0]["overrides"] = overrides
    document["power"] += extra_power
    return Scenario.model_validate(document)


items = st.one_of(
    st.tuples(st.integers(0, 1)),
    st.tuples(st.integers(0, 1), st.integers(0, 3)),
    st.tuples(st.integers(0, 1), st.integers(0, 3), st.integers(0, 1)),
    st.tuples(st.integers(0, 1), st.integers(0, 3), st.integers(0, 1), st.integers(0, 7)),
)
states = st.fixed_dictionaries(
    {
        "rows": st.integers(2, 4),
        "racks": st.integers(4, 9),
        "nodes": st.integers(2, 4),
        "abreast": st.integers(1, 2),
        "pdus": st.integers(1, 3),
        "towers": st.sampled_from(["pdu-c", "pdu-d", ""]),
        "absent": st.sets(items, max_size=4),
        "exchanged": st.sets(st.tuples(st.integers(0, 1), st.integers(0, 3)), max_size=2),
    }
)


def scene_of(state: dict) -> Scenario:
    overrides: dict[str, dict] = {}
    for row, rack in state["exchanged"]:
        overrides[f"gpu/{row}/{rack}/0"] = {"part": "GB200-compute-tray"}
    for path in state["absent"]:
        if len(path) == 4 and (path[0], path[1]) in state["exchanged"]:
            continue
        overrides.setdefault("/".join(["gpu", *map(str, path)]), {})["absent"] = True
    return with_rows(
        superpod(2),
        rows=state["rows"],
        racks=state["racks"],
        nodes=state["nodes"],
        overrides=overrides,
        abreast=state["abreast"],
        extra_power=(
            {"id": "gen", "kind": "generator", "at": "utility"},
            {"id": "bess", "kind": "battery", "at": "ups-a", "count": 2},
            *(
                {
                    "id": one,
                    "kind": "pdu",
                    "from": ups,
                    "or_from": other,
                    "count": state["pdus"],
                    "feeds": ["crah", "fws"] if state["towers"] == one else ["crah"],
                }
                for one, ups, other in (("pdu-c", "ups-a", "ups-b"), ("pdu-d", "ups-b", "ups-a"))
            ),
        ),
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(states, min_size=2, max_size=4))
def test_a_patched_plant_is_the_rebuilt_one_by_id(states_in_turn: list[dict]) -> None:
    plant = build(scene_of(states_in_turn[0]))
    for epoch, state in enumerate(states_in_turn[1:], start=1):
        plant = rebuild(plant, scene_of(state))
        assert plant.epoch == epoch
        assert canonical(plant) == canonical(build(scene_of(state)))


def test_slots_stay_when_a_rack_goes_and_a_row_comes() -> None:
    before = build(superpod(2))
    less = rebuild(
        before, with_rows(superpod(2), rows=2, racks=8, nodes=4, overrides={"gpu/0/3": {"absent": True}})
    )
    more = rebuild(less, with_rows(superpod(2), rows=3, racks=8, nodes=4, overrides={}))
    for table in ("racks", "nodes", "switches", "power", "loops"):
        old = getattr(before, table).ids
        assert getattr(less, table).ids[: len(old)] == old
        assert getattr(more, table).ids[: len(old)] == old
    gone = before.slots["gpu/0/3"][1]
    assert not less.racks.present[gone]
    assert less.nodes.present.sum() == 60
    assert less.gpus.present.sum() == 480
    assert more.racks.present[gone]
    assert more.gpus.present.sum() == 768
    np.testing.assert_array_equal(more.gpus.node[: len(before.gpus.node)], before.gpus.node)


def test_the_old_plant_is_untouched() -> None:
    plant = build(superpod(1))
    kept = canonical(plant)
    rebuild(plant, with_rows(superpod(1), rows=1, racks=8, nodes=2, overrides={"gpu/0/0": {"absent": True}}))
    assert canonical(plant) == kept


def test_taking_away_a_hall_needs_a_new_run() -> None:
    plant = build(superpod(1))
    other = superpod(1).model_dump(by_alias=True)
    other["halls"][0]["id"] = "annex"
    with pytest.raises(PlantError, match="hall 'hall' cannot be removed during a run"):
        rebuild(plant, Scenario.model_validate(other))


def test_racks_of_liquid_halls_grow_too() -> None:
    plant = rebuild(build(nvl72_rows(1, 4)), nvl72_rows(2, 6))
    assert canonical(plant) == canonical(build(nvl72_rows(2, 6)))
