"""After an edit the picture is that of the scene as it stands, whatever layers were kept from before."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from twin.commands.edit.command import Command
from twin.commands.edit.draft import Draft
from twin.commands.place.delete import Delete
from twin.commands.place.move import MoveThings
from twin.commands.place.place import AddPart
from twin.plant.build import build
from twin.scenario import load
from twin.view3d.base.state import LAYERS, ViewState
from twin.view3d.view.hall_view import HallView

pytestmark = pytest.mark.gl

COMMANDS: tuple[Command, ...] = (
    MoveThings(("gpu/0/0",), (-0.6, 0.0)),
    AddPart("DGX-H100", at=(3.0, 24.0)),
    Delete(("rack-1",)),
)


def _picture(view: HallView, draft: Draft) -> np.ndarray:
    view.set_plant(build(draft.shown.scenario))
    view.set_frame(None)
    view.preset("overview", animate=False)
    return view.grab().astype(int)


def test_pictures_of_an_edited_hall_are_those_of_one_just_opened(make_view: Callable[..., HallView]) -> None:
    draft = Draft(load(Path("scenes/superpod-h100.twin.yaml")))
    edited, fresh = (make_view(ViewState(layers=frozenset(LAYERS))) for _ in range(2))
    before = [_picture(edited, draft)]
    for command in COMMANDS:
        draft.land(draft.propose(command))
        seen = _picture(edited, draft)
        assert (np.abs(seen - before[-1]) > 8).any(), command
        before.append(seen)
    just_opened = _picture(fresh, draft)
    assert np.abs(before[-1] - just_opened).max() <= 3  # light of the floor rounds by one step
    for wanted in reversed(before[:-1]):
        assert draft.undo()
        assert np.abs(_picture(edited, draft) - wanted).max() <= 3
