"""A new channel takes one entry and the function that reads it: frames, run files, exports, facts and help follow.

One of GPUs whose entry says so colours the hall as well: menus, codes, legend, pictures and comparisons follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from twin.analysis.export import channels_named
from twin.app.bookmarks.view_file import View
from twin.app.world.rows import World, live_rows
from twin.catalog import load_catalog
from twin.record import detail
from twin.record.channels import CHANNELS, COLOUR_BY, SERIES_CHANNELS, Channel, with_channels
from twin.record.frame import Frame
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load
from twin.sim.engine.engine import Engine
from twin.sim.observe import readings
from twin.view3d.base import palette
from twin.view3d.colour.difference import Side, apart, matched, unit_of
from twin.view3d.colour.legend import legend_for
from twin.view3d.colour.value_codes import gpu_codes

TOYS = Channel("hall.toys", "hall", "toys in the hall", "kg", "f4", 0, 10, 0.5)
HOUR = Channel("site.toy_hour", "site", "hour of the toys", "h", "f8", 0, 24, 1e-3, digits=5)
WARMTH = Channel(
    "gpu.toy_c", "gpu", "toy temperature", "°C", "f4", 20, 100, 0.5, "turbo", colours=10, reaches=(5.0, 1.0)
)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the entries, and the functions that read them."""
    monkeypatch.setitem(readings.STANDING, TOYS.id, lambda engine: [2.5] * len(engine.plant.halls.ids))
    monkeypatch.setitem(readings.MOVING, HOUR.id, lambda instant: instant.now_s / 3600)
    monkeypatch.setitem(detail.SHOWN, WARMTH.id, lambda detail, dies: 30.0 + detail.state[dies.node])
    with with_channels(TOYS, HOUR, WARMTH):
        yield


@pytest.fixture
def engine() -> Engine:
    engine = Engine(load("builtin:lab-16").scenario)
    engine.advance(1800.0)
    return engine


def looked(engine: Engine) -> Frame:
    frame = Frame.empty(engine.layout)
    engine.fill(frame)
    return frame


def test_frames_carry_it(engine: Engine) -> None:
    values = looked(engine).values
    assert values["hall.toys"].tolist() == [2.5]
    assert values["site.toy_hour"][0] == 0.5
    assert values["gpu.toy_c"].tolist() == (30.0 + values["gpu.state"]).tolist()
    order = [channel.entity in ("gpu", "node") for channel in CHANNELS]
    assert order == sorted(order, reverse=True)  # a file keeps those in a way of their own


def test_it_is_recorded_and_exported(tmp_path: Path) -> None:
    path = tmp_path / "toys.twinrun"
    run(load("builtin:lab-16").scenario, 1, 1800.0, path)
    assert channels_named(["hall.toys", "hall"]) == (
        TOYS,
        *(c for c in SERIES_CHANNELS if c.id == "hall.air_c"),
    )
    with Reader(path) as reader:
        assert set(reader.series(0, "hall.toys").mean.tolist()) == {2.5}
        assert float(reader.series(0, "site.toy_hour").mean.max()) == pytest.approx(0.5)
        frame = reader.frame(900.0)
        assert frame.values["gpu.toy_c"].tolist() == (30.0 + frame.values["gpu.state"]).tolist()


def test_facts_have_its_title_unit_and_format(engine: Engine) -> None:
    world = World(engine.scenario, engine.plant, load_catalog(), looked(engine))
    shown = {
        row.label: row.value for entity in ("hall", "site", "gpu") for row in live_rows(world, entity, 0)
    }
    assert shown["Toys in the hall"] == "2.50 kg"
    assert shown["Hour of the toys"] == "0.50000 h"
    assert shown["Toy temperature"] == "33.0 °C"


def test_it_colours_the_hall_last_in_the_menu(engine: Engine) -> None:
    assert COLOUR_BY[-2:] == ["gpu.partition", "gpu.toy_c"]
    assert View(colour_by="gpu.toy_c").colour_by == "gpu.toy_c"
    frame = looked(engine)
    codes = gpu_codes("gpu.toy_c", engine.plant, frame)
    assert codes[0] == pytest.approx((palette.RAMP - 1) * 13.0 / 80.0)
    legend = legend_for("gpu.toy_c", engine.plant, frame)
    assert (legend.title, legend.unit, legend.low, legend.high) == ("toy temperature", "°C", 20, 100)
    assert len(legend.stops) > 2


def test_two_halls_differ_in_it(engine: Engine) -> None:
    first, second = looked(engine), looked(engine)
    second.values["gpu.toy_c"][0] += 2.5
    sides = Side(engine.plant, first), Side(engine.plant, second)
    found = apart("gpu.toy_c", *sides, matched(engine.plant, engine.plant))
    assert (found.differing, found.highest, unit_of("gpu.toy_c")) == (1, 2.5, "K")
    assert (found.legend.low, found.legend.high) == (-5.0, 5.0)


def test_afterwards_all_is_as_before() -> None:
    with with_channels(Channel("gpu.odd", "gpu", "odd", "", "u1", 0, 1, 0, colours=11)):
        assert COLOUR_BY[-1] == "gpu.odd"
    assert COLOUR_BY[-1] == "gpu.toy_c"
    assert np.isin("gpu.odd", [channel.id for channel in CHANNELS]).item() is False
