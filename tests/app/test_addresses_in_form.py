"""Prefixes and VLANs are set in the form of the scene, also where it has none yet."""

from __future__ import annotations

import pytest

from twin.app.inspector.property_fields import properties
from twin.app.inspector.property_values import command, standing
from twin.commands.edit.command import EditedScene
from twin.scenario import ScenarioError, load
from twin.scenario.file.patch_text import edit


def after(scene: EditedScene, key: str, text: str | None) -> EditedScene:
    field = next(field for field in properties(scene, "") if field.key == key)
    done, inverse = edit(scene.document, command(scene, ("",), field, text).patch(scene))
    assert edit(done, inverse)[0].text == scene.document.text
    return EditedScene.of(done)


def test_prefixes_and_vlans_are_set_and_taken_back() -> None:
    scene = EditedScene.of(load("builtin:lab-16"))
    assert scene.scenario.site.addresses is None
    fields = {field.key: field for field in properties(scene, "") if field.key.startswith("site.addresses")}
    assert len(fields) == 11
    assert fields["site.addresses.in_band.vlan"].title == "First VLAN"
    assert fields["site.addresses.in_band.vlan"].heading == "Addresses: in band"
    assert standing(scene, ("",), fields["site.addresses.in_band.prefix"]).text == ""
    scene = after(scene, "site.addresses.in_band.prefix", "10.99.0.0/16")
    scene = after(scene, "site.addresses.in_band.vlan", "700")
    scene = after(scene, "site.addresses.in_band.prefix", "172.20.0.0/16")
    addresses = scene.scenario.site.addresses
    assert addresses is not None
    assert (addresses.in_band.prefix, addresses.in_band.vlan) == ("172.20.0.0/16", 700)
    with pytest.raises(ScenarioError, match="is no IPv4 prefix"):
        after(scene, "site.addresses.in_band.prefix", "here")
    with pytest.raises(ScenarioError, match="is too small"):
        after(scene, "site.addresses.compute.prefix", "172.21.0.0/24")
