"""The app's end of a run in the worker process: no Qt, no threads, nothing that blocks.

`Client.poll` is to be called from a timer, always: it passes on what is to be sent, answers the worker's need
for frame memory, returns what happened, and notices when the worker is gone.
"""

from __future__ import annotations

import math
import socket
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic, time_ns

from twin.language import english
from twin.record.events import Severity
from twin.record.frame import Frame, FrameLayout
from twin.runtime.channel import MessageChannel
from twin.runtime.protocol import (
    ENGINE,
    Applied,
    At,
    Died,
    Failed,
    Finished,
    Happened,
    Intervene,
    LoadScene,
    Message,
    Needs,
    Order,
    Pause,
    Play,
    Ready,
    Refused,
    Relaid,
    Reply,
    Rewound,
    Segment,
    StepRun,
    Stop,
    Withdraw,
)
from twin.runtime.shared_frames import FrameReader, NoMemory, remove_stale
from twin.runtime.worker import main
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention

_CLOSE_WALL_S = 2.0


class Client:
    """One worker process and the run in it.

    Parameters
    ----------
    engine
        Dotted name of the engine class.

    Attributes
    ----------
    session
        Number of the last load; messages of older ones are dropped.
    run_file
        Where the run is recorded, from `Ready` on.
    """

    def __init__(self, engine: str = ENGINE) -> None:
        self._engine = engine
        self._process: BaseProcess | None = None
        self._channel: MessageChannel[Order, Reply] | None = None
        self._frames: FrameReader | None = None
        self._load: LoadScene | None = None
        self._play: Play | None = None
        self._unanswered: dict[int, Intervene | Withdraw] = {}
        self._last_words: Failed | None = None  # the newest reply, where it tells what broke
        self._let_go_s: float | None = None  # when its end of the channel closed [wall s]
        # No number comes twice in a run file, though one process after another goes on in it.
        self._rev = time_ns()
        self._rows = 0
        self._ready = False
        self.session = 0
        self.run_file: Path | None = None

    @property
    def alive(self) -> bool:
        """Say whether there is a worker process, as far as `poll` has seen."""
        return self._process is not None

    @property
    def layout(self) -> FrameLayout | None:
        """Return the layout of the frames; None before `Ready`."""
        return self._frames.layout if self._frames is not None else None

    def start(self) -> None:
        """Start the worker process; returns at once. `load` does it too, later."""
        if self._process is not None:
            return
        remove_stale()
        own_end, worker_end = socket.socketpair()
        process = get_context("spawn").Process(
            target=main, args=(worker_end, self._engine), name="twin worker", daemon=True
        )
        with english():  # the texts of a run file
            process.start()
        worker_end.close()
        self._process, self._channel = process, MessageChannel(own_end)

    def load(
        self,
        scenario: Scenario,
        seed: int | None = None,
        run_file: Path | str | None = None,
        snapshot: bytes | None = None,
        branch_s: float | None = None,
    ) -> int:
        """Begin a run of `scenario`, in the place of the one before; `Ready` follows.

        Parameters
        ----------
        scenario
            What to run.
        seed
            Of all random draws; None: the scenario's own.
        run_file
            Where to record; None: an unsaved run in the state folder.
        snapshot
            State to begin with.
        branch_s
            Go on in `run_file` from its last snapshot, and stand at this time [s]: a branch of the run that it was
            copied from.

        Returns
        -------
        int
            The number of the session.
        """
        self.session += 1
        where = str(run_file) if run_file else None
        resume, go_to_s = branch_s is not None, branch_s or 0.0
        self._load = LoadScene(self.session, scenario, seed, snapshot, where, resume=resume, go_to_s=go_to_s)
        self._play = None
        self._unanswered.clear()
        self._rows = 0
        self._ready = False
        self.run_file = None
        self.start()
        self._send(self._load)
        return self.session

    def rest(self) -> None:
        """Put the run away: it stands, and nothing more is told of it. The worker waits for another `load`."""
        if self._load is not None:
            self.pause()
        self.session += 1
        self._load, self._ready, self.run_file = None, False, None

    def play(self, speed: float = math.inf, until_s: float = math.inf) -> None:
        """Run at `speed` [simulated s / wall s]; infinity: as fast as possible. Also while playing.

        It stands still at `until_s` [s].
        """
        self._play = Play(self.session, speed, until_s)
        self._send(self._play)

    def pause(self) -> None:
        """Stand still."""
        self._play = None
        self._send(Pause(self.session))

    def step(self, least: Severity = Severity.INFO, until_s: float = math.inf) -> None:
        """Run to the next event of at least this severity, or to `until_s` [s], and stand still."""
        self._play = None
        self._send(StepRun(self.session, least, until_s))

    def intervene(self, intervention: Intervention | Edit) -> int:
        """Do something to the run, or edit its hall; return the number that `Applied` or `Refused` will carry."""
        self._rev += 1
        request = Intervene(self.session, self._rev, intervention)
        self._unanswered[self._rev] = request
        self._send(request)
        return self._rev

    def withdraw(self, done: Intervention | Edit) -> int:
        """Take out what is still ahead, or was done last and just now; return the number that the answer will carry."""
        self._rev += 1
        request = Withdraw(self.session, self._rev, done)
        self._unanswered[self._rev] = request
        self._send(request)
        return self._rev

    def poll(self) -> list[Message]:
        """Return what happened since the last call, without waiting."""
        channel, process = self._channel, self._process
        if channel is None or process is None:
            return []
        channel.flush()
        replies = channel.receive()
        messages: list[Message] = []
        for reply in replies:
            self._last_words = reply if isinstance(reply, Failed) and reply.traceback else None
            if isinstance(reply, Needs):
                self._make_memory(channel, reply)
            elif reply.session == self.session:
                messages += self._seen(reply)
        if (channel.closed or process.exitcode is not None) and (died := self._bury(process)) is not None:
            messages.append(died)
        return messages

    def latest_frame(self) -> Frame | None:
        """Return the newest frame, a copy; None when there is none since the last call."""
        return self._frames.latest() if self._frames is not None and self._ready else None

    def restart(self) -> None:
        """Begin a new worker that goes on with this run from its last snapshot, and plays if it was playing.

        Events that were already told are not told again; edits not answered yet are made again.
        """
        if self._load is None:
            self.start()
            return
        self._end_worker()
        self.start()
        self._ready = False
        first = self._load
        if self.run_file is not None:
            first = LoadScene(
                first.session,
                first.scenario,
                first.seed,
                None,
                str(self.run_file),
                resume=True,
                told=self._rows,
                go_to_s=first.go_to_s,
            )
        self._send(first)
        for request in self._unanswered.values():
            self._send(request)
        if self._play is not None:
            self._send(self._play)

    def give_up(self) -> None:
        """End a worker that has not been given a run, at once."""
        self._end_worker()

    def close(self) -> None:
        """End the worker, its run file closed, within about 2 s; remove the frame memory."""
        channel, process = self._channel, self._process
        if channel is not None and process is not None:
            channel.send(Stop())
            deadline = monotonic() + _CLOSE_WALL_S
            while not channel.closed and monotonic() < deadline:
                channel.flush()
                for reply in channel.receive():
                    if isinstance(reply, Needs):
                        self._make_memory(channel, reply)
                channel.wait(0.05)
            process.join(max(0.0, deadline - monotonic()))
        self._end_worker()
        if self._frames is not None:
            self._frames.close()
            self._frames = None

    def _send(self, order: Order) -> None:
        if self._channel is not None:
            self._channel.send(order)

    def _make_memory(self, channel: MessageChannel[Order, Reply], need: Needs) -> None:
        if self._frames is not None:
            self._frames.close()
            self._frames = None
        try:
            self._frames = FrameReader(need.layout)
        except NoMemory as error:
            channel.close()  # without it the worker waits in vain
            self._last_words = Failed(need.session, str(error), "")
        else:
            channel.send(Segment(need.session, str(self._frames.path)))

    def _seen(self, reply: Message) -> list[Message]:
        """Keep what `restart` needs; return what is new of the message."""
        match reply:
            case Ready():
                self._ready = True
                self.run_file = Path(reply.run_file) if reply.run_file else None
            case Relaid():
                if self._frames is not None:
                    self._frames.layout = reply.layout
            case Happened():
                fresh = tuple(event for event in reply.events if event.row >= self._rows)
                if not fresh:
                    return []
                self._rows = fresh[-1].row + 1
                return [Happened(reply.session, fresh)]
            case Rewound():
                self._rows = min(self._rows, reply.events)
            case Applied() | Refused():
                self._unanswered.pop(reply.rev, None)
            case Finished():
                self._play = None
            case At() | Failed() | Died():
                pass
        return [reply]

    def _bury(self, process: BaseProcess) -> Died | None:
        """Return how the worker ended; None: it has let go of us and is about to end."""
        process.join(0.2)
        now_s = monotonic()
        self._let_go_s = now_s if self._let_go_s is None else self._let_go_s
        if process.exitcode is None and now_s - self._let_go_s < _CLOSE_WALL_S:
            return None
        died = Died(self.session, process.exitcode, self._last_words)
        self._end_worker()
        return died

    def _end_worker(self) -> None:
        self._last_words = self._let_go_s = None
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        process, self._process = self._process, None
        if process is not None:
            if process.exitcode is None:
                process.kill()
            process.join(1.0)
            if process.exitcode is not None:
                process.close()
