"""Whether a window can be opened here, and a virtual one for pictures where none can.

``python -m twin.cli.display`` exits with 0 when there is a display, with 1 when there is none.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from twin.cli.errors import Failure
from twin.report.stage import has_display

__all__ = ["has_display", "in_virtual_display"]

_START_WALL_S = 20.0
_PUT_AWAY_WALL_S = 1.0


def in_virtual_display(arguments: Sequence[str], width: int, height: int) -> int:
    """Run ``twin`` with `arguments` again in a process that has an Xvfb of its own; return its exit code.

    A process of its own, because Qt ends the program when its display goes away before it.

    Raises
    ------
    Failure
        When Xvfb is not there or does not start.
    """
    program = shutil.which("Xvfb")
    if program is None:
        raise Failure(
            "there is no display here and no Xvfb to make one; install it (Debian: sudo apt-get install xvfb)"
        )
    read, write = os.pipe()
    screen = f"{max(width, 640)}x{max(height, 480)}x24"
    server = subprocess.Popen(
        [program, "-displayfd", str(write), "-screen", "0", screen, "-nolisten", "tcp", "-noreset"],
        pass_fds=(write,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C in the terminal is for us, who then end it
    )
    os.close(write)
    try:
        number = _number(read)
        if number is None:
            raise Failure("Xvfb did not start, so there is no display to draw on")
        environment = {**os.environ, "DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
        environment.pop("WAYLAND_DISPLAY", None)
        return _awaited(subprocess.Popen([sys.executable, "-m", "twin.cli", *arguments], env=environment))
    finally:
        server.terminate()
        server.wait()


def _awaited(command: subprocess.Popen[bytes]) -> int:
    """Return the exit code of a command; an interrupted one gets time to clean up."""
    try:
        return command.wait()
    except KeyboardInterrupt:
        with suppress(subprocess.TimeoutExpired):  # a terminal tells both of us
            return command.wait(_PUT_AWAY_WALL_S)
        command.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return command.wait(10 * _PUT_AWAY_WALL_S)
        command.kill()
        raise


def _number(read: int) -> int | None:
    """Return the display number that Xvfb writes once it listens; None when it ends without."""
    with os.fdopen(read, "rb") as pipe:
        ready, _, _ = select.select([pipe], [], [], _START_WALL_S)
        line = pipe.readline() if ready else b""
    return int(line) if line.strip().isdigit() else None


if __name__ == "__main__":
    sys.exit(0 if has_display() else 1)
