"""Things are brought into line and apart by equal gaps, and stay clear of one another."""

from __future__ import annotations

from itertools import pairwise

import pytest

from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.arrange import ARRANGED, Align, Distribute
from twin.commands.place.move import place_of
from twin.scenario import loads
from twin.scenario.file.patch_text import edit

_TEXT = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: four racks that stand anyhow
halls:
  - id: hall
    rows:
      - {id: a, at: {x: 0 m, y: 0 m}, facing: south, racks: {count: 1}}
      - {id: b, at: {x: 2 m, y: 3 m}, facing: south, racks: {count: 1}}
      - {id: c, at: {x: 3 m, y: 6 m}, facing: south, racks: {count: 1}}
      - {id: d, at: {x: 9 m, y: 9 m}, facing: south, racks: {count: 1}}
"""
RACKS = ("a/0/0", "b/0/0", "c/0/0", "d/0/0")


def done(before: EditedScene, command: Align | Distribute) -> EditedScene:
    after, inverse = edit(before.document, command.patch(before))
    assert edit(after, inverse)[0].text == before.document.text
    return EditedScene.of(after)


@pytest.mark.parametrize(
    ("side", "axis", "held"), [("left", 0, "a"), ("right", 0, "d"), ("front", 1, "a"), ("back", 1, "d")]
)
def test_sides_come_into_line_with_the_outermost(side: str, axis: int, held: str) -> None:
    before = EditedScene.of(loads(_TEXT))
    command = ARRANGED[side][1](RACKS)
    after = done(before, command)
    stood = place_of(before, f"{held}/0/0")[axis]
    assert [place_of(after, rack)[axis] for rack in RACKS] == pytest.approx([stood] * 4)
    other = [place_of(after, rack)[1 - axis] for rack in RACKS]
    assert other == pytest.approx([place_of(before, rack)[1 - axis] for rack in RACKS])


def test_gaps_become_equal_and_the_outermost_stay() -> None:
    before = EditedScene.of(loads(_TEXT))
    after = done(before, Distribute(RACKS, "x"))
    x_m = [place_of(after, rack)[0] for rack in RACKS]
    assert x_m[0] == place_of(before, RACKS[0])[0]
    assert x_m[3] == place_of(before, RACKS[3])[0]
    gaps = [right - left for left, right in pairwise(x_m)]
    assert gaps == pytest.approx([3.0] * 3)


def test_what_cannot_be_arranged_is_told() -> None:
    scene = EditedScene.of(loads(_TEXT))
    with pytest.raises(CommandError, match="at least two items"):
        Align(RACKS[:1], "left").patch(scene)
    with pytest.raises(CommandError, match="at least three items"):
        Distribute(RACKS[:2], "x").patch(scene)
    lined = done(scene, Align(("a/0/0", "b/0/0"), "left"))
    with pytest.raises(CommandError, match="are arranged so already"):
        Align(("a/0/0", "b/0/0"), "left").patch(lined)
    crossed = EditedScene.of(loads(_TEXT.replace("x: 3 m, y: 6 m", "x: 3 m, y: 0 m")))
    with pytest.raises(CommandError):
        Align(("a/0/0", "c/0/0"), "left").patch(crossed)  # one would stand in the other
