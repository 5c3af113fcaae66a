"""The catalogue is the one source: every part of it runs, and an edited number changes what comes out."""

from __future__ import annotations

import re

import pytest
from sim_scenes import job, tiny

from twin import resources
from twin.catalog import Catalog, CatalogError, catalog_from_texts, load_catalog
from twin.planning.job.job_power import power_of
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine
from twin.sim.run import parts
from twin.sim.thermal.cooling_machines import PlantMachines, machines_of
from twin.sim.thermal.part_models import UncooledNode, in_air, on_cold_plate

SHIPPED = load_catalog()
LLM = job(1) | {
    "workload": {
        "kind": "llm",
        "model": "llama3-8b",
        "global_batch": 64,
        "parallelism": {"tensor": 4},
        "profile": "h100",
    }
}


def edited(part: str, key: str, text: str) -> Catalog:
    """Return the shipped catalogue with one line of a part replaced by another."""
    texts = {}
    for one in sorted((resources.folder("assets") / "catalog").iterdir(), key=lambda one: one.name):
        texts[one.name] = one.read_text(encoding="utf-8")
        block = re.search(rf"^  {re.escape(part)}:\n(?:    .*\n)+", texts[one.name], re.MULTILINE)
        if block:
            changed, count = re.subn(rf"(?m)^    {key}: .*$", f"    {key}: {text}", block[0])
            assert count == 1
            texts[one.name] = texts[one.name].replace(block[0], changed)
    return catalog_from_texts(texts)


def cooled(part: str, **more: object) -> Scenario:
    """Return two nodes of `part`, one of them at work, on the loops they need."""
    water = {"id": "water", "kind": "dry-cooler", "supply": "24 degC"}
    loop = {"plant": "water", "serves": ["gpu"], "supply": "24 degC"}
    loops = [{"id": "crah", "kind": "air", "part": "CRAH-chilled"} | loop]
    if SHIPPED.node(part).cooling == "liquid":
        loops = [{"id": "cdu", "kind": "liquid", "part": "CDU-inrow-1350"} | loop, *loops]
    return tiny(2, (LLM,), part, **({"cooling": {"plants": [water], "loops": loops}} | more))


def hour(scene: Scenario) -> Engine:
    """Return the run after an hour."""
    engine = Engine(scene)
    engine.advance(3600.0)
    return engine


def check_hour(scene: Scenario, gpu: str, node: str, catalog: Catalog = SHIPPED) -> None:
    """Run an hour: the job steps, its dies are warm and below their limit, no joule is lost."""
    engine = hour(scene)
    figures, part = engine.summary(), catalog.gpu(gpu)
    assert engine.body.parts == [gpu]
    assert engine.clocks.models[0].cap_w == part.tdp_w
    assert figures["ledger_gpu_s"]["productive"] > 0
    assert figures["energy"]["residual"] <= 1e-9
    assert 24.0 < figures["thermal"]["gpu_max_c"] < part.slowdown_c
    per_node = catalog.node(node)
    gpus_w = per_node.n_gpu * part.tdp_w
    assert figures["power"]["it_max_w"] < 1.1 * 2 * (gpus_w + per_node.overhead_full_w)


@pytest.mark.parametrize("node", SHIPPED.ids("node"))
def test_every_node_of_the_catalogue_runs(node: str) -> None:
    check_hour(cooled(node), SHIPPED.node(node).gpu, node)


@pytest.mark.parametrize("node", ["DGX-H100", "HGX-H100-DLC"])
@pytest.mark.parametrize("gpu", SHIPPED.ids("gpu"))
def test_every_gpu_of_the_catalogue_runs_where_it_can_be_cooled(
    gpu: str, node: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = edited(node, "gpu", gpu)
    monkeypatch.setattr(parts, "catalog_of", lambda scenario: catalog)
    part = catalog.gpu(gpu)
    cooler = part.r_ja_k_w if node == "DGX-H100" else part.r_plate_coolant_k_w
    if cooler is None:
        with pytest.raises(UncooledNode, match=gpu):
            Engine(cooled(node))
    else:
        check_hour(cooled(node), gpu, node, catalog)


@pytest.mark.parametrize(
    ("key", "text", "group", "figure"),
    [
        ("tdp", "{value: 500 W, source: est, status: estimated}", "power", "it_mean_w"),
        ("idle", "{value: 60 W, source: est, status: estimated}", "power", "it_mean_w"),
        ("r_ja", "{value: 0.05 K/W, source: est, status: estimated}", "thermal", "gpu_max_c"),
    ],
)
def test_an_edited_gpu_changes_the_run(
    key: str, text: str, group: str, figure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = hour(cooled("DGX-H100")).summary()[group][figure]
    catalog = edited("H100-SXM", key, text)
    monkeypatch.setattr(parts, "catalog_of", lambda scenario: catalog)
    assert hour(cooled("DGX-H100")).summary()[group][figure] < before - 0.1


def test_every_number_of_a_gpu_model_comes_from_its_part() -> None:
    gpu = SHIPPED.gpu("GB200-GPU")
    model, chain = power_of(gpu), on_cold_plate(gpu)
    assert (model.idle_w, model.cap_w, model.v_min, model.v_max) == (200.0, 1200.0, 0.7, 1.05)
    assert (model.f_v_ghz, model.f_max_ghz, model.leak_w_per_k) == (1.0, 2.062, 1.44)
    assert (model.max_op_c, model.slowdown_c, model.shutdown_c) == (88.0, 91.0, 93.0)
    assert (chain.die_j_k, chain.hbm_j_k, chain.plate_j_k, chain.fluid_j_k) == (60.0, 25.0, 250.0, 350.0)
    assert chain.flow_w_k == pytest.approx(1.5 * 1.3 * 1.2 * 67.2)
    assert 1 / chain.g_die_plate_w_k == pytest.approx(0.016)
    assert 1 / chain.g_convection_w_k == pytest.approx(0.016)
    assert in_air(SHIPPED.gpu("B200-SXM"), SHIPPED.node("DGX-B200")).plate_j_k == 600.0


def test_figures_that_contradict_each_other_name_their_part() -> None:
    catalog = edited("H100-SXM", "idle", "{value: 700 W, source: est, status: estimated}")
    with pytest.raises(CatalogError, match=r"H100-SXM: idle power"):
        power_of(catalog.gpu("H100-SXM"))


PLANTS = {
    "dry-cooler": ("dry-cooler", "fan_fraction", "{value: 4 %, source: est, status: estimated}"),
    "cooling-tower": ("cooling-tower", "fan_fraction", "{value: 4 %, source: est, status: estimated}"),
    "chiller": ("chiller-air-cooled", "cop", "{value: 2.5, source: est, status: estimated}"),
}


@pytest.mark.parametrize("kind", PLANTS)
def test_an_edited_plant_changes_what_cooling_draws(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hot = {"climate": {"dry_bulb": "35 degC", "wet_bulb": "24 degC", "swing": "0 K"}}
    plants = [{"id": "water", "kind": kind, "supply": "14 degC"}]
    scene = tiny(
        2, (), cooling={"plants": plants, "loops": tiny(2).model_dump()["cooling"]["loops"]}, site=hot
    )
    before = hour(scene).summary()["power"]["facility_mean_w"]
    catalog = edited(*PLANTS[kind])
    monkeypatch.setattr(parts, "catalog_of", lambda scenario: catalog)
    assert hour(scene).summary()["power"]["facility_mean_w"] > before + 10.0


def machines(kind: str, part: str = "") -> PlantMachines:
    return machines_of(SHIPPED, kind, part, set_c=20.0, flow_w_k=1e5, economiser=True)


def test_a_plant_does_what_its_part_says() -> None:
    cooler = machines("dry-cooler")
    assert (cooler.sky.fan_share, cooler.sky.approach_k, cooler.unit_w) == (0.02, 8.0, 1e6)
    tower = machines("cooling-tower")
    assert cooler.lift is tower.lift is None
    assert (tower.sky.fan_share, tower.sky.water_m3_j * 3.6e9) == pytest.approx((0.012, 2.1))
    for part, wet in (("chiller-air-cooled", False), ("chiller-water-cooled", True)):
        chiller = machines("chiller", part)
        assert chiller.lift is not None
        assert chiller.lift.carnot_share == pytest.approx(0.55, abs=0.004)
        assert chiller.sky.wet == wet == (chiller.sky.water_m3_j > 0)
        assert chiller.restart_s == SHIPPED.chiller(part).restart_s
