"""Scenario text in run files is exact; the state folder keeps the last runs and nothing in use."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from twin.record.inputs import input_hashes, inputs_hash, versions
from twin.record.scenario_json import from_json, part_from_json, part_to_json, to_json
from twin.record.state_folder import new_run_path, prune_runs, pruned_words, state_folder
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.faults import Intervention

DOCUMENT = {
    "format": "twin/scenario",
    "version": 3,
    "catalog": "2026.11",
    "title": "Ünit",
    "duration": "0.3333333333333333 h",
    "site": {"climate": {"dry_bulb": "71.3 degF", "swing": "7.7 K"}},
    "halls": [
        {
            "id": "hall",
            "rows": [
                {"id": "gpu", "count": 2, "racks": {"count": 3, "nodes": [{"part": "DGX-H100", "count": 4}]}}
            ],
        }
    ],
    "failures": {"causes": [{"id": "gpu_fault", "rate": "1.34 /(1000 day)", "repair": "gpu"}]},
    "interventions": [
        {"at": "1e-3 h", "kind": "power_cap", "target": "all", "value": "600 W", "for": "0.1 min"}
    ],
}


def scenario() -> Scenario:
    return Scenario.model_validate(DOCUMENT)


def test_scenario_survives_to_the_last_bit() -> None:
    original = scenario()
    text = to_json(original)
    assert from_json(text) == original
    assert to_json(from_json(text)) == text
    assert '"duration":"1200.0 s"' in text


def test_intervention_survives_to_the_last_bit() -> None:
    original = Intervention(at="12.345678901234567 s", kind="fail", target="gpu/0/1/2", **{"for": "0.1 s"})
    again = part_from_json(Intervention, part_to_json(original))
    assert again == original
    assert again.at_s == 12.345678901234567


def test_inputs_hash_follows_the_scenario() -> None:
    one = scenario()
    other = one.model_copy(update={"duration_s": 1200.5})
    assert inputs_hash(one) == inputs_hash(scenario())
    assert inputs_hash(one) != inputs_hash(other)
    assert input_hashes(one)["scenario"] != input_hashes(other)["scenario"]
    assert all(versions().values())


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TWIN_STATE_DIR", str(tmp_path / "state"))
    return state_folder()


def old_runs(state: Path, count: int) -> list[Path]:
    (state / "runs").mkdir()
    paths = [state / "runs" / f"{k:02d}.twinrun" for k in range(count)]
    for k, path in enumerate(paths):
        with sqlite3.connect(path) as file:
            file.execute("CREATE TABLE t(x)")
        file.close()
        os.utime(path, (1000 + k, 1000 + k))
    return paths


def test_state_folder_can_be_chosen(state: Path, tmp_path: Path) -> None:
    assert state == tmp_path / "state"
    assert state.is_dir()


def test_a_new_run_has_the_name_of_its_scene_and_pushes_nothing_out(state: Path) -> None:
    paths = old_runs(state, 14)
    fresh = new_run_path("Llama 3, 16k GPUs / Übung!")
    assert fresh.name.endswith(".twinrun")
    assert "-llama-3-16k-gpus-bung-" in fresh.name
    assert all(path.exists() for path in paths)


def test_the_oldest_recordings_go_and_are_named(state: Path) -> None:
    paths = old_runs(state, 14)
    gone = prune_runs()
    assert gone == paths[3::-1]
    assert [path.exists() for path in paths] == [False] * 4 + [True] * 10
    assert all(path.stem in pruned_words(gone) for path in gone)


def test_scenes_that_were_never_played_push_no_recording_out(state: Path) -> None:
    """Twenty scenes are opened after a recording of six days."""
    recording, *opened = old_runs(state, 21)
    for path, t_s in ((recording, 6 * 86400.0), *((path, 0.0) for path in opened)):
        modified = path.stat().st_mtime
        with closing(sqlite3.connect(path)) as file, file:
            file.execute("CREATE TABLE progress(id INTEGER, t REAL)")
            file.execute("INSERT INTO progress VALUES (1, ?)", (t_s,))
        os.utime(path, (modified, modified))
    assert prune_runs() == []
    new_run_path("another")
    assert recording.exists()
    assert [path.exists() for path in opened] == [False] * 11 + [True] * 9


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in files")
def test_what_is_no_file_among_recordings_hinders_nobody(state: Path) -> None:
    """A link to what is gone, as after another window has deleted it, and a pipe that nobody writes to."""
    paths = old_runs(state, 11)
    (state / "runs" / "gone.twinrun").symlink_to(state / "nowhere.twinrun")
    os.mkfifo(state / "runs" / "pipe.twinrun")
    assert prune_runs() == [paths[0]]


def test_a_run_being_recorded_is_not_pruned(state: Path) -> None:
    paths = old_runs(state, 3)
    writer = sqlite3.connect(paths[0])
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("INSERT INTO t VALUES (1)")
    writer.commit()
    os.utime(paths[0], (1000, 1000))
    assert prune_runs(0) == [paths[2], paths[1]]
    writer.close()
    assert prune_runs(0) == [paths[0]]


def test_rubbish_is_pruned(state: Path) -> None:
    (state / "runs").mkdir()
    rubbish = state / "runs" / "x.twinrun"
    rubbish.write_bytes(b"no database at all" * 100)
    assert prune_runs(0) == [rubbish]
