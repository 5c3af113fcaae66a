"""Why a run was slow in a range: the accounts are those of the ledger, and what is named is what happened."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from twin.analysis.account_words import account_title
from twin.analysis.event_spans import spans
from twin.analysis.explain import Explanation, explain
from twin.analysis.explain_causes import Roots, stretches
from twin.analysis.figures import FIGURES
from twin.record.accounts import ACCOUNTS
from twin.record.events import Event, Severity
from twin.record.reader import Reader


def whole(path: Path) -> Explanation:
    with Reader(path) as reader:
        return explain(reader, 0.0, reader.t_end_s)


@pytest.mark.parametrize("name", ["lab-16", "pump-trip", "blackout"])
def test_shares_are_those_of_the_ledger_and_sum_to_all(runs: dict[str, Path], name: str) -> None:
    found = whole(runs[name])
    with Reader(runs[name]) as reader:
        summary = reader.summary
    assert summary is not None
    ledger = summary["ledger_gpu_s"]
    assert found.productive_gpu_s == pytest.approx(ledger["productive"], rel=1e-12)
    assert {one.account: one.gpu_s for one in found.lost} == pytest.approx(
        {account: gpu_s for account, gpu_s in ledger.items() if gpu_s and account != "productive"}, rel=1e-12
    )
    assert found.installed_gpu_s == pytest.approx(summary["installed_gpu_s"], rel=1e-12)
    shares = [one.share for one in found.lost]
    assert shares == sorted(shares, reverse=True)
    assert math.fsum([found.productive_share, *shares]) == pytest.approx(1.0, abs=1e-12)
    for one in found.lost:
        assert sum(cause.gpu_s for cause in one.causes) <= one.gpu_s * (1.0 + 1e-9)


def test_ranges_side_by_side_are_the_whole_in_hindsight(runs: dict[str, Path]) -> None:
    with Reader(runs["blackout"]) as reader:
        parts = [explain(reader, a, a + 1800.0, hindsight=True) for a in np.arange(0.0, 7200.0, 1800.0)]
    all_of_it = whole(runs["blackout"])
    for lost in all_of_it.lost:
        pieces = [part.of(lost.account) for part in parts]
        assert math.fsum(one.gpu_s for one in pieces if one) == pytest.approx(lost.gpu_s, rel=1e-9)


def test_a_throttle_names_its_loop_its_pump_and_the_minutes(runs: dict[str, Path]) -> None:
    heat = whole(runs["pump-trip"]).of("thermal_throttle")
    assert heat is not None
    (cause,) = heat.causes
    assert cause.subject == "cdu/0"
    assert [event.kind for event in cause.events] == ["throttle_on", "pump_stop", "throttle_off"]
    assert cause.gpu_s == heat.gpu_s
    told = r"cdu/0, up to 14\d GPUs, throttled from 10:00:11 to 10:00:42, after 2 of 2 pumps stopped for 20 s"
    assert re.match(told, heat.text)
    assert cause.from_s == cause.events[0].t_s
    assert cause.events[1].row == 4  # the second pump, in the same second: one of two is not the cause


def test_what_jobs_lose_to_heat_is_named_apart_from_the_time_at_lower_clocks(runs: dict[str, Path]) -> None:
    """A few GPUs are clocked down, and all of their job wait for them: two measures, and two names."""
    heat = whole(runs["pump-trip"]).of("thermal_throttle")
    with Reader(runs["pump-trip"]) as reader:
        assert reader.summary is not None
        lowered_gpu_s = reader.summary["thermal"]["throttle_gpu_s"]
    assert heat is not None
    assert 0 < lowered_gpu_s < heat.gpu_s / 2
    assert heat.title == "thermal throttling"
    assert not {figure.title for figure in FIGURES} & {account_title(one) for one in ACCOUNTS}
    assert "throttled GPU time" in next(figure.title for figure in FIGURES if figure.key == "throttle_gpu_s")


def test_lost_work_names_the_dearest_failure_with_what_it_took(runs: dict[str, Path]) -> None:
    lost = whole(runs["lab-16"]).of("lost_work")
    assert lost is not None
    (cause,) = lost.causes
    assert cause.subject == "gpu/0/1/0"
    assert cause.objects == ("gpu/0/1/0", "llama3")
    assert "llama3 lost 1,494 s since its last checkpoint" in cause.text
    assert cause.gpu_s == pytest.approx(lost.gpu_s, rel=1e-3)


def test_what_went_dark_leads_back_to_the_battery(runs: dict[str, Path]) -> None:
    dark = whole(runs["blackout"]).of("idle_no_power")
    assert dark is not None
    assert dark.causes[0].objects == ("gpu/0", "ups-a/0", "utility/0")
    assert "battery exhausted" in dark.text
    assert dark.text.endswith("after utility/0: utility failed for 20 min (at 10:20:00)")


def test_work_lost_later_is_lost_in_hindsight_only(runs: dict[str, Path]) -> None:
    """The node of lab-16 fails at 9 h and takes 1,494 s of work, all of it done after 8.5 h."""
    with Reader(runs["lab-16"]) as reader:
        known = explain(reader, 0.0, 9.0 * 3600.0)
        later = explain(reader, 0.0, 9.0 * 3600.0, hindsight=True)
        after = explain(reader, 9.0 * 3600.0, 10.0 * 3600.0)
    assert known.of("lost_work") is None
    assert known.provisional_gpu_s == pytest.approx(1494.3 * 16, rel=1e-2)
    lost = later.of("lost_work")
    assert lost is not None
    assert lost.gpu_s == pytest.approx(1494.3 * 16, rel=1e-3)
    assert [cause.subject for cause in lost.causes] == ["gpu/0/1/0"]
    assert after.of("lost_work") is None  # it was done before
    assert after.lost_before_gpu_s == pytest.approx(lost.gpu_s, rel=1e-9)
    assert min(one.gpu_s for one in (*known.lost, *later.lost, *after.lost)) > 0.0


def test_a_range_without_the_trouble_does_not_tell_of_it(runs: dict[str, Path]) -> None:
    with Reader(runs["pump-trip"]) as reader:
        assert explain(reader, 3600.0, 7200.0).of("thermal_throttle") is None
        with pytest.raises(ValueError, match="is empty"):
            explain(reader, 3600.0, 3600.0)


def event(row: int, t_s: float, kind: str, subject: str, text: str = "", **data: int | str) -> Event:
    return Event(row, t_s, kind, subject, Severity.NOTICE, text, data)


def root(events: list[Event], row: int) -> int | None:
    """Return the row of what is behind an event."""
    found = Roots(events).of(events[row])
    return None if found is None else found.row


def test_of_what_was_said_of_one_trouble_the_last_before_its_effect_is_the_cause() -> None:
    events = [
        event(0, 10.0, "pump_stop", "cdu/0", "1 of 2"),
        event(1, 10.0, "pump_stop", "cdu/1", "1 of 2"),
        event(2, 10.0, "pump_stop", "cdu/0", "2 of 2"),
        event(3, 12.0, "throttle_on", "cdu/0"),
        event(4, 20.0, "pump_stop", "cdu/0", "partly mended"),
        event(5, 20.0, "pump_start", "cdu/0"),
        event(6, 30.0, "throttle_on", "cdu/1"),
        event(7, 40.0, "pump_stop", "cdu/1", "2 of 2"),
        event(8, 40.0, "throttle_on", "cdu/1"),
        event(9, 40.0, "pump_stop", "cdu/1", "still"),
    ]
    assert [root(events, row) for row in (3, 6, 8)] == [2, 1, 7]
    (first, second) = spans(events, ("pump_stop",), ("pump_start",))
    assert [one.row for one in first.again] == [2, 4]
    assert first.end is events[5]
    assert [one.row for one in second.again] == [7, 9]


def test_what_is_over_at_once_and_comes_again_is_another_trouble() -> None:
    events = [
        event(0, 10.0, "site_lost", "hall"),
        event(1, 90000.0, "site_lost", "hall"),
        event(2, 90060.0, "nodes_unpowered", "gpu/0", nodes=4),
    ]
    assert root(events, 2) == 1


def test_a_failure_of_the_same_moment_is_behind_the_job_that_names_it_alone() -> None:
    events = [
        event(0, 10.0, "failure", "gpu/1/1"),
        event(1, 10.0, "failure", "gpu/1/12/3"),
        event(2, 10.0, "job_interrupted", "llama3", on="gpu/1/12/3"),
        event(3, 20.0, "hang", "llama3"),
        event(4, 20.0, "failure", "gpu/1/1"),
        event(5, 20.0, "job_interrupted", "llama3"),
    ]
    assert (root(events, 2), root(events, 5)) == (1, 3)


def test_nodes_of_a_stretch_end_one_by_one() -> None:
    (span,) = spans(
        [
            event(0, 10.0, "nodes_unpowered", "gpu/0", nodes=4),
            event(1, 20.0, "restarted", "gpu/0/1", nodes=1),
            event(2, 40.0, "restarted", "gpu/0/2", nodes=3),
        ],
        ("nodes_unpowered",),
        ("restarted",),
    )
    assert span.end is not None
    assert span.within_s(0.0, 100.0) == 1 * 10.0 + 3 * 30.0
    assert span.within_s(15.0, 30.0) == 1 * 5.0 + 3 * 15.0
    assert not span.touches(41.0, 50.0)


def test_a_repair_of_a_node_ends_what_its_gpu_began_and_a_restart_is_no_repair() -> None:
    found = spans(
        [
            event(0, 1.0, "failure", "gpu/0/1/3", repair=100),
            event(1, 2.0, "failure", "gpu/0/2", repair=0),
            event(2, 9.0, "repaired", "gpu/0/1"),
        ],
        ("failure",),
        ("repaired",),
    )
    assert [(span.subject, span.end and span.end.t_s) for span in found] == [("gpu/0/1/3", 9.0)]


def stretches_of(account: str, events: list[Event]) -> list[tuple[str, float | None]]:
    """Return the things in the stretches of an account, and when each ended."""
    found = stretches(account, events, 0.0, 1000.0)
    return [(span.subject, None if span.end is None else span.end.t_s) for span in found]


def test_nodes_shut_down_or_cut_off_are_in_the_account_that_the_ledger_books_them_to() -> None:
    events = [
        event(0, 10.0, "shutdown", "gpu/0", nodes=2),
        event(1, 20.0, "fabric_fault", "leaf/0", nodes=3),
        event(2, 20.0, "fabric_fault", "leaf/1", nodes=0),
        event(3, 30.0, "restarted", "gpu/0", nodes=2),
        event(4, 40.0, "fabric_back", "leaf/0", nodes=3),
    ]
    assert stretches_of("idle_in_repair", events) == [("gpu/0", 30.0), ("leaf/0", 40.0)]
    assert stretches_of("idle_no_power", events) == []


def test_a_failed_switch_puts_no_node_in_repair() -> None:
    events = [
        event(0, 10.0, "failure", "leaf/0", repair=60),
        event(1, 20.0, "failure", "gpu/0/1", repair=60, job=-1),
        event(2, 80.0, "repaired", "gpu/0/1", job=-1),
    ]
    assert stretches_of("idle_in_repair", events) == [("gpu/0/1", 80.0)]


def test_a_job_that_shrinks_is_no_longer_noticing_its_failure_but_restarts_until_it_steps() -> None:
    events = [
        event(0, 10.0, "job_interrupted", "llama3", step=7),
        event(1, 20.0, "job_shrunk", "llama3", nodes=3),
        event(2, 50.0, "job_resumed", "llama3", step=7),
    ]
    assert stretches_of("detection", events) == [("llama3", 20.0)]
    assert stretches_of("restart_and_load", events) == [("llama3", 50.0)]


def test_a_node_that_a_check_has_found_bad_is_not_out_of_use_for_ever() -> None:
    """It works on until its job has left, and is repaired at once then."""
    assert stretches_of("idle_drained", [event(0, 10.0, "health_check", "gpu/0/1")]) == []


def test_what_began_twice_and_ends_one_by_one_lasts_until_the_last_end() -> None:
    events = [
        event(0, 10.0, "throttle_on", "cdu/0"),
        event(1, 20.0, "throttle_on", "cdu/0"),
        event(2, 30.0, "throttle_off", "cdu/0"),
        event(3, 50.0, "throttle_off", "cdu/0"),
    ]
    assert stretches_of("thermal_throttle", events) == [("cdu/0", 50.0)]
    found = [
        event(0, 10.0, "node_degraded", "gpu/0/1", job=0),
        event(1, 20.0, "node_degraded", "gpu/0/1", job=0),
        event(2, 30.0, "node_found", "gpu/0/1", repair=60),
    ]
    assert stretches_of("straggler", found) == [("gpu/0/1", 30.0)]
