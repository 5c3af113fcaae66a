"""`twin ask`: the questions in words, their options from the table, errors at the option."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from typer.testing import Result

from twin.cli.study.ask import EXAMPLES
from twin.questions.table import QUESTIONS

Twin = Callable[..., Result]


def test_the_list_names_every_question_with_its_inputs(twin: Twin) -> None:
    said = twin("ask", "--list").output
    assert set(EXAMPLES) == set(QUESTIONS)
    for key, question in QUESTIONS.items():
        assert key in said
        for entry in question.inputs:
            assert f"--{entry.key}" in twin("ask", key, "--help").output


def test_a_question_is_answered_with_how_and_what_it_rests_on(twin: Twin) -> None:
    said = " ".join(twin("ask", "gpus-in", "--power", "20 MW", "--redundancy", "N+1").output.split())
    assert "14,400 GPUs in 1,800 nodes of DGX-H100 fit into 20 MW at N+1" in said
    assert "how: In the hottest hour of its climate a site draws 1.27 times" in said
    assert "note: Not counted: storage" in said


def test_the_scene_and_its_changes_give_defaults(twin: Twin) -> None:
    told = json.loads(twin("ask", "checkpoint-interval", "lab-16", "--json").stdout)
    assert told["inputs"]["gpus"] == "16"
    words = ("--set", "jobs[llama3].checkpoint.pause=1 min", "--json")
    assert json.loads(twin("ask", "checkpoint-interval", "lab-16", *words).stdout)["inputs"]["pause"] in (
        "1 min",
        "60 s",
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("ask", "which question? twin ask --list names them"),
        ("ask own-or-rent", "Missing argument 'SCENE'"),
        ("ask gpus-inn", "did you mean twin ask gpus-in?"),
        ("ask gpus-in --power 20", "--power: '20' has no unit"),
        ("ask gpus-in --part DGX-H1", "--part: 'DGX-H1' is none of"),
        ("ask gpus-in nowhere", "there is no such file or shipped scene"),
        ("ask gpus-in --power --json", "--power lacks its value"),
    ],
)
def test_what_cannot_be_asked_ends_with_two_and_a_sentence(twin: Twin, words: str, reason: str) -> None:
    assert reason in twin(*words.split(), code=2).output
