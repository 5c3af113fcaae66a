"""`twin check --security`: the checklist of controls between tenants."""

from __future__ import annotations

import json
from pathlib import Path

HEAD = "format: twin/scenario\nversion: 3\ncatalog: '2026.11'\nextends: builtin:lab-16\ntitle: Mine\n"


def test_checklist_of_a_shipped_scene(twin) -> None:
    rows = json.loads(twin("check", "hybrid-burst", "--security", "--json").stdout)["controls"]
    status = {row["control"]: row["status"] for row in rows}
    assert status["encryption-at-rest"] == status["encryption-off-site"] == "pass"
    assert status["network-segmentation"] == "not applicable"
    said = twin("check", "hybrid-burst", "--security").stdout
    assert "Encryption at rest" in said
    assert "no certificate" in said


def test_a_leak_fails_its_control_with_line_severity_and_what_would_be_right(twin, tmp_path: Path) -> None:
    file = tmp_path / "mine.twin.yaml"
    file.write_text(HEAD + "tenants:\n  - {id: guests, management: true}\n")
    rows = json.loads(twin("check", str(file), "--security", "--json", code=1).stdout)["controls"]
    (failed,) = [row for row in rows if row["status"] == "fail"]
    assert failed["control"] == "management-plane"
    (finding,) = failed["findings"]
    assert (finding["severity"], finding["subject"], finding["line"]) == ("high", "guests", 7)
    assert finding["right"].startswith("management: false")
    assert "mine.twin.yaml:7" in twin("check", str(file), "--security", code=1).stdout
    found = json.loads(twin("check", str(file), "--json", code=1).stdout)["findings"]
    (plain,) = [one for one in found if one["severity"] == "error"]
    assert plain["key"] == "tenants[guests].management"


def test_what_a_run_spent_in_the_cloud_is_told(twin) -> None:
    said = twin("run", "hybrid-burst", "--no-record", "--until", "30 h").stdout
    assert "Cloud and costs" in said
    assert "elbe: 7 jobs" in said
    assert "own GPU-hour" in said
