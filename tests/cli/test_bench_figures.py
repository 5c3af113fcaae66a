"""Speed figures are judged by the machine that they were measured on."""

from __future__ import annotations

import pytest

from twin.cli.bench.figures import FIGURES, Measured, SpeedFigure
from twin.cli.bench.machine import LEAST, MOST, engine_load

SECONDS = SpeedFigure("run_s", "a run [CPU s]", 1, 10.0)
RATE = SpeedFigure("pictures_s", "pictures a second", 1, 30.0, more=True)
MEMORY = SpeedFigure("run_mb", "its memory [MB]", 0, 600.0, "")


@pytest.mark.parametrize(
    ("figure", "value", "factor", "verdict"),
    [
        (SECONDS, 10.0, 1.0, "held"),
        (SECONDS, 10.1, 1.0, "missed"),
        (SECONDS, 14.9, 1.5, "held"),
        (SECONDS, 6.0, 0.55, "missed"),
        (RATE, 20.1, 1.5, "held"),
        (RATE, 30.0, 0.6, "missed"),
        (MEMORY, 700.0, 1.9, "missed"),
        (MEMORY, 500.0, None, "held"),
        (SECONDS, 1.0, MOST + 0.01, "void"),
        (SECONDS, 1.0, LEAST - 0.01, "void"),
        (SECONDS, None, 1.0, ""),
        (SpeedFigure("seen_ms", "seen [ms]"), 5.0, 1.0, ""),
    ],
)
def test_goals_follow_the_machine(
    figure: SpeedFigure, value: float | None, factor: float | None, verdict: str
) -> None:
    assert figure.verdict(value, factor) == verdict


def test_json_tells_what_a_quiet_machine_would_show() -> None:
    slow = Measured(SECONDS, 15.0, 1.5).record()
    assert slow["at_factor_1"] == pytest.approx(10.0)
    assert slow["scaled_goal"] == pytest.approx(15.0)
    assert Measured(RATE, 20.0, 1.5).record()["at_factor_1"] == pytest.approx(30.0)
    assert Measured(MEMORY, 500.0, None).record()["at_factor_1"] == 500.0


def test_each_figure_has_one_key() -> None:
    assert len({figure.key for figure in FIGURES}) == len(FIGURES)


def test_the_load_counts_the_time_of_this_process_alone() -> None:
    assert engine_load() > 0.0
