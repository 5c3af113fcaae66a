"""A run file read from end to end: a flipped bit anywhere in its blocks is found, and told with channel and time."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from twin.record.branching import events_before
from twin.record.reader import Reader
from twin.record.runfile import RunFileError


def flip(path: Path, table: str, column: str, rowid: int, place: int) -> None:
    """Flip a bit of a blob."""
    with closing(sqlite3.connect(path)) as file, file:
        (data,) = file.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (rowid,)).fetchone()
        broken = bytearray(data)
        broken[place % len(broken)] ^= 4
        file.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (bytes(broken), rowid))


def damage(path: Path) -> tuple[str, ...]:
    with Reader(path) as reader:
        return reader.damaged()


def test_a_whole_file_has_no_damage(run_file: Path) -> None:
    assert damage(run_file) == ()


def test_a_flipped_bit_in_any_column_is_found_and_named(run_file: Path) -> None:
    with closing(sqlite3.connect(run_file)) as file:
        rows = file.execute(
            "SELECT s.rowid, s.channel, b.id, b.t0, length(s.data) FROM series s JOIN blocks b ON b.id = s.block"
        ).fetchall()
    whole, die = run_file.read_bytes(), random.Random(4)
    named = {
        "events": "the rows of events",
        "ledger": "the ledger",
        "dies": "the differences between GPUs",
    }
    assert {row[2] for row in rows} >= {1, 2}
    for rowid, channel, block, _, size in die.sample(rows, 60):
        # the last four bytes are the sum of the others; the bits before may be padding, which says nothing
        flip(run_file, "series", "data", rowid, size - 1 - die.randrange(4))
        found = damage(run_file)
        assert found
        assert found[0].startswith(f"{run_file}: of what was recorded ")
        assert f"{named.get(channel, channel)} cannot be read: " in found[0]
        assert len(found) == 1 or (channel, block) == ("dies", 1)  # all blocks after stand on it
        run_file.write_bytes(whole)


@pytest.mark.parametrize(
    ("table", "column", "said"),
    [
        ("blocks", "times", "recorded at 0 s, the times of its samples cannot be read"),
        ("snapshots", "data", "the snapshot at "),
    ],
)
def test_times_and_states_are_read_too(run_file: Path, table: str, column: str, said: str) -> None:
    flip(run_file, table, column, 1, -1)
    (found,) = damage(run_file)
    assert said in found


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE blocks SET t1 = t1 + 1 WHERE id = 1", "they are not those of the block"),
        ("UPDATE snapshots SET t = t + 1e6", "the run does not reach this time"),
        ("UPDATE header SET value = substr(value, 3) WHERE key = 'original'", "the copy of the scene"),
        ("UPDATE progress SET events = 3", "they are out of order"),
    ],
)
def test_what_does_not_belong_together_is_told(run_file: Path, statement: str, said: str) -> None:
    with closing(sqlite3.connect(run_file)) as file, file:
        file.execute(statement)
    assert said in damage(run_file)[0]


def test_a_name_that_is_another_than_in_the_index_is_told(run_file: Path) -> None:
    whole = run_file.read_bytes()
    place = whole.rindex(b"rack.power_wx")
    run_file.write_bytes(whole[:place] + b"rbck.power_wx" + whole[place + 13 :])
    assert (
        damage(run_file)[0]
        == f"{run_file}: the run file is damaged: the index of the curves and pictures does not match its "
        "data; parts may be missing"
    )


def test_pages_that_do_not_fit_together_are_told_in_our_words(run_file: Path) -> None:
    whole, die = run_file.read_bytes(), random.Random(11)
    with closing(sqlite3.connect(run_file)) as file:
        (page_bytes,) = file.execute("PRAGMA page_size").fetchone()
        ((root,),) = file.execute("SELECT rootpage FROM sqlite_master WHERE name = 'series'")
    told = set()
    for k in range(120):
        broken = bytearray(whole)
        page = root if k < 20 else die.randrange(1, len(whole) // page_bytes)
        broken[page * page_bytes - page_bytes + die.randrange(40)] ^= 1 << die.randrange(8)
        run_file.write_bytes(broken)
        try:
            found = damage(run_file)
        except RunFileError as error:
            found = (str(error),)
        told.update(one.removeprefix(f"{run_file}: ") for one in found)
    theirs = ("***", "Tree", "tree page", "btree", "autoindex", "malformed", "Offset", "cell", "Rowid")
    assert not [one for one in told if any(word in one for word in theirs)]
    assert "the run file is damaged: a page of the curves and pictures was altered" in told


def test_a_curve_that_cannot_be_read_says_of_what_and_when(run_file: Path) -> None:
    with closing(sqlite3.connect(run_file)) as file:
        ((rowid,),) = file.execute("SELECT rowid FROM series WHERE block = 12 AND channel = 'rack.power_w'")
    flip(run_file, "series", "data", rowid, -1)
    with Reader(run_file) as reader:
        assert len(reader.series(0, "rack.inlet_c").t_s)
        assert len(reader.series(0, "rack.power_w", 0.0, 100.0).t_s)  # another block
        for read in (
            lambda: reader.series(0, "rack.power_w"),
            lambda: reader.samples(("rack.power_w",), 0.0, 30, reader.header.layout),
            lambda: reader.frame(350.0),
        ):
            with pytest.raises(RunFileError) as caught:
                read()
            text = str(caught.value)
            assert text.startswith(f"{run_file}: of what was recorded from 5 min 34 s to 6 min 10 s, ")
            assert "rack.power_w cannot be read" in text


def test_other_than_integers_in_an_event_and_a_damaged_hash_are_one_sentence(run_file: Path) -> None:
    with closing(sqlite3.connect(run_file)) as file, file:
        file.execute("""UPDATE events SET data = '{"job": "0-1"}' WHERE row = 5""")
        file.execute("UPDATE snapshots SET hash = 'no'")
    with Reader(run_file) as reader:
        with pytest.raises(RunFileError, match="an event of this run file is damaged"):
            reader.events()
        with pytest.raises(RunFileError, match=r"the hash of the snapshot at .* is damaged"):
            events_before(reader, 1e6)
