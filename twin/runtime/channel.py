"""One end of the pipe between app and worker. Neither sending nor receiving ever blocks.

A pair of sockets in place of `multiprocessing.Pipe`, whose `send` blocks when the pipe is full. What does not
fit waits here until the next `flush`. Both ends are this program's own processes, joined by an unnamed socket
pair, so messages travel as multiprocessing itself sends them.
"""

from __future__ import annotations

import select
import socket
import struct
from collections import deque
from multiprocessing.reduction import ForkingPickler
from typing import Generic, TypeVar

_LENGTH = struct.Struct("!Q")
_CHUNK_BYTES = 1 << 18
_CLOGGED_BYTES = 1 << 16

Sent = TypeVar("Sent")
Got = TypeVar("Got")


class MessageChannel(Generic[Sent, Got]):
    """Messages of type `Sent` out, of type `Got` in.

    Parameters
    ----------
    end
        One end of a connected pair of stream sockets; the channel owns it.
    """

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._socket = end
        self._out: deque[memoryview] = deque()
        self._waiting_bytes = 0
        self._in = bytearray()
        self.closed = False

    @property
    def idle(self) -> bool:
        """Say whether everything sent has left."""
        return not self._out

    @property
    def clogged(self) -> bool:
        """Say whether the other end is slow to read: leave out what will be said again."""
        return self._waiting_bytes > _CLOGGED_BYTES

    def send(self, message: Sent) -> None:
        """Queue `message` and pass on what the socket takes now."""
        body = memoryview(ForkingPickler.dumps(message)).cast("B")
        for part in (memoryview(_LENGTH.pack(len(body))), body):
            self._out.append(part)
            self._waiting_bytes += len(part)
        self.flush()

    def flush(self) -> None:
        """Pass on what the socket takes now."""
        while self._out and not self.closed:
            try:
                count = self._socket.send(self._out[0])
            except (BlockingIOError, InterruptedError):
                return
            except OSError:  # the other process is gone; what it said last can still be read
                self._out.clear()
                self._waiting_bytes = 0
                return
            self._waiting_bytes -= count
            if count < len(self._out[0]):
                self._out[0] = self._out[0][count:]
            else:
                self._out.popleft()

    def receive(self) -> list[Got]:
        """Return the whole messages that have arrived; sets `closed` when the other end is gone."""
        self._read()
        messages: list[Got] = []
        begin = 0
        while len(self._in) - begin >= _LENGTH.size:
            size = _LENGTH.unpack_from(self._in, begin)[0]
            end = begin + _LENGTH.size + size
            if len(self._in) < end:
                break
            messages.append(ForkingPickler.loads(self._in[begin + _LENGTH.size : end]))
            begin = end
        del self._in[:begin]
        return messages

    def wait(self, timeout_s: float) -> None:
        """Sleep until something can be read, or what waits can be sent, or the time is over."""
        if not self.closed:
            select.select([self._socket], [self._socket] if self._out else [], [], max(timeout_s, 0.0))

    def close(self) -> None:
        """Hang up."""
        self.closed = True
        self._socket.close()

    def _read(self) -> None:
        while not self.closed:
            try:
                data = self._socket.recv(_CHUNK_BYTES)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:  # reset: the other process was killed with data on its way
                data = b""
            if not data:
                self.closed = True
                return
            self._in += data
            if len(data) < _CHUNK_BYTES:
                return
