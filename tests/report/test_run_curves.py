"""Curves of a report: what their captions tell in figures, and the limits that are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from report_facts import DAY_S, facts

from twin.analysis.spare_history import SpareHistory
from twin.planning.network.switch_loss import NetworkLimits, SwitchLoss
from twin.plant.tables import SwitchRole
from twin.report.charts import ChartLimit, ChartLine, curves
from twin.report.run_curves import lowest_goodput, time_curves
from twin.scenario import load

END_S = 5 * DAY_S


def reader_of(channels: Mapping[str, Sequence[float]]) -> Any:
    """Return a run of five days with a sample every six hours, each channel repeated to fill it."""
    t_s = np.arange(0.0, END_S + 1.0, 6 * 3600.0)

    def series(entity: int, channel: str, t0_s: float = 0.0, t1_s: float = np.inf, points: int = 2000) -> Any:
        values = np.resize(np.asarray(channels.get(channel, [0.0]), np.float64), len(t_s))
        at = (t_s >= t0_s) & (t_s <= t1_s)
        return SimpleNamespace(t_s=t_s[at], mean=values[at], low=values[at], high=values[at])

    scenario = load("builtin:lab-16").scenario.model_copy(update={"duration_s": END_S})
    header = SimpleNamespace(scenario=scenario)
    return SimpleNamespace(series=series, t_end_s=END_S, header=header)


def goodput(third_day: Sequence[float]) -> list[float]:
    """Return goodput of 100 % but for the four samples of the third day, and after the end of the fifth."""
    return [100.0] * 8 + list(third_day) + [100.0] * 8 + [0.0]


def test_the_lowest_day_is_the_mean_of_its_samples() -> None:
    """100, 40, 40 and 60 % for six hours each: 60 % on the third day; a sample at the end of the run is no day."""
    run = reader_of({"site.goodput_now": goodput([100.0, 40.0, 40.0, 60.0])})
    assert lowest_goodput(run) == (2 * DAY_S, DAY_S, pytest.approx(60.0))
    assert lowest_goodput(SimpleNamespace(t_end_s=100.0)) is None  # type: ignore[arg-type]


def test_each_caption_answers_its_question_with_figures() -> None:
    run = replace(
        facts(
            power={"facility_max_w": 16e3, "facility_mean_w": 15e3},
            thermal={"gpu_max_c": 62.4},
            failures={"down": {"mean": 2.5, "most": 4}},
        ),
        scenario=load("builtin:lab-16").scenario,
        clock_limit_c=87.0,
    )
    channels = {
        "site.facility_w": [15e3, 16e3],
        "site.it_w": [12e3],
        "site.gpu_max_c": [62.4],
        "site.gpu_mean_c": [60.0],
        "site.goodput_now": goodput([100.0, 40.0, 40.0, 60.0]),
        "site.goodput": [90.0],
        "site.allocated": [100.0, 80.0],
        "site.nodes_down": [1.0, 4.0],
        "site.spares": [5.0, 2.0],
        "site.queue": [0.0, 3.0],
    }
    found = time_curves(reader_of(channels), run, ())
    told = {key: str(markup).replace("\N{NO-BREAK SPACE}", " ") for key, markup in found.items()}
    assert "at most (highest mean over up to 1 h) of 50.00 kW at the utility." in told["power"]
    assert "No: 62.4 °C at most; clocks fall above 87 °C." in told["temperature"]
    assert "Goodput 88.9 % over the whole run; lowest 60.0 % in the mean of 1 d from 7 Jan" in told["goodput"]
    assert "90.0 % in the mean, 80.0 % at least." in told["held"], "10 of 100 are idle"
    assert "Yes: 2 spares left at least; in repair 2.50 in the mean, 4 at most." in told["spares"]
    assert "3 at most" in told["queue"]
    assert "No: 0 spares left at least" in str(
        time_curves(reader_of({**channels, "site.spares": [5.0, 0.0]}), run, ())["spares"]
    )
    leaf = SwitchLoss("ib", SwitchRole.LEAF, "ib/0/0", 8, nodes=9, gpus=72, job_nodes=4, spares=5)
    seen = SpareHistory(np.array([5.0, 2.0]), np.array([1.0, 3.0]), 0.0, 0.0)
    lost = replace(run, network=NetworkLimits("j", None, None, (leaf,)), free_spares=seen)
    told_of_leaf = str(time_curves(reader_of(channels), lost, ())["spares"]).replace(
        "\N{NO-BREAK SPACE}", " "
    )
    assert "For a lost leaf, 4 nodes at once: in 25 % of the time." in told_of_leaf
    still = time_curves(reader_of({**channels, "site.queue": [0.0], "site.allocated": [100.0]}), run, ())
    assert {"queue", "held"}.isdisjoint(still), "nothing waits, nothing moves"


def test_limits_are_drawn_and_named_where_they_are_near() -> None:
    """The axis reaches the limit: at 87 °C of 50 to 90 °C; one far above the curve is not drawn."""
    t_s = np.array([0.0, 10.0])
    line = ChartLine("max.", t_s, np.array([60.0, 62.0]), np.array([60.0, 62.0]), np.array([60.0, 62.0]))
    drawn = curves("GPU temperature", "°C", [line], 0.0, 10.0, str, limit=ChartLimit("clocks fall", 87.0))
    assert 'class="limit"' in drawn
    assert "clocks fall 87" in drawn
    assert ">90</text>" in drawn
    assert "limit" not in curves("GPU temperature", "°C", [line], 0.0, 10.0, str)
    lab = replace(facts(power={"facility_max_w": 40e3}), scenario=load("builtin:lab-16").scenario)
    for watts, seen in ((40e3, True), (10e3, False)):
        chart = time_curves(reader_of({"site.facility_w": [watts]}), lab, ())["power"]
        assert ('class="limit"' in chart) is seen, watts
