"""Drills: faults drawn by seed, what an operator sees of them, and responses ranked as they should be."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from twin.lessons.drill import CALM_S, LEVELS, DrillError, OperatorDrill, drill_of
from twin.lessons.drill_acts import ACTS, why_no_act, why_not
from twin.lessons.drill_comment import told
from twin.lessons.drill_policy import POLICIES, ByRunbook, acts_of
from twin.lessons.drill_result import DrillResult, read_drill, write_drill
from twin.lessons.drill_run import Ranked, Ranking, ranked
from twin.lessons.drill_score import HARMS, Score, score_of, score_of_acts
from twin.lessons.drill_sight import HIDDEN, SIGHTS, seen, seen_of
from twin.lessons.replay import replayed
from twin.lessons.result import ResultError
from twin.lessons.runbook import load_runbook
from twin.record.event_kinds import KINDS as EVENTS
from twin.record.event_kinds import ended_by
from twin.record.events import Event, Severity
from twin.scenario import load
from twin.scenario.file.load import Document
from twin.scenario.schema.edit import Edit, EditChange
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.faults import Intervention

HOUR_S = 3600.0
SEEDS = 20


@cache
def row() -> Document:
    """Return a row of eight racks that saves every five minutes, with UPS, generator and chillers."""
    return load("builtin:blackout")


@cache
def drill(seed: int, level: str = "medium", length_s: float = HOUR_S) -> OperatorDrill:
    return drill_of(row(), level, seed, length_s)


def values(one: OperatorDrill) -> dict[str, float]:
    """Return the score of each policy, of runs made again from its acts [GPU h]."""
    return {
        name: score_of_acts(one, acts_of(one, make(one.seed))).value_gpu_h for name, make in POLICIES.items()
    }


def test_a_seed_gives_the_same_faults_and_none_of_them_is_in_what_is_shown() -> None:
    first, again, other = drill(3), drill_of(row(), "medium", 3, HOUR_S), drill(4)
    assert first.faults == again.faults != other.faults
    assert 2 <= len(first.faults) <= LEVELS["medium"].faults
    assert all(CALM_S <= fault.at_s < HOUR_S for fault in first.faults)
    assert first.document.scenario.interventions == ()
    assert first.scenario.interventions == first.faults
    assert first.document.scenario.duration_s == HOUR_S
    assert "\ninterventions:" not in first.document.files[0].text


def test_what_cannot_be_a_drill_says_why() -> None:
    with pytest.raises(DrillError, match="no level"):
        drill_of(row(), "fierce", 1)
    with pytest.raises(DrillError, match="lasts"):
        drill_of(row(), "light", 1, 60.0)


def test_every_kind_of_fault_is_seen_by_its_symptom_or_not_at_all() -> None:
    words = [KINDS[kind].title.lower() for kind in KINDS if kind not in ACTS]
    for kind in KINDS.values():
        if kind.id in ACTS or kind.id in ("hang", "site_loss", "battery_empty"):
            continue
        for told_by in kind.events:
            for begun in (told_by.begins, told_by.clears):
                known = (
                    begun in HIDDEN
                    or begun in SIGHTS
                    or begun.startswith("node_")
                    or begun == "injected_failure"
                )
                assert not begun or known or begun == "repaired", (kind.id, begun)
    for sight in SIGHTS.values():
        assert not sight.kind or sight.kind in EVENTS
        assert not any(word in sight.text for word in words)
        assert "inject" not in sight.text


def test_an_alarm_of_an_instrument_ends_as_that_of_the_fault_it_stands_for() -> None:
    for begins, sight in SIGHTS.items():
        ends = [SIGHTS[end].kind or end for end in ended_by(begins) if end in SIGHTS]
        if sight.kind and ended_by(begins):
            assert set(ends) & set(ended_by(sight.kind)), begins


def test_what_is_seen_keeps_neither_cause_nor_length_of_a_fault() -> None:
    data = {"lasts_s": 7200.0, "down": 2, "of": 2, "nodes": 1}
    pumps = Event(7, 600.0, "pump_stop", "cdu/0", Severity.ALARM, "2 of 2 pumps stopped for 2 h", data)
    shown = seen(pumps)
    assert shown is not None
    assert (shown.kind, shown.subject, dict(shown.data)) == ("flow_low", "cdu/0", {"nodes": 1})
    assert "2 h" not in shown.text
    stuck = Event(8, 600.0, "valve_stuck", "cdu/0", Severity.WARNING, "valve stuck at 25 %", {})
    assert seen(stuck) is None
    why = {"why": "gpu/0/1/2 failed (injected)"}
    stop = Event(9, 600.0, "job_interrupted", "a", Severity.WARNING, "a: gpu/0/1/2 failed (injected)", why)
    interrupted = seen(stop)
    assert interrupted is not None
    assert "injected" not in interrupted.text + str(interrupted.data)


def test_an_operator_breaks_nothing_and_edits_only_set_points() -> None:
    assert why_no_act("pump_stop")
    assert not why_no_act("repair")
    allowed = EditChange(path="cooling.plants[water].supply", value="18 degC")
    wall = EditChange(path="halls[hall].overrides[gpu/0/3].absent", value="true")
    assert not why_not(Edit(id="a", at=1.0, changes=(allowed,)))
    assert "halls[hall]" in why_not(Edit(id="b", at=1.0, changes=(allowed, wall)))


def test_the_runbook_says_something_about_every_alarm_that_a_drill_shows() -> None:
    runbook = load_runbook()
    shown = {sight.kind or kind for kind, sight in SIGHTS.items() if ended_by(sight.kind or kind)}
    assert {kind for kind in shown if runbook.entry(kind) is None} == set()


@pytest.mark.parametrize("seed", [3])
def test_a_good_response_is_better_than_none_and_none_better_than_a_random_one(seed: int) -> None:
    one = drill(seed, "light")
    came = values(one)
    assert came["runbook"] > came["nothing"] + 1.0 > came["random"]


@pytest.mark.slow
def test_responses_are_ranked_as_they_should_be_over_twenty_seeds() -> None:
    came = [values(drill(seed)) for seed in range(SEEDS)]
    for seed, value in enumerate(came):
        assert value["random"] < value["nothing"], seed
        assert value["runbook"] >= 0.99 * value["nothing"], seed
    better = [value["runbook"] - value["nothing"] for value in came]
    assert sum(gain > 0.2 for gain in better) >= SEEDS / 2
    assert sum(better) / SEEDS > 5.0


def test_a_score_is_that_of_the_run_made_again_and_a_file_keeps_what_it_needs(tmp_path: Path) -> None:
    one = drill(3, "light")
    acts = acts_of(one, ByRunbook())
    assert acts
    with replayed(one.scenario, acts, one.length_s) as reader:
        live = score_of(reader, one)
        moments = told(one, reader.all_events(), acts, one.length_s)
    file = tmp_path / "anna.twin-drill.json"
    write_drill(DrillResult.of(one, acts, one.length_s, "anna"), file)
    assert file.stat().st_mode & 0o077 == 0
    kept = read_drill(file)
    assert kept.drill().faults == one.faults
    assert score_of_acts(kept.drill(), kept.done, kept.until_s) == live
    assert "score" not in {key.partition("_")[0] for key in kept.model_dump() if key != "note"}
    assert [moment.thing for moment in moments if moment.what == "fault"] == [f.target for f in one.faults]
    assert [moment.t_s for moment in moments] == sorted(moment.t_s for moment in moments)
    answered = [moment for moment in moments if moment.what == "alarm" and moment.good]
    assert any("as the runbook says" in moment.comment for moment in answered)


def test_a_file_that_is_no_result_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "x.twin-drill.json"
    for text in ("", "{}", '{"format": "twin/drill-result", "scene": 3}', "[" * 100_000):
        file.write_text(text)
        with pytest.raises(ResultError, match=r"x\.twin-drill\.json"):
            read_drill(file)


def test_points_are_shares_of_what_the_best_known_response_saves() -> None:
    def way(who: str, useful: float, shut: float = 0.0) -> Ranked:
        return Ranked(
            who, Score(useful, {harm.id: 0.0 for harm in HARMS} | {"shutdowns": shut}, 0, HOUR_S), ()
        )

    ranking = Ranking(way("nothing", 100.0), way("best", 150.0), (way("yours", 130.0, shut=2.0),))
    assert ranking.points(ranking.others[0]) == pytest.approx(100 * (130 - 4 - 100) / 50)
    assert [each.who for each in ranking.in_order] == ["best", "yours", "nothing"]
    assert "26.0 GPU-hours saved: 52 %" in ranking.words(ranking.others[0])
    worse = way("yours", 90.0)
    assert "10.0 GPU-hours worse" in ranking.words(worse)
    assert Ranking(way("nothing", 100.0), way("best", 100.0)).points(worse) is None


@pytest.mark.slow
def test_the_best_known_response_is_never_worse_than_those_it_is_compared_with() -> None:
    one = drill(3, "light")
    act = Intervention(at=CALM_S + 600.0, kind="requeue", target="llama3")
    ranking = ranked(one, (act,), ("runbook", "random"))
    best = ranking.best.score.value_gpu_h
    assert all(way.score.value_gpu_h <= best for way in (ranking.nobody, *ranking.others))
    assert ranking.in_order[0].score.value_gpu_h == best


def test_seen_events_keep_their_order_and_rows() -> None:
    one = drill(3, "light")
    with replayed(one.scenario, (), one.length_s) as reader:
        events = reader.all_events()
    shown = seen_of(events)
    assert len(shown) < len(events)
    rows = [event.row for event in shown]
    assert rows == sorted(set(rows))
    assert not any("inject" in event.text for event in shown)
