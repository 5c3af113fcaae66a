from __future__ import annotations

import json


def test_growth_without_a_touched_cable_is_exit_code_0(twin) -> None:
    said = twin("grow", "lab-16", "--to", "64").stdout
    assert "Can grow from 16 to 64 GPUs without recabling" in said
    assert "price" not in said.replace("catalogue prices", "")


def test_what_must_be_touched_is_a_finding(twin) -> None:
    said = twin("grow", "lab-16", "--to", "256", code=1).stdout
    assert "a spine tier is needed" in " ".join(said.split())
    assert "fabrics[ib].kind" in said
    assert "estimated" in said


def test_json_tells_what_is_touched_and_what_it_costs(twin) -> None:
    row = json.loads(twin("grow", "lab-16", "--to", "256", "--json", code=1).stdout)
    assert row["gpus"] == {"before": 16, "after": 256, "untouched": 64}
    assert row["cables"]["moved"] == 14
    assert row["cables"]["touched_share"] == 14 / 16
    cost = row["cost_usd"]
    assert 0 < cost["cables"] < cost["both"] == cost["cables"] + cost["switches"]
    assert row["work"]["status"] == "estimated"
    assert row["tiers_added"] == ["spine"]


def test_a_scene_that_is_large_enough_says_so(twin) -> None:
    assert "has 16 GPUs already" in twin("grow", "lab-16", "--to", "8", code=2).stderr
