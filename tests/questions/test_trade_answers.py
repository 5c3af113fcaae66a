"""Answers to questions of the trade, held against calculations by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from twin.analysis.money_words import use_words
from twin.analysis.site_books import scene_books
from twin.catalog import load_catalog
from twin.commands.budget.budget import loop_capacity_w
from twin.designs.design_bill import hot_day_factor
from twin.designs.site_outages import site_outages
from twin.economics.cash_flow import Plan
from twin.economics.own_or_rent import own_or_rent
from twin.economics.price_draws import SAMPLES
from twin.physics.checkpoint import renewal_ettr
from twin.plant.build import build
from twin.plant.design_load import DesignLoad, item_limit_w, loop_heat_w
from twin.questions.answer import YEAR_S, worded
from twin.questions.checkpoint_interval import CheckpointedJob
from twin.questions.gpus_in import usable_w
from twin.questions.hall_estimate import HallEstimates, known_parts, level_of_scene, part_of_scene
from twin.questions.one_more_nine import RedundancyStep, next_step, nines
from twin.questions.question import AskedScene, QuestionError, Setting
from twin.questions.run_out import Resource, asked_share, growing, spares_in_use
from twin.questions.table import QUESTIONS
from twin.scenario import load
from twin.scenario.file.set_option import set_texts
from twin.scenario.schema.site import Climate

CATALOG = load_catalog()
NOWHERE = Setting(CATALOG)


def scene(name: str) -> AskedScene:
    scenario = load(f"builtin:{name}").scenario
    return AskedScene(scenario, build(scenario, CATALOG))


@pytest.fixture(scope="module")
def llama() -> AskedScene:
    return scene("llama3-16k")


def asked(given: dict[str, str], about: AskedScene | None = None) -> Setting:
    return Setting(CATALOG, about, given)


# --- how many GPUs fit


def test_gpus_in_twenty_megawatts_are_as_many_as_a_calculation_by_hand_gives() -> None:
    found = QUESTIONS["gpus-in"].answer(asked({"power": "20 MW", "redundancy": "N+1", "part": "DGX-H100"}))
    gpus, it_w = found.figures[0], found.figure("it_w").value
    nodes = found.figure("nodes").value
    # 8,400 W a node; the rest are switches: leaves of 32 nodes' rails and their spines, under 5 % of it.
    assert gpus.value == 8 * nodes
    assert 8400.0 * nodes < it_w < 1.05 * 8400.0 * nodes
    # 31.7 C in the hottest hour of Frankfurt: 1.25 + 0.14 (31.7 - 29) / 20.
    assert found.figure("site_w").value == pytest.approx(1.269 * it_w, rel=1e-3)
    # Within half a percent of the power: whole rows leave no more than that.
    assert 0.99 * 20e6 < found.figure("site_w").value <= 20e6
    assert gpus.low is not None
    assert gpus.high is not None
    assert gpus.low == pytest.approx(gpus.value * 1.269 / 1.377, rel=0.02)
    assert gpus.high == pytest.approx(gpus.value * 1.269 / 1.161, rel=0.02)
    bars = {bar.title: bar.value for bar in found.chart.bars}
    assert bars["DGX-H100"] == gpus.value
    assert bars["GB200-NVL72"] < gpus.value
    assert any(
        note.startswith("Counted by the highest power measured in training: DGX-H100.")
        for note in found.rests_on
    )


@pytest.mark.parametrize(("level", "usable"), [("N", 16e6), ("N+1", 12.8e6), ("2N", 8e6)])
def test_of_installed_power_redundancy_takes_its_share(level: str, usable: float) -> None:
    assert usable_w(20e6, level, "installed") == pytest.approx(usable)  # type: ignore[arg-type]
    given = {"power": "20 MW", "redundancy": level, "of": "installed", "part": "HGX-H100-DLC"}
    found = QUESTIONS["gpus-in"].answer(asked(given))
    assert 0.97 * usable < found.figure("site_w").value <= usable


def test_power_for_no_node_at_all_has_no_answer() -> None:
    with pytest.raises(QuestionError, match="not even one DGX-H100 fits; one node draws 8"):
        QUESTIONS["gpus-in"].answer(asked({"power": "8 kW", "part": "DGX-H100"}))
    # One node and its share of the network fits into 13 kW, a fraction of a rack.
    found = QUESTIONS["gpus-in"].answer(asked({"power": "13 kW", "part": "DGX-H100"}))
    assert found.figures[0].value == 8


def test_fewer_gpus_fit_where_the_hottest_hour_is_hotter() -> None:
    factors = [
        hot_day_factor(Climate(place=name)) for name in ("reykjavik", "frankfurt", "singapore", "phoenix")
    ]
    assert factors == sorted(factors)
    assert hot_day_factor(Climate(dry_bulb=22.0, swing=14.0)) == pytest.approx(1.25)  # 29 C at 15:00
    assert hot_day_factor(Climate(dry_bulb=-20.0)) == 1.12


# --- when what runs out


def test_what_grows_runs_out_when_a_logarithm_says_so() -> None:
    half = Resource("power", "Power", growing(0.5))
    assert half.years(0.40) == pytest.approx(math.log(2.0) / math.log(1.4))
    assert half.years(0.0) == math.inf
    assert Resource("queue", "Queue", growing(1.2)).years(0.4) == 0.0
    # A fifth used, a tenth more each year without growth: eight years.
    assert Resource("storage", "Storage", growing(0.2, 0.1)).years(0.0) == pytest.approx(8.0)


def test_spares_run_out_when_the_ninety_fifth_percentile_of_repairs_reaches_them() -> None:
    use = spares_in_use(20.0, 60)
    assert use(0.0, 0.0) == pytest.approx((20.0 + 1.645 * 10.0) / 60.0)
    years = Resource("spares", "Spares", use).years(0.4)
    # m + 1.645 sqrt(5 m) = 60 at the square of the root of a quadratic.
    root = (-1.645 * math.sqrt(5.0) + math.sqrt(1.645**2 * 5.0 + 240.0)) / 2.0
    assert years == pytest.approx(math.log(root**2 / 20.0) / math.log(1.4), rel=1e-6)


def test_the_scene_tells_how_full_it_is(llama: AskedScene) -> None:
    share = asked_share(llama, CATALOG)
    job = llama.scenario.jobs[0]
    assert share == pytest.approx(job.nodes / llama.plant.nodes.present.sum(), rel=0.01)
    found = QUESTIONS["run-out"].answer(asked({"growth": "40 %"}, llama))
    queue = found.figure("queue")
    now = found.figure("queue_now").value
    assert queue.value / (365.25 * 86_400.0) == pytest.approx(math.log(1.0 / now) / math.log(1.4))
    assert queue.low is not None
    assert queue.low / (365.25 * 86_400.0) == pytest.approx(math.log(1.0 / now) / math.log(1.56))
    assert found.figures[0].key == "queue"
    spares = found.figure("spares_now").value
    twice = QUESTIONS["run-out"].answer(asked({"failures": "200 %"}, llama)).figure("spares_now").value
    assert 1.4 * spares < twice < 2.0 * spares  # the mean doubles, its spread grows by a root
    assert any("no storage" in words for words in found.rests_on)


def test_power_and_cooling_are_as_full_as_their_fullest_item(llama: AskedScene) -> None:
    found = QUESTIONS["run-out"].answer(asked({"growth": "40 %"}, llama))
    plant = llama.plant
    load_w, limit_w = DesignLoad(plant, CATALOG).most_w(), item_limit_w(plant)
    limited = [i for i in range(len(limit_w)) if plant.power.present[i] and 0.0 < limit_w[i] < math.inf]
    power = max(load_w[i] / limit_w[i] for i in limited)
    heat_w, takes_w = loop_heat_w(plant, CATALOG), loop_capacity_w(plant, CATALOG)
    cooling = max(heat / takes for heat, takes in zip(heat_w, takes_w, strict=True) if takes > 0.0)
    for key, use in (("power", power), ("cooling", cooling)):
        assert 0.3 < use < 1.0
        assert found.figure(f"{key}_now").value == pytest.approx(use, rel=1e-9)
        years = math.log(1.0 / use) / math.log(1.4)
        assert found.figure(key).value == pytest.approx(years * YEAR_S, rel=1e-6)
    assert (
        f"({plant.power.ids[max(limited, key=lambda i: load_w[i] / limit_w[i])]})"
        in found.figure("power").title
    )


def test_storage_fills_with_what_is_written_each_day() -> None:
    about = scene("video-ingest")
    holds = about.plant.storage.capacity_bytes
    capacity = float(holds[np.isfinite(holds)].sum())
    daily_tb = capacity * 0.4 / (8.0 * 365.25) / 1e12  # two fifths in eight years, beside three fifths
    given = {"growth": "0 %", "stored": "60 %", "written": f"{daily_tb:.12g} TB"}
    found = QUESTIONS["run-out"].answer(asked(given, about)).figure("storage")
    assert found.value == pytest.approx(8.0 * YEAR_S, rel=1e-6)
    assert (found.low, found.high) == (pytest.approx(found.value), pytest.approx(found.value))
    without = QUESTIONS["run-out"].answer(asked(given | {"written": ""}, about)).figure("storage")
    assert without.value == math.inf


# --- one more nine


def test_nines_and_the_cheapest_step_to_one_more() -> None:
    def step(available: float, usd: float) -> RedundancyStep:
        return RedundancyStep("N", "N", available, 1.0, np.array([usd]), np.array([usd]))

    now, dear, cheap, half = step(0.99, 1.0), step(0.9995, 9.0), step(0.9991, 3.0), step(0.995, 2.0)
    assert nines(0.99) == pytest.approx(2.0)
    assert next_step([now, dear, cheap, half], now) is cheap
    assert next_step([now, half], now) is half
    assert next_step([now], now) is None


def test_one_more_nine_costs_what_the_machines_cost_that_are_more() -> None:
    found = QUESTIONS["one-more-nine"].answer(
        asked({"part": "DGX-H100", "gpus": "4096", "power": "N", "cooling": "N"})
    )
    assert "power N, cooling N+1" in found.sentence
    halls, part = HallEstimates(NOWHERE), known_parts(CATALOG)["DGX-H100"]
    plain, more = (halls.hall(part, 512, "N", cooling) for cooling in ("N", "N+1"))  # type: ignore[arg-type]
    prices = halls.statement(plain).capital.prices
    seen = [line.entry for line in plain.bill.lines if line.group == "cooling"]
    machines = sum((more.bill.counts()[entry] - plain.bill.counts()[entry]) * prices[entry] for entry in seen)
    on_top = (1.0 + prices["installation"]) * (1.0 + prices["soft-cost"] + prices["contingency"])
    expected = float(np.median(machines * on_top))
    assert found.figure("extra_capital_usd").value == pytest.approx(expected, rel=1e-9)
    outages = site_outages(CATALOG, "N", plain.bill.it_w, liquid=False)
    assert found.figure("available").value == pytest.approx(outages.available)
    hours = found.figure("hours").value - found.figure("then_hours").value
    assert hours == pytest.approx(found.figure("saved_gpu_h").value / 4096)
    extra, per_hour = found.figure("extra_usd").value, found.figure("hour_usd").value
    assert per_hour == pytest.approx(extra / hours)
    assert found.figure("nine_usd").value == pytest.approx(extra / found.figure("nines").value)


def test_where_no_choice_has_a_whole_nine_more_it_is_said() -> None:
    found = QUESTIONS["one-more-nine"].answer(
        asked({"part": "DGX-H100", "gpus": "4096", "power": "2N", "cooling": "2N"})
    )
    assert "No choice of redundancy has more nines" in found.sentence
    then = QUESTIONS["one-more-nine"].answer(
        asked({"part": "DGX-H100", "gpus": "4096", "power": "N+1", "cooling": "N+1"})
    )
    assert "No choice gains a whole nine." in then.sentence


# --- the cheapest checkpoint interval

FREE = CheckpointedJob(1000.0, 10.0, 300.0, 1e6, 1e12, 1, 0.0, math.inf, 1e9)


def test_without_storage_the_cheapest_interval_is_youngs() -> None:
    assert FREE.best_s() == pytest.approx(math.sqrt(2.0 * 10.0 * 1e6), rel=0.01)


def test_storage_that_takes_the_writes_makes_checkpoints_rarer() -> None:
    # A store of 1 GB/s for 50 USD/h: a terabyte costs 1,000 s of it, beside 10 s of a job of 1,000 USD/h.
    paid = replace(FREE, store_usd_h=50.0)
    weight_s = 10.0 + 50.0 * 1e12 / 1e9 / 1000.0
    assert paid.best_s() == pytest.approx(math.sqrt(2.0 * 1e6 * weight_s), rel=0.02)
    kept = replace(FREE, store_usd_h=50.0, store_bytes=1e12, kept=4)
    assert kept.cost(np.array([1e5])).storage[0] == pytest.approx(200.0)  # four are kept: space, not speed


def test_its_three_parts_are_all_that_is_lost() -> None:
    at = np.array([600.0, 3600.0])
    cost = FREE.cost(at)
    assert cost.lost + cost.writing == pytest.approx(1000.0 * (1.0 - renewal_ettr(at, 10.0, 300.0, 1e-6)))
    assert cost.writing[0] == pytest.approx(1000.0 * 10.0 / 610.0, rel=0.01)


def test_the_job_of_a_scene_brings_its_own_figures(llama: AskedScene) -> None:
    question = QUESTIONS["checkpoint-interval"]
    shown = question.defaults(asked({}, llama))
    assert shown["job"] == llama.scenario.jobs[0].id
    assert shown["gpus"] == "16384"
    found = question.answer(asked({}, llama))
    best, daly = found.figures[0].value, found.figure("daly_s").value
    assert best == pytest.approx(daly, rel=0.02)
    assert found.figure("now_s").value == pytest.approx(
        daly, rel=0.05
    )  # its interval is Daly's, in whole steps
    assert found.figure("saved_usd").value >= 0.0


# --- one big rack or two small ones


def test_half_the_nodes_a_rack_take_half_the_gpus_with_them() -> None:
    found = QUESTIONS["rack-size"].answer(
        asked({"big": "DGX-H100", "nodes": "4", "gpus": "1024", "model": "none"})
    )
    value = {figure.key: figure.value for figure in found.figures}
    assert (value["big_racks"], value["small_racks"]) == (32, 64)
    assert (value["big_lost_gpus"], value["small_lost_gpus"]) == (32, 16)
    assert (value["big_rack_w"], value["small_rack_w"]) == (4 * 8400.0, 2 * 8400.0)
    assert value["big_spares_usd"] == pytest.approx(value["big_yearly_usd"] * 4 / 128)
    assert value["big_usd"] == pytest.approx((value["big_yearly_usd"] + value["big_spares_usd"]) / 1024)
    # Twice the racks; what stands around the rows is the same.
    assert value["small_area_m2"] == pytest.approx(1.8 * value["big_area_m2"], rel=0.02)
    # The small ones save half the standby, 1/64 of a year, less what racks and floor cost more.
    assert -1.0 / 64.0 < value["more"] < 0.0


def test_one_rack_of_seventy_two_is_held_against_what_eight_gpu_nodes_make_of_the_model() -> None:
    found = QUESTIONS["rack-size"].answer(
        asked({"big": "GB200-NVL72", "small": "DGX-B200", "gpus": "576", "model": "llama3-70b"})
    )
    value = {figure.key: figure.value for figure in found.figures}
    assert (value["big_lost_gpus"], value["small_lost_gpus"]) == (72, 24)
    assert value["big_domain"] == 64
    year_s = 8760.0 * 3600.0
    million = value["big_tokens_s"] * year_s / 1e6
    assert value["big_usd"] == pytest.approx((value["big_yearly_usd"] + value["big_spares_usd"]) / million)
    assert value["big_usd"] < value["small_usd"]
    same = QUESTIONS["rack-size"].answer(
        asked({"big": "GB200-NVL72", "small": "GB200-NVL72", "gpus": "72", "model": "none"})
    )
    assert "Both cost the same" in same.sentence


@pytest.mark.parametrize("part", ["DGX-H100", "DGX-B200", "HGX-H100-DLC", "DGX-A100"])
def test_two_small_racks_hold_as_many_nodes_as_the_big_one(part: str) -> None:
    given = {"big": part, "gpus": "64", "model": "none"}
    found = QUESTIONS["rack-size"].answer(asked(given))
    big, small = found.figure("big_lost_gpus").value, found.figure("small_lost_gpus").value
    assert big == 2 * small
    assert big / 8 == int(QUESTIONS["rack-size"].defaults(asked(given))["nodes"])


@pytest.mark.parametrize(
    ("nodes", "words"),
    [("3", "two small racks cannot share 3 nodes evenly"), ("6", "a rack holds at most 5 x DGX-H100")],
)
def test_a_rack_that_cannot_be_halved_is_refused_with_the_reason(nodes: str, words: str) -> None:
    given = {"big": "DGX-H100", "nodes": nodes, "gpus": "64", "model": "none"}
    with pytest.raises(QuestionError, match=words) as wrong:
        QUESTIONS["rack-size"].answer(asked(given))
    assert wrong.value.key == "nodes"
    found = QUESTIONS["rack-size"].answer(asked(given | {"nodes": "3", "small": "DGX-B200"}))
    assert found.figure("big_lost_gpus").value == 24


# --- own or rent


def test_an_own_gpu_hour_is_its_fixed_cost_over_its_use_and_its_energy(llama: AskedScene) -> None:
    found = QUESTIONS["own-or-rent"].answer(asked({"utilisation": "50 %"}, llama))
    books = scene_books(llama.scenario, llama.plant, CATALOG, Plan(load=0.8), SAMPLES)
    gpus = 8760.0 * books.bill.gpu_count
    fixed = (books.drawn.capital.yearly_usd + books.drawn.operation.fixed_usd) / gpus
    # Energy of racks at 80 % of their power; an idle GPU draws 40 % of a busy one.
    energy = books.drawn.operation.by_use_usd / gpus / 0.8
    expected = (fixed + energy * (0.4 + 0.6 * 0.5)) / 0.5
    assert found.figures[0].value == pytest.approx(float(np.median(expected)), rel=1e-6)
    price = CATALOG.provenance("aws-p5", "price_usd").value
    demand = next(figure for figure in found.figures if figure.key == "aws_p5_on_demand_usd")
    assert demand.value == pytest.approx(price / 8.0, rel=0.05)
    reserved = [figure.value for figure in found.figures if figure.key == "aws_p5_reserved_usd"]
    share = CATALOG.provenance("aws-p5", "reserved").value
    assert reserved[0] == pytest.approx(price / 8.0 * share / 0.5, rel=0.1)


def test_owning_is_cheaper_from_where_the_books_say(llama: AskedScene) -> None:
    dear = AskedScene(
        set_texts(load("builtin:llama3-16k"), ["site.grid.price=1 USD/kWh"]).scenario, llama.plant
    )
    for about in (llama, dear):
        found = QUESTIONS["own-or-rent"].answer(asked({}, about))
        books = scene_books(about.scenario, about.plant, CATALOG, Plan(load=0.8), SAMPLES)
        for offer in own_or_rent(books, books.drawn).offers:
            even = found.figure(f"{offer.id}_even".replace("-", "_"))
            told = offer.owned_from()
            assert told is not None
            assert (even.low, even.value, even.high) == told
            assert even.words == use_words(told[1])  # as the window and `twin cost` word it
    assert "never" in [figure.words for figure in found.figures]


# --- what all have in common


def test_defaults_follow_the_scene_and_the_inputs_before_them(llama: AskedScene) -> None:
    assert part_of_scene(asked({}, llama)) in known_parts(CATALOG)
    assert part_of_scene(NOWHERE) == "DGX-H100"
    assert level_of_scene("power")(NOWHERE) == "N+1"
    shown = QUESTIONS["rack-size"].defaults(asked({"big": "GB200-NVL72"}))
    assert (shown["nodes"], shown["small"]) == ("18", "DGX-B200")
    assert QUESTIONS["rack-size"].defaults(asked({"big": "DGX-H200"}))["small"] == "DGX-H200"


@pytest.mark.parametrize(
    ("question", "given", "key", "words"),
    [
        ("gpus-in", {"power": "20 parrots"}, "power", "a power such as '132 kW'"),
        ("gpus-in", {"power": "-1 MW"}, "power", "out of range; give 1 kW to 1 GW"),
        ("gpus-in", {"redundancy": "3N"}, "redundancy", "none of N, N\\+1, 2N"),
        ("gpus-in", {"colour": "red"}, "colour", "it has no input 'colour'; known are power"),
        ("one-more-nine", {"gpus": "some"}, "gpus", "no whole number"),
        ("one-more-nine", {"gpus": ""}, "gpus", "a value is missing"),
        (
            "one-more-nine",
            {"part": "GB200-NVL72", "gpus": "103680"},
            "gpus",
            "of one room; ask for fewer GPUs",
        ),
    ],
)
def test_an_input_that_means_nothing_is_named_with_the_reason(
    question: str, given: dict[str, str], key: str, words: str
) -> None:
    with pytest.raises(QuestionError, match=words) as wrong:
        QUESTIONS[question].answer(asked(given))
    assert wrong.value.key == key


def test_questions_about_a_scene_say_so() -> None:
    for question in QUESTIONS.values():
        if question.needs_scene:
            with pytest.raises(QuestionError, match="about a scene"):
                question.answer(NOWHERE)


def test_figures_are_told_as_people_tell_them() -> None:
    assert worded(0.99995, "fraction") == "99.9950 %"
    assert [worded(days * 86_400.0, "duration") for days in (0, 50, 200, 800)] == [
        "now",
        "50 days",
        "6.6 months",
        "2.2 years",
    ]


def test_turbines_at_the_bus_spare_the_utility_and_the_largest_hall_is_asked_for() -> None:
    campus = scene("campus-100k")
    power = campus.plant.power
    utility, most_w = power.ids.index("utility/0"), DesignLoad(campus.plant, CATALOG).most_w()
    alone_w = DesignLoad(campus.plant, CATALOG).beside(np.zeros(len(power.ids))).most_w()
    assert (alone_w - most_w)[utility] == pytest.approx(0.8 * 70e6)
    assert (alone_w != most_w).sum() == 1, "nothing else is above the bus; the bus itself carries all"
    used = QUESTIONS["run-out"].answer(asked({}, campus)).figure("power_now").value
    assert used == pytest.approx(most_w[utility] / 150e6)
    found = QUESTIONS["one-more-nine"].answer(asked({}, campus))
    assert found.figure("saved_gpu_h").value > 0.0
    assert "By default of one hall of 5, that with most GPUs." in found.rests_on
