"""Carbon of a site by hand."""

from __future__ import annotations

import pytest

from tests.economics.hand_case import ALL_RACKS, PRICES, books

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
