"""How large a scene may be: refused from its generators, before anything of it is made."""

from __future__ import annotations

from pathlib import Path

import pytest
from usual_cases import but_largest

from twin.catalog import load_catalog
from twin.plant.build import build
from twin.scenario import ScenarioError, load, loads
from twin.scenario.checks import sizes
from twin.scenario.checks.fabric import connected
from twin.scenario.checks.fabric_size import size_of
from twin.scenario.reading.extend import builtin_names

FINDINGS = Path(__file__).parents[1] / "findings"
HEAD = 'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\ntitle: t\nduration: 1 day\n'


def problems(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        loads(HEAD + text, "hall")
    return [f"{one.line}: {one.key}: {one.reason}" for one in caught.value.problems]


def hall(rows: int, racks: int, nodes: int, part: str = "DGX-H100") -> str:
    generator = (
        f"{{id: gpu, count: {rows}, racks: {{count: {racks}, nodes: [{{part: {part}, count: {nodes}}}]}}}}"
    )
    return f"halls: [{{id: hall, rows: [{generator}]}}]\n"


def test_a_hall_of_millions_is_refused_with_figure_and_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "twin.scenario.generators.expand.rows", lambda *_: pytest.fail("the hall was expanded")
    )
    with pytest.raises(ScenarioError) as caught:
        load(FINDINGS / "rows500x2000.twin.yaml")
    racks, nodes, gpus = caught.value.problems
    assert (gpus.file, gpus.line, gpus.key) == ("rows500x2000.twin.yaml", 6, "halls[hall].rows[gpu].racks")
    assert "32,000,000 GPUs" in gpus.reason
    assert "at most 1,200,000" in gpus.reason
    assert "1,000,000 racks" in racks.reason
    assert "4,000,000 nodes" in nodes.reason


def test_halls_are_counted_together() -> None:
    one = "{id: gpu, count: 100, racks: {count: 1600, nodes: [{part: DGX-H100, count: 1}]}}"
    text = f"halls: [{{id: a, rows: [{one}]}}, {{id: b, rows: [{one.replace('gpu', 'more')}]}}]\n"
    assert problems(text) == [
        "6: halls[a].rows[gpu].racks: creates 1,280,000 of 2,560,000 GPUs (100 rows of 1,600 racks of 8 GPUs); "
        "a scene has at most 1,200,000"
    ]


def test_overrides_bring_what_their_parts_hold() -> None:
    racks = ", ".join(f"gpu/0/{place}: {{part: GB200-NVL72}}" for place in range(2000))
    text = hall(500, 270, 1).replace("}}]}]", "}}], overrides: {" + racks + "}}]")
    (problem,) = problems(text)
    assert "of 1,224,000 GPUs" in problem


def test_a_million_gpus_are_not_refused() -> None:
    assert list(sizes.halls(loads(HEAD + hall(250, 600, 1)).scenario, load_catalog())) == []


def test_edits_are_counted_times_gpus() -> None:
    edits = ", ".join(f"{{id: e{n}, at: {n} s, changes: [{{path: title, value: x}}]}}" for n in range(200))
    assert problems(f"{hall(250, 600, 1)}edits: [{edits}]\n") == [
        "7: edits: creates 240,000,000 edited GPUs (200 edits of 1,200,000 GPUs); a scene has at most 200,000,000"
    ]


def test_power_equipment_and_cooling_units_are_counted_together() -> None:
    stages = ", ".join(f"{{id: p{n}, kind: pdu, count: 20000}}" for n in range(11))
    assert "220,000 items of power equipment" in problems(f"{hall(1, 1, 1)}power: [{stages}]\n")[0]
    loop = "{id: air, kind: air, part: CRAH-chilled, count: 2000, units: 500, plant: water}"
    text = f"{hall(1, 1, 1)}cooling: {{plants: [{{id: water}}], loops: [{loop}]}}\n"
    assert "1,000,000 cooling units (2,000 loops of 500)" in problems(text)[0]


def test_streams_are_counted_together() -> None:
    stream = "{{id: s{}, arrivals: {{gap: 1 s}}, lengths: {{mean: 1 h}}}}"
    streams = ", ".join(stream.format(n) for n in range(3))
    (problem,) = problems(f"{hall(1, 1, 1)}streams: [{streams}]\n")
    assert problem.endswith("creates 86,400 of 259,200 jobs; a scene has at most 200,000")


def test_links_are_counted_before_they_are_laid(monkeypatch: pytest.MonkeyPatch) -> None:
    fabrics = ", ".join(
        f"{{id: f{n}, kind: torus, technology: InfiniBand-NDR, dims: [250, 600]}}" for n in range(21)
    )
    (problem,) = problems(f"{hall(250, 600, 1)}fabrics: [{fabrics}]\n")
    assert problem.endswith(
        "creates 300,000 of 6,300,000 links (150,000 nodes of 8 NICs); a scene has at most 6,000,000"
    )


@pytest.mark.parametrize("name", but_largest(builtin_names()))
def test_links_and_switches_are_those_that_are_laid(name: str) -> None:
    scenario, catalog = load(f"builtin:{name}").scenario, load_catalog()
    if not scenario.fabrics:
        return
    plant = build(scenario, catalog)
    links = switches = 0
    for fabric in scenario.fabrics:
        nodes = connected(scenario, fabric, catalog)
        size = size_of(fabric, catalog, nodes.count, nodes.most_cards, nodes.card_bytes_s)
        links += sizes.links_of(fabric, size, nodes.count, nodes.most_cards)
        switches += sizes.switches_of(fabric, size)
    laid = len(plant.node_links.node) + len(plant.switch_links.lower) + len(plant.peer_links.a)
    assert switches == len(plant.switches.ids)
    assert laid <= links <= 1.3 * laid


def entries(key: str, count: int, entry: str) -> str:
    return f"{key}: [" + ", ".join(f"{{id: e{n}, {entry}}}" for n in range(count)) + "]\n"


@pytest.mark.parametrize(
    ("key", "entry", "limit"),
    [
        ("power", "kind: pdu", 2000),
        ("storage", "read: 1 GB/s, write: 1 GB/s", 1000),
        ("tenants", "isolation: leaf", 1000),
        ("partitions", "rows: [gpu]", 1000),
    ],
)
def test_lists_whose_entries_are_held_against_one_another_are_bounded(
    key: str, entry: str, limit: int
) -> None:
    (problem,) = problems(hall(1, 1, 1) + entries(key, limit + 1, entry))
    assert problem == f"7: {key}: has {limit + 1:,} entries; a scene has at most {limit:,}"
    loads(HEAD + hall(1, 1, 1) + entries(key, 3, entry), "hall")


def test_choices_of_nodes_are_counted_together() -> None:
    text = hall(250, 600, 1) + entries("reservations", 600, "at: 0 s, for: 1 h")
    text += entries("tenants", 67, "share: 2")
    assert problems(text) == [
        "7: reservations: creates 90,000,000 of 100,050,000 choices of nodes (600 reservations of 150,000 nodes); "
        "a scene has at most 100,000,000"
    ]


def test_edits_are_counted_times_racks_without_gpus() -> None:
    edits = ", ".join(f"{{id: e{n}, at: {n} s, changes: [{{path: title, value: x}}]}}" for n in range(501))
    generator = "{id: net, count: 500, racks: {count: 800, role: network}}"
    text = f"halls: [{{id: hall, rows: [{generator}]}}]\nedits: [{edits}]\n"
    assert problems(text) == [
        "7: edits: creates 200,400,000 edited racks (501 edits of 400,000 racks); a scene has at most 200,000,000"
    ]


def test_a_label_of_rows_is_short() -> None:
    text = hall(500, 1, 1).replace("id: gpu,", f"id: gpu, label: {'L' * 201},")
    assert problems(text) == ["6: halls[hall].rows[gpu].label: must have at most 200 characters"]


@pytest.mark.slow
def test_all_files_of_a_scene_are_at_most_so_long(tmp_path: Path) -> None:
    filler = f"notes: {'n' * 1_999_000}\n"
    (tmp_path / "a.twin.yaml").write_text(HEAD + hall(1, 1, 1) + filler)
    for name, base in (("b", "a"), ("c", "b")):
        text = f"{HEAD}extends: {base}.twin.yaml\n{filler}"
        (tmp_path / f"{name}.twin.yaml").write_text(text)
    load(tmp_path / "b.twin.yaml")
    with pytest.raises(ScenarioError, match="has more than 4 MB of text with the files it extends"):
        load(tmp_path / "c.twin.yaml")


def test_a_campus_of_a_hundred_thousand_gpus_is_not_refused() -> None:
    scenario = load(FINDINGS / "campus-flat.twin.yaml").scenario
    assert sizes.gpus_of(scenario, load_catalog()) == 102_400
