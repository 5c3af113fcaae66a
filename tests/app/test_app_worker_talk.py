"""What the worker says reaches the session in the order in which it matters."""

from types import SimpleNamespace
from typing import Any

import pytest

from twin.app.session import worker_messages
from twin.app.session.worker_messages import WorkerTalk
from twin.runtime.protocol import Applied, At, Message
from twin.scenario.schema.edit import Edit, EditChange

EDIT = Edit(id="edit-1", at=1.0, changes=(EditChange(path="title", value="Other"),))


def at(t_s: float, session: int = 1) -> At:
    return At(session, t_s, 0, True, False)


@pytest.fixture
def said() -> list[Message]:
    """Return what the worker says next."""
    return []


@pytest.fixture
def session(said: list[Message]) -> Any:
    def poll() -> list[Message]:
        now = said[:]
        said.clear()
        return now

    told: list[object] = []
    client = SimpleNamespace(poll=poll, session=1, intervene=lambda asked: 7)
    return SimpleNamespace(
        client=client,
        recording=None,
        t_s=0.0,
        finished=False,
        running=False,
        told=told,
        arrive=told.append,
        edit_applied=SimpleNamespace(emit=lambda number, t_s: told.append((number, t_s))),
    )


def test_of_many_times_the_newest_is_told_and_none_of_a_run_put_away(
    session: Any, said: list[Message]
) -> None:
    talk = WorkerTalk(session, SimpleNamespace(), SimpleNamespace())
    said += [at(1.0), at(2.0), at(3.0)]
    talk.listen()
    assert session.told == [3.0]
    said += [at(9.0, session=0)]
    talk.listen()
    assert session.told == [3.0]


def test_the_answer_to_an_edit_goes_before_the_times_that_came_with_it(
    session: Any, said: list[Message]
) -> None:
    talk = WorkerTalk(session, SimpleNamespace(), SimpleNamespace())
    number = talk.ask_edit(EDIT)
    said += [at(1.0)]
    talk.listen()
    assert talk.waits
    assert session.told == []
    said += [at(2.0), Applied(1, number, 2.5)]
    talk.listen()
    assert not talk.waits
    assert session.told == [(number, 2.5), 2.0]


def test_a_worker_slow_to_answer_holds_up_nothing(
    session: Any, said: list[Message], monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = WorkerTalk(session, SimpleNamespace(), SimpleNamespace())
    talk.ask_edit(EDIT)
    monkeypatch.setattr(worker_messages, "PATIENCE_WALL_S", 0.0)
    said += [at(1.0)]
    talk.listen()
    assert not talk.waits
    assert session.told == [1.0]
