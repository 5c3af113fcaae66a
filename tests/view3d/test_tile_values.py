"""What racks, rows and halls show from afar: exact means and worsts, every failure counted, nothing that pops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from twin.plant.geometry import build_geometry
from twin.plant.tables import Plant
from twin.record.channels import State
from twin.record.frame import Frame
from twin.view3d.base import palette
from twin.view3d.base.state import CameraPose, TilesBy
from twin.view3d.base.tile_levels import TileLevel, TilePlaces
from twin.view3d.colour.tile_values import OF_CODES, TileSums, TileValues, gpu_values
from twin.view3d.colour.value_codes import gpu_codes
from twin.view3d.view.bench_hall import frame_of, hall_of


@pytest.fixture(scope="module")
def site() -> Plant:
    return hall_of(512, racks_per_row=4, halls=3)


@pytest.fixture(scope="module")
def places(site: Plant) -> TilePlaces:
    return TilePlaces.of(site, build_geometry(site))


def _values(
    plant: Plant, places: TilePlaces, frame: Frame, colour_by: str, by: TilesBy = "mean"
) -> TileValues:
    codes = gpu_codes(colour_by, plant, frame)
    return TileSums(plant, places).of(codes, gpu_values(colour_by, plant, frame), by)


def _gpus_under(plant: Plant, places: TilePlaces, tile: int) -> np.ndarray:
    racks, slot = plant.racks, places.slot[tile]
    rack = {
        TileLevel.RACK: np.arange(len(racks.present)) == slot,
        TileLevel.ROW: racks.row == slot,
        TileLevel.HALL: racks.hall == slot,
    }[TileLevel(int(places.level[tile]))]
    return np.flatnonzero(rack[plant.gpus.rack] & plant.gpus.present)


@pytest.mark.parametrize("colour_by", ["gpu.temp_c", "gpu.power_w", "gpu.clock_mhz", "gpu.util"])
def test_every_tile_is_mean_and_worst_of_its_gpus(site: Plant, places: TilePlaces, colour_by: str) -> None:
    frame = frame_of(site)
    state = frame.values["gpu.state"]
    lives = ~np.isin(state, [State.FAILED, State.OFF, State.UNPOWERED, State.ABSENT])
    worst_of = np.min if colour_by in ("gpu.clock_mhz", "gpu.util") else np.max
    mean, worst = (_values(site, places, frame, colour_by, by) for by in ("mean", "worst"))
    for tile in range(len(places.level)):
        gpus = _gpus_under(site, places, tile)
        shown = frame.values[colour_by][gpus[lives[gpus]]].astype(float)
        assert mean.value[tile] == pytest.approx(shown.mean(), rel=1e-12)
        assert worst.value[tile] == worst_of(shown)
        assert mean.gpus[tile] == worst.gpus[tile] == len(gpus)
        assert mean.failed[tile] == worst.failed[tile] == (state[gpus] == State.FAILED).sum()


def test_a_hall_is_the_mean_of_gpus_and_not_of_rows(site: Plant, places: TilePlaces) -> None:
    """A row that lost most of its racks counts as much as what is left of it."""
    present = site.gpus.present.copy()
    rack = site.gpus.rack
    present[(site.racks.row[rack] == 0) & (rack != rack[0])] = False
    thin = replace(site, gpus=replace(site.gpus, present=present))
    frame = frame_of(thin)
    frame.values["gpu.state"][:] = State.RUNNING
    frame.values["gpu.temp_c"][:] = 40.0
    frame.values["gpu.temp_c"][rack == rack[0]] = 90.0
    values = _values(thin, places, frame, "gpu.temp_c")
    hall = places.at(TileLevel.HALL)[0]
    left = _gpus_under(thin, places, int(hall))
    hot = int((rack[left] == rack[0]).sum())
    assert values.value[hall] == pytest.approx((40.0 * (len(left) - hot) + 90.0 * hot) / len(left), rel=1e-12)


def test_gpus_that_were_added_later_count_with_their_rack(site: Plant, places: TilePlaces) -> None:
    """Slots are appended: GPUs of one rack need not lie side by side."""
    turned = np.random.default_rng(3).permutation(len(site.gpus.present))
    gpus = replace(site.gpus, rack=site.gpus.rack[turned], node=site.gpus.node[turned])
    mixed = replace(site, gpus=gpus)
    frame = frame_of(mixed)
    values = _values(mixed, places, frame, "gpu.temp_c")
    state = frame.values["gpu.state"]
    for tile in places.at(TileLevel.RACK):
        mine = _gpus_under(mixed, places, int(tile))
        lives = mine[~np.isin(state[mine], [State.FAILED, State.OFF])]
        assert values.value[tile] == pytest.approx(
            frame.values["gpu.temp_c"][lives].mean(dtype=float), rel=1e-9
        )


@pytest.mark.parametrize("colour_by", ["gpu.temp_c", "gpu.state", "gpu.job", "gpu.throttle"])
def test_bands_are_shares_of_the_area(site: Plant, places: TilePlaces, colour_by: str) -> None:
    frame = frame_of(site)
    codes, shares = _values(site, places, frame, colour_by).bands()
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(shares)))
    drawn = np.rint(gpu_codes(colour_by, site, frame)).astype(int)
    for tile in places.at(TileLevel.ROW):
        gpus = _gpus_under(site, places, int(tile))
        dead = np.isin(drawn[gpus], (palette.DEAD, palette.STATE_BASE + State.FAILED))
        assert shares[tile, 0] == pytest.approx(dead.mean())
        categories, count = np.unique(drawn[gpus][~dead & (drawn[gpus] >= palette.RAMP)], return_counts=True)
        if len(categories) <= 2:
            for category, number in zip(categories.tolist(), count.tolist(), strict=True):
                band = np.flatnonzero(codes[tile, 1:] == category) + 1
                assert shares[tile, band].sum() == pytest.approx(number / len(gpus))


def test_worst_state_takes_the_tile_but_failures_keep_their_own_place(
    site: Plant, places: TilePlaces
) -> None:
    frame = frame_of(site)
    frame.values["gpu.state"][:] = State.RUNNING
    frame.values["gpu.state"][0] = State.FAILED
    frame.values["gpu.state"][1] = State.WAITING
    codes, shares = _values(site, places, frame, "gpu.state", "worst").bands()
    hall = places.at(TileLevel.HALL)[0]
    assert shares[hall, 0] == pytest.approx(1 / 512)
    shown = codes[hall, 1:][shares[hall, 1:] > 0]
    assert shown.tolist() == [palette.STATE_BASE + State.WAITING]
    other = places.at(TileLevel.HALL)[1]
    assert codes[other, 1:][shares[other, 1:] > 0].tolist() == [palette.STATE_BASE + State.RUNNING]


def test_a_strip_of_a_rack_is_dead_when_one_gpu_is(hall: Plant) -> None:
    codes = np.full(len(hall.gpus.present), 100.0, np.float32)
    codes[5] = palette.DEAD
    places = TilePlaces.of(hall, build_geometry(hall))
    values = TileSums(hall, places).of(codes, (codes, OF_CODES), "mean")
    racks = values.rack_codes(places, len(hall.racks.present))
    assert racks[hall.gpus.rack[5]] == palette.DEAD
    assert (np.delete(racks, hall.gpus.rack[5]) == 100.0).all()


def test_a_site_without_gpus_has_bare_tiles(site: Plant, places: TilePlaces) -> None:
    none = replace(site, gpus=replace(site.gpus, present=np.zeros(len(site.gpus.present), bool)))
    values = _values(none, places, frame_of(none), "gpu.temp_c")
    assert not values.gpus.any()
    assert not values.bands()[1].any()


def test_opacity_only_grows_with_distance_and_never_jumps(places: TilePlaces) -> None:
    middle = (places.low.min(axis=0) + places.high.max(axis=0)) / 2
    ways = np.geomspace(5.0, 4000.0, 1500)
    seen = np.array([places.fades(CameraPose(tuple(middle), way, -60.0, 30.0), 800) for way in ways])
    far = ways > np.linalg.norm(places.high - places.low, axis=1).max() * 2
    assert (np.diff(seen[far], axis=0) >= -1e-9).all()
    assert np.abs(np.diff(seen, axis=0)).max() < 0.1
    assert seen[-1].min() == 1.0
    assert seen[0][places.at(TileLevel.HALL)].max() == 0.0


def test_what_a_larger_tile_hides_is_not_drawn(places: TilePlaces) -> None:
    middle = (places.low.min(axis=0) + places.high.max(axis=0)) / 2
    for way in np.geomspace(20.0, 4000.0, 60):
        opacity = places.opacity(CameraPose(tuple(middle), float(way), -60.0, 50.0), 800)
        for tile in np.flatnonzero(opacity > 0):
            over = int(places.parent[tile])
            assert over < 0 or opacity[over] < 1.0
    assert (opacity > 0).sum() == len(places.at(TileLevel.HALL))


def test_nothing_is_drawn_of_racks_behind_whole_tiles_and_all_of_the_rest(
    places: TilePlaces, site: Plant
) -> None:
    middle = (places.low.min(axis=0) + places.high.max(axis=0)) / 2
    racks = len(site.racks.present)
    counts = []
    for way in np.geomspace(5.0, 4000.0, 60):
        opacity = places.opacity(CameraPose(tuple(middle), float(way), -60.0, 50.0), 800)
        hidden = places.hidden_racks(opacity, racks)
        for tile in places.at(TileLevel.RACK):
            chain, at = [], int(tile)
            while at >= 0:
                chain.append(opacity[at])
                at = int(places.parent[at])
            assert hidden[places.slot[tile]] == (max(chain) >= 1.0)
        counts.append(int(hidden.sum()))
    assert counts[0] == 0
    assert counts[-1] == racks
