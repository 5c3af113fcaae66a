"""How sure step times are: by profile, precision and kind of work, and in the summary of a run."""

from __future__ import annotations

import pytest

from twin.physics.model_shape import Model
from twin.planning.job.job import LlmJob, estimate
from twin.planning.job.llm import cut, default_stack
from twin.planning.profile.profiles import load_calibrated
from twin.planning.profile.standing import STANDINGS, least_sure, standing_in, standing_named, standing_of
from twin.planning.profile.uncertainty import interval_of


@pytest.mark.parametrize(
    ("profile", "model", "precision", "word"),
    [
        ("h100", "llama3-8b", "bf16", "calibrated"),
        ("h100", "llama3-8b", "mxfp8", "derived"),  # calibrated, but on runs of other precisions
        ("a100-fsdp", "llama3-8b", "bf16", "derived"),
        ("l40s", "llama3-8b", "bf16", "not calibrated"),
        ("h100", "mixtral-8x7b", "bf16", "not calibrated"),
    ],
)
def test_a_step_time_is_as_sure_as_the_runs_behind_it(
    profile: str, model: str | Model, precision: str, word: str
) -> None:
    stack = default_stack(profile, model, precision)  # type: ignore[arg-type]
    found = estimate(LlmJob(model, cut(64, 256, tp=2, ep=1), profile, stack))
    assert found.standing is not None
    assert found.standing.word == word
    assert found.standing_tip.splitlines()[0] == found.standing.meaning
    assert f"within {found.interval.pct:.0f} %" in found.standing_tip if found.interval else True


def test_the_most_doubtful_job_speaks_for_a_run() -> None:
    jobs = [{"standing": "calibrated"}, {"standing": "derived"}, {"standing": None}, {}]
    assert standing_in({"jobs": jobs}) is STANDINGS["derived"]
    assert standing_in({"jobs": [{"standing": None}]}) is None
    assert standing_in({}) is None
    assert least_sure([]) is None


def test_an_odd_summary_of_a_damaged_run_file_says_no_more_than_it_knows() -> None:
    odd = [None, 3, "derived", {"standing": ["derived"]}, {"confidence": {}}, {"standing": "derived"}]
    assert standing_in({"jobs": odd}) is STANDINGS["derived"]
    assert standing_in({"jobs": odd[:5]}) is None
    assert standing_in({"jobs": 5}) is None


def test_a_load_has_no_standing_and_words_of_before_are_understood() -> None:
    interval = interval_of(load_calibrated("h100"), "bf16", False, 16)
    assert standing_of("load", "uncalibrated", None) is None
    assert standing_of("llm", "calibrated", interval) is STANDINGS["calibrated"]
    assert standing_named("uncalibrated") is STANDINGS["not calibrated"]
    assert standing_named("") is None
    assert standing_named(None) is None


def test_marks_and_words_tell_standings_apart_without_colours() -> None:
    assert len({standing.marked for standing in STANDINGS.values()}) == len(STANDINGS)
    assert len({standing.mark for standing in STANDINGS.values()}) == 3
