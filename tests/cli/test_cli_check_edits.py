"""`twin check` over the edits of a file: the trial start, the controls between tenants, and what is accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

HEAD = "format: twin/scenario\nversion: 3\ncatalog: '2026.11'\nextends: builtin:lab-16\ntitle: Mine\n"


@pytest.fixture
def scene(tmp_path: Path):
    def write(more: str) -> str:
        (tmp_path / "mine.twin.yaml").write_text(HEAD + more)
        return str(tmp_path / "mine.twin.yaml")

    return write


def edit(id: str, *changes: tuple[str, str | None]) -> str:
    """Return an edit at 2 h, as JSON, which is YAML."""
    said = [
        {"path": path, "value": value} if value is not None else {"path": path} for path, value in changes
    ]
    return f"  - {json.dumps({'id': id, 'at': '2 h', 'changes': said})}\n"


def broken(report: str) -> list[dict]:
    """Return the errors."""
    return [one for one in json.loads(report)["findings"] if one["severity"] == "error"]


def test_edits_that_a_run_cannot_follow_are_told_one_by_one(twin, scene) -> None:
    mail = "{id: guests, share: 1}"
    edits = edit("people", ("tenants[guests]", mail)) + edit("leave", ("jobs[llama3]", None))
    file = scene("edits:\n" + edits + edit("more", ("halls[lab].rows[gpu].racks.count", "3")))
    people, leave = broken(twin("check", file, "--json", code=1).stdout)
    assert [one["rule"] for one in (people, leave)] == ["action-refused"] * 2
    assert (people["key"], people["line"], people["ids"]) == ("edits[people]", 7, ["people"])
    assert people["reason"].startswith("people at 2 h cannot be applied: tenants cannot change during a run")
    assert leave["reason"].startswith("leave at 2 h cannot be applied: jobs of a run cannot be removed")
    accepted = "exclusions:\n  - {id: a, rule: action-refused, target: people, comment: for the next run}\n"
    (one,) = broken(
        twin("check", scene("edits:\n" + edits.splitlines()[0] + "\n" + accepted), "--json").stdout
    )
    assert one["excluded"]


def test_a_job_that_fits_no_more_after_an_edit_is_told_with_its_time(twin, scene) -> None:
    job = {"kind": "llm", "model": "llama3-405b", "global_batch": 32, "sequence": 8192}
    large = edit(
        "large", ("jobs[huge]", json.dumps({"id": "huge", "nodes": 2, "submit": "3 h", "workload": job}))
    )
    (one,) = broken(twin("check", scene("edits:\n" + large), "--json", code=1).stdout)
    assert (one["rule"], one["ids"], one["line"]) == ("job-fits", ["huge"], 7)
    assert one["reason"].startswith("after large at 2 h: ")
    assert "GB usable on a GPU" in one["reason"]


def test_controls_between_tenants_are_asked_after_edits_too(twin, scene) -> None:
    tenants = "tenants:\n  - {id: chair, encrypted: true}\n"
    store = "storage:\n  - {id: nas, encrypted: true}\n"
    rows = json.loads(twin("check", scene(tenants + store), "--security", "--json").stdout)["controls"]
    assert {row["control"]: row["status"] for row in rows}["encryption-at-rest"] == "pass"
    opened = "edits:\n" + edit("open", ("storage[nas].encrypted", "false"))
    file = scene(tenants + store + opened)
    rows = json.loads(twin("check", file, "--security", "--json", code=1).stdout)["controls"]
    (failed,) = [row for row in rows if row["status"] == "fail"]
    assert failed["control"] == "encryption-at-rest"
    finding = failed["findings"][0]
    assert (finding["line"], finding["key"]) == (11, "edits[open]")
    assert finding["reason"].startswith("after open at 2 h: jobs[llama3]")
    assert "is not encrypted" in finding["reason"]
    assert "after open at 2 h" in twin("check", file, "--security", code=1).stdout


def test_what_is_accepted_and_what_accepts_nothing_is_counted(twin, scene) -> None:
    assert twin("check", "lab-16").stdout.splitlines()[-1].count("1 accepted (") == 1
    file = scene("exclusions:\n  - {id: idle, rule: dew-point, target: crah, comment: it once was wet}\n")
    assert ", 1 accepted, 1 of 2 exclusions matches nothing (" in twin("check", file).stdout.splitlines()[-1]
    report = json.loads(twin("check", file, "--json").stdout)
    assert report["exclusions"] == {"written": 2, "accepted": 1, "unmatched": 1}


def test_a_hall_on_two_facility_loops_is_told_once_with_the_loop_to_change(twin, scene) -> None:
    two = "cooling:\n  plants:\n    - {id: lake, kind: chiller, supply: 16 degC}\n  loops:\n"
    file = scene(two + "    - {id: coils, kind: air, part: CRAH-chilled, plant: lake, serves: [more]}\n")
    rows = "halls:\n  - id: lab\n    rows:\n"
    rows += (
        "      - {id: more, at: {x: 0 m, y: 6 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}\n"
    )
    Path(file).write_text(Path(file).read_text() + rows)
    told = [
        one for one in broken(twin("check", file, "--json", code=1).stdout) if one["rule"] != "rack-unfed"
    ]
    assert [(one["rule"], one["key"], one["ids"]) for one in told] == [
        ("hall-water", "cooling.loops[coils].plant", ["coils/0"])
    ]
    assert told[0]["fix"].startswith("water, or another hall")
