"""Which side of a hall is open goes by rows: one rack does not send the power gear to the other side."""

from __future__ import annotations

import pytest

from twin.commands.edit.command import EditedScene
from twin.commands.place.move import Rotate
from twin.scenario import load
from twin.scenario.file.patch_text import edit
from twin.view3d.place.hidden_plant import seen
from twin.view3d.place.presets import open_side


@pytest.mark.parametrize("rack", ["gpu/0/0", "gpu/0/3", "gpu/0/7"])
def test_a_rack_that_is_turned_or_hidden_leaves_the_side(rack: str) -> None:
    scene = EditedScene.of(load("scenes/superpod-h100.twin.yaml"))
    side = open_side(scene.plant)
    turned = EditedScene.of(edit(scene.document, Rotate((rack,)).patch(scene))[0])
    assert open_side(turned.plant) == side
    assert open_side(seen(turned.plant, frozenset({"gpu/0/1", "gpu/0/2"}), frozenset())) == side
    whole = EditedScene.of(edit(scene.document, Rotate(("gpu", "net", "store")).patch(scene))[0])
    assert open_side(whole.plant) == -side
