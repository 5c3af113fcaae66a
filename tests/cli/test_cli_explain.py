from __future__ import annotations

import json
from pathlib import Path

import pytest

from twin.runtime.inline import run
from twin.scenario import load


@pytest.fixture(scope="module")
def pump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "pump.twinrun"
    run(load("builtin:pump-trip").scenario, record=path)
    return path


def test_it_tells_of_a_range_and_of_the_whole(twin, pump: Path) -> None:
    said = twin("explain", pump).stdout
    assert "2 h from 09:55:00: 63.3 % of 1,152.0 GPU-hours were productive" in said
    assert "GPUs, throttled from 10:00:11 to 10:00:42, after 2 of 2 pumps stopped for 20 s" in said
    narrow = json.loads(twin("explain", pump, "--from", "5 min", "--to", "10 min", "--json").stdout)
    assert (narrow["from_s"], narrow["to_s"]) == (300.0, 600.0)
    assert sum(one["gpu_s"] for one in narrow["accounts"]) + narrow["productive_gpu_s"] == pytest.approx(
        narrow["installed_gpu_s"]
    )
    heat = next(one for one in narrow["accounts"] if one["account"] == "thermal_throttle")
    assert heat["causes"][0]["events"][1]["kind"] == "pump_stop"


@pytest.mark.parametrize(
    "words",
    [("0 h 5 min", "t+600"), ("10:00", "10:05"), ("300", "+10 min")],
)
def test_times_are_read_as_the_window_reads_them(twin, pump: Path, words: tuple[str, str]) -> None:
    told = json.loads(twin("explain", pump, "--from", words[0], "--to", words[1], "--json").stdout)
    assert (told["from_s"], told["to_s"]) == (300.0, 600.0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--from", "3 h"), "--from"),
        (("--to", "3 h"), "after the end of the run, 2 h"),
        (("--to", "3 h"), "--to"),
        (("--from", "20 min", "--to", "10 min"), "--to"),
        (("--from", "soon"), "--from"),
    ],
)
def test_a_wrong_range_is_told_in_a_sentence(twin, pump: Path, words: tuple[str, ...], said: str) -> None:
    assert said in twin("explain", pump, *words, code=2).stderr


def test_incidents_are_listed_and_told_one_by_one(twin, pump: Path) -> None:
    listed = twin("explain", pump, "--list").stdout
    assert "1 incidents, 0 job stops" not in listed
    assert "1 incident, no job stopped" in listed
    assert "Pump stop" in listed
    told = twin("explain", pump, "--incident", "3").stdout
    assert told.startswith("Pump stop: cdu/0\n10:00:00, no job stopped; known up to 11:55:00\n")
    assert "Repair: Back in use; since 10:40:00" in told
    before = json.loads(twin("explain", pump, "--incident", "3", "--to", "10:30", "--json").stdout)
    assert (before["repair"]["returned_s"], before["repair"]["expected_s"]) == (None, 2700.0)
    assert json.loads(twin("explain", pump, "--list", "--to", "4 min", "--json").stdout)["incidents"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--incident", "9"), "no incident '9'; the dearest are 3; see --list"),
        (("--list", "--incident", "3"), "--list: leave it out"),
        (("--list", "--from", "1 min"), "--from: does not go with --list"),
        (("--incident", "3", "--hindsight"), "--hindsight: does not go with --incident"),
    ],
)
def test_a_wrong_question_about_incidents_is_told_in_a_sentence(
    twin, pump: Path, words: tuple[str, ...], said: str
) -> None:
    assert said in twin("explain", pump, *words, code=2).stderr
