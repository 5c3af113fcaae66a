"""`twin incidents`: random faults as text to paste into a scene."""

from __future__ import annotations

import pytest

from twin.scenario import load, loads


def test_what_is_printed_can_be_pasted_into_the_scene(twin) -> None:
    said = twin("incidents", "lab-16", "--level", "heavy", "--seed", "3").stdout
    text = load("builtin:lab-16").text
    assert "interventions:" in text
    pasted = text[: text.index("interventions:")] + said
    assert loads(pasted).scenario.interventions
    assert said.startswith("# heavy incidents, seed 3\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--from", "300 h"), "--from: 300 h is not before the end of the scene, 1 d"),
        (("--from", "3 h", "--until", "2 h"), "--from: 3 h is not before --until"),
    ],
)
def test_times_that_leave_nothing_are_told(twin, options: tuple[str, ...], said: str) -> None:
    refused = twin("incidents", "lab-16", *options, code=2)
    assert said in refused.stderr
