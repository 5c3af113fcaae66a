"""What differs between two scenes is said by the names people have for it: no path, no mark of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.analysis.difference_words import name_of, sentence, values_of
from twin.scenario import Change, Patch, loads
from twin.scenario.file.diff import Difference, differences
from twin.scenario.file.patch_text import edit

LAB = (
    (Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml")
    .read_text(encoding="utf-8")
    .replace("          count: 2\n", "          count: 3\n", 1)
)
TAKEN = "[{path: 'halls[lab].overrides[gpu/0/1].absent', value: 'true'}]"
EDIT = f"{{id: edit-1, at: 1 h, title: Take rack gpu/0/1 away, changes: {TAKEN}}}"
RATED = "{id: fans, rate: 2.423321759 per 1000 day, repair: gpu}"


def between(*changes: tuple[str, str | None], text: str = LAB) -> list[Difference]:
    before = loads(text)
    after = edit(before, Patch(tuple(Change(*one) for one in changes)))[0]
    return differences(before.scenario, after.scenario)


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        (("halls[lab].rows[gpu].racks.count", "4"), "changed", "Row gpu, racks count: 3 → 4"),
        (("halls[lab].overrides[gpu/0/1].absent", "true"), "removed", "Rack gpu/0/1 removed"),
        (
            ("halls[lab].overrides[gpu/0/1].at", "{x: 4 m, y: 1.5 m}"),
            "changed",
            "Rack gpu/0/1 is at x 4 m, y 1.5 m",
        ),
        (("halls[lab].overrides[gpu/0/1].facing", "north"), "changed", "Rack gpu/0/1 faces north"),
        (
            ("halls[lab].overrides[gpu/0/0/1]", "{part: DGX-H100, u: 20}"),
            "added",
            "Node gpu/0/0/1 added: DGX-H100 at unit 20",
        ),
        (
            ("halls[lab].overrides[gpu/0/0/0].drained", "true"),
            "changed",
            "Node gpu/0/0/0 is drained at the start",
        ),
        (
            ("jobs[llama3].checkpoint.pause", "90 s"),
            "changed",
            "Job llama3, checkpoint pause: 20 s → 90 s",
        ),
        (("jobs[llama3].rows", "[gpu]"), "added", "Job llama3, rows: gpu, not set before"),
        (("tenants[red]", "{id: red, title: Red team}"), "added", "Tenant red added: title Red team"),
        (("cooling.loops[crah].supply", "24 degC"), "changed", "Loop crah, supply: 22 degC → 24 degC"),
        (("site.climate.place", "lulea"), "changed", "Site climate place: frankfurt → lulea"),
        (("title", "Mine"), "changed", "Title: A laboratory with 16 GPUs → Mine"),
        (("duration", "2 day"), "changed", "Duration: 1 d → 2 d"),
        (
            ("failures.causes[fans]", RATED),
            "added",
            "Failure cause fans added: rate 2.42332 per 1000 day",
        ),
        (
            ("groups[mine]", "{id: mine, members: [gpu/0/0, gpu/0/1]}"),
            "added",
            "Group mine added: members (gpu/0/0",
        ),
        (("edits", f"[{EDIT}]"), "added", "New at 1 h: Take rack gpu/0/1 away"),
        (
            ("exclusions", "[{id: e, rule: rack-unfed, target: gpu/0/0, comment: later}]"),
            "added",
            "Accepted finding e added: rule rack-unfed, target gpu/0/0, comment later",
        ),
    ],
)
def test_each_kind_of_thing_is_said_by_its_name(change: tuple[str, str], kind: str, said: str) -> None:
    one = next(one for one in between(change) if sentence(one).startswith(said))
    assert one.kind == kind
    assert not any(mark in sentence(one) for mark in ("[", "]", "{", "}"))


def test_a_list_tells_what_it_gains_and_loses() -> None:
    rack = "{id: x, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"
    added = (("halls[lab].rows[x]", rack), ("cooling.loops[crah].serves", "[gpu, x]"))
    said = [sentence(one) for one in between(*added)]
    assert "Loop crah, serves: gains x" in said
    assert any(
        one.startswith("Row x added: at (x 20 m), racks (count 1, nodes (part DGX-H100") for one in said
    )
    there = edit(loads(LAB), Patch(tuple(Change(*one) for one in added)))[0].text
    back = between(("cooling.loops[crah].serves", "[gpu]"), ("halls[lab].rows[x]", None), text=there)
    assert "Loop crah, serves: loses x" in [sentence(one) for one in back]
    assert any(sentence(one).startswith("Row x removed") for one in back)


def test_what_happens_at_a_time_is_told_one_by_one_though_nothing_names_it() -> None:
    two = "[{at: 9 h, kind: fail, target: gpu/0/1/0}, {at: 10 h, kind: fail, target: gpu/0/0/0}]"
    three = two[:-1] + ", {at: 10 h, kind: fail, target: gpu/0/0/0}]"
    text = edit(loads(LAB), Patch((Change("interventions", two),)))[0].text
    (more,) = between(("interventions", three), text=text)
    assert sentence(more) == "New at 10 h: Fails: gpu/0/0/0"
    found = between(("interventions", "[{at: 11 h, kind: fail, target: gpu/0/1/0}]"), text=text)
    assert [sentence(one) for one in found] == [
        "No longer at 9 h: Fails: gpu/0/1/0",
        "No longer at 10 h: Fails: gpu/0/0/0",
        "New at 11 h: Fails: gpu/0/1/0",
    ]


def test_what_was_taken_away_or_moved_comes_back() -> None:
    away = edit(loads(LAB), Patch((Change("halls[lab].overrides[gpu/0/1].absent", "true"),)))[0].text
    (back,) = between(("halls[lab].overrides[gpu/0/1]", None), text=away)
    assert (back.kind, sentence(back)) == ("added", "Rack gpu/0/1 added again")
    moved = edit(loads(LAB), Patch((Change("halls[lab].overrides[gpu/0/1].facing", "north"),)))[0].text
    (usual,) = between(("halls[lab].overrides[gpu/0/1]", None), text=moved)
    assert sentence(usual) == "Rack gpu/0/1 equals its generator again"


def test_names_and_values_stand_apart_for_tables() -> None:
    (one,) = between(("jobs[llama3].checkpoint.pause", "90 s"))
    assert (name_of(one), values_of(one)) == ("Job llama3, checkpoint pause", ("20 s", "90 s"))
    (one,) = between(("tenants[red]", "{id: red, title: Red team}"))
    assert (name_of(one), values_of(one)) == ("Tenant red", ("", "title Red team"))
    assert one.path == "tenants[red]"
    assert one.after == "{id: red, title: Red team}"
