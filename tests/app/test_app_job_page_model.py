"""The page of a job and what can go wrong, without a window: against runs of the engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from twin.analysis.account_words import account_title
from twin.app.faults.break_choices import choices, injection, target_id, target_kind
from twin.app.faults.fault_groups import faults_near
from twin.app.faults.random_incidents import SPANS, draw, words_of
from twin.app.jobs import what_if_sampler
from twin.app.jobs.curves import JobCurves
from twin.app.jobs.events import EventFilter, JobEvents
from twin.app.jobs.model import STATE, job_text
from twin.app.jobs.page_facts import JobPage, job_page, limit_of
from twin.app.jobs.waterfall import QUEUE, REST, waterfall
from twin.app.jobs.what_if_sampler import RUNS, Estimate, Knobs, RiskSample, knobs_of
from twin.app.monitor.spares_facts import LastEvents, counts, pool_lines
from twin.app.planner.facts import pace_rows
from twin.app.queue.history import JobHistory
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.planning.risk.random_incidents import LEVELS, random_incidents
from twin.planning.risk.risk import risk_of
from twin.plant.build import build
from twin.record.account_titles import JOB_TIME_TITLES
from twin.record.channels import JobState, NodeCondition
from twin.record.events import Event, Severity
from twin.record.frame import Frame
from twin.scenario import load, parse_injection
from twin.scenario.checks.interventions import wrong
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.fault_kinds.kind import GROUPS
from twin.sim.engine.engine import Engine
from twin.sim.summary.summary import summarise

_SCENES = Path(__file__).parents[2] / "scenes"


class _Run:
    """A scene run by the engine, as the app sees it."""

    def __init__(self, scenario: Scenario, until_s: float) -> None:
        self.scenario, self.engine = scenario, Engine(scenario)
        self.plant = self.engine.plant
        self.history, self.events = JobHistory(scenario, self.plant), JobEvents()
        self.events.begin(self.history.index)
        self.told = 0
        self.advance(until_s)

    def advance(self, until_s: float) -> None:
        self.engine.advance(until_s)
        fresh = list(self.engine.events(self.told))
        self.told += len(fresh)
        self.history.add(fresh)
        self.events.add(fresh)
        self.frame = Frame.empty(self.engine.layout)
        self.engine.fill(self.frame)

    @property
    def world(self) -> World:
        return World(self.scenario, self.plant, load_catalog(), self.frame)

    def page(self, job: str) -> JobPage:
        page = job_page(self.world, self.history, self.events, job)
        assert page is not None
        return page


@pytest.fixture(scope="module")
def lab() -> _Run:
    """The smallest scene after its one failure was repaired."""
    return _Run(load(_SCENES / "lab-16.twin.yaml").scenario, 60_000.0)


def test_a_waterfall_sums_to_the_whole_and_names_what_is_left_over() -> None:
    spent = {"job.productive_s": 600.0, "job.lost_s": 100.0, "job.restart_s": 0.01}
    made = waterfall(1000.0, 200.0, spent, away=False)
    assert [piece.account for piece in made.pieces] == [QUEUE, "lost_work", REST, "productive"]
    assert sum(piece.value for piece in made.pieces) == pytest.approx(1000.0)
    assert made.pieces[2].value == pytest.approx(100.0)
    assert waterfall(1000.0, 200.0, spent, away=True).pieces[2].title == "In a cloud"
    exact = waterfall(900.0, 200.0, spent, away=False)
    assert REST not in [piece.account for piece in exact.pieces]
    assert exact.productive_s == pytest.approx(600.0)
    assert waterfall(0.0, 0.0, {}, away=False).pieces[-1].value == 0.0


def test_the_page_tells_where_the_time_went(lab: _Run) -> None:
    page = lab.page("llama3")
    values = {piece.account: piece.value for piece in page.time.pieces}
    assert page.time.whole_s == pytest.approx(60_000.0)
    assert sum(values.values()) == pytest.approx(60_000.0)
    assert values["detection"] == pytest.approx(30.0, abs=0.01)
    # Since the last checkpoint; paces follow clocks exactly: 1,504.7 s with thermal steps of 4 s.
    assert values["lost_work"] == pytest.approx(1494.6, abs=1.0)
    # from 32,430 s to 43,200 s it held one node of two
    assert values["idle_reserved"] == pytest.approx(values[REST], rel=0.02)
    assert values["idle_reserved"] == pytest.approx(5385.0, rel=0.01)
    assert page.state == JobState.RUNNING
    assert page.state_words == "running"
    assert "2 nodes in 2 racks" in page.where
    assert page.progress.step > page.progress.durable > 0
    assert page.progress.total is None
    assert page.progress.ends_s is None


def test_a_job_that_is_to_come_does_not_wait() -> None:
    """In the list of jobs, in the inspector and on its page alike; it is submitted after an hour."""
    run = _Run(load(_SCENES / "recovery-policies.twin.yaml").scenario, 1800.0)
    index = run.history.index["spare-small-0"]
    job = run.history.jobs[index]
    assert job.submit_s == 3600.0
    assert job_text(job, index, run.frame, STATE) == "not submitted"
    assert run.page(job.id).state_words == "not submitted yet"
    assert pace_rows(run.world, index)[0].value == "not submitted"
    run.advance(3660.0)
    assert job_text(job, index, run.frame, STATE) != "not submitted"
    assert run.page(job.id).state_words != "not submitted yet"
    assert pace_rows(run.world, index)[0].value != "not submitted"


def test_the_history_holds_what_the_run_holds() -> None:
    run = _Run(load(_SCENES / "recovery-policies.twin.yaml").scenario, 0.0)
    for hour in range(5, 80, 5):
        run.advance(hour * 3600.0)
        rows = run.engine.jobs.rows
        assert [sorted(run.history.nodes_of(row.index)) for row in rows] == [
            sorted(row.nodes) for row in rows
        ], hour


def test_goodput_of_many_jobs_is_weighted_as_in_the_summary() -> None:
    """A job of five minutes counts for as little as it held."""
    run = _Run(load(_SCENES / "shared-cluster.twin.yaml").scenario, 40_000.0)
    assert len([row for row in run.engine.jobs.rows if row.end_s is not None]) > 20
    figures = summarise(run.engine)
    assert float(run.frame.values["site.goodput"][0]) == pytest.approx(100.0 * figures["goodput"])


def test_the_events_of_a_job_tell_cost_and_place(lab: _Run) -> None:
    lines = lab.events.lines("llama3", lab.plant)
    assert [line.event.t_s for line in lines] == sorted((line.event.t_s for line in lines), reverse=True)
    stop = next(line for line in lines if line.event.kind == "job_interrupted")
    assert stop.place == "gpu/0/1/0"
    assert stop.cost == "25 min lost, 3.0 h down"
    assert stop.why == "gpu/0/1/0 failed (injected)"
    assert stop.away_s == pytest.approx(43_361 - 32_400, abs=1.0)
    saved = [line for line in lines if EventFilter.CHECKPOINTS.holds(line)]
    assert {line.cost for line in saved} == {"271 steps"}
    assert [line.event.kind for line in lines if EventFilter.TROUBLE.holds(line)] == [
        "waiting_for_spare",
        "job_interrupted",
    ]
    assert lab.events.end_s("llama3") is None
    assert lab.events.lines("nobody", lab.plant) == []


def _two_jobs(**job: object) -> Scenario:
    data = {
        "format": "twin/scenario",
        "version": 3,
        "catalog": "2026.11",
        "title": "Two jobs",
        "start": "2026-03-09T08:00+01:00",
        "duration": "1 day",
        "halls": [
            {
                "id": "h",
                "rows": [{"id": "r", "racks": {"count": 2, "nodes": [{"part": "DGX-H100", "count": 1}]}}],
            }
        ],
        "cooling": {
            "plants": [{"id": "w", "kind": "chiller", "part": "chiller-air-cooled", "supply": "17 degC"}],
            "loops": [
                {
                    "id": "crah",
                    "kind": "air",
                    "part": "CRAH-chilled",
                    "units": 3,
                    "plant": "w",
                    "serves": ["r"],
                    "supply": "22 degC",
                }
            ],
        },
        "tenants": [{"id": "uni", "title": "University"}],
        "partitions": [
            {"id": "all", "title": "All", "rows": ["r"], "limit": "3 h"},
            {"id": "other", "rows": ["r"]},
        ],
        "jobs": [
            {"id": "a", "nodes": 2, "run": "2 h", "workload": {"kind": "load", "gpu": "80 %"}},
            {
                "id": "b",
                "tenant": "uni",
                "partition": "all",
                "nodes": 2,
                "submit": "30 min",
                "run": "1 h",
                "workload": {"kind": "load", "gpu": "80 %"},
                **job,
            },
        ],
    }
    return Scenario.model_validate(data)


def test_the_page_of_a_job_that_waits_runs_and_ends() -> None:
    run = _Run(_two_jobs(deadline="2 h"), 3600.0)
    page = run.page("b")
    assert page.state == JobState.QUEUED
    assert page.state_words == "queued: too few free nodes"
    assert page.facts.startswith("University  \N{MIDDLE DOT}  partition All  \N{MIDDLE DOT}  16 GPUs")
    assert {piece.account: piece.value for piece in page.time.losses} == {QUEUE: pytest.approx(1800.0)}
    assert page.progress.start_s is None
    assert page.progress.deadline_s == 7200.0

    run.advance(9000.0)
    page = run.page("b")
    began_s = run.events.first_s("b", "job_started")
    assert began_s is not None
    assert page.progress.start_s == began_s
    assert page.progress.limit_s == pytest.approx(began_s + 3 * 3600.0)  # of its partition
    assert page.progress.late  # after its deadline
    assert page.time.losses[0].value == pytest.approx(began_s - 1800.0, abs=1.0)

    run.advance(40_000.0)
    over = run.page("b")
    done_s = run.events.end_s("b")
    assert over.state == JobState.DONE
    assert over.progress.over
    assert over.progress.step == over.progress.durable == over.progress.total
    assert over.progress.now_s == done_s == pytest.approx(page.progress.ends_s, rel=0.005)
    assert over.time.whole_s == pytest.approx(done_s - 1800.0)
    assert sum(piece.value for piece in over.time.pieces) == pytest.approx(over.time.whole_s)
    assert over.where == ""


def test_a_picture_of_the_hall_before_an_edit_says_not_where_a_job_runs(lab: _Run) -> None:
    gpus = replace(lab.plant.gpus, node=lab.plant.gpus.node[:-8])
    world = World(lab.scenario, replace(lab.plant, gpus=gpus), load_catalog(), lab.frame)
    page = job_page(world, lab.history, lab.events, "llama3")
    assert page is not None
    assert page.where == ""
    assert page.state == JobState.RUNNING
    assert lab.page("llama3").where


def test_a_killed_job_says_so() -> None:
    run = _Run(_two_jobs(limit="20 min"), 12_000.0)
    assert limit_of(run.scenario, run.history.jobs[1], "all") == 1200.0
    page = run.page("b")
    assert (page.state, page.state_words) == (JobState.KILLED, "timed out")
    assert page.progress.now_s == pytest.approx(run.events.first_s("b", "job_started") + 1200.0)


def test_every_kind_that_is_offered_can_be_injected(lab: _Run) -> None:
    """Whatever menu and dialog offer is what the checks of a scene take."""
    scenario, plant = _two_jobs(), None
    kinds = set()
    for scenario in (lab.scenario, _two_jobs()):
        plant = build(scenario)
        things = [
            None,
            "gpu/0/0/0/0" if scenario is lab.scenario else "r/0/0/0",
            *plant.nodes.ids[:1],
            *plant.racks.ids[:1],
            *plant.rows.ids[:1],
            *plant.loops.ids[:1],
            *plant.plants.ids[:1],
            *plant.power.ids,
            *[job.id for job in scenario.jobs[-1:]],
        ]
        for thing in things:
            for choice in choices(scenario, plant, thing):
                kinds.add(choice.kind)
                text = injection(choice, target_id(thing, choice.kind), at="10 s", value=choice.value)
                asked = parse_injection(text)
                found = list(wrong(scenario, asked, lambda _id: "", load_catalog()))
                assert not found, (text, found)
                assert words_of(asked)
    assert {"slow", "hang", "corrupt", "pcie", "cancel", "requeue", "move", "site_loss"} <= kinds


def test_faults_are_grouped_and_reach_what_a_gpu_depends_on(lab: _Run) -> None:
    near = faults_near(lab.scenario, lab.plant, "gpu/0/0/0/3", lab.frame)
    assert list(near) == [group for group in GROUPS if group in near]
    targets = {group: {target for target, _ in found} for group, found in near.items()}
    assert "llama3" in targets["Jobs"]
    assert any(target is not None and "~" in target for target in targets["Network"])
    assert "pdu/0" in targets["Power"]
    assert {"crah/0", "water"} <= targets["Cooling"]
    assert targets["Site"] == {None}
    assert list(faults_near(lab.scenario, lab.plant, None, None))  # of the site alone
    for kind in KINDS.values():
        for target in kind.targets:
            assert kind.group_of(target) in GROUPS
    assert target_kind(lab.scenario, lab.plant, "nothing/at/all") is None


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("span", [name for name, _, _ in SPANS])
def test_random_incidents_always_have_something_in_its_span(lab: _Run, level: str, span: str) -> None:
    lasts_s = {name: lasts_s for name, _, lasts_s in SPANS}[span] or 50_000.0
    drawn = draw(lab.scenario, lab.plant, level, span, 7, 36_400.0, 86_400.0)  # type: ignore[arg-type]
    assert drawn.incidents
    assert all(36_400.0 <= one.at_s <= 36_400.0 + lasts_s for one in drawn.incidents)
    again = draw(lab.scenario, lab.plant, level, span, 7, 36_400.0, 86_400.0)  # type: ignore[arg-type]
    assert again == drawn
    assert str(len(drawn.incidents)) in drawn.words
    assert "seed 7" in drawn.words
    last = draw(lab.scenario, lab.plant, level, span, 7, 86_390.0, 86_400.0)  # type: ignore[arg-type]
    assert not last.incidents
    assert "no component can fail" in last.words


def test_incidents_on_a_built_plant_are_the_same(lab: _Run) -> None:
    built = random_incidents(lab.scenario, "heavy", 3, 0.0, 86_400.0, lab.plant)
    assert built == random_incidents(lab.scenario, "heavy", 3, 0.0, 86_400.0)


def test_the_spare_pool_counts_every_node_once() -> None:
    run = _Run(load(_SCENES / "recovery-policies.twin.yaml").scenario, 30_000.0)
    found, last = counts(run.frame), LastEvents()
    last.add(list(run.engine.events(0)), run.plant)
    assert sum(found.values()) == int(run.plant.nodes.present.sum())
    assert found[NodeCondition.IN_REPAIR] == 4
    lines = pool_lines(run.plant, run.frame, last)
    assert [line.id for line in lines[:4]] == [
        f"{row}/0/3/1" for row in ("spare", "requeue", "shrink", "drop")
    ]
    assert all("(injected)" in line.why and line.since_s == 21_600.0 for line in lines[:4])
    assert len(lines) == sum(found.values()) - found[NodeCondition.IN_USE]


def test_curves_of_a_job_follow_frames_and_forget_another_job() -> None:
    run, curves = _Run(_two_jobs(), 600.0), JobCurves()
    curves.follow(0, None)
    for until_s in (1200.0, 1800.0, 2400.0):
        run.advance(until_s)
        curves.add(run.frame)
    assert curves.history.times_s().tolist() == [1200.0, 1800.0, 2400.0]
    assert (curves.history.series("job.gpus") == 16).all()
    assert np.isfinite(curves.history.series("job.step_s")).all()
    curves.follow(1, None)
    assert not len(curves.history)
    curves.add(run.frame)
    assert np.isnan(curves.history.series("job.step_s")).all()  # it waits: it has no step time


def at_work(found: Estimate) -> float:
    """Return the share of the time in which a job has its nodes and can be interrupted."""
    lost = dict(found.losses)
    return 1.0 - lost[account_title("detection")] - lost[JOB_TIME_TITLES["job.spare_wait_s"].title]


def test_the_same_knobs_come_to_the_same_however_fast_a_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    document = load(_SCENES / "lab-16.twin.yaml")
    risk = risk_of(document.scenario, build(document.scenario), load_catalog())
    found = []
    for slice_wall_s in (0.0, 1e9):
        monkeypatch.setattr(what_if_sampler, "SLICE_WALL_S", slice_wall_s)
        made = RiskSample(risk, knobs_of(risk), seed=5)
        while not made.done:
            made.work()
        found.append(made.estimate())
    assert found[0] == found[1]


def test_slices_come_to_what_the_quick_model_says() -> None:
    document = load(_SCENES / "superpod-h100.twin.yaml")
    risk = risk_of(document.scenario, build(document.scenario), load_catalog())
    made = RiskSample(risk, knobs_of(risk), seed=5)
    assert made.estimate() is None
    while not made.done:
        made.work()
    found = made.estimate()
    assert found is not None
    assert found.runs == RUNS
    assert risk.exact_ettr is not None
    lost = sum(share for _, share in found.losses)
    assert found.ettr + lost == pytest.approx(1.0, abs=1e-6)
    assert found.low <= found.ettr <= found.high
    assert abs(found.ettr - risk.exact_ettr) < 0.01
    own = knobs_of(risk)
    worse = RiskSample(risk, Knobs(own.nodes, 0, own.interval_s, 4 * own.restart_s, 20.0), seed=5)
    while not worse.done:
        worse.work()
    much = worse.estimate()
    assert much is not None
    assert much.ettr < found.ettr - 3 * found.error
    # Who waits for nodes is not interrupted; while it has them, twenty times as often as before.
    struck = risk.model.nodes * risk.model.node_rate_s * risk.model.horizon_s
    assert found.interruptions / at_work(found) == pytest.approx(struck, rel=0.05)
    assert much.interruptions / at_work(much) == pytest.approx(20 * struck, rel=0.05)
    assert np.all((worse.curve() >= 0) & (worse.curve() <= 1))


def test_a_line_says_what_the_values_of_its_event_say_whatever_its_sentence_is(lab: _Run) -> None:
    values: dict[str, int | float | str] = {
        "step": 7,
        "lost_s": 1496.0,
        "why": "a NIC fell out",
        "on": "gpu/0/1/0",
    }
    events = JobEvents()
    events.begin(["llama3"])
    events.add(
        [
            Event(0, 10.0, "job_interrupted", "llama3", Severity.WARNING, "not to be read", values),
            Event(1, 20.0, "job_shrunk", "llama3", Severity.WARNING, "", {"nodes": 1, "planned_nodes": 2}),
            Event(2, 70.0, "job_resumed", "llama3", Severity.NOTICE, "not to be read", {"step": 7}),
        ]
    )
    resumed, shrunk, stop = events.lines("llama3", lab.plant)
    assert (stop.what, stop.why, stop.place) == ("interrupted", "a NIC fell out", "gpu/0/1/0")
    assert stop.cost == "25 min lost, 60 s down"  # until it steps, not until its nodes are chosen
    assert (shrunk.why, resumed.why) == ("1 of 2 nodes", "at step 7")


def test_a_line_of_an_older_run_file_shows_the_sentence_of_its_event(lab: _Run) -> None:
    told = "llama3 interrupted: faulty gpu on gpu/0/1/0; rolled back to step 7 (1,496 s lost)"
    events = JobEvents()
    events.begin(["llama3"])
    events.add([Event(0, 10.0, "job_interrupted", "llama3", Severity.WARNING, told, {"step": 7})])
    (stop,) = events.lines("llama3", lab.plant)
    assert (stop.why, stop.cost, stop.place) == (told.replace("faulty gpu", "faulty GPU"), "", "")
