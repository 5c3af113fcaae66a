"""What is wrong with a text on the clipboard is told with line and key, before it is carried."""

from __future__ import annotations

import pytest

from twin.app.placing.paste import carried_text
from twin.catalog import load_catalog
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.room.clipboard import Paste, copied, pasted
from twin.commands.room.pasted_text import left_out, must_know_parts
from twin.scenario import load


@pytest.fixture(scope="module")
def lab() -> EditedScene:
    return EditedScene.of(load("scenes/lab-16.twin.yaml"))


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("count: 2", "cuont: 2", r"line 8, halls\[copied\].rows\[gpu\].racks.cuont: .*did you mean 'count'"),
        (
            "count: 2",
            "count: 2\n          pitch: 0.6 kg",
            r"line 9, .*rows\[gpu\].racks.pitch = '0.6 kg': .*is a mass",
        ),
        (
            "containment: none",
            "containment: coald",
            r"line 6, .*containment = 'coald': .*did you mean 'cold'",
        ),
        ("containment: none", "containment: [none", r"line 7 is not YAML"),
        ("- id: gpu", "- name: gpu", r"line 5, .*rows.*"),
        ("DGX-H100", "DGX-H900", r"line 10, part: .*did you mean 'DGX-H200' or 'DGX-H100'"),
        ("halls:", "hals:", r"line 2, hals: .*did you mean 'halls'"),
    ],
)
def test_a_text_with_a_fault_is_refused_with_its_line(
    lab: EditedScene, was: str, now: str, said: str
) -> None:
    text = copied(lab, ("gpu",))
    must_know_parts(text, lab.catalog)
    assert pasted(text).ids == ["gpu"]
    broken = text.replace(was, now)
    assert broken != text
    with pytest.raises(CommandError, match=said):
        must_know_parts(broken, lab.catalog)


def test_a_part_of_another_kind_is_refused(lab: EditedScene) -> None:
    text = copied(lab, ("gpu",)).replace("DGX-H100", "QM9700")
    must_know_parts(text, load_catalog())
    with pytest.raises(CommandError, match="QM9700"):
        Paste(text).patch(lab)


def test_a_whole_scene_can_be_pasted_and_says_what_stays_behind(lab: EditedScene) -> None:
    text = lab.document.text
    assert "gpu" in pasted(text).ids
    assert left_out(text) == ["jobs", "tenants", "interventions"]
    carried = carried_text(lab, text)
    assert carried is not None
    assert carried.title.endswith("pasted, without jobs, tenants, interventions")
    assert left_out(copied(lab, ("gpu",))) == []
