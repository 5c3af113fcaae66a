"""Solids of a site, opened by other programs: counts, bounds, names, values and colours are those of the scene."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from twin.catalog import load_catalog
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.scenario import load, loads
from twin.solids.gltf import glb_bytes
from twin.solids.site_solids import SiteSolids, site_solids
from twin.solids.usd import usda_text

CATALOG = load_catalog()


def of(name: str) -> tuple[Plant, SiteSolids]:
    plant = build(load(f"builtin:{name}").scenario, CATALOG)
    return plant, site_solids(plant, CATALOG)


def opened(data: bytes, folder: Path) -> trimesh.Scene:
    path = folder / "site.glb"
    path.write_bytes(data)
    return trimesh.load(path)


def json_of(data: bytes) -> dict[str, Any]:
    """Return the document of a .glb file."""
    return json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])


@pytest.mark.parametrize("name", ["lab-16", "nvl72-row", "llama3-16k"])
def test_gltf_has_every_thing_by_its_name_where_it_stands(name: str, tmp_path: Path) -> None:
    plant, solids = of(name)
    data = glb_bytes(solids, "A <hall>")
    assert len(data) < 10e6
    scene = opened(data, tmp_path)
    assert set(scene.graph.nodes_geometry) == set(solids.ids)
    counts = {kind: solids.kinds.count(kind) for kind in ("rack", "node", "gpu", "switch")}
    tables = (plant.racks.present, plant.nodes.present, plant.gpus.present, plant.switches.present)
    assert tuple(counts.values()) == tuple(int(table.sum()) for table in tables)
    low, high = solids.low_m.min(axis=0), solids.high_m.max(axis=0)
    upright = [[low[0], low[2], -high[1]], [high[0], high[2], -low[1]]]  # y is up in glTF
    np.testing.assert_allclose(scene.bounds, upright, atol=1e-4)
    told = {node["name"]: node.get("extras") for node in json_of(data)["nodes"]}
    node = solids.ids.index(plant.nodes.ids[0])
    assert told[plant.nodes.ids[0]] == {
        "kind": "node",
        "part": solids.parts[node],
        "power_w": pytest.approx(solids.power_w[node], abs=0.1),
    }
    assert told[plant.gpu_id(5)] == {"kind": "gpu", "part": plant.gpu_parts[int(plant.gpus.part[5])]}
    for id in (solids.ids[0], plant.nodes.ids[-1], plant.gpu_id(5)):
        place = solids.ids.index(id)
        matrix, mesh = scene.graph[id]
        at = trimesh.transform_points([scene.geometry[mesh].bounds.mean(axis=0)], matrix)[0]
        x, y, z = solids.centre_m[place]
        np.testing.assert_allclose(at, [x, z, -y], atol=1e-4)
        extents = scene.geometry[mesh].extents
        np.testing.assert_allclose(extents, solids.high_m[place] - solids.low_m[place], atol=1e-4)


@pytest.mark.parametrize("name", ["lab-16", "llama3-16k"])
def test_usd_has_the_same_with_ids_parts_and_power(name: str, tmp_path: Path) -> None:
    usd = pytest.importorskip("pxr.Usd", reason="usd-core has no wheel for this platform")
    geom = pytest.importorskip("pxr.UsdGeom")
    _, solids = of(name)
    text = usda_text(solids, 'A "hall"\n')
    assert len(text.encode()) < 10e6
    (path := tmp_path / "site.usda").write_text(text, encoding="utf-8")
    stage = usd.Stage.Open(str(path))
    assert geom.GetStageUpAxis(stage) == "Z"
    assert geom.GetStageMetersPerUnit(stage) == 1.0
    found = {
        prim.GetAttribute("twin:id").Get(): prim for prim in stage.Traverse() if prim.HasAttribute("twin:id")
    }
    assert set(found) == set(solids.ids)
    bounds = geom.BBoxCache(0, ["default"]).ComputeWorldBound(stage.GetDefaultPrim()).ComputeAlignedRange()
    np.testing.assert_allclose(bounds.GetMin(), solids.low_m.min(axis=0), atol=1e-4)
    np.testing.assert_allclose(bounds.GetMax(), solids.high_m.max(axis=0), atol=1e-4)
    for place in (0, solids.kinds.index("node"), solids.kinds.index("gpu"), solids.kinds.index("switch")):
        prim = found[solids.ids[place]]
        assert prim.GetAttribute("twin:kind").Get() == solids.kinds[place]
        assert (prim.GetAttribute("twin:part").Get() or "") == solids.parts[place]
        centre = geom.Xformable(prim).ComputeLocalToWorldTransform(0).ExtractTranslation()
        np.testing.assert_allclose(centre, solids.centre_m[place], atol=1e-4)
        power = prim.GetAttribute("twin:powerW").Get()
        assert power == pytest.approx(solids.power_w[place], rel=1e-5) if power is not None else True
    assert found[solids.ids[solids.kinds.index("gpu")]].IsInstance()


def test_a_site_without_anything_is_a_file_all_the_same(tmp_path: Path) -> None:
    plant, solids = of("lab-16")
    for table in (plant.racks, plant.nodes, plant.gpus, plant.switches, plant.loops):
        table.present[:] = False
    empty = site_solids(plant, CATALOG)
    assert len(empty) == 0 < len(solids)
    assert opened(glb_bytes(empty, "Empty"), tmp_path).geometry == {}
    assert usda_text(empty, "Empty").endswith("}\n")


def test_ids_that_read_alike_have_names_of_their_own() -> None:
    _, solids = of("lab-16")
    solids.ids[0], solids.ids[1] = "a/1", "a_1"
    text = usda_text(solids, "x")
    assert 'def Xform "a_1"' in text
    assert 'def Xform "a_1_2"' in text


def test_the_building_has_its_full_height_and_holes_for_doors() -> None:
    plant, solids = of("repair-shop")
    building = plant.halls.buildings[0]
    kinds = np.array(solids.kinds)
    walls, columns, doors = (np.flatnonzero(kinds == kind) for kind in ("wall", "column", "door"))
    assert (len(columns), len(doors)) == (6, 3)
    assert [solids.ids[place] for place in doors.tolist()] == ["goods", "goods/1", "workshop"], "leaf by leaf"
    assert solids.high_m[walls][:, 2].max() == building.clear_m
    assert set(solids.high_m[columns][:, 2]) == {building.clear_m}
    assert set(solids.low_m[columns][:, 2]) == {-0.6}
    size = (solids.high_m - solids.low_m)[walls]
    x0, y0, x1, y1 = building.bounds
    ring = (x1 - x0 + 0.4) * (y1 - y0 + 0.4) - (x1 - x0) * (y1 - y0)
    holes = 0.2 * (2.4 * 2.6 + 1.4 * 2.4)
    assert size.prod(axis=1).sum() == pytest.approx(ring * 4.2 - holes)
    assert len({solids.ids[place] for place in walls.tolist()}) == len(walls)


SLANTED = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: a slanted wall
halls:
  - id: hall
    building:
      walls: {at: {x: -1 m, y: -1 m}, width: 12 m, depth: 9 m}
      height: 3.6 m
      raised_floor: 0.6 m
      inner_walls: [{id: fire, start: {x: 5 m, y: 0 m}, end: {x: 9 m, y: 6 m}, thickness: 0.25 m}]
      doors: [{id: pass, at: {x: 7 m, y: 3 m}, width: 1.4 m, height: 2.2 m}]
    rows: [{id: gpu, at: {x: 0 m, y: 1 m}, racks: {count: 1}}]
"""


def expected_corners(plant: Plant) -> dict[str, np.ndarray]:
    """Return the corners of the slanted wall beside and over its door, and of the leaves, by what they are called."""
    (building,) = plant.halls.buildings
    (door,) = building.doors
    spans = [
        (wall.line.quad(from_m, to_m, -0.25, 0.0), -0.6, 3.0)
        for wall, from_m, to_m in building.inner_pieces()
    ]
    spans.append((door.line.quad(0.0, 1.4, -0.25, 0.0), 2.2, 3.0))
    spans.append((door.line.quad(0.0, 1.4, -0.25, 0.0), -0.6, 0.0))
    leaves = [leaf.quad(0.0, leaf.long_m, -0.025, 0.025) for leaf in door.leaf_lines]
    spans += [(leaf, 0.0, 2.2) for leaf in leaves]
    return {
        f"{number}": np.array([(*corner, z) for z in (low_m, high_m) for corner in quad])
        for number, (quad, low_m, high_m) in enumerate(spans)
    }


def are_all_there(wanted: dict[str, np.ndarray], found: dict[str, np.ndarray]) -> None:
    """Assert that each box is found once, corner by corner."""
    names = []
    for corners in wanted.values():
        away_m = {
            name: np.linalg.norm(corners[:, None] - points, axis=2).min(axis=1).max()
            for name, points in found.items()
        }
        name = min(away_m, key=away_m.__getitem__)
        assert away_m[name] < 1e-4, (name, away_m[name])
        names.append(name)
    assert len(set(names)) == len(names)


def test_a_slanted_wall_is_a_turned_box_as_thick_and_high_as_it_with_a_hole_for_its_door(
    tmp_path: Path,
) -> None:
    plant = build(loads(SLANTED).scenario, CATALOG)
    solids = site_solids(plant, CATALOG)
    wanted = expected_corners(plant)
    assert int((solids.turn_rad != 0).sum()) == len(wanted) == 6
    scene = opened(glb_bytes(solids, "Hall"), tmp_path)
    found = {}
    for name in scene.graph.nodes_geometry:
        matrix, mesh = scene.graph[name]
        x, y, z = trimesh.transform_points(scene.geometry[mesh].vertices, matrix).T
        found[name] = np.stack([x, -z, y], axis=1)
    assert set(found) == set(solids.ids)
    are_all_there(wanted, found)
    walls = [name for name in found if name.startswith("hall/wall/")]
    assert sum(scene.geometry[scene.graph[name][1]].volume for name in walls) == pytest.approx(
        (12.4 * 9.4 - 12 * 9) * 3.6 + (np.hypot(4, 6) * 3.6 - 1.4 * 2.2) * 0.25, rel=1e-5
    )

    usd = pytest.importorskip("pxr.Usd", reason="usd-core has no wheel for this platform")
    geom = pytest.importorskip("pxr.UsdGeom")
    (path := tmp_path / "hall.usda").write_text(usda_text(solids, "Hall"), encoding="utf-8")
    stage = usd.Stage.Open(str(path))
    placed = {}
    unit = np.array([(x, y, z, 1.0) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    for prim in stage.Traverse(usd.TraverseInstanceProxies()):
        id = prim.GetParent().GetAttribute("twin:id")
        if prim.IsA(geom.Cube) and id:
            placed[id.Get()] = (unit @ np.array(geom.Xformable(prim).ComputeLocalToWorldTransform(0)))[:, :3]
    are_all_there(wanted, placed)
