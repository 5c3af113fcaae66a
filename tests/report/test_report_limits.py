"""Power and cooling of a report against calculations by hand: peaks, and limits with a feed or a unit lost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from report_facts import facts

from twin.analysis.spare_history import SpareHistory, switch_repair_s
from twin.analysis.typical_year_words import year_figures
from twin.catalog import load_catalog
from twin.commands.edit.command import EditedScene
from twin.planning.network.switch_loss import NetworkLimits, SwitchLoss
from twin.plant.build import build
from twin.plant.tables import SwitchRole
from twin.report.engineer_words import cooling_words, limit_answer, power_words, year_peak_words
from twin.report.limits.load_limits import (
    FEED,
    REJECTION,
    UNIT,
    UTILITY,
    LoadLimit,
    LoadLimits,
    full_load_words,
    limits_of,
    limits_words,
    utility_words,
)
from twin.report.limits.switch_limits import holds_words, network_table, network_words
from twin.report.run_engineering import facility
from twin.report.run_facts import PEAK_WINDOW_S
from twin.runtime.typical_year import typical_year
from twin.scenario import load
from twin.scenario.schema.document import Scenario
from twin.sim.thermal.heat import LONGEST_STEP_S


def test_peaks_say_their_window_and_years_without_a_place_what_they_are() -> None:
    assert PEAK_WINDOW_S == LONGEST_STEP_S
    year = SimpleNamespace(
        grid_w=np.array([2e7, 2.39e7]),
        load=1.0,
        mean_day=True,
        air=SimpleNamespace(dry_c=np.array([3.0, 13.5])),
    )
    assert year_peak_words(year, 4e7) == (  # type: ignore[arg-type]
        "No place is set: in the hottest hour of a mean day (13.5 °C outside: no hot day was tested), racks at 100 % "
        "of design power, the site asks the grid for 23.90 MW of 40.00 MW."
    )
    year.mean_day = False
    assert year_peak_words(year, 0.0) == (  # type: ignore[arg-type]
        "In the hottest hour of a typical year, racks at 100 % of design power, the site asks the grid for 23.90 MW."
    )
    run = replace(
        facts(power={"facility_max_w": 1.566e7}, pue=1.1, thermal={"gpu_max_c": 62.4}),
        scenario=load("builtin:lab-16").scenario,
        clock_limit_c=87.0,
    )
    said = power_words(run)
    assert "15.66 MW at most of 50.00 kW at the utility (highest mean over up to 1 h)" in said
    beside = power_words(replace(run, limits=replace(LIMITS, beside_w=20e3)))
    assert "of 50.00 kW at the utility and 20.00 kW of sources on site (" in beside
    assert cooling_words(run).startswith(
        "The hottest GPU was at 62.4 °C; clocks fall above 87 °C, and heat slowed none. "
    )


def test_no_hours_are_above_a_mean_day() -> None:
    for name, said in (("llama3-16k", "The highest of every day"), ("lab-16", "Exceeded in 35 hours")):
        edited = EditedScene.of(load(f"builtin:{name}"))
        tips = {
            figure.key: figure.tip
            for figure in year_figures(typical_year(edited.scenario, edited.plant, edited.catalog))
        }
        assert tips["design_dry"].startswith(said)
        assert tips["design_wet"] == tips["design_dry"]


def test_limits_are_loads_over_what_is_left() -> None:
    edited = EditedScene.of(load("builtin:llama3-16k"))
    found = limits_of(edited.scenario, edited.plant, edited.catalog)
    limits = {limit.title: limit for limit in found.limits}
    ups = limits["UPS"]
    assert ups.lost == "a feed lost"
    assert ups.lost_w == pytest.approx(2.0 * ups.load_w, rel=1e-3), "one feed carries both"
    assert found.first is limits["air handlers"]
    assert found.air_c == (24.0, 35.0)


def hall(power: Sequence[dict[str, Any]] = (), **cooling: Any) -> LoadLimits:
    """Return the limits of two racks of two DGX H100 each, 10.2 kW a node in training."""
    rows = {"id": "gpu", "racks": {"count": 2, "nodes": [{"part": "DGX-H100", "count": 2}]}}
    catalog = load_catalog()
    made = Scenario.model_validate(
        {
            **{"format": "twin/scenario", "version": 3, "catalog": "2026.11", "title": "t"},
            "halls": [{"id": "hall", "rows": [rows]}],
            "power": power,
            "cooling": cooling,
        }
    )
    return limits_of(made, build(made, catalog), catalog)


def loop(kind: str, part: str, **more: Any) -> dict[str, Any]:
    return {"id": "loop", "kind": kind, "part": part, "plant": "fws", "serves": ["gpu"], **more}


def test_a_machine_of_several_is_lost_and_of_one_none() -> None:
    """Air handlers of 150 kW and chillers of 30 kW for the heat of the hall."""
    plants = [{"id": "fws", "part": "chiller-air-cooled-30", "units": 2}]
    found = hall(plants=plants, loops=[loop("air", "CRAH-chilled", units=2)])
    handlers, chillers = (
        {limit.title: limit for limit in found.limits}[name] for name in ("air handlers", REJECTION)
    )
    heat_w = found.it_w
    assert (handlers.load_w, handlers.limit_w, handlers.lost, handlers.more) == (heat_w, 150e3, UNIT, 0)
    assert (chillers.load_w, chillers.limit_w, chillers.lost) == (heat_w, 30e3, UNIT)
    assert chillers.more == math.ceil(heat_w / 30e3) + 1 - 2 > 0, "as many as carry the heat, and one more"
    alone = hall(plants=plants, loops=[loop("air", "CRAH-chilled", units=1)])
    assert next(limit.lost for limit in alone.limits if limit.title == "air handlers") == ""


def test_each_plant_and_loop_counts_and_the_worst_is_told() -> None:
    """Two facility loops: one carries all heat with a chiller of 30 kW, the other none."""
    plants = [{"id": "fws", "part": "chiller-air-cooled-30", "units": 1}, {"id": "idle", "units": 1}]
    found = hall(plants=plants, loops=[loop("air", "CRAH-chilled", units=1)])
    (rejection,) = (limit for limit in found.limits if limit.title == REJECTION)
    assert (rejection.limit_w, rejection.places) == (30e3, 1)


def test_rear_doors_are_counted_and_none_takes_the_place_of_another() -> None:
    found = hall(plants=[{"id": "fws"}], loops=[loop("rear-door", "RDHx-active")])
    (doors,) = (limit for limit in found.limits if limit.title == "rear doors")
    each_w = load_catalog().part("RDHx-active").capacity_w  # type: ignore[attr-defined]
    assert (doors.limit_w, doors.lost) == (2 * each_w, "")


def test_a_unit_lost_leaves_the_others_to_carry_its_load() -> None:
    """A UPS of 3 units of 20 kW needed together: with one lost 40 kW are left; of 3 with one to spare, 40 kW too."""
    chain = [{"id": "pdu", "kind": "pdu", "from": "ups", "feeds": ["gpu"]}, {"id": "grid", "kind": "utility"}]
    ups = {"id": "ups", "kind": "ups", "from": "grid", "units": 3, "capacity": "20 kW"}
    for needed in (3, 2):
        found = hall([{**ups, "needed": needed}, *chain])
        (limit,) = (limit for limit in found.limits if limit.title == "UPS")
        assert (limit.lost, limit.limit_w) == (UNIT, pytest.approx(40e3)), needed
        assert limit.load_w == limit.lost_w == pytest.approx(found.it_w, rel=0.05)


def test_the_utility_is_lost_and_batteries_and_generators_carry_on() -> None:
    """A hall of 41 kW behind a UPS with 5 min; generators of 30 kW, one of three spare, run after 10 + 30 s."""
    grid = {"id": "grid", "kind": "utility", "capacity": "200 kW"}
    ups = {
        "id": "ups",
        "kind": "ups",
        "from": "grid",
        "feeds": ["gpu"],
        "capacity": "60 kW",
        "battery": "5 min",
    }
    engines = {"id": "gen", "kind": "generator", "capacity": "30 kW", "units": 3, "needed": 2, "at": "grid"}
    found = hall([grid, engines, ups])
    limit = next(limit for limit in found.limits if limit.title == "generators")
    assert (limit.lost, limit.load_w, limit.limit_w, limit.more) == (UTILITY, 0.0, pytest.approx(60e3), 0)
    assert limit.lost_w == pytest.approx(found.supply_w)
    assert (found.battery_s, found.takes_s) == (pytest.approx(300.0), 40.0)
    assert utility_words(found) == (
        "With the utility lost, UPS batteries last 5 min at full load; generators take over within 40 s and "
        f"carry {found.supply_w / 1e3:.2f} kW of 60.00 kW."
    )
    small = hall([grid, {**engines, "units": 1, "needed": 1}, ups])
    assert next(limit.more for limit in small.limits if limit.title == "generators") == 1, (
        "one more carries it"
    )
    assert "would have to carry" in utility_words(small)
    assert utility_words(hall([grid, ups])).endswith("at full load, and no generator takes over.")
    gas = {"id": "gas", "kind": "gas", "capacity": "30 kW", "at": "grid"}
    turbines = hall([grid, gas, ups])
    assert utility_words(turbines) == (
        "With the utility lost, UPS batteries last 5 min at full load; sources on site give 30.00 kW of "
        f"{turbines.supply_w / 1e3:.2f} kW."
    )
    bare = {"id": "pdu", "kind": "pdu", "from": "grid", "feeds": ["gpu"]}
    assert utility_words(hall([grid, bare])) == (
        "With the utility lost, no UPS has a battery, and no generator takes over."
    )
    assert utility_words(hall()) == ""


LIMITS = LoadLimits(
    (
        LoadLimit("air handlers", UNIT, 130e3, 130e3, 100e3, 16, 17),
        LoadLimit(REJECTION, UNIT, 110e3, 110e3, 100e3, 1, 1),
        LoadLimit("UPS", FEED, 52e3, 104e3, 100e3, 2, 0),
        LoadLimit("utility", "", 50e3, 50e3, 100e3),
    ),
    (24.0, 35.0),
    100e3,
    20e3,
    130e3,
)


def test_limits_that_do_not_hold_say_to_which_load_they_do_and_what_is_missing() -> None:
    assert limits_words(LIMITS, 64e3) == (
        "at the design power of all racks, 100.0 kW, load of what is left, pumps and pipes aside: air handlers "
        "130 %, heat rejection 110 %, UPS 104 %, others 50 % at most. All hold up to 76 % of that power; this run drew "
        "64 % of it at most. To hold at all of it: 17 more air handlers in 16 loops, 1 more unit of heat rejection, "
        "larger UPS."
    )
    sound = replace(LIMITS, limits=LIMITS.limits[3:])
    assert limits_words(sound, 64e3).endswith("utility 50 %. All hold; this run drew 64 % of it at most.")
    assert limits_words(sound, None).endswith("All hold.")
    assert limits_words(None, 1.0) == ""


def test_air_supplied_stands_beside_what_nodes_take() -> None:
    said = facility(replace(facts(), limits=LIMITS), {})
    assert "nodes take 35 °C" in said
    assert ">24 °C<" in said


def test_full_loads_follow_from_each_other() -> None:
    hours = {"grid_w": [100e3, 115e3], "machines_w": [0.0, 5e3], "loss_w": [0.0, 10e3]}
    year = SimpleNamespace(it_w=100e3, **{name: np.array(values) for name, values in hours.items()})
    said = full_load_words(LIMITS, year)  # type: ignore[arg-type]
    assert "draw 100.0 kW, and all of it is heat" in said
    assert "100.00 + 20.00 + 10.00 = 130.00 kW." in said
    assert said.endswith(
        "In the hottest hour of the year the machines need less: 100.00 + 5.00 + 10.00 = 115.00 kW."
    )
    hot = SimpleNamespace(
        **{**vars(year), "grid_w": np.array([0.0, 120e3]), "machines_w": np.array([0.0, 30e3])}
    )
    said = full_load_words(replace(LIMITS, beside_w=20e3), hot)  # type: ignore[arg-type]
    assert said.endswith("need more: 100.00 + 30.00 + 10.00 = 140.00 kW, 120.0 kW of it from the utility.")
    solar = SimpleNamespace(**{**vars(year), "grid_w": np.array([80e3, 90e3])})
    assert "hottest hour" not in full_load_words(LIMITS, solar), "sun gives a part"  # type: ignore[arg-type]
    assert full_load_words(None, None) == ""


def test_the_network_tells_how_near_it_is_with_a_switch_lost() -> None:
    """Three of four spines carry 4/3 of 90 %; a leaf cuts off 8 nodes of 8 GPUs, of which the job holds six."""
    spine = SwitchLoss("ib", SwitchRole.SPINE, "ib/1/0", 4, busiest=1.2, mean=0.06, step=1.031, more=1)
    racks = ("gpu/0/0", "gpu/0/1")
    leaf = SwitchLoss(
        "ib", SwitchRole.LEAF, "ib/0/0", 8, nodes=8, gpus=64, racks=racks, job_nodes=6, spares=9
    )
    found = NetworkLimits("train", 0.9, 0.05, (leaf, spine))
    assert network_words(found, 0.05) == (
        "The busiest link of the network was 5 % full in the mean of a step, and 90 % while the job communicates. "
        "With a leaf lost 8 nodes (64 GPUs) are cut off: the job stops and restarts on 6 of 9 spare nodes, if they are "
        "free; with NICs on two leaves (homes: 2) it would go on, these at half their bandwidth. "
        "With a spine lost the busiest link is asked for 120 %: 17 % less bandwidth, a step takes 3.1 % longer; to "
        "hold: 1 more spine beside it."
    )
    few = replace(leaf, spares=2)
    assert holds_words(few) == (
        "the job stops, 2 spare nodes for the 6 of the job; to hold: NICs on two leaves (homes: 2), or 4 more spare "
        "nodes behind other leaves"
    )
    assert holds_words(replace(spine, busiest=1.02, step=1.0001)) == (
        "the job goes on: 2 % less bandwidth, a step takes less than 0.05 % longer"
    )
    assert network_words(None, None) == ""
    told = str(network_table(found))
    for cell in (
        "Limits of the network with one switch lost on job train",
        "64 GPUs of 8 nodes in 2 racks",
        "120 %",
    ):
        assert cell in told
    assert network_table(replace(found, losses=())) is None


def test_whether_spares_are_free_when_a_leaf_is_lost_is_told_from_the_run() -> None:
    """9, 4 and 7 of 9 spares free for 1, 2 and 1 h: six in half of the time, else within 1 h in the mean."""
    seen = SpareHistory(np.array([9.0, 4.0, 7.0]), np.array([3600.0, 7200.0, 3600.0]), 40 * 3600.0, 1800.0)
    assert (seen.least, seen.median, seen.share(6), seen.wait_s(6)) == (4, 7, 0.5, (3600.0, False))
    assert seen.wait_s(8) == (pytest.approx(5400.0), True), (
        "of the last 3 h half are left, and none had eight again"
    )
    assert seen.wait_s(4) == (0.0, False)
    racks = ("gpu/0/0",)
    leaf = SwitchLoss("ib", SwitchRole.LEAF, "ib/0/0", 8, 8, 64, racks, job_nodes=6, spares=9)
    assert holds_words(leaf, seen) == (
        "the job stops and needs 6 of 9 spare nodes: so many were free in 50 % of the time (7 in the median, 4 at "
        "least). Then it restarts; else it waits for the leaf (a technician on site takes 30 min, its repair without "
        "one 1 d 16 h in the median) or for spares (1 h in the mean); with NICs on two leaves (homes: 2) it would go "
        "on, these at half their bandwidth"
    )
    found = NetworkLimits("train", 0.9, 0.05, (leaf,))
    assert "so many were free in 50 %" in network_words(found, 0.05, seen)
    assert "so many were free in 50 %" in str(network_table(found, seen)).replace("\xa0", " ")
    enough = replace(leaf, job_nodes=4)
    assert "restarts on 4 of 9 spare nodes: 4 or more were free all the time" in holds_words(enough, seen)
    assert "at least 1 h 30 min in the mean" in holds_words(replace(leaf, job_nodes=8), seen)


def test_a_switch_is_repaired_as_its_class_or_as_the_scene_says() -> None:
    scenario = load("builtin:llama3-16k").scenario
    assert switch_repair_s(scenario) == 47.39 * 3600.0
    failures = scenario.failures.model_copy(update={"repair_constant_s": 60.0})
    assert switch_repair_s(scenario.model_copy(update={"failures": failures})) == 60.0


def test_engineers_read_of_the_network_on_their_first_page() -> None:
    run = replace(
        facts(power={"facility_max_w": 1.566e7}, pue=1.1, thermal={"gpu_max_c": 62.4}),
        scenario=load("builtin:lab-16").scenario,
        link_load=0.05,
        network=NetworkLimits("train", 0.9, 0.05, ()),
    )
    power, cooling, network = limit_answer(run)
    assert (power[:13], cooling[:15]) == ("<b>Power:</b>", "<b>Cooling:</b>")
    assert network.startswith("<b>Network:</b> ")
    assert "5 % full in the mean of a step, and 90 % while" in network
    assert "Limits of the network" not in str(facility(run, {}))
    spine = SwitchLoss("ib", SwitchRole.SPINE, "ib/1/0", 4, busiest=1.2, mean=0.06, step=1.031, more=1)
    lost = replace(run, network=NetworkLimits("train", 0.9, 0.05, (spine,)))
    assert "Limits of the network with one switch lost" in str(facility(lost, {}))
