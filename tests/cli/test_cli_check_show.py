from __future__ import annotations

import json
from pathlib import Path

import pytest
from usual_cases import usually

from twin.scenario import load, loads
from twin.scenario.reading.extend import builtin_names

HEAD = "format: twin/scenario\nversion: 3\ncatalog: '2026.11'\nextends: builtin:lab-16\ntitle: Mine\n"


@pytest.fixture
def scene(tmp_path: Path):
    def write(more: str) -> str:
        (tmp_path / "mine.twin.yaml").write_text(HEAD + more)
        return str(tmp_path / "mine.twin.yaml")

    return write


def of(report: str) -> list[dict]:
    """Return the findings that count."""
    return [
        one for one in json.loads(report)["findings"] if one["severity"] != "notice" and not one["excluded"]
    ]


@pytest.mark.parametrize(
    "name", usually(builtin_names(), [n for n in builtin_names() if not n.startswith("campus")])
)
def test_shipped_scenes_pass(twin, name: str) -> None:
    assert "nothing found" in twin("check", name).stdout


def test_a_job_without_nodes_enough_cannot_be_read(twin, scene) -> None:
    file = scene("jobs:\n  - {id: llama3, nodes: 99}\n")
    for command in ("check", "run"):
        assert "mine.twin.yaml:7: jobs[llama3].nodes = 99: is too many" in twin(command, file, code=2).stderr


def test_a_job_that_does_not_fit_in_memory_is_a_finding(twin, scene) -> None:
    file = scene(
        "jobs:\n  - {id: llama3, workload: {kind: llm, model: llama3-405b, parallelism: {tensor: 8}}}\n"
    )
    (found,) = of(twin("check", file, "--json", code=1).stdout)
    assert (found["line"], found["key"]) == (7, "jobs[llama3].workload.parallelism")
    assert (found["rule"], found["severity"], found["ids"]) == ("job-fits", "error", ["llama3"])
    assert "GB usable on a GPU" in found["reason"]
    said = twin("run", file, "--until", "1 min", "--no-record").stderr
    assert said.count("\n") == 1
    assert "warning: " in said
    assert "GB usable on a GPU" in said
    run = ("run", file, "--until", "1 min", "--no-record")
    (job,) = json.loads(twin(*run, "--json").stdout)["jobs"]
    assert job["fits"] is False
    assert "GB usable on a GPU" in job["reason"]
    assert "does not fit: " in twin(*run).stdout


def test_a_job_whose_nodes_no_fabric_joins_is_a_finding_and_no_run(twin, scene) -> None:
    leaf = "leaf: {part: QM9700, count: 2}"
    links = "links: [{from: gpu/0/0/0, to: ib/0/0, cables: 8}, {from: gpu/0/1/0, to: ib/0/1, cables: 8}]"
    file = scene(
        f"fabrics:\n  - {{id: ib, kind: explicit, {leaf}, {links}}}\njobs:\n  - id: llama3\n    nodes: 2\n"
    )
    apart, found = of(twin("check", file, "--json", code=1).stdout)
    assert apart["rule"] == "node-unreachable"
    assert (found["line"], found["key"], found["said"]) == (10, "jobs[llama3].nodes", "2")
    assert "no fabric joins more than 1 of the 2 the job may use" in found["reason"]
    assert "at most 1 node would do" in found["hint"]
    said = twin("run", file, "--no-record", code=2).stderr
    assert said.startswith(f"error: {file}: the number of nodes of job 'llama3' is too large")
    assert said.count("\n") == 1
    said = twin("plan", file, "--model", "llama3-8b", code=2).stderr
    assert "16 GPUs are more than the 8 that a fabric of the scene joins" in said


def test_a_scene_without_a_fabric_is_a_doubt_and_the_run_says_so(twin, scene, tmp_path: Path) -> None:
    text = load("builtin:lab-16").text
    file = tmp_path / "bare.twin.yaml"
    file.write_text(text[: text.index("fabrics:")] + text[text.index("power:") :], encoding="utf-8")
    (found,) = of(twin("check", file, "--json", code=1).stdout)
    assert (found["rule"], found["key"], found["said"]) == ("fabric-missing", "jobs[llama3].nodes", "2")
    text = " ".join(twin("run", file, "--until", "10 min", "--no-record").stdout.split())
    assert "network: the scene has no fabric" in text
    (job,) = json.loads(twin("run", file, "--until", "10 min", "--no-record", "--json").stdout)["jobs"]
    assert job["network"] is None
    assert job["fits"] is True


def test_doubts_are_findings_with_file_line_and_key(twin, scene) -> None:
    file = scene("power:\n  - {id: pdu, feeds: []}\n")
    said = of(twin("check", file, "--json", code=1).stdout)
    assert ("mine.twin.yaml", 7, "power[pdu].feeds") in [
        (one["file"], one["line"], one["key"]) for one in said
    ]
    assert "feeds of pdu feeds nothing" in " ".join(twin("check", file, code=1).stdout.split())


def test_an_unreadable_scene_is_exit_code_2_with_file_line_and_key(twin, scene) -> None:
    file = scene("duration: 3 kW\n")
    assert "mine.twin.yaml:6: duration" in twin("check", file, code=2).stderr
    found = json.loads(twin("check", file, "--json", code=2).stdout)
    assert found["readable"] is False
    assert (found["findings"][0]["line"], found["findings"][0]["key"]) == (6, "duration")


def test_every_problem_is_told(twin, scene) -> None:
    said = twin("check", scene("duration: 3 kW\nseed: -1\n"), code=2).stderr.splitlines()
    assert len(said) == 2


def test_show_prints_a_scene_that_loads_as_the_same(twin, scene) -> None:
    shown = loads(twin("show", scene("seed: 5\n")).stdout).scenario
    assert (shown.title, shown.seed, shown.extends) == ("Mine", 5, None)
    assert shown.jobs[0].id == "llama3"


def test_show_json(twin) -> None:
    assert json.loads(twin("show", "lab-16", "--json").stdout)["format"] == "twin/scenario"


def test_the_scene_in_the_help_is_a_scene(twin, help_page, tmp_path: Path) -> None:
    (tmp_path / "help.twin.yaml").write_text(help_page("scenes").split("```yaml\n")[1].split("```")[0])
    assert "nodes 2,096" in twin("check", tmp_path / "help.twin.yaml").stdout


def test_catalog_list_show_and_check(twin) -> None:
    rows = json.loads(twin("catalog", "list", "--kind", "gpu", "--json").stdout)["parts"]
    assert {"A100-SXM-80", "H100-SXM"} & {row["id"] for row in rows}
    assert all(row["kind"] == "gpu" for row in rows)
    tdp = [
        row
        for row in json.loads(twin("catalog", "show", "H100-SXM", "--json").stdout)["values"]
        if row["key"] == "tdp_w"
    ]
    assert (tdp[0]["value"], tdp[0]["unit"]) == (700.0, "W")
    assert tdp[0]["source"]
    assert "700 W" in twin("catalog", "show", "H100-SXM").stdout
    assert "H100-SXM" in twin("catalog", "list").stdout
    twin("catalog", "check")
    assert "Example: twin catalog" in twin("catalog", "--help").stdout


@pytest.mark.parametrize("words", [("show", "H100-SMX"), ("list", "--kind", "gpus")])
def test_catalog_offers_the_nearest_name(twin, words: tuple[str, ...]) -> None:
    assert "did you mean" in twin("catalog", *words, code=2).stderr
