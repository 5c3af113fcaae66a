"""What a session knows and tells, for those who do a part of its work: halls, scrubbing, the talk with the worker."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twin.app.session.replay import Replay
from twin.app.session.run_state import RunState
from twin.app.session.signals import Tellings
from twin.app.session.site_curves import RunCurves
from twin.app.session.veil import Veil
from twin.commands.edit.draft import Draft
from twin.plant.tables import Plant
from twin.record.frame import Frame
from twin.runtime.client import Client
from twin.scenario import Document
from twin.scenario.schema.faults import Intervention


class SessionState(Tellings):
    """The state of a session and the few acts on it; `twin.app.session.session.Session` says what each is."""

    path: Path | None
    draft: Draft | None
    live: RunState
    shown: Frame | None
    t_s: float
    end_s: float
    seed: int
    running: bool
    finished: bool
    lost: bool
    begun: bool
    stop_s: float
    veil: Veil
    permit: Callable[[Intervention], str]
    recording: Path | None
    curves: RunCurves
    summary: dict[str, Any] | None
    client: Client
    replay: Replay

    @property
    @abstractmethod
    def document(self) -> Document | None:
        """Return the scene as it stands at the time on screen; None before the first."""

    @property
    @abstractmethod
    def plant(self) -> Plant | None:
        """Return its hall."""

    @property
    @abstractmethod
    def frame(self) -> Frame | None:
        """Return the picture on screen."""

    @property
    @abstractmethod
    def looking_s(self) -> float | None:
        """Return the time that is looked at [s]; None: the present."""

    @property
    @abstractmethod
    def shown_s(self) -> float:
        """Return the time on screen [s]."""

    @property
    @abstractmethod
    def run_file(self) -> Path | None:
        """Return where the run is recorded; None: nowhere, or not yet."""

    @abstractmethod
    def leave_start(self) -> None:
        """Leave t = 0 with the scene as it is now."""

    @abstractmethod
    def announce(self) -> None:
        """Tell of the open scene; also those who came after it was opened, before the first `poll`."""

    @abstractmethod
    def open_recording(self, path: Path) -> str:
        """Open a run file by itself; return in what it was made otherwise, "" for nothing."""

    @abstractmethod
    def show(self, document: Document, plant: Plant, *, anew: bool = False) -> None:
        """Let the run stand in this scene and hall, and tell where the present is on screen."""

    @abstractmethod
    def begin(self, snapshot: bytes | None = None, branch: tuple[Path, float] | None = None) -> None:
        """Let the worker make a run of the scene, from its start or a snapshot, or go on in that of a branch."""

    @abstractmethod
    def clear(self) -> None:
        """Forget the run there was; the scene stays."""

    @abstractmethod
    def arrive(self, t_s: float) -> None:
        """The run stands at another time."""

    @abstractmethod
    def stand(self, t_s: float) -> None:
        """Let the edits of the file that act up to a time have acted."""

    @abstractmethod
    def set_running(self, running: bool) -> None:
        """The run goes on, or stands."""
