"""What a client hears of its worker, polled as the timer of a window does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import active_children
from pathlib import Path

import pytest
from patience import HANG_S, wait_until

from twin.record.events import Event
from twin.runtime import client as client_module
from twin.runtime import shared_frames
from twin.runtime.client import Client
from twin.runtime.protocol import ENGINE, Happened, Message


@contextmanager
def one_client(folder: Path, engine: str = ENGINE) -> Iterator[Client]:
    """Yield a client whose state and frames lie in `folder`; afterwards neither worker nor frames are left."""
    frames = folder / "frames"
    frames.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TWIN_STATE_DIR", str(folder / "state"))
        patch.setattr(shared_frames, "memory_folder", lambda: frames)
        patch.setattr(client_module, "_CLOSE_WALL_S", HANG_S)  # a loaded machine may take its time
        client = Client(engine)
        try:
            yield client
        finally:
            client.close()
    assert not client.alive
    assert not active_children()
    assert not list(frames.iterdir())


def until(client: Client, wanted: Callable[[Message], bool]) -> list[Message]:
    """Poll until a message is `wanted`; return all messages."""
    messages: list[Message] = []

    def heard() -> bool:
        fresh = client.poll()
        messages.extend(fresh)
        return any(wanted(message) for message in fresh)

    wait_until(heard, "the worker does not say what the test waits for")
    return messages


def until_type(client: Client, kind: type) -> list[Message]:
    """Poll until a message of this type comes; return all messages."""
    return until(client, lambda message: isinstance(message, kind))


def events_of(messages: list[Message]) -> list[Event]:
    """Return the events that the messages tell."""
    return [event for message in messages if isinstance(message, Happened) for event in message.events]
