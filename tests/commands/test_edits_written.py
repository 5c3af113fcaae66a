"""How the edits of a run stand in the file: a line for each thing said, and a new one changes no other line."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twin.commands.edit.command import Given
from twin.commands.edit.draft import Draft
from twin.commands.edit.draft_steps import edit_text
from twin.scenario import Change, Patch, loads
from twin.scenario.file.patch_text import apply
from twin.scenario.reading.extend import SceneSource
from twin.scenario.reading.key_edit import TextEdit
from twin.scenario.schema.edit import Edit, EditChange
from twin.scenario.text.parse import parse

LAB = (Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml").read_text(encoding="utf-8")
LAB = LAB[: LAB.index("\nchapters:\n")].rstrip() + "\n"
"""Without its chapters, which would stand below what is written."""
RACK = "{id: x-1, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"
ADD = (Change("halls[lab].rows[x-1]", RACK), Change("cooling.loops[crah].serves", "[gpu, x-1]"))
ADDED = """\
edits:
  - id: edit-1
    at: 61.123456789 s
    title: Add rack
    changes:
      - path: "halls[lab].rows[x-1]"
        value: "{id: x-1, at: {x: 20 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"
      - {path: "cooling.loops[crah].serves", value: "[gpu, x-1]"}
"""
MOVED = """\
  - id: edit-2
    at: 120.0 s
    title: "Move: 1 m # on"
    changes:
      - {path: "halls[lab].rows[x-1].at.x", value: 21 m}
"""
OLD = """\
edits:   # of the old kind
  - {id: e-1, at: 30 s, title: Old, changes: [{path: title, value: Older}]}   # by hand
"""


def done(draft: Draft, at_s: float, title: str, *changes: Change) -> str:
    """Do an edit of the run; return the text of the file."""
    proposal = draft.propose(Given(Patch(changes, title)))
    draft.land_edit(proposal, draft.edit(proposal, at_s))
    assert loads(draft.file.text).scenario == draft.file.scenario
    return draft.file.text


def test_each_edit_is_a_block_of_its_own_and_the_next_changes_no_line_of_it() -> None:
    draft = Draft(loads(LAB))
    one = done(draft, 61.123456789, "Add rack", *ADD)
    assert one == LAB + ADDED
    assert done(draft, 120.0, "Move: 1 m # on", Change("halls[lab].rows[x-1].at.x", "21 m")) == one + MOVED
    assert draft.file.scenario.edits[0].at_s == 61.123456789


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_edits_that_are_there_keep_their_layout_and_remarks(newline: str) -> None:
    text = (LAB + OLD).replace("\n", newline)
    draft = Draft(loads(text))
    draft.at(60.0)
    after = done(draft, 120.0, "Add rack", *ADD)
    lines = list(difflib.ndiff(text.splitlines(keepends=True), after.splitlines(keepends=True)))
    assert not [line for line in lines if line.startswith("-")]
    new = "".join(line[2:] for line in lines if line.startswith("+"))
    assert new == ADDED.partition("\n")[2].replace("edit-1", "edit-2").replace(
        "61.123456789", "120.0"
    ).replace("\n", newline)
    draft.at(0.0)
    assert draft.undo()
    assert draft.file.text == text


def test_one_from_the_midst_is_taken_out_by_its_lines_alone() -> None:
    draft = Draft(loads(LAB))
    done(draft, 60.0, "Add rack", *ADD)
    before = done(draft, 90.0, "Rename", Change("title", "Other"))
    after = done(draft, 120.0, "Move: 1 m # on", Change("halls[lab].rows[x-1].at.x", "21 m"))
    less = apply(draft.file, Patch((Change("edits[edit-2]", None),))).text
    assert less == after.replace(before[before.index("  - id: edit-2") :], "")


def test_a_list_in_brackets_stays_one() -> None:
    draft = Draft(loads(LAB + "edits: [{id: e-1, at: 30 s, changes: [{path: title, value: Older}]}]\n"))
    after = done(draft, 120.0, "Rename", Change("title", "New"))
    assert after.startswith(
        LAB + "edits: [{id: e-1, at: 30 s, changes: [{path: title, value: Older}]}, {id: edit-2,"
    )


_TEXT = st.text(st.sampled_from("ab:#'\"\\|>-{}[], \n\t\u00e9\u2028\u00a0%&*!@`0"), max_size=160)


@settings(max_examples=150)
@given(
    st.builds(
        Edit,
        id=st.just("edit-1"),
        at=st.just(0.0) | st.floats(1e-3, 1e9, allow_nan=False),
        title=_TEXT,
        changes=st.lists(
            st.builds(EditChange, path=_TEXT.filter(bool), value=st.none() | _TEXT), min_size=1, max_size=4
        ),
    )
)
def test_whatever_an_edit_says_reads_back_as_it_is(edit: Edit) -> None:
    source = SceneSource("small", None, "title: Small\n", parse("title: Small\n", "small"))
    again = TextEdit(source, None, Change("edits[edit-1]", edit_text(edit))).text()
    second = SceneSource(source.name, None, again, parse(again, "small"))
    again = TextEdit(
        second, None, Change("edits[edit-2]", edit_text(edit.model_copy(update={"id": "edit-2"})))
    ).text()
    for one in parse(again, "small").plain()["edits"]:
        assert Edit.model_validate(one).model_copy(update={"id": "edit-1"}) == edit
