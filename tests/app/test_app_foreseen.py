"""An edit of a run is on screen before its answer: what stays of it, and what does not where the worker refuses it."""

from __future__ import annotations

import gc
import os
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from lab_edits import ADD, HOT, MOVE, RACK, SERVES
from pytestqt.qtbot import QtBot

from twin.app.placing.payload import carried_part
from twin.app.session.frame_migration import is_of
from twin.app.session.hall_versions import HallUnknown
from twin.app.session.run_state import RunState
from twin.catalog import load_catalog
from twin.commands.edit.command import Command, Given
from twin.commands.place.properties import DrainNodes
from twin.plant.equal_arrays import alike
from twin.plant.patch import rebuild
from twin.record.channels import State
from twin.record.frame import Frame, FrameLayout
from twin.scenario import Change, Patch
from twin.sim.engine.engine import Engine

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow
    from twin.plant.tables import Plant

TWO = Given(Patch((Change("halls[lab].rows[x-1]", RACK.replace("count: 1, n", "count: 2, n")), SERVES)))


class Hands:
    """A window whose run goes on, and what it was told."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self.session, self.editor, self.bot = (
            window,
            window.session,
            window.editing.editor,
            qtbot,
        )
        self.done: list[str] = []
        self.refused: list[tuple[str, str]] = []
        self.plants: list[Plant] = []
        self.editor.done.connect(self.done.append)
        self.editor.refused.connect(self._on_refused)
        self.session.plant_changed.connect(self.plants.append)
        self.session.set_speed(3600.0)
        self.session.play()
        self.wait(lambda: self.session.frame is not None and self.session.t_s > 600)
        self.plants.clear()

    def let_go(self) -> None:
        self.editor.done.disconnect(self.done.append)
        self.editor.refused.disconnect(self._on_refused)
        self.session.plant_changed.disconnect(self.plants.append)

    def _on_refused(self, title: str, reason: str) -> None:
        self.refused.append((title, reason))

    def wait(self, until: Callable[[], bool]) -> None:
        self.bot.waitUntil(until)

    def do(self, command: Command) -> None:
        """Do a command; its answer is not read before the window's events are."""
        assert self.editor.do(command)

    def land(self, command: Command) -> None:
        count = len(self.done)
        self.do(command)
        self.wait(lambda: len(self.done) > count)

    @property
    def standing(self) -> Plant:
        assert self.session.plant is not None
        return self.session.plant

    def has(self, id: str) -> bool:
        return id in self.standing.slots

    @property
    def text(self) -> str:
        assert self.session.draft is not None
        return self.session.draft.file.text


@pytest.fixture
def hands(use_window: Callable[..., MainWindow], lab: Path, tmp_path: Path, qtbot: QtBot) -> Iterator[Hands]:
    path = tmp_path / "own.twin.yaml"
    path.write_bytes(lab.read_bytes())
    hands = Hands(use_window(path), qtbot)
    yield hands
    hands.let_go()
    vars(hands).clear()  # pytest keeps what the last test was given until after the window is gone


def test_the_hall_of_an_edit_stands_at_once_and_is_the_one_of_the_worker(hands: Hands) -> None:
    text = hands.text
    hands.do(ADD)
    foreseen = hands.standing
    assert hands.has("x-1/0/0")
    assert hands.session.frame is not None
    assert is_of(hands.session.frame.layout, foreseen)
    assert hands.editor.busy
    assert hands.text == text, "the file has it when the run has it"
    assert not hands.done
    hands.wait(lambda: bool(hands.done))
    assert hands.standing is foreseen
    assert hands.plants == [foreseen], "nothing was built a second time"
    hands.wait(lambda: hands.session.shown is not None)
    hands.session.pause()
    hands.land(MOVE)
    hands.wait(lambda: hands.session.frame is not None and hands.session.frame.layout.epoch == 2)
    assert hands.session.draft is not None
    engine = Engine(hands.session.draft.file.scenario, hands.session.seed)
    engine.advance(max(hands.session.t_s, hands.session.draft.t_s))  # the time of the edit may be told first
    assert alike(engine.plant, hands.standing)


def test_a_refused_edit_is_taken_back_with_all_that_was_chosen_of_it(hands: Hands) -> None:
    before, text = hands.standing, hands.text
    hands.do(HOT)
    assert hands.has("x-2/0/0")
    hands.window.hall.state.selection = ("x-2/0/0",)
    assert hands.window.docks.inspector.thing == "x-2/0/0"
    hands.wait(lambda: bool(hands.refused))
    (title, reason), *_ = hands.refused
    assert title == "Add rack without cooling"
    assert "cool" in reason
    assert hands.standing is before
    assert not hands.window.hall.state.selection
    assert hands.window.docks.inspector.thing is None
    assert hands.text == text
    assert not hands.editor.busy
    hands.wait(lambda: hands.session.shown is not None and is_of(hands.session.shown.layout, before))


def test_of_two_edits_in_a_row_a_refused_one_takes_nothing_with_it(hands: Hands) -> None:
    hands.do(HOT)
    hands.do(ADD)
    hands.wait(lambda: bool(hands.done))
    assert [title for title, _ in hands.refused] == ["Add rack without cooling"]
    assert hands.has("x-1/0/0")
    assert not hands.has("x-2/0/0")
    hands.do(HOT)
    hands.do(MOVE)
    hands.editor.undo()  # the move
    hands.editor.undo()  # the rack without cooling: not the one that stands
    hands.wait(lambda: not hands.editor.busy)
    assert [told.partition(":")[0] for told in hands.done] == ["Add rack", "Move rack", "Undo move rack"]
    assert hands.has("x-1/0/0")
    assert hands.session.draft is not None
    assert hands.session.draft.undo_title == "Add rack"


@pytest.mark.parametrize("command", [ADD, HOT], ids=["applied", "refused"])
def test_what_is_answered_while_one_looks_back_stands_when_one_comes_back(
    hands: Hands, command: Command
) -> None:
    session, before = hands.session, hands.standing
    hands.wait(lambda: session.replay.possible)
    hands.do(command)
    session.replay.look(60.0)
    assert session.looking_s is not None
    assert hands.standing is before
    hands.wait(lambda: not hands.editor.busy)
    assert hands.standing is before
    session.replay.back_to_live()
    assert hands.has("x-1/0/0") == bool(hands.done)
    assert not hands.has("x-2/0/0")
    hands.wait(lambda: session.shown is not None and is_of(session.shown.layout, hands.standing))


def test_coming_back_before_the_answer_shows_what_waits(hands: Hands) -> None:
    hands.wait(lambda: hands.session.replay.possible)
    hands.do(ADD)
    foreseen = hands.standing
    hands.session.replay.look(60.0)
    hands.session.replay.back_to_live()
    assert hands.standing is foreseen
    assert hands.session.shown is None, "no figures are known of it"
    hands.wait(lambda: bool(hands.done))
    assert hands.standing is foreseen


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")
def test_an_edit_that_a_worker_dies_over_is_asked_again_of_the_next(
    hands: Hands, find_workers: Callable[[], list[psutil.Process]]
) -> None:
    session = hands.session
    hands.do(ADD)
    (worker,) = find_workers()
    worker.kill()
    hands.wait(lambda: session.lost or bool(hands.done))
    if session.lost and not hands.done:
        assert hands.has("x-1/0/0")
    session.resume()
    hands.wait(lambda: bool(hands.done))
    hands.wait(lambda: session.live.frame is not None and session.live.frame.layout.epoch == 1)
    assert hands.plants == [hands.standing]


def test_a_run_begun_anew_takes_back_what_waits_and_says_so(hands: Hands) -> None:
    text = hands.text
    hands.do(ADD)
    assert not hands.editor.fold(), "first its answer"
    hands.session.restart()
    assert not hands.has("x-1/0/0")
    assert not hands.editor.busy
    assert ("Add rack", "the run was restarted before the edit was applied") in hands.refused
    assert hands.text == text


def test_what_is_carried_while_an_edit_waits_stays_in_hand(hands: Hands) -> None:
    tool = hands.window.tools.place
    hands.do(HOT)
    assert tool.begin_by_keys(carried_part(load_catalog(), "DGX-H100"))
    hands.wait(lambda: bool(hands.refused))
    assert tool.active
    assert tool.landing is not None
    tool.step(1, 0)
    tool.cancel()
    hands.session.pause()
    hands.do(HOT)
    hands.wait(lambda: len(hands.refused) == 2)
    assert not hands.session.playing


def test_where_the_window_foresaw_another_hall_that_of_the_worker_stands(hands: Hands) -> None:
    session = hands.session
    assert session.draft is not None
    assert session.live.plant is not None
    other = session.draft.propose(TWO).after
    wrong = rebuild(session.live.plant, other.scenario)
    hands.do(ADD)
    true = hands.standing
    session.halls.foreseen = RunState(other, wrong)
    hands.wait(lambda: bool(hands.done))
    hands.wait(lambda: session.frame is not None and is_of(session.frame.layout, hands.standing))
    assert alike(hands.standing, true)


def test_a_node_that_is_drained_shows_it_before_the_run_says_so(hands: Hands) -> None:
    hands.do(DrainNodes(("gpu/0/0/0",)))
    frame = hands.session.frame
    assert frame is not None
    drained = hands.standing.nodes.drained[hands.standing.gpus.node]
    assert drained.any()
    assert set(frame.values["gpu.state"][drained].tolist()) == {State.DRAINED}
    hands.wait(lambda: bool(hands.done))


def test_a_recorded_hall_that_the_window_numbers_otherwise_is_built_anew_or_said_to_be_unknown(
    hands: Hands,
) -> None:
    session = hands.session
    hands.wait(lambda: session.replay.possible)
    before = hands.standing
    hands.do(ADD)
    hands.wait(lambda: bool(hands.done))
    hands.wait(lambda: session.frame is not None and is_of(session.frame.layout, hands.standing))
    assert session.live.plant is not None
    frame = session.replay.frame(60.0, 0.0)
    misnumbered = replace(session.live.plant, epoch=frame.layout.epoch)
    session.live.plant, true = misnumbered, session.live.plant
    session.halls.plants[0] = misnumbered
    assert alike(session.halls.at(frame)[1], before)
    session.live.plant = true
    counts = {**frame.layout.counts, "loop": frame.layout.counts["loop"] + 1}
    strange = Frame.empty(FrameLayout(counts, frame.layout.epoch), 60.0)
    with pytest.raises(HallUnknown, match="edits differ"):
        session.halls.at(strange)


def test_the_hall_before_an_edit_goes_with_its_scene(hands: Hands, lab: Path) -> None:
    before = weakref.ref(hands.session.plant)
    hands.land(ADD)
    hands.session.open(lab)
    hands.wait(lambda: hands.session.frame is not None)
    gc.collect()
    assert before() is None, "what was foreseen of an edit held the hall of the scene before"
