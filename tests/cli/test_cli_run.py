from __future__ import annotations

import json
from pathlib import Path

import pytest

from twin.app.session.recording import read_recording

KEYS = {
    "scene", "seed", "gpus", "nodes", "app_version", "inputs_hash", "simulated_s", "wall_s", "cpu_s", "peak_rss_bytes",
    "events", "event_hash", "interruptions", "ettr", "goodput", "ledger_gpu_s", "energy", "power", "pue", "water_l",
    "thermal", "jobs",
}  # fmt: skip
INSIDE = {
    "interruptions": {"unexpected", "planned", "by_cause"},
    "energy": {"it_j", "facility_j", "heat_j", "outside_j", "stored_j", "residual"},
    "power": {"it_mean_w", "it_max_w", "facility_mean_w", "facility_max_w", "loss_w"},
    "thermal": {"gpu_max_c", "throttle_gpu_s", "by_loop"},
}
JOB = {
    "id",
    "submit_s",
    "start_s",
    "end_s",
    "gpus",
    "state",
    "steps",
    "step_s",
    "step_parts_s",
    "mfu",
    "lost_s",
}


def test_json_is_the_documented_object_and_nothing_else(twin) -> None:
    result = twin("run", "lab-16", "--until", "6 h", "--seed", "7", "--json")
    summary = json.loads(result.stdout)
    assert set(summary) >= KEYS
    for key, inside in INSIDE.items():
        assert set(summary[key]) >= inside, key
    assert set(summary["jobs"][0]) >= JOB | {"interruptions"}
    assert {"id", "gpu_max_c", "throttle_gpu_s", "shutdown_gpus"} <= set(summary["thermal"]["by_loop"][0])
    assert (summary["seed"], summary["gpus"], summary["nodes"]) == (7, 16, 2)
    assert summary["simulated_s"] == pytest.approx(6 * 3600)
    assert sum(summary["ledger_gpu_s"].values()) == pytest.approx(16 * 6 * 3600, rel=1e-9)
    energy = summary["energy"]
    assert energy["residual"] < 1e-9
    for parts in (("it_j", "cooling_j", "loss_j"), ("heat_j", "outside_j", "loss_j", "stored_j")):
        assert sum(energy[part] for part in parts) == pytest.approx(energy["facility_j"], rel=1e-9)


def test_the_help_documents_every_key(twin, help_page) -> None:
    summary = json.loads(twin("run", "lab-16", "--until", "1 h", "--json").stdout)
    inside = [
        key for value in (*summary.values(), *summary["jobs"]) if isinstance(value, dict) for key in value
    ]
    ignored = {
        *summary["ledger_gpu_s"],
        *summary["interruptions"]["by_cause"],
        *summary["jobs"][0]["step_parts_s"],
    }
    for key in {*summary, *inside, *summary["jobs"][0]} - ignored:
        assert f"`{key}`" in help_page("summary"), key


def test_a_run_is_the_same_recorded_or_not(twin, tmp_path: Path) -> None:
    words = ("run", "lab-16", "--until", "12 h", "--json")
    recorded = json.loads(twin(*words, "--out", str(tmp_path / "a.twinrun")).stdout)
    bare = json.loads(twin(*words, "--no-record").stdout)
    assert recorded["event_hash"] == bare["event_hash"]
    assert (recorded["run_file"], bare["run_file"]) == (str(tmp_path / "a.twinrun"), None)


def test_every_run_leaves_a_run_file_in_the_state_folder(twin, state_folder: Path) -> None:
    summary = json.loads(twin("run", "lab-16", "--until", "1 h", "--json").stdout)
    assert Path(summary["run_file"]).is_file()
    assert Path(summary["run_file"]).is_relative_to(state_folder)


def test_the_summary_of_a_run_file_can_be_shown_again(twin, tmp_path: Path) -> None:
    file = str(tmp_path / "a.twinrun")
    first = json.loads(twin("run", "lab-16", "--until", "6 h", "--out", file, "--json").stdout)
    again = json.loads(twin("show", file, "--json").stdout)
    assert again["event_hash"] == first["event_hash"]
    text = twin("show", file).stdout
    assert "A laboratory with 16 GPUs" in text
    assert "Where the GPU-hours went" in text


def test_the_scene_of_a_run_can_be_opened_again(twin, tmp_path: Path) -> None:
    first = json.loads(
        twin(
            "run", "lab-16", "--until", "1 h", "--seed", "9", "--out", tmp_path / "a.twinrun", "--json"
        ).stdout
    )
    found = read_recording(tmp_path / "a.twinrun")
    assert found.seed == 9
    path = tmp_path / "again.twin.yaml"
    path.write_text(found.draft.file.text)
    again = json.loads(twin("run", path, "--until", "1 h", "--seed", "9", "--no-record", "--json").stdout)
    assert again["event_hash"] == first["event_hash"]


def test_text_for_people_says_what_matters(twin) -> None:
    text = twin("run", "lab-16", "--until", "6 h", "--inject", "1 h fail gpu/0/0/0 cause=faulty_gpu").stdout
    for words in (
        "Goodput",
        "ETTR",
        "16 GPUs",
        "seed 1",
        "simulated",
        "Interruptions by cause",
        "faulty gpu",
        "step time: Calibrated on published runs of this GPU",
    ):
        assert words in text


def test_each_fabric_has_a_line(twin) -> None:
    words = ("run", "superpod-h100", "--until", "1 h", "--no-record")
    lines = twin(*words).stdout.splitlines()
    (line,) = [line for line in lines if line.startswith("Fabric ")]
    assert line.startswith("Fabric ib, at the end: InfiniBand-NDR, busiest link gpu/")
    assert line.endswith("%, nothing down")
    said = " ".join(twin(*words, "--inject", "30 min fail ib/0/3 for='2 h'").stdout.split())
    assert "36 links down, 1 switch down, 32 nodes cut off" in said


def test_one_day_is_one_day(twin) -> None:
    assert "\n1 day ·" in twin("run", "lab-16", "--no-record").stdout


def test_set_changes_the_run(twin) -> None:
    words = ("run", "lab-16", "--until", "2 h", "--json", "--no-record", "--set", "failures.enabled=false")
    plain = json.loads(twin(*words).stdout)
    slow = json.loads(twin(*words, "--set", "jobs[llama3].checkpoint.pause=5 min").stdout)
    assert slow["ledger_gpu_s"]["checkpoint_stall"] > 0
    assert slow["inputs_hash"] != plain["inputs_hash"]


def test_inject_makes_it_happen(twin) -> None:
    words = ("run", "lab-16", "--until", "1 h", "--json", "--no-record", "--seed", "1")
    quiet = json.loads(twin(*words).stdout)
    struck = json.loads(twin(*words, "--inject", "30 min fail gpu/0/0/0 cause=faulty_gpu").stdout)
    before, after = quiet["interruptions"], struck["interruptions"]
    assert after["by_cause"]["faulty_gpu"] == before["by_cause"]["faulty_gpu"] + 1
    assert struck["jobs"][0]["interruptions"] == quiet["jobs"][0]["interruptions"] + 1


SET = "set jobs[llama3].checkpoint.interval"


def test_what_is_injected_after_the_end_of_the_run_is_warned_of(twin) -> None:
    result = twin("run", "lab-16", "--json", "--until", "1 min", "--inject", "99 day fail gpu/0/1/0")
    assert "'99 day fail gpu/0/1/0': is at 99 d, after the end of the run at 1 min" in result.stderr
    result = twin("run", "lab-16", "--json", "--until", "1 min", "--inject", "1 min fail gpu/0/1/0")
    assert "never happens" not in result.stderr
    assert json.loads(result.stdout)["interruptions"] is not None


def test_a_value_is_set_while_the_hall_runs(twin, tmp_path: Path) -> None:
    words = ("--until", "2 h", "--json", "--no-record", "--set", "failures.enabled=false")
    stall = "checkpoint_stall"
    plain = json.loads(twin("run", "lab-16", *words).stdout)["ledger_gpu_s"]
    asked = json.loads(twin("run", "lab-16", *words, "--inject", f"1 h {SET} value='5 min'").stdout)
    assert asked["ledger_gpu_s"][stall] > 1.5 * plain[stall]
    file = tmp_path / "mine.twin.yaml"
    file.write_text(
        "format: twin/scenario\nversion: 3\ncatalog: '2026.11'\nextends: builtin:lab-16\ninterventions:\n"
        '  - {id: often, at: 1 h, kind: set, target: "jobs[llama3].checkpoint.interval", value: 5 min}\n'
    )
    written = json.loads(twin("run", file, *words).stdout)
    assert written["ledger_gpu_s"][stall] == asked["ledger_gpu_s"][stall]


def test_what_the_file_asks_but_the_hall_refuses_is_a_warning(twin, tmp_path: Path) -> None:
    scene = tmp_path / "capped.twin.yaml"
    scene.write_text(
        """format: twin/scenario
version: 3
catalog: "2026.11"
extends: builtin:lab-16
title: A cap that no GPU of the hall knows
interventions:
  - {id: cap, at: 10 min, kind: power_cap, target: all, value: 5 kW}
"""
    )
    result = twin(
        "run", str(scene), "--until", "1 h", "--json", "--no-record", "--inject", "30 min drain gpu/0/0"
    )
    assert result.stderr.startswith("warning: not done: all: power_cap takes")
    assert json.loads(result.stdout)["interruptions"]["planned"] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "nosuch"), "no such file or shipped scene"),
        (("run", "builtin:nosuch"), "names no shipped scene"),
        (("run", "lab-16", "--until", "soon"), "--until"),
        (("run", "lab-16", "--until", "20"), "no unit"),
        (("run", "lab-16", "--until", "-1 h"), "before the start"),
        (("run", "lab-16", "--until", "1000 day"), "--set duration"),
        (("run", "lab-16", "--set", "jobs"), "PATH=VALUE"),
        (("run", "lab-16", "--set", "jobs[llama3].checkpoint.paus=1 s"), "pause"),
        (("run", "lab-16", "--set", "jobs[llama3].checkpoint.pause=1 kW"), "pause"),
        (("run", "lab-16", "--set", "jobs[llama3].nodes=99"), "99"),
        (("run", "lab-16", "--set", "jobs[llama3].nodes=two"), "nodes"),
        (("run", "lab-16", "--set", "jobs[llama3].workload.model=llama9"), "llama9"),
        (("run", "lab-16", "--inject", "fail gpu/0/0/0"), "time"),
        (("run", "lab-16", "--inject", "1 h explode gpu/0/0/0"), "kind"),
        (("run", "lab-16", "--inject", "1 h fail gpu/9/9/9"), "gpu/9/9/9"),
        (("run", "lab-16", "--inject", "1 h pump_stop nosuch"), "nosuch"),
        (("run", "lab-16", "--inject", "1 h fail gpu/0/0/0 cause=nic"), "faulty_gpu"),
        (("run", "lab-16", "--inject", f"1 h {SET}"), "needs the key 'value'"),
        (("run", "lab-16", "--inject", f"1 h {SET} value=soon"), "or a duration such as"),
        (("run", "lab-16", "--inject", f"1 h {SET} value=daly for=1h"), "does not apply to set"),
        (("run", "lab-16", "--inject", "1 h set seed value=2"), "cannot be set during a run"),
        (("run", "lab-16", "--inject", "1 h set jobs[lama3].nodes value=2"), "did you mean 'llama3'"),
        (("run", "lab-16", "--out", "a.twinrun", "--no-record"), "--no-record"),
        (("show", "nosuch.twinrun"), "no such run file"),
    ],
)
def test_what_cannot_be_read_is_told_in_sentences(twin, words: tuple[str, ...], said: str) -> None:
    result = twin(*words, code=2)
    assert result.stdout == ""
    assert said in result.stderr
    assert all(line.startswith("error: ") for line in result.stderr.splitlines())


def test_a_scene_with_a_wrong_key_names_file_line_and_key(twin, tmp_path: Path) -> None:
    file = tmp_path / "mine.twin.yaml"
    file.write_text(
        "format: twin/scenario\nversion: 3\ncatalog: '2026.11'\nextends: builtin:lab-16\ntitel: Mine\n"
    )
    said = twin("run", file, code=2).stderr
    assert "mine.twin.yaml:5: titel" in said
    assert "title" in said.partition("titel")[2]


def test_a_folder_that_is_not_there_is_told_before_the_run(twin, tmp_path: Path) -> None:
    said = twin("run", "lab-16", "--until", "1 h", "--out", str(tmp_path / "no" / "a.twinrun"), code=2).stderr
    assert "no folder" in said
    assert "Traceback" not in said
