"""Own parts and models on the command line: check, run, verify, plan, cost, diff, and the commands of the catalogue."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests import own_scene
from tests.catalog.test_netbox import SWITCH
from twin.app.session.recording import read_recording
from twin.cli.app import app
from twin.record.reader import Reader

ask = partial(CliRunner().invoke, app, catch_exceptions=False)


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return own_scene.write(tmp_path_factory.mktemp("toys"))


def said(*words: str) -> Any:
    result = ask([*words, "--json"])
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout)


def test_check_tells_own_parts_models_and_borrowed_profiles(toys: Path) -> None:
    found = said("check", str(toys))["findings"]
    by_rule: dict[str, list[str]] = {}
    for finding in found:
        by_rule.setdefault(finding["rule"], []).append(finding["reason"])
    assert by_rule["own-part"] == [
        "own part TOY-GPU, parts/gpu.yaml:6: 5 published, 3 derived, 7 recalled, 17 estimated",
        "own part TOY-NODE, parts/node.yaml:6: 5 published, 18 unverified",
        "own model toy-llama, models/Toy-Llama/config.json:1: published, config.json as published: "
        "models/Toy-Llama/config.json",
        "own model toy-1b, models/toy.yaml:2: estimated, made up for tests",
    ]
    (borrowed,) = by_rule["borrowed-profile"]
    assert borrowed.startswith("No calibration profile is for TOY-GPU: step times are those of A100-SXM-80")
    assert not any(finding["severity"] == "error" for finding in found)
    assert "own-part-figures" not in by_rule


def test_check_warns_of_figures_that_cannot_be_true(toys: Path, tmp_path: Path) -> None:
    path = own_scene.write(tmp_path)
    text = own_scene.gpu_text().replace("slowdown: {value: 89 degC", "slowdown: {value: 99 degC")
    (tmp_path / "parts" / "gpu.yaml").write_text(text)
    result = said("check", str(path))
    (found,) = [finding for finding in result["findings"] if finding["rule"] == "own-part-figures"]
    assert found["severity"] == "warning"
    assert "TOY-GPU" in found["reason"]
    assert "compare parts/gpu.yaml:6 with the data sheet" in found["fix"]


def test_a_run_remembers_its_parts_and_is_verified_without_their_folder(toys: Path, tmp_path: Path) -> None:
    path, run = own_scene.write(tmp_path / "a"), tmp_path / "a.twinrun"
    assert ask(["run", str(path), "--until", "20 min", "--out", str(run)]).exit_code == 0
    (path.parent / "parts" / "gpu.yaml").unlink()
    verified = ask(["verify", str(run)])
    assert verified.exit_code == 0, verified.output
    with Reader(run) as reader:
        assert {"parts/gpu.yaml", "parts/node.yaml", "models/toy.yaml"} <= set(reader.header.inputs)
    assert own_scene.NODE in read_recording(run).plant.node_parts  # as the window opens it
    summary = ask(["run", str(toys), "--until", "20 min", "--no-record", "--json"])
    (job,) = json.loads(summary.stdout)["jobs"]
    assert job["steps"] > 100
    assert job["standing"] == "not calibrated"
    assert any("No calibration profile is for TOY-GPU" in doubt for doubt in job["low_confidence"])


def test_a_branch_whose_parts_have_changed_since_its_run_says_so(tmp_path: Path) -> None:
    path, run, branch = own_scene.write(tmp_path), tmp_path / "a.twinrun", tmp_path / "b.twin.yaml"
    assert ask(["run", str(path), "--until", "10 min", "--out", str(run)]).exit_code == 0
    assert ask(["branch", str(run), "--at", "5 min", "-o", str(branch)]).exit_code == 0
    again = ["run", str(branch), "--until", "10 min", "--no-record"]
    assert "own parts" not in ask(again).output
    (tmp_path / "parts" / "gpu.yaml").write_text(own_scene.gpu_text(tdp_w=650.0))
    assert "The own parts or models beside this branch are others than those of its run" in ask(again).output


def test_plan_takes_own_models_on_own_gpus(toys: Path) -> None:
    for model in ("toy-1b", "toy-llama"):
        found = said("plan", str(toys), "--model", model, "--top", "2")
        assert found["model"] == model
        assert found["gpu"] == own_scene.GPU
        assert found["profile"] == "a100@TOY-GPU"
        assert "No calibration profile is for TOY-GPU" in found["worth"]
        assert found["plans"][0]["step_s"] > 0.0
    refused = ask(["plan", str(toys), "--model", "toy-2b"])
    assert refused.exit_code == 2


def test_cost_takes_the_price_of_the_part(toys: Path, tmp_path: Path) -> None:
    dear = own_scene.write(tmp_path)
    text = (tmp_path / "parts" / "node.yaml").read_text().replace("value: 400000.0", "value: 500000.0")
    (tmp_path / "parts" / "node.yaml").write_text(text)
    totals = [said("cost", str(path), "--samples", "100")["capital"] for path in (toys, dear)]
    likely = [total["total_usd"]["likely"] for total in totals]
    assert likely[1] > likely[0] + 4 * 90_000


def test_a_price_below_what_is_in_a_node_is_refused(tmp_path: Path) -> None:
    path = own_scene.write(tmp_path)
    text = (tmp_path / "parts" / "node.yaml").read_text()
    (tmp_path / "parts" / "node.yaml").write_text(
        text.replace("400000.0", "100000.0").replace("280000.0", "90000.0")
    )
    result = ask(["catalog", "check", str(tmp_path)])
    assert result.exit_code == 1
    assert "costs less than what is in it" in result.stdout
    assert "own-part-figures" in {finding["rule"] for finding in said("check", str(path))["findings"]}


def test_diff_names_the_figure(toys: Path, tmp_path: Path) -> None:
    other = own_scene.write(tmp_path)
    (tmp_path / "parts" / "gpu.yaml").write_text(own_scene.gpu_text(tdp_w=650.0))
    (found,) = said("diff", str(toys), str(other))["differences"]
    assert (found["path"], found["before"], found["after"]) == ("own_parts[TOY-GPU].tdp", "600 W", "650 W")


def test_the_catalogue_lists_and_shows_own_parts(toys: Path) -> None:
    folder = str(toys.parent)
    rows = {row["id"]: row for row in said("catalog", "list", "--own", folder)["parts"]}
    assert rows[own_scene.NODE]["unverified"] == 18
    values = {row["key"]: row for row in said("catalog", "show", own_scene.NODE, "--own", folder)["values"]}
    assert values["max_w"]["status"] == "published"
    assert values["weight_kg"]["status"] == "unverified"
    assert ask(["catalog", "check", folder]).stdout == "2 parts, 2 own models: nothing found\n"


def test_a_device_type_becomes_a_part_of_the_folder_and_stands_in_a_scene(tmp_path: Path) -> None:
    path = own_scene.write(tmp_path)
    device = tmp_path / "ax64.yaml"
    device.write_text(SWITCH)
    words = ["catalog", "import-netbox", str(device), "--like", "QM9700", "-o", str(tmp_path / "parts")]
    told = ask(words).stdout
    assert "acme-ax64.yaml" in told
    assert "missing" in told
    again = ask(words)
    assert again.exit_code == 2
    assert "is there already" in again.output
    path.write_text(own_scene.scene_text().replace("spine: {part: QM9700}", "spine: {part: acme-ax64}"))
    assert "own part acme-ax64" in str(said("check", str(path))["findings"])


def test_a_shipped_part_is_copied_to_be_changed(tmp_path: Path) -> None:
    words = ["catalog", "copy", "H100-SXM", "--as", "MY-GPU", "-o", str(tmp_path / "parts")]
    assert ask(words).exit_code == 0
    assert "  MY-GPU:\n" in (tmp_path / "parts" / "MY-GPU.yaml").read_text()
    taken = ask(["catalog", "copy", "H100-SXM", "--as", "H200-SXM", "-o", str(tmp_path / "parts")])
    assert taken.exit_code == 2
    assert "is already at" in taken.output
    assert not (tmp_path / "parts" / "H200-SXM.yaml").exists()
