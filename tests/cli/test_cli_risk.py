"""`twin risk`: a job's failures, spares and checkpoints in quick runs of a scene."""

from __future__ import annotations

import json

import pytest

from twin.physics.checkpoint import daly_interval_s


def test_the_large_scene_meets_its_own_count_and_the_formula(twin) -> None:
    said = json.loads(twin("risk", "llama3-16k", "--seeds", "300", "--json").stdout)
    figures = said["figures"]
    assert (said["job"], said["nodes"], said["spares"]) == ("llama3-405b", 2048, 96)
    assert figures["unexpected"]["mean"] == pytest.approx(419, rel=0.01)
    assert figures["planned"]["mean"] == pytest.approx(47, rel=0.03)
    assert figures["ettr"]["mean"] == pytest.approx(said["renewal_ettr"], abs=0.003)
    shares = sum(
        figures[name]["mean"] for name in ("ettr", "lost", "checkpoints", "detection", "restart", "waiting")
    )
    assert shares == pytest.approx(1, abs=1e-9)
    assert said["best_interval_s"] == pytest.approx(
        daly_interval_s(said["pause_s"], said["mean_between_s"]), rel=0.1
    )
    waits = [one["waiting"]["mean"] for one in said["by_spares"]]
    assert waits == sorted(waits, reverse=True)
    assert waits[0] > 0.9
    assert waits[-1] == 0
    assert said["left_out"] == []


def test_a_sweep_compares_the_same_failures(twin) -> None:
    sweep = "checkpoint.interval=5min,30min,4h"
    said = json.loads(twin("risk", "lab-16", "--seeds", "50", "--sweep", sweep, "--json").stdout)["sweep"]
    assert said["path"] == "jobs[llama3].checkpoint.interval"
    assert [one["value"] for one in said["values"]] == ["5min", "30min", "4h"]
    assert len({one["unexpected"]["mean"] for one in said["values"]}) == 1
    pauses = [one["checkpoints"]["mean"] for one in said["values"]]
    assert pauses == sorted(pauses, reverse=True)


def test_tables_for_people_name_the_swept_key_whole(twin) -> None:
    said = twin(
        "risk", "lab-16", "--seeds", "10", "--spares", "2", "--sweep", "failures.lemons=true,false"
    ).stdout
    for words in (
        "ETTR",
        "2 nodes, 2 spares",
        "failures.lemons",
        "a checkpoint every",
    ):
        assert words in said
    assert (
        "jobs[llama3].checkpoint.pause"
        in twin("risk", "lab-16", "--seeds", "10", "--sweep", "checkpoint.pause=1s,2s").stdout
    )


def test_what_cannot_be_sampled_is_told(twin) -> None:
    assert "no job 'nobody'; the scene has llama3" in twin("risk", "lab-16", "--job", "nobody", code=2).stderr
    assert "is not PATH=A,B" in twin("risk", "lab-16", "--sweep", "checkpoint.interval", code=2).stderr
    said = twin("risk", "lab-16", "--seeds", "10", "--set", "jobs[llama3].recovery.policy=requeue").stdout
    assert "not sampled: policy requeue" in " ".join(said.split())
    none = json.loads(
        twin("risk", "lab-16", "--seeds", "10", "--set", "failures.enabled=false", "--json").stdout
    )
    assert none["figures"]["unexpected"]["mean"] == 0
    assert none["best_interval_s"] is None


def test_where_nothing_fails_it_says_so(twin) -> None:
    assert "nothing fails" in twin("risk", "lab-16", "--seeds", "5", "--set", "failures.enabled=false").stdout


def test_two_sweeps_are_crossed(twin) -> None:
    words = ("--sweep", "checkpoint.interval=5min,1h", "--sweep", "failures.lemons=true,false")
    said = json.loads(twin("risk", "lab-16", "--seeds", "50", *words, "--json").stdout)["sweep"]
    assert said["paths"] == ["jobs[llama3].checkpoint.interval", "failures.lemons"]
    assert [one["values"] for one in said["values"]] == [
        ["5min", "true"],
        ["5min", "false"],
        ["1h", "true"],
        ["1h", "false"],
    ]
    assert len({one["interval_s"] for one in said["values"]}) == 2
    alone = json.loads(twin("risk", "lab-16", "--seeds", "50", *words[:2], "--json").stdout)["sweep"]
    assert [one["ettr"] for one in alone["values"]] == [one["ettr"] for one in said["values"][1::2]]
    text = twin("risk", "lab-16", "--seeds", "10", *words).stdout
    assert "5min, true" in text


@pytest.mark.parametrize(
    "sweep", ["cooling.loops[crah].count=1,2", "cooling.loops[crah].count=2", "recovery.policy=spare,requeue"]
)
def test_a_key_that_the_quick_model_does_not_hold_is_refused(twin, sweep: str) -> None:
    told = twin("risk", "lab-16", "--seeds", "10", "--sweep", sweep, code=2).stderr
    assert f"{sweep.partition('=')[0]} has no effect in this quick model" in told
    assert "twin run --set" in told
    assert "twin compare" in told
    crossed = ("--sweep", "checkpoint.interval=5min,1h", "--sweep", sweep)
    assert "has no effect in" in twin("risk", "lab-16", "--seeds", "10", *crossed, code=2).stderr
