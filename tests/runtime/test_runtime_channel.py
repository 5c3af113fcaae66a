"""The pipe between app and worker never blocks, keeps order, and notices the end."""

from __future__ import annotations

import socket

from twin.runtime.channel import MessageChannel


def pair() -> tuple[MessageChannel[object, object], MessageChannel[object, object]]:
    a, b = socket.socketpair()
    return MessageChannel(a), MessageChannel(b)


def test_messages_arrive_whole_and_in_order() -> None:
    one, two = pair()
    for number in range(100):
        one.send((number, "x" * number))
    assert two.receive() == [(n, "x" * n) for n in range(100)]
    assert two.receive() == []
    one.close()
    two.close()


def test_sending_to_one_who_does_not_read_returns() -> None:
    one, two = pair()
    big = bytes(5_000_000)
    one.send(big)
    one.send("after")
    assert one.clogged
    assert not one.idle
    got: list[object] = []
    while len(got) < 2:
        got += two.receive()
        one.flush()
    assert got == [big, "after"]
    assert one.idle
    assert not one.clogged
    one.close()
    two.close()


def test_what_was_said_before_hanging_up_is_still_heard() -> None:
    one, two = pair()
    one.send("last words")
    one.close()
    assert two.receive() == ["last words"]
    assert two.receive() == []
    assert two.closed
    two.send("into the void")
    two.close()


def test_who_speaks_after_the_other_hung_up_still_hears_what_was_said_last() -> None:
    one, two = pair()
    one.send("last words")
    one.close()
    two.send("into the void")
    two.flush()
    assert two.idle
    assert two.receive() == ["last words"]
    assert two.receive() == []
    assert two.closed
    two.close()


def test_waiting_ends_with_a_message() -> None:
    one, two = pair()
    one.send(1)
    two.wait(60.0)
    assert two.receive() == [1]
    two.wait(0.0)
    one.close()
    two.wait(60.0)
    assert two.receive() == []
    assert two.closed
    two.wait(60.0)
    two.close()
