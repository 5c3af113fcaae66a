"""The report of a comparison for its readers: full pages, limits, the curve of the interval, designs of other sizes."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache
from html import unescape

import numpy as np
import pytest

from twin.analysis.compare import Basis, Comparison, Sample, compare
from twin.analysis.designs_comparison import range_words
from twin.analysis.figures import FIGURES
from twin.analysis.run_cost import RunCost
from twin.analysis.significance import judged
from twin.api.compare_designs import compared_designs
from twin.planning.risk.reliability_model import ReliabilityModel, SampledCause
from twin.planning.risk.risk import JobRisk
from twin.report.comparison.checkpoints import holds_words
from twin.report.comparison.figures import figures_table
from twin.report.comparison.interval_curve import interval_curve
from twin.report.comparison.limits import (
    ComparedLimit,
    ComparedLimits,
    compared_limits,
    limits_section,
    limits_words,
)
from twin.report.comparison.money import price_words, work_amounts
from twin.report.comparison.report import compare_report
from twin.report.comparison.uncertain import uncertain_words
from twin.report.comparison.way import way, way_steps, way_words
from twin.report.comparison.words import is_comparable, share_of_a
from twin.report.designs_report import designs_report
from twin.report.markup import tag
from twin.report.pages import ReportPart, report
from twin.report.paper import laid_out
from twin.scenario import Scenario, load
from twin.scenario.file.diff import differences
from twin.scenario.schema.scene_catalog import catalog_of

DAY_S, HOUR_S = 86400.0, 3600.0
MINUS = "\N{MINUS SIGN}"
BY_KEY = {figure.key: figure for figure in FIGURES}
FIGURES_OF_A = {
    "goodput": 0.99, "ettr": 0.99, "mfu": 0.5, "productive_gpu_h": 70_000.0, "interruptions": 2.0, "planned": 0.0,
    "lost_gpu_h": 150.0, "energy_j": 3.6e11, "it_j": 3.3e11, "energy_per_gpu_h": 5e6, "pue": 1.1, "power_max_w": 2.8e5,
    "power_mean_w": 2.7e5, "gpu_max_c": 60.0, "carbon_kg": 4000.0, "cost_usd": 5600.0, "carbon_per_gpu_h": 0.055,
    "cost_per_gpu_h": 0.08,
}  # fmt: skip


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html)).replace("\N{NO-BREAK SPACE}", " ")


def run(seed: int, factor: float, gpus: float, days: float, part: str, pflop_days: float) -> Sample:
    """Return a run of a design whose figures are those of A times a factor; 80 % of it productive, over the factor."""
    spread = 1.0 + 0.002 * seed
    hours = gpus * days * 24.0
    productive = 0.8 * hours / factor / spread
    ledger = {"productive": productive, "lost_work": 0.01 * hours, "idle_spare": 0.99 * hours - productive}
    return Sample(
        {key: value * factor * spread for key, value in FIGURES_OF_A.items()},
        {account: time * HOUR_S for account, time in ledger.items()},
        days * DAY_S,
        gpus,
        cost=RunCost(np.linspace(2e5, 3e5, 400), np.full(400, 4e4), productive, pflop_days, (part,)),
    )


@cache
def designs() -> Comparison:
    a = [run(seed, 1.0, 256.0, 14.0, "H100", 1000.0) for seed in (1, 2, 3)]
    b = [run(seed, 1.25, 576.0, 7.0, "GB200", 2000.0) for seed in (1, 2, 3)]
    return compare(a, b, [1, 2, 3], Basis.RERUN)


@cache
def design_scenes() -> tuple[Scenario, Scenario]:
    return load("builtin:superpod-h100").scenario, load("builtin:nvl72-row").scenario


@cache
def design_report() -> str:
    scenes = design_scenes()
    titles = (scenes[0].title, scenes[1].title)
    names = ("superpod-h100", "nvl72-row")
    return compare_report(names, titles, designs(), differences(*scenes), scenes, "twin compare")


def test_no_page_but_the_last_is_less_than_two_thirds_full(qapp: object) -> None:
    """And the first, for who decides, has room to spare."""
    laid = laid_out(design_report())
    ends = laid.page_ends()
    assert laid.pages >= 5
    assert min(ends[:-1]) >= 2.0 / 3.0
    assert ends[0] <= 0.92
    assert laid.page_of["engineering"] == 2
    assert laid.page_of["differences"] == 1, "all for who decides is on the first page"


def test_the_method_follows_on_the_page_of_the_limits(qapp: object) -> None:
    assert 'class="part flows"' in design_report()
    assert design_report().count('class="part"') > 1, "others begin a page of their own"


def test_what_only_size_or_kind_of_gpus_makes_is_not_judged() -> None:
    found = designs()
    assert judged(BY_KEY["energy_per_gpu_h"], found).better == 0
    assert judged(BY_KEY["energy_per_gpu_h"], found).words == "more in B, of other GPUs"
    assert not is_comparable(BY_KEY["energy_j"], found)
    assert is_comparable(BY_KEY["pue"], found)
    one_kind = compare(
        found.samples[0], [run(seed, 1.25, 256.0, 14.0, "H100", 900.0) for seed in (1, 2, 3)], (1, 2, 3)
    )
    assert judged(BY_KEY["energy_per_gpu_h"], one_kind).words == "A is better"
    made = plain(str(figures_table(found, ("A", "B"))))
    assert "other GPUs" in made
    assert "other size" in made
    assert "not judged" in made


def test_a_pflop_day_of_each_design_by_hand() -> None:
    """360 GJ are 100,000 kWh: of 1,000 PFLOP-days 100 each; 125,000 of 2,000 are 62.5; carbon 4 and 2.5 kg."""
    energy, carbon = work_amounts(designs())
    assert (energy.a[1], energy.b[1]) == pytest.approx((100.0 * 1.004, 62.5 * 1.004))
    assert (carbon.a[1], carbon.b[1]) == pytest.approx((4.0 * 1.004, 2.5 * 1.004))
    assert energy.apart[0] <= energy.apart[1] == pytest.approx(-37.5 * 1.004, rel=1e-3)
    assert energy.unit == "kWh"
    first = designs().samples[0]
    assert work_amounts(compare(first, first, (1, 2, 3))) == [], "GPU-hours of one kind are work enough"
    shown = plain(design_report())
    assert "Facility energy of a PFLOP-day, kWh" in shown


def test_gpu_time_of_halls_of_other_sizes_is_in_percent() -> None:
    """80 of 100 and 120 of 200 productive, the rest idle: 80 and 60 %, and 20 points less by hot spares."""
    sides = [
        Sample({}, {key: value * HOUR_S for key, value in ledger.items()}, HOUR_S, gpus)
        for ledger, gpus in (
            ({"productive": 80.0, "idle_spare": 20.0}, 100.0),
            ({"productive": 120.0, "idle_spare": 80.0}, 200.0),
        )
    ]
    found = compare([sides[0]], [sides[1]], (1,))
    steps = way_steps(found)
    assert {step.title: step.gpu_h for step in steps} == pytest.approx({"idle: hot spares": -20.0})
    assert way_words(found).startswith(
        "Productive time is 80.00 % of the GPU time installed in A and 60.00 % in B. B pays with more idle: hot "
        f"spares (20.00 %); that is {MINUS}20.00 % productive."
    )
    made = str(way(found))
    assert "From 80.00 to 60.00 % productive; the largest step is idle: hot spares" in made
    assert "account, % of the GPU time installed" in made
    assert "(20.00 % of its GPU time more)" in price_words(replace(found, money=designs().money), None)
    alike = compare([sides[0]], [replace(sides[0], ledger_gpu_s={"productive": 60.0 * HOUR_S})], (1,))
    assert way_words(alike).startswith("Productive time is 80.00 GPU-h in A and 60.00 GPU-h in B.")


def exposed(interval_s: float, stops_s: float = 10.0 * DAY_S) -> JobRisk:
    """Return a job of 100 nodes that is stopped so often, with writes of 60 s."""
    cause = SampledCause(1.0 / (100.0 * stops_s), DAY_S)
    model = ReliabilityModel(nodes=100, spares=4, causes=(cause,), horizon_s=54 * DAY_S)
    return JobRisk("job", model, interval_s, 60.0, 0.0, ("not sampled: bursts",))


BEST_S = math.sqrt(2.0 * 60.0 * 10.0 * DAY_S)
"""By Young's rule."""


def lost(share: float) -> Sample:
    """Return a run that lost such a share of the time that its job held."""
    ledger = {
        "productive": 1.0 - share,
        "lost_work": 0.75 * share,
        "checkpoint_stall": 0.25 * share,
        "idle_spare": 3.0,
    }
    return Sample({}, {key: value * HOUR_S for key, value in ledger.items()}, HOUR_S, 4.0)


def test_the_curve_of_the_interval_by_hand() -> None:
    """60 / 10,182 + 10,182 / 1,728,000 = 1.18 %, at four times the interval 2.50 %; the runs lost 1.3 and 2.2 %."""
    found = compare([lost(0.013)], [lost(0.022)], (1,))
    made = str(interval_curve(found, (exposed(BEST_S), exposed(4.0 * BEST_S))))
    assert (
        "<b>A 1.2 % (1.3 % in the runs) and B 2.5 % (2.2 % in the runs) of the time are lost; the least is 1.2 %.</b>"
        in made
    )
    marks = [float(at) for at in re.findall(r'class="mark" x1="([\d.]+)"', made)]
    best = [float(at) for at in re.findall(r'class="thread" x1="([\d.]+)"', made)]
    a, b = sorted(marks)
    assert best == [a], "A saves at the best interval"
    edges = [
        float(at) for at in re.findall(r"[ML]([\d.]+) ", re.search(r'class="line l1" d="([^"]*)"', made)[1])
    ]  # type: ignore[index]
    octave = (edges[-1] - edges[0]) / 4.0  # from half of A to twice B are four doublings
    assert b - a == pytest.approx(2.0 * octave, abs=0.3)
    dots = [
        (float(x), float(y)) for x, y in re.findall(r'<circle class="full" cx="([\d.]+)" cy="([\d.]+)"', made)
    ]
    assert [x for x, _ in dots] == [a, b]
    zero = max(float(y) for y in re.findall(r'class="grid"[^>]*y1="([\d.]+)"', made))
    assert (zero - dots[1][1]) / (zero - dots[0][1]) == pytest.approx(2.2 / 1.3, rel=0.02)
    assert interval_curve(found, (exposed(BEST_S), exposed(math.inf))) is None


def test_whether_the_better_interval_holds_by_hand() -> None:
    """Twice the stops: best is 7,200 s, 1.67 %; 10,182 s lose 0.1 % more, 2 h at 1 / 5 d the least of B."""
    told = holds_words((exposed(BEST_S), exposed(4.0 * BEST_S)))
    assert told.startswith(
        "It holds. With half as many stops 4 h is best; beside it A loses 0.1 % more of the time"
    )
    often = 60.0 / (4.0 * BEST_S) + 4.0 * BEST_S / (10.0 * DAY_S) - 2.0 * 60.0 / 7200.0
    assert (
        "With twice as many stops 2 h is best; beside it A loses 0.1 % more of the time, and B "
        f"{100 * often:.1f} % more." in told
    )
    turned = holds_words((exposed(0.6 * BEST_S), exposed(1.7 * BEST_S)))
    assert turned.startswith("It does not hold for all rates. With half as many stops 4 h is best")
    assert holds_words((exposed(BEST_S), exposed(math.inf))) == ""


def test_limits_in_words_and_as_a_picture() -> None:
    limits = [
        ComparedLimit("UPS", 1.1, 0.9),
        ComparedLimit("CDUs", None, 0.5),
        ComparedLimit("Utility", 0.4, 0.402),
    ]
    told = limits_words(ComparedLimits(limits))
    assert told.endswith("in A UPS at 110 %; in B UPS at 90 %. 1 of 3 are the same in both in whole percent.")
    made = str(limits_section(ComparedLimits(limits)))
    assert "<b>1 of 3 are beyond their limit, the most UPS, A 110 %, B 90 %.</b>" in made
    assert "A none, B 50 %" in made
    assert "A and B 40 %" in made
    (line,) = re.findall(r'<line class="mark" x1="([\d.]+)"', made)
    wide = [
        float(width) for width in re.findall(r'<rect class="f[12]"[^>]*width="([\d.]+)" height="6.0"', made)
    ]
    assert len(wide) == 5
    assert wide[0] == pytest.approx(1.1 * (float(line) - 260.0), abs=0.2), "the line stands at 100 %"
    assert "None is beyond its limit" in str(limits_section(ComparedLimits(limits[1:])))
    assert limits_section(ComparedLimits([])) is None
    assert limits_words(ComparedLimits([])) == ""


def test_limits_of_two_designs_by_hand() -> None:
    """GPUs at 60 and 75 degC are so many kelvin below where clocks go down; four spares for repairs of a day."""
    scenes = design_scenes()
    found = compared_limits(designs(), scenes, None, None)
    limits = {limit.title: limit for limit in found.shares}
    most_c = [
        catalog_of(scene).gpu(part).max_op_c
        for scene, part in zip(scenes, ("H100-SXM", "GB200-GPU"), strict=True)
    ]
    assert found.margin_k == pytest.approx((most_c[0] - 60.24, most_c[1] - 75.3), abs=0.05)
    margins = f"Hottest GPU: {found.margin_k[0]:.3g} K below the temperature at which clocks go down in A, "
    assert margins in limits_words(found)
    assert margins in str(limits_section(found))
    assert not any("temperature" in title for title in limits), "degrees Celsius have no percent"
    assert limits["CDUs"].a is None, "a hall of air has none"
    risks = (exposed(600.0), exposed(600.0))
    spares = {limit.title: limit for limit in compared_limits(designs(), scenes, risks, None).shares}[
        "Spare nodes"
    ]
    assert spares.a == pytest.approx(risks[0].model.in_repair_within(14 * DAY_S) / 4.0)
    told = str(limits_section(ComparedLimits([spares])))
    assert "Spare nodes: mean number in repair over 14 d in A and 7 d in B; repairs pile up" in told
    assert "mean number in repair" not in str(limits_section(ComparedLimits([limits["Utility"]]))), (
        "of the spares alone"
    )
    assert "Nearest to its limit" in plain(design_report())


def test_differences_in_percent_of_a() -> None:
    goodput = designs().differences["goodput"]
    assert share_of_a(replace(goodput, a=2.0, difference=0.5)) == "+25 %"
    assert share_of_a(replace(goodput, a=2.0, difference=-5.888)) == f"{MINUS}294 %"
    assert share_of_a(replace(goodput, a=0.0)) == ""


def test_kelvin_are_no_percent_of_degrees_celsius() -> None:
    found = designs()
    rows = str(figures_table(found, ("one", "other"))).split("<tr>")
    row = next(row for row in rows if "Max. GPU temperature" in row)
    assert "%" not in row
    assert "%" in next(row for row in rows if "Peak facility power" in row)


def test_what_is_uncertain_is_told() -> None:
    told = uncertain_words(designs(), (exposed(600.0), exposed(900.0)))
    assert told.startswith("3 seeds make wide intervals")
    assert told.count("In the range of one job: not sampled: bursts.") == 1
    one = compare(designs().samples[0][:1], designs().samples[1][:1], (1,))
    assert uncertain_words(one, None).startswith("There is one run of each")


def test_the_place_and_what_does_not_act_are_told_apart() -> None:
    shown = plain(design_report())
    assert "Site grid carbon: 41 g/kWh \N{RIGHTWARDS ARROW} 370 g/kWh" in shown
    assert "Title, notes, sources, chapters and accepted findings differ, too" in shown
    assert "Accepted finding large" not in shown
    counts = re.search(r"of scenes with (\d+) differences: (.*?)\. Both", shown)
    assert counts is not None
    assert sum(map(int, re.findall(r" (\d+)", counts[2]))) == int(counts[1])
    assert shown.lstrip().startswith(f"A: {design_scenes()[0].title}. B: {design_scenes()[1].title}")


def test_nothing_is_told_twice_in_the_head_of_two_parts() -> None:
    """The answer by money stands once, and so does the advice."""
    shown = plain(design_report())
    assert shown.count("is better by money:") == 1
    assert shown.count("Recommendation:") == 1


@pytest.mark.parametrize(("sections", "high_px"), [(0, range(886, 898, 2)), (6, range(778, 792, 2))])
def test_no_page_is_empty_and_no_contents_torn_where_they_end_a_page(
    qapp: object, sections: int, high_px: range
) -> None:
    """Below a picture that grows by two pixels the contents end nearer to the foot of the page, then on the next."""
    some = tuple((f"s{n}", f"Section {n}", tag("p", "x")) for n in range(sections))
    contents = set()
    for high in high_px:
        picture = tag("figure", tag("svg", tag("line", x1=0, x2=9, y1=0, y2=9), viewBox=f"0 0 820 {high}"))
        parts = [
            ReportPart("summary", "Summary", "", (), (("picture", "Picture", picture),)),
            ReportPart("engineering", "Engineering", "", (("What?", "That."),), ()),
            ReportPart("method", "Method", "", (("How?", "So."),), some, flows=True),
        ]
        laid = laid_out(report("Title", "lead", parts, "1"))
        assert laid.filled_pages() == set(range(laid.pages))
        (sheet,) = laid.contents_sheets()
        contents.add(sheet)
    assert contents == {0, 1}


def test_a_report_on_designs_has_all_figures_once_and_full_pages(qapp: object) -> None:
    """All figures stand on the first page; no page but the last is less than two thirds full."""
    found = compared_designs(["superpod-h100", "nvl72-row", "lab-16"], 0, 1)
    text = designs_report(found)
    laid = laid_out(text)
    ends = laid.page_ends()
    assert laid.page_of["all"] == 1
    assert min(ends[:-1]) >= 2.0 / 3.0
    row = found.row("capital_usd")
    assert row is not None
    first = row.cells[0]
    assert first is not None
    assert plain(text).count(f"Capital, million USD{range_words(row.figure, first.values)}") == 1
    assert plain(text).count("What limits each?") == 1
