"""The event hash covers what it should, nothing else, and continues from 32 bytes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from twin.record.events import Event, Severity
from twin.record.hash import EventHash, canonical

EVENT = Event(3, 12.3456, "failure", "gpu/3/12/1", Severity.ALARM, "A GPU fell.", {"repair": 4, "job": 1})


def digest(*events: Event) -> str:
    hash_ = EventHash()
    for event in events:
        hash_.update(event)
    return hash_.hexdigest()


def test_known_value_never_changes() -> None:
    assert canonical(EVENT) == b"12346|7:failure|10:gpu/3/12/1|3:job=1|6:repair=4"
    assert digest(EVENT) == "1c98261d9597603c54b5e0eb3a9a4dc8bcb6893497379379d3c6c0baef912257"


@pytest.mark.parametrize(
    "change", [{"row": 9}, {"text": "other"}, {"t_s": 12.34561}, {"severity": Severity.INFO}]
)
def test_words_and_rows_do_not_enter(change: dict[str, object]) -> None:
    assert digest(replace(EVENT, **change)) == digest(EVENT)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "repair"},
        {"subject": "gpu/3/12/2"},
        {"t_s": 12.347},
        {"data": {"repair": 4}},
        {"data": {"repair": 5, "job": 1}},
    ],
)
def test_outcomes_enter(change: dict[str, object]) -> None:
    assert digest(replace(EVENT, **change)) != digest(EVENT)  # type: ignore[arg-type]


def test_order_of_data_keys_is_irrelevant_and_order_of_events_is_not() -> None:
    other = replace(EVENT, data={"job": 1, "repair": 4})
    late = replace(EVENT, t_s=13.0)
    assert digest(other) == digest(EVENT)
    assert digest(EVENT, late) != digest(late, EVENT)


def test_neighbouring_fields_cannot_trade_letters() -> None:
    assert digest(replace(EVENT, kind="a", subject="bc")) != digest(replace(EVENT, kind="ab", subject="c"))


def test_continues_from_its_state() -> None:
    whole = EventHash()
    for k in range(10):
        whole.update(replace(EVENT, t_s=float(k)))
    half = EventHash()
    for k in range(5):
        half.update(replace(EVENT, t_s=float(k)))
    copied, carried = half.copy(), EventHash(half.state, half.count)
    for k in range(5, 10):
        copied.update(replace(EVENT, t_s=float(k)))
        carried.update(replace(EVENT, t_s=float(k)))
    assert copied.hexdigest() == carried.hexdigest() == whole.hexdigest()
    assert carried.count == 10
    assert half.hexdigest() != whole.hexdigest()


def test_wrong_state_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        EventHash(b"short")


def test_values_that_a_kind_does_not_declare_do_not_enter() -> None:
    assert digest(
        replace(EVENT, data={**EVENT.data, "lost_s": 3.5, "cause": "faulty_gpu", "gpu": 7})
    ) == digest(EVENT)


def test_of_a_kind_that_is_not_known_all_integers_enter() -> None:
    toy = replace(EVENT, kind="toy", data={"step": 4})
    assert digest(toy) != digest(replace(toy, data={"step": 5}))
    assert digest(toy) == digest(replace(toy, data={"step": 4, "lost_s": 1.5}))
