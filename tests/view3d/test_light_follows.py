"""The first picture of a changed hall goes before the light on its floor, which is then that of the hall as it is."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from twin.commands.edit.draft import Draft
from twin.commands.place.move import MoveThings
from twin.plant.build import build
from twin.scenario import load
from twin.view3d.base.state import ViewState
from twin.view3d.place.lightmap import bake
from twin.view3d.view import scene as scene_module
from twin.view3d.view.hall_view import HallView

pytestmark = pytest.mark.gl


def test_light_follows_the_first_picture(
    make_view: Callable[..., HallView], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scene_module, "LIGHT_AFTER_S", 0.0)
    draft = Draft(load(Path("scenes/superpod-h100.twin.yaml")))
    view = make_view(ViewState())
    view.set_plant(build(draft.shown.scenario))
    view.grab()
    scene = view.scene
    before = scene.baker.texels.copy()
    assert not scene.catch_up()  # a hall just opened has all at once

    draft.land(draft.propose(MoveThings(("gpu/0/0",), (-0.6, 0.0))))
    plant = build(draft.shown.scenario)
    view.set_plant(plant)
    assert not scene.catch_up()  # nobody has seen it yet
    assert (scene.baker.texels == before).all()
    view.native.grabFramebuffer()
    assert scene.catch_up()
    assert not scene.catch_up()
    assert view.geometry is not None
    now, anew = scene.baker.texels.astype(int), bake(plant, view.geometry).texels.astype(int)
    assert (now != before).any()
    assert np.abs(now - anew).max() <= 1
