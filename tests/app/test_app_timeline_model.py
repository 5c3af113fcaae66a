"""The timeline without a window: what a part of a run is, what its pixels show, and times as people write them."""

from __future__ import annotations

import itertools
from datetime import datetime

import numpy as np
import pytest

from twin.app.plots.min_max_bands import band
from twin.app.plots.timeline_scale import Scale
from twin.app.timeline.marks import EventMarks
from twin.app.timeline.paint import ticks
from twin.app.toolkit.clock import Clock
from twin.record.events import Event, Severity
from twin.scenario.reading.run_times import NoTime, Times

_DAYS_S = 54 * 86_400.0
_START = datetime.fromisoformat("2026-01-05T00:00+01:00")


def _event(row: int, t_s: float, severity: Severity) -> Event:
    return Event(row, t_s, "failure", "gpu/0", severity, "", {}, "")


def test_it_zooms_from_54_days_to_a_second_about_the_pointer() -> None:
    scale = Scale.all(_DAYS_S, 1.0, 1000.0)
    about_s = scale.t_s(701.0)
    while scale.span_s > 1.0:
        scale = scale.zoomed(about_s, 0.8)
        assert scale.x(about_s) == pytest.approx(701.0, abs=1e-3)
    assert scale.span_s == 1.0
    assert scale.zoomed(about_s, 1e9).is_whole
    assert scale.panned(1e12).to_s == _DAYS_S
    assert scale.panned(-1e12).from_s == 0.0
    assert scale.showing(0.0).from_s == 0.0
    assert scale.of(10 * _DAYS_S).span_s == 1.0
    assert Scale.all(100.0).of(200.0).to_s == 200.0


def test_every_dip_of_a_long_curve_shows_in_its_pixel() -> None:
    t_s = np.linspace(0.0, _DAYS_S, 50_001)
    values = np.full(len(t_s), 100.0)
    values[31_234] = 3.0
    scale = Scale.all(_DAYS_S, 0.0, 500.0)
    found = band(t_s, values, scale, _DAYS_S)
    assert len(found.column) == 500
    place = int(scale.x(float(t_s[31_234])))
    assert found.low[place] == 3.0
    assert np.count_nonzero(found.low < 100.0) == 1
    assert found.high.min() == 100.0
    assert np.all((found.low <= found.mean) & (found.mean <= found.high))


def test_a_value_holds_between_its_samples_and_not_beyond_the_present() -> None:
    t_s, values = np.array([0.0, 100.0, 200.0]), np.array([1.0, 2.0, 3.0])
    found = band(t_s, values, Scale.all(1000.0, 0.0, 100.0), 300.0)
    assert found.column[-1] == 30
    assert found.mean[5] == 1.0
    assert found.mean[15] == 2.0
    assert found.mean[29] == 3.0
    inside = band(t_s, values, Scale.all(1000.0, 0.0, 10.0).over(120.0, 121.0), 300.0)
    assert len(inside.column) == 10
    assert set(inside.mean.tolist()) == {2.0}
    assert len(band(t_s, np.full(3, np.nan), Scale.all(1000.0), 300.0).column) == 0


def test_thousands_of_events_are_one_mark_per_pixel_and_severity() -> None:
    draws = np.random.default_rng(1)
    times = np.sort(draws.uniform(0.0, _DAYS_S, 12_000)).tolist()
    events = [_event(row, t_s, Severity(row % 4)) for row, t_s in enumerate(times)]
    marks, scale = EventMarks(), Scale.all(_DAYS_S, 1.0, 600.0)
    marks.follow(events)
    for severity in Severity:
        columns = marks.columns(severity, scale)
        wanted = {int(scale.x(e.t_s) - 1.0) for e in events if e.severity == severity}
        assert columns.tolist() == sorted(wanted)
        assert len(columns) <= 601
    events.append(_event(12_000, _DAYS_S, Severity.ALARM))  # the run goes on
    assert marks.columns(Severity.ALARM, scale)[-1] == 600
    near = marks.near(scale.x(times[500]), scale, 2.0)
    assert events[500] in near
    assert all(abs(scale.x(e.t_s) - scale.x(times[500])) <= 2.0 for e in near)


def test_ticks_are_times_people_count_in_and_have_room() -> None:
    clock = Clock(_START, dated=True)
    for span_s, words in ((_DAYS_S, "15 Jan"), (86_400.0, "04:00"), (600.0, "00:02"), (1.0, "00:00:00.2")):
        scale = Scale.all(_DAYS_S, 0.0, 900.0).over(0.0, span_s)
        found = ticks(clock, scale)
        assert words in [said for _, said in found], found
        places = [scale.x(at_s) for at_s, _ in found]
        assert all(b - a > 80.0 for a, b in itertools.pairwise(places))


@pytest.mark.parametrize(
    ("text", "wanted_s"),
    [
        ("3d 4h", 273_600.0),
        ("3 days 4 hours", 273_600.0),
        ("t+5400", 5_400.0),
        ("5400", 5_400.0),
        ("t + 1.5 h", 5_400.0),
        ("+10 min", 87_000.0),
        ("-1 h", 82_800.0),
        ("10:32", 86_400.0 + 37_920.0),
        ("2026-01-08 10:32", 297_120.0),
        ("2026-01-08T10:32:05", 297_125.0),
        ("2026-01-08", 259_200.0),
        ("8 Jan 10:32", 297_120.0),
        ("8 January", 259_200.0),
        ("3 Feb 2026", 29 * 86_400.0),
        ("22 day 16 h", 22.0 * 86_400.0 + 57_600.0),
        ("1e3 s", 1_000.0),
        ("end", _DAYS_S),
        ("start", 0.0),
    ],
)
def test_a_time_is_read_as_people_write_it(text: str, wanted_s: float) -> None:
    assert Times(_START, 86_400.0, _DAYS_S).read(text) == wanted_s


def test_a_time_of_day_before_the_start_is_that_of_the_next_day() -> None:
    started = datetime.fromisoformat("2026-01-05T09:55+01:00")
    assert Times(started, 0.0, _DAYS_S).read("08:00") == 22 * 3600 + 5 * 60
    assert Times(started, 0.0, _DAYS_S).read("10:00") == 300.0


@pytest.mark.parametrize(
    "text", ["", "soon", "3 apples", "60 d", "-2 d", "2025-12-24 10:00", "25:99", "31 Feb", "1e9 d"]
)
def test_what_is_no_time_of_the_run_is_told(text: str) -> None:
    with pytest.raises(NoTime) as told:
        Times(_START, 86_400.0, _DAYS_S).read(text)
    assert "\n" not in str(told.value)


def test_each_sample_counts_for_as_long_as_it_holds() -> None:
    t_s = np.array([0.0, 50.0, 50.1, 50.2, 50.3, 60.0])  # samples stand closer where something happened
    values = np.array([100.0, 0.0, 0.0, 0.0, 100.0, 100.0])
    found = band(t_s, values, Scale.all(100.0, 0.0, 1.0), 100.0)
    assert found.mean[0] == pytest.approx(99.7)
    assert (found.low[0], found.high[0]) == (0.0, 100.0)
