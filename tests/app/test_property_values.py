"""Properties of things: what can be set, where values come from, what is taken and what is told to be wrong."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from twin.app.inspector.property_fields import Property, common, properties, stands_for
from twin.app.inspector.property_values import command, standing
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.delete import Delete
from twin.commands.place.generators import ChangeGenerator
from twin.scenario import load, loads
from twin.scenario.file.patch_text import edit

_SCENES = Path(__file__).parents[2] / "scenes"


@cache
def lab() -> EditedScene:
    """Return the smallest scene without its job, which needs both nodes."""
    scene = EditedScene.of(load(_SCENES / "lab-16.twin.yaml"))
    return EditedScene.of(edit(scene.document, Delete(("llama3",)).patch(scene))[0])


def field(scene: EditedScene, ids: tuple[str, ...], key: str) -> Property:
    return next(one for one in common(scene, ids) if one.key == key)


def after(scene: EditedScene, ids: tuple[str, ...], key: str, text: str | None) -> EditedScene:
    """Return the scene with a property set; the way back leads to the same text."""
    patch = command(scene, ids, field(scene, ids, key), text).patch(scene)
    done, inverse = edit(scene.document, patch)
    assert edit(done, inverse)[0].text == scene.document.text
    return EditedScene.of(done)


@pytest.mark.parametrize(("typed", "supply_c"), [("21 degC", 21.0), ("69.8 degF", 21.0), ("21", 21.0)])
def test_any_unit_of_the_dimension_is_taken_and_a_bare_number_has_the_one_shown(
    typed: str, supply_c: float
) -> None:
    loop = lab().scenario.cooling.loops[0].id
    done = after(lab(), (loop,), "supply", typed)
    assert done.scenario.cooling.loops[0].supply_c == pytest.approx(supply_c)
    assert standing(done, (loop,), field(done, (loop,), "supply")).source == "set"


@pytest.mark.parametrize(
    ("key", "typed", "told"),
    [
        ("racks.pitch", "80 kW", "length such as"),
        ("racks.count", "two", "whole number"),
        ("containment", "warm", "there are hot, cold, none"),
        ("racks.part", "GB200-NVL73", "did you mean 'GB200-NVL72'"),
    ],
)
def test_what_is_no_such_value_is_told_with_what_would_be_right(key: str, typed: str, told: str) -> None:
    with pytest.raises(CommandError, match=told):
        command(lab(), ("gpu",), field(lab(), ("gpu",), key), typed)


def test_a_rule_stands_where_a_figure_may() -> None:
    scene, job, key = EditedScene.of(load(_SCENES / "lab-16.twin.yaml")), "llama3", "checkpoint.interval"
    done = after(scene, (job,), key, "young")
    assert done.scenario.jobs[0].checkpoint.interval == "young"
    done = after(done, (job,), key, "20 min")
    assert done.scenario.jobs[0].checkpoint.interval == 1200.0


def test_a_value_out_of_its_bounds_is_refused_by_the_scene() -> None:
    loop = lab().scenario.cooling.loops[0].id
    wanted = command(lab(), (loop,), field(lab(), (loop,), "supply"), "90 degC")
    with pytest.raises(ValueError, match="60"):
        edit(lab().document, wanted.patch(lab()))


def test_a_value_says_where_it_comes_from() -> None:
    scene = lab()
    stage = next(stage for stage in scene.scenario.power if stage.kind == "pdu").id
    capacity = standing(scene, (stage,), field(scene, (stage,), "capacity"))
    assert (capacity.text, capacity.source) == ("", "spec")
    assert capacity.ghost.endswith("kW")
    assert capacity.ghost in capacity.hint
    said = standing(scene, ("gpu",), field(scene, ("gpu",), "containment"))
    line = int(said.hint.rpartition(" ")[2])
    assert "containment" in scene.document.text.splitlines()[line - 1]
    assert said.resettable
    pitch = standing(scene, ("gpu",), field(scene, ("gpu",), "racks.pitch"))
    assert (pitch.text, pitch.source, pitch.resettable) == ("0.6 m", "default", False)
    part = standing(scene, ("gpu/0/0/0",), field(scene, ("gpu/0/0/0",), "part"))
    assert (part.ghost, part.source) == ("DGX-H100", "made")


def test_an_item_differs_by_an_override_and_goes_back_by_a_reset() -> None:
    done = after(lab(), ("gpu/0/1/0",), "drained", "true")
    now = standing(done, ("gpu/0/1/0",), field(done, ("gpu/0/1/0",), "drained"))
    assert (now.text, now.source, now.resettable) == ("true", "override", True)
    again = after(done, ("gpu/0/1/0",), "drained", None)
    assert again.scenario.halls == lab().scenario.halls


def test_several_things_are_set_by_one_patch_and_mixed_values_are_told() -> None:
    nodes = ("gpu/0/0/0", "gpu/0/1/0")
    one = after(lab(), nodes[:1], "drained", "true")
    mixed = standing(one, nodes, field(one, nodes, "drained"))
    assert mixed.mixed
    assert mixed.text == ""
    both = after(one, nodes, "drained", "true")
    assert both.plant.nodes.drained.all()


def test_racks_get_exact_places_and_a_selection_one_line() -> None:
    text = lab().document.text
    racks = ("gpu/0/0", "gpu/0/1")
    done = after(lab(), racks, "@y", "2150 mm")
    slots = [done.plant.slots[rack][1] for rack in racks]
    assert done.plant.racks.y_m[slots].tolist() == pytest.approx([2.15, 2.15])
    assert done.plant.racks.x_m[slots].tolist() == pytest.approx(lab().plant.racks.x_m[slots].tolist())
    assert text == lab().document.text


def test_generators_shrink_with_all_that_hangs_on_them_and_say_so_before() -> None:
    document = loads(lab().document.text + "groups: [{id: pair, members: [gpu/0/0, gpu/0/1]}]\n")
    scene = EditedScene.of(document)
    wanted = command(scene, ("gpu",), field(scene, ("gpu",), "racks.count"), "1")
    assert isinstance(wanted, ChangeGenerator)
    assert any("groups" in path for path in wanted.concerns(scene))
    done = EditedScene.of(edit(document, wanted.patch(scene))[0])
    assert done.scenario.groups[0].members == ("gpu/0/0",)
    more = after(lab(), ("gpu/0/0",), "racks.nodes.count", "2")
    assert len(more.plant.gpus.node) == 2 * len(lab().plant.gpus.node)


def test_things_of_one_kind_share_their_properties_and_others_what_they_have_in_common() -> None:
    scene = lab()
    racks = [one.key for one in common(scene, ("gpu/0/0", "gpu/0/1"))]
    assert racks == [one.key for one in properties(scene, "gpu/0/0")]
    loop = scene.scenario.cooling.loops[0].id
    both = {one.key for one in common(scene, ("gpu/0/0", f"{loop}/0"))}
    assert both == {"@x", "@y"}
    assert common(scene, (loop, "nothing-of-the-kind")) == ()


def test_of_gpus_and_switches_their_node_and_fabric_are_meant() -> None:
    assert stands_for("gpu/0/0/0/3", lab()) == "gpu/0/0/0"
    assert stands_for("ib/0/0", lab()) == "ib"
    assert stands_for("gpu/0/0", lab()) == "gpu/0/0"


def test_the_scene_itself_has_properties() -> None:
    done = after(lab(), ("",), "site.climate.swing", "4 K")
    assert done.scenario.site.climate.swing_k == 4.0
    assert after(lab(), ("",), "title", "A: b").scenario.title == "A: b"


def test_only_parts_that_fit_are_offered() -> None:
    scene = lab()
    stage = next(stage for stage in scene.scenario.power if stage.kind == "pdu").id
    offered = field(scene, (stage,), "part").choices
    assert set(offered) == set(scene.catalog.ids("pdu"))
    assert "eco" not in {one.key for one in properties(scene, stage)}  # a matter of UPSs alone


def test_a_key_that_a_variant_sets_itself_is_its_own_and_others_are_inherited() -> None:
    text = (
        "format: twin/scenario\nversion: 3\ncatalog: '2026.11'\nextends: builtin:lab-16\n"
        "title: warmer\ncooling: {loops: [{id: crah, supply: 26 degC}]}\n"
    )
    scene = EditedScene.of(loads(text, "warmer.twin.yaml"))
    loop = scene.scenario.cooling.loops[0].id
    own = standing(scene, (loop,), field(scene, (loop,), "supply"))
    assert (own.source, own.resettable) == ("override", False)
    assert own.hint == "warmer.twin.yaml, line 6; builtin:lab-16 has another value"
    assert standing(scene, (loop,), field(scene, (loop,), "serves")).source == "inherited"


def test_stages_and_loops_of_several_kinds_are_edited_together() -> None:
    scene = EditedScene.of(load(_SCENES / "nvl72-row.twin.yaml"))
    stages = common(scene, ("ups-a", "trafo-a", "pdu-b"))
    fields = {field.key: field for field in stages}
    assert {"from", "units", "capacity", "feeds"} <= set(fields)
    assert not {"kind", "part"} & set(fields)  # no part, and no kind, fits them all
    assert not {"ups-a", "trafo-a", "pdu-b"} & set(fields["from"].choices)  # none feeds itself
    loops = {field.key for field in common(scene, ("cdu", "crah"))}
    assert {"units", "serves", "supply", "flow"} <= loops
    assert "kind" not in loops
    assert "part" in {field.key for field in common(scene, ("cdu/0", "cdu/1"))}
