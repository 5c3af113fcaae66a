"""Loading: scenes, errors with place and help, versions, inheritance, limits."""

import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from usual_cases import but_largest

from twin.catalog import load_catalog
from twin.scenario import NewerVersion, Problem, Scenario, ScenarioError, load, loads
from twin.scenario.file.effective_text import show
from twin.scenario.generators.expand import counts, label, rows
from twin.scenario.reading.extend import builtin_names

HEAD = 'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\n'
SMALL = (
    HEAD
    + """title: Small
halls:
  - id: hall
    rows:
      - id: gpu
        racks: {count: 2, nodes: [{part: DGX-H100, count: 2}]}
"""
)
LAB = load("builtin:lab-16").text


def problems(text: str, name: str = "x.twin.yaml", folder: Path | None = None) -> tuple[Problem, ...]:
    with pytest.raises(ScenarioError) as caught:
        loads(text, name, folder)
    return caught.value.problems


def only(text: str, folder: Path | None = None) -> Problem:
    found = problems(text, folder=folder)
    assert len(found) == 1, found
    return found[0]


def test_the_scenes_hold_what_they_say() -> None:
    catalog = load_catalog()
    made = {name: counts(load(f"builtin:{name}").scenario, catalog) for name in builtin_names()}
    assert {name: (one.nodes, one.gpus) for name, one in made.items()} == {
        "lab-16": (2, 16),
        "superpod-h100": (32, 256),
        "llama3-16k": (2048 + 96, 17_152),
        "campus-100k": (25_920, 103_680),
        "campus-1m": (259_200, 1_036_800),
        "nvl72-row": (144, 576),
        "video-ingest": (64, 512),
        "hybrid-burst": (16, 128),
        "mixed-workloads": (16, 128),
        "ethernet-tcp": (32, 256),
        "fat-tree-1k": (128, 1024),
        "frontier": (9472, 37_888),
        "recovery-policies": (72, 576),
        "repair-shop": (64, 512),
        "pump-trip": (144, 576),
        "blackout": (144, 576),
        "shared-cluster": (64, 512),
    }
    for name in builtin_names():
        scenario = load(f"builtin:{name}").scenario
        assert scenario.notes
        assert scenario.sources
        assert scenario.catalog == catalog.version


def test_llama3_rates_are_the_published_counts() -> None:
    causes = load("builtin:llama3-16k").scenario.failures.causes
    exposure_s = 54 * 86400 * 2048
    counted = {cause.id: cause.per_node_s * exposure_s for cause in causes}
    assert counted["faulty_gpu"] == pytest.approx(148, rel=1e-12)
    assert counted.pop("planned_maintenance") == pytest.approx(47, rel=1e-12)
    assert sum(counted.values()) == pytest.approx(419, rel=1e-12)
    assert len(counted) == 18
    restart = {cause.id for cause in causes if cause.repair == "restart"}
    assert restart == {"software_bug", "dependency", "nccl_watchdog_timeouts"}
    assert [cause.id for cause in causes if cause.planned] == ["planned_maintenance"]


def test_llama3_causes_are_those_of_the_reference_table() -> None:
    table = Path(__file__).parents[2].parent / "shared" / "reference" / "llama3_interruptions.csv"
    if not table.exists():
        pytest.skip("reference tables are not here")
    lines = [line.split(",") for line in table.read_text().splitlines()[1:]]
    snake = {
        "".join(c if c.isalnum() else " " for c in line[0].lower()): int(line[2]) for line in lines if line[2]
    }
    published = {"_".join(name.split()): count for name, count in snake.items() if "total" not in name}
    causes = load("builtin:llama3-16k").scenario.failures.causes
    exposure_s = 54 * 86400 * 2048
    assert {cause.id: round(cause.per_node_s * exposure_s, 9) for cause in causes} == published


def test_ids_labels_and_overrides_of_expanded_items() -> None:
    text = SMALL + "    overrides: {gpu/0/1/0: {absent: true}, gpu/0/0/1: {part: DGX-A100, drained: true}}\n"
    (row,) = rows(loads(text).scenario, load_catalog())
    assert (row.id, row.label) == ("gpu/0", "ROW A")
    assert [rack.id for rack in row.racks] == ["gpu/0/0", "gpu/0/1"]
    assert [node.id for rack in row.racks for node in rack.nodes] == ["gpu/0/0/0", "gpu/0/0/1", "gpu/0/1/1"]
    assert [node.part for node in row.racks[0].nodes] == ["DGX-H100", "DGX-A100"]
    assert [node.drained for node in row.racks[0].nodes] == [False, True]
    generator = loads(SMALL).scenario.halls[0].rows[0]
    assert [label(generator, index) for index in (0, 25, 26, 701)] == ["ROW A", "ROW Z", "ROW AA", "ROW ZZ"]


def leaves(value: Any, place: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        return {k: v for key, one in value.items() for k, v in leaves(one, f"{place}.{key}").items()}
    if isinstance(value, list | tuple):
        return {k: v for n, one in enumerate(value) for k, v in leaves(one, f"{place}[{n}]").items()}
    return {place: value}


@pytest.mark.parametrize("name", but_largest(builtin_names()))
def test_show_gives_the_effective_scene_that_loads_again(name: str) -> None:
    document = load(f"builtin:{name}")
    text = show(document)
    before, after = (leaves(one.model_dump()) for one in (document.scenario, loads(text).scenario))
    assert before.keys() == after.keys()
    for place, value in before.items():
        if place == ".extends":
            continue  # what is shown stands alone
        expected = pytest.approx(value, rel=1e-11) if isinstance(value, float) else value
        assert after[place] == expected, place
    assert text.startswith("# ")
    assert "watchdog: 10 min" in text


@pytest.mark.parametrize(
    ("old", "new", "key", "said"),
    [
        ("pause: 20 s", "pauze: 20 s", "jobs[llama3].checkpoint.pauze", "did you mean 'pause'"),
        ("pause: 20 s", "pause: 20", "jobs[llama3].checkpoint.pause", "no unit"),
        ("pause: 20 s", "pause: 20 W", "jobs[llama3].checkpoint.pause", "a duration such as '10 min'"),
        ("pause: 20 s", "pause: -20 s", "jobs[llama3].checkpoint.pause", "at least 0 s"),
        ("pause: 20 s", "pause: 3 day", "jobs[llama3].checkpoint.pause", "at most 1 d"),
        ("interval: 30 min", "interval: dali", "jobs[llama3].checkpoint.interval", "did you mean 'daly'"),
        ("interval: 30 min", "interval: 0 s", "jobs[llama3].checkpoint.interval", "more than 0 s"),
        ("nodes: 2", 'nodes: "2"', "jobs[llama3].nodes", "whole number"),
        ("nodes: 2", "nodes: 2.5", "jobs[llama3].nodes", "whole number"),
        ("tenant: chair", "tenant: chairs", "jobs[llama3].tenant", "did you mean 'chair'"),
        ("part: QM9700", "part: QM9800", "fabrics[ib].leaf.part", "did you mean 'QM9700'"),
        ("part: QM9700", "part: DGX-H100", "fabrics[ib].leaf.part", "is a node, not a switch"),
        ("from: utility", "from: pdu", "power[pdu].from", "supplies itself"),
        ("kind: llm", "kind: lmm", "jobs[llama3].workload.kind", "did you mean 'llm'"),
        ('"2026.11"', "2026.11", "catalog", "put it in quotes"),
        ("start: 2026-01-05T00:00+01:00", "start: 2026-01-05", "start", "2026-01-05T00:00+01:00"),
        ("start: 2026-01-05T00:00+01:00", "start: 2026-01-05T00:00", "start", "offset"),
        ("id: crah, kind: air", "id: lab, kind: air", "cooling.loops[lab].id", "is a duplicate"),
        (
            "target: gpu/0/1/0",
            "target: gpu/0/7/0",
            "interventions[bus-error].target",
            "has 2 racks in a row",
        ),
        (
            "cause: faulty_gpu",
            "cause: faulty",
            "interventions[bus-error].cause",
            "did you mean 'faulty_gpu'",
        ),
    ],
)
def test_mistakes_are_named_with_place_and_help(old: str, new: str, key: str, said: str) -> None:
    line = LAB[: LAB.index(old)].count("\n") + 1
    found = only(LAB.replace(old, new, 1))
    assert (found.line, found.key) == (line, key)
    assert said in f"{found.reason}; {found.hint}"
    assert str(found).startswith(f"x.twin.yaml:{line}: {key}")


def test_all_mistakes_are_told_at_once_in_order() -> None:
    text = LAB.replace("nodes: 2", "nodes: 0").replace("duration: 1 day", "duration: 1 dai")
    assert [problem.key for problem in problems(text)] == ["duration", "jobs[llama3].nodes"]


def test_a_missing_key_is_told_where_it_belongs() -> None:
    found = only(SMALL.replace("part: DGX-H100, ", ""))
    assert (found.key, found.line) == ("halls[hall].rows[gpu].racks.nodes[0]", 9)
    assert "needs the key 'part'" in found.reason


def test_a_newer_version_names_what_is_needed() -> None:
    with pytest.raises(NewerVersion, match="newer gpu-twin") as caught:
        loads(SMALL.replace("version: 3", "version: 4"))
    assert caught.value.needed == 4
    assert caught.value.problems[0].line == 2


@pytest.mark.parametrize("said", ["0", '"1"', "1.0", "true", "-3", "one"])
def test_other_versions_are_no_versions(said: str) -> None:
    assert only(SMALL.replace("version: 3", f"version: {said}")).reason == "must be 3"


def test_yaml_is_1_2() -> None:
    text = SMALL.replace("title: Small", "title: no")
    assert loads(text).scenario.title == "no"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("- a\n", "has no keys"),
        ("a: 1\na: 2\n", "is a duplicate key"),
        ("a: !!python/object:os.system x\n", "YAML tag"),
        ("a: &x [*x]\n", "contains itself"),
        ("a: *x\n", "does not exist"),
        ("a: " + "[" * 60, "deeper than 40"),
        ("a: &a [1]\nb: [" + "*a, " * 101 + "1]\n", "alias too many"),
        ("a: .inf\n", "finite"),
        ("a: 1\n---\nb: 2\n", "second YAML document"),
        ("? [a]\n: 1\n", "keys are words"),
        ("a:\n\tb: 1\n", "not tabs"),
        ("a: b\rc: d\n", "U+000D"),
        ("\ufefftitle: x\n", "U+FEFF"),
        ('a: "\\ud800"\n', "half a character"),
        ("a: " + "9" * 40 + "\n", "too many digits"),
    ],
)
def test_texts_that_are_no_scenario(text: str, said: str) -> None:
    assert said in str(only(text))


def test_size_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "big.twin.yaml"
    path.write_bytes(b"#" * 2_000_001)
    with pytest.raises(ScenarioError, match="too large"):
        load(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="No such file"):
        load(tmp_path / "none.twin.yaml")
    with pytest.raises(ScenarioError, match="is not a regular file"):
        load(tmp_path)
    with pytest.raises(ScenarioError, match="did you mean builtin:lab-16"):
        load("builtin:lab-61")


def test_errors_travel_between_processes() -> None:
    with pytest.raises(ScenarioError) as caught:
        loads("a: [")
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.problems == caught.value.problems


# Inheritance -----------------------------------------------------------------------------------------------


def child_of(base: str, rest: str = "") -> str:
    return f"{HEAD}extends: {base}\n{rest}"


def test_a_variant_says_only_what_differs() -> None:
    rest = (
        "title: Slower\njobs:\n  - id: llama3\n    checkpoint: {pause: 1 min}\n  - id: second\n    nodes: 1\n"
    )
    rest += "    workload: {kind: llm, model: llama3-8b, global_batch: 8}\n"
    scenario = loads(child_of("builtin:lab-16", rest)).scenario
    base = load("builtin:lab-16").scenario
    assert scenario.title == "Slower"
    assert [job.id for job in scenario.jobs] == ["llama3", "second"]
    assert scenario.jobs[0].checkpoint.pause_s == 60.0
    assert scenario.jobs[0].checkpoint.interval == base.jobs[0].checkpoint.interval
    assert scenario.halls == base.halls


def test_a_variant_of_a_variant(tmp_path: Path) -> None:
    (tmp_path / "a.twin.yaml").write_text(SMALL)
    (tmp_path / "b.twin.yaml").write_text(child_of("a.twin.yaml", "seed: 5\n"))
    (tmp_path / "c.twin.yaml").write_text(child_of("b.twin.yaml", "title: Third\n"))
    document = load(tmp_path / "c.twin.yaml")
    assert (document.scenario.title, document.scenario.seed) == ("Third", 5)
    assert [source.name for source in document.files] == ["c.twin.yaml", "b.twin.yaml", "a.twin.yaml"]
    shown = loads(show(document)).scenario
    assert (shown.title, shown.seed, shown.extends) == ("Third", 5, None)


def test_another_kind_of_workload_replaces_the_whole() -> None:
    vision = "{kind: vision, model: v, sample_flop: 1.0e+9, parameters: 1.0e+6, batch_per_gpu: 1, "
    vision += "sample: 1 MB, dataset: 1 TB}"
    rest = f"jobs:\n  - id: llama3\n    workload: {vision}\n"
    assert loads(child_of("builtin:lab-16", rest)).scenario.jobs[0].workload.kind == "vision"


def test_problems_point_into_the_file_that_has_them(tmp_path: Path) -> None:
    (tmp_path / "a.twin.yaml").write_text(SMALL.replace("count: 2,", "count: -2,"))
    found = only(child_of("a.twin.yaml", "seed: 5\n"), tmp_path)
    assert (found.file, found.line) == ("a.twin.yaml", 9)
    (tmp_path / "a.twin.yaml").write_text(SMALL)
    found = only(
        child_of("a.twin.yaml", "halls:\n  - id: hall\n    rows:\n      - {id: gpu, cont: 3}\n"), tmp_path
    )
    assert (found.file, found.line, found.key) == ("x.twin.yaml", 8, "halls[hall].rows[gpu].cont")


def test_extends_stays_in_its_folder(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "outside.twin.yaml").write_text(SMALL)
    os.symlink(tmp_path / "outside.twin.yaml", inside / "link.twin.yaml")
    for base in ("../outside.twin.yaml", "link.twin.yaml", str(tmp_path / "outside.twin.yaml")):
        found = only(child_of(base), inside)
        assert (found.key, found.line) == ("extends", 4)
        assert "folder of this file" in found.reason


def test_extends_does_not_go_in_circles(tmp_path: Path) -> None:
    (tmp_path / "a.twin.yaml").write_text(child_of("b.twin.yaml"))
    (tmp_path / "b.twin.yaml").write_text(child_of("a.twin.yaml"))
    with pytest.raises(ScenarioError, match="forms a cycle"):
        load(tmp_path / "a.twin.yaml")


def test_extends_names_something_that_exists(tmp_path: Path) -> None:
    (tmp_path / "base.twin.yaml").write_text(SMALL)
    assert "did you mean base.twin.yaml" in only(child_of("bse.twin.yaml"), tmp_path).hint
    assert "did you mean builtin:lab-16" in only(child_of("builtin:lab-17")).hint
    assert "no folder" in only(child_of("base.twin.yaml")).reason


def test_python_code_gives_plain_si_numbers() -> None:
    made = Scenario.model_validate({**loads(SMALL).scenario.model_dump(), "duration_s": 60.0})
    assert made.duration_s == 60.0


@pytest.mark.benchmark(group="scenario")
def test_loading_llama3_16k(benchmark: Any) -> None:
    """Promise: 150 ms."""
    load_catalog()
    assert benchmark(load, "builtin:llama3-16k").scenario.title


def test_a_control_character_is_told_where_it_stands() -> None:
    with pytest.raises(ScenarioError) as caught:
        load(Path(__file__).parents[1] / "findings" / "u0080.twin.yaml")
    (problem,) = caught.value.problems
    assert (problem.line, problem.key) == (114, "tenant")
    assert "U+0080" in problem.reason


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_no_scene_to_extend(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.twin.yaml")
    child = tmp_path / "child.twin.yaml"
    child.write_text("format: twin/scenario\nversion: 3\ncatalog: '2026.11'\nextends: pipe.twin.yaml\n")
    with pytest.raises(ScenarioError, match=r"names 'pipe.twin.yaml', which is not a regular file"):
        load(child)
