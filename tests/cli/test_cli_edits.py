"""Scenes with edits on the command line: run, and shown as they are at a time."""

from __future__ import annotations

import json

EDITS = """\
edits:
- id: more
  at: 2 h
  title: a rack more
  changes:
  - path: halls[lab].rows[gpu].racks.count
    value: "3"
"""
SCENE = (
    'format: twin/scenario\nversion: 3\nextends: builtin:lab-16\ncatalog: "2026.11"\ntitle: edited\n' + EDITS
)


def test_a_scene_is_shown_as_its_edits_have_made_it(twin, tmp_path) -> None:
    path = tmp_path / "edited.twin.yaml"
    path.write_text(SCENE)
    before, after = (twin("show", path, "--at", at).stdout for at in ("1 h", "3 h"))
    assert before.startswith("# 2 racks in 1 row")
    assert after.startswith("# 3 racks in 1 row")
    assert "edits" not in after


def test_a_run_books_what_an_edit_brings_from_then_on(twin, tmp_path) -> None:
    path = tmp_path / "edited.twin.yaml"
    path.write_text(SCENE)
    summary = json.loads(twin("run", path, "--until", "4 h", "--json").stdout)
    assert summary["gpus"] == 24
    assert summary["installed_gpu_s"] == 16 * 7200 + 24 * 7200
    assert abs(sum(summary["ledger_gpu_s"].values()) - summary["installed_gpu_s"]) < 1e-3
    assert summary["energy"]["residual"] < 1e-12


HALL = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: a hall that an edit overloads
halls:
  - id: hall
    rows:
      - id: gpu
        racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}
power:
  - {id: utility, kind: utility, capacity: 20 kW, feeds: [gpu]}
cooling:
  plants: [{id: water, kind: chiller, part: chiller-air-cooled-30, supply: 16 degC}]
  loops: [{id: crah, kind: air, part: CRAH-chilled, plant: water, serves: [gpu], supply: 22 degC}]
edits:
  - {id: more, at: 2 h, title: none, changes: [{path: "halls[hall].rows[gpu].racks.nodes[0].count", value: "2"}]}
"""


def test_what_an_edit_overloads_is_told_with_its_time(twin, tmp_path) -> None:
    """An edit blames itself, an exclusion of the scene holds after it, and the last line counts what is accepted."""
    path = tmp_path / "hall.twin.yaml"
    path.write_text(HALL)
    report = json.loads(twin("check", path, "--json", code=1).stdout)
    (found,) = [one for one in report["findings"] if one["severity"] == "error"]
    assert (found["rule"], found["line"], found["key"]) == (
        "power-capacity",
        16,
        "edits[more]: power[utility].count",
    )
    assert found["reason"].startswith("after more at 2 h: ")
    assert "capacity 20 kW" in found["reason"]
    path.write_text(HALL.partition("edits:")[0])
    base = twin("check", path).stdout
    accepted = "exclusions: [{id: trial, rule: power-capacity, target: utility, comment: a trial}]\n"
    path.write_text(HALL + accepted)
    shown = twin("check", path).stdout
    assert "1 accepted (" in shown.splitlines()[-1]
    assert "exclusion-unmatched" not in shown
    assert "accepted" not in base
