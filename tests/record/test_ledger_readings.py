"""The ledger as known at a time depends on that time alone; in hindsight, ranges sum to the whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from twin.record.accounts import ACCOUNTS, KEPT_STEP
from twin.record.bookings import AT_REST, Booked, Bookings, decode_bookings, joined
from twin.record.ledger_reading import read_ledger
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load

STOPS_S = (9.3 * 3600.0, 9.75 * 3600.0, 15.2 * 3600.0)


def rate(account: str, gpus: float) -> np.ndarray:
    made = np.zeros(len(ACCOUNTS))
    made[ACCOUNTS.index(account)] = gpus
    return made


def booked() -> Booked:
    """Eight GPUs step from 0 to 100 s, save at 60 s, fail at 100 s and are known to at 130 s; two are spare."""
    bookings = Bookings()
    bookings.spent(0, 0.0, 60.0, rate("productive", 8.0))
    bookings.kept(0, 60.0, 60.0)
    bookings.spent(0, 60.0, 100.0, rate("productive", 8.0))
    bookings.lost(0, 100.0, 8.0 * 40.0)
    bookings.spent(0, 100.0, 130.0, rate("detection", 8.0))
    lasting = [(0, 130.0, rate("productive", 8.0)), (AT_REST, 0.0, rate("idle_spare", 2.0))]
    return bookings.take(150.0, lasting)


@pytest.mark.parametrize(
    ("t0_s", "t1_s", "productive", "lost", "provisional", "before"),
    [
        (0.0, 50.0, 50.0, 0.0, 50.0, 0.0),  # nothing is safe yet
        (0.0, 100.0, 100.0, 0.0, 40.0, 0.0),  # what happens at the end belongs to what follows
        (0.0, 101.0, 60.0, 40.0, 0.0, 0.0),
        (80.0, 110.0, 0.0, 20.0, 0.0, 20.0),
        (100.0, 120.0, 0.0, 0.0, 0.0, 40.0),
        (0.0, 150.0, 80.0, 40.0, 20.0, 0.0),
    ],
)
def test_as_known_counts_what_had_happened(
    t0_s: float, t1_s: float, productive: float, lost: float, provisional: float, before: float
) -> None:
    for known in (booked(), booked().before(t1_s)):
        found = read_ledger(known, t0_s, t1_s)
        assert found.gpu_s["productive"] == 8.0 * productive
        assert found.gpu_s["lost_work"] == 8.0 * lost
        assert found.provisional_gpu_s == 8.0 * provisional
        assert found.lost_before_gpu_s == pytest.approx(8.0 * before)
        assert sum(found.gpu_s.values()) == pytest.approx(10.0 * (t1_s - t0_s))


def test_in_hindsight_work_is_lost_where_it_was_done() -> None:
    found = [read_ledger(booked(), t, t + 30.0, hindsight=True) for t in (30.0, 60.0, 90.0, 120.0)]
    assert [one.gpu_s["lost_work"] for one in found] == [0.0, 8.0 * 30.0, 8.0 * 10.0, 0.0]
    assert [one.gpu_s["productive"] for one in found] == [8.0 * 30.0, 0.0, 0.0, 8.0 * 20.0]
    assert all(sum(one.gpu_s.values()) == pytest.approx(300.0) for one in found)


def test_bookings_are_read_as_they_were_written_and_stretches_join() -> None:
    whole = booked()
    again = decode_bookings(whole.encode())
    assert all(
        np.array_equal(getattr(again, name), getattr(whole, name)) for name in ("begin_s", "end_s", "job")
    )
    first = whole.before(90.0)
    rest = Bookings()
    rest.spent(0, 60.0, 100.0, rate("productive", 8.0))
    rest.lost(0, 100.0, 320.0)
    both = joined(
        [
            first,
            rest.take(100.0, [(0, 100.0, rate("detection", 8.0)), (AT_REST, 0.0, rate("idle_spare", 2.0))]),
        ]
    )
    for t_s in (50.0, 90.0, 100.0):
        assert read_ledger(both, 0.0, t_s).gpu_s == read_ledger(whole, 0.0, t_s).gpu_s


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[float, Path]:
    """lab-16, whose node fails at 9 h, stopped at several times and run to its end (0)."""
    folder, scene = tmp_path_factory.mktemp("readings"), load("builtin:lab-16").scenario
    made = {}
    for until_s in (*STOPS_S, 0.0):
        made[until_s] = folder / f"{until_s:.0f}.twinrun"
        run(scene, record=made[until_s], until_s=until_s or None)
    return made


@pytest.mark.parametrize("t_s", STOPS_S)
@pytest.mark.parametrize("from_s", [0.0, 8.9 * 3600.0])
def test_a_run_that_goes_on_says_the_same_of_its_past_as_one_that_stopped(
    recorded: dict[float, Path], t_s: float, from_s: float
) -> None:
    with Reader(recorded[0.0]) as whole, Reader(recorded[t_s]) as stopped:
        known, then = whole.ledger_range(from_s, t_s), stopped.ledger_range(from_s, t_s)
        summary = stopped.summary
    assert known.gpu_s == then.gpu_s  # exactly
    assert (known.provisional_gpu_s, known.losses) == (then.provisional_gpu_s, then.losses)
    assert summary is not None
    if from_s == 0.0:
        assert known.gpu_s == pytest.approx(summary["ledger_gpu_s"], rel=1e-9, abs=1e-6)


def test_in_hindsight_ranges_sum_to_the_whole_and_as_known_they_need_not(recorded: dict[float, Path]) -> None:
    with Reader(recorded[0.0]) as reader:
        edges = np.linspace(0.0, reader.t_end_s, 100)
        pairs = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
        hindsight = [reader.ledger_range(a, b, hindsight=True) for a, b in pairs]
        known = [reader.ledger_range(a, b) for a, b in pairs]
        summary = reader.summary
    assert summary is not None
    whole = summary["ledger_gpu_s"]
    for name in ACCOUNTS:
        assert sum(one.gpu_s[name] for one in hindsight) == pytest.approx(whole[name], rel=1e-9, abs=1e-6)
    assert sum(one.gpu_s["lost_work"] for one in known) < whole["lost_work"]
    for one in (*known, *hindsight):
        assert sum(one.gpu_s.values()) == pytest.approx(16 * (one.t1_s - one.t0_s), rel=1e-12)
        assert min(one.gpu_s.values()) >= 0.0
    for one in hindsight:
        assert one.provisional_gpu_s <= sum(one.gpu_s[name] for name in KEPT_STEP) * (1 + 1e-12)


def test_figures_of_samples_are_those_of_the_summary(recorded: dict[float, Path]) -> None:
    with Reader(recorded[0.0]) as reader:
        times, figures = reader.figures()
        summary = reader.summary
    assert summary is not None
    assert times[-1] == summary["simulated_s"]
    for name, values in figures.items():
        at: object = summary
        for part in name.split("."):
            at = at.get(part) if isinstance(at, dict) else None
        if at is not None:
            assert values[-1] == pytest.approx(at, rel=1e-9), name
    assert figures["mfu"][-1] == pytest.approx(summary["jobs"][0]["mfu"], rel=1e-9)
