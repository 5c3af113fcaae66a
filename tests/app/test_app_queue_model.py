"""The queue's history, plan and picture, without a window."""

from __future__ import annotations

import numpy as np
import pytest

from twin.app.queue import gantt_colours as codes
from twin.app.queue.gantt_boxes import paint_boxes
from twin.app.queue.gantt_model import Lanes, gpu_axis, rows_mask, ticks, time_axis, windows
from twin.app.queue.growing_columns import End
from twin.app.queue.history import JobHistory
from twin.app.queue.moves import move, why_not
from twin.app.queue.plan import planned_boxes, waiting_order
from twin.app.queue.tenant_facts import Partitions, tenant_lines
from twin.app.toolkit.clock import Clock
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.record.events import Event, Severity
from twin.record.frame import Frame, FrameLayout
from twin.scenario.schema.document import Scenario

_LOAD = {"kind": "load", "gpu": "80 %"}


def _job(id: str, **more: object) -> dict[str, object]:
    return {"id": id, "run": "1 h", "workload": _LOAD, **more}


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    """Eight nodes of eight GPUs, six in `big`, two in `small`."""
    rack = {"part": "DGX-H100", "count": 2}
    return Scenario.model_validate(
        {
            "format": "twin/scenario",
            "version": 3,
            "catalog": "2026.11",
            "title": "Eight nodes",
            "start": "2026-03-09T07:30+01:00",
            "duration": "1 day",
            "halls": [
                {
                    "id": "hall",
                    "rows": [
                        {"id": "big", "racks": {"count": 3, "nodes": [rack]}},
                        {
                            "id": "small",
                            "at": {"x": "0 m", "y": "6 m"},
                            "racks": {"count": 1, "nodes": [rack]},
                        },
                    ],
                }
            ],
            "tenants": [{"id": "uni", "quota": 16, "share": 3}, {"id": "bank"}],
            "partitions": [
                {"id": "long", "rows": ["big"], "tenants": ["uni"]},
                {"id": "short", "rows": ["small"], "limit": "30 min"},
            ],
            "reservations": [
                {"id": "patch", "kind": "maintenance", "at": "10 h", "for": "1 h", "rows": ["small"]}
            ],
            "jobs": [
                _job("a", tenant="uni", nodes=2),
                _job("b", tenant="bank", nodes=4, limit="2 h"),
                _job("c", tenant="uni", nodes=1, gpus=3),
                _job("d", tenant="uni", nodes=1, gpus=5),
                _job("e", mig="1g.10gb", nodes=1, partition="short"),
            ],
        }
    )


@pytest.fixture(scope="module")
def plant(scenario: Scenario) -> Plant:
    return build(scenario)


@pytest.fixture
def history(scenario: Scenario, plant: Plant) -> JobHistory:
    return JobHistory(scenario, plant)


def _event(t_s: float, kind: str, subject: str, where: str = "", text: str = "", **data: int | str) -> Event:
    return Event(0, t_s, kind, subject, Severity.INFO, text, data, where)


def _boxes(history: JobHistory) -> list[tuple[str, float, float, float, float, End]]:
    s = history.spans
    return [
        (history.jobs[j].id, low, high, begin, end, End(how))
        for j, low, high, begin, end, how in zip(
            s.job.tolist(), s.low.tolist(), s.high.tolist(), s.begin_s.tolist(), s.end_s.tolist(), s.how.tolist(),
            strict=True,
        )
    ]  # fmt: skip


def test_boxes_follow_starts_and_ends(history: JobHistory) -> None:
    history.add(
        [
            _event(0, "job_submitted", "a", gpus=16),
            _event(5, "job_started", "a", "0-1", nodes=2),
            _event(9, "job_submitted", "b", gpus=32),
            _event(10, "job_started", "b", "2,4-6", nodes=4),
            _event(60, "job_requeued", "a"),
            _event(70, "job_killed", "b"),
        ]
    )
    assert _boxes(history) == [
        ("a", 0, 16, 5, 60, End.REQUEUED),
        ("b", 16, 24, 10, 70, End.KILLED),
        ("b", 32, 56, 10, 70, End.KILLED),
    ]
    assert list(history.waiting) == [history.index["a"]]
    uni, bank, _ = history.accounts
    times = np.array([4.0, 5.0, 59.0, 61.0])
    assert uni.held.at(times).tolist() == [0, 16, 16, 0]
    assert bank.held.at(np.array([10.0, 70.0])).tolist() == [32, 0]
    assert history.waiting_gpus.at(np.array([1.0, 6.0, 9.5, 65.0])).tolist() == [16, 0, 32, 16]
    assert (uni.starts, uni.waited_s) == (1, 5.0)


def test_a_preempted_job_keeps_its_gpus_until_its_state_is_saved(history: JobHistory) -> None:
    history.add(
        [
            _event(0, "job_started", "a", "0-1"),
            _event(50, "job_preempted", "a"),
            _event(55, "job_requeued", "a"),
            _event(90, "job_started", "a", "3,7"),
        ]
    )
    assert next(box[3:] for box in _boxes(history)) == (0, 55, End.PREEMPTED)
    assert history.holds(history.index["a"]) == [(24, 32), (56, 64)]
    assert history.nodes_of(history.index["a"]) == [3, 7]


def test_parts_of_a_node_lie_beside_each_other(history: JobHistory) -> None:
    history.add(
        [
            _event(0, "job_started", "c", "6"),
            _event(1, "job_started", "d", "6"),
            _event(2, "job_started", "e", "7"),
        ]
    )
    assert history.holds(history.index["c"]) == [(48, 51)]
    assert history.holds(history.index["d"]) == [(51, 56)]
    low, high = history.holds(history.index["e"])[0]
    assert (low, high - low) == (56, pytest.approx(1 / 7))
    history.add([_event(3, "job_done", "c"), _event(4, "job_started", "c", "6")])
    assert history.holds(history.index["c"]) == [(48, 51)]


@pytest.mark.parametrize("values", [{"job_id": "a"}, {}])  # files of older versions do not name the job
def test_a_spare_stands_for_the_node_that_failed(
    history: JobHistory, plant: Plant, values: dict[str, str]
) -> None:
    ids = plant.nodes.ids
    history.add(
        [
            _event(0, "job_started", "a", "0-1"),
            _event(10, "failure", f"{ids[1]}/3", repair=600, job=0),
            _event(20, "spare_taken", ids[5], "0,5", text="is told in any words", node=5, **values),
        ]
    )
    assert sorted(history.holds(history.index["a"])) == [(0, 8), (40, 48)]
    assert history.accounts[0].held.now == 16
    assert history.failures.column(1).tolist() == [11]
    ended = [box for box in _boxes(history) if box[5] is End.CHANGED]
    assert [(low, high, end) for _, low, high, _, end, _ in ended] == [(0, 16, 20)]


def test_events_of_a_larger_hall_are_taken_as_far_as_this_one_has_their_nodes(
    history: JobHistory, plant: Plant
) -> None:
    last = len(plant.nodes.ids) - 1
    history.add(
        [
            _event(0, "job_started", "a", f"0-1,{last}-{last + 4}"),
            _event(20, "spare_taken", plant.nodes.ids[5], f"0,5,{last + 2}", text="joins a", node=5),
            _event(30, "job_started", "b", f"{last + 1}-{last + 3}"),
        ]
    )
    assert sorted(history.holds(history.index["a"])) == [(0, 8), (40, 48)]
    assert history.holds(history.index["b"]) == []


def test_boxes_never_overlap_and_sum_to_what_is_held(history: JobHistory) -> None:
    rng, t_s, running = np.random.default_rng(3), 0.0, set[str]()
    free = set(range(8))
    nodes: dict[str, list[int]] = {}
    for _ in range(400):
        t_s += 1.0
        name = str(rng.choice(["a", "b"]))
        if name in running:
            kind = str(rng.choice(["job_done", "job_requeued", "job_killed"]))
            history.add([_event(t_s, kind, name)])
            free |= set(nodes.pop(name))
            running.discard(name)
        else:
            wanted = 2 if name == "a" else 4
            chosen = rng.choice(sorted(free), wanted, replace=False).tolist()
            history.add([_event(t_s, "job_started", name, ",".join(map(str, chosen)))])
            nodes[name] = chosen
            free -= set(chosen)
            running.add(name)
    held = np.zeros((64, 402))
    for _, low, high, begin, end, _ in _boxes(history):
        held[int(low) : int(high), int(begin) : int(min(end, 402))] += 1
    assert held.max() == 1
    at = np.arange(402.0)
    together = sum(account.held.at(at) for account in history.accounts)
    assert np.array_equal(held.sum(axis=0), together)


def test_the_order_is_the_schedulers_where_it_tells(history: JobHistory, plant: Plant) -> None:
    history.add([_event(t, "job_submitted", name) for t, name in enumerate("abc")])
    frame = Frame.empty(FrameLayout({"job": 5}))
    frame.values["job.place"][:3] = (3, 1, 2)
    assert waiting_order(history, frame) == [1, 2, 0]
    assert waiting_order(history, None) == [0, 1, 2]


def test_planned_jobs_take_what_will_be_free(history: JobHistory) -> None:
    history.add([_event(0, "job_started", "b", "0-3"), _event(1, "job_submitted", "a", gpus=16)])
    frame = Frame.empty(FrameLayout({"job": 5}))
    frame.values["job.planned_s"][0] = 600.0
    (box,) = planned_boxes(history, frame, 10.0)
    assert (box.low, box.high, box.begin_s, box.end_s) == (32, 48, 600.0, 4200.0)  # b is there for its 2 h
    frame.values["job.planned_s"][0] = 7200.0
    assert planned_boxes(history, frame, 10.0)[0].low == 0  # by then it is gone
    history.add([_event(5, "job_moved", "a", partition=1)])
    assert planned_boxes(history, frame, 10.0)[0].low == 48  # only there


def test_small_boxes_are_seen_and_large_ones_leave_a_gap() -> None:
    picture = np.zeros((20, 100), np.uint8)
    edges = [np.array(each) for each in ([0, 50, 99], [40, 50, 200], [0, 10, 10], [20, 10, 12])]
    paint_boxes(picture, *edges, np.array([1, 2, 3], np.uint8))
    assert (picture == 1).sum() == 39 * 19
    assert np.argwhere(picture == 2).tolist() == [[10, 50]]
    assert np.argwhere(picture == 3).tolist() == [[10, 99], [11, 99]]


def test_pictures_of_many_boxes_are_those_of_boxes_painted_one_by_one() -> None:
    rng = np.random.default_rng(1)
    left, top = rng.integers(-10, 120, 3000), rng.integers(-10, 60, 3000)
    right, bottom = left + rng.integers(1, 4, 3000), top + rng.integers(1, 4, 3000)
    code = rng.integers(1, 200, 3000).astype(np.uint8)
    picture, expected = np.zeros((50, 100), np.uint8), np.zeros((50, 100), np.uint8)
    paint_boxes(picture, left, right, top, bottom, code)
    for x0, x1, y0, y1, c in zip(left, right, top, bottom, code, strict=True):
        expected[max(y0, 0) : max(y1, 0), max(x0, 0) : max(x1, 0)] = c
    assert np.array_equal(picture, expected)
    assert codes.CODES <= 256


def test_zoom_keeps_the_place_under_the_pointer() -> None:
    axis = time_axis(86_400.0)
    axis.zoom(4.0, 20_000.0)
    assert (20_000.0 - axis.low) / (axis.high - axis.low) == pytest.approx(20_000 / 86_400)
    assert axis.high - axis.low == pytest.approx(21_600.0)
    axis.move(1e9)
    assert axis.high == 86_400.0
    axis.zoom(1e9, 80_000.0)
    assert axis.high - axis.low == axis.closest
    axis.show_all()
    assert axis.whole
    assert gpu_axis(0).high == 1.0


def test_ticks_stand_at_round_hours_of_the_site(scenario: Scenario) -> None:
    axis = time_axis(6 * 3600.0)
    found = ticks(axis, Clock.of(scenario), 600.0, 84.0)
    assert [words for _, words in found] == ["08:00", "09:00", "10:00", "11:00", "12:00", "13:00"]
    assert found[0][0] == 1800.0


def test_lanes_are_as_deep_as_there_is_room(plant: Plant, scenario: Scenario) -> None:
    lanes = Lanes(plant, scenario)
    assert len(lanes.shown(0, 64, 40.0)) == 2  # rows
    assert [lane.name for lane in lanes.shown(0, 64, 60.0)] == plant.racks.ids
    assert [lane.name for lane in lanes.shown(0, 64, 400.0)] == plant.nodes.ids
    assert [len(parts) for _, parts in lanes.partitions] == [1, 1]


def test_maintenance_is_where_the_run_says(scenario: Scenario, history: JobHistory) -> None:
    (window,) = windows(scenario, history)
    assert (window.low, window.high, window.begin_s, window.end_s) == (48, 64, 36_000, 39_600)
    history.add([_event(36_000, "reservation_on", "patch", "7")])
    assert windows(scenario, history)[0].low == 56


def test_a_partition_holds_the_nodes_of_its_rows_and_none_where_no_row_stands(
    scenario: Scenario, plant: Plant
) -> None:
    assert rows_mask(plant, ("small",)).tolist() == [False] * 6 + [True] * 2
    empty = build(scenario.model_copy(update={"halls": (scenario.halls[0].model_copy(update={"rows": ()}),)}))
    assert rows_mask(empty, ("small",)).tolist() == []


def test_who_may_be_moved_where(scenario: Scenario, history: JobHistory) -> None:
    history.add([_event(0, "job_submitted", name) for name in "abce"] + [_event(1, "job_started", "c", "0")])
    assert why_not(scenario, history, "a", "long") == ""
    assert "for uni, not for bank" in why_not(scenario, history, "b", "long")
    assert "more time" in why_not(scenario, history, "b", "short")
    assert "already" in why_not(scenario, history, "e", "short")
    assert "only queued jobs" in why_not(scenario, history, "c", "short")
    history.add([_event(5, "job_moved", "a", partition=0)])
    assert "already" in why_not(scenario, history, "a", "long")
    asked = move("a", "long", 12.0)
    assert (asked.kind, asked.target, asked.value, asked.at_s) == ("move", "a", "long", 12.0)


def test_tenants_and_partitions_in_figures(scenario: Scenario, history: JobHistory) -> None:
    history.add(
        [
            _event(0, "job_submitted", "a", gpus=16),
            _event(30, "job_started", "a", "5-6"),
            _event(40, "job_submitted", "e", gpus=1),
        ]
    )
    uni, bank, nobody = tenant_lines(scenario, history)
    assert (uni.held_gpus, uni.quota_gpus, uni.share, uni.wait_mean_s) == (16, 16, 0.25, 30.0)
    assert uni.fair_share == pytest.approx(0.6)
    assert bank.quota_gpus is None
    assert (nobody.waiting_jobs, nobody.waiting_gpus) == (1, 1)
    long, short = Partitions(scenario, history).lines()
    assert (long.gpus, long.held_gpus, long.waiting_jobs) == (48, 8, 0)
    assert (short.gpus, short.held_gpus, short.waiting_jobs) == (16, 8, 1)
