"""The report of a comparison on the whole job: its end, the stops drawn, whether a part stands for it, and sources."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from html import unescape
from itertools import pairwise

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from twin.analysis.compare import Basis, Comparison, JobCourse, Sample, compare
from twin.analysis.money_comparison import amount_words
from twin.analysis.run_cost import RunCost
from twin.analysis.whole_job import StopsSeen
from twin.cli.compare import FORMAT
from twin.cli.compare_json import comparison_json
from twin.planning.risk.reliability_model import ReliabilityModel, SampledCause
from twin.planning.risk.risk import JobRisk
from twin.report.comparison.chance import drawn_words, same_failures, stretch_words
from twin.report.comparison.checkpoints import verdict_words, writes_words
from twin.report.comparison.job import compared_job
from twin.report.comparison.money import RUN_FIRST
from twin.report.comparison.report import compare_report
from twin.report.comparison.whole_job import job_table, later_waits, taken_words
from twin.report.comparison.worked_interval import worked, worked_interval
from twin.report.words import rounded
from twin.scenario import Scenario, load
from twin.scenario.file.diff import differences

DAY_S = 86400.0
MINUS = "\N{MINUS SIGN}"


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html)).replace("\N{NO-BREAK SPACE}", " ")


def run(seed: int, kept: float, stops: float, lost: float) -> Sample:
    """Return 6 days of the 405B training: hours of the job in kept steps, in stops, and lost in each."""
    hours = {"productive": kept, "lost_work": stops * lost, "checkpoint_stall": 144.0 - kept - stops * lost}
    figures = {
        "goodput": kept / 144.0,
        "ettr": kept / 144.0,
        "interruptions": stops,
        "planned": 0.0,
        "energy_j": 8e12,
    }
    return Sample(
        figures,
        {account: time * 3600.0 * 16_384.0 for account, time in hours.items()},
        6 * DAY_S,
        17_152.0,
        cost=RunCost(np.linspace(3e6, 5e6, 400), np.full(400, 1e6), kept * 16_384.0, None, ("H100",)),
        job=JobCourse("llama3-405b", 16_384.0, 550.0 * kept, 0.0, 6 * DAY_S),
    )


@pytest.fixture(scope="module")
def scenes() -> tuple[Scenario, Scenario]:
    scene = load("builtin:llama3-16k").scenario
    (job,) = scene.jobs
    seldom = job.model_copy(update={"checkpoint": job.checkpoint.model_copy(update={"interval": 1800.0})})
    return scene, scene.model_copy(update={"jobs": (seldom,)})


@pytest.fixture(scope="module")
def found() -> Comparison:
    seeds = (1, 2, 3)
    a = [run(seed, 134.0, stops, 0.05) for seed, stops in zip(seeds, (50, 55, 60), strict=True)]
    b = [run(seed, 126.0 - seed, stops, 0.2) for seed, stops in zip(seeds, (50, 55, 60), strict=True)]
    return compare(a, b, seeds, Basis.RERUN)


@pytest.fixture(scope="module")
def text(found: Comparison, scenes: tuple[Scenario, Scenario]) -> str:
    changes = differences(*scenes)
    return plain(compare_report(("A", "B"), (scenes[0].title,) * 2, found, changes, scenes))


def test_the_whole_job_is_told_in_one_sentence(text: str) -> None:
    """15.6e12 tokens of 16.8e6 a step are 929,832 steps, of which A keeps 73,700 in 6 d with 55 stops of 3 min.

    With the 51.7 of the rates it keeps more by 3.3 of these in 141.25 h.
    """
    drawn = 15.6e12 / (2048 * 8192) / (550.0 * 134.0) * 6.0
    assert drawn == pytest.approx(75.7, abs=0.05)
    days = drawn / (1.0 + (55.0 - 51.7) * 0.05 / 141.25)
    told = re.search(
        r"With as many stops as the failure rates give, all 15.6 trillion tokens are trained on (.*?) in A, after "
        r"([\d.]+) d, and on (.*?) in B",
        text,
    )
    assert told is not None
    assert (told[1], told[3]) == ("21 March 2026", "27 March 2026")
    assert float(told[2]) == pytest.approx(days, abs=0.051)
    assert re.search(
        r"in B that takes [\d.]+ d more \(P5 to P95: \+[\d.]+ to \+[\d.]+\), costs [\d.]+ million USD more \(",
        text,
    )
    assert (
        "Both had 165 stops in 3 runs (planned ones included), where the rates give 155 ± 12 (6 % more: one in 4"
        in text
    )
    both = re.search(
        r"in B that takes ([\d.]+) d more .*?\. Decide by this\. With the stops as the runs drew them B takes "
        r"([\d.]+) d more \(P5 to P95: \+[\d.]+ to \+[\d.]+\), costs [\d.]+ million USD more",
        text,
    )
    assert both is not None, "both ranges stand together, and which to decide by"
    assert both[1] != both[2]
    assert "the report of one run goes on at the pace of that run alone" in text
    assert f"in {told[2]} d 6" in text, "the scatter of stops is told of the same whole job"
    assert f"over {told[2]} d in A and" in text, "and so is the number of spares in repair"
    assert f"B {MINUS} A, to decide by, over prices and the luck of the seeds, paired." in text
    assert "Cost of a year at this rate" not in text, "the whole job stands in its place"


def test_the_first_range_of_the_whole_job_says_what_it_is(
    found: Comparison, scenes: tuple[Scenario, Scenario]
) -> None:
    """Of one run each the time has no range, so that the cost says it; of three the time does."""
    one = compare(found.samples[0][:1], found.samples[1][:1], (1,))
    job = compared_job(one, differences(*scenes), scenes)
    assert job.whole is not None
    told = taken_words(job.whole.seen)
    assert re.fullmatch(
        r"takes [\d.]+ d more, costs [\d.]+ million USD more \(P5 to P95: \+[\d.]+ to \+[\d.]+\) and draws .*",
        told,
    )
    many = compared_job(found, differences(*scenes), scenes).whole
    assert many is not None
    assert re.match(r"takes [\d.]+ d more \(P5 to P95: ", taken_words(many.seen))
    assert taken_words(many.seen).count("P5 to P95") == 1


def test_luck_moves_the_end_more_where_a_stop_costs_more(
    text: str, found: Comparison, scenes: tuple[Scenario, Scenario]
) -> None:
    """By a normal law P5 to P95 is 3.29 standard deviations: the root of 660 stops of some 8 min, 18 min in B."""
    assert "One job: P5 to P95 of 200 draws of its failures" in text
    assert "the pace is that of 3 runs" in text
    job = compared_job(found, differences(*scenes), scenes)
    assert job.whole is not None
    made = str(job_table(job.whole, job.one, found))
    of_a, of_b = re.findall(r"<td[^>]*>(.*?)</td>", made[made.index("Time, d") :])[4:6]
    told = re.fullmatch(r"([\d.]+) to ([\d.]+) ([\d.]+) to ([\d.]+)", f"{of_a} {of_b}")
    assert told is not None
    low_a, high_a, low_b, high_b = map(float, told.groups())
    for low, high, minutes in ((low_a, high_a, 8.0), (low_b, high_b, 18.0)):
        assert high - low == pytest.approx(3.29 * math.sqrt(660.0) * minutes / 1440.0, rel=0.4)
    assert 75.0 < low_a < high_a < low_b < high_b < 84.0


def test_the_report_names_the_sources_and_the_better_interval(text: str) -> None:
    assert "Grattafiori et al. 2024, The Llama 3 Herd of Models" in text
    assert "Student (W. S. Gosset) 1908" in text
    assert "Young 1974" in text
    assert "That of A, 0.98 times the best one; that of B is 4.0 times it: the best one is 7 min 27 s" in text
    assert "B saves too seldom: writes take 1.7 % less of the time, and work done again 6.8 % more" in text
    assert "It holds. With half as many stops 10 min 33 s is best" in text
    assert "2 h 46 min" not in text, "one quantity is rounded in one way"


def test_the_interval_can_be_worked_out_again_from_what_is_printed(found: Comparison) -> None:
    made = worked_interval(found)
    assert made is not None
    printed = plain(str(made))
    rows = re.findall(r"<tr><th[^>]*>\d+</th>(.*?)</tr>", str(made))
    cells = [
        [float(plain(cell).replace(MINUS, "-")) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)]
        for row in rows
    ]
    assert len(cells) == 3
    assert str(made).count("<table") == 1, (
        "the sums stand in the table of the seeds, so that no page parts them"
    )
    means = re.search(r"mean = sum / 3</b>.*?</tr>", str(made))
    assert means is not None
    of_a, of_b, of_d = (
        float(plain(cell).replace(MINUS, "-")) for cell in re.findall(r"<td[^>]*>(.*?)</td>", means[0])
    )
    assert of_a == pytest.approx(sum(a for a, _, _ in cells) / 3.0, abs=2e-4)
    assert of_b == pytest.approx(sum(b for _, b, _ in cells) / 3.0, abs=2e-4)
    assert of_d == pytest.approx(of_b - of_a, abs=2e-4)
    each = [b - a for a, b, _ in cells]
    assert each == pytest.approx([difference for _, _, difference in cells], abs=2e-4)
    mean = sum(each) / 3.0
    spread = math.sqrt(sum((d - mean) ** 2 for d in each) / 2.0)
    half = 4.303 * spread / math.sqrt(3.0)
    assert f"So the interval is {MINUS}{abs(mean):.3f}"[:-1] in printed
    numbers = re.search(rf"So the interval is ({MINUS}[\d.]+) ± ([\d.]+) pp", printed)
    assert numbers is not None
    assert float(numbers[1].replace(MINUS, "-")) == pytest.approx(mean, abs=2e-4)
    assert float(numbers[2]) == pytest.approx(half, abs=1e-3)
    assert 100.0 * (found.differences["goodput"].paired or 0.0) == pytest.approx(half, abs=1e-3)
    told = re.search(r"\(Welch, ([\d.]+) degrees of freedom, t = [\d.]+\) it would be ± ([\d.]+) pp", printed)
    assert told is not None
    assert float(told[1]) == 2.0, "A is the same with all seeds, so that B alone scatters"
    assert float(told[2]) == pytest.approx(half, abs=1e-3)


def test_three_differences_by_hand() -> None:
    """1, 2 and 6: mean 3, squares 4 + 1 + 9 = 14, s = sqrt(7), half 4.303 sqrt(7 / 3)."""
    steps = worked([1.0, 2.0, 6.0])
    assert (steps.mean, steps.squares, steps.spread) == pytest.approx((3.0, 14.0, math.sqrt(7.0)))
    assert steps.half == pytest.approx(4.30265 * math.sqrt(7.0 / 3.0), rel=1e-5)
    assert worked_interval(compare([run(1, 134.0, 50, 0.05)], [run(1, 120.0, 50, 0.2)], [1])) is None


def test_stops_drawn_are_told_with_how_seldom_they_are() -> None:
    usual, many = StopsSeen(3, 156.0, 155.0, 450.0, 1.0), StopsSeen(1, 9.0, 4.0, 450.0, 1.0)
    assert drawn_words((usual, usual)) == (
        "Both had 156 stops in 3 runs (planned ones included), where the rates give 155 ± 12."
    )
    chance = 1.0 - sum(math.exp(-4.0) * 4.0**k / math.factorial(k) for k in range(9))
    assert drawn_words((usual, many)).endswith(
        "B had 9 stops in one run (planned ones included), where the rates give 4.00 ± 2.0 "
        f"(125 % more: one in {1.0 / chance:.0f} such draws has as many)."
    )
    assert drawn_words(None) == ""


def test_stops_alike_are_told_of_all_runs_and_what_is_chance() -> None:
    """52 and 4 stops in each of three runs are 156 and 12; the rates give 156.2 of both kinds together."""
    a = run(1, 134.0, 52, 0.05)
    a.figures["planned"] = 4.0
    alike = compare([a] * 3, [a] * 3, (1, 2, 3))
    told = "Both had the same stops: 156 unexpected and 12 planned in 3 runs."
    chance = StopsSeen(3, 168.0, 156.2, 450.0, 1.0)
    assert same_failures(alike) == told
    assert same_failures(alike, (chance, chance)) == (
        f"{told} That the rates give 156 of both kinds together is chance."
    )
    other = replace(chance, expected=160.0)
    assert same_failures(alike, (other, other)) == told
    assert same_failures(compare([a], [run(1, 120.0, 60, 0.2)], (1,))) == ""


def test_whether_a_part_stands_for_the_whole_by_hand(found: Comparison) -> None:
    """100 stops a run of 1,000 h, of 1 h in A and 3 h in B: ± 10 stops are ± 1 and ± 3 pp, ± 2 pp of the difference."""
    a, b = (StopsSeen(3, 300.0, 300.0, each * 3600.0, 3000.0 * 3600.0) for each in (1.0, 3.0))
    goodput = found.differences["goodput"]

    def told(difference: float, spread: float) -> str:
        """Return the words on a difference [-] of which one seed scatters by so much [-]."""
        paired = spread * 4.302652729911275 / math.sqrt(3.0)
        made = replace(goodput, difference=difference, paired=paired)
        return stretch_words(replace(found, differences={"goodput": made}), (a, b), 6 * DAY_S, 54 * DAY_S)

    clear = told(-0.10, 0.01)
    assert "in 6 d 100 ± 10 (10 %), in all 3 runs 300 ± 17 (6 %), in 54 d 900 ± 30 (3 %)" in clear
    assert "One stop takes 1 h of the job in A and 3 h in B" in clear
    assert "one run by ± 1.0 pp in A and ± 3.0 pp in B, their difference by ± 2.0 pp" in clear
    assert (
        f"The difference of {MINUS}10.0 pp is 5.0 times the larger of these scatters: one run of 6 d tells which is "
        "better. The 3 runs together tell the size of the difference to ± 50 % (95 %)." in clear
    )
    assert "That of the 3 seeds scatters by ± 1.0 pp. The" in clear
    wide = told(-0.02, 0.03)
    assert (
        "± 3.0 pp: what each stop undoes is drawn as well, and few seeds tell a scatter only roughly." in wide
    )
    assert "is 0.67 times the larger of these scatters: one run of 6 d does not tell which is better." in wide
    half = 4.302652729911275 * 0.02 / math.sqrt(3.0)
    assert f"± {100.0 * half / 0.10:.0f} % (95 %)" in clear, (
        "of the interval where stops scatter no more than seeds"
    )
    assert "one run of 6 d does not tell" in told(-0.03, 0.001), "stops scatter more than these seeds"
    assert stretch_words(found, None, DAY_S, DAY_S) == ""


def exposed(spares: int, repair_days: float, interval_s: float = 600.0) -> JobRisk:
    """Return a job of 100 nodes of which one fails every 10 d."""
    cause = SampledCause(1.0 / (1000.0 * DAY_S), repair_days * DAY_S)
    model = ReliabilityModel(nodes=100, spares=spares, causes=(cause,), horizon_s=54 * DAY_S)
    return JobRisk("job", model, interval_s, 60.0, 0.0, ())


def test_spares_that_run_out_after_the_part_are_told() -> None:
    """About 104 nodes, 0.104 failures a day of 100 d repair: 0.31 in repair over 6 d, 3.8 over 80 d."""
    few, many = exposed(4, 100.0), exposed(40, 100.0)
    told = later_waits((many, few), 6 * DAY_S, (80 * DAY_S, 80 * DAY_S))
    assert told == (
        "6 d do not stand for the whole job: B has 4 spare nodes, and 0.31 are in repair in the mean of 6 d, 4.2 in "
        "that of 80.0 d. Waits for nodes come later."
    )
    assert later_waits((many, many), 6 * DAY_S, (80 * DAY_S, 80 * DAY_S)) == ""
    assert later_waits((few, few), 80 * DAY_S, (80 * DAY_S, 80 * DAY_S)) == ""
    assert later_waits(None, 6 * DAY_S, (80 * DAY_S, 80 * DAY_S)) == ""


def test_nothing_is_recommended_where_the_part_does_not_stand_for_the_whole(
    found: Comparison, scenes: tuple[Scenario, Scenario]
) -> None:
    a, _ = scenes
    (hall,) = a.halls
    spare = next(row for row in hall.rows if row.id == "spare")
    fewer = spare.model_copy(update={"racks": spare.racks.model_copy(update={"count": 4})})
    rows = tuple(fewer if row.id == "spare" else row for row in hall.rows)
    b = a.model_copy(update={"halls": (hall.model_copy(update={"rows": rows}),)})
    told = plain(compare_report(("A", "B"), (a.title,) * 2, found, differences(a, b), (a, b)))
    assert told.count(RUN_FIRST) == 1
    assert "Recommendation: keep A" not in told
    assert "6 d do not stand for the whole job: B has 16 spare nodes, and 7.5 are in repair" in told


def test_the_better_interval_by_the_rule() -> None:
    """A stop every 10 d, writes of 60 s: best sqrt(2 x 60 x 864,000) = 10,182 s."""
    found = compare([run(1, 134.0, 50, 0.05)], [run(1, 120.0, 50, 0.2)], [1])
    best_s = math.sqrt(2.0 * 60.0 * 10.0 * DAY_S)
    often, best, seldom = (exposed(0, 0.0, factor * best_s) for factor in (0.25, 1.0, 4.0))
    least = 60.0 / best_s + best_s / (20.0 * DAY_S)
    more = 60.0 / (4.0 * best_s) + 4.0 * best_s / (20.0 * DAY_S)
    told = verdict_words(found, (best, seldom))
    assert told.startswith(
        "That of A, 1.0 times the best one; that of B is 4.0 times it: the best one is 2 h 50 min"
    )
    assert "B saves too seldom: writes take 0.4 % less of the time, and work done again 1.8 % more" in told
    assert f"more, {100 * (more - least):.1f} % in all" in told
    assert "A saves too often: writes take 1.8 % more" in verdict_words(found, (often, best))
    assert verdict_words(found, (best, best)).startswith("Neither: both lose 1.2 % of the time")
    assert verdict_words(found, (best, exposed(0, 0.0, math.inf))) == ""


def test_the_sections_stand_in_their_order(text: str) -> None:
    heads = (
        "What does it come to for the whole job?",
        "The whole job",
        "Which has the better checkpoint interval, and does that hold?",
        "Where are the limits?",
        "Does the time that was run stand for the whole?",
        "Checkpoint intervals",
        "Limits",
        "In money",
        "The paired interval, worked out",
        "Sources",
    )
    places = [text.rindex(head) for head in heads]
    assert all(first < second for first, second in pairwise(places))


def test_a_run_of_hours_is_no_part_of_a_training_of_months(
    found: Comparison, scenes: tuple[Scenario, Scenario]
) -> None:
    """One of the runs kept 0.9 % of the steps: nothing is told of the whole job."""
    few = replace(run(4, 134.0, 50, 0.05), job=JobCourse("llama3-405b", 16_384.0, 8_400.0, 0.0, 6 * DAY_S))
    made = compare([*found.samples[0], few], [*found.samples[1], few], [1, 2, 3, 4])
    changes = differences(*scenes)
    assert compared_job(found, changes, scenes).whole is not None
    assert compared_job(made, changes, scenes).whole is None


def test_writes_are_counted_by_the_stall_booked(found: Comparison) -> None:
    """A stalls 144 - 134 - 2.75 h of 6 d with 55 stops: writes of 60 s are 435 of 7.25 h, 72.5 a day."""
    often, seldom = exposed(0, 0.0, 600.0), exposed(0, 0.0, 1800.0)
    told = writes_words((often, seldom), None, found)
    assert told == "A wrote about 72 times a day, B 90 times, by the stall booked."
    others = [replace(sample, job=None) for sample in found.samples[0]]
    assert writes_words((often, seldom), None, replace(found, samples=(others, found.samples[1]))) == (
        "While it runs, A writes about 131 times a day, B 46 times."
    )


def test_what_to_decide_by_is_bold(found: Comparison, scenes: tuple[Scenario, Scenario]) -> None:
    """The range with the stops of the rates, and not that of the seeds."""
    job = compared_job(found, differences(*scenes), scenes)
    assert job.whole is not None
    assert job.whole.expected is not None
    made = str(job_table(job.whole, job.one, found))
    words = [amount_words(side.days) for side in (job.whole.expected, job.whole.seen)]
    assert words[0].spread != words[1].spread
    assert f"<b>{words[0].spread}</b>" in made
    assert words[1].spread not in made


def test_json_has_the_whole_job_as_the_report(found: Comparison, scenes: tuple[Scenario, Scenario]) -> None:
    made = json.loads(json.dumps(comparison_json(("A", "B"), found, scenes)))
    Draft202012Validator(FORMAT.schema()).validate({"format": "twin/comparison", "version": 1, **made})
    job = compared_job(found, differences(*scenes), scenes)
    assert job.whole is not None
    assert job.whole.expected is not None
    whole = made["whole_job"]
    assert whole["job"] == "llama3-405b"
    assert whole["tokens"] == pytest.approx(15.6e12)
    for name, taken in (("mean_stops", job.whole.expected), ("stops_drawn", job.whole.seen)):
        rows = whole[name]
        for key, row, one in zip(rows, taken.rows, (DAY_S, 1.0, 3.6e12), strict=True):
            for side, values in (("a", row.a), ("b", row.b), ("difference", row.apart)):
                assert list(rows[key][side].values()) == pytest.approx([value * one for value in values])
            assert rows[key]["b_lower"] == row.b_lower
    assert list(whole["mean_stops"]) == ["time_s", "cost_usd", "energy_j"]
    assert whole["ends_at"]["a"].startswith("2026-03-21")
    assert whole["stops"]["a"]["drawn"] == 165.0
    assert job.one is not None
    assert whole["one_job"]["draws"] == 200
    assert list(whole["one_job"]["time_s"]["b"].values()) == pytest.approx(
        [day * DAY_S for day in job.one.days[1]]
    )
    assert job.one.usd is not None
    assert list(whole["one_job"]["cost_usd"]["a"].values()) == pytest.approx(job.one.usd[0])
    table = str(job_table(job.whole, job.one, found))
    low, high = (rounded(usd / 1e6, 3) for usd in whole["one_job"]["cost_usd"]["a"].values())
    assert f"{low} to {high}" in table
    assert f"{whole['mean_stops']['time_s']['a']['p50'] / DAY_S:.1f}" in table
    assert comparison_json(("A", "B"), found)["whole_job"] is None, "without the scenes nothing tells its end"
