"""New figures of reports against calculations by hand: parts that add up to their whole, repairs, rules, progress."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from report_facts import DAY_S, GPU_S, facts, incidents, ledger, stopped

from twin.analysis.explain import Explanation, Lost
from twin.analysis.money_words import cash_sentences
from twin.commands.edit.command import EditedScene
from twin.economics.run_work import GpuHours, JobWork, WorkDone
from twin.planning.job.result import PlanError
from twin.planning.network.switch_loss import NetworkLimits, SwitchLoss
from twin.planning.risk.reliability_model import ReliabilityModel, SampledCause
from twin.planning.risk.risk import JobRisk
from twin.plant.tables import SwitchRole
from twin.record.accounts import ACCOUNTS
from twin.record.series import Series
from twin.report import job_step as job_steps
from twin.report import run_curves, run_story
from twin.report.charts import whole_bins
from twin.report.job_step import job_step
from twin.report.loss_groups import LOSS_GROUPS, PRODUCTIVE, hundredths, in_percent, losses_usd
from twin.report.money_worth import sale_of, sale_table, worth_lead, worth_words
from twin.report.next_steps import next_words
from twin.report.published import PublishedFigure, published_figures, works_words
from twin.report.run_basis import _common, _common_words, _unless_common
from twin.report.run_data import RunFacts
from twin.report.run_method import scene_sources
from twin.report.run_money import RunMoney, unproductive_words
from twin.report.run_rules import rules_of_run, sizes_words
from twin.report.run_summary import bridge_words, published_words
from twin.report.run_theory import SOURCES, _seen_words, checkpoint_rules, sources_words, theory, time_words
from twin.report.run_wins import Win, changes_words, first_win_words, wins_of, wins_words
from twin.report.training_progress import progress_words, published_tokens
from twin.report.words import parts_in
from twin.scenario import load


def test_every_loss_is_in_one_group() -> None:
    grouped = [account for group in LOSS_GROUPS for account in group.accounts]
    assert sorted([*grouped, PRODUCTIVE]) == sorted(ACCOUNTS)


def test_what_was_not_productive_is_one_sum_and_its_parts() -> None:
    made = ledger(GPU_S, 1e5)
    assert made.unproductive_usd.tolist() == pytest.approx([5e6, 1e7])
    parts = losses_usd(made)
    assert sum(usd for _, usd in parts).tolist() == pytest.approx(made.unproductive_usd.tolist())  # type: ignore[union-attr]
    whole = made.account_usd()[ACCOUNTS.index(PRODUCTIVE)] + made.unproductive_usd + made.base_usd
    assert whole.tolist() == pytest.approx(made.total_usd.tolist())
    assert unproductive_words(made) == [
        "7.50 million USD (P5 to P95: 5.25 to 9.75) of that, 50 %, went to unproductive GPU time."
    ]
    assert unproductive_words(ledger({"productive": 1.0}, 1.0)) == []


def test_printed_parts_add_up() -> None:
    for whole, parts in (
        (26.44, [14.415, 6.608, 5.417]),
        (1.0, [1 / 3] * 3),
        (0.0, []),
        (4.477, [3.056, 1.421]),
    ):
        told = parts_in(whole, parts, 2)
        assert sum(map(float, told)) == pytest.approx(round(whole, 2))
        assert all(abs(float(text) - part) < 0.011 for text, part in zip(told, parts, strict=True))


def test_a_share_is_rounded_once_in_table_causes_and_line() -> None:
    """33.336, 33.336 and 33.328 %: the second is told as 33.33, or all would add up to 100.01 %, wherever it stands."""
    thirds = {"productive": 33.336, "pipeline_bubble": 33.336, "straggler": 33.328}
    told = hundredths(thirds)
    assert sum(told.values()) == 10_000
    bubble = in_percent(told["pipeline_bubble"])
    assert bubble == "33.33 %"
    lost = tuple(
        Lost(account, thirds[account], thirds[account] / 100.0, "", ())
        for account in ("pipeline_bubble", "straggler")
    )
    found = Explanation(0.0, 9.0, 100.0, thirds["productive"], lost)
    tables = (run_story.ledger(thirds), run_story.why(found, incidents(), str))
    rows = [re.search(r"pipeline bubble</th>.*?</tr>", table) for table in tables]
    assert all(row is not None and bubble in row.group() for row in rows)
    assert f"\N{MINUS SIGN} {bubble.removesuffix(' %')} pipeline bubble" in time_words(facts(thirds))
    assert hundredths({}) == {}


def test_published_figures_stand_with_author_year_and_table() -> None:
    figures = [
        PublishedFigure(title, 8.61, 7.76, 7.76, "{:.2f}".format, "the whole citation", work, place)
        for title, work, place in (
            ("Stops a day", "Meta 2024", "table 5"),
            ("ETTR", "Meta 2024", ""),
            ("MFU", "", ""),
        )
    ]
    assert published_words(replace(facts(), published=tuple(figures))) == (
        "Beside Meta 2024: stops a day 8.61 beside 7.76 (table 5: follows: a test); ETTR 8.61 beside 7.76 (follows: a "
        "test). Beside what was published: MFU 8.61 beside 7.76 (follows: a test)."
    )
    shipped = published_figures(
        "Llama 3 405B on 16,384 H100", {"simulated_s": DAY_S, "ettr": 0.93, "mfu": 0.38}
    )
    assert works_words(shipped) == "Grattafiori et al. 2024, table 4, table 5"
    told = published_words(replace(facts(), scenario=load("builtin:llama3-16k").scenario, published=shipped))
    assert told.endswith(
        "MFU while steps run: Grattafiori et al. 2024 had tensor 8, context 1, pipeline 16 (table 4); this run has "
        "tensor 8, context 2, pipeline 16, interleave 2, chosen by the scene: all other tables show this one."
    )
    sources = unescape(str(scene_sources(load("builtin:lab-16").scenario, shipped)))
    sources = sources.replace("\N{NO-BREAK SPACE}", " ")
    assert all(figure.source in sources for figure in shipped)
    assert "Published figures" not in str(scene_sources(load("builtin:lab-16").scenario))
    assert {(figure.work, figure.place) for figure in shipped} == {
        ("Grattafiori et al. 2024", "text of table 5"), ("Grattafiori et al. 2024", "table 4"),
    }  # fmt: skip


def test_rules_name_where_they_were_published() -> None:
    assert (
        sources_words(["Young's rule", "Productive GPU-hour"])
        == "Sources: Young 1974, CACM 17, p. 530 (Young's rule)."
    )
    assert sources_words(["Productive GPU-hour"]) == ""
    assert "Young 1974, CACM 17, p. 530 (Young&#x27;s rule)" in theory(_checkpointed())
    shown = {str(row[0]) for row in [*rules_of_run(facts()), *_checkpoint_rows()]}
    assert {"Young's rule", "Daly's rule"} <= shown <= {*SOURCES, "Cost of checkpoints"}


def _checkpoint_rows() -> list[tuple[Any, ...]]:
    return checkpoint_rules(_checkpointed())


def _checkpointed() -> RunFacts:
    model = ReliabilityModel(10, 0, (SampledCause(1e-6),), DAY_S)
    return replace(facts(), exposure=JobRisk("j", model, 2000.0, 20.0, 0.0, ()))


def test_curves_end_with_the_last_whole_bin_of_many_samples() -> None:
    """Of bins 10 s long one that the end cuts off after 1 s is a moment alone; a curve of single samples keeps all."""
    t_s = np.arange(0.0, 40.0, 10.0)
    assert whole_bins(t_s, 31.0, 4) == 3
    assert whole_bins(t_s, 36.0, 4) == 4
    assert whole_bins(t_s, 30.0, 420) == 4
    begins = np.linspace(0.0, 1000.0, run_curves.POINTS)
    values = np.full(run_curves.POINTS, 90.0, np.float32)
    values[-1] = 0.0
    reader = SimpleNamespace(series=lambda *_, **__: Series(begins, values, values, values), t_end_s=1000.1)
    line = run_curves.site_curve(reader, "site.goodput_now", "now", 1.0)  # type: ignore[arg-type]
    assert len(line.t_s) == len(line.mean) == run_curves.POINTS - 1
    assert line.low.min() == 90.0


def test_from_the_installed_time_to_the_productive_in_one_line() -> None:
    assert time_words(facts()) == (
        "Installed 100 % \N{MINUS SIGN} 10.00 idle: hot spares = 90.00 % held by jobs \N{MINUS SIGN} 5.00 lost work "
        "\N{MINUS SIGN} 5.00 checkpoint stall = 80.00 % in kept steps (88.89 % of the held time, goodput) "
        "\N{MINUS SIGN} 20.00 pipeline bubble \N{MINUS SIGN} 10.00 stragglers = 50.00 % productive."
    )
    awkward = {account: 1.0 + 0.37 * place for place, account in enumerate(ACCOUNTS)}
    numbers = [float(text) for text in re.findall(r"\N{MINUS SIGN} ([\d.]+)", time_words(facts(awkward)))]
    productive = float(re.search(r"([\d.]+) % productive", time_words(facts(awkward))).group(1))  # type: ignore[union-attr]
    assert 100.0 - sum(numbers) == pytest.approx(productive)
    assert time_words(facts({"idle_no_job": 1.0})) == "No job held GPUs."


# --- progress and cash


def test_progress_in_tokens_beside_the_published_training() -> None:
    scenario = load("builtin:llama3-16k").scenario
    (spec,) = scenario.jobs
    job = {"id": spec.id, "steps": 1000, "start_s": 0.0}
    work = WorkDone(GpuHours(1.0), (JobWork(spec.id, None, 1, 1.0, 1000, 3.9e12, None),))
    money = RunMoney(SimpleNamespace(work=work), SimpleNamespace(total_usd=np.full(3, 6e6)))  # type: ignore[arg-type]
    run = replace(facts(jobs=[job]), money=money)

    def said(tokens: float | None, **update: Any) -> str:
        changed = scenario.model_copy(update={"jobs": (spec.model_copy(update=update),)})
        return progress_words(replace(run, scenario=changed, whole_tokens=tokens), job)

    assert said(15.6e12) == (
        " It read 3.900 trillion tokens, 25.0 % of the 15.60 trillion tokens of the published training; at this rate "
        "it ends on 9 August 2026, after 216 days, and costs 18.0 million USD more: 24.0 million USD in all."
    )
    assert said(None) == " It read 3.900 trillion tokens. The scene sets no end of it."
    assert said(None, steps=4000).startswith(
        " It read 3.900 trillion tokens of 15.60 trillion tokens. That is 25.0 % of its 4,000 steps; at this rate"
    )
    assert (
        said(3e12)
        == " It read 3.900 trillion tokens, 130.0 % of the 3.000 trillion tokens of the published training."
    )
    assert said(1e15) == said(None), "too little of it to tell"
    assert published_tokens(scenario, EditedScene.of(load("builtin:lab-16")).catalog) == 15.6e12


def test_present_value_has_its_chance_and_the_rate_its_hurdle() -> None:
    npv_usd = np.array([-3e6, -1e6, 1e6, 2e6])
    cash = SimpleNamespace(
        rate=np.array([0.08]),
        returns=lambda: SimpleNamespace(words="internal rate of return 6.80 %"),
        payback=lambda discounted=False: None,
    )
    books = SimpleNamespace(
        plan=SimpleNamespace(years=5),
        likely=SimpleNamespace(cash=cash),
        drawn=SimpleNamespace(
            cash=SimpleNamespace(npv_usd=npv_usd), capital=SimpleNamespace(prices={"sold": np.array([0.75])})
        ),
    )
    first, second = cash_sentences(books)  # type: ignore[arg-type]
    assert "5 years, 75 % of the hours: net present value 0.0 MUSD" in first
    assert first.endswith("a gain in 50 % of 4 draws of the prices.")
    assert "internal rate of return 6.80 % beside a hurdle of 8.0 % (interest)" in second


# --- what tests the model, what can be won, and limits


def test_shares_of_a_hundred_hours_add_up() -> None:
    said = bridge_words(facts(), 0.88888)
    assert said.startswith("Goodput is 88.9 %")
    assert "50.00 were productive, 30.00 waits within steps, 10.00 stops and checkpoints, 10.00 idle" in said


def test_waits_within_steps_are_rounded_once_on_all_pages() -> None:
    """14.4149 + 12.0249 = 26.4398 is 26.44 on the first page as in the line of the method, 14.42 + 12.02."""
    booked = {"productive": 62.3402, "pipeline_bubble": 14.4149, "straggler": 12.0249, "idle_spare": 11.22}
    first = re.search(r"([\d.]+) were productive, ([\d.]+) waits within", bridge_words(facts(booked), 0.88))
    line = time_words(facts(booked))
    assert first is not None
    waits = sum(map(float, re.findall(r"\N{MINUS SIGN} ([\d.]+) (?:pipeline bubble|stragglers)", line)))
    assert float(first[2]) == pytest.approx(waits)
    assert f"= {first[1]} % productive" in line.replace("\N{NO-BREAK SPACE}", " ")


def test_what_can_be_won_is_worked_out_from_spares_stops_and_the_planner() -> None:
    """37 of 96 nodes of 8 GPUs for 54 d, 5 lost hours of planned stops, and steps a tenth shorter.

    38.6 of the 2,096 nodes are in repair in the long run: more than 59 in less than a thousandth of all hours.
    """
    model = ReliabilityModel(2000, 96, (SampledCause(38.6e-6 / 2096, 1e6),), 54 * DAY_S)
    planned = [
        SimpleNamespace(planned=True, gpu_s={"lost_work": 1.8e8}),
        SimpleNamespace(planned=False, gpu_s={"lost_work": 9e9}),
    ]
    gpu_s = {"productive": 5e10, "pipeline_bubble": 1e10, "idle_spare": 2.5e9, "lost_work": 9.18e9}
    run = replace(
        facts(gpu_s, failures={"down": {"most": 47}}, interruptions={"unexpected": 465}),
        exposure=SimpleNamespace(model=model),  # type: ignore[arg-type]
        incidents=SimpleNamespace(all=planned),  # type: ignore[arg-type]
        step=SimpleNamespace(deeper=(4, 0.9), interleave=2),  # type: ignore[arg-type]
    )
    assert {win.account: win.gpu_s for win in wins_of(run)} == pytest.approx(
        {"pipeline_bubble": 6e9, "idle_spare": 37 * 8 * 54 * DAY_S, "lost_work": 1.8e8}
    )
    many = replace(run, summary={**run.summary, "failures": {"down": {"most": 96}}})
    assert "idle_spare" not in {win.account for win in wins_of(many)}, "96 nodes were out: none is too many"
    calm = replace(run, summary={**run.summary, "interruptions": {"unexpected": 2}})
    assert "idle_spare" not in {win.account for win in wins_of(calm)}, "two stops say nothing of spares"
    (win,) = [win for win in wins_of(run) if win.account == "pipeline_bubble"]
    assert win.usd(ledger({"productive": 5.0, "pipeline_bubble": 2.0}, 1e6), 1e10) == pytest.approx(0.6 * 3e6)
    assert wins_of(facts()) == []
    (fewer,) = [win for win in wins_of(run) if win.spent]
    assert (
        "59 spare nodes instead of 96, enough in 99.9 % of hours in the long run (47 were out at most in these 54 d, "
        "which begin with none in repair): "
    ) in changes_words(replace(run, exposure=SimpleNamespace(model=model, saves=False)))  # type: ignore[arg-type]
    assert fewer.words == "59 spare nodes instead of 96"
    leaf = SwitchLoss("ib", SwitchRole.LEAF, "ib/0/0", 8, nodes=70, gpus=560, job_nodes=64, spares=96)
    (fewer,) = [
        win for win in wins_of(replace(run, network=NetworkLimits("j", 0.9, 0.05, (leaf,)))) if win.spent
    ]
    assert fewer.words == "59 spare nodes instead of 96 (not for a lost leaf of 64 nodes: that takes 123)"


def test_what_can_be_won_is_told_in_money_or_as_a_share() -> None:
    """A fifth of bubbles that cost 3 million USD in the middle of the prices, and 5 of 200 GPU-seconds lost.

    54 d are two thirds of the job: in the other 27 the dearest wins half as much again.
    """
    gpu_s = {"productive": 150.0, "pipeline_bubble": 20.0, "lost_work": 30.0}
    wins = [
        Win("pipeline_bubble", "interleave 4", 4.0),
        Win("lost_work", "a save before each stop", 5.0, spent=True),
    ]
    (spec,) = load("builtin:llama3-16k").scenario.jobs
    scenario = SimpleNamespace(jobs=(spec.model_copy(update={"steps": 1500}),))
    job = {"id": spec.id, "steps": 1000, "start_s": 0.0}
    unpriced = replace(facts(gpu_s, jobs=[job]), scenario=scenario)  # type: ignore[arg-type]
    books = SimpleNamespace(work=None)
    run = replace(unpriced, money=RunMoney(books, ledger(gpu_s, 1e5)))  # type: ignore[arg-type]
    assert first_win_words(run, wins) == (
        "Change this first: a save before each stop. Without buying, it wins about 375 thousand USD in the 27.0 days "
        "left."
    )
    assert wins_words(run, wins) == (
        "In these 54 d that would have won 750 thousand USD. Then, in the 27.0 days left: 300 thousand USD by "
        "interleave 4."
    )
    assert first_win_words(unpriced, wins[:1]) == (
        "Change this first: interleave 4. Without buying, it wins about 2.0 % of the GPU time in 54 d like these."
    )
    assert (wins_words(unpriced, wins[:1]), first_win_words(run, [])) == ("", "")
    spent = replace(wins[0], spent=True)
    assert ", mostly capital already spent, by interleave 4" in wins_words(run, [spent, wins[1]])
    assert wins_words(run, []) == ""
    assert "What is won." in next_words(gpu_s, None, None, "What is won.")


def test_a_step_that_cannot_be_planned_is_none_and_a_fault_of_the_program_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    edited = EditedScene.of(load("builtin:lab-16"))
    scene = (edited.scenario, edited.plant, edited.catalog)

    def fails(error: Exception) -> None:
        def raised(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(job_steps, "estimate_of", raised)

    fails(PlanError("it does not fit"))
    assert job_step(*scene) is None
    fails(ValueError("a mistake"))
    with pytest.raises(ValueError, match="a mistake"):
        job_step(*scene)


def trained(step: Any) -> RunFacts:
    """Return a run of 54 d of which the only job kept 653,863 steps."""
    flop = 653_863 * step.tokens * step.flop_token
    mfu = flop / (step.gpus * step.peak_flop_s * 54 * DAY_S)
    job = {"id": "j", "gpus": step.gpus, "steps": 653_863, "start_s": 0.0, "mfu": mfu, "ettr": 0.929}
    return replace(facts(jobs=[job], mfu=mfu, ettr=0.929), step=step)


def test_the_step_of_a_training_as_the_planner_has_it() -> None:
    edited = EditedScene.of(load("builtin:llama3-16k"))
    step = job_step(edited.scenario, edited.plant, edited.catalog)
    assert step is not None
    assert (step.gpus, step.tokens, step.stages, step.interleave, step.microbatches) == (
        16384,
        2048 * 8192,
        16,
        2,
        32,
    )
    assert step.plain
    products = 126 * (16384 * (18432 + 16384) + 3 * 16384 * 53248) + 128256 * 16384
    assert step.sizes == (pytest.approx(products), 126, 16384, 8192)
    assert step.flop_token == pytest.approx(6 * products + 12 * 126 * 16384 * 8192)
    assert step.deeper is not None
    assert step.deeper[0] == 4
    assert step.deeper[1] < 0.95
    assert step.peak_flop_s == pytest.approx(989e12, rel=0.01)
    assert step.idle_w < step.step_w
    (words,) = [str(row[2]) for row in rules_of_run(trained(step)) if row[0] == "MFU"]
    billion, flop, trillion, share = (
        float(re.search(pattern, words)[1])  # type: ignore[index]
        for pattern in (r"6 x ([\d.]+) ", r"= ([\d.]+) T", r"([\d.]+) trillion tokens", r": ([\d.]+) % with")
    )
    assert (6e9 * billion + 12 * 126 * 16384 * 8192) / 1e12 == pytest.approx(flop, abs=5.1e-4), words
    assert "16,384 GPUs of 989 TFLOP/s in 54 d:" in words
    used = trillion * 1e12 * flop * 1e12 / (16384 * 989e12 * 54 * DAY_S)
    assert used == pytest.approx(share / 100, abs=6e-4), words
    lab = EditedScene.of(load("builtin:shared-cluster"))
    assert job_step(lab.scenario, lab.plant, lab.catalog) is None, "it has many jobs"


def test_worth_is_told_for_own_use_and_to_sell() -> None:
    """8 GPUs that cost 87,600 USD a year, half of whose hours are sold at 2 USD: 2.50 USD an hour sold."""
    cash = SimpleNamespace(
        rate=np.array([0.08]),
        npv_usd=np.array([-3e6, -1e6, -1e6, 2e6]),
        returns=lambda: SimpleNamespace(words="internal rate of return 6.80 %"),
        payback=lambda: None,
    )
    hours = GpuHours(8760.0, available=8760.0, allocated=4000.0)
    drawn = SimpleNamespace(
        cash=cash,
        rent_usd_h=np.full(4, 16.0),
        yearly_usd=np.full(4, 87_600.0),
        capital=SimpleNamespace(prices={"sold": np.full(4, 0.5)}),
    )
    books = SimpleNamespace(
        bill=SimpleNamespace(gpu_count=8),
        plan=SimpleNamespace(years=5),
        likely=SimpleNamespace(cash=cash),
        drawn=drawn,
        work=SimpleNamespace(hours=hours, tokens=None, pflop_days=None),
        period_usd=lambda statement: np.full(4, 10_000.0),
    )
    sale = sale_of(books)  # type: ignore[arg-type]
    assert sale is not None
    assert sale.cost_usd_h.tolist() == pytest.approx([2.5] * 4, rel=2e-3)
    own = SimpleNamespace(total_usd=np.full(4, 10_000.0))
    first, second = worth_words(books, own)  # type: ignore[arg-type]
    assert first == (
        "Renting the 4,000 GPU-h that jobs held would cost 8,000 USD (2.00 USD each; here 2.50); owning pays from 57 % "
        "of use by jobs on (46 % here)."
    )
    assert second.startswith(
        "With 50 % of its available hours sold for 5 years, an hour costs 2.50 USD and brings 2.00; net present"
    )
    lead = "to sell its hours it does not pay (odds of a gain 25 %)."
    assert worth_lead(books, own) == f"For own use it is dearer than renting (odds 100 %); {lead}"  # type: ignore[arg-type]
    assert worth_lead(books, None) == f"T{lead[1:]}"  # type: ignore[arg-type]
    prices = SimpleNamespace(total_usd=np.array([7e3, 7e3, 7e3, 9e3]))
    assert worth_lead(books, prices).startswith("For own use it is cheaper than renting (odds 75 %);")  # type: ignore[arg-type]
    assert "\N{MINUS SIGN}2.70" in str(sale_table(books)), "a twentieth of the way from -3 to 2 million"  # type: ignore[arg-type]


def test_rules_of_a_run_add_up() -> None:
    """1,000 steps of 10 GPUs: 4 s of computation, 1 s of bubble and 1 s of stragglers each; 2 stops of 90 s."""
    held = {"productive": 4e4, "pipeline_bubble": 1e4, "straggler": 1e4}
    job = {
        "id": "j",
        "gpus": 10,
        "steps": 1000,
        "interruptions": 2,
        "away_s": {"detect": 30.0, "load": 150.0},
    }
    run = facts(held, jobs=[job], energy={"facility_j": 1.2e12, "it_j": 1e12}, pue=1.2)
    run = replace(run, incidents=stopped([(10.0, 100.0), (500.0, 590.0)]))
    rows = {str(row[0]): str(row[2]) for row in rules_of_run(run)}
    assert rows["Mean kept step, s"] == "6.00 = 4.00 computation + 1.00 pipeline bubble + 1.00 stragglers"
    assert rows["From a stop to the next step, s"] == "75 load + 15 detect = 1 min 30 s"
    assert rows["PUE, WUE"].endswith("= 1.200")
    assert sizes_words(16 * DAY_S, 16, 8) == "8 GPUs 16 d; 128 GPUs 1 d; 1,024 GPUs 3 h"


def test_a_published_figure_that_was_not_read_at_its_source_says_so() -> None:
    recalled = PublishedFigure(
        "MFU", 0.41, 0.41, 0.41, lambda value: f"{100 * value:.1f} %", "", standing="recalled"
    )
    assert recalled.published == "41.0 % (recalled)"
    assert replace(recalled, standing="").published == "41.0 %"
    title = load("builtin:llama3-16k").scenario.title
    (mfu,) = (
        figure
        for figure in published_figures(title, {"simulated_s": 54 * DAY_S, "mfu": 0.38, "ettr": 0.93})
        if figure.layout
    )
    assert mfu.low == pytest.approx(400.0 / 989.0, abs=5e-4), "the rate published with it"
    assert mfu.published == "40.4 % to 41.0 % (400 TFLOP/s; 41 % recalled)"
    assert mfu.apart == "within"


def test_the_seen_time_between_stops_is_of_those_that_undid_work() -> None:
    """Four stops in 54 d, three of which undid work: 18 d; without costs of incidents all count: 13 d 12 h."""
    stops = [SimpleNamespace(gpu_s={"lost_work": lost}) for lost in (1.0, 0.0, 2.0, 3.0)]
    run = facts(interruptions={"unexpected": 4}, jobs=[{}])
    found = replace(run, incidents=incidents(all=(SimpleNamespace(stops=stops),), priced=True))
    exposure = SimpleNamespace(model=SimpleNamespace(causes=()))
    assert _seen_words(found, exposure) == "; seen: 3, one every 18 d"  # type: ignore[arg-type]
    assert _seen_words(run, exposure) == "; seen: 4, one every 13 d 12 h"  # type: ignore[arg-type]


def test_a_source_of_many_numbers_is_told_once() -> None:
    common = _common([("fitted", "own fit")] * 5 + [("recalled", "a sheet")] * 4)
    assert common == {"fitted": "own fit"}
    assert (_unless_common(common, "fitted", "own fit"), _unless_common(common, "fitted", "x")) == ("", "x")
    assert _common_words(common).endswith("Fitted: own fit.")
