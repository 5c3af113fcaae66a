"""Carbon, cost, energy and water have one total: that of the hours is that of the meters."""

from __future__ import annotations

import pytest

from twin.scenario import load
from twin.sim.engine.engine import Engine


@pytest.mark.parametrize("name", ["lab-16", "blackout", "pump-trip"])
def test_the_hours_sum_to_the_meters_of_the_facility(name: str) -> None:
    engine = Engine(load(f"builtin:{name}").scenario)
    for until_s in (0.31 * engine.end_s, engine.end_s):
        engine.advance(until_s)
        said = engine.summary()
        hours, facility = said["facility"]["hours"], said["facility"]
        total = hours["total"]
        assert (total["carbon_kg"], total["cost_usd"]) == (facility["carbon_kg"], facility["cost_usd"])
        assert total["it_kwh"] == pytest.approx(said["energy"]["it_j"] / 3.6e6, rel=1e-12)
        assert total["facility_kwh"] == pytest.approx(said["energy"]["facility_j"] / 3.6e6, rel=1e-12)
        assert (total["water_l"], total["pue"]) == (said["water_l"], pytest.approx(said["pue"], rel=1e-12))
        for key in ("carbon_kg", "cost_usd", "it_kwh", "facility_kwh", "water_l"):
            assert sum(row[key] for row in hours["rows"]) == pytest.approx(total[key], rel=1e-9)
            assert min(row[key] for row in hours["rows"]) >= 0.0
