from __future__ import annotations

import json


def test_growth_without_a_touched_cable_and_with_enough_of_all_is_exit_code_0(twin) -> None:
    enough = ("--set", "power[utility].capacity=500 kW", "--set", "power[pdu].count=8")
    said = twin("grow", "lab-16", "--to", "64", *enough).stdout
    assert "Can grow from 16 to 64 GPUs without recabling" in said
    assert "price not in the catalogue" not in said
    assert " NO" not in said


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


def test_power_that_is_not_enough_is_a_finding(twin) -> None:
    said = " ".join(twin("grow", "lab-16", "--to", "64", code=1).stdout.split())
    assert "power (utility/0) 29.12 kW 96.24 kW 50 kW NO" in said


def test_stages_are_looked_at_one_by_one(twin) -> None:
    words = ("--stage", "2026-06=64", "--stage", "2028-01=256", "--area", "100 m2")
    row = json.loads(twin("grow", "lab-16", *words, "--json", code=1).stdout)
    assert [(stage["date"], stage["gpus"]) for stage in row["stages"]] == [("2026-06", 64), ("2028-01", 256)]
    assert [stage["cables"]["moved"] for stage in row["stages"]] == [0, 56]
    floor = row["stages"][1]["needs"][0]
    assert (floor["name"], floor["most"], floor["enough"]) == ("floor", 100.0, False)
    bought = row["stages"][0]["bought_usd"]
    assert 2e6 < bought["p5"] < bought["p50"] < bought["p95"] < 4e6  # six DGX H100 with their cables


def test_stages_come_from_a_need_too(twin) -> None:
    said = " ".join(twin("grow", "lab-16", "--need", "lab-16-to-256", code=1).stdout.split())
    assert "2029-04 256 site power 22.27 kW 352.5 kW 1 MW yes" in said


def test_stages_that_cannot_be_are_refused(twin) -> None:
    for words, reason in (
        (("--to", "64", "--stage", "2028-01=64"), "one of --to, --stage and --need"),
        ((), "one of --to, --stage and --need"),
        (("--stage", "soon=64"), "is no month with its GPUs"),
        (("--stage", "2028-01=256", "--stage", "2027-01=512"), "months and GPUs must rise"),
        (("--to", "64", "--area", "big"), "--area: 'big' is not a number with a unit"),
        (("--need", "llama3-405b-54-days"), "has no stages of growth"),
    ):
        assert reason in twin("grow", "lab-16", *words, code=2).stderr
