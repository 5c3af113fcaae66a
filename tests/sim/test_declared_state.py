"""State that a class declares: what a snapshot says of it, how it comes back, how it goes over into an edited hall."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sim_scenes import job, tiny

from twin.sim.core.slot_fields import Column, MemberSlots, NamedNodes, Pairs
from twin.sim.core.slot_map import EditedPair, KeptSlots, Numbers
from twin.sim.core.state import (
    ArrayField,
    Child,
    Derived,
    Endless,
    Fields,
    Items,
    Record,
    Records,
    Row,
    SharedCounts,
    StateField,
    Stateful,
)
from twin.sim.edits.state_transfer import GROUPED, standing
from twin.sim.engine.engine import Engine
from twin.sim.run.parts import PARTS


@dataclass
class Totals:
    """Something with two numbers."""

    load_j: float = 0.0
    peaks: int = 0


class Store(Stateful):
    """A part of a part, its state one list."""

    def __init__(self) -> None:
        self.left, self.waits = 3, {5, 1}

    STATE = Row("store", StateField("left", int), NamedNodes("waits", sort=True))


class Hall(Stateful):
    """A part with a field of each kind."""

    def __init__(self, nodes: int, racks: int, mark: int = 0) -> None:
        self.condition = np.full(nodes, mark, np.int8)
        self.heat_w = [float(mark)] * racks
        self.dark = np.zeros(nodes, bool)
        self.cap_w = np.full(nodes, np.inf)
        self.boot_s = np.full(nodes, np.inf)
        self.queue: list[int] = []
        self.left: list[int] = []
        self.since_s, self._until_s = 0.0, math.inf
        self.sums = np.zeros(2)
        self.totals = Totals()
        self.books: list[Totals] = []
        self.seen: dict[int, float] = {}
        self.failed: Counter[str] = Counter()
        self.counted = self.failed  # who counts beside it
        self.low, self.high = 1.0, 2.0
        self.store = Store()
        self.version, self.read = 7, 7
        self.changed = False
        self.rebuilt = 0

    def on_restored(self) -> None:
        """Work out what follows; that is a change."""
        self.rebuilt += 1
        self.changed = True

    def _settled(self) -> bool:
        return self.read == self.version

    def _settle(self, settled: bool) -> None:
        self.read = self.version if settled else -1

    STATE = Fields(
        Column("condition", "nodes", np.int8),
        Column("heat_w", "racks", list),
        MemberSlots("dark", "nodes"),
        Pairs("cap_w", "nodes", math.inf),
        Pairs("boot_s", "nodes", math.inf, rows=True, key="boots"),
        NamedNodes("queue"),
        NamedNodes("left", only=True),
        StateField("since_s", float),
        Endless("_until_s"),
        ArrayField("sums", float),
        Record("totals", Totals),
        Records("books", Totals, missing=()),
        Items("seen", float),
        SharedCounts("failed"),
        Row("band", StateField("low"), StateField("high")),
        Child("store"),
        StateField("store.left", int, key="stock"),
        Derived("settled", _settled, _settle),
        last=[StateField("changed", bool)],
    )


def _used() -> Hall:
    hall = Hall(4, 2)
    hall.condition[:] = [1, 0, 2, 0]
    hall.heat_w = [10.0, 20.0]
    hall.dark[[0, 3]] = True
    hall.cap_w[2], hall.boot_s[[1, 2]] = 300.0, [8.0, 9.0]
    hall.queue, hall.left = [3, 1], [3, 1]
    hall.since_s, hall._until_s = 0.1, 1e3
    hall.sums[:] = [0.25, 0.5]
    hall.totals, hall.books = Totals(4.0, 2), [Totals(1.0, 1), Totals()]
    hall.seen = {9: 0.5, 2: 1.5}
    hall.failed["gpu"] = 2
    hall.low, hall.high = 0.3, 0.4
    hall.store.left, hall.store.waits = 2, {3, 0}
    hall.read = 6
    return hall


def _said(hall: Hall) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(json.dumps(hall.state()))
    return said


def _edit(
    kept: dict[int, int], first_before: list[int], first_after: list[int], racks: list[int]
) -> EditedPair:
    """Return an edit after which nodes of two GPUs each have other slots."""
    owners = np.repeat(np.arange(len(first_before)), 2).astype(np.int32)
    numbers = Numbers(kept, owners, np.array(first_before, np.int32), np.array(first_after, np.int32))
    nodes = KeptSlots(np.array(list(kept), np.intp), np.array(list(kept.values()), np.intp))
    same = np.array(racks, np.intp)
    none = np.zeros(0, np.intp)
    return EditedPair({"nodes": nodes, "racks": KeptSlots(same, same)}, none, none, numbers, 0.0)


def test_a_snapshot_says_what_the_class_declares() -> None:
    assert _said(_used()) == {
        "condition": [1, 0, 2, 0],
        "heat_w": [10.0, 20.0],
        "dark": [0, 3],
        "cap_w": [[2], [300.0]],
        "boots": [[1, 8.0], [2, 9.0]],
        "queue": [3, 1],
        "left": [3, 1],
        "since_s": 0.1,
        "until_s": 1e3,
        "sums": [0.25, 0.5],
        "totals": {"load_j": 4.0, "peaks": 2},
        "books": [{"load_j": 1.0, "peaks": 1}, {"load_j": 0.0, "peaks": 0}],
        "seen": [[9, 0.5], [2, 1.5]],
        "failed": {"gpu": 2},
        "band": [0.3, 0.4],
        "store": [2, [0, 3]],
        "stock": 2,
        "settled": False,
        "changed": False,
    }


def test_what_is_restored_says_the_same() -> None:
    used, back = _used(), Hall(4, 2)
    back.dark[1] = True  # of its own: nothing of it stays
    back.restore(_said(used))
    assert _said(back) == _said(used)
    assert back.condition.dtype == np.int8
    assert back.seen == used.seen
    assert list(back.seen) == [9, 2]
    assert back.store.waits == {0, 3}
    assert back.counted is back.failed
    assert back.read == -1


def test_a_part_works_out_what_follows_before_its_last_fields() -> None:
    back = Hall(4, 2)
    back.restore(_said(_used()))
    assert back.rebuilt == 1
    assert not back.changed


def test_restored_lists_are_not_those_of_the_snapshot() -> None:
    said = _said(_used())
    back = Hall(4, 2)
    back.restore(said)
    back.queue.append(9)
    back.heat_w[0] = 0.0
    assert said["queue"] == [3, 1]
    assert said["heat_w"] == [10.0, 20.0]


def test_an_infinite_time_is_none() -> None:
    said = _said(Hall(1, 1))
    assert said["until_s"] is None
    back = Hall(1, 1)
    back._until_s = 3.0
    back.restore(said)
    assert back._until_s == math.inf


def test_what_an_earlier_version_did_not_say_is_what_it_stood_for() -> None:
    said = _said(_used())
    del said["books"]
    back = Hall(4, 2)
    back.restore(said)
    assert back.books == []
    del said["totals"]
    with pytest.raises(KeyError, match="totals"):
        back.restore(said)


def test_an_edit_that_moves_nothing_leaves_all_as_it_is() -> None:
    old, new = _used(), Hall(4, 2, mark=5)
    stays = {slot: slot for slot in range(4)}
    new.restore(new.carried(old, _edit(stays, [0, 2, 4, 6], [0, 2, 4, 6], [0, 1])))
    assert _said(new) == _said(old)


def test_newcomers_have_what_the_fresh_part_says() -> None:
    old, new = _used(), Hall(6, 3, mark=5)
    stays = {slot: slot for slot in range(4)}
    new.restore(new.carried(old, _edit(stays, [0, 2, 4, 6], [0, 2, 4, 6, 8, 10], [0, 1])))
    assert new.condition.tolist() == [1, 0, 2, 0, 5, 5]
    assert new.heat_w == [10.0, 20.0, 5.0]
    assert new.dark.tolist() == [True, False, False, True, False, False]
    assert new.cap_w.tolist() == [math.inf, math.inf, 300.0, *[math.inf] * 3]


def test_what_is_gone_is_dropped() -> None:
    """Node 3 and rack 1 are taken away; their slots stay, as those of a plant do."""
    old, new = _used(), Hall(4, 2, mark=5)
    new.restore(new.carried(old, _edit({0: 0, 1: 1, 2: 2}, [0, 2, 4, 6], [0, 2, 4, 6], [0])))
    assert new.condition.tolist() == [1, 0, 2, 5]
    assert new.heat_w == [10.0, 5.0]
    assert new.dark.tolist() == [True, False, False, False]
    assert new.left == [1]
    assert new.queue == [3, 1], "who only names a node goes on naming it"


def test_nodes_in_new_slots_keep_what_is_theirs() -> None:
    """Nodes 1 and 2 stand in the slots 4 and 5 now, 3 is gone, 0 stays: slots 1, 2 and 6 are of newcomers."""
    old, new = _used(), Hall(7, 2, mark=5)
    edit = _edit({0: 0, 1: 4, 2: 5}, [0, 2, 4, 6], [0, 6, 8, -1, 2, 4, 10], [0, 1])
    new.restore(new.carried(old, edit))
    assert new.condition.tolist() == [1, 5, 5, 5, 0, 2, 5]
    assert np.flatnonzero(new.dark).tolist() == [0]
    assert {slot: new.cap_w[slot] for slot in np.flatnonzero(new.cap_w < math.inf).tolist()} == {5: 300.0}
    assert {slot: new.boot_s[slot] for slot in np.flatnonzero(new.boot_s < math.inf).tolist()} == {
        4: 8.0,
        5: 9.0,
    }
    assert new.queue == [3, 4]
    assert new.left == [4]
    assert new.store.waits == {0, 3}
    assert (edit.numbers.gpu(2), edit.numbers.gpu(5)) == (2, 5), "first and second GPU of nodes 1 and 2"


def test_a_column_that_ends_earlier_takes_what_fits() -> None:
    """Loops without water have no temperature, and an edit may change how many have."""
    old, new = Hall(1, 3), Hall(1, 2, mark=5)
    old.heat_w = [1.0, 2.0, 3.0]
    carried = new.carried(old, _edit({0: 0}, [0], [0], [0, 1, 2]))
    assert carried["heat_w"] == [1.0, 2.0]


def _parts(kind: type[Stateful] = Stateful) -> list[type[Stateful]]:
    """Return all parts of the engine that say what they remember."""
    found = [part for child in kind.__subclasses__() for part in (child, *_parts(child))]
    return [part for part in found if part.__module__.startswith("twin.") and hasattr(part, "STATE")]


def _leaves(field: Fields | StateField) -> list[StateField]:
    if isinstance(field, Fields):
        return [leaf for inner in field.all for leaf in _leaves(inner)]
    return [leaf for inner in field.fields for leaf in _leaves(inner)] if isinstance(field, Row) else [field]


def test_parts_of_the_engine_use_each_key_once() -> None:
    assert len(_parts(Stateful)) > 40
    for part in _parts():
        if isinstance(part.STATE, Fields):
            keys = [field.key for field in part.STATE.all]
            assert sorted(keys) == sorted(set(keys)), part


def test_slots_are_those_of_tables_that_an_edit_compares() -> None:
    engine = Engine(tiny(nodes=2, jobs=(job(1),)))
    known = standing(engine.plant, engine.plant, 1, 0.0).kept
    named = {
        (part, leaf.table) for part in _parts() for leaf in _leaves(part.STATE) if hasattr(leaf, "table")
    }
    assert {table for _, table in named} == set(known)


@pytest.mark.parametrize("name", [name for name in PARTS if name not in GROUPED])
def test_an_edit_that_changes_nothing_takes_everything_over(name: str) -> None:
    engine = Engine(tiny(nodes=3, jobs=(job(2), job(1, "other"))))
    engine.advance(5000.0)
    edit = standing(engine.plant, engine.plant, len(engine.jobs.rows), engine.now_s)
    part = getattr(engine, name)
    carried, said = (json.loads(json.dumps(state)) for state in (part.carried(part, edit), part.state()))
    if name == "cooling":
        said["rejection"]["known"] = None  # machines are looked at again after an edit
    if name == "oddities":
        said["changed"] = True
    if name == "caps":  # without a cap a snapshot says nothing of nodes
        carried |= {"holder": [], "rest_w": []}
    if name == "failures":  # of wear as well, where there is none
        said, carried = ({**clocks, "wear": [], "replaced_by": []} for clocks in (said, carried))
    assert carried == said
