"""The report of a comparison: a line each figure, the time compared, advice, intervals of rules, and the command."""

from __future__ import annotations

import dataclasses
import re
from html import unescape

import numpy as np
import pytest

from twin.analysis.compare import Basis, Comparison, Sample, compare
from twin.analysis.figures import FIGURES, WORK
from twin.analysis.money_comparison import money_verdict
from twin.analysis.run_cost import RunCost
from twin.api.compare import Reruns
from twin.cli.compare import command_line
from twin.report.comparison.figures import figure_dots, figures_table
from twin.report.comparison.money import decisive_words, length_words, recommendation
from twin.report.comparison.report import compare_report
from twin.report.comparison.way import trade_words, way_steps
from twin.report.comparison.words import apart, as_shown, count_words, signed
from twin.report.paper import laid_out
from twin.report.range_bars import RangeDot, range_dots
from twin.report.words import apart_text
from twin.scenario import load
from twin.scenario.file.diff import differences

DAY_S = 86400.0
BY_KEY = {figure.key: figure for figure in FIGURES}
RIGHT = {
    "goodput": 0.93, "ettr": 0.93, "mfu": 0.38, WORK: 1.54e6, "lost_gpu_h": 55_285.0, "energy_j": 8e12,
    "energy_per_gpu_h": 5.2e6, "it_j": 7.2e12, "pue": 1.112, "wue": 2.1329, "power_max_w": 1.566e7,
    "power_mean_w": 1.54e7, "gpu_max_c": 62.4, "water_l": 4.25e6, "carbon_kg": 917_463.0, "cost_usd": 132_966.0,
    "carbon_per_gpu_h": 0.5959, "cost_per_gpu_h": 0.0864, "jobs_done": 0.0,
}  # fmt: skip


def sample(seed: int, factor: float, usd: float) -> Sample:
    """Return a run whose figures are those above times a factor, and whose WUE is the same as it is shown."""
    spread = 1.0 + 0.001 * seed
    figures = {key: value * spread * factor for key, value in RIGHT.items()}
    figures["wue"] = RIGHT["wue"] + (factor - 1.0) * 1e-4
    cost = RunCost(np.full(50, usd) * spread, np.full(50, usd / 3.0), 1.0e5, None, ("H100",))
    ledger = {"productive": 5.5e9 * factor, "lost_work": 2e8 / factor, "checkpoint_stall": 1.8e8 * factor}
    return Sample(figures, ledger, 6 * DAY_S, 16_384.0, cost=cost)


def found(factor: float = 0.95, usd: float = 5e6, seeds: int = 3) -> Comparison:
    numbers = list(range(1, seeds + 1))
    a = [sample(seed, 1.0, 4e6) for seed in numbers]
    return compare(a, [sample(seed, factor, usd) for seed in numbers], numbers, Basis.RERUN)


@pytest.fixture(scope="module")
def text() -> str:
    one = load("builtin:llama3-16k").scenario
    work = one.jobs[0]
    other = one.model_copy(
        update={
            "jobs": (
                work.model_copy(
                    update={"checkpoint": work.checkpoint.model_copy(update={"interval": 1800.0})}
                ),
                *one.jobs[1:],
            )
        }
    )
    command = "twin compare llama3-16k llama3-16k --seeds 3"
    changes = differences(one, other)
    return compare_report(("A", "B"), (one.title, other.title), found(), changes, (one, other), command)


def test_each_figure_is_a_row_of_at_most_two_lines_on_paper(text: str, qapp: object) -> None:
    laid = laid_out(text)
    assert laid.torn_rows() == []
    assert laid.pages <= 6
    heights = next(rows for rows in laid.row_heights() if len(rows) == len(RIGHT) - 1)  # one is the same
    assert max(heights) < 32.0


def test_the_first_page_tells_time_year_and_advice(text: str) -> None:
    plain = unescape(re.sub(r"<[^>]*>", "", text)).replace("\N{NO-BREAK SPACE}", " ")
    assert "6 d of the 54 d of the scene" in plain
    assert "Cost of the run of 6 d, million USD" in plain
    assert "Cost of a year at this rate, million USD" in plain
    assert "Recommendation: keep A (3 seeds: wide; repeat with --seeds 20)." in plain
    assert "median of the paired differences" in plain
    assert "7 min 18 s (Daly's rule) \N{RIGHTWARDS ARROW} 30 min" in plain
    assert "twin compare llama3-16k llama3-16k --seeds 3" in plain
    assert re.search(r"WUE \(L/kWh\).*?equal as shown", plain)
    assert "takes productive time from B" in plain
    assert "Of it, not productive, in a year, million USD" in plain
    assert "For the work that A does in a year" in plain
    assert "Student's t of the differences, 2 degrees of freedom, t = 4.30" in plain
    assert "A write puts 5.68 TB on the store in 10 s (568 GB/s)" in plain
    assert "A saves every 7 min 18 s: nothing more to win by it" in plain
    assert (
        "B gains by less checkpoint stall (2,500 GPU-h), and pays with more lost work (2,924 GPU-h)" in plain
    )
    assert "it is least at 7 min 27 s (Young; Daly: 7 min 21 s)" in plain


def test_a_year_is_the_run_as_often_as_it_fits(text: str) -> None:
    rows = {cells[0]: cells[1:] for cells in (_cells(row) for row in text.split("<tr>")) if cells}
    of_run, of_year = (
        float(next(cells for name, cells in rows.items() if name.startswith(title))[0])
        for title in ("Cost of the run of 6", "Cost of a year")
    )
    assert of_year == pytest.approx(of_run * 365.0 / 6.0, rel=1e-3)


def test_waits_that_follow_the_number_of_steps_are_no_gain() -> None:
    """B keeps half the steps of A: half their waits are gone, and of a kept step a little more than before."""
    a = {"productive": 600.0, "pipeline_bubble": 300.0, "straggler": 100.0, "checkpoint_stall": 0.0}
    b = {"productive": 280.0, "pipeline_bubble": 170.0, "straggler": 50.0, "lost_work": 500.0}
    samples = [Sample({}, {key: 3600.0 * hours for key, hours in side.items()}) for side in (a, b)]
    pair = compare([samples[0]], [samples[1]], [1])
    steps = {step.title: step for step in way_steps(pair)}
    assert {title: step.gpu_h for title, step in steps.items()} == pytest.approx(
        {"lost work": -500.0, "waits of fewer kept steps": 200.0, "pipeline bubble of a kept step": -20.0}
    )
    assert sum(step.gpu_h for step in steps.values()) == pytest.approx(280.0 - 600.0)
    assert (steps["waits of fewer kept steps"].of_a, steps["waits of fewer kept steps"].of_b) == (
        400.0,
        220.0,
    )
    assert trade_words(pair) == (
        "B pays with more lost work (500.0 GPU-h) and pipeline bubble of a kept step (20.00 GPU-h); with waits of "
        "fewer kept steps (+200.0) that is \N{MINUS SIGN}320.0 GPU-h productive."
    )


def test_the_work_of_a_year_decides_and_the_bill_does_not() -> None:
    """In 6 days A makes 1 and B 0.8 million hours for 4 million USD: 4 and 5 USD each, and 60.83 million a year."""
    ledgers = ({"productive": 3.6e9}, {"productive": 2.88e9})
    costs = [RunCost(np.full(3, 4e6), np.full(3, 1e6), hours, None, ("H100",)) for hours in (1e6, 8e5)]

    def made(days: tuple[float, float]) -> Comparison:
        a, b = (
            [Sample({}, ledger, length * DAY_S, cost=cost)]
            for ledger, length, cost in zip(ledgers, days, costs, strict=True)
        )
        return compare(a, b, [1])

    assert decisive_words(made((6, 6))) == (
        "For the work that A does in a year (60.8 million GPU-h productive) B costs 61 million USD more."
    )
    assert decisive_words(made((6, 7))) == "", "runs of other lengths have no year of their own"


def _cells(row: str) -> list[str]:
    return [re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]


def test_advice_follows_money_and_says_how_many_seeds() -> None:
    assert recommendation(found()) == "Recommendation: keep A (3 seeds: wide; repeat with --seeds 20)."
    assert recommendation(found(usd=2e6, seeds=10)) == "Recommendation: change to B (10 seeds)."
    alike = recommendation(found(usd=4e6, seeds=10))
    assert alike == "Recommendation: keep A, for there is no difference that 10 seeds show (10 seeds)."
    one = recommendation(found(seeds=1))
    assert one.endswith("one run of each says nothing of chance: repeat with --seeds 20.")


def test_what_is_equal_as_shown_and_what_follows_from_energy_are_no_proofs() -> None:
    shown = as_shown(found())
    assert "wue" in found().differences
    assert "wue" not in shown.differences
    assert count_words(shown, 19).endswith("of which 7 follow from the facility energy.")


def test_differences_have_their_unit_once_and_the_digits_of_other_figures() -> None:
    lost = BY_KEY["lost_gpu_h"]
    assert apart_text(lost, 162_474.0, 102_972.0, 217_759.0) == ("+162,500 GPU-h", "103,000 GPU-h")
    assert signed(162_474.0) == "+162,500", "one figure is rounded in one way"
    assert apart(BY_KEY["goodput"], found().differences["goodput"]).count("pp") == 1


def test_as_many_figures_are_counted_as_have_a_bold_verdict() -> None:
    """WUE has an interval without zero, but is equal as shown: neither counted nor bold."""
    pair = found()
    assert pair.differences["wue"].beyond_chance
    verdicts = re.findall(
        r"<td[^>]*>[^<]*<b>[^<]*</b></td></tr>", str(figures_table(pair, ("A: as it is", "B: other")))
    )
    assert count_words(as_shown(pair), 19).startswith(f"{len(verdicts)} of 19 figures")
    assert len(verdicts) == sum(bool(each.beyond_chance) for each in pair.differences.values()) - 1


def test_each_chart_of_differences_says_what_is_seen() -> None:
    """Cost per GPU-h 25 % more, lost work 150 %, goodput 5 %: three charts, each with its figures."""
    pair = found()
    (goodput, lost) = (pair.differences[key] for key in ("goodput", "lost_gpu_h"))
    apart_much = dataclasses.replace(lost, difference=1.5 * lost.a, paired=0.5 * lost.a)
    two = dataclasses.replace(pair, differences={"goodput": goodput, "lost_gpu_h": apart_much})
    made = str(figure_dots(two)).replace("\N{MINUS SIGN}", "-")
    captions = re.findall(r"<figcaption><b>([^<]*)</b>", made)
    assert captions[0] == "Differences of more than 100 % of A. Lost work +150 % (+100 % to +200 %)."
    assert captions[1].startswith("Differences of more than 10 % of A. Cost per productive GPU-h +25 %")
    assert captions[2].startswith("Differences of 10 % of A or less. Goodput -5.0 %")
    assert made.count("<figure") == 3 == made.count("<figcaption")
    assert made.count("Full dots are significant") == 1


def test_sentence_and_chart_of_money_have_one_base() -> None:
    """B costs a fourth more by the same GPU-hours: +25 % of A in both, not 20 % of B."""
    pair = found(usd=6.25e6)
    assert pair.money is not None
    share = re.search(r"USD, (\+[\d.]+ %) of A \(P5 to P95", money_verdict(pair.money))
    assert share is not None
    assert f"Cost per productive GPU-h {share[1]} (" in str(figure_dots(pair))


def test_the_axis_of_differences_has_true_minus_signs() -> None:
    drawn = str(range_dots([RangeDot("Goodput", -12.0, -6.0, -1.0, "", True)], "apart"))
    numbers = re.findall(r'text-anchor="middle">([^<]*)<', drawn)
    assert "0" in numbers
    assert any(number.startswith("\N{MINUS SIGN}") for number in numbers)
    assert not any("-" in number for number in numbers)


def test_words_beside_dots_have_room() -> None:
    words = "+162,474 GPU-h ± 102,972 GPU-h and more"
    drawn = range_dots([RangeDot("Lost work", 1.0, 2.0, 3.0, words, True)], "apart")
    (x,) = re.findall(rf'<text x="([\d.]+)"[^>]*>{re.escape(words)}', drawn)
    assert float(x) + 7.0 * len(words) < 820.0


def test_the_command_can_be_typed_again() -> None:
    asked = Reruns(3, None, 6 * DAY_S, [], ["jobs[x].checkpoint.interval='30 min'"], [])
    assert command_line(("a", "b"), asked, {"--until": "6 day", "--at": None}) == (
        "twin compare a b --seeds 3 --until '6 day' --set-b \"jobs[x].checkpoint.interval='30 min'\""
    )


def test_the_length_of_runs_that_differ_names_both() -> None:
    a, b = ([Sample({}, {}, days * DAY_S)] for days in (1, 2))
    assert length_words(compare(a, b, [1]), None) == "A 1 d, B 2 d"
