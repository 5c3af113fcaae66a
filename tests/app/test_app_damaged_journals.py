"""One damaged journal stops the recovery of no other: each is read by itself, and a bad one is kept aside."""

from __future__ import annotations

import json
import random
import stat
from pathlib import Path

import pytest

from twin.app.files.journal import Journal, journal_folder
from twin.app.files.recovery import ASIDE, left_behind, run_of
from twin.scenario import Change, Patch, load
from twin.scenario.file.patch_text import edit

COUNT = 600
SHORT = 60


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TWIN_STATE_DIR", str(tmp_path / "state"))
    return journal_folder()


def left(lab: Path, folder: Path, title: str) -> Path:
    """Leave a journal with two changes, and the note of a run, as a program that was killed does."""
    journal, document = Journal(), load(lab)
    journal.begin(document)
    for word in (title, f"{title} again"):
        document = edit(document, Patch((Change("title", word),)))[0]
        journal.note(document, word)
    journal.note_run(folder / "gone.twinrun")
    path = journal.path
    assert path is not None
    kept = path.with_name(f"{title}.twinjournal")
    kept.write_bytes(path.read_bytes())
    journal.end()
    return kept


def test_a_journal_that_names_an_impossible_run_is_recovered_with_the_others(lab: Path, folder: Path) -> None:
    left(lab, folder, "good")
    bad = left(lab, folder, "nul")
    lines = bad.read_text().splitlines()
    assert json.loads(lines[-1])["run"].endswith("gone.twinrun")
    bad.write_text("\n".join([*lines[:-1], json.dumps({"run": "/tmp/a\0b.twinrun"})]) + "\n")
    found = left_behind()
    assert {one.journal.stem for one in found} == {"good", "nul"}
    assert all(one.steps == 2 for one in found)
    assert [one.run_file for one in found if one.journal.stem == "nul"] == [None]


@pytest.mark.parametrize(
    "head", ["", "no journal\n", '{"journal": 1}\n', '{"journal": 1, "text": "\\ud800"}\n', "[1]\n"]
)
def test_one_that_nothing_can_be_made_of_is_kept_aside(lab: Path, folder: Path, head: str) -> None:
    left(lab, folder, "good")
    (folder / "bad.twinjournal").write_text(head)
    assert [one.journal.stem for one in left_behind()] == ["good"]
    assert not (folder / "bad.twinjournal").exists()
    assert (folder / f"bad.twinjournal{ASIDE}").read_text() == head
    assert [one.journal.stem for one in left_behind()] == ["good"]


def test_journals_are_for_their_owner_alone(lab: Path) -> None:
    journal, document = Journal(), load(lab)
    journal.begin(document)
    journal.note(edit(document, Patch((Change("title", "x"),)))[0], "x")
    assert journal.path is not None
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600
    journal.end()


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Return a journal with something wrong in it."""
    lines = data.split(b"\n")
    way = draw.randrange(6)
    if way == 0:  # any bytes
        broken = bytearray(data)
        for _ in range(draw.randrange(1, 6)):
            broken[draw.randrange(len(broken))] = draw.randrange(256)
        return bytes(broken)
    if way == 1:  # cut off
        return data[: draw.randrange(len(data))]
    if way == 2:  # lines in another order, or twice
        return b"\n".join(draw.choices(lines, k=len(lines)))
    place = draw.randrange(len(lines) - 1)
    said = json.loads(lines[place])
    strange = [
        None,
        -1,
        10**30,
        1.5,
        "",
        "\0",
        "\ud800",
        [],
        {},
        [[1]],
        {"how": "undo", "live": 1},
        True,
        "x" * 9,
    ]
    key = draw.choice([*said, "run", "step", "start", "digest"])
    if way == 3:
        said.pop(key, None)
    else:
        said[key] = draw.choice(strange)
    lines[place] = json.dumps(said).encode()
    return b"\n".join(lines)


def recover(data: bytes, folder: Path) -> None:
    (folder / "mutated.twinjournal").write_bytes(data)
    for one in left_behind():
        assert isinstance(one.text, str)
        run_of(load("builtin:lab-16"), one.run_file)
    for path in folder.iterdir():
        path.unlink()


def mutate(count: int, lab: Path, folder: Path) -> None:
    whole = left(lab, folder, "whole")
    data = whole.read_bytes()
    whole.unlink()
    draw = random.Random(20261123)
    for _ in range(count):
        recover(mutated(data, draw), folder)


def test_mutated_journals_are_recovered_or_kept_aside(lab: Path, folder: Path) -> None:
    mutate(SHORT, lab, folder)


@pytest.mark.slow
def test_many_mutated_journals_are_recovered_or_kept_aside(lab: Path, folder: Path) -> None:
    mutate(COUNT, lab, folder)
