"""Jobs, streams, traces and reservations that cannot be as they are said, each with its line and a hint."""

from __future__ import annotations

import pytest

from twin.scenario import ScenarioError, loads

HEAD = """format: twin/scenario
version: 3
catalog: "2026.11"
title: fits
extends: builtin:lab-16
"""
STREAM = "streams:\n  - {id: a, arrivals: {gap: 1 h}, lengths: {mean: 1 h}"
JOB = "jobs:\n  - {id: b, workload: {kind: load, gpu: 50 %}"


def told(text: str) -> str:
    with pytest.raises(ScenarioError) as error:
        loads(HEAD + text, "s")
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            STREAM + ", tenant: nobody}",
            "s:7: streams[a].tenant = 'nobody': unknown tenant: 'nobody'; known: chair",
        ),
        (STREAM + ", rows: [cpu]}", "unknown row generator: 'cpu'"),
        (
            STREAM + ", storage: nass}",
            "streams[a].storage = 'nass': unknown store: 'nass'; did you mean 'nas'?",
        ),
        (STREAM + ", checkpoint: {storage: x}}", "unknown store: 'x'"),
        (STREAM + ", sizes: {gpus: [1, 2], weights: [1]}}", "are 1 for 2 sizes; one for each of gpus"),
        (
            STREAM + ", sizes: {gpus: [8, 17]}}",
            "s:7: streams[a].sizes.gpus[1] = 17: is too many: there are 16 GPUs",
        ),
        (
            STREAM.replace("gap: 1 h", "gap: 1 h, kind: daily, hours: [1, 2]") + "}",
            "are 2 weights; one for each of 24",
        ),
        pytest.param(
            STREAM.replace("1 h}, l", "0.1 s}, l") + "}",
            "creates 864,000 of 864,001 jobs; a scene has at most 200,000",
            marks=pytest.mark.slow,
        ),
        (STREAM.replace("{mean: 1 h}", "{mean: 1 h, longest: 1 min}") + "}", "is shorter than the mean"),
        (STREAM + ", mig: 3g.139gb}", "is no MIG profile of H100-SXM; it has 1g.10gb, 1g.20gb, 2g.20gb"),
        (JOB + ", mig: 1g.5gb}", "jobs[b].mig = '1g.5gb': is no MIG profile of H100-SXM"),
        (
            STREAM + ", sizes: {gpus: [8]}, workload: {kind: llm, model: llama3-8b, global_batch: 3}}",
            "cannot run on 8 GPUs: is no multiple of data parallel 8",
        ),
        (STREAM.replace("id: a", "id: llama3") + "}", "is a duplicate"),
        (JOB.replace("id: b", "id: a-0") + "}\n" + STREAM + "}", "may be the name of a job of stream 'a'"),
        (JOB + ", gpus: 4, mig: 1g.10gb}", "conflicts with gpus"),
        (JOB + ", gpus: 17, nodes: 2}", "jobs[b].gpus = 17: do not fill 2 nodes of 8 GPUs"),
        (JOB + ", gpus: 4, nodes: 2}", "4 GPUs take nodes: 1"),
        (JOB + ", steps: 5, run: 1 h}", "conflicts with steps: only one can end the job"),
        (JOB + ", mig: 1g.10gb, nodes: 2}", "a part of one GPU is on one node"),
        (JOB + ", submit: 2 h, deadline: 1 h}", "is before the job is submitted"),
        (JOB + ", checkpoint: {tiers: [{to: store}]}}", "needs storage: the store it goes to"),
        (JOB + ", checkpoint: {tiers: [{to: nvme, storage: nas}]}}", "does not apply to nvme"),
        (JOB + ", checkpoint: {tiers: [{to: object, storage: far}]}}", "unknown store: 'far'"),
        (
            "reservations: [{id: r, at: 1 h, for: 1 h, rows: [x]}]",
            "s:6: reservations[r].rows[0] = 'x': unknown row",
        ),
        ("reservations: [{id: r, at: 1 h, for: 1 h, tenants: [x]}]", "unknown tenant: 'x'"),
        (
            "reservations: [{id: r, at: 1 h, for: 1 h, jobs: [lama3]}]",
            "unknown job: 'lama3'; did you mean 'llama3'?",
        ),
        ("reservations: [{id: r, at: 1 h, for: 1 h, nodes: 3}]", "exceeds the 2 nodes of these rows"),
        ("reservations: [{id: r, at: 1 h, for: 1 h, nodes: 1, share: 50 %}]", "conflicts with nodes"),
        ("reservations: [{id: r, at: 1 h, for: 2 h, every: 1 h}]", "repeats before it is over"),
        ("interventions: [{at: 1 h, kind: cancel, target: a-x}]", "a-x"),
    ],
)
def test_each_is_told_with_what_would_be_right(text: str, said: str) -> None:
    assert said in told(text)


def test_good_ones_load_and_jobs_of_streams_can_be_meant() -> None:
    good = STREAM + ", sizes: {gpus: [1, 8, 12, 16], weights: [1, 2, 3, 4]}, mig: null}\n"
    good += "reservations: [{id: r, at: 1 h, for: 1 h, every: 2 h, share: 50 %, jobs: [llama3, a-3]}]\n"
    good += "interventions: [{at: 1 h, kind: cancel, target: a-0}]\n"
    assert loads(HEAD + good).scenario.streams[0].id == "a"


def test_reservations_begin_at_a_time_of_day_too() -> None:
    text = "reservations: [{id: a, at: '9:30', for: 1 h}, {id: b, at: '2026-01-06T08:00', for: 1 h}]"
    one, other = loads(HEAD + text).scenario.reservations
    assert (one.at_s, other.at_s) == (9.5 * 3600, 32 * 3600.0)
