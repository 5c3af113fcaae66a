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
    'format: twin/scenario\nversion: 1\nextends: builtin:lab-16\ncatalog: "2026.11"\ntitle: edited\n' + EDITS
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
