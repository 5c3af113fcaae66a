"""Carbon of a site by hand."""

from __future__ import annotations

import pytest

from tests.economics.hand_case import ALL_RACKS, PRICES, SITE, books, plant_of
from twin.api.cost import of_scene
from twin.economics.cash_flow import Plan
from twin.scenario import loads

MADE = "  carbon-gpu: 250\n  carbon-server: 300\n  carbon-hall: 450\n"


def test_what_is_made_counts_over_its_life_and_what_is_used_by_the_year() -> None:
    found = books(PRICES + ALL_RACKS + MADE)
    carbon = found.carbon(found.likely)
    kg = {name: float(values[0]) for name, values in carbon.embodied_kg.items()}
    assert kg["gpus"] == pytest.approx(32 * 0.7 * 250 / 5)
    assert kg["servers"] == pytest.approx(4 * 10.2 * 300 / 5)
    assert kg["hall"] == pytest.approx(found.bill.it_w / 1e3 * 450 / 30)
    assert float(carbon.operational_kg[0]) == pytest.approx(found.use.grid_kwh * 0.4)
    assert float(carbon.kg_gpu_h[0]) == pytest.approx(
        (sum(kg.values()) + found.use.grid_kwh * 0.4) / 32 / 8760
    )


def test_fuel_burnt_on_site_counts_where_there_is_no_typical_year() -> None:
    gas = "power:\n  - {id: engine, kind: gas, capacity: 20 kW, at: utility}\n"
    found = of_scene(loads(SITE.replace("power:\n", gas)).scenario, Plan(load=0.5), 2, 1)
    burnt_kg = plant_of(loads(SITE.replace("power:\n", gas)).scenario).power.carbon_kg_j.max() * 3.6e6
    assert burnt_kg > 0.0
    assert found.use.own_kwh["gas"] == pytest.approx(20.0 * 8760)
    assert found.use.carbon_kg == pytest.approx(found.use.grid_kwh * 0.4 + 20.0 * 8760 * burnt_kg)
