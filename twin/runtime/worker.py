"""The worker process: a session that talks through a channel and draws into shared memory."""

from __future__ import annotations

import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from types import TracebackType

from twin.record.frame import Frame, FrameLayout
from twin.runtime.channel import MessageChannel
from twin.runtime.loading import engine_type
from twin.runtime.memory import forget, give_back
from twin.runtime.protocol import Failed, LoadScene, Message, Needs, Order, Reply, Segment, Stop
from twin.runtime.session import EngineSession
from twin.runtime.shared_frames import FrameWriter

SLICE_WALL_S = 0.02
"""So long orders wait for a run at work; looking at them four times as often costs it one part in thirty."""
NICENESS = 5
"""The window that somebody looks at goes before the run where both want a processor."""
_WAIT_WALL_S = 1.0
_PARTING_WALL_S = 2.0


def main(end: socket.socket, engine: str) -> None:
    """Serve the app at the other end until it says stop or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the app, which then says stop
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    worker = Worker(MessageChannel(end))
    with _LastWords(worker):
        engine_type(engine)  # imported now, so that the first load need not wait for it
        worker.serve(engine)


class Worker:
    """The `twin.runtime.session.Outlet` of the process, and its loop."""

    def __init__(self, channel: MessageChannel[Reply, Order]) -> None:
        self._channel = channel
        self._frames: FrameWriter | None = None
        self._orders: list[Order] = []
        self._opened = 0  # session that the frame memory was made for
        self.session = 0

    def serve(self, engine: str) -> None:
        """Take orders and run, turn by turn: one session after another."""
        while self._run(engine):
            self._let_go()

    def _run(self, engine: str) -> bool:
        """Serve one session; return whether the app asks for another."""
        with EngineSession(self, engine) as session:
            wait_s, loaded = 0.0, False
            while not self._channel.closed:
                if not self._orders:
                    self._channel.wait(wait_s)
                    self._orders += self._channel.receive()
                while self._orders:
                    if loaded and isinstance(self._orders[0], LoadScene):
                        return True
                    order = self._orders.pop(0)
                    if isinstance(order, Stop):
                        return False
                    if not isinstance(order, Segment):
                        self.session = order.session
                        loaded = loaded or isinstance(order, LoadScene)
                        session.handle(order)
                wait_s = session.turn(SLICE_WALL_S)
                self._channel.flush()
        return False

    def _let_go(self) -> None:
        """Keep nothing of the session that ended, before anything of the next one is made.

        Python gives memory back only by the MiB, and one number that outlives the run holds a whole one.
        """
        if self._frames is not None:
            self._frames.close()
            self._frames = None
        forget()
        waiting = ForkingPickler.dumps(self._orders)  # they came, and were read, while the run stood
        self._orders = []
        give_back()
        self._orders = ForkingPickler.loads(waiting)

    def send(self, message: Message, *, droppable: bool = False) -> None:
        """Say `message`, unless it may be left out and the app is slow to read."""
        if not (droppable and self._channel.clogged):
            self._channel.send(message)

    def open(self, session: int, layout: FrameLayout) -> str:
        """Ask the app for frame memory and wait for it; what else it says meanwhile is kept for later."""
        frames = self._frames
        if frames is not None and session == self._opened and frames.layout.counts == layout.counts:
            frames.layout = layout
            return frames.segment
        self._opened = session
        if frames is not None:
            frames.close()
            self._frames = None
        self._channel.send(Needs(session, layout))
        segment = ""
        while not segment:
            if self._channel.closed:
                raise SystemExit(0)
            self._channel.wait(_WAIT_WALL_S)
            self._channel.flush()
            for order in self._channel.receive():
                if isinstance(order, Segment) and order.session == session:
                    segment = order.segment
                else:
                    self._orders.append(order)
        self._frames = FrameWriter(segment, layout)
        return segment

    def write(self, fill: Callable[[Frame], None], speed: float) -> None:
        """Show the frame that `fill` writes."""
        if self._frames is not None:
            self._frames.write(fill, speed)

    def part(self) -> None:
        """Pass on what is still to be said, for a while."""
        for _ in range(int(_PARTING_WALL_S / 0.1)):
            if self._channel.idle or self._channel.closed:
                return
            self._channel.wait(0.1)
            self._channel.flush()
            self._channel.receive()


class _LastWords:
    """Tells the app what broke before the process ends; no error is held back."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and not isinstance(error, SystemExit):
            lines = "".join(traceback.format_exception(kind, error, trace))
            text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            self._worker.send(Failed(self._worker.session, text, lines))
        self._worker.part()
        if error is not None and not isinstance(error, SystemExit):
            sys.exit(1)
