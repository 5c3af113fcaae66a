"""Where the CPU time of one thread goes: chosen functions are wrapped, each second counts for the innermost of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from time import thread_time
from typing import Any

REST = "Qt and the rest"


class PhaseTimer:
    """CPU seconds of the thread that made it, by phase.

    Attributes
    ----------
    cpu_s
        By phase, since the last `take`.
    """

    def __init__(self) -> None:
        self.cpu_s: dict[str, float] = {}
        self._inside = [REST]
        self._since_s = thread_time()

    def watch(self, phase: str, *places: str) -> None:
        """Count the time of these functions for a phase, without that of nested phases.

        Parameters
        ----------
        phase
            Name of it.
        places
            ``module:function`` or ``module:Class.method``, where it is looked up: before it is bound anywhere else.
        """
        for place in places:
            module, _, path = place.partition(":")
            *owners, name = path.split(".")
            owner: Any = import_module(module)
            for owner_name in owners:
                owner = getattr(owner, owner_name)
            setattr(owner, name, self._timed(phase, getattr(owner, name)))

    def take(self) -> dict[str, float]:
        """Return the CPU seconds by phase since the last call, and begin anew."""
        self._count()
        taken, self.cpu_s = self.cpu_s, {}
        return taken

    def _timed(self, phase: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            self._count()
            self._inside.append(phase)
            try:
                return function(*args, **kwargs)
            finally:
                self._count()
                self._inside.pop()

        return timed

    def _count(self) -> None:
        """Book the time since the last call."""
        now_s = thread_time()
        phase = self._inside[-1]
        self.cpu_s[phase] = self.cpu_s.get(phase, 0.0) + now_s - self._since_s
        self._since_s = now_s
