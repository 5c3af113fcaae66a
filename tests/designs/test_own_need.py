"""A need with a GPU part and a model of its own: candidates, scenes, full runs, and the folder that is written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import twin
from tests import own_scene
from twin.analysis.design_runs import design_runs
from twin.designs.answer import answer
from twin.designs.design_folder import DesignScenes, scenes_of, write_folder
from twin.designs.need_file import NeedFile, load_need, need_from
from twin.scenario import ScenarioError, load
from twin.scenario.schema.scene_catalog import catalog_of

NEED = f"""format: twin/need
version: 1
title: Toys
workloads:
  - {{kind: llm, model: {own_scene.MODEL}, tokens: 2.0e+10, global_batch: 256, deadline: 30 day}}
stages: [{{date: 2027-01, gpus: 32}}]
gpus: [{own_scene.GPU}]
"""


def write(folder: Path, text: str = NEED) -> Path:
    own_scene.write(folder)
    path = folder / "toys.twin-need.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> DesignScenes:
    file = load_need(write(tmp_path_factory.mktemp("own")))
    return scenes_of(answer(file, file.catalog, 40, 2), file.catalog)


def test_candidates_are_of_the_own_gpu_and_train_the_own_model(made: DesignScenes) -> None:
    assert made.answer.designs, made.left_out or made.answer.sentences
    for design in made.answer.designs:
        assert (design.choice.part.part, design.choice.part.gpu) == (own_scene.NODE, own_scene.GPU)
        assert design.promises[0].promised_s > 0.0
    document = made.scenes[made.names[0]]
    assert "own_files" not in document.text
    assert document.scenario.jobs[0].workload.model == own_scene.MODEL  # type: ignore[union-attr]
    assert own_scene.GPU in catalog_of(document.scenario)


def test_the_folder_holds_what_its_scenes_need(made: DesignScenes, tmp_path: Path) -> None:
    write_folder(made, tmp_path / "out")
    moved = shutil.move(tmp_path / "out", tmp_path / "elsewhere")
    for name in made.names:
        scenario = load(Path(moved) / f"{name}.twin.yaml").scenario
        assert scenario == made.scenes[name].scenario
        assert {own.file for own in scenario.own_files} == {
            "parts/gpu.yaml",
            "parts/node.yaml",
            "models/toy.yaml",
            "models/Toy-Llama/config.json",
        }
    assert (
        twin.load(Path(moved) / f"{made.names[0]}.twin.yaml").run(until="10 min").summary["simulated_s"]
        == 600.0
    )


def test_full_runs_go_on_the_own_parts(made: DesignScenes) -> None:
    scenario = made.scenes[made.names[0]].scenario.model_copy(update={"duration_s": 3600.0})
    ((run,),) = design_runs([scenario], [1], workers=1)
    assert run.sample.figures["it_j"]


def test_keys_name_files_and_folders_in_place_of_the_usual_ones(tmp_path: Path) -> None:
    path = write(tmp_path, NEED + "parts: [lib]\nmodels: [models/toy.yaml]\n")
    (tmp_path / "parts").rename(tmp_path / "lib")
    file = load_need(path)
    assert [own.file for own in file.own_files] == ["lib/gpu.yaml", "lib/node.yaml", "models/toy.yaml"]
    made = scenes_of(answer(file, file.catalog, 8, 1), file.catalog)
    write_folder(made, tmp_path / "out")
    assert load(tmp_path / "out" / "design-01.twin.yaml").scenario.parts == ("lib",)
    assert (tmp_path / "out" / "lib" / "node.yaml").is_file()


@pytest.mark.parametrize(
    ("more", "key", "words"),
    [
        ("parts: [../parts]\n", "parts[0]", "must be a path inside the folder"),
        ("parts: [/etc]\n", "parts[0]", "must be a path inside the folder"),
        ("parts: [outside]\n", "parts[0]", "leads out of|leaves|outside"),
        ("models: []\n", "workloads[0].model", "is no model that is known"),
        ("parts: [parts/none.yaml]\n", "parts[0]", "none.yaml"),
    ],
)
def test_nothing_outside_the_folder_is_read(tmp_path: Path, more: str, key: str, words: str) -> None:
    path = write(tmp_path / "need", NEED + more)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.yaml").write_text("")
    (path.parent / "outside").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ScenarioError, match=words) as wrong:
        load_need(path)
    (problem,) = wrong.value.problems
    assert problem.key == key
    assert problem.line > 0


def test_a_wrong_part_is_told_with_its_file_and_line(tmp_path: Path) -> None:
    path = write(tmp_path)
    node = tmp_path / "parts" / "node.yaml"
    node.write_text(node.read_text().replace(f"gpu: {own_scene.GPU}", "gpu: NO-GPU"))
    with pytest.raises(ScenarioError) as wrong:
        load_need(path)
    assert wrong.value.problems[0].file == "parts/node.yaml"


def test_a_need_without_a_folder_knows_shipped_parts_alone() -> None:
    text = NEED.replace(own_scene.MODEL, "llama3-8b")
    with pytest.raises(ScenarioError, match="is no model that is known"):
        need_from(NEED)
    with pytest.raises(ScenarioError, match="names no GPU of the catalogue or of the parts beside the need"):
        need_from(text)
    file: NeedFile = need_from(text.replace(own_scene.GPU, "H100"))
    assert own_scene.GPU not in file.catalog


def test_a_gpu_that_nobody_has_is_told_with_its_line_and_the_nearest(tmp_path: Path) -> None:
    text = NEED.replace(f"[{own_scene.GPU}]", f"[H100, {own_scene.GPU}X]")
    with pytest.raises(
        ScenarioError, match=rf"need.yaml:7: gpus\[1\] = '{own_scene.GPU}X'.*mean {own_scene.GPU}"
    ):
        load_need(write(tmp_path, text))
