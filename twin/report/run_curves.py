"""Curves of a run: each with the question it answers, the answer in figures, and the limit where there is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from twin.analysis.wall_clock import moments
from twin.language import counted
from twin.record.accounts import RESTING
from twin.record.events import Event, Severity
from twin.record.reader import Reader
from twin.report.charts import ChartLimit, ChartLine, curves, whole_bins
from twin.report.engineer_words import spare_nodes, utility_w
from twin.report.markup import Markup, tag
from twin.report.run_data import RunFacts
from twin.report.run_facts import PEAK_OF
from twin.report.words import amount, axis_words, percent, rounded
from twin.units import spoken

POINTS = 420
"""Points of a curve: about one per pixel."""
MOST_MARKS = 60
_FAR = 3.0
"""A limit above so many times the highest value is told and not drawn: it would flatten the curve."""
_SPANS_S = (86400.0, 3600.0, 60.0)
"""Means of goodput are told over the longest of these of which a run has several [s]."""
_SEVERAL = 4


@dataclass(frozen=True)
class RunCurve:
    """What a chart shows: its question, title, unit, channels with their names, scale, and where its axis begins.

    `answer` returns the figures of its caption, `limit` the line that it is held against; None: there is none.
    `moving`: it is shown only where all its lines move; `asked`: only where anything was above 0.
    """

    question: str
    title: str
    unit: str
    channels: tuple[tuple[str, str], ...]
    answer: Callable[[Reader, RunFacts, Sequence[ChartLine]], str]
    scale: float = 1.0
    floor: float | None = 0.0
    limit: Callable[[RunFacts], tuple[str, float] | None] = lambda facts: None
    moving: bool = False
    asked: bool = False


def time_curves(reader: Reader, facts: RunFacts, events: Sequence[Event]) -> dict[str, Markup]:
    """Return the curves of a run by their key. Thin lines are alarms, a broken one is a limit."""
    end_s = reader.t_end_s
    says = axis_words(reader.header.scenario, 0.0, end_s)
    alarms = [event.t_s for event in events if event.severity >= Severity.ALARM]
    marks = alarms if len(alarms) <= MOST_MARKS else ()
    note = " Bands show the range of the samples behind each point."
    if marks:
        note += " Red lines are alarms."
    elif alarms:
        note += f" The {len(alarms):,} alarms are too many to mark."
    found = {}
    for key, curve in _curves(reader).items():
        lines = [site_curve(reader, channel, name, curve.scale) for channel, name in curve.channels]
        if curve.asked and not (len(lines[0].high) and float(np.nanmax(lines[0].high)) > 0.0):
            continue
        if curve.moving and not all(map(_moves, lines)):
            continue
        limit = _limit(curve, facts, lines)
        chart = curves(curve.title, curve.unit, lines, 0.0, end_s, says, marks, curve.floor, limit)
        if chart:
            caption = f" {curve.answer(reader, facts, lines)}{note if key == 'power' else ''}"
            found[key] = tag("figure", chart, tag("figcaption", tag("b", curve.question), caption))
    return found


def _curves(reader: Reader) -> dict[str, RunCurve]:
    site_w = reader.series(0, "site.facility_w", 0.0, reader.t_end_s, POINTS).high
    scale, unit = (1e-6, "MW") if len(site_w) and float(np.nanmax(site_w)) >= 2e6 else (1e-3, "kW")
    return {
        "power": RunCurve(
            "How much power did the site draw?",
            "Power",
            unit,
            (("site.facility_w", "facility"), ("site.it_w", "IT")),
            _power_answer,
            scale,
            limit=lambda facts: _positive("utility", utility_w(facts.scenario) * scale),
        ),
        "temperature": RunCurve(
            "Did GPUs get too hot?",
            "GPU temperature",
            "°C",
            (("site.gpu_max_c", "max."), ("site.gpu_mean_c", "mean")),
            _temperature_answer,
            floor=None,
            limit=lambda facts: _positive("clocks fall", facts.clock_limit_c or 0.0),
        ),
        "goodput": RunCurve(
            "When did work stop, and what was kept?",
            "Goodput",
            "%",
            (("site.goodput_now", "now"), ("site.goodput", "so far")),
            _goodput_answer,
        ),
        "held": RunCurve(
            "Were the GPUs in use?",
            "GPUs held by jobs",
            "%",
            (("site.allocated", "held"),),
            _held_answer,
            moving=True,
        ),
        "spares": RunCurve(
            "Were there spares enough?",
            "Nodes",
            "",
            (("site.nodes_down", "in repair"), ("site.spares", "spares left")),
            _spares_answer,
            limit=lambda facts: _positive("spare nodes", float(spare_nodes(facts))),
            moving=True,
        ),
        "queue": RunCurve(
            "Did jobs wait?",
            "Queued jobs",
            "",
            (("site.queue", "queued"),),
            lambda reader, facts, lines: f"{_most(lines[0]):,.0f} at most, {_mean(lines[0])} in the mean.",
            asked=True,
        ),
    }


def _positive(title: str, value: float) -> tuple[str, float] | None:
    return (title, value) if value > 0.0 else None


def _limit(curve: RunCurve, facts: RunFacts, lines: Sequence[ChartLine]) -> ChartLimit | None:
    """Return the limit of a chart as a line; None: it has none, or that is far off."""
    found = curve.limit(facts)
    if found is None or found[1] > _FAR * max(map(_most, lines)):
        return None
    return ChartLimit(*found)


def _most(line: ChartLine) -> float:
    return float(np.nanmax(line.high, initial=0.0))


def _mean(line: ChartLine) -> str:
    return rounded(float(np.nanmean(line.mean)), 3)


# --- what each shows, in figures


def _power_answer(reader: Reader, facts: RunFacts, lines: Sequence[ChartLine]) -> str:
    if facts.figure("power_max_w") is None:
        return f"{rounded(_most(lines[0]), 4)} at most so far."
    supply_w = utility_w(facts.scenario)
    of = f" of {amount(supply_w, 'power')} at the utility" if supply_w else ""
    return f"{facts.words('power_mean_w')} in the mean, {facts.words('power_max_w')} at most ({PEAK_OF}){of}."


def _temperature_answer(reader: Reader, facts: RunFacts, lines: Sequence[ChartLine]) -> str:
    hottest = facts.figure("gpu_max_c")
    said = f"{_most(lines[0]) if hottest is None else hottest:.1f} °C at most"
    if not facts.clock_limit_c:
        return f"{said}."
    above = hottest is not None and hottest > facts.clock_limit_c
    return f"{'Yes' if above else 'No'}: {said}; clocks fall above {facts.clock_limit_c:g} °C."


def _goodput_answer(reader: Reader, facts: RunFacts, lines: Sequence[ChartLine]) -> str:
    goodput = facts.figure("goodput")
    said = "" if goodput is None else f"Goodput {percent(goodput)} over the whole run"
    lowest = lowest_goodput(reader)
    if lowest is None:
        return f"{said}." if said else ""
    begin_s, span_s, low = lowest
    when = moments(reader.header.scenario)(begin_s)
    least = f"lowest {percent(low / 100.0)} in the mean of {spoken(span_s)} from {when}"
    return f"{f'{said}; ' if said else ''}{least}."


def lowest_goodput(reader: Reader) -> tuple[float, float, float] | None:
    """Return begin [s], length [s] and mean [%] of the stretch with the lowest goodput; None: the run is too short.

    Stretches are days of a run of several, else hours or minutes; a last one that is cut short does not count.
    """
    end_s = reader.t_end_s
    span_s = next((span for span in _SPANS_S if end_s >= _SEVERAL * span), None)
    if span_s is None:
        return None
    found = []
    for begin_s in np.arange(0.0, end_s - span_s + 1e-6, span_s).tolist():
        series = reader.series(0, "site.goodput_now", begin_s, begin_s + span_s)
        value = _time_mean(series.t_s, series.mean, begin_s + span_s)
        if value is not None:
            found.append((begin_s, span_s, value))
    return min(found, key=lambda stretch: stretch[2], default=None)


def _time_mean(t_s: np.ndarray, values: np.ndarray, end_s: float) -> float | None:
    """Return the mean of a value that holds from each sample to the next, the last to `end_s`; None: no sample.

    >>> _time_mean(np.array([0.0, 10.0]), np.array([50.0, 100.0]), 40.0)
    87.5
    """
    known = np.isfinite(values)
    t_s, values = np.asarray(t_s, np.float64)[known], np.asarray(values, np.float64)[known]
    lasts_s = np.diff(t_s, append=end_s)
    if not len(t_s) or lasts_s.sum() <= 0.0:
        return None
    return float((values * lasts_s).sum() / lasts_s.sum())


def _held_answer(reader: Reader, facts: RunFacts, lines: Sequence[ChartLine]) -> str:
    total = sum(facts.ledger_gpu_s.values())
    idle = sum(facts.ledger_gpu_s.get(account, 0.0) for account in RESTING)
    mean = f"{percent(1.0 - idle / total)} in the mean, " if total else ""
    return f"{mean}{float(np.nanmin(lines[0].low, initial=100.0)):.1f} % at least."


def _spares_answer(reader: Reader, facts: RunFacts, lines: Sequence[ChartLine]) -> str:
    down = facts.summary.get("failures", {}).get("down", {})
    least = int(np.nanmin(lines[1].low, initial=np.inf))
    mean = f"{rounded(down['mean'], 3)} in the mean, " if down.get("mean") else ""
    most = down.get("most") or _most(lines[0])
    verdict = "Yes" if least else "No"
    said = f"{verdict}: {counted(least, 'spare')} left at least; in repair {mean}{int(most):,} at most."
    worst = facts.network.largest if facts.network is not None else None
    if worst is None or facts.free_spares is None:
        return said
    share = percent(facts.free_spares.share(worst.job_nodes), 0)
    return f"{said} For a lost {worst.role.words}, {worst.job_nodes:,} nodes at once: in {share} of the time."


def _moves(line: ChartLine) -> bool:
    """Return whether a curve is known and not the same all the time."""
    known = np.isfinite(line.low) & np.isfinite(line.high)
    return bool(known.any()) and float(line.high[known].max()) > float(line.low[known].min())


def site_curve(reader: Reader, channel: str, title: str, scale: float) -> ChartLine:
    """Return a curve of the site over the whole run."""
    found = reader.series(0, channel, points=POINTS)
    low, mean, high = (np.asarray(curve, np.float64) * scale for curve in (found.low, found.mean, found.high))
    whole = whole_bins(found.t_s, reader.t_end_s, POINTS)
    return ChartLine(title, found.t_s[:whole], mean[:whole], low[:whole], high[:whole])
