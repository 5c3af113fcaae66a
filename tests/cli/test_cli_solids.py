"""`twin export -o F.glb|.usda`: a scene or a moment of a run for other 3D programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import trimesh
from typer.testing import Result

Twin = Callable[..., Result]


def test_a_run_colours_its_gpus_and_says_their_temperature(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    twin("run", "lab-16", "--until", "30min", "--inject", "10min fail gpu/0/1/0/3", "-o", "lab.twinrun")
    said = twin("export", "lab.twinrun", "-o", "hot.glb", "--colour-by", "gpu.temp_c", "--at", "25min")
    assert "22 things" in said.stdout
    scene = trimesh.load(tmp_path / "hot.glb")
    colour = {
        id: tuple(scene.geometry[scene.graph[id][1]].visual.material.baseColorFactor[:3])
        for id in ("gpu/0/0/0/0", "gpu/0/1/0/3", "gpu/0/0/0/1")
    }
    data = (tmp_path / "hot.glb").read_bytes()
    nodes = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])["nodes"]
    told = {node["name"]: node.get("extras", {}) for node in nodes}
    assert 30.0 < told["gpu/0/0/0/0"]["temp_c"] < 90.0
    assert told["gpu/0/0/0/0"]["power_w"] > 50.0
    assert told["gpu/0/0/0"]["power_w"] == pytest.approx(
        sum(told[f"gpu/0/0/0/{place}"]["power_w"] for place in range(8)), abs=0.5
    )
    assert colour["gpu/0/0/0/0"] != colour["gpu/0/1/0/3"]  # it has failed
    twin("export", "lab.twinrun", "-o", "hot.usda")
    assert "twin:tempC" in (tmp_path / "hot.usda").read_text()
    for words, reason in (
        (("lab-16", "-o", "a.glb", "--at", "1h"), "--at is for a recorded run"),
        (("lab.twinrun", "-o", "a.csv", "--at", "1h"), "--at is for solids"),
        (("lab.twinrun", "-o", "a.glb", "--channel", "site"), "--channel is for series"),
        (("lab.twinrun", "-o", "hot.glb"), "exists already"),
        (("lab.twinrun", "-o", "a.glb", "--at", "2h"), "2 h lies after the end"),
    ):
        assert reason in twin("export", *words, code=2).stderr
