"""Designs for needs: sizes, limits, scenes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from twin.api.cost import of_scene
from twin.catalog import load_catalog
from twin.designs.answer import Designs, answer
from twin.designs.design_folder import DATA, TABLE, scenes_of, write_folder
from twin.designs.front import non_dominated
from twin.designs.need import LanguageWork
from twin.designs.need_file import NeedFile, load_need
from twin.designs.screening import Screening
from twin.economics.cash_flow import Plan
from twin.scenario import load

LLAMA = "llama3-405b-54-days"


def designs_for(name: str, candidates: int) -> Designs:
    """Return the designs for a shipped need."""
    return answer(load_need(name), load_catalog(), candidates)


@pytest.fixture(scope="module")
def llama() -> Designs:
    return designs_for(LLAMA, 200)


def test_a_training_run_of_54_days_takes_as_many_gpus_as_it_did(llama: Designs) -> None:
    cheapest = llama.designs[0]
    assert 13_500 <= cheapest.choice.gpus <= 18_000
    assert cheapest.choice.part.gpu == "H100-SXM"
    assert cheapest.time_s <= 54 * 86_400
    assert cheapest.site_w <= 40e6
    assert cheapest.binding is not None
    assert cheapest.binding.name == "deadline[0]"


def test_designs_keep_all_limits_and_none_beats_another(llama: Designs) -> None:
    assert 1 < len(llama.designs) <= 20
    assert all(design.feasible for design in llama.designs)
    assert non_dominated(np.array([design.axes for design in llama.designs])).all()
    assert [design.yearly_usd for design in llama.designs] == sorted(
        design.yearly_usd for design in llama.designs
    )


def test_sixteen_bits_in_54_days_need_more_than_40_mw() -> None:
    file = load_need(LLAMA)
    work = file.need.workloads[0]
    assert isinstance(work, LanguageWork)
    need = file.need.model_copy(update={"workloads": (work.model_copy(update={"precision": "bf16"}),)})
    found = answer(NeedFile(file.name, need, file.models), load_catalog(), 200)
    assert not found.designs
    assert found.binding is not None
    assert found.binding.ratio > 1.0
    assert {limit.name for limit in found.alone} <= {"deadline[0]", "power"}
    assert found.alone
    # The nearest need that is told can really be met.
    (slower,) = [limit for limit in found.alone if limit.name == "deadline[0]"]
    eased = need.workloads[0].model_copy(update={"deadline_s": slower.value * 86_400 * 1.0001})
    near = NeedFile(file.name, need.model_copy(update={"workloads": (eased,)}), file.models)
    assert answer(near, load_catalog(), 200).designs


def test_more_failures_take_longer_and_spares_shorten_it() -> None:
    screening = Screening(load_need(LLAMA), load_catalog())
    choice = next(
        choice for choice in screening.choices() if choice.gpus == 16_384 and choice.interval == 1.0
    )
    few, many = (screening.figures(replace(choice, spare_sigmas=sigmas)) for sigmas in (0.0, 3.0))
    fragile = replace(choice, part=replace(choice.part, rate_s=2 * choice.part.rate_s))
    worse = screening.figures(fragile)
    assert few is not None
    assert many is not None
    assert worse is not None
    assert few.promises[0].in_service < many.promises[0].in_service <= 1.0
    assert worse.time_s > few.time_s > few.promises[0].ideal_s
    promise = few.promises[0]
    assert promise.promised_s == pytest.approx(promise.mean_s + 2 * promise.sigma_s)


def test_a_need_bound_by_its_data_trades_stores_for_time() -> None:
    found = designs_for("vision-512", 300)
    boxes = {design.room.storage: design for design in found.designs}
    assert len(boxes) > 1
    few, many = boxes[min(boxes)], boxes[max(boxes)]
    assert few.steps[0].step_s < few.promises[0].step_s  # waits for input
    assert few.time_s > many.time_s


def test_a_lab_grows_and_each_stage_is_a_scene_that_passes_its_checks(tmp_path: Path) -> None:
    found = answer(load_need("lab-16-to-256"), load_catalog(), 40, most=2)
    made = scenes_of(found, load_catalog())
    assert not made.left_out
    assert len(made.names) == len(found.designs)
    folder = tmp_path / "designs"
    write_folder(made, folder)
    first, last = (load(folder / f"design-01{stage}.twin.yaml").scenario for stage in ("-stage-1", ""))
    assert [job.nodes for job in first.jobs] == [2]
    assert [job.nodes for job in last.jobs] == [32]
    rows = json.loads((folder / DATA).read_text())["designs"]
    assert rows[0]["stages"] == [16, 256]
    assert "design-01" in (folder / TABLE).read_text()
    with pytest.raises(FileExistsError):
        write_folder(made, folder)


def test_the_cost_of_screening_is_near_that_of_the_scene() -> None:
    found = answer(load_need("vision-512"), load_catalog(), 40, most=2)
    made = scenes_of(found, load_catalog())
    for design, name in zip(made.answer.designs, made.names, strict=True):
        books = of_scene(made.scenes[name].scenario, Plan(), 2)
        assert design.capital_usd == pytest.approx(float(books.likely.capital.total_usd[0]), rel=0.1)
        assert books.bill.gpus == {design.choice.part.gpu: 8 * (design.nodes + design.spares)}


@pytest.mark.slow
def test_a_thousand_candidates_of_the_largest_need_become_scenes() -> None:
    made = scenes_of(designs_for(LLAMA, 1000), load_catalog())
    assert len(made.names) >= 15
    assert not made.left_out
