"""A start edited beneath edits that are still to come: lists they write whole keep what it gives and takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.commands.edit.command import CommandError, Given
from twin.commands.edit.draft import Draft
from twin.commands.edit.draft_steps import Proposal
from twin.scenario import Change, Patch, load, loads
from twin.scenario.file.scene_at import effective
from twin.sim.engine.engine import Engine

LAB = Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml"


def rack(name: str, x_m: float, *serves: str) -> Given:
    row = f"{{id: {name}, at: {{x: {x_m} m}}, racks: {{count: 1, nodes: [{{part: DGX-H100, count: 1}}]}}}}"
    served = f"[{', '.join(('gpu', *serves, name))}]"
    lists = ("cooling.loops[crah].serves", "power[pdu].feeds", "fabrics[ib].rows")
    changes = (Change(f"halls[lab].rows[{name}]", row), *(Change(path, served) for path in lists))
    return Given(Patch(changes, f"Add {name}"))


@pytest.fixture
def draft() -> Draft:
    """The lab with a rack that comes after an hour, back at its start."""
    made = Draft(load(LAB))
    made.at(3600.0)
    proposal = made.propose(rack("late", 20.0))
    assert isinstance(proposal, Proposal)
    made.land_edit(proposal, made.edit(proposal, 3600.0))
    made.at(0.0)
    return made


def test_a_rack_that_comes_at_the_start_keeps_its_loop_when_a_later_one_comes(draft: Draft) -> None:
    before = draft.file.text
    draft.land(draft.propose(rack("first", 24.0)))
    then = effective(loads(draft.file.text), 3601.0).scenario
    fed, joined = next(one for one in then.power if one.id == "pdu").feeds, then.fabrics[0].rows
    assert then.cooling.loops[0].serves == fed == joined == ("gpu", "late", "first")
    engine = Engine(loads(draft.file.text).scenario)
    engine.advance(3700.0)
    racks = engine.plant.racks
    assert {racks.ids[k]: racks.air_loop[k] for k in range(len(racks.ids))}["first/0/0"] >= 0
    assert draft.undo()
    assert draft.file.text == before
    assert draft.redo()
    assert effective(draft.file, 3601.0).scenario.cooling.loops[0].serves == ("gpu", "late", "first")


def test_what_goes_at_the_start_is_in_no_later_list(draft: Draft) -> None:
    draft.land(draft.propose(rack("first", 24.0)))
    lists = ("cooling.loops[crah].serves", "power[pdu].feeds", "fabrics[ib].rows")
    gone = (*(Change(path, "[gpu]") for path in lists), Change("halls[lab].rows[first]", None))
    draft.land(draft.propose(Given(Patch(gone, "Delete first"))))
    assert effective(draft.file, 3601.0).scenario.cooling.loops[0].serves == ("gpu", "late")


def test_in_a_run_the_same_list_is_not_changed_before_an_edit_that_says_it_whole(draft: Draft) -> None:
    draft.at(1800.0)
    proposal = draft.propose(rack("between", 24.0))
    assert isinstance(proposal, Proposal)
    with pytest.raises(CommandError, match="“Add late”, in the future"):
        draft.edit(proposal, 1800.0)
    assert draft.edit(proposal, 7200.0).at_s == 7200.0
    draft.edit(draft.propose(Given(Patch((Change("title", "Mine"),), "Rename"))), 1800.0)  # type: ignore[arg-type]
