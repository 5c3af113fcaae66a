"""A session whose run goes on only when it is told to, for tests of edits and acts while it lasts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.runtime.inline import InlineClient
from twin.sim.engine.engine import Engine


class Bench:
    """A session whose run goes on only when it is told to, and what its editor says."""

    def __init__(self, scene: Path) -> None:
        self.client = InlineClient()
        self.session = Session(self.client)  # type: ignore[arg-type]
        self.editor = Editor(self.session)
        self.done: list[str] = []
        self.refused: list[str] = []
        self.editor.done.connect(self.done.append)
        self.editor.refused.connect(lambda _title, reason: self.refused.append(reason))
        self.session.open(scene)
        self.session.poll()

    def run_to(self, t_s: float) -> None:
        """Let the run go on to a time, of which nobody is told yet."""
        self.session.leave_start()
        engine = self.client.engine_session.engine
        assert engine is not None
        engine.advance(t_s)
        self.client.pause()

    def go(self, t_s: float) -> None:
        self.run_to(t_s)
        self.session.poll()

    def begin_again(self) -> None:
        """Stand at the start of the run again."""
        self.session.restart()
        self.session.poll()

    def do(self, act: Callable[[], bool]) -> None:
        assert act()
        for _ in range(3):  # an answer may ask for more
            self.session.poll()

    @property
    def ids(self) -> list[str]:
        assert self.session.draft is not None
        return [edit.id for edit in self.session.draft.file.scenario.edits]

    @property
    def epoch(self) -> int:
        engine = self.client.engine_session.engine
        assert engine is not None
        assert self.session.plant is not None
        assert self.session.plant.epoch == engine.plant.epoch
        return engine.plant.epoch

    def is_run_of_its_file(self) -> bool:
        """Return whether a run of the file from the start is this run."""
        engine, draft = self.client.engine_session.engine, self.session.draft
        assert engine is not None
        assert draft is not None
        again = Engine(draft.file.scenario, self.session.seed)
        again.advance(engine.now_s)
        return again.event_hash() == engine.event_hash()
