"""An act of people costs one state of the run: undo and run file share it, and a crash loses nothing of it."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from coarse_recordings import coarse_recordings

sys.path.insert(0, str(Path(__file__).parents[1] / "sim"))
from edit_scenes import absent, edit, tiny, with_edits

from twin.analysis.rerun import scenario_of_run
from twin.analysis.verify import verify
from twin.record.reader import Reader
from twin.runtime.inline import InlineClient, go_on
from twin.runtime.state_before import StateBefore
from twin.scenario import parse_injection
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention
from twin.sim.engine.engine import Engine

SCENE = tiny(nodes=3, duration="2 h")
DRAIN, LATER = parse_injection("0 s drain gpu/0/1", None), parse_injection("1 h 50 min drain gpu/0/2", None)
LESS = edit(0.0, "less", absent("gpu/0/0"))


@pytest.fixture(scope="module", autouse=True)
def _recordings() -> Iterator[None]:
    with coarse_recordings():
        yield


def test_an_act_takes_one_state_of_the_run_and_going_back_none(
    inline: InlineClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []
    snapshot = Engine.snapshot

    def counted(engine: Engine) -> bytes:
        taken.append(engine.now_s)
        return snapshot(engine)

    monkeypatch.setattr(Engine, "snapshot", counted)
    for act, asked, undone in ((DRAIN, 1, 0), (LESS, 1, 0), (LATER, 1, 1)):
        inline.intervene(act)
        assert len(taken) == asked, act
        taken.clear()
        inline.withdraw(act)
        assert len(taken) == undone, act
        taken.clear()


@pytest.mark.parametrize("of_run", [False, True], ids=["scene as loaded", "scene of the run"])
@pytest.mark.parametrize("act", [DRAIN, LESS], ids=["by hand", "edit"])
def test_a_run_killed_right_behind_an_act_goes_on_with_it_once(
    inline: InlineClient, act: Edit | Intervention, of_run: bool, tmp_path: Path
) -> None:
    left = tmp_path / "left.twinrun"
    inline.intervene(act)
    assert inline.run_file is not None
    with Reader(inline.run_file) as reader:
        reader.save_copy(left)
        last, scene = reader.nearest_snapshot(math.inf), scenario_of_run(reader)
    assert last is not None
    found = StateBefore.of(last.data)
    assert type(found.act) is type(act)
    assert verify(left).clean
    done = found.act
    assert done is not None
    go_on(scene if of_run else SCENE, left)
    engine = Engine(
        with_edits(SCENE, done)
        if isinstance(done, Edit)
        else SCENE.model_copy(update={"interventions": (done,)})
    )
    engine.advance(engine.end_s)
    with Reader(left) as reader:
        assert reader.event_hash == engine.event_hash()


def test_an_act_that_the_scene_has_too_is_done_as_often_as_it_was_asked_for(
    inline: InlineClient, tmp_path: Path
) -> None:
    session = inline.engine_session
    assert session.engine is not None
    planned = DRAIN.model_copy(update={"at_s": session.engine.boundary_s(0.0)})
    client = InlineClient()
    client.load(SCENE.model_copy(update={"interventions": (planned,)}), run_file=tmp_path / "planned.twinrun")
    while (
        client.engine_session.engine is not None and client.engine_session.engine.now_s < session.engine.now_s
    ):
        client.step()
    client.intervene(DRAIN)
    with Reader(tmp_path / "planned.twinrun") as reader:
        last = reader.nearest_snapshot(math.inf)
    client.close()
    assert last is not None
    assert StateBefore.of(last.data).act is None, "it could not be told from that of the scene"


def test_a_damaged_act_is_no_act() -> None:
    data = StateBefore(b"state", DRAIN).data()
    assert StateBefore.of(data) == StateBefore(b"state", DRAIN)
    assert StateBefore.of(b"x\x9c") == StateBefore(b"x\x9c")
    for end in range(len(data) - len(b"state") - 1, 14, -7):
        with pytest.raises(ValueError, match=r"."):
            StateBefore.of(data[:end])
