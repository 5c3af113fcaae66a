"""Alarms stand until they end, count what repeats, and keep what a person has seen."""

from __future__ import annotations

from twin.record.alarms import Alarms
from twin.record.event_kinds import KINDS
from twin.record.events import Event, Severity


def event(t_s: float, kind: str, subject: str, severity: Severity = Severity.ALARM) -> Event:
    return Event(int(t_s), t_s, kind, subject, severity, f"{kind} of {subject}")


def test_an_alarm_is_active_until_the_event_that_ends_it() -> None:
    alarms = Alarms()
    assert alarms.add([event(600, "pump_stop", "cdu/0")])
    assert alarms.add([event(613, "throttle_on", "cdu/0", Severity.WARNING)])
    assert [a.kind for a in alarms.active()] == ["pump_stop", "throttle_on"]
    assert alarms.add([event(620, "pump_start", "cdu/0", Severity.NOTICE)])
    pump = alarms.of("pump_stop", "cdu/0")
    assert pump is not None
    assert (pump.active, pump.ended_s, pump.status) == (False, 620, "ended")
    assert alarms.active_count == 1
    assert [a.kind for a in alarms.all()] == ["throttle_on", "pump_stop"]
    assert not alarms.add([event(640, "pump_start", "cdu/1", Severity.NOTICE)])


def test_what_repeats_is_counted_and_asks_to_be_seen_again() -> None:
    alarms = Alarms()
    alarms.add([event(1, "breaker_trip", "pdu-a/3"), event(5, "breaker_closed", "pdu-a/3", Severity.NOTICE)])
    alarms.acknowledge_all()
    assert alarms.unseen_count == 0
    alarms.add([event(9, "breaker_trip", "pdu-a/3")])
    trip = alarms.of("breaker_trip", "pdu-a/3")
    assert trip is not None
    assert (trip.first_s, trip.last_s, trip.count, trip.active, trip.acknowledged) == (1, 9, 2, True, False)
    assert len(alarms) == 1


def test_less_severe_events_raise_none_and_what_does_not_last_is_never_active() -> None:
    alarms = Alarms()
    assert not alarms.add([event(1, "checkpoint", "llama3", Severity.INFO)])
    alarms.add([event(2, "does_not_fit", "llama3", Severity.WARNING)])
    assert (len(alarms), alarms.active_count) == (1, 0)
    assert alarms.all()[0].status == "happened"


def test_a_repaired_node_ends_the_failure_of_its_gpu() -> None:
    alarms = Alarms()
    alarms.add([event(1, "failure", "gpu/0/1/2/3"), event(1, "failure", "gpu/0/1/22/3")])
    alarms.add([event(9, "repaired", "gpu/0/1/2", Severity.INFO)])
    assert [a.subject for a in alarms.active()] == ["gpu/0/1/22/3"]


def test_no_kind_ends_itself() -> None:
    assert all(kind.id not in kind.ends for kind in KINDS.values())


def test_what_another_fault_still_holds_down_goes_on_being_an_alarm() -> None:
    """The run says so again after the first of two overlapping faults is mended."""
    alarms = Alarms()
    alarms.add([event(300, "pump_stop", "cdu/0"), event(300, "pump_stop", "cdu/0")])
    alarms.add([event(320, "pump_start", "cdu/0", Severity.NOTICE), event(320, "pump_stop", "cdu/0")])
    assert alarms.active_count == 1
    alarms.add([event(2700, "pump_start", "cdu/0", Severity.NOTICE)])
    pump = alarms.of("pump_stop", "cdu/0")
    assert pump is not None
    assert (pump.active, pump.first_s, pump.ended_s) == (False, 300, 2700)


def _event(row: int, kind: str, subject: str, severity: Severity, nodes: int) -> Event:
    return Event(row, float(row), kind, subject, severity, "", {"nodes": nodes})


def test_an_alarm_about_many_nodes_ends_with_the_last_of_them() -> None:
    alarms = Alarms()
    alarms.add([_event(0, "nodes_unpowered", "hall", Severity.ALARM, 30)])
    alarms.add([_event(1, "nodes_supplied", "gpu/0/1", Severity.NOTICE, 10)])
    assert alarms.active_count == 1
    alarms.add([_event(2, "nodes_supplied", "gpu/0", Severity.NOTICE, 20)])
    assert alarms.active_count == 0


def test_racks_that_went_off_one_by_one_come_back_as_one() -> None:
    alarms = Alarms()
    alarms.add([_event(k, "shutdown", f"gpu/0/{k}", Severity.ALARM, 18) for k in range(3)])
    alarms.add([_event(3, "shutdown", "gpu/0/2/5", Severity.ALARM, 1)])
    alarms.add([_event(4, "restarted", "gpu/0/1", Severity.INFO, 18)])
    assert {alarm.subject for alarm in alarms.active()} == {"gpu/0/0", "gpu/0/2", "gpu/0/2/5"}
    alarms.add([_event(5, "restarted", "hall", Severity.INFO, 37)])
    assert not alarms.active()


def test_a_failure_that_a_restart_mends_is_over_at_once() -> None:
    alarms = Alarms()
    bug = Event(1, 1.0, "failure", "gpu/0/1/2", Severity.ALARM, "software bug", {"repair": 0, "job": 0})
    alarms.add([bug])
    assert (len(alarms), alarms.active_count, alarms.all()[0].status) == (1, 0, "happened")
    away = Event(2, 2.0, "failure", "gpu/0/1/2", Severity.ALARM, "faulty GPU", {"repair": 600, "job": 0})
    alarms.add([away])
    assert alarms.active_count == 1
    alarms.add([event(602, "repaired", "gpu/0/1/2", Severity.INFO)])
    assert (alarms.active_count, alarms.all()[0].status) == (0, "ended")


def test_an_interrupted_job_is_an_alarm_until_it_steps_again() -> None:
    alarms = Alarms()
    alarms.add([event(1, "job_interrupted", "llama3"), event(2, "waiting_for_spare", "llama3")])
    alarms.add([event(3, "job_shrunk", "llama3", Severity.NOTICE)])
    assert [alarm.kind for alarm in alarms.active()] == ["job_interrupted"]
    alarms.add([event(4, "job_resumed", "llama3", Severity.NOTICE)])
    assert not alarms.active()


def test_a_job_back_in_the_queue_waits_for_no_spare() -> None:
    alarms = Alarms()
    alarms.add([event(1, "waiting_for_spare", "llama3"), event(2, "job_requeued", "llama3", Severity.NOTICE)])
    assert not alarms.active()


def test_missing_parts_are_an_alarm_until_all_that_wait_for_one_have_it() -> None:
    alarms = Alarms()
    alarms.add([event(1, "part_missing", "cards"), event(2, "part_missing", "cards")])
    alarms.add([Event(3, 3.0, "part_arrived", "cards", Severity.NOTICE, "", {"parts": 1, "still": 1})])
    assert [alarm.kind for alarm in alarms.active()] == ["part_missing"]
    alarms.add([Event(4, 4.0, "part_arrived", "cards", Severity.NOTICE, "", {"parts": 1, "still": 0})])
    assert not alarms.active()


def test_a_rack_of_which_nothing_goes_away_is_no_alarm_that_lasts() -> None:
    alarms = Alarms()
    data = {"nodes": 18, "cause": "bug", "lasts_s": 0.0}
    alarms.add([Event(1, 1.0, "failure", "gpu/0/1", Severity.ALARM, "", data)])
    assert (len(alarms), alarms.active_count) == (1, 0)


def test_a_carried_away_loop_ends_what_its_temperature_said() -> None:
    gone = {kind for kind in KINDS if (shows := KINDS[kind].evidence) is not None and shows.gear}
    assert {"inlet_hot", "supply_warm", "below_dew_point", "chiller_trip", "no_start"} <= gone
