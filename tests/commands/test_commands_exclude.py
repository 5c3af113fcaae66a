from __future__ import annotations

from pathlib import Path

import pytest

from twin.catalog import load_catalog
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.exclude import Exclude, Include
from twin.rules import check
from twin.scenario import loads
from twin.scenario.file.patch_text import apply, edit

LAB = (Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml").read_text(encoding="utf-8")


def test_accepting_a_finding_and_taking_it_back_leaves_every_byte() -> None:
    document = loads(LAB)
    command = Exclude("part-unverified", "ib", "measured:\n ours, in May")
    after, inverse = edit(document, command.patch(EditedScene.of(document)))
    assert after.scenario.exclusions[-1].comment == "measured: ours, in May"
    assert len(after.text.splitlines()) == len(LAB.splitlines()) + 1
    scene = EditedScene.of(after)
    accepted = [
        one for one in check(after.scenario, scene.plant, load_catalog()).findings if one.subject == "ib"
    ]
    assert [one.comment for one in accepted] == ["measured: ours, in May"]
    assert apply(after, inverse).text == LAB
    again = Exclude("part-unverified", "crah", "ours").patch(scene)
    assert again.changes[0].path == "exclusions[part-unverified-2]"
    assert apply(after, Include("part-unverified", ("ib", "*")).patch(scene)).scenario == document.scenario


def test_a_first_exclusion_makes_the_list_and_the_last_one_empties_it() -> None:
    bare = loads(LAB[: LAB.index("exclusions:")])
    made = apply(bare, Exclude("spares", "llama3", "two nodes").patch(EditedScene.of(bare)))
    assert [one.id for one in made.scenario.exclusions] == ["spares-1"]
    document = loads(LAB)
    assert (
        apply(document, Include("spares", ("llama3",)).patch(EditedScene.of(document))).scenario.exclusions
        == ()
    )


def test_why_is_said() -> None:
    scene = EditedScene.of(loads(LAB))
    with pytest.raises(CommandError, match="an exclusion needs a comment"):
        Exclude("spares", "llama3", "  ").patch(scene)
    with pytest.raises(CommandError, match="no exclusion"):
        Include("spares", ("other",)).patch(scene)
