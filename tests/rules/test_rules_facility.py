"""Design rules of power and cooling: one clean scene, and for each rule the one change that breaks it alone."""

from __future__ import annotations

import pytest
from usual_cases import but_largest

from twin.catalog import load_catalog
from twin.plant.build import build
from twin.plant.design_load import DesignLoad, rack_design_w
from twin.rules import Finding, check
from twin.scenario import load, loads
from twin.scenario.reading.extend import builtin_names

CLEAN = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: A clean 2N hall
failures: {enabled: false}
exclusions:
  - {id: parts, rule: part-unverified, target: '*', comment: not what these tests are about}
  - {id: sizes, rule: oversized, target: '*', comment: not what these tests are about}
site:
  climate: {dry_bulb: 12 degC, wet_bulb: 9 degC, swing: 8 K}
halls:
  - id: hall
    dew_point: 11 degC
    rows:
      - {id: gpu, racks: {count: 4, part: GB200-NVL72}}
      - {id: net, at: {y: 4 m}, racks: {count: 2, role: network}}
power:
  - {id: grid, kind: utility, capacity: 3 MW}
  - {id: main, kind: switchgear, from: grid}
  - {id: gen, kind: generator, part: diesel-genset-3MW, at: main}
  - {id: trafo, kind: transformer, part: transformer-MV-LV, from: main, feeds: [water]}
  - {id: ups-a, kind: ups, part: UPS-double-conversion, from: main}
  - {id: ups-b, kind: ups, part: UPS-double-conversion, from: main}
  - {id: duct-a, kind: busbar, part: busway-415V-400A, count: 4, from: ups-a, feeds: [gpu], breaker: {rating: 125 %}}
  - {id: duct-b, kind: busbar, part: busway-415V-400A, count: 4, from: ups-b, feeds: [gpu], breaker: {rating: 125 %}}
  - {id: pdu-a, kind: pdu, part: floor-PDU, from: ups-a, feeds: [net, cdu, crah]}
  - {id: pdu-b, kind: pdu, part: floor-PDU, from: ups-b, feeds: [net, cdu, crah]}
cooling:
  plants:
    - {id: water, kind: dry-cooler, supply: 26 degC}
  loops:
    - {id: cdu, kind: liquid, part: CDU-inrow-1350, count: 2, plant: water, serves: [gpu], supply: 30 degC}
    - {id: crah, kind: air, part: CRAH-chilled, plant: water, serves: [gpu, net], supply: 27 degC}
"""


def found(text: str) -> list[Finding]:
    scenario = loads(text, "mine").scenario
    return list(check(scenario, build(scenario), load_catalog()).open)


def test_a_clean_hall_leaves_no_doubts() -> None:
    assert found(CLEAN) == []


RULES = [
    # a branch above its capacity: half a rack of 132 kW on a stage of 50 kW, with its own limit on both sides
    (
        "part: busway-415V-400A, count: 4, from: ups-a, feeds: [gpu], breaker: {rating: 125 %}",
        "capacity: 50 kW, count: 4, from: ups-a, feeds: [gpu]",
        "power[duct-a].count",
        "duct-a/0 carries 63.7 kW, capacity 50 kW",
        "a count of ",
    ),
    # a generator that cannot take what hangs on its bus
    (
        "part: diesel-genset-3MW, at: main",
        "part: diesel-genset-3MW, capacity: 100 kW, at: main",
        "power[gen].capacity",
        "is too low: 100 kW with the sources in parallel is below the ",
        "larger or more generators",
    ),
    # 80 % of the breaker, with the stage itself large enough
    (
        "count: 4, from: ups-b, feeds: [gpu], breaker: {rating: 125 %}",
        "count: 4, from: ups-b, feeds: [gpu], breaker: {rating: 30 %}",
        "power[duct-b].count",
        "% of its rating",
        "80 %",
    ),
    # N+1 on paper: 2 of 3 transformers do not carry the coolers
    (
        "part: transformer-MV-LV, from: main, feeds: [water]",
        "part: transformer-MV-LV, capacity: 5 kW, units: 3, needed: 2, from: main, feeds: [water]",
        "power[trafo].units",
        "do not give N+1: trafo/0 carries ",
        "more units",
    ),
    # 2N on paper: the UPS of one side cannot carry both
    (
        "id: ups-b, kind: ups, part: UPS-double-conversion,",
        "id: ups-b, kind: ups, part: UPS-double-conversion, capacity: 450 kW,",
        "power[ups-b].count",
        "after loss of feed duct-a",
        "for 2N",
    ),
    # one feed while others have two
    (
        "from: ups-b, feeds: [net, cdu, crah]",
        "from: ups-b, feeds: [cdu, crah]",
        "halls[hall].rows[net].id",
        "single-fed",
        "second",
    ),
    # pumps and fans that stop with the utility
    (
        "{id: pdu-a, kind: pdu, part: floor-PDU, from: ups-a, feeds: [net, cdu, crah]}\n"
        "  - {id: pdu-b, kind: pdu, part: floor-PDU, from: ups-b, feeds: [net, cdu, crah]}",
        "{id: pdu-a, kind: pdu, part: floor-PDU, from: ups-a, feeds: [net, crah]}\n"
        "  - {id: pdu-b, kind: pdu, part: floor-PDU, from: ups-b, feeds: [net, crah]}",
        "cooling.loops[cdu].id",
        "pumps on no stage",
        "behind the UPS",
    ),
    (
        "from: ups-a, feeds: [net, cdu, crah]}\n"
        "  - {id: pdu-b, kind: pdu, part: floor-PDU, from: ups-b, feeds: [net, cdu, crah]}",
        "from: ups-a, feeds: [net, cdu]}\n"
        "  - {id: pdu-b, kind: pdu, part: floor-PDU, from: ups-b, feeds: [net, cdu]}\n"
        "  - {id: house, kind: pdu, part: floor-PDU, from: main, feeds: [crah]}",
        "cooling.loops[crah].id",
        "fans on no UPS",
        "behind the UPS",
    ),
    # batteries
    (
        "id: ups-a, kind: ups, part: UPS-double-conversion,",
        "id: ups-a, kind: ups, part: UPS-double-conversion, battery: 20 s,",
        "power[ups-a].battery",
        "only after 40 s",
        "larger battery",
    ),
    (
        "count: 2, plant: water, serves: [gpu]",
        "count: 2, plant: water, serves: [gpu], flow: 2000 lpm",
        "cooling.loops[cdu].units",
        "2 units",
        "",
    ),
    (
        "part: CDU-inrow-1350, count: 2, plant: water, serves: [gpu], supply: 30 degC",
        "part: CDU-inrack-4U, count: 4, flow: 100 lpm, plant: water, serves: [gpu], supply: 31 degC",
        "cooling.loops[cdu].units",
        "cooling capacity of cdu/0, 80 kW",
        " units",
    ),
    ("dew_point: 11 degC", "dew_point: 29 degC", "cooling.loops[cdu].supply", "dew point", "31 °C"),
    (
        "serves: [gpu, net], supply: 27 degC",
        "serves: [gpu, net], supply: 36 degC",
        "cooling.loops[crah].supply",
        "class A2",
        "10 to 35",
    ),
    (
        "serves: [gpu], supply: 30 degC",
        "serves: [gpu], supply: 28 degC",
        "cooling.loops[cdu].supply",
        "4 K approach of the heat exchanger",
        "30 °C or more",
    ),
    (
        "kind: dry-cooler, supply: 26 degC",
        "kind: dry-cooler, supply: 23 degC",
        "cooling.plants[water].supply",
        "at 16 °C outdoor air a dry-cooler supplies 24 °C",
        "24 °C or more",
    ),
    (
        "kind: dry-cooler, supply",
        "kind: cooling-tower, part: cooling-tower, units: 1, needed: 1, supply",
        "",
        "",
        "",
    ),
    (
        "dry_bulb: 12 degC, wet_bulb: 9 degC, swing: 8 K",
        "place: phoenix",
        "cooling.plants[water].supply",
        "is not met at design conditions",
        "or a chiller",
    ),
]


@pytest.mark.parametrize(("old", "new", "key", "said", "right"), RULES)
def test_a_rule_is_broken_alone(old: str, new: str, key: str, said: str, right: str) -> None:
    assert CLEAN.count(old) == 1
    problems = found(CLEAN.replace(old, new))
    assert [problem.key for problem in problems] == ([key] if key else [])
    for problem in problems:
        assert said in f"{problem.reason}; {problem.fix}"
        assert right in problem.fix
        assert problem.sentence.endswith(problem.reason)
        assert problem.ids


def test_without_generator_an_empty_battery_is_an_outage() -> None:
    text = CLEAN.replace("  - {id: gen, kind: generator, part: diesel-genset-3MW, at: main}\n", "")
    assert found(text) == []
    for side in "ab":
        text = text.replace(
            f"id: ups-{side}, kind: ups, part: UPS-double-conversion,",
            f"id: ups-{side}, kind: ups, part: UPS-double-conversion, battery: 0 s,",
        )
    problems = found(text)
    assert [p.key for p in problems] == ["power[ups-a].battery", "power[ups-b].battery"]
    assert all("no generator" in p.reason for p in problems)


def test_a_plant_with_too_few_machines() -> None:
    text = CLEAN.replace("kind: dry-cooler,", "kind: dry-cooler, units: 2, needed: 1,")
    (problem,) = [
        p for p in found(text.replace("racks: {count: 4,", "racks: {count: 9,")) if "plants" in p.key
    ]
    assert problem.key == "cooling.plants[water].needed"
    assert "1 dry-cooler reject 1 MW, below the design heat of the halls, 1.15 MW" in problem.reason
    assert problem.fix == "2 units"


def test_one_side_that_carries_the_pumps_alone_is_out_of_balance() -> None:
    text = CLEAN.replace("kind: dry-cooler,", "kind: dry-cooler, pump: 70 kW,")
    assert found(text) == []
    trafo = "  - {id: trafo, kind: transformer, part: transformer-MV-LV, from: main, feeds: [water]}\n"
    assert trafo in text
    text = text.replace(trafo, "")
    text = text.replace(
        "from: ups-a, feeds: [gpu], breaker: {rating: 125 %}",
        "from: ups-a, feeds: [gpu, water], breaker: {rating: 125 %}",
    )
    (problem,) = found(text)
    assert problem.key == "power[duct-a].feeds"
    assert "is unbalanced" in problem.reason


def test_losing_one_side_moves_its_load_to_the_other() -> None:
    plant = build(loads(CLEAN).scenario)
    load = DesignLoad(plant, load_catalog())
    power = plant.power
    usual_w = load.out_w()
    racks_w = rack_design_w(plant, load_catalog())
    duct = [power.ids.index(f"duct-a/{i}") for i in range(4)]
    assert usual_w[duct] == pytest.approx(racks_w[:4] / 2)
    lost = power.stage == power.stage[duct[0]]
    after_w = load.out_w(lost)
    other = [power.ids.index(f"duct-b/{i}") for i in range(4)]
    assert after_w[other] == pytest.approx(racks_w[:4])
    assert (after_w[duct] == 0).all()
    grid = power.ids.index("grid/0")
    assert after_w[grid] == pytest.approx(usual_w[grid], rel=0.02)  # no watt is lost or made on the way


@pytest.mark.parametrize("name", but_largest(builtin_names()))
def test_shipped_scenes_keep_what_they_promise(name: str) -> None:
    scenario = load(f"builtin:{name}").scenario
    report = check(scenario, build(scenario), load_catalog())
    assert [one.sentence for one in report.findings if one.counts] == []
