"""Racks that overflow, jobs that cannot be cut, names of nothing: all said by the loader, with line and key."""

from __future__ import annotations

from pathlib import Path

import pytest
from usual_cases import but_largest

from twin.catalog import load_catalog
from twin.scenario import ScenarioError, load, loads
from twin.scenario.checks import check as checks
from twin.scenario.file.effective_text import show
from twin.scenario.file.warnings import doubts
from twin.scenario.reading.extend import builtin_names

LAB = load("builtin:lab-16").text
MISFITS = [
    ("tensor: 2", "tensor: 3", "jobs[llama3].workload.parallelism.tensor", "no multiple of tensor 3"),
    ("tensor: 2", "tensor: 2, context: 3", "jobs[llama3].workload.parallelism.context", "context 3 = 6"),
    ("tensor: 2", "pipeline: 16, interleave: 3", "jobs[llama3].workload.parallelism.interleave", "48 of 32"),
    ("global_batch: 128", "global_batch: 7", "jobs[llama3].workload.global_batch", "8 would do"),
    ("nodes: 2\n", "nodes: 5\n", "jobs[llama3].nodes", "the halls have 2 nodes"),
    ("first_u: 3", "first_u: 45", "halls[lab].rows[gpu].racks.nodes[0].first_u", "the rack has 48 U"),
    ("count: 1, first", "count: 9, first", "halls[lab].rows[gpu].racks.nodes[0].count", "at most 5"),
    ("model: llama3-8b", "model: gpt-9", "jobs[llama3].workload.model", "is not a model preset"),
    ("model: llama3-8b", "model: llama3-8b\n      profile: h10", "jobs[llama3].workload.profile", "'h100'"),
    ("Europe/Berlin", "Mars/X", "site.timezone", "is not a time zone"),
    ('"2026.11"', '"1999"', "catalog", "year and month"),
    (
        "place: frankfurt",
        "dry_bulb: 4 degC, wet_bulb: 6 degC",
        "site.climate.wet_bulb",
        "above dry_bulb, 4 degC",
    ),
]


@pytest.mark.parametrize(("old", "new", "key", "said"), MISFITS)
def test_what_cannot_be_is_refused_where_it_stands(old: str, new: str, key: str, said: str) -> None:
    assert LAB.count(old) == 1
    with pytest.raises(ScenarioError) as caught:
        loads(LAB.replace(old, new), "lab")
    (problem,) = caught.value.problems
    assert (problem.file, problem.key) == ("lab", key)
    assert problem.line == LAB[: LAB.index(old)].count("\n") + 1 + new.count("\n  ")
    assert said in f"{problem.reason}; {problem.hint}"


def test_a_group_that_would_stand_in_another_moves_above_it() -> None:
    group = "- {part: DGX-H100, count: 1, first_u: 3}"
    with pytest.raises(ScenarioError, match=r"2 DGX-H100 of 8 U from unit 35 reach unit 50"):
        loads(
            LAB.replace(
                group, "- {part: DGX-H100, count: 4, first_u: 3}\n            - {part: DGX-H100, count: 2}"
            )
        )


def test_a_child_scene_is_blamed_for_its_own_line() -> None:
    head = "format: twin/scenario\nversion: 3\ncatalog: '2026.11'\nextends: builtin:superpod-h100\n"
    with pytest.raises(ScenarioError) as caught:
        loads(head + "jobs:\n  - id: llama3\n    nodes: 33\n", "mine")
    assert str(caught.value).startswith(
        "mine:7: jobs[llama3].nodes = 33: is too many: the halls have 32 nodes"
    )


def test_without_time_zone_data_any_zone_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "available_timezones", set)
    assert loads(LAB.replace("Europe/Berlin", "Mars/X")).scenario.site.timezone == "Mars/X"


@pytest.mark.parametrize("name", but_largest(builtin_names()))
def test_shipped_scenes_leave_no_doubts(name: str) -> None:
    assert doubts(load(f"builtin:{name}"), load_catalog()) == []


def test_a_newer_catalogue_is_a_doubt() -> None:
    (doubt,) = doubts(loads(LAB.replace('"2026.11"', '"2031.01"')), load_catalog())
    assert (doubt.line, doubt.key) == (5, "catalog")
    assert "newer than the installed catalogue 2026.11" in doubt.reason


def test_rows_without_power_and_stages_without_rows_are_doubts() -> None:
    found = doubts(loads(LAB.replace("feeds: [gpu]", "feeds: []")), load_catalog())
    assert [doubt.key for doubt in found] == ["halls[lab].rows[gpu].id", "power[pdu].feeds"]
    assert all(doubt.line for doubt in found)


FABRIC = LAB[LAB.index("fabrics:") : LAB.index("power:")]
HARDLY_MEANT = [
    (FABRIC, "", "jobs[llama3].nodes", "not modelled, as the scene has no fabric"),
    (
        "tensor: 2",
        "tensor: 16",
        "jobs[llama3].workload.parallelism.tensor",
        "uses the fabric in every layer",
    ),
    (
        "      sequence: 8192\n",
        "      sequence: 8192\n      dataset: 1 kB\n",
        "jobs[llama3].workload.sequence",
        "larger than the data set of 1 kB",
    ),
]


@pytest.mark.parametrize(("old", "new", "key", "said"), HARDLY_MEANT)
def test_what_a_job_hardly_means_is_a_doubt(old: str, new: str, key: str, said: str) -> None:
    assert LAB.count(old) == 1
    (doubt,) = doubts(loads(LAB.replace(old, new)), load_catalog())
    assert doubt.key == key
    assert said in doubt.reason
    assert doubt.line


STREAM = """
streams:
  - id: many
    arrivals: {gap: 1 h}
    lengths: {mean: 1 h}
    sizes: {gpus: [8, 16]}
    workload: {kind: llm, model: llama3-8b, global_batch: 128, parallelism: {tensor: 2}}
"""
TRACE = """
traces:
  - id: old
    file: old.swf
    map: {gpus_per_processor: 1, workload: {kind: llm, model: llama3-8b, global_batch: 128, parallelism: {tensor: 2}}}
"""


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        (FABRIC, "", "streams[many].sizes.gpus[1]"),
        ("tensor: 2}}", "tensor: 16}}", "streams[many].workload.parallelism.tensor"),
        (FABRIC, "", "traces[old].map.workload"),
        ("tensor: 2}}", "tensor: 16}}", "traces[old].map.workload.parallelism.tensor"),
    ],
)
def test_streams_and_traces_are_doubted_as_written_jobs_are(
    tmp_path: Path, old: str, new: str, key: str
) -> None:
    swf = "1 0 0 600 16 -1 -1 16 900 -1 1 1 1 1 1 1 -1 -1\n"
    (tmp_path / "old.swf").write_text(swf)
    scene = tmp_path / "mine.twin.yaml"
    text = LAB + (STREAM.replace("[8, 16]", "[16]") if "tensor" in old else STREAM)
    text = LAB + TRACE if key.startswith("traces") else text
    assert text.count(old) == 1
    scene.write_text(text.replace(old, new))
    found = [doubt.key for doubt in doubts(load(scene), load_catalog())]
    written = ["jobs[llama3].nodes"] if old == FABRIC else []
    assert found == [*written, key]


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ("run: 700 s, limit: 700 s", ["takes 700 s, and windows of w leave 400 s: it may never start"]),
        ("", ["has no end, and windows of w leave 400 s: it may never start"]),
        ("run: 300 s, limit: 350 s", []),
    ],
)
def test_who_fits_between_no_two_windows_is_told(job: str, said: list[str]) -> None:
    end = f", {job}" if job else ""
    head = LAB[: LAB.index("jobs:")]
    text = f"""{head}jobs:
  - {{id: a, nodes: 2, workload: {{kind: load, gpu: 50 %}}{end}}}
reservations:
  - {{id: w, kind: maintenance, at: 10 s, for: 200 s, every: 600 s}}
"""
    assert [doubt.reason for doubt in doubts(loads(text), load_catalog())] == said


def test_counts_speak_english() -> None:
    assert show(load("builtin:lab-16")).startswith("# 2 racks in 1 row, 2 nodes, 16 GPUs\n")
    with pytest.raises(ScenarioError, match=r"must have at least 1 item$"):
        loads(LAB + "partitions: [{id: p, rows: []}]\n")
