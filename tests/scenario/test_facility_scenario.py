"""Interventions of every kind, power and cooling that cannot be, and times of day."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.sim import fault_hall
from twin import units
from twin.scenario import ScenarioError, loads, parse_injection
from twin.scenario.checks.interventions import value_of
from twin.scenario.reading.time_of_day import after_start_s
from twin.scenario.schema.faults import Intervention

_LARGER = {
    "count: 2, nodes: [{part: DGX-H100": "count: 4, nodes: [{part: DGX-H100",
    "count: 1, part: GB200": "count: 2, part: GB200",
    "at: board}\n": "at: board}\n  - {id: bess, kind: battery, part: BESS-container, at: board}\n",
    "floor-PDU, count: 2": "floor-PDU, count: 4",
    ", breaker: {rating: 125 %},\n     ": ",",
    "units: 3}\n": "units: 3}\n    - {id: tower, kind: cooling-tower}\n",
    "plant: water, serves: [gpu, wet]}": "plant: tower, serves: [gpu, wet], control: none}",
    "run, nodes: 4": "run, nodes: 8",
    "  - {id: late, nodes: 4, rows: [gpu], workload: {kind: load, gpu: 80 %}}\n": "",
    "failures: {enabled: false, repair_constant: 5 min}\n": "",
}
SCENE = fault_hall.SCENE
for _now, _then in _LARGER.items():
    assert _now in SCENE
    SCENE = SCENE.replace(_now, _then)

ACTS = [
    *(
        fault_hall.line_of(*found)
        for found in fault_hall.fitting(loads(SCENE).scenario)
        if found[1] != "path"
    ),
    "fail pdu/3",
    "fail gen/0 count=1",
    "trip grid/0",
    "battery_empty bess/0",
    "no_start gen/0 count=2",
    "psu_loss gpu/0/0/0 count=3",
    "psu_loss wet/0/1 count=8",
    "pump_stop cdu/0 count=3",
    "pump_stop water count=2",
    "fan_stop air/0 count=1",
    "fan_stop tower",
    "valve_stuck cdu/0",
    "chiller_trip water count=3",
    "heat_wave site",
    "drain gpu/0 value=end",
]
"""Every kind on each of its targets, and with other options."""

REFUSED = [
    ("fail pdu/4", "'pdu' has 4 items, counted from 0"),
    ("fail pdu", "name one of them, such as pdu/0"),
    ("fail gen/0 count=3", "more than the 2 machines of gen/0"),
    ("fail gpu/0/0/0 count=2", "does not apply to a node"),
    ("trip gpu/0/1", "is a rack, not a power item"),
    ("trip cdu/0", "is a coolant or air loop, not a power item"),
    ("trip nothing/0", "unknown power item"),
    ("battery_empty pdu/0", "is a pdu and has no battery"),
    ("battery_empty gen/0", "is a generator and has no battery"),
    ("no_start ups/0", "is a ups and does not start"),
    ("no_start gen/0 count=3", "more than the 2 machines of gen/0"),
    ("psu_loss gpu/0/0", "has no power shelves"),
    ("psu_loss gpu/0/0/0 count=7", "more than the 6 power supplies"),
    ("psu_loss wet/0/0/0", "has no power supplies of its own"),
    ("psu_loss wet/0/0 count=9", "more than the 8 power shelves"),
    ("pump_stop cdu/1", "'cdu' has 1 loops, counted from 0"),
    ("pump_stop cdu/0 count=4", "more than the 3 pumps of cdu/0"),
    ("pump_stop water count=3", "more than the 2 pumps of water"),
    ("pump_stop air/0", "is an air loop and has no pumps"),
    ("pump_stop gpu/0/0", "is a rack, not a coolant or air loop or facility loop"),
    ("fan_stop cdu/0", "is a liquid loop and has no fans"),
    ("fan_stop wet/0/0/3", "its fans do not cool them"),
    ("fan_stop gpu/0/0", "is a rack, not a node"),
    ("valve_stuck air/0", "has no control valve"),
    ("valve_stuck cdu/0 value='130 %'", "0 % (shut) to 100 % (open)"),
    ("filter_clogged air/0", "is an air loop and has no coolant"),
    ("filter_clogged gpu/0/0", "is a rack, not a coolant or air loop"),
    ("filter_clogged cdu/0 value='100 %'", "0 % (nothing flows) to 99 % of the flow"),
    ("filter_clogged cdu/0 count=1", "does not apply to filter_clogged"),
    ("air_filter_clogged cdu/0", "is a liquid loop and has no air filter"),
    ("air_filter_clogged air/0 value='100 %'", "0 % (no air passes) to 99 % of the air flow"),
    ("leak air/0", "is an air loop and has no coolant"),
    ("leak gpu/0/0", "is on no loop with coolant"),
    ("chiller_trip tower", "is a cooling-tower: it has no chiller"),
    ("chiller_trip water count=4", "more than the 3 machines of water"),
    ("heat_wave hall", "is a hall, not a site"),
    ("heat_wave site value='8 degC'", "temperature"),
    ("heat_wave site value='80 K'", "0.1 K to 40 K"),
    ("blocked_plate gpu/0/0/0", "has no cold plates"),
    ("pcie wet/0/0/3", "has no NIC on a fabric"),
    ("blocked_plate wet/0/0/3 value=2", "0 % (nothing flows) to 100 %"),
    ("bad_contact wet/0/0/3/1 value='3 K'", "is not a number"),
    ("bad_contact wet/0/0/3/1 value=0.5", "a factor from 1 to 100"),
    ("bad_contact wet/0/0", "is a rack, not a GPU or node"),
    ("power_cap cdu/0 value='1 kW'", "is a coolant or air loop, not a job"),
    ("power_cap pdu/0 value='0 W'", "more than 0 W"),
    ("power_cap pdu/0", "needs the key 'value'"),
    ("leak cdu/0 count=1", "does not apply to leak"),
    ("heat_wave site cause=x", "does not apply to heat_wave"),
]


def with_injection(line: str) -> str:
    one = parse_injection(f"1 h {line}")
    keys = {"for": one.duration_s, "count": one.count, "cause": one.cause, "value": one.value}
    said = [
        f'{key}: "{value}"' for key, value in keys.items() if value is not None and key in ("cause", "value")
    ]
    said += [f"count: {one.count}"] * (one.count is not None)
    said += [f"for: {one.duration_s} s"] * (one.duration_s is not None)
    head = f'interventions:\n  - {{at: 1 h, kind: {one.kind}, target: "{one.target}"'
    return SCENE + ", ".join([head, *said]) + "}\n"


@pytest.mark.parametrize("line", ACTS)
def test_what_can_happen_is_taken(line: str) -> None:
    (one,) = loads(with_injection(line)).scenario.interventions
    assert one.kind == line.partition(" ")[0]


@pytest.mark.parametrize(("line", "said"), REFUSED)
def test_what_cannot_happen_is_refused_with_a_reason(line: str, said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        loads(with_injection(line))
    assert len(caught.value.problems) == 1
    assert said in str(caught.value)
    assert caught.value.problems[0].line == len(with_injection(line).splitlines())


def test_values_come_in_si_units_with_a_usual_one() -> None:
    def value(kind: str, said: str | None) -> float:
        return value_of(Intervention(at_s=0.0, kind=kind, target="x", value=said))

    assert value("valve_stuck", None) == pytest.approx(0.3)
    assert value("heat_wave", "5 K") == pytest.approx(5.0)
    assert value("bad_contact", "2.5") == 2.5
    assert value("power_cap", "0.6 kW") == pytest.approx(600.0)
    with pytest.raises(units.UnitError):
        value("bad_contact", "much")


CANNOT_BE = [
    (
        "dry_bulb: 12 degC, wet_bulb: 9 degC",
        "place: phoenix, file: hours.csv",
        "site.climate.place",
        "only one can give the weather",
    ),
    ("from: grid}", "from: gird}", "power[board].from", "did you mean 'grid'"),
    ("units: 2, at: board}", "units: 2, at: bord}", "power[gen].at", "did you mean 'board'"),
    (
        "count: 2, from: board}",
        "count: 2, from: board, or_from: nobody}",
        "power[ups].or_from",
        "unknown power stage",
    ),
    ("feeds: [gpu, wet,", "feeds: [gpu, wett,", "power[pdu].feeds[1]", "did you mean 'wet'"),
    (
        "kind: switchgear, from: grid}",
        "kind: switchgear, from: grid, or_from: pdu}",
        "power[board].or_from",
        "forms a cycle",
    ),
    (
        "feeds: [gpu, wet, cdu, air, water]}",
        "feeds: [gpu, wet, cdu, air, water]}\n  - {id: b, kind: pdu, from: ups, feeds: [cdu]}\n"
        "  - {id: c, kind: pdu, from: ups, feeds: [cdu]}",
        "power[c].feeds[0]",
        "is fed by pdu and b already",
    ),
    ("units: 2, at: board}", "units: 2, needed: 3, at: board}", "power[gen].needed", "more than its 2 units"),
    (
        "kind: chiller, units: 3}",
        "kind: chiller, units: 3, needed: 4}",
        "cooling.plants[water].needed",
        "more than its 3 units",
    ),
    (
        "wet_bulb: 9 degC}",
        "wet_bulb: 9 degC}\n  grid: {price_day: [1, 2]}",
        "site.grid.price_day",
        "must have 24 factors",
    ),
    (
        "wet_bulb: 9 degC}",
        "wet_bulb: 9 degC}\n  grid: {carbon_day: [1]}",
        "site.grid.carbon_day",
        "must have 24 factors",
    ),
    (
        "kind: pdu, part: floor-PDU,",
        "kind: pdu, part: floor-PDU, battery: 5 min,",
        "power[pdu].battery",
        "does not apply to a pdu",
    ),
    (
        "kind: pdu, part: floor-PDU,",
        "kind: pdu, part: floor-PDU, eco: true,",
        "power[pdu].eco",
        "does not apply to a pdu",
    ),
    (
        "kind: pdu, part: floor-PDU,",
        "kind: pdu, part: floor-PDU, at: board,",
        "power[pdu].at",
        "does not apply to a pdu",
    ),
    (
        "kind: pdu, part: floor-PDU,",
        "kind: pdu, part: floor-PDU, transfer: 5 ms,",
        "power[pdu].transfer",
        "without or_from",
    ),
    (
        "kind: generator, part: diesel-genset-3MW,",
        "kind: generator, part: diesel-genset-3MW, output: 50 %,",
        "power[gen].output",
        "gas and smr have it",
    ),
    ("units: 2, at: board}", "units: 2, from: board}", "power[gen].from", "is a source itself"),
    (
        "kind: pdu, part: floor-PDU",
        "kind: pdu, part: UPS-double-conversion",
        "power[pdu].part",
        "is a ups, not a pdu",
    ),
    (
        "kind: liquid, part: CDU-inrow-1350",
        "kind: liquid, part: CDU-L2A-sidecar",
        "cooling.loops[cdu].part",
        "the room air",
    ),
    (
        "kind: liquid, part: CDU-inrow-1350",
        "kind: immersion, part: CDU-inrow-1350",
        "cooling.loops[cdu].part",
        "is a cdu, not a tank",
    ),
    (
        "kind: liquid, part: CDU-inrow-1350",
        "kind: rear-door, part: CDU-inrow-1350",
        "cooling.loops[cdu].part",
        "is a cdu, not a rdhx",
    ),
    (
        "kind: chiller, units: 3",
        "kind: chiller, part: dry-cooler, units: 3",
        "cooling.plants[water].part",
        "is a dry_cooler, not a chiller",
    ),
    (
        "cooling:\n",
        "power_caps: [{id: cap, target: pdu/9, limit: 1 kW}]\ncooling:\n",
        "power_caps[cap].target",
        "'pdu' has 4 items",
    ),
    (
        "cooling:\n",
        "power_caps: [{id: cap, target: cdu/0, limit: 1 kW}]\ncooling:\n",
        "power_caps[cap].target",
        "is a coolant or air loop",
    ),
    (
        "part: GB200-NVL72}",
        "part: GB200-NVL72, shelves: {part: power-shelf-33kW, count: 4, needed: 5}}",
        "halls[hall].rows[wet].racks.shelves.needed",
        "more than the 4 shelves",
    ),
]


@pytest.mark.parametrize(("old", "new", "key", "said"), CANNOT_BE)
def test_power_and_cooling_that_cannot_be(old: str, new: str, key: str, said: str) -> None:
    assert SCENE.count(old) == 1
    with pytest.raises(ScenarioError) as caught:
        loads(SCENE.replace(old, new))
    assert key in [problem.key for problem in caught.value.problems]
    assert said in str(caught.value)


@pytest.mark.parametrize("target", ["all", "hall", "gpu/0", "wet/0/1", "ups/1"])
def test_caps_act_on_places_and_power_items(target: str) -> None:
    text = SCENE.replace(
        "cooling:\n", f"power_caps: [{{id: cap, target: {target}, limit: 50 kW}}]\ncooling:\n"
    )
    assert loads(text).scenario.power_caps[0].target == target


START = datetime.fromisoformat("2026-01-05T08:00+01:00")


@pytest.mark.parametrize(
    ("said", "after_s"),
    [
        ("10:00", 7200.0),
        ("08:00", 0.0),
        ("7:59:30", 86400.0 - 30.0),
        ("2026-01-06T10:00", 26 * 3600.0),
        ("2026-01-05 09:30", 5400.0),
        ("2026-01-05T09:00Z", 7200.0),
        ("2026-01-05T10:00+02:00", 3600.0),
        ("2026-01-05T07:00", -3600.0),
        ("10 h", None),
        ("24:00", None),
        ("10:60", None),
        ("2026-02-30T10:00", None),
    ],
)
def test_clocks(said: str, after_s: float | None) -> None:
    assert after_start_s(said, START) == after_s


def test_an_intervention_may_come_at_a_time_of_day() -> None:
    line = "interventions:\n  - {at: %s, kind: pump_stop, target: cdu/0}\n"
    for said, at_s in (
        ("10:00", 7200.0),
        ('"10:00"', 7200.0),
        ("2026-01-06T10:00", 93600.0),
        ("2 h", 7200.0),
    ):
        document = loads(SCENE + line % said)
        assert document.scenario.interventions[0].at_s == at_s
        assert said in document.text
    with pytest.raises(ScenarioError, match="at least 0 s"):
        loads(SCENE + line % "2026-01-05T07:00")
    assert parse_injection("10:00 pump_stop cdu/0 for=20s", START).at_s == 7200.0
    with pytest.raises(ScenarioError, match="is a time of day"):
        parse_injection("10:00 pump_stop cdu/0")
