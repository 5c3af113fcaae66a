"""Two people's changes of one scene: both are there, nothing is lost, what both changed is told with both values."""

from __future__ import annotations

import pytest

from twin.scenario import Document, ScenarioError, loads
from twin.scenario.file.diff import differences
from twin.scenario.file.merge import merged

BASE = """# The hall of the lab
format: twin/scenario
version: 3
catalog: "2026.11"
title: Hall
halls:
  - id: hall
    rows:
      - id: gpu   # first row
        racks: {count: 4, nodes: [{part: DGX-H100, count: 4}]}
      - id: net
        at: {x: 0 m, y: 4 m}
        racks: {count: 1, role: network}
fabrics: [{id: ib, kind: rail-optimised, leaf: {part: QM9700, racks: net}}]
interventions:
  - {at: 1 h, kind: fail, target: gpu/0/0/0}
"""


def with_text(old: str, new: str, text: str = BASE) -> Document:
    assert old in text
    return loads(text.replace(old, new))


ROW = "      - id: net\n"
MORE = f"""      - id: more
        at: {{x: 0 m, y: 8 m}}
        racks: {{count: 2, nodes: [{{part: DGX-H100, count: 4}}]}}
{ROW}"""


def test_a_rack_each_and_both_are_there_with_the_comments_of_a() -> None:
    base, a = loads(BASE), with_text("{count: 4, nodes", "{count: 5, nodes")
    b = with_text(ROW, MORE)
    found = merged(base, a, b)
    assert found.conflicts == ()
    assert [difference.path for difference in found.from_b] == ["halls[hall].rows[more]"]
    rows = {row.id: row for row in found.document.scenario.halls[0].rows}
    assert set(rows) == {"gpu", "net", "more"}
    assert rows["gpu"].racks.count == 5
    assert "# first row" in found.document.text
    assert "# The hall of the lab" in found.document.text
    other = merged(base, b, a)
    assert differences(found.document.scenario, other.document.scenario) == []


def test_what_both_changed_is_a_conflict_with_both_values_and_a_way_out() -> None:
    base = loads(BASE)
    a, b = (
        with_text("{count: 4, nodes", "{count: 5, nodes"),
        with_text("{count: 4, nodes", "{count: 8, nodes"),
    )
    found = merged(base, a, b)
    (conflict,) = found.conflicts
    assert conflict.path == "halls[hall].rows[gpu].racks.count"
    ((of_a,), (of_b,)) = conflict.a, conflict.b
    assert (of_a.before, of_a.after, of_b.after) == ("4", "5", "8")
    assert found.document.text == a.text
    for side, count in (("a", 5), ("b", 8)):
        for path in (conflict.path, ""):
            decided = merged(base, a, b, {path: side})
            assert decided.undecided == ()
            assert decided.document.scenario.halls[0].rows[0].racks.count == count


def test_what_both_changed_alike_is_no_conflict() -> None:
    a = with_text("title: Hall", "title: Great hall")
    found = merged(loads(BASE), a, with_text("title: Hall", "title: Great hall"))
    assert (found.conflicts, found.from_b, found.document.text) == ((), (), a.text)


def test_a_change_inside_what_the_other_took_away_is_a_conflict() -> None:
    gone = with_text("""      - id: net
        at: {x: 0 m, y: 4 m}
        racks: {count: 1, role: network}
""", "", BASE.replace("leaf: {part: QM9700, racks: net}", "leaf: {part: QM9700}"))  # fmt: skip
    changed = with_text("{count: 1, role: network}", "{count: 2, role: network}")
    found = merged(loads(BASE), gone, changed)
    assert [conflict.path for conflict in found.conflicts] == ["halls[hall].rows[net]"]
    back = merged(loads(BASE), changed, gone, {"": "b"})
    assert [row.id for row in back.document.scenario.halls[0].rows] == ["gpu"]


def test_entries_without_ids_of_both_stay() -> None:
    line = "  - {at: 1 h, kind: fail, target: gpu/0/0/0}\n"
    a = with_text(line, f"{line}  - {{at: 2 h, kind: fail, target: gpu/0/1/0}}\n")
    b = with_text(line, f"{line}  - {{at: 3 h, kind: fail, target: gpu/0/2/0}}\n")
    both = merged(loads(BASE), a, b)
    assert both.conflicts == ()
    assert sorted(entry.at_s for entry in both.document.scenario.interventions) == [3600.0, 7200.0, 10800.0]
    moved = with_text("at: 1 h", "at: 4 h")  # of one side alone
    times = merged(loads(BASE), a, moved).document.scenario.interventions
    assert sorted(entry.at_s for entry in times) == [7200.0, 14400.0]


def test_changes_that_are_no_scene_together_are_refused() -> None:
    a = with_text("{count: 4, nodes", "{count: 1, nodes", BASE.replace("gpu/0/0/0", "gpu/0/0/1"))
    b = with_text("gpu/0/0/0", "gpu/0/3/0")
    with pytest.raises(ScenarioError, match="gpu/0/3/0"):
        merged(loads(BASE), a, b, {"": "b"})


def test_keys_that_b_took_away_go_and_defaults_are_no_change() -> None:
    base = loads(BASE)
    with_seed = loads(BASE.replace("title: Hall\n", "title: Hall\nseed: 7\n"))
    found = merged(with_seed, with_text("title: Hall", "title: A", with_seed.text), base)
    assert found.document.scenario.seed == base.scenario.seed != with_seed.scenario.seed
    assert found.document.scenario.title == "A"
    assert merged(base, base, loads(BASE + "# only a comment\n")).from_b == ()


def test_the_side_that_is_asked_for_comes_whole() -> None:
    rented = BASE + "rentals: [{id: s, members: [gpu], terms: reserved, shape: aws-p5, price: 2 USD/h}]\n"
    gone, base = loads(BASE), loads(rented)
    changed = with_text(
        "terms: reserved, shape: aws-p5, price: 2", "terms: on-demand, shape: aws-p5, price: 3", rented
    )
    (conflict,) = merged(base, gone, changed).undecided
    assert conflict.path == "rentals[s]"
    assert len(conflict.b) == 2
    both = merged(base, gone, changed, {"rentals[s]": "b"}).document.scenario
    assert both.rentals == changed.scenario.rentals
    rows = loads(BASE.replace("leaf: {part: QM9700, racks: net}", "leaf: {part: QM9700}"))
    without = with_text(
        "      - id: net\n        at: {x: 0 m, y: 4 m}\n        racks: {count: 1, role: network}\n",
        "",
        rows.text,
    )
    moved = with_text("{count: 1, role: network}", "{count: 2, role: network}", rows.text)
    moved = with_text("y: 4 m", "y: 5 m", moved.text)
    found = merged(rows, without, moved, {"": "b"}).document.scenario
    assert found.halls == moved.scenario.halls


def test_an_intervention_that_both_move_is_a_conflict() -> None:
    a, b = with_text("at: 1 h", "at: 2 h"), with_text("at: 1 h", "at: 3 h")
    (conflict,) = merged(loads(BASE), a, b).undecided
    assert conflict.path == "interventions"
    for side, at_s in (("a", 7200.0), ("b", 10800.0)):
        (kept,) = merged(loads(BASE), a, b, {"": side}).document.scenario.interventions
        assert kept.at_s == at_s
    assert merged(loads(BASE), a, with_text("at: 1 h", "at: 2 h")).conflicts == ()
