"""Differences of figures as people read them."""

from __future__ import annotations

import pytest

from twin.analysis.figure_words import apart_words, value_words
from twin.analysis.figures import FIGURES

_BY_KEY = {figure.key: figure for figure in FIGURES}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("goodput", 0.0311, "+3.110 pp"),
        ("goodput", -1e-9, "0"),
        ("pue", -1e-7, "0"),
        ("lost_gpu_h", 53_250.3, "+53,250"),
        ("lost_gpu_h", -487_739.0, "-487,739"),
        ("lost_gpu_h", 999.96, "+1,000"),
        ("lost_gpu_h", 1.25, "+1.25"),
        ("energy_j", 3.5999e13, "+10,000 MWh"),
        ("it_j", 0.0, "0"),
        ("it_j", -5.316 * 3.6e6, "-5.316 kWh"),
    ],
)
def test_a_difference_has_separators_and_points_and_nothing_is_0(key: str, value: float, said: str) -> None:
    assert apart_words(_BY_KEY[key], value) == said


def test_a_width_that_rounds_to_nothing_is_not_nothing() -> None:
    assert apart_words(_BY_KEY["pue"], 1e-6, "-") == "<0.0001"
    assert apart_words(_BY_KEY["pue"], 0.0, "-") == "0"


def test_a_row_is_in_one_unit() -> None:
    energy, power, wait = _BY_KEY["energy_j"], _BY_KEY["power_max_w"], _BY_KEY["wait_s"]
    assert value_words(energy, 4.2e12) == "1,167 MWh"
    assert apart_words(energy, -2.918e9, like=4.2e12) == "-0.8106 MWh"
    assert apart_words(energy, 7.5e9, "-", 4.2e12) == "2.083 MWh"
    assert apart_words(power, -4826.0, like=3.1e5) == "-4.826 kW"
    assert apart_words(power, 12_390.0, "-", 3.1e5) == "12.39 kW"
    assert value_words(wait, 26_766.0) == "7.435 h"
    assert value_words(wait, 30.0, 26_766.0) == "0.008333 h"
