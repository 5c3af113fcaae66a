"""Own parts and models beside a scene: which files are read, what is refused, and what a scene keeps of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import own_scene
from twin.catalog import load_catalog
from twin.record.inputs import input_hashes
from twin.record.scenario_json import from_json, to_json
from twin.scenario import ScenarioError, load, loads
from twin.scenario.file.diff import differences
from twin.scenario.file.effective_text import show
from twin.scenario.file.own_copies import copy_own_files
from twin.scenario.file.set_option import set_value
from twin.scenario.formats import own_files
from twin.scenario.schema.scene_catalog import catalog_of


def refused(path: Path) -> str:
    with pytest.raises(ScenarioError) as wrong:
        load(path)
    return str(wrong.value)


def test_folders_beside_a_scene_are_read_for_that_scene_alone(tmp_path: Path) -> None:
    scenario = load(own_scene.write(tmp_path / "a")).scenario
    assert [own.file for own in scenario.own_files] == [
        "parts/gpu.yaml",
        "parts/node.yaml",
        "models/Toy-Llama/config.json",
        "models/toy.yaml",
    ]
    assert catalog_of(scenario).own_parts == (own_scene.GPU, own_scene.NODE)
    assert catalog_of(load("builtin:lab-16").scenario) is load_catalog()
    other = tmp_path / "b" / "toys.twin.yaml"
    other.parent.mkdir()
    other.write_text(own_scene.scene_text())
    assert "TOY-NODE" in refused(other)


def test_keys_name_files_and_folders_and_nothing(tmp_path: Path) -> None:
    path = own_scene.write(tmp_path)
    (tmp_path / "parts").rename(tmp_path / "mine")
    assert "TOY-NODE" in refused(path)
    path.write_text(
        own_scene.scene_text(more="parts: [mine/gpu.yaml, mine/node.yaml]\nmodels: [models/toy.yaml]\n")
    )
    scenario = load(path).scenario
    assert [own.file for own in scenario.own_files] == ["mine/gpu.yaml", "mine/node.yaml", "models/toy.yaml"]
    path.write_text(own_scene.scene_text(model="llama3-8b", more="parts: [mine]\nmodels: []\n"))
    assert [own.file for own in load(path).scenario.own_files] == ["mine/gpu.yaml", "mine/node.yaml"]
    path.write_text(own_scene.scene_text(more="parts: []\n"))
    assert "TOY-NODE" in refused(path)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("../parts", "must be a path inside the folder of its file"),
        ("/etc", "must be a path inside the folder of its file"),
        ("link", "leaves the folder of the scene"),
        ("parts/link.yaml", "leaves the folder of the scene"),
        ("partz", "did you mean 'parts'?"),
        ("toys.txt", "is no file of parts; name a folder, or a .yaml or .yml file"),
    ],
)
def test_nothing_outside_the_folder_is_read(tmp_path: Path, named: str, said: str) -> None:
    path = own_scene.write(tmp_path / "scene")
    (tmp_path / "out.yaml").write_text(own_scene.gpu_text())
    (path.parent / "toys.txt").write_text("x")
    (path.parent / "link").symlink_to(tmp_path)
    if named == "parts/link.yaml":
        (path.parent / named).symlink_to(tmp_path / "out.yaml")
    path.write_text(own_scene.scene_text(more=f"parts: ['{named}']\n"))
    wrong = refused(path)
    assert said in wrong
    assert "toys.twin.yaml:" in wrong


def test_a_link_in_the_folder_that_leads_out_is_refused(tmp_path: Path) -> None:
    path = own_scene.write(tmp_path / "scene")
    (tmp_path / "secret.yaml").write_text(own_scene.gpu_text())
    (path.parent / "parts" / "zz.yaml").symlink_to(tmp_path / "secret.yaml")
    assert "leaves the folder of the scene" in refused(path)


def test_sizes_and_numbers_of_files_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = own_scene.write(tmp_path)
    os.truncate(tmp_path / "parts" / "gpu.yaml", 600_000)
    assert "is larger than 500 kB, too large for own parts and models" in refused(path)
    (tmp_path / "parts" / "gpu.yaml").write_text(own_scene.gpu_text())
    monkeypatch.setattr(own_files, "MOST_FILES", 1)
    assert "has 2 files; at most 1 are read; join them" in refused(path)


def test_a_wrong_file_is_told_with_its_own_line(tmp_path: Path) -> None:
    path = own_scene.write(tmp_path)
    (tmp_path / "parts" / "gpu.yaml").write_text(own_scene.gpu_text().replace("80 GB", "80 kg", 1))
    assert "parts/gpu.yaml:9: TOY-GPU.memory.value" in refused(path)
    (tmp_path / "parts" / "gpu.yaml").write_bytes(b"\xff\xfe")
    assert "parts/gpu.yaml:1: is not UTF-8 text" in refused(path)


def test_a_scene_keeps_what_the_files_said(tmp_path: Path) -> None:
    path = own_scene.write(tmp_path)
    document = load(path)
    scenario = document.scenario
    again = from_json(to_json(scenario))
    assert again == scenario
    assert catalog_of(again) is catalog_of(scenario)
    flat = loads(show(scenario, exact=True)).scenario  # a text that lies nowhere
    assert flat.own_files == scenario.own_files
    assert catalog_of(set_value(document, "jobs[train].nodes", "2").scenario) is catalog_of(scenario)
    hashes = input_hashes(scenario)
    (tmp_path / "parts" / "gpu.yaml").write_text(own_scene.gpu_text(tdp_w=650.0))
    changed = input_hashes(load(path).scenario)
    assert {name for name in hashes if hashes[name] != changed[name]} == {"scenario", "parts/gpu.yaml"}


@pytest.mark.parametrize("change", [("TOY-GPU:", "H100-SXM:"), ("parts/gpu.yaml", "../gpu.yaml")])
def test_texts_kept_in_a_scene_are_checked_as_files_are(tmp_path: Path, change: tuple[str, str]) -> None:
    text = to_json(load(own_scene.write(tmp_path)).scenario)
    assert change[0] in text
    with pytest.raises(ValueError, match=r"already at|inside the folder"):
        from_json(text.replace(*change, 1))


def test_a_variant_in_the_folder_has_the_parts_of_its_base(tmp_path: Path) -> None:
    own_scene.write(tmp_path)
    variant = tmp_path / "variant.twin.yaml"
    head = own_scene.scene_text().partition("duration")[0]
    variant.write_text(head + "extends: toys.twin.yaml\nduration: 1 h\n")
    assert catalog_of(load(variant).scenario).own_parts == (own_scene.GPU, own_scene.NODE)


def test_differences_name_each_figure_of_an_own_part(tmp_path: Path) -> None:
    path = own_scene.write(tmp_path)
    before = load(path).scenario
    (tmp_path / "parts" / "gpu.yaml").write_text(own_scene.gpu_text(tdp_w=650.0))
    (tmp_path / "models" / "Toy-Llama" / "config.json").unlink()
    found = {
        difference.path: (difference.kind, difference.before, difference.after)
        for difference in differences(before, load(path).scenario)
    }
    assert found["own_parts[TOY-GPU].tdp"] == ("changed", "600 W", "650 W")
    assert found["own_models[toy-llama]"][0] == "removed"
    assert len(found) == 2


def test_an_edit_keeps_the_parts_that_were_read(tmp_path: Path) -> None:
    path = own_scene.write(tmp_path)
    document = load(path)
    (tmp_path / "parts" / "gpu.yaml").write_text(own_scene.gpu_text(tdp_w=650.0))
    (tmp_path / "parts" / "odd.yaml").write_text("half written")
    edited = set_value(document, "jobs[train].nodes", "2")
    assert edited.scenario.own_files == document.scenario.own_files
    assert "odd.yaml" in refused(path)
    with pytest.raises(ScenarioError, match=r"odd\.yaml"):  # other files are asked for: read
        set_value(document, "models", "[models/toy.yaml]")


def test_copies_take_all_files_and_write_over_none(tmp_path: Path) -> None:
    scenario = load(own_scene.write(tmp_path / "a")).scenario
    other = tmp_path / "b"
    other.mkdir()
    assert len(copy_own_files(scenario, other)) == 4
    assert copy_own_files(scenario, other) == []
    (other / "parts" / "gpu.yaml").write_text("mine")
    (other / "models" / "toy.yaml").unlink()
    with pytest.raises(ScenarioError, match=r"parts/gpu.yaml: is another file in"):
        copy_own_files(scenario, other)
    assert not (other / "models" / "toy.yaml").exists()


def test_a_folder_is_read_by_itself_for_checks(tmp_path: Path) -> None:
    own_scene.write(tmp_path)
    assert len(own_files.of_folder(tmp_path)) == 4
    assert [own.file for own in own_files.of_folder(tmp_path / "parts")] == [
        "parts/gpu.yaml",
        "parts/node.yaml",
    ]
    with pytest.raises(ScenarioError, match="is no folder"):
        own_files.of_folder(tmp_path / "nowhere")
