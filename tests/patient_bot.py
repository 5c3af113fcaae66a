"""pytest-qt's bot, whose waits end when what they wait for happens; only a hang ends them otherwise."""

from __future__ import annotations

from functools import partialmethod

from patience import HANG_S
from pytestqt.qtbot import QtBot

_HANG_MS = int(1e3 * HANG_S)


class PatientBot(QtBot):
    """A bot for which no wait has a time limit of its own."""

    waitUntil = partialmethod(QtBot.waitUntil, timeout=_HANG_MS)
    waitSignal = partialmethod(QtBot.waitSignal, timeout=_HANG_MS)
    waitSignals = partialmethod(QtBot.waitSignals, timeout=_HANG_MS)
    waitExposed = partialmethod(QtBot.waitExposed, timeout=_HANG_MS)
    waitActive = partialmethod(QtBot.waitActive, timeout=_HANG_MS)
