"""Designs side by side: money draw by draw, times and unit costs of full runs, and how it is told."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import twin
from twin import resources
from twin.analysis.design_figures import (
    DesignPromise,
    DesignSamples,
    DesignToCompare,
    all_samples,
    samples_of,
)
from twin.analysis.design_runs import design_runs
from twin.analysis.designs_comparison import (
    BY_FIGURE,
    DESIGN_FIGURES,
    apart_beside,
    apart_words,
    compared,
    drawn_figures,
    range_words,
    short_sentences,
    verdict_words,
)
from twin.analysis.site_books import scene_books
from twin.api.design import answered, with_scenes
from twin.api.errors import BadInput
from twin.catalog import load_catalog
from twin.economics.cash_flow import Plan
from twin.economics.finance import SECONDS_PER_YEAR
from twin.economics.price_draws import SAMPLES, SEED
from twin.plant.build import build
from twin.report.designs_report import designs_report
from twin.report.scene_report import scene_report
from twin.scenario import Document, load, loads

DAY_S = 86_400.0


@pytest.fixture(scope="module")
def lab() -> Document:
    return load("builtin:lab-16")


@pytest.fixture(scope="module")
def short(lab: Document) -> Document:
    """The laboratory with a job that ends after an hour or so."""
    text = lab.text.replace("duration: 1 day", "duration: 12 h")
    found = loads(text, "short")
    job = found.scenario.jobs[0].model_copy(update={"steps": 200})
    return replace(found, scenario=found.scenario.model_copy(update={"jobs": (job,), "interventions": ()}))


@pytest.fixture(scope="module")
def samples(lab: Document) -> list[DesignSamples]:
    pod = load("builtin:superpod-h100")
    designs = [DesignToCompare("lab", lab), DesignToCompare("pod", pod), DesignToCompare("again", lab)]
    return list(all_samples(designs))


def test_money_is_that_of_the_books_and_differences_are_draw_by_draw(
    lab: Document, samples: list[DesignSamples]
) -> None:
    found = compared(samples)
    catalog = load_catalog()
    plant = build(lab.scenario, catalog)
    books = scene_books(lab.scenario, plant, catalog, Plan(), SAMPLES, SEED)
    row = found.row("yearly_usd")
    assert row is not None
    first, pod, again = row.cells
    assert first is not None
    assert pod is not None
    assert again is not None
    assert first.values == tuple(np.quantile(books.drawn.yearly_usd, (0.05, 0.5, 0.95)))
    apart = samples[1].drawn["yearly_usd"] - samples[0].drawn["yearly_usd"]
    assert pod.difference == tuple(np.quantile(apart, (0.05, 0.5, 0.95)))
    width = pod.difference[2] - pod.difference[0]
    alone = pod.values[2] - first.values[0] - (pod.values[0] - first.values[2])
    assert width < alone, "the same prices in both: a difference is surer than two totals"
    assert again.difference == (0.0, 0.0, 0.0)
    assert verdict_words(row.figure, again) == "the same"
    assert verdict_words(row.figure, pod) == "", "a total of a larger hall makes none better"
    assert row.best is None
    assert not row.is_judged
    one_size = compared([samples[0], replace(samples[1], gpus=samples[0].gpus)]).row("yearly_usd")
    assert one_size is not None
    assert verdict_words(row.figure, one_size.cells[1]) == "worse"
    assert one_size.best == 0
    assert found.row("time_s") is None, "nothing was run and nothing promised"
    assert found.row("gpu_hour_usd").best == 0, "a chiller of its size, and nothing twice"
    said = short_sentences(found)
    assert said[0].startswith("The designs have 16, 256, 16 GPUs"), (
        "the smaller one is no bargain for its total"
    )
    assert said[1].startswith("GPU-hour: lab is lowest with")
    assert not any("GPUs:" in words for words in short_sentences(compared([samples[0], samples[2]])))
    page = unescape(designs_report(found)).replace("\N{NO-BREAK SPACE}", " ")
    assert "pod: GPU-hour worse" in page
    assert "pod against lab: the most in" in page
    assert re.search(r"Cost of a year, million USD: [\d.]+ \([\d.]+ to [\d.]+\) of lab to", page)
    available = found.row("nodes_available")
    site = found.row("site_available")
    pod_site, lab_site = site.cells[1].values[1], site.cells[0].values[1]
    assert lab_site == pytest.approx(pod_site, abs=0.01), "more nodes are no worse site"
    assert available.cells[1].values[1] < site.cells[1].values[1]
    assert apart_beside(available.figure, available.cells[1]).endswith(" pp")
    assert "Nodes of the job available, pp" in page


def test_every_figure_of_a_design_is_known_once_it_has_run(short: Document) -> None:
    designs = list(all_samples([DesignToCompare("A", short), DesignToCompare("B", short)]))
    runs = design_runs([short.scenario] * 2, [1, 2], workers=1)
    assert [[run.seed for run in design_runs] for design_runs in runs] == [[1, 2], [1, 2]]
    run = runs[0][0]
    assert run.is_done
    assert run.time_s == run.job_s["llama3"]
    drawn = drawn_figures(designs[0], runs[0])
    tokens = run.work.tokens
    assert tokens is not None
    expected = drawn["yearly_usd"][0] * run.span_s / SECONDS_PER_YEAR / (tokens / 1e6)
    assert drawn["million_tokens_usd"][0] == pytest.approx(expected, rel=1e-12)
    assert drawn["time_s"][1] == runs[0][1].span_s, "draw 1 is of the second seed"
    found = compared(designs, runs)
    assert [row.figure.key for row in found.rows] == [figure.key for figure in DESIGN_FIGURES]
    assert found.seeds == (1, 2)
    assert found.late == (0, 0)
    assert found.row("time_s").cells[1].difference == (0.0, 0.0, 0.0), "the same seeds, the same failures"
    page = designs_report(found)
    for words in (
        "Which is best?",
        "Million tokens, USD",
        "seeds 1 to 2, the same for all",
        'class="whisker"',
    ):
        assert words in page


def test_a_promise_gives_a_time_and_unit_costs_without_a_run(short: Document) -> None:
    promise = DesignPromise(10 * DAY_S, DAY_S, "site power 3 of 4 MW", 0.9)
    (design,) = all_samples([DesignToCompare("A", short, promise)])
    assert design.binding == "site power 3 of 4 MW"
    drawn = drawn_figures(design, ())
    low, middle, high = np.quantile(drawn["time_s"], (0.05, 0.5, 0.95)) / DAY_S
    assert middle == pytest.approx(10.0, abs=0.02)
    assert high - low == pytest.approx(2 * 1.645, rel=0.03)
    tokens = design.asked.tokens
    assert tokens == 200 * short.scenario.jobs[0].workload.global_batch * 8192
    assert drawn["million_tokens_usd"] == pytest.approx(
        drawn["yearly_usd"] * drawn["time_s"] / SECONDS_PER_YEAR / (tokens / 1e6)
    )


def test_runs_that_are_not_done_tell_no_time(samples: list[DesignSamples], short: Document) -> None:
    done = design_runs([short.scenario], [1], workers=1)[0][0]
    late = replace(done, job_s={"llama3": None})
    found = compared(samples[:2], [[late], [done]])
    assert found.late == (1, 0)
    row = found.row("time_s")
    assert row is not None
    assert row.cells[0] is None
    assert row.cells[1] is not None
    assert row.cells[1].difference is None, "there is nothing to hold it against"
    assert "not known" in designs_report(found)


def test_how_ranges_are_told() -> None:
    figure = BY_FIGURE["capital_usd"]
    assert range_words(figure, (15.24e6, 18.06e6, 21.13e6)) == "18.1 (15.2 to 21.1)"
    cell = compared_cell(-0.2e6, -0.1e6, 0.0, 0.97)
    assert apart_words(figure, cell) == "\N{MINUS SIGN}0.1 (\N{MINUS SIGN}0.2 to 0.0)"
    assert verdict_words(figure, cell) == "better"
    assert verdict_words(figure, replace(cell, better=0.6)) == "better in 60 % of draws"


def compared_cell(low: float, middle: float, high: float, better: float) -> object:
    from twin.analysis.designs_comparison import DesignFigureCell

    return DesignFigureCell((17e6, 18e6, 19e6), (low, middle, high), better)


def test_what_cannot_be_compared_is_told() -> None:
    with pytest.raises(BadInput, match="2 to 8 designs"):
        twin.compare_designs("lab-16")
    with pytest.raises(BadInput, match="2 to 8 designs"):
        twin.compare_designs(*["lab-16"] * 9)
    with pytest.raises(BadInput, match="seeds"):
        twin.compare_designs("lab-16", "lab-16", seeds=-1)
    found = twin.compare_designs("lab-16", twin.load("lab-16"))
    assert found.titles[0].startswith("A laboratory with 16 GPUs (")


def test_a_scene_is_reported_before_anybody_ran_it(lab: Document) -> None:
    page = scene_report(lab)
    for words in (
        "A design that has not run",
        "Capital",
        "Load of the feeds",
        "outages a year",
        "Design rules",
    ):
        assert words in page
    assert 'data-figure="it_w"' in page


@pytest.mark.parametrize("climate", ["santa-clara", "phoenix"])
def test_the_closed_form_of_a_design_and_its_scene_as_built_say_the_same(
    climate: str, tmp_path: Path
) -> None:
    need = (
        resources.folder("scenes").joinpath("needs", "vision-512.twin-need.yaml").read_text(encoding="utf-8")
    )
    assert "\nclimate: santa-clara\n" in need
    (path := tmp_path / "vision.twin-need.yaml").write_text(need.replace("santa-clara", climate, 1))
    made = with_scenes(answered(path, 40, 1))
    (design,) = made.answer.designs
    promise = DesignPromise(DAY_S, 0.0, "", design.load)
    built = samples_of(DesignToCompare("A", made.scenes[made.names[0]], promise)).drawn
    for key, closed in (("capital_usd", design.capital_usd), ("yearly_usd", design.yearly_usd)):
        assert np.median(built[key]) == pytest.approx(closed, rel=0.05), key
    assert np.median(built["carbon_kg"]) == pytest.approx(design.carbon_kg, rel=0.04)
    assert built["site_w"][0] == pytest.approx(design.site_w, rel=0.03)
