"""``--set`` and ``--inject``: the same grammar and the same help as in files."""

import re
from pathlib import Path

import pytest

from twin.scenario import ScenarioError, load, loads, parse_injection
from twin.scenario.file.patch_text import apply
from twin.scenario.file.set_option import set_text, set_texts, set_value
from twin.scenario.schema.faults import Intervention
from twin.scenario.text.patch import Change, Patch
from twin.scenario.text.path import split

LAB = load("builtin:lab-16")
BARE = LAB.text[: LAB.text.index("\nchapters:\n")].rstrip() + "\n"
"""Its interventions stand last."""
ROOT = Path(__file__).parents[2]
HELP = "".join(
    path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "assets/help").glob("*.md")]
)

SETTINGS = [
    ("jobs[llama3].checkpoint.interval", "10 min"),
    ("jobs[llama3].checkpoint.interval", "daly"),
    ("duration", "2 h"),
    ("seed", "42"),
    ("title", "Two words: and more"),
    ("catalog", "2026.11"),
    ("failures.enabled", "false"),
    ("halls[lab].rows[gpu].racks.nodes[0].count", "2"),
    ("halls[lab].overrides[gpu/0/1/0].drained", "true"),
    ("jobs[llama3].rows", "[gpu]"),
    ("jobs[llama3].workload.parallelism", "{tensor: 4}"),
    ("site.climate.dry_bulb", "12 degC"),
]


@pytest.mark.parametrize(("path", "value"), SETTINGS)
def test_a_document_and_a_scenario_are_set_alike(path: str, value: str) -> None:
    document = set_value(LAB, path, value)
    assert document.scenario == set_value(LAB.scenario, path, value)
    assert LAB.scenario == load("builtin:lab-16").scenario


def test_set_text_is_path_equals_value() -> None:
    assert set_text(LAB, "jobs[llama3].checkpoint.pause = 1 min").scenario.jobs[0].checkpoint.pause_s == 60.0
    with pytest.raises(ScenarioError, match="PATH=VALUE"):
        set_text(LAB, "duration")


@pytest.mark.parametrize("order", [1, -1])
def test_settings_of_one_command_are_checked_together(order: int) -> None:
    scene = load("builtin:fat-tree-1k")
    pair = ("jobs[llama3].nodes=60", "jobs[llama3].workload.global_batch=60")[::order]
    for alone in pair:
        with pytest.raises(ScenarioError, match=r"would do|no multiple"):
            set_texts(scene, [alone])
    job = next(job for job in set_texts(scene, pair).scenario.jobs if job.id == "llama3")
    assert (job.nodes, job.workload.global_batch) == (60, 60)
    assert set_texts(scene, ()) is scene


def test_each_setting_that_leads_nowhere_is_named() -> None:
    with pytest.raises(ScenarioError) as caught:
        set_texts(LAB, ["jobs[llama3].nodez=1", "duration=1 h", "sead=3"])
    assert [problem.key for problem in caught.value.problems] == ["jobs[llama3].nodez", "sead"]
    with pytest.raises(ScenarioError) as caught:
        set_texts(LAB, ["jobs", "duration=1 h", "seed"])
    assert [problem.value for problem in caught.value.problems] == ["'jobs'", "'seed'"]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("jobs[llama3].checkpoint.pauze", "1 s", "did you mean 'pause'"),
        ("jobs[lama3].nodes", "1", "did you mean 'llama3'"),
        ("jobs[llama3].nodes", "many", "whole number"),
        ("duration", "5", "no unit"),
        ("duration", "-5 s", "more than 0 s"),
        ("jobs[llama3].tenant", "nobody", "unknown tenant"),
        ("jobs[llama3].nodes.x", "1", "unknown key 'x'"),
        ("jobs llama3", "1", "unexpected character at 5"),
    ],
)
def test_settings_that_cannot_be(path: str, value: str, said: str) -> None:
    for target in (LAB, LAB.scenario):
        with pytest.raises(ScenarioError) as caught:
            set_value(target, path, value)
        assert said in str(caught.value)
        assert "Traceback" not in str(caught.value)


def test_paths() -> None:
    assert split("halls[main].overrides[gpu/3/12/1].absent") == (
        "halls",
        "main",
        "overrides",
        "gpu/3/12/1",
        "absent",
    )
    for text in ("", ".a", "a.", "a..b", "[a]", "a[b", "a[]", "a b", "a.[b]"):
        with pytest.raises(ScenarioError, match="not a path"):
            split(text)


def test_injections() -> None:
    assert parse_injection("10 h pump_stop cdu/0 for=20s") == Intervention(
        at_s=36000.0, kind="pump_stop", target="cdu/0", duration_s=20.0
    )
    assert parse_injection("90min fail gpu/0/3/1 cause=nic") == Intervention(
        at_s=5400.0, kind="fail", target="gpu/0/3/1", cause="nic"
    )
    assert parse_injection("1 h pump_stop cdu/0 for=20 s count=1").count == 1
    assert parse_injection("1 d 1 h 10 min pump_stop cdu/0 for=1 h 10 min") == Intervention(
        at_s=90600.0, kind="pump_stop", target="cdu/0", duration_s=4200.0
    )
    assert parse_injection("0 s power_cap all value=600 W").value == "600 W"
    assert parse_injection("1 h set failures.enabled value=false").value == "false"


def test_quotes_round_a_value_are_no_part_of_it() -> None:
    assert parse_injection("10 min power_cap all value='600 W'").value == "600 W"
    assert parse_injection("10 min flap gpu/0/0/0~0 value=\"10 %\" for='1 h'") == Intervention(
        at_s=600.0, kind="flap", target="gpu/0/0/0~0", value="10 %", duration_s=3600.0
    )


def test_the_injections_of_readme_and_help_are_understood() -> None:
    lines = [line for _, line in re.findall(r"--inject (['\"])(?!T KIND)(.+?)\1", HELP)]
    assert len(lines) >= 2
    for kind, value in re.findall(r"^\| `(\w+)` \|.*`value=(['\"].+?['\"])`", HELP, re.MULTILINE):
        lines.append(f"1 h {kind} all value={value}")
        assert parse_injection(lines[-1]).value == value[1:-1]
    assert {parse_injection(line).kind for line in lines} >= {"pump_stop", "set", "flap", "power_cap"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "time and its unit"),
        ("10 pump_stop cdu/0", "time and its unit"),
        ("10 h", "a kind and a target"),
        ("10 h pump_stop", "a kind and a target"),
        ("10 h pumpstop cdu/0", "did you mean 'pump_stop'"),
        ("10 h pump_stop cdu/0 far=20s", "did you mean for="),
        ("10 h pump_stop cdu/0 for=20", "no unit"),
        ("10 h pump_stop cdu/0 for=1s for=2s", "is repeated"),
        ("10 h pump_stop cdu/0 count=two", "whole number"),
        ("1e-300 s pump_stop cdu/0", "less than 1 ms, the least step"),
        ("1 h pump_stop cdu/0 for=1e-9 s", "less than 1 ms, the least step"),
        ("10 h pump_stop cdu/0 count=0", "at least 1"),
        ("10 h pump_stop cdu/0 soon", "is not an option"),
    ],
)
def test_injections_that_are_none(text: str, said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_injection(text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("{at: 1 h, kind: fail, target: gpu}", "is not a row, rack or node"),
        ("{at: 1 h, kind: fail, target: gpu/0/2}", "has 2 racks in a row"),
        ("{at: 1 h, kind: fail, target: gpu/0/1/0/8}", "has 8 GPUs"),
        ("{at: 1 h, kind: undrain, target: gpu/0/1/0, for: 1 h}", "does not apply to undrain"),
        ("{at: 1 h, kind: drain, target: cpu/0/0/0}", "unknown row generator"),
        (
            "{at: 1 h, kind: drain, target: gpu/0/1/0, value: later}",
            "is not a value of drain; known: now, check",
        ),
        ("{at: 1 h, kind: move, target: llama3, value: batch}", "has no other partition that would admit it"),
        ("{at: 1 h, kind: pump_stop, target: crah/1}", "'crah' has 1 loops, counted from 0"),
        ("{at: 1 h, kind: fan_stop, target: crah/0, count: 3}", "more than the 2 fans"),
        ("{at: 1 h, kind: pump_stop, target: crah/0, value: x}", "does not apply to pump_stop"),
        ("{at: 1 h, kind: heat_rejection_loss, target: crah}", "unknown facility loop"),
        ("{at: 1 h, kind: power_cap, target: all}", "needs the key 'value'"),
        ("{at: 1 h, kind: power_cap, target: all, value: 5 m}", "is a length"),
        ("{at: 1 h, kind: power_cap, target: somebody, value: 500 W}", "unknown job"),
        ('{at: 1 h, kind: set, target: "jobs[llama3].pauze", value: 1 s}', "unknown key 'pauze'"),
        ("{at: 1 h, kind: set, target: failures.enabled}", "needs the key 'value'"),
        (
            "{at: 1 h, kind: set, target: failures.enabled, value: 'false'}",
            "cannot be set during a run",
        ),
        (
            '{at: 1 h, kind: set, target: "jobs[llama3].nodes", value: "1"}',
            "cannot be set during a run",
        ),
        ('{at: 1 h, kind: set, target: "jobs[llama3].checkpoint.pause", value: 1 m}', "is a length"),
        ('{at: 1 h, kind: set, target: "jobs[llama3].checkpoint.storage", value: nsa}', "did you mean 'nas'"),
        (
            '{at: 1 h, kind: set, target: "jobs[llama3].checkpoint.pause", value: 1 s, for: 1 h}',
            "does not apply",
        ),
    ],
)
def test_interventions_must_act_on_something(said: str, reason: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        apply(LAB, Patch((Change("interventions", f"[{said}]"),)))
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "said",
    [
        "{at: 1 h, kind: fan_stop, target: crah/0, for: 20 s, count: 1}",
        "{at: 1 h, kind: heat_rejection_loss, target: water, for: 1 h}",
        "{at: 1 h, kind: power_cap, target: llama3, value: 500 W}",
        '{at: 1 h, kind: set, target: "jobs[llama3].checkpoint.pause", value: 1 min}',
        '{at: 1 h, kind: set, target: "jobs[llama3].checkpoint.interval", value: daly}',
        '{at: 1 h, kind: set, target: "jobs[llama3].recovery", value: "{detect: 5 s}"}',
        "{at: 1 h, kind: drain, target: gpu/0/0/0, for: 2 h}",
        "{at: 1 h, kind: fail, target: gpu/0/1/0, for: 2 h}",
        "{at: 1 h, kind: fail, target: gpu/0/1/0/7}",
        "{at: 1 h, kind: drain, target: gpu/0/1, value: checkpoint}",
        "{at: 1 h, kind: undrain, target: gpu/0}",
    ],
)
def test_interventions_that_act(said: str) -> None:
    assert len(apply(LAB, Patch((Change("interventions", f"[{said}]"),))).scenario.interventions) == 1


def test_a_wrong_setting_in_a_file_names_its_line_and_key() -> None:
    with pytest.raises(ScenarioError) as caught:
        loads(BARE + '  - {at: 1 h, kind: set, target: "jobs[llama3].checkpoint.pauze", value: 1 s}\n')
    (problem,) = caught.value.problems
    assert problem.line == len(BARE.splitlines()) + 1
    assert problem.key == "interventions[1].target"
    assert "did you mean 'pause'" in problem.hint


def test_a_scenario_with_settings_ahead_can_still_be_set() -> None:
    later = loads(BARE + '  - {at: 1 h, kind: set, target: "jobs[llama3].checkpoint.pause", value: 1 s}\n')
    assert set_value(later.scenario, "jobs[llama3].checkpoint.pause", "5 s").jobs[0].checkpoint.pause_s == 5.0
