"""Branches: a run that leaves another at a time is the run of its scene from the start, bit for bit."""

from __future__ import annotations

import json
import math
import random
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from usual_cases import usually

sys.path.insert(0, str(Path(__file__).parents[1] / "sim"))
from edit_scenes import absent, edit
from shared_past import assert_same_curves, assert_same_past
from sim_scenes import job, liquid

from twin.analysis.branch import Addition, branch_scene, other_past, other_than, parent_scene, start_branch
from twin.analysis.compare import compare_at
from twin.analysis.verify import verify
from twin.record.reader import Reader
from twin.record.recorder import Recorder
from twin.runtime.inline import InlineClient, go_on, run
from twin.scenario import ScenarioError, load, parse_injection
from twin.scenario.file.effective_text import show
from twin.scenario.reading.extend import MAX_CHAIN
from twin.sim.engine.engine import Engine

H = 3600.0
OTHER = ("inputs_hash", "scene")
"""What a summary says of a scene's text and title."""
CAUSES = [
    {"id": "gpu_fault", "rate": "0.4 per node-day", "repair": "gpu"},
    {"id": "straggler", "rate": "0.4 per node-day", "repair": "gpu", "effect": "slow", "found": "1 h"},
    {"id": "pump_fault", "rate": "4 per day", "repair": "motherboard", "on": "cdu"},
]
LATE = {"id": "late", "nodes": 8, "submit": "1 h", "run": "2 h", "workload": {"kind": "load", "gpu": 0.5}}
PLANNED = ("1 h power_cap gpu/0/0 value='90 kW' for=1h", "3 h fan_stop crah/0 for=30min")


@pytest.fixture(scope="module", autouse=True)
def recordings() -> None:
    """All samples: their times are compared, too."""


def scene_file(folder: Path, *lines: str, named: bool = True, **more: Any) -> Path:
    """Write a hall on two coolant loops in which a good deal goes wrong; return its file."""
    planned = [
        parse_injection(line).model_copy(update={"id": f"i{k}" if named else None})
        for k, line in enumerate(lines)
    ]
    scene = liquid(2, 2, jobs=(job(18), LATE), failures={"causes": CAUSES}, **({"duration": "4 h"} | more))
    path = folder / "hall.twin.yaml"
    path.write_text(show(scene.model_copy(update={"interventions": tuple(planned)}), exact=True))
    return path


def inject(*lines: str) -> list[Addition]:
    return [parse_injection(line) for line in lines]


def branched(recorded: Path, at_s: float, additions: list[Addition], name: str = "branch") -> Path:
    """Cut a branch from a run, simulate it to its end; return its scene, beside which its run lies."""
    folder = recorded.parent
    path = folder / f"{name}.twin.yaml"
    with Reader(recorded) as reader:
        extends = parent_scene(reader, folder, at_s=at_s)
        path.write_text(branch_scene(extends, folder, reader, at_s, additions, name))
        started = start_branch(reader, at_s, path, folder / f"{name}.twinrun")
    assert started.from_s < at_s or at_s == 0.0
    go_on(started.document.scenario, started.run_file)
    return path


def by_hand(path: Path, recorded: Path) -> None:
    """Run a scene as a person would: things are done to it while it plays, and it is stepped."""
    client = InlineClient()
    client.load(load(path).scenario, run_file=recorded)
    for _ in range(6):
        client.step()
    client.intervene(parse_injection("0 s slow gpu/0/0/3 value='60 %'"))  # exactly at an event
    client.intervene(edit(0.0, "away", absent("gpu/0/1"), title="a rack is taken away"))
    client.intervene(parse_injection("3.5 h power_cap all value='900 W'"))
    client.intervene(edit(2.6 * H, "back", absent("gpu/0/1", False), title="it is back"))
    client.play()
    while client.pump(1.0):
        pass
    client.close()


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with faults of its own, planned ones and things done by hand."""
    folder = tmp_path_factory.mktemp("branches")
    path = scene_file(folder, *PLANNED)
    by_hand(path, folder / "hall.twinrun")
    return folder / "hall.twinrun"


def same_run(one: Path, other: Path, aside: tuple[str, ...] = ()) -> None:
    """Assert that two run files hold the same run, to the bit of its last state."""
    with Reader(one) as first, Reader(other) as second:
        assert first.events() == second.events()
        assert first.event_hash == second.event_hash
        a, b = (
            {k: v for k, v in (reader.summary or {}).items() if k not in aside} for reader in (first, second)
        )
        assert a
        assert a == b
        assert first.header.end_s == second.header.end_s


def run_of(scene: Path) -> Path:
    return scene.parent / scene.name.replace(".twin.yaml", ".twinrun")


def same_as_from_the_start(scene: Path) -> None:
    """Assert that the run beside the scene of a branch is what running that scene from the start gives."""
    anew = scene.parent / "anew.twinrun"
    run(load(scene).scenario, record=anew)
    same_run(run_of(scene), anew)
    verdict = verify(run_of(scene))
    assert verdict.divergence is None
    assert verdict.states > 10
    assert verdict.over


def test_a_branch_without_a_change_is_its_parent(parent: Path) -> None:
    scene = branched(parent, 2.3 * H, [], "same")
    with Reader(parent) as one, Reader(run_of(scene)) as other:
        assert other_than(one, other.all_events(), math.inf) is None
        assert one.markers()
        assert not other.markers()  # the scene tells of it
    same_run(parent, run_of(scene), aside=OTHER)
    same_as_from_the_start(scene)


@pytest.mark.slow
def test_a_pump_trip_changes_nothing_before_it(parent: Path) -> None:
    at_s = 2.3 * H
    scene = branched(parent, at_s, inject("2.3 h pump_stop cdu/0 for=1h"), "trip")
    with Reader(parent) as one, Reader(run_of(scene)) as other:
        assert other_than(one, other.all_events(), at_s) is None
        gone = other_than(one, other.all_events(), math.inf)
        assert gone is not None
        assert gone.t_s == at_s
        assert gone.subject == "cdu/0"
        before = [frame.values for frame in (one.frame(1.9 * H), other.frame(1.9 * H))]
        for name, values in before[0].items():
            np.testing.assert_array_equal(values, before[1][name], name)
        point = other.header.scenario.branch
        assert point is not None
        assert (point.at_s, point.run) == (at_s, parent.name)
        assert point.events == len([event for event in one.events() if event.t_s < at_s])
    same_as_from_the_start(scene)


def some_additions(die: random.Random, at_s: float) -> list[Addition]:
    """Return a few things that may be done from a time on, now and then at the very same time."""
    lines = [
        "pump_stop cdu/0 for=20min",
        "power_cap all value='800 W' for=1h",
        "power_cap gpu/0/0 value='80 kW'",
        "fail gpu/0/0/5",
        "slow gpu/0/0/7",
        "corrupt gpu/0/0/8",
        "set jobs[train].checkpoint.interval value='5 min'",
        "set scheduler.policy value=easy",
        "drain gpu/0/0/9 for=1h",
    ]
    times = [at_s, at_s, at_s + die.choice((600.0, 1234.567)), 3.0 * H + at_s / 10]
    made: list[Addition] = []
    for line in die.sample(lines, 4):
        one = parse_injection(f"0 s {line}")
        made.append(one.model_copy(update={"at_s": die.choice(times)}))
    if die.random() < 0.5:
        made.append(edit(at_s, "extra", ("halls[hall].rows[gpu].racks.count", "3"), title="a third rack"))
    return made


@pytest.mark.parametrize("seed", usually(range(3), 1))
def test_any_branch_is_the_run_of_its_scene_from_the_start(parent: Path, seed: int) -> None:
    die = random.Random(seed)
    with Reader(parent) as reader:
        times = [event.t_s for event in reader.events() if 1.0 < event.t_s < 3 * H]
    at_s = die.choice(
        (die.choice(times), 2 * H, die.uniform(0, 3 * H))
    )  # at an event, at a milestone, anywhere
    scene = branched(parent, at_s, some_additions(die, at_s), f"any-{seed}")
    same_as_from_the_start(scene)


@pytest.mark.slow
def test_a_branch_of_a_branch_extends_it_and_a_moved_run_brings_its_scene(
    parent: Path, tmp_path: Path
) -> None:
    first = branched(parent, 1.7 * H, inject("1.7 h fail gpu/0/0/2"), "first")
    second = branched(run_of(first), 2.5 * H, inject("2.5 h fail gpu/0/0/3"), "second")
    document = load(second)
    assert [one.name for one in document.files] == ["second.twin.yaml", "first.twin.yaml", "hall.twin.yaml"]
    assert document.text.count("kind:") == 1
    same_as_from_the_start(second)
    moved = tmp_path / "moved.twinrun"
    shutil.copy(run_of(second), moved)
    third = branched(moved, 3.0 * H, [], "third")
    assert [one.name for one in load(third).files] == ["third.twin.yaml", "moved.twin.yaml"]
    same_run(run_of(third), run_of(second), aside=OTHER)
    fourth = branched(moved, 3.0 * H, inject("3 h fail gpu/0/0/4"), "fourth")
    assert load(fourth).files[1].name == "moved.twin.yaml"  # written once


@pytest.mark.slow
@pytest.mark.parametrize("named", [True, False])
def test_what_was_taken_out_before_the_cut_is_not_in_a_branch(tmp_path: Path, named: bool) -> None:
    path = scene_file(tmp_path, *PLANNED, named=named)
    scene = load(path).scenario.model_copy(update={"edits": (edit(3.4 * H, "away", absent("gpu/0/1")),)})
    path.write_text(show(scene, exact=True))
    recorded = tmp_path / "hall.twinrun"
    client = InlineClient()
    client.load(load(path).scenario, run_file=recorded)
    client.step()
    late, fan = parse_injection("3.5 h power_cap all value='900 W'"), scene.interventions[1]
    client.intervene(late)
    while client.poll()[-1].t_s < 1.2 * H:  # type: ignore[union-attr]
        client.step()
    for done in (late, fan, scene.edits[0]):
        client.withdraw(done)
    while client.poll()[-1].t_s < 2.0 * H:  # type: ignore[union-attr]
        client.step()
    client.intervene(scene.edits[0])  # put back
    client.play()
    while client.pump(1.0):
        pass
    client.close()
    assert verify(recorded).divergence is None
    with Reader(recorded) as reader:
        out_s, back_s = (
            next(json.loads(one.data)["asked_s"] for one in reader.markers(kind))
            for kind in ("withdrawn", "edit")
        )
    for cut_s, number, edits in ((0.5 * H, 3, 1), (out_s, 1, 0), (1.7 * H, 1, 0), (2.5 * H, 1, 1)):
        branch = branched(recorded, cut_s, [], f"cut-{cut_s:.0f}")
        made = load(branch).scenario
        assert (len(made.interventions), len(made.edits)) == (number, edits)
        same_as_from_the_start(branch)
        if cut_s > back_s:
            same_run(run_of(branch), recorded, aside=OTHER)
        assert load(branch).files[1].name == ("hall.twin.yaml" if number == 3 else "hall-1.twin.yaml")


def test_things_without_ids_are_told_again(tmp_path: Path) -> None:
    path = scene_file(tmp_path, *PLANNED, named=False, duration="2 h")
    run(load(path).scenario, seed=7, record=tmp_path / "hall.twinrun")
    scene = branched(tmp_path / "hall.twinrun", 0.0, inject("1 h fail gpu/0/0/2"), "all")
    made = load(scene).scenario
    assert made.seed == 7
    assert [one.kind for one in made.interventions] == ["power_cap", "fan_stop", "fail"]
    same_as_from_the_start(scene)


def test_a_shipped_scene_is_named_and_other_times_are_refused(tmp_path: Path) -> None:
    recorded = tmp_path / "lab.twinrun"
    run(load("builtin:lab-16").scenario, record=recorded, until_s=7200.0)
    with Reader(recorded) as reader:
        assert parent_scene(reader, tmp_path) == "builtin:lab-16"
        with pytest.raises(ScenarioError, match=r"has no time 3 h.*covers 0 s to 2 h"):
            branch_scene("builtin:lab-16", tmp_path, reader, 3 * H, [], "late")
        with pytest.raises(ScenarioError, match="cdu/9"):
            branch_scene("builtin:lab-16", tmp_path, reader, H, inject("1 h pump_stop cdu/9"), "none")
        extends = "builtin:lab-16"
        for number in range(MAX_CHAIN - 1):
            text = branch_scene(extends, tmp_path, reader, H, [], f"b{number}")
            extends = f"b{number}.twin.yaml"
            (tmp_path / extends).write_text(text)
        with pytest.raises(ScenarioError, match="twin show"):
            branch_scene(extends, tmp_path, reader, H, [], "deep")


def test_a_branch_that_has_another_past_than_it_says_is_told(parent: Path) -> None:
    at_s = 2 * H
    path = branched(parent, at_s, inject("2 h pump_stop cdu/0 for=60s"), "past")
    point = load(path).scenario.branch
    assert point is not None
    with Reader(path.with_name("past.twinrun")) as reader:
        events = reader.events()
    assert other_past(point, events) == ""
    assert other_past(point, [event for event in events if event.t_s < at_s]) == ""
    fewer = other_past(point, events[1:])
    assert fewer.startswith("This branch differs from its run, hall.twinrun, before the branch time 2 h: ")
    assert f"{point.events - 1:,} events with hash" in fewer
    assert other_past(point.model_copy(update={"event_hash": "a" * 64}), events) != ""


@pytest.mark.parametrize(
    "place", usually(["between events", "at an event", "in the first block"], ["at an event"])
)
def test_before_its_cut_a_branch_says_what_its_parent_says_to_the_last_bit(parent: Path, place: str) -> None:
    with Reader(parent) as one:
        events = [event.t_s for event in one.events() if 2.0 * H < event.t_s < 2.8 * H]
    at_s = {"between events": 2.3 * H, "at an event": events[0], "in the first block": 421.7}[place]
    scene = branched(parent, at_s, inject(f"{at_s!r} s pump_stop cdu/0 for=1h"), f"past-{place.split()[-1]}")
    with Reader(parent) as one, Reader(run_of(scene)) as other:
        times = (at_s, math.nextafter(at_s, 0.0), 0.9 * at_s, 0.7 * at_s, 0.31 * at_s, 13.0)
        active = [assert_same_past(one, other, t_s) for t_s in times]
        assert max(active) > 0 or at_s < H  # alarms stand, those of the shared past
        assert assert_same_curves(one, other, at_s) > 50
        assert not other.damaged()


def test_after_its_cut_a_branch_goes_its_own_way(parent: Path) -> None:
    scene = branched(parent, 2.3 * H, inject("2.3 h drain gpu/0/0"), "other-way")
    with Reader(parent) as one, Reader(run_of(scene)) as other:
        found = compare_at(one, other, 3.5 * H)
    assert found.waterfall.steps
    assert found.figures_s is not None
    assert 3.4 * H < found.figures_s < 3.5 * H
    assert any("of the sample at" in remark for remark in found.remarks)


def test_a_branch_that_crashed_beyond_its_cut_keeps_the_past_of_its_parent(
    parent: Path, tmp_path: Path
) -> None:
    """It is cut so soon after a snapshot that it has none of its own yet: samples begin anew at the cut."""
    with Reader(parent) as reader:
        before = reader.nearest_snapshot(2.3 * H)
        assert before is not None
        cut_s = before.t_s + 60.0
        scene = branched(parent, cut_s, inject(f"{cut_s!r}s drain gpu/0/0"), "whole")
        started = start_branch(reader, cut_s, scene, tmp_path / "crashed.twinrun")
    scenario = started.document.scenario
    with Reader(started.run_file) as reader:
        snapshot = reader.nearest_snapshot(math.inf)
        assert reader.t_end_s == cut_s  # not simulated yet, it has its past
        assert reader.ledger_range(0.0, cut_s).gpu_s["productive"] > 0.0
    assert snapshot is not None
    engine = Engine.restore(scenario, snapshot.data)
    recorder = Recorder(engine, started.run_file, resume=True, resumed=snapshot)
    crash_s = cut_s + 180.0
    while engine.now_s < crash_s:
        engine.advance(max(min(crash_s, recorder.next_s), engine.now_s))
        recorder.observe()
    recorder.commit()
    recorder.abandon()
    with Reader(started.run_file) as reader:
        assert reader.t_end_s == crash_s
        last = reader.nearest_snapshot(math.inf)
        assert last is not None
        assert last.t_s == snapshot.t_s == before.t_s
    go_on(scenario, started.run_file)
    same_run(run_of(scene), started.run_file)
    with Reader(run_of(scene)) as one, Reader(started.run_file) as other:
        for t_s in (1.1 * H, cut_s, 3.9 * H, math.inf):
            assert one.ledger_range(0.0, t_s).gpu_s == other.ledger_range(0.0, t_s).gpu_s
        assert np.array_equal(one.sample_times(), other.sample_times())
