"""What the ghost says of power and cooling is what the rules find once the thing stands there."""

from __future__ import annotations

from twin.app.placing.foreseen import foreseen
from twin.catalog import load_catalog
from twin.commands.edit.command import EditedScene
from twin.commands.place.place import AddPart
from twin.commands.wiring.connect_new import WiredIn
from twin.rules.check import check
from twin.rules.table import BY_ID
from twin.scenario.file.load import load
from twin.scenario.file.patch_text import edit

CATALOG = load_catalog()


def test_the_ghost_and_the_rules_say_one_thing() -> None:
    lab = EditedScene.of(load("builtin:lab-16"), catalog=CATALOG)
    command = WiredIn(AddPart("GB200-NVL72", hall="lab", at=(8.0, 3.0), facing="south"))
    said = foreseen(lab, command)
    assert said.startswith("Power stage overloaded: utility/0, 157 kW of 50 kW")
    after = EditedScene.of(edit(lab.document, command.patch(lab))[0], catalog=CATALOG)
    found = check(after.scenario, after.plant, CATALOG).findings
    (power,) = [finding for finding in found if finding.rule == "power-capacity"]
    assert said.startswith(f"{BY_ID[power.rule].title}: {power.ids[0]}")


def test_where_nothing_speaks_against_it_the_ghost_says_nothing() -> None:
    pod = EditedScene.of(load("builtin:superpod-h100"), catalog=CATALOG)
    x_m = float(pod.plant.halls.x1_m[0]) + 3
    command = AddPart("SU-H100-rack", hall=pod.plant.halls.ids[0], at=(x_m, 3.0), facing="south")
    assert foreseen(pod, WiredIn(command)) == ""
