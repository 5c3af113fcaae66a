"""A hall built, run and mended in the real program from outside: by mouse alone, and by keys alone."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from xdotool_hands import TWIN, Person, desktop, missing
from xdotool_keys import build_by_keys, open_again_by_keys, run_by_keys
from xdotool_mouse import build_by_mouse, open_again_by_mouse, run_by_mouse

from twin.record.events import Event
from twin.scenario import load

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing()), reason=f"This needs {', '.join(missing())} on the machine."),
]
Build = Callable[[Person, Path], None]
OpenAgain = Callable[[Person, Path, Path], None]
ONLY_SPARE, NEW_RACK = "gpu/0/7/3", "rack-1/0/0"


@pytest.mark.parametrize(
    ("how", "build", "open_again", "run"),
    [
        ("mouse", build_by_mouse, open_again_by_mouse, run_by_mouse),
        ("keys", build_by_keys, open_again_by_keys, run_by_keys),
    ],
    ids=["mouse", "keys"],
)
def test_a_rack_brought_while_it_runs_is_used_by_the_next_recovery(
    tmp_path: Path, how: str, build: Build, open_again: OpenAgain, run: Build
) -> None:
    pictures = Path(os.environ.get("TWIN_PICTURES") or tmp_path) / how
    home = tmp_path / "home"
    file, again = home / "row.twin.yaml", home / "again.twin.yaml"
    with desktop(home) as env:
        person = Person(env, pictures)
        try:
            build(person, file)
            built(file)
            open_again(person, file, again)
            assert subprocess.run([TWIN, "diff", file, again], check=False).returncode == 0, (
                "opened, it is another"
            )
            run(person, again)
            recovered(person.events())
        finally:
            person.stop()
    assert f"id: {NEW_RACK.partition('/')[0]}" in again.read_text().partition("\nedits:")[2]


def built(file: Path) -> None:
    """Hold what was built against what was asked for: eight racks, leaf and spine, PDU and CDU, no rule broken."""
    scenario = load(file).scenario
    (row,) = (one for one in scenario.halls[0].rows if one.id == "gpu")
    assert row.racks.count == 8
    assert [(group.part, group.count) for group in row.racks.nodes] == [("DGX-H100", 4)]
    (fabric,) = scenario.fabrics
    assert "gpu" in fabric.rows
    assert fabric.leaf
    assert fabric.spine
    assert sum("gpu" in stage.feeds for stage in scenario.power if stage.kind == "pdu") == 2
    assert any(loop.kind == "liquid" and loop.plant for loop in scenario.cooling.loops)
    (job,) = scenario.jobs
    assert job.nodes == 31
    checked = subprocess.run([TWIN, "check", file], capture_output=True, check=False, text=True)
    assert checked.returncode == 0, checked.stdout


def recovered(events: list[Event]) -> None:
    """Hold the run against what was done: spare out, rack in, node broken, job on with a node of the new rack."""
    done = ("drained", "edited", "injected_failure", "spare_taken", "job_resumed")
    kinds = [event.kind for event in events if event.kind in done]
    assert kinds[:4] == list(done[:4])
    by_kind = {event.kind: event for event in reversed(events)}
    assert by_kind["drained"].subject.startswith(ONLY_SPARE)
    assert by_kind["spare_taken"].subject.startswith(NEW_RACK)
    assert by_kind["injected_failure"].t_s <= by_kind["spare_taken"].t_s
