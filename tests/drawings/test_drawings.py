"""Drawings against the scene: dimensions, what stands where, words that leave one another room, files that open."""

from __future__ import annotations

import math
import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from twin.catalog import load_catalog
from twin.drawings.elevation import racks_named, row_patterns
from twin.drawings.paper import PAPERS, Sheet, TitleBlock, paper_mm
from twin.drawings.piping import FASTEST_M_S, pipe_size
from twin.drawings.plan import PlanDimension, plan_draft, plan_sheet
from twin.drawings.plan_building import plan_bounds_m
from twin.drawings.render import pdf_bytes, picture, svg_bytes
from twin.drawings.revision import marked_things
from twin.drawings.sheet import SheetContents, crossed, millimetres
from twin.drawings.site_drawings import KINDS, DrawingError, comparison_drawings, drawings, revision_drawings
from twin.drawings.tray_plan import tray_lines
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.plant.tray_paths import tray_of_row
from twin.scenario import Scenario, load
from twin.scenario.file.set_option import set_texts

CATALOG = load_catalog()
BLOCK = TitleBlock("A hall", "01234567", "2026-11-28", "gpu-twin")
HALLS = ("lab-16", "superpod-h100", "nvl72-row", "llama3-16k", "hybrid-burst", "frontier", "repair-shop")


def of(name: str) -> tuple[Scenario, Plant]:
    scenario = load(f"builtin:{name}").scenario
    return scenario, build(scenario, CATALOG)


def sheets_of(name: str, paper: str = "A3") -> list[Sheet]:
    scenario, plant = of(name)
    return drawings(scenario, plant, CATALOG, BLOCK, paper=paper)


@pytest.mark.parametrize("paper", ["A4", "A3", "A0"])
@pytest.mark.parametrize("name", HALLS)
def test_no_words_stand_on_others_and_all_stand_within_the_frame(name: str, paper: str) -> None:
    for sheet in sheets_of(name, paper):
        wide, high = sheet.size_mm
        boxes = np.array([words.box for words in sheet.words])
        assert (boxes[:, :2] >= (19.0, 9.0)).all(), sheet.name
        assert (boxes[:, 2:] <= (wide - 9.0, high - 9.0)).all(), sheet.name
        left, top, right, bottom = boxes.T
        over = (np.minimum.outer(right, right) - np.maximum.outer(left, left) > 0.05) & (
            np.minimum.outer(bottom, bottom) - np.maximum.outer(top, top) > 0.05
        )
        hit = np.argwhere(np.triu(over, 1))
        told = [(sheet.words[a].text, sheet.words[b].text) for a, b in hit[:5]]
        assert not told, (sheet.name, told)
        assert min(words.high_mm for words in sheet.words) >= 1.8, "legible at print size"
        lines = np.array([line for stroke in sheet.strokes if stroke.bent for line in stroke.lines])
        struck = [words.text for words in sheet.words if crossed(lines.reshape(-1, 4), words.box)]
        assert not struck, (sheet.name, "on an arc or a bent line", struck)
        cut = [words.text for words in sheet.words if words.text.endswith("\N{HORIZONTAL ELLIPSIS}")]
        assert not cut, (sheet.name, cut)
        points = [point for stroke in sheet.strokes for point in stroke.points]
        assert min(x for x, _ in points) >= 19.0
        assert max(x for x, _ in points) <= wide - 9.0
        assert max(y for _, y in points) <= high - 9.0
        said = " ".join(words.text for words in sheet.words)
        last = "Piping: H1" if sheet.name.startswith("N") else "Network by tier: N1"
        assert last in said, (sheet.name, "its legend is cut")


@pytest.mark.parametrize("name", HALLS)
def test_dimensions_are_those_of_the_hall(name: str) -> None:
    _, plant = of(name)
    halls, rows = plant.halls, plant.rows
    for hall in range(len(halls.ids)):
        draft = plan_sheet(plant, hall, "A0")
        texts = [words.text for words in draft.drawn.words]
        wide_m = float(halls.x1_m[hall] - halls.x0_m[hall])
        assert millimetres(wide_m) in texts
        assert millimetres(float(halls.y1_m[hall] - halls.y0_m[hall])) in texts
        chosen = np.flatnonzero(rows.present & (rows.hall == hall))
        depths = {millimetres(float(rows.depth_m[row])) for row in chosen}
        assert depths <= set(texts)
        if len(chosen):
            first_x, last_x = float(rows.x0_m[chosen].min()), float(rows.x1_m[chosen].max())
            ends = (halls.x0_m[hall], first_x, last_x, halls.x1_m[hall])
            assert {millimetres(length) for length in np.diff(ends)} <= set(texts)
            lowest = min(float(rows.y_m[row] - rows.depth_m[row] / 2) for row in chosen)
            assert millimetres(lowest - float(halls.y0_m[hall])) in texts
        walls = [x for s in draft.drawn.strokes if s.wide_mm == 0.7 and s.closed for x, _ in s.points]
        outside_m = 2 * halls.buildings[hall].thickness_m
        assert (max(walls) - min(walls)) * draft.scale / 1e3 == pytest.approx(wide_m + outside_m)


def test_racks_are_drawn_to_scale_where_they_stand() -> None:
    _, plant = of("nvl72-row")
    draft = plan_sheet(plant, 0, "A3")
    racks = [s for s in draft.drawn.strokes if s.closed and s.grey == 0.0 and s.wide_mm == 0.18]
    assert len(racks) == len(plant.racks.ids)
    for slot, stroke in enumerate(racks):
        x0, y0 = stroke.points[0]
        x1, y1 = stroke.points[2]
        assert (x1 - x0) * draft.scale == pytest.approx(1e3 * plant.racks.width_m[slot])
        assert (y1 - y0) * draft.scale == pytest.approx(1e3 * plant.racks.depth_m[slot])
    fronts = [s for s in draft.drawn.strokes if not s.closed and s.wide_mm == 0.35 and len(s.points) == 2]
    for slot, stroke in enumerate(racks):
        top, bottom = stroke.points[0][1], stroke.points[2][1]
        front = top if plant.racks.facing[slot] > 0 else bottom  # y of the hall goes up
        corners = ((stroke.points[0][0], front), (stroke.points[2][0], front))
        assert any(line.points == corners for line in fronts), plant.racks.ids[slot]
    first, last = racks[0].points[0][0], racks[7].points[0][0]
    assert (last - first) * draft.scale == pytest.approx(1e3 * (plant.racks.x_m[7] - plant.racks.x_m[0]))
    for a, b in combinations(racks[:8], 2):
        assert a.points != b.points


def test_trays_have_width_level_and_the_cables_of_their_fullest_place() -> None:
    """Of lab-16: eight cables of 3 mm to the other rack, one tray, 2.3 m + 0.28 m up."""
    scenario, plant = of("lab-16")
    (tray,) = tray_lines(scenario, plant, CATALOG)
    assert (tray.name, tray.width_m, tray.cables) == ("T1", 0.5, 8)
    assert tray.level_m == pytest.approx(float(plant.rows.height_m[0]) + 0.28)
    assert tray.fill == pytest.approx(8 * np.pi / 4 * 3e-3**2 / (0.5 * 0.1))
    texts = [words.text for words in plan_sheet(plant, 0, "A1", [tray]).drawn.words]
    assert "T1  500 mm  +2.58 m  < 1 %" in texts
    small = plan_sheet(plant, 0, "A4", [tray])
    assert "T1" in [words.text for words in small.drawn.words], "its name, where letters would be too small"
    assert "cable trays T1, 500 x 100 mm, bottom +2.58 m; fill < 1 %" in small.legend[-1]


def test_the_tray_across_holds_all_cables_that_leave_their_rows() -> None:
    scenario, plant = of("nvl72-row")
    trays = tray_lines(scenario, plant, CATALOG)
    bundles, racks = plant.bundles, plant.racks
    line = tray_of_row(plant.rows)[racks.row]
    leave = line[bundles.rack_a] != line[bundles.rack_b]
    assert trays[-1].cables == int(bundles.cables[leave].sum())
    assert max(trays, key=lambda tray: tray.fill).cables == 648
    legend = " ".join(plan_sheet(plant, 0, "A3", trays).legend)
    assert "T1 to T3, 500 x 100 mm, bottom +2.55 to +2.70 m; fill 8 % to 9 % (T2: 648 cables)" in legend


def test_elevations_hold_every_rack_once_with_all_that_is_in_it() -> None:
    _, plant = of("llama3-16k")
    patterns = row_patterns(plant, CATALOG, 0)
    count = sum(len(p.labels) * len(g.racks) for p in patterns for g in p.groups)
    assert count == int(plant.racks.present.sum())
    nodes = sum(
        len(p.labels) * len(g.racks) * sum(d[2] == "GrandTeton-H100" for d in g.stack.devices)
        for p in patterns
        for g in p.groups
    )
    assert nodes == int(plant.nodes.present.sum())
    power_w = sum(len(p.labels) * len(g.racks) * g.stack.power_w for p in patterns for g in p.groups)
    assert power_w == pytest.approx(21.8888e6, rel=1e-3)
    assert patterns[0].labels[0] == "ROW A"
    assert [(group.racks[0], len(group.racks)) for group in patterns[0].groups] == [
        ("gpu/0/0", 16),
        ("gpu/0/1", 16),
    ], "every second rack has a leaf switch: two drawings, not 32"
    assert [sheet.name for sheet in sheets_of("llama3-16k") if sheet.name.startswith("E")] == ["E1"]


@pytest.mark.parametrize(
    ("places", "named"),
    [
        ((3,), "r/0/3"),
        ((0, 1, 2, 3), "r/0/0-3"),
        ((1, 4, 7), "r/0/1-7, every 3rd"),
        ((2, 4), "r/0/2, 4"),
        ((0, 1, 3, 4, 6), "r/0/0-1, 3-4, 6"),
        ((0, 5, 10), "r/0/0-10, every 5th"),
    ],
)
def test_racks_of_a_row_are_named_in_short(places: tuple[int, ...], named: str) -> None:
    assert racks_named([f"r/0/{place}" for place in places]) == named


def test_racks_of_other_names_are_listed() -> None:
    assert racks_named(["a/0", "b/1"]) == "a/0, b/1"
    assert racks_named(["left", "right"]) == "left, right"


def test_sheets_are_numbered_and_name_one_another() -> None:
    sheets = sheets_of("nvl72-row")
    assert [sheet.name for sheet in sheets] == ["P1", "E1", "L1", "H1", "N1"]
    for place, sheet in enumerate(sheets):
        texts = [words.text for words in sheet.words]
        assert f"{sheet.name}, {place + 1} of 5" in texts
        assert BLOCK.revision in texts
        assert sheet.size_mm == paper_mm("A3", True)
    assert "Piping: H1" in " ".join(words.text for words in sheets[0].words)


def test_counts_on_block_sheets_are_those_of_the_plant() -> None:
    sheets = {sheet.name: " ".join(words.text for words in sheet.words) for sheet in sheets_of("nvl72-row")}
    assert "9 x QM9700" in sheets["N1"]
    assert "576 of 576 ports in use" in sheets["N1"]
    assert "576 x 400 Gb/s" in sheets["N1"]
    assert "8 x busway-415V-400A" in sheets["L1"]
    assert "8 racks, 1.02 MW" in sheets["L1"]
    assert re.search(r"4 loops alike: cdu/0 to cdu/3", sheets["H1"])
    _, plant = of("nvl72-row")
    loop = plant.loops.ids.index("cdu/0")
    flow = float(plant.loops.flow_m3_s[loop])
    assert f"{flow * 3600:,.1f} m³/h, DN {pipe_size(flow)}" in sheets["H1"]
    assert pipe_size(flow) > 15


@pytest.mark.parametrize("flow_m3_s", [1e-4, 0.005, 0.1, 1.5])
def test_water_goes_no_faster_than_its_pipe_is_sized_for(flow_m3_s: float) -> None:
    bore_m = pipe_size(flow_m3_s) / 1e3
    assert flow_m3_s / (np.pi * bore_m**2 / 4) <= FASTEST_M_S


def test_pdf_has_a_page_of_its_size_for_each_sheet_and_svg_is_true_to_size() -> None:
    sheets = sheets_of("lab-16", "A4")
    pdf = pdf_bytes(sheets, "A hall")
    assert pdf.startswith(b"%PDF")
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert [tuple(round(float(side) * 25.4 / 72) for side in box) for box in boxes] == [
        tuple(map(round, sheet.size_mm)) for sheet in sheets
    ]
    root = ElementTree.fromstring(svg_bytes(sheets[0], "A <hall>"))
    assert root.get("width", "").removesuffix("mm") == f"{sheets[0].size_mm[0]:g}"
    assert "Plan of" in "".join(root.itertext())
    image = picture(sheets[0], 2.0)
    assert (image.width(), image.height()) == tuple(round(2 * side) for side in sheets[0].size_mm)
    assert len({image.pixel(x, image.height() // 2) for x in range(image.width())}) > 1


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"paper": "A7"}, "paper A7 is not known; there are A4, A3, A2, A1, A0"),
        ({"kinds": ["roof"]}, "sheet roof is not known; there are plan, elevation,"),
        ({"hall": "attic"}, "hall attic is not there; there are lab"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_what_can(asked: dict[str, object], reason: str) -> None:
    scenario, plant = of("lab-16")
    with pytest.raises(DrawingError, match=reason):
        drawings(scenario, plant, CATALOG, BLOCK, **asked)


def test_dimensions_in_no_room_are_left_out() -> None:
    drawn = SheetContents()
    drawn.dimension([0.0, 1.0, 60.0], [0.1, 5.9], 10.0, upright=False)
    assert [words.text for words in drawn.words] == ["5,900"]
    assert set(KINDS) == {"plan", "elevation", "one-line", "piping", "network"}
    assert set(PAPERS) == {"A0", "A1", "A2", "A3", "A4"}


def test_dimensions_taken_in_the_hall_are_drawn_true_to_scale_beside_all_words() -> None:
    _, plant = of("llama3-16k")
    racks = [plant.slots[id][1] for id in ("gpu/0/4", "gpu/3/4")]
    ends_m = [(float(plant.racks.x_m[slot]), float(plant.racks.y_m[slot])) for slot in racks]
    length_m = ends_m[1][1] - ends_m[0][1]
    taken = PlanDimension(ends_m[0], ends_m[1], length_m)
    elsewhere = PlanDimension((-500.0, 0.0), (-490.0, 0.0), 10.0)
    plain, drawn = (plan_sheet(plant, 0, "A3", dimensions=some) for some in ((), (taken, elsewhere)))
    new_words = [words for words in drawn.drawn.words if words not in plain.drawn.words]
    assert [words.text for words in new_words] == [millimetres(length_m)]
    (left, top, right, bottom) = new_words[0].box
    for other in plain.drawn.words:
        box = other.box
        assert right <= box[0] or box[2] <= left or bottom <= box[1] or box[3] <= top, other
    first = next(stroke for stroke in drawn.drawn.strokes if stroke not in plain.drawn.strokes)
    (x0, y0), (x1, y1) = first.points
    assert x0 == pytest.approx(x1)
    assert abs(y1 - y0) * drawn.scale / 1e3 == pytest.approx(length_m)


def test_a_revision_marks_what_came_went_moved_and_changed() -> None:
    before = load("builtin:nvl72-row")
    changes = [
        "halls[hall].rows[gpu].racks.count=9",
        "halls[hall].rows[store].racks.count=1",
        "halls[hall].overrides[net/0/1].at={x: 5 m, y: 6.4 m}",
        "halls[hall].overrides[gpu/0/2/5]={absent: true}",
        "cooling.loops[cdu].units=2",
    ]
    after = set_texts(before, changes)
    old, new = build(before.scenario, CATALOG), build(after.scenario, CATALOG)
    things = {thing.id: thing.mark for thing in marked_things(old, new, "hall")}
    assert things["gpu/0/8"] == "added"
    assert things["store/0/1"] == "gone"
    assert things["net/0/1"] == "moved"
    assert things["gpu/0/2"] == "changed"
    assert "gpu/0/0" not in things
    assert [mark for id, mark in things.items() if id.startswith(("cdu", "crah"))]
    assert marked_things(old, old, "hall") == []
    sheets = revision_drawings(old, new, ["Row gpu, racks count: 8 to 9"], BLOCK)
    assert [sheet.name for sheet in sheets] == ["C1", "C2"]
    marks = {stroke.mark for stroke in sheets[0].strokes}
    assert {"added", "gone", "moved", "changed"} <= marks
    assert any("8 to 9" in words.text for words in sheets[1].words)
    assert not any("from revision" in words.text for words in sheets[0].words)
    since = revision_drawings(old, new, ["Row gpu"] * 3, BLOCK, since="0a1b2c3d")
    for sheet in since:
        assert any(f"from revision 0a1b2c3d to {BLOCK.revision}" in words.text for words in sheet.words)
    (few,) = {words.high_mm for words in since[1].words if words.text.endswith("Row gpu")}
    many = revision_drawings(old, new, ["Row gpu"] * 80, BLOCK)
    assert [sheet.name for sheet in many] == ["C1", "C2", "C3"]
    assert few > min(words.high_mm for words in many[1].words if words.text.endswith("Row gpu"))
    assert pdf_bytes(sheets, "x").startswith(b"%PDF")
    assert [s.title for s in revision_drawings(old, old, [], BLOCK)] == ["Changes in words"]


def test_the_building_is_drawn_where_the_scene_says() -> None:
    _, plant = of("repair-shop")
    building = plant.halls.buildings[0]
    draft = plan_draft(plant, 0, "A0", plan_bounds_m(plant, 0))
    floor, drawn = draft.floor, draft.drawn
    filled = [stroke for stroke in drawn.strokes if stroke.grey == 0.7]
    assert len(filled) == len(building.columns) == 6
    for stroke, column in zip(filled, building.columns, strict=True):
        x, y = (sum(each) / 4 for each in zip(*stroke.points, strict=True))
        x0, y0, x1, y1 = column.area
        assert (x, y) == pytest.approx((floor.x((x0 + x1) / 2), floor.y((y0 + y1) / 2)))
    goods = next(door for door in building.doors if door.id == "goods")
    arcs = [stroke for stroke in drawn.strokes if len(stroke.points) == 13]
    assert len(arcs) == 3, "two leaves, and one"
    for arc, (hinge, shut, opened) in zip(arcs, goods.leaves, strict=False):
        assert arc.points[0] == pytest.approx((floor.x(shut[0]), floor.y(shut[1])))
        assert arc.points[-1] == pytest.approx((floor.x(opened[0]), floor.y(opened[1])))
        reach = {round(math.dist(place, (floor.x(hinge[0]), floor.y(hinge[1]))), 6) for place in arc.points}
        assert len(reach) == 1
    words = [word.text for word in drawn.words]
    assert {"A", "B", "C", "1", "2", "goods"} <= set(words)
    assert "D" not in words
    legend = plan_sheet(plant, 0, "A3").legend
    assert legend[-1] == (
        "Ceiling 3,600 mm above the floor, raised floor 600 mm, floor load at most 12 kPa (1,224 kg/m2)."
    )


def test_an_underlay_lies_below_the_plan_and_ends_with_the_floor(tmp_path: Path) -> None:
    (tmp_path / "plan.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><path d="M0 0H40V20H0Z" fill="#e00"/></svg>'
    )
    scene = tmp_path / "hall.twin.yaml"
    scene.write_text(
        'format: twin/scenario\nversion: 3\nextends: builtin:lab-16\ncatalog: "2026.11"\ntitle: T\n'
        "halls: [{id: lab, building: {underlay: {file: plan.svg, width: 40 m, at: {x: -10 m, y: 0 m}}}}]\n"
    )
    scenario = load(scene).scenario
    plant = build(scenario, CATALOG)
    (sheet,) = drawings(scenario, plant, CATALOG, BLOCK, ("plan",))
    (below,) = sheet.pictures
    halls = plant.halls
    wide_m = float(halls.x1_m[0] - halls.x0_m[0])
    assert (below.part.left, below.part.wide) == pytest.approx(((halls.x0_m[0] + 10) / 40, wide_m / 40))
    assert (below.part.bottom, below.part.high) == pytest.approx((1.0, halls.y1_m[0] / 20))
    image = picture(sheet, 2.0)
    colour = image.pixelColor(round(2 * below.area.left) + 20, round(2 * below.area.top) + 14)
    assert colour.red() > 240
    assert 120 < colour.green() < 220, "faint"
    above = image.pixelColor(round(2 * below.area.right) + 4, round(2 * below.area.top) + 14)
    assert above.green() > 240
    assert b"<image" in svg_bytes(sheet, "T")
    assert pdf_bytes([sheet], "T").startswith(b"%PDF")


def test_a_revision_marks_the_building() -> None:
    before = load("builtin:repair-shop")
    building = "halls[hall].building"
    after = set_texts(
        before,
        [
            f"{building}.walls.width=18 m",
            f"{building}.columns[column].along=2",
            f"{building}.doors[goods].at={{x: 5.4 m, y: -4.2 m}}",
            f"{building}.doors[workshop].at={{x: 4.8 m, y: 9.6 m}}",
        ],
    )
    old, new = build(before.scenario, CATALOG), build(after.scenario, CATALOG)
    marks = {thing.id: thing.mark for thing in marked_things(old, new, "hall")}
    assert marks == {
        "walls": "moved",
        "column/2/0": "gone",
        "column/2/1": "gone",
        "goods": "moved",
        "workshop": "moved",
    }


def test_designs_are_drawn_side_by_side_at_one_scale_with_marks_on_what_differs() -> None:
    before = load("builtin:nvl72-row")
    changes = [
        "halls[hall].rows[gpu].racks.count=9",
        "halls[hall].rows[store].racks.count=1",
        "halls[hall].overrides[net/0/1].at={x: 5 m, y: 6.4 m}",
    ]
    after = set_texts(before, changes)
    sheets = comparison_drawings([before.scenario, after.scenario])
    assert [sheet.name for sheet in sheets[:2]] == ["C1", "C2"]
    assert sheets[1].title == "Changes in words"
    sheet, middle = sheets[0], sheets[0].size_mm[0] / 2
    sides: dict[str, set[bool]] = {}
    for stroke in sheet.strokes:
        if stroke.mark:
            sides.setdefault(stroke.mark, set()).add(stroke.points[0][0] > middle)
    assert sides["gone"] == {False}
    assert sides["added"] == {True}
    assert sides["moved"] == sides["changed"] == {False, True}
    texts = [words.text for words in sheet.words]
    assert {f"A: {before.scenario.title}", f"B: {before.scenario.title}"} <= set(texts)
    plants = [build(document.scenario) for document in (before, after)]
    wide_m = [float(plant.halls.x1_m[0] - plant.halls.x0_m[0]) for plant in plants]
    assert set(map(millimetres, wide_m)) <= set(texts)
    walls = [s for s in sheet.strokes if s.wide_mm == 0.7 and s.closed][:2]
    drawn = [max(x for x, _ in wall.points) - min(x for x, _ in wall.points) for wall in walls]
    assert drawn[1] / drawn[0] == pytest.approx(wide_m[1] / wide_m[0])


def test_designs_without_a_common_hall_and_alike_ones_are_drawn_too() -> None:
    scenarios = [load(f"builtin:{name}").scenario for name in ("lab-16", "superpod-h100", "lab-16")]
    sheets = comparison_drawings(scenarios, "A2")
    texts = [{words.text for words in sheet.words} for sheet in sheets]
    assert f"B: {scenarios[1].title}" in texts[0]
    alike = next(found for found in texts if f"C: {scenarios[2].title}" in found)
    assert "Racks and machines are alike, and stand alike." in alike
