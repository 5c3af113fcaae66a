"""Plans side by side: no digit is lost at any width, and every difference is named."""

from __future__ import annotations

import json
import re

import pytest
from usual_cases import usually

from twin.cli.plan_table import PARTS, columns, degrees, difference, part_seconds
from twin.cli.tables import GAP

DENSE = ("plan", "superpod-h100", "--model", "llama3-70b", "--gpus", 256, "--batch", 512)
EXPERTS = ("plan", "superpod-h100", "--model", "deepseek-v3", "--gpus", 256, "--batch", 1024)
HUGE = ("plan", "llama3-16k", "--model", "llama3-405b")


@pytest.mark.parametrize("width", usually([80, 100, 160], [80]))
@pytest.mark.parametrize("words", [DENSE, EXPERTS, HUGE], ids=["dense", "experts", "huge"])
def test_table_is_no_wider_than_asked_for_and_loses_nothing(twin, words, width: int) -> None:
    plans = json.loads(twin(*words, "--json").stdout)["plans"]
    table = columns(plans, width)
    assert sum(max(len(head), *map(len, cells)) + GAP for head, cells in table) - GAP <= width
    heads = [head for head, _ in table]
    assert heads[0] == degrees(plans)[0]
    assert heads[-2:] == ["GB", "MFU %"]
    start = heads.index("step s")
    for number, plan in enumerate(plans):
        seconds = [float(cells[number]) for head, cells in table[start + 1 : -2]]
        assert sum(seconds) == pytest.approx(plan["step_s"], abs=0.006 * len(seconds))
        assert sum(part_seconds(plan, head) for head, _ in PARTS) == pytest.approx(plan["step_s"])
        assert table[0][1][number].split() == [
            str(plan[key])
            for head, key in zip(
                ("tp", "pp", "cp", "dp", "ep", "v", "m"),
                ("tensor", "pipeline", "context", "data", "expert", "interleave", "microbatch"),
                strict=True,
            )
            if head in heads[0].split()
        ]
    assert ("ep" in heads[0].split()) == (words is EXPERTS)


def test_printed_table_holds_every_cell_of_it(twin) -> None:
    plans = json.loads(twin(*EXPERTS, "--json").stdout)["plans"]
    text = twin(*EXPERTS).stdout
    for head, cells in columns(plans, 100):
        for cell in (head, *cells):
            assert cell in text


def test_each_degree_that_differs_is_named(twin) -> None:
    best, *others = json.loads(twin(*EXPERTS, "--json").stdout)["plans"]
    keys = {"tp": "tensor", "pp": "pipeline", "cp": "context", "dp": "data", "ep": "expert"}
    keys |= {"v": "interleave", "m": "microbatch", "recompute": "recompute", "sharding": "sharding"}
    assert any(plan["expert"] != best["expert"] for plan in others)
    for plan in others:
        said = dict(re.findall(r"(\w+) \w+ -> (\w+)", difference(plan, best)))
        assert said == {head: str(plan[key]) for head, key in keys.items() if plan[key] != best[key]}
