"""A hall of one's own fails at the rates of the catalogue: as often as they say, for what its nodes have."""

import math
from collections import Counter
from functools import cache

import numpy as np
import pytest

from twin.app.files.scene_file import EMPTY
from twin.catalog import load_catalog
from twin.commands.edit.command import EditedScene
from twin.commands.room.room import AddRoom, RoomRequest
from twin.plant.build import build
from twin.plant.node_contents import counts_of_nodes
from twin.plant.tables import Plant
from twin.record.scenario_json import from_json, to_json
from twin.scenario import Change, Document, Patch, ScenarioError, loads
from twin.scenario.file.effective_text import show
from twin.scenario.file.patch_text import apply, edit
from twin.scenario.file.set_option import set_value
from twin.sim.core.draws import Draws
from twin.sim.hazard.failure_clocks import FailureClocks

CATALOG = load_catalog()
YEAR_S = 365 * 86400.0
SEEDS = range(12)


def room(request: RoomRequest, text: str = EMPTY) -> Document:
    """Return what the wizard makes of a text."""
    before = EditedScene.of(loads(text), catalog=CATALOG)
    document = edit(before.document, AddRoom(request).patch(before))[0]
    return apply(document, Patch((Change("site.climate", "{place: phoenix}"),)))


@cache
def wizards() -> Document:
    """Return the hall of 32 DGX H100 in Phoenix."""
    return room(RoomRequest(rows=1, racks=8, part="DGX-H100", nodes=4))


def struck(document: Document) -> tuple[Plant, Counter[tuple[str, str]]]:
    """Return the plant, and the failures of a year by component and cause, over all seeds; nothing is ever down."""
    plant, failures = build(document.scenario, CATALOG), document.scenario.failures
    count: Counter[tuple[str, str]] = Counter()
    for seed in SEEDS:
        clocks = FailureClocks(plant, failures, Draws(seed))
        while (due_s := clocks.earliest_s()) < YEAR_S:
            strike = clocks.take(due_s)
            count[strike.on, strike.cause.id] += 1
    return plant, count


def expected(document: Document, plant: Plant) -> dict[str, float]:
    """Return how often each cause is to strike in the years of all seeds."""
    there = plant.nodes.present
    years = len(SEEDS)
    return {
        cause.id: cause.per_node_s * YEAR_S * years * float(counts_of_nodes(plant, cause.each)[there].sum())
        for cause in document.scenario.failures.acting
        if cause.on == "node"
    }


def test_the_hall_of_the_wizard_fails_as_the_published_fleet_did() -> None:
    document = wizards()
    plant, count = struck(document)
    wanted = expected(document, plant)
    assert sum(wanted.values()) / len(SEEDS) == pytest.approx(466 / 54 * 365 / 2048 * 32)
    for cause, mean in wanted.items():
        assert abs(count["node", cause] - mean) < 4 * math.sqrt(mean) + 1, cause
    total = sum(wanted.values())
    assert abs(sum(count.values()) - total) < 3 * math.sqrt(total)
    assert ("nvlink", "nvlink_switch_tray") not in count, "an HGX board is no domain of several nodes"


def test_trays_of_a_rack_fail_by_what_they_hold() -> None:
    plant = build(room(RoomRequest(rows=1, racks=1, part="GB200-NVL72", cdu_in_row=True)).scenario, CATALOG)
    totals = {
        each: counts_of_nodes(plant, each)[plant.nodes.present] for each in ("gpu", "psu", "nvlink_tray")
    }
    assert totals["gpu"].tolist() == [4.0] * 18
    assert not totals["psu"].any(), "a busbar feeds them"
    assert totals["nvlink_tray"].tolist() == [9.0] * 18, "of the whole domain"
    (tray,) = (part for part in CATALOG.causes if part.on == "nvlink")
    scene = loads(
        EMPTY.replace("{rates: catalog}", "{causes: [{id: t, rate: 0.051 %/month, repair: motherboard, "
        "on: nvlink, each: nvlink_tray}]}")
    )  # fmt: skip
    clocks = FailureClocks(plant, scene.scenario.failures, Draws(1))
    (_, slots, trays) = clocks.others[0]
    assert slots.tolist() == [0]
    assert trays.rate * trays.quality[0] == pytest.approx(9 * tray.rate_per_s)
    assert clocks.per_node_s == pytest.approx(9 * tray.rate_per_s / 18)


def test_the_rate_that_jobs_plan_by_is_that_of_the_hall() -> None:
    document = wizards()
    plant = build(document.scenario, CATALOG)
    clocks = FailureClocks(plant, document.scenario.failures, Draws(1))
    assert clocks.per_node_s * 86400e3 == pytest.approx(466 / 54 / 2.048)
    lemons = apply(document, Patch((Change("failures.lemons", "true"),))).scenario.failures
    main, others = (FailureClocks(plant, lemons, Draws(1)), clocks)
    of_gpus = next(clocks for _, _, clocks in main.others if clocks.name == " node gpu")
    assert np.allclose(of_gpus.quality, 8 * main.quality)
    assert not np.allclose(main.quality, others.quality)


def test_own_causes_come_first_and_replace_those_of_the_catalogue() -> None:
    text = EMPTY.replace(
        "{rates: catalog}",
        "{rates: catalog, causes: [{id: cpu, rate: 1 per 1000 day, repair: cpu}], off: [nic]}",
    )
    failures = loads(text).scenario.failures
    assert [cause.id for cause in failures.causes].count("cpu") == 1
    assert failures.causes[0].source == ""
    assert len(failures.causes) == len(CATALOG.causes)
    assert {cause.id for cause in failures.causes} - {cause.id for cause in failures.acting} == {"nic"}
    assert all("Llama 3" in cause.source for cause in failures.causes[1:-1])
    assert "estimated" in failures.causes[-1].source


def test_a_run_file_holds_the_rates_it_used_and_show_prints_them() -> None:
    scenario = loads(EMPTY).scenario
    assert from_json(to_json(scenario)) == scenario
    assert loads(show(scenario, exact=True)).scenario == scenario
    assert 'source: "CPU: published count; Grattafiori' in show(scenario)


def test_the_rates_of_a_scene_without_text_can_be_switched() -> None:
    scenario = loads(EMPTY).scenario
    without = set_value(scenario, "failures.rates", "scene")
    assert without.failures.causes == ()
    assert set_value(without, "failures.rates", "catalog").failures == scenario.failures


def test_a_room_in_an_empty_scene_fails_and_one_beside_others_is_left_as_it_is() -> None:
    said_nothing = EMPTY.replace("failures: {rates: catalog}", "#")
    assert room(RoomRequest(rows=1, racks=1), said_nothing).scenario.failures.rates == "catalog"
    for said in ("failures: {enabled: false}", "failures: {lemons: true}"):
        made = room(RoomRequest(rows=1, racks=1), EMPTY.replace("failures: {rates: catalog}", said))
        assert made.scenario.failures.rates == "scene", said


@pytest.mark.parametrize(
    ("said", "key", "reason"),
    [
        ("{rates: fleet}", "failures.rates", "must be scene or catalog"),
        ("{rates: catalog, off: [nik]}", "failures.off[0]", "is not a cause of this scene"),
        ("{off: [nic]}", "failures.off[0]", "is not a cause of this scene"),
        ("{rates: catalog, off: nic}", "failures.off", "must be a list"),
        ("{rates: catalog, off: [[nic]]}", "failures.off[0]", "must be text"),
        ("{causes: [{id: a, rate: 1 per day, repair: gpu, each: gpu, on: link}]}", "failures.causes[a]",
         "each gpu is not of a link"),
        ("{causes: [{id: a, rate: 1 per day, repair: gpu, each: rack}]}", "failures.causes[a].each",
         "must be node, gpu, nic, psu or nvlink_tray"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_by_line_and_key(said: str, key: str, reason: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        loads(EMPTY.replace("{rates: catalog}", said))
    problem = caught.value.problems[0]
    assert (problem.line, problem.key) == (14, key)
    assert reason in problem.reason
