"""Lists of nodes as text, and events that carry them through run files."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from small_run import IDS, LAYOUT, small_scenario

from twin.record.events import Event, Severity
from twin.record.hash import canonical
from twin.record.node_list import node_list, node_ranges
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.record.writer import Writer


@pytest.mark.parametrize("nodes", [[], [7], [0, 1, 2, 3], [4, 5, 6, 9, 2], [3, 2, 1], list(range(2048))])
def test_lists_come_back_in_their_order(nodes: list[int]) -> None:
    back = [node for first, last in node_ranges(node_list(nodes)) for node in range(first, last + 1)]
    assert back == nodes


def test_neighbours_are_one_range() -> None:
    assert node_list(list(range(2048))) == "0-2047"


def test_the_nodes_of_an_event_do_not_enter_its_hash() -> None:
    plain = Event(0, 1.0, "job_started", "a", Severity.INFO, "", {"nodes": 2})
    placed = Event(0, 1.0, "job_started", "a", Severity.INFO, "", {"nodes": 2}, "0-1")
    assert canonical(plain) == canonical(placed)


def test_run_files_keep_the_nodes_beside_the_integers(tmp_path: Path) -> None:
    placed = Event(0, 1.0, "job_started", "a", Severity.INFO, "starts", {"nodes": 3}, "0-1,7")
    plain = Event(1, 2.0, "job_done", "a", Severity.INFO, "is done", {})
    path = tmp_path / "r.twinrun"
    writer = Writer(path, small_scenario(), 1, LAYOUT, 1000.0, IDS)
    writer.add_events([placed, plain])
    writer.commit(2.0, 2, "")
    writer.close()
    with Reader(path) as reader:
        assert reader.events() == [placed, plain]


def test_run_files_keep_figures_and_ids_of_events(tmp_path: Path) -> None:
    values = {"step": 3, "lost_s": 0.1 + 0.2, "cause": "faulty_gpu", "on": "gpu/0/1"}
    stopped = Event(0, 1.0, "job_interrupted", "a", Severity.WARNING, "a stops", values, "0-1")
    path = tmp_path / "r.twinrun"
    writer = Writer(path, small_scenario(), 1, LAYOUT, 1000.0, IDS)
    writer.add_events([stopped])
    writer.commit(2.0, 1, "")
    writer.close()
    with Reader(path) as reader:
        (back,) = reader.events()
    assert back == stopped
    assert (back.number("lost_s"), back.word("cause"), back.integer("step")) == (0.1 + 0.2, "faulty_gpu", 3)
    assert (back.number("gone_s", -1.0), back.word("gone"), back.integer("gone", -1)) == (-1.0, "", -1)


@pytest.mark.parametrize(
    "values", ['{"step": "7"}', '{"step": 7.5}', '{"lost_s": NaN}', '{"on": [1]}', '{"on": null}']
)
def test_an_event_with_other_values_is_damaged(tmp_path: Path, values: str) -> None:
    path = tmp_path / "r.twinrun"
    writer = Writer(path, small_scenario(), 1, LAYOUT, 1000.0, IDS)
    writer.add_events([Event(0, 1.0, "job_interrupted", "a", Severity.WARNING, "a stops")])
    writer.commit(2.0, 1, "")
    writer.close()
    with closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE events SET data = ?", (values,))
        file.commit()
    with Reader(path) as reader, pytest.raises(RunFileError, match="damaged"):
        reader.events()
