"""Designs held against each other: nothing where they are the same, a ledger that adds up, seeds that pair."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "sim"))
from edit_scenes import tiny

from twin.analysis.compare import Comparison, Sample, compare, sample_of, waterfall
from twin.analysis.figures import FIGURES
from twin.analysis.seeds import sample, samples
from twin.analysis.significance import Judgement, judged, verdict
from twin.record.accounts import ACCOUNTS
from twin.runtime.inline import run
from twin.scenario import load, loads
from twin.scenario.schema.document import Scenario


def test_the_same_design_twice_is_exactly_nothing() -> None:
    scene = tiny(nodes=3, duration="2 day")
    told: list[tuple[int, int]] = []
    a, b = samples([scene, scene], [1, 2, 3], progress=lambda *state: told.append(state))
    found = compare(a, b, [1, 2, 3])
    assert a == b
    assert all((one.difference, one.paired) == (0.0, 0.0) for one in found.differences.values())
    assert found.waterfall.steps == ()
    assert "are the same" in verdict(found)
    assert told == [(number, 6) for number in range(1, 7)]
    assert sample(scene, 2) == a[1]  # in another process, the same


def test_every_figure_of_a_run_is_read() -> None:
    known = sample_of(run(load("builtin:lab-16").scenario, until_s=40000.0).engine.summary()).figures
    assert [figure.key for figure in FIGURES if known[figure.key] is None] == []
    assert len({figure.title for figure in FIGURES}) == len(FIGURES)


def test_the_ledger_leads_from_a_to_b() -> None:
    a = {key: 3600.0 * (number + 1) for number, key in enumerate(ACCOUNTS)}
    b = {**a, "productive": 36000.0, "lost_work": 0.0, "idle_spare": 90000.0}
    way = waterfall(a, b)
    assert way.a_gpu_h == 1.0
    assert way.b_gpu_h == 10.0
    assert way.a_gpu_h + math.fsum(step.gpu_h for step in way.steps) == pytest.approx(way.b_gpu_h, abs=1e-12)
    assert way.steps[0].account == "installed"
    lost = {step.account: step.gpu_h for step in way.steps}
    assert lost["lost_work"] == a["lost_work"] / 3600
    assert lost["idle_spare"] == a["idle_spare"] / 3600 - 25.0
    assert waterfall(a, a).steps == ()


def test_words_tell_the_certain_from_the_open() -> None:
    def designs(values: list[float]) -> list[Sample]:
        return [
            Sample({"goodput": 0.9 + value, "pue": 1.2 + number % 2 * value}, {})
            for number, value in enumerate(values)
        ]

    found = compare(designs([0.0, 0.01, 0.02]), designs([0.05, 0.061, 0.07]), [1, 2, 3])
    text = verdict(found)
    assert "Significant" in text
    assert "goodput (B is better)" in text
    assert "Not significant: PUE." in text
    assert "seeds 20" in verdict(compare(designs([0.0]), designs([0.1]), [1]))
    same = verdict(compare(designs([0.0]), designs([0.0]), [1]), "x", "y")
    assert same == "x and y are the same in every figure and every account of GPU time."


def _samples(**figures: list[float]) -> list[Sample]:
    return [Sample(dict(zip(figures, row, strict=True)), {}) for row in zip(*figures.values(), strict=True)]


_ENERGY, _PER_WORK, _GOODPUT = (
    next(figure for figure in FIGURES if figure.key == key)
    for key in ("energy_j", "energy_per_gpu_h", "goodput")
)


def test_one_long_outage_does_not_hide_what_every_seed_says() -> None:
    lost = [3.0, 23.9, 1.5, 2.4, 0.1, 1.4, 0.1, 12.0]
    a = _samples(goodput=[0.9] * 8)
    b = _samples(goodput=[0.9 - points / 100 for points in lost])
    found = compare(a, b, list(range(8)))
    assert found.differences["goodput"].beyond_chance is False
    assert judged(_GOODPUT, found) == Judgement("A is better with 8 of 8 seeds", -1)
    assert "by the signs of the seeds" in verdict(found)
    assert "goodput (A is better with 8 of 8 seeds)" in verdict(found)
    mixed = compare(
        a, _samples(goodput=[0.9 - points / 100 for points in [-12.0, *lost[1:]]]), list(range(8))
    )
    assert judged(_GOODPUT, mixed) == Judgement("not significant", 0)  # 7 of 8: one in fourteen by chance


def test_less_energy_for_less_work_is_not_better_and_per_work_it_is_told() -> None:
    a = _samples(
        productive_gpu_h=[100.0, 101.0, 99.0], energy_j=[10.0, 10.1, 9.9], energy_per_gpu_h=[0.1] * 3
    )
    less = _samples(
        productive_gpu_h=[88.0, 89.0, 87.0], energy_j=[9.0, 9.1, 8.9], energy_per_gpu_h=[0.102] * 3
    )
    found = compare(a, less, [1, 2, 3])
    assert judged(_ENERGY, found) == Judgement("less, for less work done", 0)
    assert judged(_PER_WORK, found) == Judgement("A is better", -1)
    as_much = _samples(
        productive_gpu_h=[100.0, 101.0, 99.0], energy_j=[9.0, 9.1, 8.9], energy_per_gpu_h=[0.09] * 3
    )
    assert judged(_ENERGY, compare(a, as_much, [1, 2, 3])) == Judgement("B is better", 1)
    assert judged(_ENERGY, compare(less, a, [1, 2, 3])).better == 0
    more_for_less = _samples(
        productive_gpu_h=[90.0, 91.0, 89.0], energy_j=[12.0, 12.1, 11.9], energy_per_gpu_h=[0.13] * 3
    )
    assert judged(_ENERGY, compare(a, more_for_less, [1, 2, 3])) == Judgement("A is better", -1)


def test_runs_of_other_lengths_and_halls_of_another_size_are_remarked() -> None:
    def of(simulated_s: float | None, gpus: float | None) -> list[Sample]:
        return [Sample({}, {}, simulated_s, gpus)] * 2

    def remarks(a: list[Sample], b: list[Sample]) -> tuple[str, ...]:
        return compare(a, b, [1, 2]).remarks

    assert remarks(of(3600.0, 16.0), of(3600.0, 24.0)) == ()
    assert remarks(of(None, None), of(3600.0, 24.0)) == ()
    both = remarks(of(3600.0, 16.0), of(7200.0, 576.0))
    assert [one.partition(":")[0] for one in both] == [
        "A was simulated for 1 h, B for 2 h",
        "A has 16 GPUs, B 576",
    ]


# --- the pairs of designs that the issue names

_HALL = """
format: twin/scenario
version: 3
catalog: "2026.11"
title: Pairs
duration: 20 day
site: {{climate: {{dry_bulb: 10 degC, wet_bulb: 7 degC, swing: 0 K}}}}
halls: [{{id: hall, rows: [{{id: gpu, racks: {{count: {racks}, nodes: [{{part: DGX-H100, count: 2}}]}}}}]}}]
cooling:
  plants: [{{id: water, kind: chiller, supply: 14 degC}}]
  loops: [{{id: crah, kind: air, part: FanWall-500, units: 4, plant: water, serves: [gpu], supply: 20 degC}}]
jobs:
  - id: run
    nodes: 64
    workload: {{kind: load, gpu: 60 %, step: 10 s}}
    checkpoint: {{interval: {interval}, pause: 10 s}}
    recovery: {{constant: 1 h}}
failures:
  repair_constant: 4 h
  causes: [{{id: gpu, rate: 0.012 per node-day, repair: gpu}}]
"""

_ROW = """
format: twin/scenario
version: 3
extends: builtin:nvl72-row
catalog: "2026.11"
title: Pumps
duration: 3 day
cooling:
  loops: [{{id: cdu, pumps: {pumps}}}]
jobs:
  - {{id: llama3, checkpoint: {{interval: 5 min}}, recovery: {{constant: 1 h}}}}
failures:
  causes: [{{id: gpu, rate: 3000 per 110592 node-day, repair: gpu}}]
interventions:
  - {{id: first, at: 20 h, kind: pump_stop, target: cdu/0, count: 1, for: 25 s}}
"""


def hall(interval: str = "15 min", racks: int = 33) -> Scenario:
    return loads(_HALL.format(interval=interval, racks=racks)).scenario


def row(pumps: int) -> Scenario:
    return loads(_ROW.format(pumps=pumps)).scenario


PAIRS = {
    "another checkpoint interval": lambda: (hall("15 min"), hall("12 min")),
    "16 more spare nodes": lambda: (hall(racks=33), hall(racks=41)),
    "one CDU with N+1 pumps": lambda: (row(1), row(2)),
}


def goodput(pair: str, seeds: int = 20) -> Comparison:
    numbers = list(range(1, seeds + 1))
    return compare(*samples(PAIRS[pair](), numbers), numbers)


@pytest.mark.slow
@pytest.mark.parametrize("pair", list(PAIRS))
def test_pairs_are_at_least_three_times_as_sure(pair: str) -> None:
    found = goodput(pair).differences["goodput"]
    assert found.paired is not None
    assert found.unpaired is not None
    print(f"{pair}: {found.difference:+.5f}, paired {found.paired:.5f}, unpaired {found.unpaired:.5f}")
    assert found.seeds == 20
    assert found.difference != 0.0
    assert 3 * found.paired <= found.unpaired
