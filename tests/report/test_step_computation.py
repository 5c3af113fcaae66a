"""The computation of a step term by term: what a student does again by hand, and what the planner gives."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import reduce
from operator import truediv

import pytest
from report_facts import facts

from twin.commands.edit.command import EditedScene
from twin.planning.job.llm import LlmJob, cut, default_stack, estimate_llm
from twin.planning.profile.models import load_model
from twin.report.job_step import job_step
from twin.report.run_theory import theory
from twin.report.step_computation import StepComputation, computation_table, step_computation
from twin.scenario import load


def llama(**changes: object) -> LlmJob:
    """Return Llama 3 405B on 16,384 GPUs, as Meta cut it."""
    parallel = cut(16384, 2048, tp=8, pp=16, cp=2, vp=2)
    return replace(
        LlmJob("llama3-405b", parallel, "h100", default_stack("h100", "llama3-405b")),
        **changes,  # type: ignore[arg-type]
    )


def computed(job: LlmJob) -> StepComputation | None:
    model = load_model(job.model).model if isinstance(job.model, str) else job.model
    return step_computation(replace(job, model=model), estimate_llm(job).parts)


def by_hand(numbers: str) -> float:
    """Return what a term comes to, typed into a calculator."""
    products = [term.split(" x ") for term in numbers.replace(",", "").split(" + ")]
    return sum(
        math.prod(reduce(truediv, map(float, part.split(" / "))) for part in parts) for parts in products
    )


def test_terms_give_what_the_planner_does() -> None:
    found = computed(llama())
    assert found is not None
    parts = estimate_llm(llama()).parts
    assert found.whole_s == pytest.approx(parts.productive_s + parts.launch_s, rel=1e-9)


def test_a_student_comes_to_the_same_within_a_per_cent() -> None:
    """Rates as the note tells them: 989 TFLOP/s x 0.744, 38.6 GFLOP to half rate, 3.35 TB/s x 0.885."""
    found = computed(llama())
    assert found is not None
    terms = {term.title: term for term in found.terms}
    products_ms = 0.0
    for title in (
        "Queries, keys, values",
        "Output of attention",
        "Feed-forward, up and gate",
        "Feed-forward, down",
    ):
        shape, told = terms[title].numbers.removesuffix(" GFLOP").split(" = ")
        flop = by_hand(shape)
        assert flop / 1e9 == pytest.approx(by_hand(told), rel=1e-3)
        products_ms += 1e3 * flop * (1 + math.sqrt(38.6e9 / flop)) / (0.744 * 989e12)
    attention_ms = 1e3 * (0.5 * 4 * 4096 * 8192 * 16384 / 8) / (0.513 * 989e12)
    norms_ms = 1e3 * 4096 * (22 * 16384 / 8 + 4 * 53248 / 8) / (0.885 * 3.35e12)
    layer_ms = 3 * products_ms + 3.5 * attention_ms + 2.5 * norms_ms
    both = terms["A layer, both passes"]
    assert both.seconds is not None
    assert layer_ms == pytest.approx(1e3 * both.seconds, rel=0.01)
    assert by_hand(both.numbers) == pytest.approx(layer_ms, rel=0.01)
    whole = terms["Computation of a step"]
    assert by_hand(whole.numbers) == pytest.approx(4665, rel=0.01)
    assert whole.seconds == pytest.approx(4.665, rel=0.01)
    assert terms["Microbatches of a step"].numbers == "2,048 / (64 x 1) = 32", "the batch over the data width"
    assert " / 16 x " in whole.numbers, "layers over the pipeline width"


def test_widths_move_the_terms_they_are_in() -> None:
    """Half the tensor width: each product twice as large; twice the data width then: half the microbatches."""
    other = computed(llama(parallel=cut(16384, 2048, tp=4, pp=16, cp=2, vp=2)))
    usual = computed(llama())
    assert other is not None
    assert usual is not None
    first, second = ({term.title: term.numbers for term in found.terms} for found in (usual, other))
    assert first["Feed-forward, down"].endswith("/ 8 = 893.4 GFLOP")
    assert second["Feed-forward, down"].endswith("/ 4 = 1,787 GFLOP")
    assert second["Microbatches of a step"].endswith("= 16")


def test_what_the_terms_do_not_hold_has_none() -> None:
    experts = LlmJob("mixtral-8x7b", cut(64, 256, tp=2, pp=2), "h100", default_stack("h100", "mixtral-8x7b"))
    assert computed(experts) is None
    stack = default_stack("h100", "llama3-405b")
    assert computed(llama(stack=replace(stack, recompute="full"))) is None
    assert computed(llama(stack=replace(stack, flash=False))) is None
    parts = estimate_llm(llama()).parts
    assert step_computation(llama(), parts) is None, "a name is no shape"


def test_the_table_stands_in_the_report_beside_the_ledger() -> None:
    edited = EditedScene.of(load("builtin:llama3-16k"))
    step = job_step(edited.scenario, edited.plant, edited.catalog)
    assert step is not None
    assert step.computation is not None
    job = {"id": "llama3-405b", "gpus": 16384, "steps": 1000}
    run = facts({"productive": 4.66 * 16384 * 1000, "straggler": 16384.0 * 1000}, jobs=[job])
    said = theory(replace(run, step=step))
    assert "Computation of a step, term by term" in said
    assert "Together 4.665 s at the reference clock; the ledger has 4.66 s in the mean" in said
    assert "4,664.9" in computation_table(step.computation, None)
    assert "m = G / (d b)" in said, "B are bytes"
    assert "B the unit byte" in said
    assert "the ledger" not in computation_table(step.computation, None)
