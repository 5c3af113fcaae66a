"""Every ``--json`` says its format and version, and fits the schema that describes it."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from typer.testing import Result

from twin import resources
from twin.cli.app import json_formats
from twin.cli.bench.figures import FIGURES, Measured
from twin.designs.need_file import FILE_NAME as NEED_SCHEMA
from twin.lessons.lesson_file import load_lesson
from twin.lessons.lesson_schema import FILE_NAME as LESSON_SCHEMA
from twin.lessons.result import write_result
from twin.lessons.script import scripted_result
from twin.runtime.inline import run
from twin.scenario import load

Twin = Callable[..., Result]

SWF = "; UnixStartTime: 0\n1 0 10 100 8 -1 -1 8 200 -1 1 1 1 1 1 1 -1 -1\n"
CASES = """model,gpu,gpus,tp,pp,microbatch,global_batch,seq,precision,step_time_s
llama3-8b,h100,64,1,1,1,128,8192,bf16,2.0
llama3-70b,h100,512,4,4,1,512,8192,bf16,9.0
llama3-70b,h100,511,4,4,1,512,8192,bf16,
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run, a trace, a table of cases and a scene that cannot be read."""
    folder = tmp_path_factory.mktemp("json")
    run(load("builtin:lab-16").scenario, until_s=3600.0, record=folder / "lab.twinrun")
    lab = load("builtin:lab-16").scenario
    soon = tuple(asked.model_copy(update={"at_s": 600.0}) for asked in lab.interventions)
    failing = lab.model_copy(update={"interventions": soon})
    run(failing, until_s=1800.0, record=folder / "failing.twinrun")
    (folder / "jobs.swf").write_text(SWF)
    (folder / "cases.csv").write_text(CASES)
    shutil.copy(Path(__file__).parents[1] / "findings" / "empty.twin.yaml", folder)
    (folder / "bad.twin.yaml").write_text("format: twin/scenario\nversion: 3\nfoo: 1\n")
    lesson = Path(__file__).parents[1] / "lessons" / "hall.twin-lesson.yaml"
    (folder / lesson.name).write_text(lesson.read_text())
    (folder / "results").mkdir()
    done = scripted_result(load_lesson(lesson), "Ada")
    write_result(done, folder / "results" / "ada.twin-result.json")
    write_result(done.model_copy(update={"person": "Eve"}), folder / "results" / "eve.twin-result.json")
    (folder / "results" / "torn.twin-result.json").write_text("{")
    return folder


FORMATS = {format.name: format for format in json_formats()}


def closed(schema: Any) -> Any:
    """Return a schema that refuses keys it does not describe."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(part) for key, part in schema.items()}
    return {"additionalProperties": False, **made} if isinstance(schema.get("properties"), dict) else made


def wrong(name: str, said: Any) -> list[str]:
    """Return how an output does not fit the schema of its format."""
    schema = FORMATS[name].schema()
    schema = schema if name == "scenario" else closed(schema)
    return [
        f"{list(error.absolute_path)}: {error.message[:200]}"
        for error in Draft202012Validator(schema).iter_errors(said)
    ]


COMMANDS: list[Any] = [
    ("run-summary", "run lab-16 --until 1h --no-record", 0),
    ("run-summary", "run lab-16 --until 1h --no-record --seeds 3", 0),
    ("run-summary", "run mixed-workloads --until 30min --no-record", 0),
    ("run-summary", "run hybrid-burst --until 2h --no-record", 0),
    pytest.param("run-summary", "run blackout --no-record", 0, marks=pytest.mark.slow),
    ("drill", "drill lab-16 --length 30min --level light --by nothing", 0),
    ("scenario", "show lab-16", 0),
    ("site-year", "year lab-16 --place dublin --place Phoenix", 0),
    ("site-year", "year llama3-16k --load 80%", 0),
    ("check", "check lab-16", 0),
    ("check", "check bad.twin.yaml", 2),
    ("failure-table", "check llama3-16k --failures", 0),
    ("tenant-controls", "check shared-cluster --security", 0),
    ("design-rules", "check --rules", 0),
    ("scene-diff", "diff lab-16 superpod-h100", 1),
    ("growth", "grow lab-16 --to 256", 1),
    ("incidents", "incidents nvl72-row --level heavy", 0),
    ("plan", "plan superpod-h100 --model llama3-70b --gpus 256 --batch 512", 0),
    ("plan", "plan superpod-h100 --model llama3-70b --gpus 8 --batch 512", 1),
    ("estimate", "estimate cases.csv", 0),
    ("calibration", "calibrate cases.csv -o mine.yaml", 0),
    ("risk", "risk lab-16 --seeds 20 --sweep checkpoint.interval=5min,10min", 0),
    ("cost", "cost llama3-16k --samples 50", 0),
    ("cost", "cost lab.twinrun --samples 50", 0),
    ("cost", "cost empty.twin.yaml --samples 10", 0),
    ("scene-merge", "merge lab-16 lab-16 superpod-h100", 0),
    ("site-list", "bom lab-16", 0),
    ("site-list", "ports empty.twin.yaml", 0),
    ("site-list", "racks lab-16", 0),
    ("design", "design lab-16-to-256 --candidates 20", 0),
    ("questions", "ask --list", 0),
    ("answer", "ask gpus-in --part DGX-H200", 0),
    ("answer", "ask run-out lab-16", 0),
    ("answer", "ask one-more-nine --gpus 512", 0),
    ("job-trace", "jobs jobs.swf", 0),
    ("sweep", "sweep lab-16 --vary jobs[llama3].nodes=1,2,500 --seeds 2 --until 30min", 0),
    (
        "sweep",
        "sweep lab-16 --vary jobs[llama3].checkpoint.interval=5..60min --indices --points 4 --figures ettr",
        0,
    ),
    ("sweep", "sweep lab-16 --vary jobs[llama3].nodes=1,2 --optimise renewal_ettr --points 8", 0),
    pytest.param(
        "comparison",
        "compare lab-16 lab-16 --set-b jobs[llama3].checkpoint.interval=5min --seeds 2 --until 1h",
        0,
        marks=pytest.mark.slow,
    ),
    ("comparison", "compare lab.twinrun lab.twinrun --at 30min", 0),
    ("designs-compared", "compare lab-16 lab-16 superpod-h100", 0),
    ("branch", "branch lab.twinrun --at 30min -o b.twin.yaml", 0),
    ("branch", "branch lab.twinrun --at 30min -o c.twin.yaml --run c.twinrun --compare", 0),
    ("branch-tree", "branch --tree .", 0),
    ("explanation", "explain lab.twinrun", 0),
    ("incident-list", "explain lab.twinrun --list", 0),
    ("incident", "explain failing.twinrun --incident 4", 0),
    ("verification", "verify lab.twinrun", 0),
    ("catalog-list", "catalog list", 0),
    ("catalog-part", "catalog show H100-SXM", 0),
    ("catalog-part", "catalog show DGX-H100", 0),
    ("catalog-check", "catalog check", 0),
    ("lesson-list", "lesson list", 0),
    ("lesson-check", "lesson check hall.twin-lesson.yaml", 0),
    ("class-report", "lesson report results --lesson hall.twin-lesson.yaml", 1),
    ("validation", "validate dgxc-h100-bf16", 0),
]


@pytest.mark.parametrize(("name", "words", "code"), COMMANDS)
def test_the_output_of_a_command_fits_its_schema(
    twin: Twin, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: str, code: int
) -> None:
    monkeypatch.chdir(folder)
    said = json.loads(twin(*words.split(), "--json", code=code).stdout)
    assert list(said)[:2] == ["format", "version"]
    assert (said["format"], said["version"]) == (f"twin/{name}", FORMATS[name].version)
    assert wrong(name, said) == []


def test_a_recorded_run_has_the_summary_of_the_run(twin: Twin, folder: Path) -> None:
    said = json.loads(twin("show", folder / "lab.twinrun", "--json").stdout)
    assert wrong("run-summary", said) == []


def test_what_a_branch_holds_fits_too(twin: Twin, folder: Path, tmp_path: Path) -> None:
    words = ("--at", "30min", "-o", tmp_path / "d.twin.yaml", "--run", tmp_path / "d.twinrun", "--compare")
    said = json.loads(twin("branch", folder / "lab.twinrun", *words, "--json").stdout)
    head = {"format": "twin/run-summary", "version": 1}
    summary = {**said["summary"], "app_version": said["summary"]["version"], **head}
    assert wrong("run-summary", summary) == []
    comparison = {"format": "twin/comparison", "version": 1, **said["comparison"]}
    assert comparison.pop("answer")
    assert wrong("comparison", comparison) == []


def test_bench_fits_its_schema(twin: Twin, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = [Measured(figure, figure.goal, None if figure.load == "" else 1.0) for figure in FIGURES]
    monkeypatch.setattr("twin.cli.display.has_display", lambda: False)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("twin.cli.bench.command.measure", lambda renderer: measured)
    said = json.loads(twin("bench", "--json").stdout)
    assert wrong("bench", said) == []


def test_every_format_is_tested_and_has_a_schema_that_names_it() -> None:
    told = {getattr(one, "values", one)[0] for one in COMMANDS}
    assert told | {"bench"} == FORMATS.keys()
    for one in FORMATS.values():
        schema = one.schema()
        if one.name != "scenario":  # large, and checked where it is made
            Draft202012Validator.check_schema(schema)
        head = schema["properties"]
        assert (head["format"]["const"], head["version"]["const"]) == (one.id, one.version), one.name
        assert {"format", "version"} <= set(schema["required"]), one.name
        assert schema["title"], one.name


def test_no_schema_is_left_over() -> None:
    files = {path.name for path in (resources.folder("assets") / "schema").iterdir()}
    assert files == {one.file for one in FORMATS.values()} | {LESSON_SCHEMA, NEED_SCHEMA}


def undescribed(schema: Any, path: str = "") -> Iterator[str]:
    """Yield keys that a schema does not describe."""
    for key, part in schema.get("properties", {}).items():
        if not part.get("description") and "$ref" not in part:
            yield f"{path}.{key}"
        yield from undescribed(part, f"{path}.{key}")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from undescribed(schema[key], f"{path}[]")
    for name, part in schema.get("$defs", {}).items():
        yield from undescribed(part, name)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "scenario"])
def test_every_key_is_described(name: str) -> None:
    schema = FORMATS[name].schema()
    assert schema["description"]
    assert list(undescribed(schema)) == []
    units = {"_s": "[s", "_w": "[W", "_j": "[J]", "_c": "°C", "_bytes": "[B]", "_usd": "USD"}
    for key, text in re.findall(
        r'"(\w+)": \{\s*"description": "([^"]*)"', json.dumps(schema, ensure_ascii=False)
    ):
        ending = next((one for one in units if key.endswith(one)), "")
        many = key.endswith(("_per_s", "bytes_s", "gpu_s", "_w_s")) or key in ("by_loop", "loss_by_stage_j")
        if ending and not many:
            assert units[ending] in text, (key, text)


def test_every_format_is_in_the_table_of_commands() -> None:
    modules = (Path(resources.__file__).parent / "cli").rglob("*.py")
    nodes = (node for path in modules for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    calls = [
        node for node in nodes if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "JsonFormat"
    ]
    assert sorted(ast.literal_eval(call.args[0]) for call in calls) == sorted(FORMATS)
