"""Chapters of a scene: read with times of day, checked by place, without effect on what a run is."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab_scene import HEAD

from twin.catalog import load_catalog
from twin.plant.build import build
from twin.record.inputs import inputs_hash
from twin.record.scenario_json import from_json, to_json
from twin.rules import Finding, after_edits, check
from twin.scenario import ScenarioError, load, loads
from twin.scenario.checks.horizon import past_the_end
from twin.scenario.file.set_option import set_texts

CHAPTERS = f"{HEAD}chapters:\n"
GOOD = """\
  - title: Before
    at: 10 min
    camera: overview
    text: "Both *nodes* train: {site.goodput_now}."
  - title: The failure
    at: "09:00"
    until: "09:30"
    slow_at: ["09:00", 9 h 5 min]
    speed: 60
    eye: {x: 4 m, y: -3 m, z: 2 m}
    target: {x: 1 m, y: 1 m, z: 1 m}
    colour_by: gpu.state
    layers: [racks, trays]
    select: [gpu/0/0]
    notes: |
      - pause here
    try:
      - {label: Fail the other node, inject: [fail gpu/0/1/0 for=2h]}
      - {label: Checkpoints every hour, set: ["jobs[llama3].checkpoint.interval=1 h"], when: start}
      - {label: Why, dock: why}
"""


def test_chapters_are_read_with_times_of_day() -> None:
    before, failure = loads(CHAPTERS + GOOD).scenario.chapters
    assert (before.at_s, before.until_s, before.camera) == (600.0, None, "overview")
    assert (failure.at_s, failure.until_s, failure.slow_at_s) == (32400.0, 34200.0, (32400.0, 32700.0))
    assert failure.eye is not None
    assert failure.eye.metres == (4.0, -3.0, 2.0)
    assert [trial.when for trial in failure.trials] == ["now", "start", "now"]


def test_chapters_are_no_part_of_what_a_run_is() -> None:
    bare = loads(HEAD).scenario
    told = loads(CHAPTERS + GOOD).scenario
    assert inputs_hash(told) == inputs_hash(bare)
    assert from_json(to_json(told)).chapters == told.chapters, "a run file holds them"


def test_a_scene_that_varies_another_has_its_own_chapters(tmp_path: Path) -> None:
    (tmp_path / "base.twin.yaml").write_text(CHAPTERS + GOOD)
    child = tmp_path / "child.twin.yaml"
    child.write_text(
        'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\nextends: base.twin.yaml\nduration: 1 h\n'
    )
    assert load(child).scenario.chapters == ()


@pytest.mark.parametrize(
    ("was", "now", "line", "key", "reason", "hint"),
    [
        ("gpu.state", "gpu.stat", 19, "chapters[1].colour_by", "must be", "gpu.state"),
        ("[racks, trays]", "[racks, tray]", 20, "chapters[1].layers[1]", "must be", "trays"),
        ("dock: why", "dock: wy", 27, "chapters[1].try[2].dock", "must be", "why"),
        ("*nodes*", "<b>nodes</b>", 11, "chapters[0].text", "begins HTML", ""),
        ("- pause here", "- [x](file:///etc)", 22, "chapters[1].notes", "leads nowhere", ""),
        ("    target: {x: 1 m, y: 1 m, z: 1 m}\n", "", 12, "chapters[1]", "eye and target go together", ""),
        ("inject: [fail gpu/0/1/0 for=2h]", "inject: []", 25, "chapters[1].try[0]", "does nothing", ""),
        ("speed: 60", "speed: 1.0e-320", 16, "chapters[1].speed", "at least 0.01", ""),
    ],
)
def test_what_is_wrong_is_told_by_line_and_key(
    was: str, now: str, line: int, key: str, reason: str, hint: str
) -> None:
    assert was in GOOD
    with pytest.raises(ScenarioError) as refused:
        loads(CHAPTERS + GOOD.replace(was, now))
    problem = refused.value.problems[0]
    assert (problem.key, problem.line) == (key, line)
    assert reason in problem.reason
    assert hint in problem.hint


@pytest.mark.parametrize(
    ("was", "now", "key", "reason", "hint"),
    [
        (
            "at: 10 min",
            "at: 10 min\n    until: 9 h 30 min",
            "chapters[0].until",
            "outside its chapter",
            "9 h",
        ),
        ("9 h 5 min", "9 h 45 min", "chapters[1].slow_at[1]", "outside its chapter", "9 h 30 min"),
        ("camera: overview", "camera: overvew", "chapters[0].camera", "unknown", "overview"),
        ("camera: overview", "camera: gpu/0/7", "chapters[0].camera", "does not exist", "a view (overview"),
        ("[gpu/0/0]", "[gpu/3/0]", "chapters[1].select[0]", "does not exist", ""),
        ("fail gpu/0/1/0", "fial gpu/0/1/0", "chapters[1].try[0].inject[0]", "fial", "fail"),
        ("fail gpu/0/1/0", "fail gpu/0/9/0", "chapters[1].try[0].inject[0]", "does not exist", ""),
        ("interval=1 h", "intervall=1 h", "chapters[1].try[1].set[0]", "unknown key", "interval"),
    ],
)
def test_what_a_chapter_shows_may_be_gone_and_is_told(
    was: str, now: str, key: str, reason: str, hint: str
) -> None:
    assert was in GOOD
    scenario = loads(CHAPTERS + GOOD.replace(was, now)).scenario  # it loads, and runs
    found = [f for f in check(scenario, build(scenario), load_catalog()).open if f.rule == "chapter-stale"]
    assert [finding.key for finding in found] == [key]
    assert reason in found[0].reason
    assert hint in found[0].fix


def test_chapters_out_of_order_are_told() -> None:
    scenario = loads(CHAPTERS + GOOD.replace("at: 10 min", "at: 9 h 10 min")).scenario
    found = [f for f in check(scenario, build(scenario), load_catalog()).open if f.rule == "chapter-stale"]
    assert ("chapters[1].at", True) in [(f.key, "before the chapter above" in f.reason) for f in found]


def test_a_rack_that_a_chapter_shows_can_be_taken_out() -> None:
    document = loads(CHAPTERS + GOOD)
    gone = set_texts(document, ["jobs[llama3].nodes=1", "halls[lab].overrides[gpu/0/0].absent=true"])
    assert len(gone.scenario.chapters) == 2


def test_bounds() -> None:
    with pytest.raises(ScenarioError, match="at most 50"):
        loads(CHAPTERS + "".join(f"  - {{title: C{n}, at: {n} min}}\n" for n in range(51)))
    with pytest.raises(ScenarioError, match="at most 4000"):
        loads(CHAPTERS + f"  - {{title: Long, at: 1 min, text: {'x' * 4001}}}\n")


def test_a_chapter_after_the_end_is_a_finding() -> None:
    found = [*past_the_end(loads(CHAPTERS + "  - {title: Late, at: 11 h}\n").scenario)]
    assert [(at, name) for at, name, _ in found] == [(("chapters", 0, "at"), "Late")]


GROWS = f"""\
{HEAD}edits:
  - id: more
    at: 1 h
    changes: [{{path: "power[pdu].count", value: "3"}}, {{path: "halls[lab].rows[gpu].racks.count", value: "3"}}]
  - {{id: less, at: 3 h, changes: [{{path: "halls[lab].rows[gpu].racks.count", value: "2"}}]}}
chapters:
  - {{title: Early, at: 10 min, camera: gpu/0/2}}
  - {{title: Present, at: 2 h, camera: gpu/0/2, text: "{{rack.power_w gpu/0/2}}"}}
  - {{title: Over, at: 4 h, select: [gpu/0/2], try: [{{label: Anew, inject: [fail gpu/0/0/0], when: start}}]}}
"""


def _stale(text: str) -> list[Finding]:
    document, catalog = loads(text), load_catalog()
    scenario = document.scenario
    report = check(scenario, build(scenario, catalog), catalog)
    report = after_edits(report, scenario, document.stages, catalog)
    return [finding for finding in report.open if finding.rule == "chapter-stale"]


def test_each_chapter_is_held_against_the_hall_of_its_own_time() -> None:
    assert [(finding.key, finding.sentence) for finding in _stale(GROWS)] == [
        ("chapters[0].camera", "chapter 1, “Early”: camera 'gpu/0/2' does not exist"),
        ("chapters[2].select[0]", "chapter 3, “Over”: select 'gpu/0/2' does not exist"),
    ]


def test_figures_that_there_are_none_of_are_told() -> None:
    told = GOOD.replace("{site.goodput_now}", "{no.such}").replace(
        "- pause here", "- {gpu.temp_c} {job.step_s me}"
    )
    assert [finding.sentence for finding in _stale(CHAPTERS + told)] == [
        "chapter 1, “Before”: text {no.such} is no figure of this run",
        "chapter 2, “The failure”: notes {gpu.temp_c} is no figure of this run",
        "chapter 2, “The failure”: notes {job.step_s me} is no figure of this run",
    ]


def test_sentences_about_chapters_name_them() -> None:
    told = GOOD.replace("at: 10 min", "at: 9 h 10 min").replace("fail gpu/0/1/0", "fial gpu/0/1/0")
    assert [
        finding.sentence for finding in _stale(CHAPTERS + told.replace("camera: overview", "camera: hi"))
    ] == [
        "chapter 1, “Before”: camera 'hi': unknown GPU, node, rack, row, hall, switch, link, power item, "
        "coolant or air loop or facility loop",
        "chapter 2, “The failure” is at 9 h, before the chapter above it at 9 h 10 min",
        "chapter 2, “The failure”, button “Fail the other node”: unknown fault kind 'fial'",
    ]


def test_an_edit_changes_no_chapters() -> None:
    edit = "edits: [{id: a, at: 1 h, changes: [{path: 'chapters[0].title', value: B}]}]\n"
    with pytest.raises(ScenarioError, match="an edit changes what exists"):
        loads(CHAPTERS + GOOD + edit)
