"""The hottest hour of a typical year against the utility; a chiller that nobody chose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from twin.plant.build import build
from twin.rules import check
from twin.rules.engine_findings import of_the_year
from twin.rules.sizing import MOST_UNCHOSEN
from twin.runtime.typical_year import typical_year
from twin.scenario import load
from twin.scenario.schema.scene_catalog import catalog_of


def test_a_year_above_the_utility_is_told_and_one_below_is_not() -> None:
    scenario = load("builtin:lab-16").scenario
    catalog = catalog_of(scenario)
    plant = build(scenario, catalog)
    year = typical_year(scenario, plant, catalog)
    limit_w = 50e3
    assert year.grid_w.max() < 0.5 * limit_w, "the lab with a chiller of its size"
    assert list(of_the_year(scenario, plant, year)) == []
    assert list(of_the_year(scenario, plant, "no year")) == []
    hot = replace(year, grid_w=np.full(year.grid_w.shape, 1.1 * limit_w))
    ((rule, found),) = of_the_year(scenario, plant, hot)
    (finding,) = (
        one for one in check(scenario, plant, catalog, [(rule, found)]).findings if one.rule == rule
    )
    assert finding.severity == "warning"
    assert finding.ids == ("utility/0",)
    assert (finding.value.text, finding.limit.text) == ("55 kW", "50 kW")
    assert "55 kW in the hottest hour of a typical year" in finding.sentence


def test_a_chiller_that_nobody_chose_is_told_where_it_is_far_too_large() -> None:
    scenario = load("builtin:lab-16").scenario
    cooling = scenario.cooling
    unchosen = cooling.model_copy(update={"plants": (cooling.plants[0].model_copy(update={"part": None}),)})
    other = scenario.model_copy(update={"cooling": unchosen})
    catalog = catalog_of(scenario)

    def oversized(of: object) -> list[str]:
        made = build(of, catalog)  # type: ignore[arg-type]
        return [found.sentence for found in check(of, made, catalog).findings if found.rule == "oversized"]  # type: ignore[arg-type]

    assert oversized(scenario) == []
    (told,) = oversized(other)
    assert float(told.partition(" times its load")[0].rpartition(" ")[2]) > MOST_UNCHOSEN
    plant = build(other, catalog)
    year = typical_year(other, plant, catalog)
    assert [rule for rule, _ in of_the_year(other, plant, year)] == ["year-peak"]
    assert year.grid_w.max() == pytest.approx(51.0e3, rel=0.01)
