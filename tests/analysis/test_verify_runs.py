"""Runs simulated again from their files alone: the same, or with the first difference named."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "sim"))
from edit_scenes import absent, edit, racks, tiny

from twin.analysis.rerun import scenario_of_run
from twin.analysis.verify import verify
from twin.record.reader import Reader
from twin.record.recorder import SNAPSHOTS
from twin.record.runfile import RunFileError
from twin.runtime.inline import InlineClient, run
from twin.runtime.protocol import Applied, Refused
from twin.scenario import load
from twin.scenario.schema.faults import Intervention

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of lab-16 that another process recorded."""
    path = tmp_path_factory.mktemp("runs") / "lab.twinrun"
    words = [sys.executable, "-m", "twin.cli", "run", "lab-16", "--out", str(path), "--json"]
    subprocess.run(words, check=True, capture_output=True, cwd=ROOT)
    return path


def changed(lab: Path, path: Path, statement: str, *values: Any) -> Path:
    shutil.copy(lab, path)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(statement, values)
    return path


@pytest.mark.slow
def test_a_run_of_another_process_is_the_same(lab: Path) -> None:
    told: list[tuple[float, float]] = []
    verdict = verify(lab, lambda now_s, end_s: told.append((now_s, end_s)))
    assert verdict.clean
    assert verdict.over
    assert verdict.causes == ()
    with Reader(lab) as reader:
        assert verdict.events == reader.event_count > 40
        assert verdict.t_s == reader.t_end_s == 86400.0
    assert verdict.states == SNAPSHOTS
    assert told[-1] == (86400.0, 86400.0)


def test_what_people_did_while_it_ran_is_done_again_when_they_asked(tmp_path: Path) -> None:
    path = tmp_path / "live.twinrun"
    client = InlineClient()
    client.load(tiny(nodes=3, duration="2 h"), run_file=path)
    client.intervene(Intervention(id="later", at_s=3000.0, kind="fail", target="gpu/0/1"))
    client.step()
    client.intervene(Intervention(id="now", at_s=0.0, kind="power_cap", target="all", value="500 W"))
    client.intervene(edit(0.0, "more", racks(4), title="one rack more"))
    client.step()
    client.intervene(Intervention(id="new", at_s=0.0, kind="fail", target="gpu/0/3"))
    client.intervene(edit(5000.0, "less", absent("gpu/0/3")))
    client.play()
    while client.pump(0.05):
        pass
    assert sum(isinstance(message, Applied) for message in client.poll()) == 5
    client.close()
    with Reader(path) as reader:
        assert len(reader.markers()) == 5
        assert {"failure", "edited"} & {event.kind for event in reader.events()}
    verdict = verify(path)
    assert verdict.divergence is None
    assert verdict.over

    without = changed(path, tmp_path / "without.twinrun", "DELETE FROM markers WHERE text = 'fail gpu/0/1'")
    found = verify(without).divergence
    assert found is not None
    assert found.t_s <= 3000.0


def test_what_was_taken_out_again_never_was(tmp_path: Path) -> None:
    path, scene = tmp_path / "live.twinrun", tiny(nodes=3, duration="2 h")
    late = Intervention(id="late", at_s=6000.0, kind="fail", target="gpu/0/0")
    scene = scene.model_copy(
        update={"interventions": (late,), "edits": (edit(5000.0, "less", absent("gpu/0/2")),)}
    )
    soon = Intervention(id="soon", at_s=3000.0, kind="fail", target="gpu/0/1")
    client = InlineClient()
    client.load(scene, run_file=path)
    client.intervene(soon)
    client.step()
    client.intervene(edit(4000.0, "more", racks(4), title="one rack more"))
    for done in (soon, late, edit(4000.0, "more", racks(4)), scene.edits[0]):
        client.withdraw(done)
    assert sum(isinstance(message, Applied) for message in client.poll()) == 6
    client.withdraw(soon)
    (refused,) = [message for message in client.poll() if isinstance(message, Refused)]
    assert "is not scheduled in this run" in refused.reason
    client.step()
    client.restart()  # the scene that it is given still has what was taken out
    client.intervene(edit(4500.0, "more", racks(5), title="two racks more"))
    client.play()
    while client.pump(0.05):
        pass
    client.close()
    assert verify(path).divergence is None
    with Reader(path) as reader:
        assert [marker.kind for marker in reader.markers()] == [
            "intervention",
            "edit",
            *["withdrawn"] * 4,
            "edit",
        ]
        left = scenario_of_run(reader)
        assert not left.interventions
        assert [one.title for one in left.edits] == ["two racks more"]
        begun = run(left)
        assert reader.event_hash == begun.engine.event_hash()
    found = verify(
        changed(path, tmp_path / "without.twinrun", "DELETE FROM markers WHERE text = 'fail gpu/0/0'")
    ).divergence
    assert found is not None
    assert found.t_s == 6000.0


@pytest.mark.slow
def test_what_people_do_while_it_plays_and_after_a_restart_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "played.twinrun"
    client = InlineClient()
    client.load(tiny(nodes=3, duration="20 day"), run_file=path)
    client.play()
    for number in range(12):
        client.pump(0.003)
        target = "gpu/0/3" if number == 9 else f"gpu/0/{number % 3}"
        kind = ("fail", "drain", "undrain")[number % 3]
        if number == 5:
            client.intervene(edit(0.0, "more", racks(4), title="one rack more"))
        client.intervene(Intervention(id=f"i{number}", at_s=0.0, kind=kind, target=target))
        if number == 7:
            client.restart()
            client.play()
    while client.pump(0.05):
        pass
    client.close()
    with Reader(path) as reader:
        assert len(reader.markers()) == 13
        assert reader.summary is not None
    verdict = verify(path)
    assert verdict.divergence is None


def test_a_run_that_was_cut_off_is_compared_up_to_there(tmp_path: Path) -> None:
    client = InlineClient()
    client.load(load("builtin:lab-16").scenario, run_file=tmp_path / "a.twinrun")
    for _ in range(20):
        client.step()
    client.pause()
    with Reader(
        tmp_path / "a.twinrun"
    ) as reader:  # as a killed worker leaves it: log and file as last committed
        reader.save_copy(tmp_path / "cut.twinrun")
    verdict = verify(tmp_path / "cut.twinrun")
    client.close()
    assert verdict.divergence is None
    assert not verdict.over
    assert 0 < verdict.t_s < 86400
    assert verdict.events >= 20


def elsewhere(tmp_path: Path, name: str, old: str, new: str) -> dict[str, str]:
    """Return files of a program like this one, with one constant changed; it needs no copy of the code."""
    (tmp_path / "twin").symlink_to(ROOT / "twin")
    shutil.copytree(ROOT / "assets", tmp_path / "assets")
    path = tmp_path / "assets" / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return {"cwd": str(tmp_path)}


def verified(lab: Path, place: dict[str, str]) -> dict[str, Any]:
    words = [sys.executable, "-m", "twin.cli", "verify", str(lab), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=place["cwd"])
    assert done.returncode == 1, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_a_changed_profile_is_named_with_the_first_event_that_moves(lab: Path, tmp_path: Path) -> None:
    place = elsewhere(tmp_path, "profiles/h100.yaml", "value: 0.885", "value: 0.875")
    said = verified(lab, place)
    assert said["divergence"]["what"] == "event"
    assert said["divergence"]["differs"] == ["time"]
    assert said["divergence"]["expected"]["kind"] == said["divergence"]["found"]["kind"]
    assert any("profile h100" in cause and "0.885" in cause and "0.875" in cause for cause in said["causes"])


def test_a_changed_part_is_named_though_no_event_shows_it(lab: Path, tmp_path: Path) -> None:
    """What a rack's PDU loses goes past the air that GPUs breathe: it is metered, and nothing happens otherwise."""
    capacity = 'capacity: {value: 34.5 kW, source: arithmetic, status: derived, note: "sqrt 3 x 415 V x 60 A x 80 %"}'
    old, new = (f"{capacity}\n    efficiency: {{value: {value}" for value in ("99.5 %", "98 %"))
    said = verified(lab, elsewhere(tmp_path, "catalog/power.yaml", old, new))
    assert said["divergence"]["what"] == "state"
    assert said["divergence"]["row"] is None
    assert any(path.startswith("meter") for path in said["divergence"]["differs"])
    assert any(
        "catalogue: rPDU-415V-60A-3ph efficiency" in cause and "was 99.5 %" in cause and "98 % now" in cause
        for cause in said["causes"]
    )


def test_a_changed_part_is_named_with_the_first_event_that_moves(lab: Path, tmp_path: Path) -> None:
    """Fans of an air handler warm what the racks breathe: another 100 W move the first checkpoint by 1 ms."""
    said = verified(
        lab, elsewhere(tmp_path, "catalog/cooling.yaml", "fan: {value: 6 kW", "fan: {value: 6.1 kW")
    )
    assert said["divergence"]["what"] == "event"
    assert said["divergence"]["expected"]["kind"] == "checkpoint"
    assert any(
        "catalogue: CRAH-chilled fan" in cause and "was 6 kW" in cause and "6.1 kW now" in cause
        for cause in said["causes"]
    )


def test_an_altered_file_is_told_apart_event_by_event(lab: Path, tmp_path: Path) -> None:
    moved = verify(changed(lab, tmp_path / "a.twinrun", "UPDATE events SET t = t + 0.002 WHERE row = 7"))
    assert moved.divergence is not None
    assert (moved.divergence.row, moved.divergence.differs) == (7, ("time",))
    hair = verify(changed(lab, tmp_path / "b.twinrun", "UPDATE events SET text = 'other' WHERE row = 7"))
    assert hair.clean  # words are no outcome
    assert hair.causes[0].startswith("event 7 differs: 'other' (")
    gone = verify(changed(lab, tmp_path / "c.twinrun", "DELETE FROM events WHERE row = 7")).divergence
    assert gone is not None
    assert (gone.row, gone.expected) == (7, None)
    hashed = changed(lab, tmp_path / "d.twinrun", "UPDATE snapshots SET hash = 'x' WHERE id = 5")
    only = verify(hashed).divergence
    assert only is not None
    assert only.what == "hash"
    assert only.expected is not None
    assert only.expected == only.found
    summary = changed(
        lab, tmp_path / "e.twinrun", "UPDATE progress SET summary = json_set(summary, '$.pue', 9)"
    )
    last = verify(summary).divergence
    assert last is not None
    assert (last.what, last.differs) == ("summary", ("pue",))


def test_sentences_of_another_version_are_no_difference(lab: Path, tmp_path: Path) -> None:
    path = changed(lab, tmp_path / "old.twinrun", "UPDATE events SET text = 'worded otherwise'")
    reason = "json_set(summary, '$.jobs[0].network_reason', 'worded otherwise')"
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(f"UPDATE progress SET summary = {reason}")
    same_version = verify(path)
    assert same_version.divergence is not None
    assert same_version.divergence.differs == ("jobs[0].network_reason",)
    older = verify(
        changed(
            path,
            tmp_path / "older.twinrun",
            "UPDATE header SET value = json_set(value, '$.twin', '0.0.1') WHERE key = 'versions'",
        )
    )
    assert older.clean
    assert not any("worded otherwise" in cause for cause in older.causes)


def test_parts_that_the_scene_uses_come_before_others(lab: Path, tmp_path: Path) -> None:
    place = elsewhere(tmp_path, "catalog/cooling.yaml", "fan: {value: 6 kW", "fan: {value: 6.1 kW")
    for name, old, new in (
        (
            "catalog/gpus.yaml",
            "tdp: {value: 400 W",
            "tdp: {value: 401 W",
        ),  # the A100, which comes first there
        ("profiles/a100.yaml", "value: ", "value: 1"),
    ):
        path = tmp_path / "assets" / name
        path.write_text(path.read_text().replace(old, new, 1))
    causes = verified(lab, place)["causes"]
    told = [
        cause.partition(" ")[0] if "differs from" in cause else cause.partition(":")[0] for cause in causes
    ]
    assert told == [
        "catalogue",
        "catalogue, of parts that this scene does not use",
        "profile a100, which this scene does not use",
        "catalog/cooling.yaml",
        "catalog/gpus.yaml",
        "profiles/a100.yaml",
    ]
    assert "CRAH-chilled fan_w was 6 kW" in causes[0]
    assert "A100-SXM-40 tdp_w was 400 W" in causes[1]


SET = "UPDATE header SET value = replace(value, {}) WHERE key = 'scenario'"


def test_an_altered_scene_is_named_by_its_key_with_both_values(lab: Path, tmp_path: Path) -> None:
    with Reader(lab) as reader:
        interval = json.loads(reader.header.scenario_text)["jobs"][0]["checkpoint"]["interval"]
    words = SET.format(f'\'"interval":"{interval}"\', \'"interval":"777.0 s"\'')
    verdict = verify(changed(lab, tmp_path / "a.twinrun", words))
    assert not verdict.clean
    assert verdict.causes == (
        f"scene, changed in the file: jobs[llama3].checkpoint.interval was {interval} in the run and "
        "is 777.0 s in the file",
    )
    only_words = verify(changed(lab, tmp_path / "b.twinrun", SET.format("'DGX H100: ', 'DGX H101: '")))
    assert only_words.clean
    assert only_words.causes[0].startswith("scene, changed in the file: sources[0] was DGX H100: ")
    old = changed(tmp_path / "a.twinrun", tmp_path / "c.twinrun", "DELETE FROM header WHERE key = 'original'")
    assert verify(old).causes == (
        "the scene in the file was changed after the run; the original is not kept",
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("'\"duration\"', '\"durbtion\"'", "changed in the file: durbtion was nothing in the run"),
        (
            "'DGX-H100', 'DGX-H101'",
            "nodes[0].part was DGX-H100 in the run and is DGX-H101 in the file",
        ),
        ("',\"title\"', ',title\"'", "changed after the run and is not readable"),
    ],
)
def test_a_scene_altered_so_that_no_run_can_be_made_of_it_says_how(
    lab: Path, tmp_path: Path, words: str, said: str
) -> None:
    with pytest.raises(RunFileError) as caught:
        verify(changed(lab, tmp_path / "bad.twinrun", SET.format(words)))
    text = str(caught.value)
    assert text.startswith(f"{tmp_path / 'bad.twinrun'}: ")
    assert any(said in line for line in text.splitlines()[1:])
    assert "Value error" not in text


def test_of_many_altered_keys_the_first_are_told_a_line_each(lab: Path, tmp_path: Path) -> None:
    with pytest.raises(RunFileError) as caught:
        verify(changed(lab, tmp_path / "bad.twinrun", SET.format("'\":', 'x\":'")))
    lines = str(caught.value).splitlines()
    assert len(lines) == 12
    assert all("changed in the file: " in line for line in lines[1:])
    assert lines[-1].startswith("scene, changed in the file: and ")
    assert lines[-1].endswith(" more")
    assert max(map(len, lines)) < 500


def test_flipped_bits_in_blocks_are_all_found_before_the_simulation(lab: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(lab)) as file:
        blocks = [row[0] for row in file.execute("SELECT id FROM blocks")]
    bad = tmp_path / "bad.twinrun"
    shutil.copy(lab, bad)
    with closing(sqlite3.connect(bad)) as file, file:
        for block, channel in zip(blocks, ("rack.power_w", "loop.supply_c", "detail.group"), strict=False):
            where = "WHERE block = ? AND channel = ?"
            (data,) = file.execute(f"SELECT data FROM series {where}", (block, channel)).fetchone()
            broken = data[:-2] + bytes([data[-2] ^ 16]) + data[-1:]
            file.execute(f"UPDATE series SET data = ? {where}", (broken, block, channel))
    with pytest.raises(RunFileError) as caught:
        verify(bad, lambda *_: pytest.fail("it was simulated"))
    assert f"{bad}: of what was recorded from 0 s to " in str(caught.value)
    assert "rack.power_w cannot be read" in str(caught.value)
    more, hint = str(caught.value).split("; ")[-2:]
    assert more == f"{min(len(blocks), 3) - 1} more parts of the file are damaged"
    assert hint == "use another copy of the file, or run its scene again"


@pytest.mark.parametrize(
    ("statement", "differs"),
    [
        ("UPDATE header SET value = replace(value, 'gpu/0/1', 'gpu/0/9') WHERE key = 'ids'", "ids."),
        ("UPDATE header SET value = '86401.0' WHERE key = 'end_s'", "end_s"),
    ],
)
def test_what_the_header_says_of_the_hall_is_compared(
    lab: Path, tmp_path: Path, statement: str, differs: str
) -> None:
    found = verify(changed(lab, tmp_path / "h.twinrun", statement)).divergence
    assert found is not None
    assert found.what == "header"
    assert found.differs[0].startswith(differs)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE header SET value = 'AAAA' WHERE key = 'constants'",
        "UPDATE snapshots SET data = x'789c030000000001' WHERE id = 3",
        "INSERT INTO markers(t, kind, text, data) VALUES (5, 'edit', 'x', '{}')",
        "INSERT INTO markers(t, kind, text, data) VALUES (5, 'intervention', 'x', '[1')",
    ],
)
def test_damage_is_one_sentence(lab: Path, tmp_path: Path, statement: str) -> None:
    with pytest.raises(RunFileError, match=r"bad\.twinrun: .*damaged"):
        verify(changed(lab, tmp_path / "bad.twinrun", statement))


def test_a_file_of_before_says_that_its_constants_are_not_kept(lab: Path, tmp_path: Path) -> None:
    path = changed(lab, tmp_path / "old.twinrun", "DELETE FROM header WHERE key = 'constants'")
    inputs = json.dumps({"catalog/gpus.yaml": "0" * 32})
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE header SET value = ? WHERE key = 'inputs'", (inputs,))
        file.execute(
            "UPDATE header SET value = json_set(value, '$.numpy', '1.0', '$.twin', '0.0.1') WHERE key = 'versions'"
        )
    verdict = verify(path)
    assert verdict.clean
    assert any("gpus.yaml differs (the file does not hold its values" in text for text in verdict.causes)
    assert any(text.startswith("other numpy: 1.0 for the run") for text in verdict.causes)
    assert any(text.startswith("other version of the program") for text in verdict.causes)


def test_a_run_that_stops_early_is_verified_up_to_there(tmp_path: Path) -> None:
    path = tmp_path / "short.twinrun"
    run(load("builtin:lab-16").scenario, until_s=36000.0, record=path, seed=5)
    verdict = verify(path)
    assert verdict.divergence is None
    assert verdict.t_s == 36000.0
