"""Scenes of older versions: read as the present one, raised by an edit, back to the byte by undo."""

import json
from pathlib import Path

import pytest

from twin.cli.show import FORMAT
from twin.record.scenario_json import from_json, to_json
from twin.scenario import VERSION, Change, NewerVersion, Patch, load, loads
from twin.scenario.file.patch_text import edit
from twin.scenario.file.save import save
from twin.scenario.reading.migrate import MIGRATIONS, migrated
from twin.scenario.text.parse import parse

OLDER = {number: Path(__file__).with_name(f"version-{number}.twin.yaml") for number in MIGRATIONS}
"""The scene lab-16 as each version had it, kept as it was: October and November 2026."""
OLD = OLDER[1]
SEED = Patch((Change("seed", "8"),), "Set seed")


def test_each_older_version_is_migrated() -> None:
    assert sorted(MIGRATIONS) == list(range(1, VERSION))
    assert FORMAT.version == VERSION, "twin show"


@pytest.mark.parametrize("number", OLDER)
def test_a_file_of_an_older_version_opens_and_says_what_it_said(tmp_path: Path, number: int) -> None:
    old = load(OLDER[number])
    assert old.scenario.version == VERSION
    assert old.text == OLDER[number].read_text()
    assert (
        save(old, tmp_path / "same.twin.yaml").text == (tmp_path / "same.twin.yaml").read_text() == old.text
    )
    assert loads(old.text.replace(f"version: {number}", f"version: {VERSION}")).scenario == old.scenario


def test_the_tree_keeps_its_places() -> None:
    tree = parse(OLD.read_text(), "old")
    now = migrated(tree)
    assert tree.value["version"].tree.value == 1, "the given one is as it was"
    assert now.value["version"].mark == tree.value["version"].mark
    assert {key: entry for key, entry in now.value.items() if key != "version"} == {
        key: entry for key, entry in tree.value.items() if key != "version"
    }
    assert migrated(now) is now


def test_an_edit_raises_the_version_and_undo_gives_back_every_byte(tmp_path: Path) -> None:
    old = load(OLD)
    after, back = edit(old, SEED)
    assert [change.path for change in back.changes] == ["seed"], "a person did only that"
    saved = save(after, tmp_path / "new.twin.yaml").text.splitlines()
    differing = [(was, now) for was, now in zip(old.text.splitlines(), saved, strict=True) if was != now]
    assert differing[0] == ("version: 1", f"version: {VERSION}")
    assert [now.split(" #")[0] for _, now in differing[1:]] == ["seed: 8"]
    assert edit(after, back)[0].text == old.text
    elsewhere = edit(edit(after, Patch((Change("title", "Other"),)))[0], back)[0]
    assert elsewhere.scenario.seed == old.scenario.seed
    assert elsewhere.scenario.version == VERSION


@pytest.mark.parametrize(("base", "over"), [(1, VERSION), (VERSION, 1), (1, 1)])
def test_a_scene_may_extend_one_of_another_version(tmp_path: Path, base: int, over: int) -> None:
    text = OLD.read_text().replace("version: 1", f"version: {base}")
    (tmp_path / "base.twin.yaml").write_text(text)
    child = tmp_path / "child.twin.yaml"
    child.write_text(
        f'format: twin/scenario\nversion: {over}\ncatalog: "2026.11"\nextends: base.twin.yaml\nseed: 4\n'
    )
    document = load(child)
    assert (document.scenario.version, document.scenario.seed) == (VERSION, 4)
    after = edit(document, SEED)[0]
    assert f"version: {VERSION}\n" in after.text
    assert after.files[1].text == text, "what it extends stays as it is"


def test_a_scene_that_extends_a_newer_one_is_refused_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "base.twin.yaml").write_text(OLD.read_text().replace("version: 1", f"version: {VERSION + 1}"))
    text = f'format: twin/scenario\nversion: {VERSION}\ncatalog: "2026.11"\nextends: base.twin.yaml\n'
    with pytest.raises(NewerVersion) as caught:
        loads(text, "child.twin.yaml", tmp_path)
    problem = caught.value.problems[0]
    assert (problem.file, problem.key, problem.value) == ("base.twin.yaml", "version", str(VERSION + 1))


def test_the_scene_of_an_older_run_file_opens() -> None:
    scenario = load(OLD).scenario
    recorded = json.dumps(json.loads(to_json(scenario)) | {"version": 1})
    assert from_json(recorded) == scenario
    assert from_json(recorded.encode()) == scenario
