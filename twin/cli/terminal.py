"""Standard output and error of the program: control sequences in documents never reach the terminal.

What is written is made printable on its way out. Styles of tables come in by another door: rich writes them, after the
same has been done to every piece of text of it.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from twin.shown_text import printable


class PrintableOutput(io.TextIOWrapper):
    """A stream that writes text as `printable` makes it.

    Where its reader has left, as `head` does, the command is over: quietly, and nothing has failed.
    """

    def write(self, text: str, /) -> int:
        """Write a text; return how much was asked for."""
        with self._while_read():
            super().write(printable(text))
        return len(text)

    def write_styled(self, text: str) -> None:
        """Write text whose pieces are printable already, with codes of styles between them."""
        with self._while_read():
            super().write(text)

    def flush(self) -> None:
        """Hand on all that is written."""
        with self._while_read():
            super().flush()

    @contextmanager
    def _while_read(self) -> Iterator[None]:
        """End the program with 0 when the reader of its output has gone; further output is discarded."""
        try:
            yield
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            raise SystemExit(0) from None


class _Styled:
    """The same stream for rich, which may write codes."""

    def __init__(self, stream: PrintableOutput) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write_styled(text)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def styled(stream: Any) -> IO[str] | None:
    """Return the stream for styled text of rich, whose parts are printable already; None: the stream as it is."""
    return cast(IO[str], _Styled(stream)) if isinstance(stream, PrintableOutput) else None


def guard() -> None:
    """Let standard output and error of this process write printable text alone."""
    sys.stdout = _guarded(sys.stdout)
    sys.stderr = _guarded(sys.stderr)


def _guarded(stream: Any) -> Any:
    """Return the stream with the guard; one that is not there, or has no bytes below it, stays as it is."""
    if not isinstance(stream, io.TextIOWrapper) or isinstance(stream, PrintableOutput):
        return stream
    stream.flush()
    return PrintableOutput(
        stream.buffer,
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
