"""`twin cost`: the books of a scene and of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def test_groups_sum_to_the_total_and_three_shares_are_printed(twin) -> None:
    row = json.loads(twin("cost", "llama3-16k", "--json", "--samples", "100").stdout)
    capital = row["capital"]
    for figure in ("likely", "mean"):
        total = capital["total_usd"][figure]
        assert sum(group[figure] for group in capital["groups"].values()) == pytest.approx(total, rel=1e-9)
        assert sum(line["usd"][figure] for line in capital["lines"]) == pytest.approx(total, rel=1e-9)
    shares = capital["shares"]
    assert not shares["network_and_substation"]["often_quoted"]
    assert shares["network_and_substation"]["p95"] < 0.2
    assert 0.5 < capital["on_estimates"]["p50"] < 1.0
    assert row["per"]["gpu_h_installed"]["p5"] < row["per"]["gpu_h_installed"]["p95"]
    assert row["per"]["million_tokens"]["likely"] is None
    assert row["tornado"][0]["entry"] == "H100-SXM"
    said = " ".join(twin("cost", "llama3-16k", "--samples", "100").stdout.split())
    assert "Network and high-voltage substation: 10 % of capital" in said
    assert "needs a run" in said


def test_a_run_tells_what_its_hours_and_tokens_cost(twin, tmp_path: Path) -> None:
    run = tmp_path / "lab.twinrun"
    twin("run", "lab-16", "--until", "12 h", "--out", str(run))
    row = json.loads(twin("cost", str(run), "--json", "--samples", "50").stdout)
    per = {name: figures["likely"] for name, figures in row["per"].items()}
    assert (
        per["gpu_h_installed"] <= per["gpu_h_available"] <= per["gpu_h_allocated"] < per["gpu_h_productive"]
    )
    assert per["million_tokens"] > 0
    assert per["pflop_day"] > 0
    assert row["basis"]["energy"] == "the run"
    ledger, back = row["ledger"], row["showback"]
    for figure in ("likely", "mean"):
        whole = ledger["total_usd"][figure]
        accounts = sum(account[figure] for account in ledger["accounts"].values())
        assert accounts + ledger["site_base"][figure] == pytest.approx(whole, rel=1e-9)
        shown = sum(job[figure] for job in back["jobs"]) + back["at_rest"][figure]
        assert shown + ledger["site_base"][figure] == pytest.approx(whole, rel=1e-9)
        assert sum(tenant[figure] for tenant in back["tenants"].values()) == pytest.approx(
            sum(job[figure] for job in back["jobs"]), rel=1e-9
        )
    assert whole == pytest.approx(row["yearly_usd"][figure] * row["basis"]["period_s"] / 31_536_000, rel=1e-9)
    (offer,) = [offer for offer in row["renting"]["offers"] if offer["shape"] == "aws-p5"]
    assert offer["jobs_usd"]["likely"] == pytest.approx(2 * 12 * 55.04)  # two shapes for half a day
    again = ("cost", "lab-16", "--run", "--set", "duration=12 h", "--json", "--samples", "50")
    simulated = json.loads(twin(*again).stdout)["per"]
    assert {name: figures["likely"] for name, figures in simulated.items()} == pytest.approx(per, rel=1e-12)


def test_what_cannot_be_asked_is_one_sentence(twin, tmp_path: Path) -> None:
    assert "--load" in twin("cost", "lab-16", "--load", "much", code=2).stderr
    assert "load: 2 is out of range" in twin("cost", "lab-16", "--load", "200 %", code=2).stderr
    assert "60000 USD" in twin("cost", "lab-16", "--set", "prices[DGX-H100]=60000 USD", code=2).stderr
    dearer = json.loads(
        twin("cost", "lab-16", "--set", "prices[QM9700]=90000 USD", "--json", "--samples", "2").stdout
    )
    assert (
        next(line for line in dearer["capital"]["lines"] if line["entry"] == "QM9700")["price"]["standing"]
        == "scene"
    )
