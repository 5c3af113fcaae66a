"""Meters of a run: every joule from the grid to the sky, through outages, with shelves, converters and batteries."""

import math

import pytest
from sim_scenes import inject, job, liquid, shipped, tiny

from twin.sim.engine.engine import Engine

PATHS = [
    {"id": "utility", "kind": "utility"},
    {"id": "gen", "kind": "generator", "part": "diesel-genset-3MW", "at": "utility"},
    {"id": "bess", "kind": "battery", "part": "BESS-container", "at": "utility", "ramp": "100 W/s"},
    {
        "id": "ups",
        "kind": "ups",
        "part": "UPS-double-conversion-400",
        "from": "utility",
        "capacity": "60 kW",
        "battery": "20 s",
    },
    {"id": "pdu", "kind": "pdu", "part": "floor-PDU", "from": "ups", "feeds": ["gpu", "crah"]},
]


def _reading(engine):
    return engine.meter.reading(engine.heat, engine.now_s)


def test_energy_closes_through_an_outage_at_any_moment():
    engine = inject(
        Engine(tiny(power=PATHS), 1),
        "1000 s fail utility/0 for=10min",
        "3000 s no_start gen/0 for=1h",
        "3100 s battery_empty bess/0 for=1h",
        "3200 s fail utility/0 for=5min",
    )
    dark = 0
    for until_s in (*range(0, 4000, 97), 7200.0, 7201.5, 20000.0):
        engine.advance(float(until_s))
        read = _reading(engine)
        assert read.residual < 1e-9
        dark = max(dark, int(engine.power.node_dark.sum()))
    assert dark == 4  # the last outage outlasts the battery of the UPS
    totals = read.power
    assert totals.fuel_j > 0
    assert totals.battery_out_j > 0
    assert read.facility_j == pytest.approx(read.it_j + read.cooling_j + totals.loss_j)
    by_kind = engine.power.loss_j_by_kind(engine.now_s)
    assert math.fsum(by_kind.values()) == pytest.approx(totals.loss_j, rel=1e-9)
    assert set(by_kind) == {"utility", "generator", "battery", "ups", "pdu"}


def test_a_snapshot_in_an_outage_goes_on_as_it_would_have():
    scene = tiny(power=PATHS)
    engine = inject(Engine(scene, 1), "1000 s fail utility/0 for=10min")
    engine.advance(1005.0)
    other = Engine.restore(scene, engine.snapshot())
    for one in (engine, other):
        one.advance(9000.0)
    assert engine.event_hash() == other.event_hash()
    assert _reading(engine) == _reading(other)


def test_shelves_are_part_of_it_power_and_warm_the_room():
    engine = Engine(liquid(), 1)
    engine.advance(3600.0)
    read, power = _reading(engine), engine.power
    behind_w = engine.meter.rack_w(engine.heat, engine.traces, engine.clocks)
    assert power.supply_loss_w.sum() == pytest.approx(behind_w.sum() * (1 / 0.975 - 1), rel=2e-3)
    assert engine.meter.it_w == pytest.approx(behind_w.sum() / 0.975, rel=1e-3)
    assert engine.meter.rack_input_w(engine.heat, engine.traces, engine.clocks).sum() == pytest.approx(
        engine.meter.it_w, rel=1e-9
    )
    assert read.supply_j == pytest.approx(read.it_j * 0.025, rel=2e-2)
    assert read.residual < 1e-9


def test_gpus_are_counted_apart():
    engine = Engine(tiny(jobs=(job(4),)), 1)
    engine.advance(7200.0)
    read, meter = _reading(engine), engine.meter
    drawn_w = engine.traces.gpu_w(meter.gpu_group_w(engine.heat, engine.clocks), engine.clocks.dyn_w).sum()
    assert meter.gpu_w == pytest.approx(drawn_w, rel=1e-9)
    assert 0.4 < read.gpu_j / read.it_j < 0.9


def test_carbon_and_cost_are_those_of_the_energy_read_at_any_moment():
    engine = Engine(tiny(jobs=(job(4),)), 1)
    grid = engine.scenario.site.grid
    for until_s in (601.0, 1207.5, 3600.0, 7300.0):
        engine.advance(until_s)
        totals = _reading(engine).power
        assert totals.carbon_kg == pytest.approx(totals.grid_j * grid.carbon_kg_j, rel=1e-12)
        assert totals.cost_usd == pytest.approx(totals.grid_j * grid.price_usd_j, rel=1e-12)


@pytest.mark.parametrize("name", ["nvl72-row", "frontier", "mixed-workloads"])
def test_shipped_scenes_close(name):
    engine = Engine(shipped(name))
    engine.advance(4 * 3600.0 + 1.0)
    read = _reading(engine)
    assert read.residual < 1e-9
    assert read.power.grid_j == pytest.approx(read.facility_j, rel=0.02)  # what stays in batteries aside
