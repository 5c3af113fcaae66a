from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest


def test_a_scene_through_the_year_of_its_place(twin) -> None:
    said = " ".join(twin("year", "lab-16").stdout.split())
    assert "Typical year: Frankfurt, Germany; racks draw 17.55 kW, 100 % of their design power" in said
    for title in ("PUE over the year", "Design day", "No compressor", "PUE by month: Jan"):
        assert title in said


def test_places_stand_beside_each_other(twin) -> None:
    said = json.loads(
        twin(
            "year", "fat-tree-1k", "--place", "Arizona", "--place", "dublin", "--load", "60 %", "--json"
        ).stdout
    )
    warm, cool = said["years"]
    assert warm["climate"] == "Phoenix, Arizona, United States"
    assert warm["pue"] > cool["pue"]
    assert warm["it_w"] == cool["it_w"]
    assert warm["load"] == pytest.approx(0.6)


def test_one_mean_day_is_told(twin) -> None:
    assert "one mean day all year flatters" in " ".join(twin("year", "llama3-16k").stdout.split())


def test_all_hours_go_into_a_table(twin, tmp_path: Path) -> None:
    file = tmp_path / "hours.csv"
    pue = json.loads(twin("year", "lab-16", "--csv", file, "--json").stdout)["years"][0]["pue"]
    with file.open() as table:
        rows = list(csv.DictReader(table))
    assert len(rows) == 8760
    assert (rows[-1]["month"], rows[-1]["day"], rows[-1]["hour"]) == ("12", "31", "23")
    drawn_w, used_w = (sum(float(row[key]) for row in rows) for key in ("it_w", "facility_w"))
    assert used_w / drawn_w == pytest.approx(pue, abs=1e-3)
    assert "exists already" in twin("year", "lab-16", "--csv", file, code=2).stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--place", "germny"), "is no place that is known; give one of: frankfurt"),
        (("--place", "India"), "means several places; give one of: chennai, hyderabad, mumbai"),
        (("--load", "200 %"), "--load: 2 is out of range"),
        (("--load", "much"), "--load: "),
        (("--place", "dublin", "--place", "oslo", "--csv", "x.csv"), "--csv writes the hours of one place"),
    ],
)
def test_what_cannot_be_is_refused(twin, words: tuple[str, ...], reason: str) -> None:
    assert reason in twin("year", "lab-16", *words, code=2).stderr
