"""Whatever is done can be undone: in the text to the byte, in the scenario to the value; the scene stays whole."""

from __future__ import annotations

import pytest
from usual_cases import usually

from tests.commands.random_commands import Restless
from twin.catalog import load_catalog
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.edit.draft import Draft
from twin.plant.build import build
from twin.scenario import loads
from twin.scenario.file.apply_edits import edited
from twin.scenario.reading.extend import builtin

EMPTY = 'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\ntitle: Mine\nhalls:\n  - id: hall\n'
SCENES = ("lab-16", "superpod-h100", "nvl72-row", "shared-cluster", "fat-tree-1k")


def text_of(name: str) -> str:
    return EMPTY if name == "empty" else builtin(f"builtin:{name}").read_text(encoding="utf-8")


def play(name: str, steps: int, seed: int) -> tuple[Draft, list[str], int]:
    """Do random commands; return the draft, its text after each and how many were refused."""
    draft = Draft(loads(text_of(name), name))
    restless, catalog = Restless((name, seed)), load_catalog()
    texts, refused = [draft.file.text], 0
    plant = build(draft.shown.scenario, catalog)
    for _ in range(steps):
        command = restless.command(EditedScene(draft.shown, plant, catalog))
        before = draft.shown.scenario
        try:
            proposal = draft.propose(command, plant=plant)
        except CommandError:
            refused += 1
            continue
        draft.land(proposal)
        texts.append(draft.file.text)
        plant = build(draft.shown.scenario, catalog)
        assert command.title
        assert proposal.title
        after = edited(before, proposal.changes)
        assert after == draft.shown.scenario, proposal
        assert edited(after, proposal.inverse) == before, proposal
    return draft, texts, refused


@pytest.mark.parametrize("name", usually(["empty", *SCENES], ("empty", "lab-16")))
def test_random_commands_are_undone_to_the_byte_and_done_again(name: str) -> None:
    draft, texts, refused = play(name, 28, 1)
    assert refused < 28
    assert loads(draft.file.text, name).scenario == draft.file.scenario
    for text in reversed(texts[:-1]):
        assert draft.undo()
        assert draft.file.text == text
    for text in texts[1:]:
        assert draft.redo()
        assert draft.file.text == text


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_two_hundred_commands_keep_a_large_scene_whole(seed: int) -> None:
    draft, texts, _ = play("llama3-16k", 200, seed)
    assert loads(draft.file.text).scenario == draft.file.scenario
    while draft.undo():
        pass
    assert draft.file.text == texts[0]
