"""Causes of losses weigh what the ledger booked to them: the largest is the largest, and all parts are the whole."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from twin.analysis.explain import Explanation, explain
from twin.analysis.incidents import incidents_of
from twin.analysis.loss_parts import LossParts
from twin.record.accounts import ACCOUNTS
from twin.record.bookings import AT_REST, Booked, Bookings
from twin.record.events import Event, Severity
from twin.record.frame import FrameLayout
from twin.record.ledger_reading import read_ledger
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load


def rate(**gpus: float) -> np.ndarray:
    made = np.zeros(len(ACCOUNTS))
    for account, count in gpus.items():
        made[ACCOUNTS.index(account)] = count
    return made


def event(row: int, t_s: float, kind: str, subject: str, **data: int | float | str) -> Event:
    return Event(row, t_s, kind, subject, Severity.WARNING, kind.replace("_", " "), data)


def reader_of(booked: Booked, end_s: float, jobs: tuple[str, ...] = ("llama3",)) -> Reader:
    """Return what reads a run of nodes of eight GPUs, of which there are only bookings."""
    header = SimpleNamespace(
        scenario=load("builtin:lab-16").scenario,
        ids={"job": jobs},
        layout=FrameLayout({"gpu": 16, "node": 2, "job": len(jobs)}),
    )

    def ledger_range(t0_s: float, t1_s: float, *, hindsight: bool = False) -> Any:
        return read_ledger(booked, t0_s, t1_s, hindsight=hindsight, inclusive=t1_s >= end_s)

    return cast(Reader, SimpleNamespace(header=header, t_end_s=end_s, ledger_range=ledger_range))


def explained(booked: Booked, end_s: float, events: list[Event], from_s: float = 0.0) -> Explanation:
    return explain(reader_of(booked, end_s), from_s, end_s, events)


def causes(found: Explanation, account: str) -> list[tuple[str, float]]:
    """Return the causes of an account, each with its GPU time; they are all of it."""
    lost = found.of(account)
    assert lost is not None
    assert sum(cause.gpu_s for cause in lost.causes) == pytest.approx(lost.gpu_s, rel=1e-12)
    return [(cause.text, pytest.approx(cause.gpu_s)) for cause in lost.causes]


def test_the_longest_stop_weighs_most_and_time_for_which_it_waited_is_not_its_restart() -> None:
    """Eight GPUs stop three times: for 110 s, for 110 s, and for 6,010 s of which they wait for a node for 1,000."""
    bookings, events, at_s = Bookings(), [event(0, 0.0, "job_submitted", "llama3", gpus=8)], 100.0
    for waits_s, restart_s in ((0.0, 100.0), (1000.0, 5000.0), (0.0, 100.0)):
        row, back_s = len(events), at_s + 10.0 + waits_s + restart_s
        events += [
            event(row, at_s, "job_interrupted", "llama3", why=f"fault {row}"),
            event(row + 1, back_s, "job_resumed", "llama3"),
        ]
        bookings.spent(0, at_s, at_s + 10.0, rate(detection=8.0))
        bookings.spent(0, at_s + 10.0, at_s + 10.0 + waits_s, rate(idle_reserved=8.0))
        bookings.spent(0, at_s + 10.0 + waits_s, back_s, rate(restart_and_load=8.0))
        at_s = back_s + 90.0
        bookings.spent(0, back_s, at_s, rate(productive=8.0))
    found = explained(bookings.take(at_s, ()), at_s, events)
    assert [gpu_s for _, gpu_s in causes(found, "restart_and_load")] == [40_000.0, 800.0, 800.0]
    assert [gpu_s for _, gpu_s in causes(found, "detection")] == [80.0, 80.0, 80.0]
    restart = found.of("restart_and_load")
    assert restart is not None
    assert "3 starts; largest: llama3 stopped" in restart.text
    assert "fault 3" in restart.text
    detection = found.of("detection")
    assert detection is not None
    assert detection.text.startswith("3 stops; largest, with 2 like it: llama3 stopped")
    late = explained(bookings_of_the_end(), 300.0, events_of_the_end(), from_s=200.0)
    assert [gpu_s for _, gpu_s in causes(late, "restart_and_load")] == [400.0], (
        "a range has its own part alone"
    )


def events_of_the_end() -> list[Event]:
    return [event(0, 100.0, "job_interrupted", "llama3"), event(1, 250.0, "job_resumed", "llama3")]


def bookings_of_the_end() -> Booked:
    bookings = Bookings()
    bookings.spent(0, 0.0, 100.0, rate(productive=8.0))
    bookings.spent(0, 100.0, 250.0, rate(restart_and_load=8.0))
    return bookings.take(300.0, [(0, 250.0, rate(productive=8.0))])


def test_a_failure_during_a_restart_has_the_cost_that_follows_it() -> None:
    bookings = Bookings()
    for from_s, account in ((100.0, "detection"), (110.0, "restart_and_load"), (150.0, "detection")):
        bookings.spent(0, from_s, {100.0: 110.0, 110.0: 150.0, 150.0: 160.0}[from_s], rate(**{account: 8.0}))
    bookings.spent(0, 160.0, 300.0, rate(restart_and_load=8.0))
    events = [
        event(0, 100.0, "job_interrupted", "llama3", why="first"),
        event(1, 150.0, "job_interrupted", "llama3", why="second"),
        event(2, 300.0, "job_resumed", "llama3"),
    ]
    found = explained(bookings.take(400.0, ()), 400.0, events)
    told = [(text[-6:].strip(": "), gpu_s) for text, gpu_s in causes(found, "restart_and_load")]
    assert told == [("second", 8.0 * 140.0), ("first", 8.0 * 40.0)]
    assert [gpu_s for _, gpu_s in causes(found, "detection")] == [80.0, 80.0]


def test_jitter_of_all_nodes_is_no_slow_node() -> None:
    """A tenth of each step waits for the slowest of eight GPUs; a straggler of 100 s makes steps a quarter longer."""
    bookings = Bookings()
    even = rate(productive=7.2, straggler=0.8)
    bookings.spent(0, 0.0, 500.0, even)
    bookings.spent(0, 500.0, 600.0, rate(productive=8 * 9 / 12.5, straggler=8 * 3.5 / 12.5))
    events = [event(0, 500.0, "straggler_on", "llama3"), event(1, 600.0, "straggler_off", "llama3")]
    booked = bookings.take(1000.0, [(0, 600.0, even)])
    whole, part = explained(booked, 1000.0, events), explained(booked, 1000.0, events, from_s=520.0)
    for found, jitter, slow in ((whole, 784.0, 160.0), (part, 371.2, 128.0)):
        (most, most_gpu_s), (less, less_gpu_s) = causes(found, "straggler")
        assert "jitter and chip spread of all nodes" in most
        assert less.startswith("llama3 slow from ")
        assert (most_gpu_s, less_gpu_s) == (jitter, slow)
    lost = whole.of("straggler")
    assert lost is not None
    assert lost.headline.startswith("waiting for the slowest GPU: 2 causes; largest: llama3 (83.1 %): jitter")


def test_nodes_in_repair_take_what_rests_there_and_no_more() -> None:
    """One node of eight is held by its job for 20 s, then rests; of another one no event tells."""
    bookings = Bookings()
    bookings.spent(AT_REST, 120.0, 300.0, rate(idle_in_repair=8.0))
    bookings.spent(AT_REST, 300.0, 400.0, rate(idle_in_repair=16.0))
    events = [
        event(0, 100.0, "failure", "gpu/0/1/3", repair=200, job=0),
        event(1, 350.0, "repaired", "gpu/0/1"),
    ]
    found = explained(bookings.take(400.0, ()), 400.0, events)
    (first, first_gpu_s), (rest, rest_gpu_s) = causes(found, "idle_in_repair")
    assert first.startswith("gpu/0/1/3 in repair")
    assert first_gpu_s == 8.0 * 230.0
    assert (rest, rest_gpu_s) == ("nodes of which no event tells", 8.0 * 50.0 + 16.0 * 50.0)


def test_a_restart_from_the_queue_tells_of_the_failure_that_sent_the_job_there() -> None:
    bookings = Bookings()
    bookings.spent(0, 100.0, 110.0, rate(detection=8.0))
    bookings.spent(0, 200.0, 260.0, rate(restart_and_load=8.0))
    events = [
        event(0, 100.0, "failure", "gpu/0/1"),
        event(1, 100.0, "job_interrupted", "llama3", why="faulty gpu on gpu/0/1", on="gpu/0/1"),
        event(2, 110.0, "job_requeued", "llama3", why="nodes lost"),
        event(3, 200.0, "job_started", "llama3"),
        event(4, 260.0, "job_running", "llama3"),
    ]
    found = explained(bookings.take(300.0, ()), 300.0, events)
    ((text, gpu_s),) = causes(found, "restart_and_load")
    assert gpu_s == 480.0
    assert text.endswith(": faulty gpu on gpu/0/1")


def test_work_that_a_job_loses_as_it_ends_is_told_too() -> None:
    bookings = Bookings()
    bookings.spent(0, 0.0, 100.0, rate(productive=8.0))
    bookings.lost(0, 100.0, 400.0)
    events = [
        event(0, 0.0, "job_submitted", "llama3", gpus=8),
        event(1, 100.0, "job_cancelled", "llama3", why="by hand"),
    ]
    ((text, gpu_s),) = causes(explained(bookings.take(150.0, ()), 150.0, events), "lost_work")
    assert gpu_s == 400.0
    assert "by hand at " in text
    assert "llama3 lost 50 s" in text


def test_planned_work_says_that_the_model_saves_nothing_first() -> None:
    bookings = Bookings()
    bookings.spent(0, 0.0, 100.0, rate(productive=8.0))
    bookings.lost(0, 100.0, 400.0)
    events = [
        event(0, 0.0, "job_submitted", "llama3", gpus=8),
        event(1, 100.0, "maintenance", "gpu/0/1", repair=100, job=0),
        event(2, 100.0, "job_interrupted", "llama3", why="planned work", on="gpu/0/1", lost_s=50.0),
    ]
    ((text, _),) = causes(explained(bookings.take(150.0, ()), 150.0, events), "lost_work")
    assert text.endswith("Planned work, but the model saves no checkpoint first; operators would.")


def agrees_with_the_ledger(path: Path) -> None:
    with Reader(path) as reader:
        t0_s = 0.4 * reader.t_end_s
        for from_s, to_s, hindsight in (
            (0.0, reader.t_end_s, False),
            (t0_s, 0.8 * reader.t_end_s, False),
            (0.0, t0_s, True),
        ):
            ledger = reader.ledger_range(from_s, to_s, hindsight=hindsight)
            seen_s = reader.t_end_s if hindsight else to_s
            parts = LossParts(reader, [e for e in reader.all_events() if e.t_s <= seen_s], ledger)
            for account, gpu_s in ledger.gpu_s.items():
                found = parts.of(account, gpu_s) if gpu_s > 0.0 and account != "productive" else []
                rounded = [round(part.gpu_s, 3) for part in found]
                assert rounded == sorted(rounded, reverse=True)
                if found:
                    assert sum(part.gpu_s for part in found) == pytest.approx(gpu_s, rel=1e-6), account


@pytest.mark.parametrize("name", ["lab-16", "pump-trip", "blackout"])
def test_all_parts_are_the_account(runs: dict[str, Path], name: str) -> None:
    agrees_with_the_ledger(runs[name])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "days"), [("llama3-16k", 12), ("repair-shop", 30), ("shared-cluster", 1)])
def test_longer_runs_name_the_largest_as_booked(tmp_path: Path, name: str, days: float) -> None:
    path = tmp_path / "run.twinrun"
    scene = load(f"builtin:{name}").scenario
    run(scene, record=path, until_s=min(days * 86_400.0, scene.duration_s))
    agrees_with_the_ledger(path)
    if name != "llama3-16k":
        return
    with Reader(path) as reader:
        found, incidents = explain(reader, 0.0, reader.t_end_s), incidents_of(reader)
    for account in ("detection", "restart_and_load", "lost_work"):
        most = max(incident.gpu_s.get(account, 0.0) for incident in incidents.all)
        lost = found.of(account)
        assert lost is not None
        assert lost.causes[0].gpu_s == pytest.approx(most, rel=1e-9)
        named = incidents.of_event(lost.causes[0].events[-2 if account == "lost_work" else 0])
        assert named is not None
        assert named.gpu_s[account] == pytest.approx(most, rel=1e-9)
