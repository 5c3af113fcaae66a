"""Drills: faults drawn by seed, what an operator sees of them, and responses ranked as they should be."""

from __future__ import annotations

import json
import os
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from twin import resources
from twin.lessons.drill import CALM_S, LATEST, LEAST_GAP_S, LEVELS, DrillError, OperatorDrill, drill_of
from twin.lessons.drill_acts import ACTS, why_no_act, why_not, without_refused
from twin.lessons.drill_comment import told
from twin.lessons.drill_policy import POLICIES, ByRunbook, acts_of
from twin.lessons.drill_result import DrillResult, read_drill, write_drill
from twin.lessons.drill_run import Ranked, Ranking, ranked
from twin.lessons.drill_score import HARMS, Score, score_of, score_of_acts
from twin.lessons.drill_sight import HIDDEN, SIGHTS, seen, seen_of
from twin.lessons.replay import replayed
from twin.lessons.result import DoneAct, ResultError, read_result
from twin.lessons.runbook import load_runbook
from twin.record.event_kinds import KINDS as EVENTS
from twin.record.event_kinds import ended_by
from twin.record.events import Event, Severity
from twin.scenario import ScenarioError, load, loads
from twin.scenario.file.effective_text import show
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


def test_what_cannot_be_a_drill_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DrillError, match="no level"):
        drill_of(row(), "fierce", 1)
    with pytest.raises(DrillError, match="lasts"):
        drill_of(row(), "light", 1, 60.0)
    with monkeypatch.context() as nothing_runs:  # before any engine is made
        nothing_runs.setattr("twin.lessons.drill.begun", _never)
        with pytest.raises(DrillError, match="no work"):
            drill_of(loads(_lab_without_work(), "idle"), "light", 1)
        nothing_runs.setattr("twin.lessons.drill.incidents_at_rates", lambda *_, **__: ())
        with pytest.raises(DrillError, match="nothing in this scene can fail"):
            drill_of(row(), "light", 1)


def _never(*_: object) -> None:
    raise AssertionError("an engine is made for a scene that is refused")


def _lab_without_work() -> str:
    """Return the scene of the laboratory without its job, and without what speaks of it."""
    document = load("builtin:lab-16")
    scenario = document.scenario.model_copy(
        update={"jobs": (), "chapters": (), "interventions": (), "exclusions": ()}
    )
    return show(scenario, exact=True)


def test_faults_keep_their_distance_and_none_comes_twice() -> None:
    for level, seed, length_s in (
        ("heavy", 0, 0.5 * HOUR_S),
        ("heavy", 1, 0.5 * HOUR_S),
        ("heavy", 2, HOUR_S),
        ("medium", 3, HOUR_S),
    ):
        faults = drill_of(load("builtin:lab-16"), level, seed, length_s).faults
        times = [fault.at_s for fault in faults]
        room_s = (LATEST * length_s - CALM_S) / len(faults)
        least_s = min(LEAST_GAP_S, room_s) - 10.0  # times are of whole ten seconds
        assert all(after - before >= least_s for before, after in pairwise(times)), times
        assert CALM_S <= times[0] <= times[-1] <= LATEST * length_s + 5.0
        assert len({(fault.kind, fault.target) for fault in faults}) == len(faults)


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
    told = {
        "step": 40,
        "lost_s": 12.0,
        "on": "gpu/0/1/2",
        "why": "gpu/0/1/2 failed (injected)",
        "injected": 1,
    }
    text = "a interrupted: gpu/0/1/2 failed (injected); rolled back to step 40 (12 s lost)"
    interrupted = seen(Event(9, 600.0, "job_interrupted", "a", Severity.WARNING, text, told))
    assert interrupted is not None
    assert interrupted.text == "a interrupted: gpu/0/1/2 failed; rolled back to step 40 (12 s lost)"
    assert "injected" not in str(interrupted.data)


def test_an_operator_breaks_nothing_and_edits_only_set_points() -> None:
    assert why_no_act("pump_stop")
    assert not why_no_act("repair")
    allowed = EditChange(path="cooling.plants[water].supply", value="18 degC")
    wall = EditChange(path="halls[hall].overrides[gpu/0/3].absent", value="true")
    assert not why_not(Edit(id="a", at=1.0, changes=(allowed,)))
    assert "halls[hall]" in why_not(Edit(id="b", at=1.0, changes=(allowed, wall)))


NO_RUNBOOK = {
    "job_refused": "of what was asked for, not of the hall",
    "refused": "of what was asked for, not of the hall",
    "job_requeued": "what the operator or the scheduler did",
    "job_shrunk": "what the job's own policy did",
    "job_given_up": "over: nothing can be done",
    "does_not_fit": "of the scene",
    "input_bound": "of the scene",
    "trace_cut": "of the scene",
    "corruption_found": "corruption is not drawn in drills",
    "part_missing": "nodes wait for the supplier",
    "lemon_out": "what the fleet's own policy did",
    "health_check": "what the fleet's own policy did",
    "ramp_exceeded": "over when it is seen",
    "below_dew_point": "of the set point chosen",
}
"""Kinds of alarms about which no operator can do anything, and why."""


def test_the_runbook_says_something_about_every_alarm_that_a_drill_can_show() -> None:
    runbook = load_runbook()
    shown = {
        (sight.kind if (sight := SIGHTS.get(kind.id)) and sight.kind else kind.id)
        for kind in EVENTS.values()
        if kind.severity >= Severity.WARNING and kind.id not in HIDDEN
    }
    assert {kind for kind in shown if runbook.entry(kind) is None} == set(NO_RUNBOOK)
    for entry in runbook.entries:
        said = " ".join(entry.do).lower()
        for act, words in WORDS.items():
            if any(each.act == act for each in (*entry.acts, *entry.also)):
                assert any(word in said for word in words), (entry.title, act)


WORDS = {
    "repair": ("technician", "mend"),
    "cap": ("cap ", "cap."),
    "replace": ("drain",),
    "requeue": ("requeue",),
}
"""How the runbook tells people to do what counts as an answer."""


@pytest.mark.parametrize("seed", [3])
@pytest.mark.slow
def test_a_good_response_is_better_than_none_and_none_better_than_a_random_one(seed: int) -> None:
    one = drill(seed, "light")
    came = values(one)
    assert came["runbook"] > came["nothing"] + 1.0
    assert came["nothing"] > came["random"]


@pytest.mark.slow
def test_responses_are_ranked_as_they_should_be_over_twenty_seeds() -> None:
    came = [values(drill(seed)) for seed in range(SEEDS)]
    for seed, value in enumerate(came):
        assert value["random"] < value["nothing"], seed
        assert value["runbook"] >= value["nothing"] - 0.01, seed
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


def _kept(file: Path) -> DrillResult:
    write_drill(DrillResult.of(drill(3, "light"), (), HOUR_S), file)
    return read_drill(file)


def test_acts_that_no_operator_has_or_the_hall_refuses_give_no_score(tmp_path: Path) -> None:
    one, kept = drill(3, "light"), _kept(tmp_path / "x.twin-drill.json")
    broken = Intervention(at=700.0, kind="fail", target="gpu/0/0/0")
    wall = EditChange(path="jobs[llama3].nodes", value="1")
    for act in (broken, Edit(id="a", at=700.0, changes=(wall,))):
        with pytest.raises(DrillError, match=r"no such act|stays as it is"):
            score_of_acts(one, (act,))
        tampered = kept.model_copy(update={"acts": (DoneAct.of(act),)})
        with pytest.raises(DrillError, match=r"no such act|stays as it is"):
            tampered.drill()
    with pytest.raises(DrillError, match="nope"):
        score_of_acts(one, (Intervention(at=700.0, kind="repair", target="nope"),))


def test_an_edit_that_the_hall_took_back_is_none_of_what_was_done() -> None:
    supply = EditChange(path="cooling.plants[water].supply", value="18 degC")
    colder, again = Edit(id="a", at=700.0, changes=(supply,)), Edit(id="b", at=800.0, changes=(supply,))
    sent = _act("repair", "a")  # no edit, though of the same name
    refused = Event(4, 700.0, "refused", "a", Severity.WARNING, "does not fit", {})
    assert without_refused((colder, again, sent), (refused,)) == (again, sent)


def test_a_result_names_a_scene_beside_it_and_opens_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "x.twin-drill.json"
    kept = _kept(file)
    for name in ("/etc/passwd", "../other.twin.yaml", "a/b.twin.yaml", "builtin:../x", "passwd"):
        file.write_text(json.dumps(kept.model_dump(mode="json") | {"scene": name}))
        with pytest.raises(ResultError, match="scene"):
            read_drill(file)
    os.mkfifo(tmp_path / "pipe.twin.yaml")
    piped = kept.model_copy(update={"scene": "pipe.twin.yaml"})
    with pytest.raises(ScenarioError, match="regular"):
        piped.drill(tmp_path)
    os.mkfifo(tmp_path / "pipe.twin-drill.json")
    for reader in (read_drill, read_result):
        with pytest.raises(ResultError, match="regular"):
            reader(tmp_path / "pipe.twin-drill.json")


def test_a_result_of_an_own_scene_is_of_its_text(tmp_path: Path) -> None:
    mine = tmp_path / "mine.twin.yaml"
    mine.write_text((resources.folder("scenes") / "lab-16.twin.yaml").read_text())
    one = drill_of(load(mine), "light", 2, 0.5 * HOUR_S)
    kept = DrillResult.of(one, (), 1800.0)
    assert kept.scene == mine.name  # and not where it lies on this computer
    assert kept.drill(tmp_path).faults == one.faults
    mine.write_text(mine.read_text().replace("seed: 1 ", "seed: 2 "))
    with pytest.raises(DrillError, match="not the text"):
        kept.drill(tmp_path)


HEAVY = ("blackout", "heavy", 0, HOUR_S)
SHOWN = [
    ("lab-16", "medium", 1, 2 * HOUR_S),
    HEAVY,
    pytest.param("pump-trip", "medium", 1, 2 * HOUR_S, marks=pytest.mark.slow),
    pytest.param("superpod-h100", "medium", 1, 2 * HOUR_S, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("scene", "level", "seed", "length_s"), SHOWN)
def test_who_does_what_the_runbook_says_is_not_accused(
    scene: str, level: str, seed: int, length_s: float
) -> None:
    one = drill_of(load(f"builtin:{scene}"), level, seed, length_s)
    acts = acts_of(one, ByRunbook())
    with replayed(one.scenario, acts, one.length_s) as reader:
        events = reader.all_events()
    moments = told(one, events, acts, one.length_s)
    assert [moment.comment for moment in moments if moment.good is False] == []
    if (scene, level, seed, length_s) == HEAVY:
        ignored = told(one, events, (), one.length_s)
        assert [moment for moment in ignored if moment.good is False]


def _judged(kind: str, thing: str, act: Intervention | None, until_s: float = HOUR_S) -> bool | None:
    """Return how an alarm of minute 20 is judged that goes on, where this is all that was done."""
    alarm = Event(1, 1200.0, kind, thing, EVENTS[kind].severity, "", {})
    moments = told(drill(3, "light"), (alarm,), () if act is None else (act,), until_s)
    return next(moment.good for moment in moments if moment.what == "alarm")


def _act(kind: str, target: str, value: str | None = None) -> Intervention:
    return Intervention(at=1260.0, kind=kind, target=target, value=value)


def test_what_answers_an_alarm_is_what_the_runbook_says_about_its_subject() -> None:
    cap = _act("power_cap", "all", "700 W")
    for kind, thing in (
        ("throttle_on", "cdu/0"),
        ("on_battery", "ups-a/0"),
        ("generator_failed", "gen/0"),
        ("shutdown", "gpu/0/0"),
    ):
        assert _judged(kind, thing, cap) is True, kind
    assert _judged("pump_stop", "cdu/0", _act("repair", "cdu/0")) is True
    assert _judged("supply_warm", "cdu/0", _act("repair", "water")) is True  # upstream of it
    assert _judged("pump_stop", "cdu/0", None) is False
    assert _judged("pump_stop", "cdu/0", _act("repair", "cdu/1")) is False  # of another row
    assert _judged("pump_stop", "cdu/0", None, until_s=1400.0) is None  # too short to be blamed
    assert _judged("throttle_on", "gpu/0/0/0/0", None) is None  # a drain pays or does not
    assert _judged("power_failure", "utility/0", None) is None  # nobody on site mends the grid
    assert _judged("on_battery", "ups-a/0", None) is None  # a cap helps only where no source comes


def test_an_act_is_right_or_not_judged() -> None:
    alarm = Event(1, 1200.0, "pump_stop", "cdu/0", Severity.ALARM, "", {})
    wrong = (_act("drain", "gpu/0/0/0"), _act("repair", "cdu/0").model_copy(update={"at_s": 3000.0}))
    moments = told(drill(3, "light"), (alarm,), wrong, HOUR_S)
    assert [moment.good for moment in moments if moment.what == "act"] == [None, None]


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
