"""Weather and grid files beside a scene: what is read, what is refused and how; runs need no file."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from zoneinfo import available_timezones

import numpy as np
import pytest

from twin.physics.psychrometrics import standard_pressure_pa, wet_bulb_c
from twin.physics.weather import MONTH_DAYS
from twin.record.scenario_json import from_json, to_json
from twin.scenario import ScenarioError, load, loads, set_value
from twin.scenario.file.effective_text import show
from twin.scenario.formats import climates, grid_file, weather_file
from twin.scenario.formats.hourly_csv import HOURS, MAX_BYTES
from twin.scenario.schema.hourly_text import pack, unpack
from twin.scenario.schema.site import CLIMATE_HOURS, GRID_HOURS
from twin.scenario.text.problem import Problem

SCENE = """format: twin/scenario
version: 3
catalog: "2026.11"
title: beside a file
site:
{site}
halls:
  - id: hall
    rows: [{{id: gpu, racks: {{count: 1, nodes: [{{part: DGX-H100, count: 1}}]}}}}]
"""
HERE = Problem("a.twin.yaml", 6, "site.climate.file", "", "")


def scene(**site: str) -> str:
    return SCENE.format(site="\n".join(f"  {key}: {value}" for key, value in site.items()))


def year(low: float = -5.0, high: float = 25.0) -> np.ndarray:
    hours = np.arange(HOURS)
    return np.round((low + high) / 2 - (high - low) / 2 * np.cos(2 * np.pi * hours / HOURS), 2)


def csv(head: str, *columns: np.ndarray) -> str:
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return head + "\n" + "\n".join(",".join(f"{cell:.4f}" for cell in row) for row in rows) + "\n"


def epw(dry: np.ndarray, humidity: float = 60.0, missing_dew: bool = True) -> str:
    head = ["LOCATION,Testville,TX,USA,TMY3,722660,32.42,-99.68,-6.0,546.0"]
    head += [f"{key},0" for key in ("DESIGN CONDITIONS", "TYPICAL/EXTREME PERIODS", "GROUND TEMPERATURES")]
    head += [
        "HOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0",
        "COMMENTS 1,",
        "COMMENTS 2,",
        "DATA PERIODS,1,1,Data,Sunday",
    ]
    rows, at = [], 0
    for month, days in enumerate(MONTH_DAYS, 1):
        for day in range(1, days + 1):
            for hour in range(1, 25):
                dew = 99.9 if missing_dew else dry[at] - 5
                rows.append(
                    f"1999,{month},{day},{hour},0,?9?9,{dry[at]:.2f},{dew:.1f},{humidity:.0f},95000"
                    + ",0" * 25
                )
                at += 1
    return "\n".join([*head, *rows]) + "\n"


def of(packed: str) -> dict[str, np.ndarray]:
    return unpack(packed, CLIMATE_HOURS)


def problems(text: str, read=weather_file.from_csv) -> list[Problem]:
    with pytest.raises(ScenarioError) as wrong:
        read(text, "w.csv")
    return list(wrong.value.problems)


# --- what is read


def test_packed_hours_come_back_to_a_hundredth():
    made = {"price": year(-40, 9000), "carbon": np.linspace(0, 987.65, HOURS)}
    again = unpack(pack(made), GRID_HOURS)
    assert list(again) == ["price", "carbon"]
    for name, column in made.items():
        assert np.abs(again[name] - column).max() <= 0.005 + 1e-9
    assert pack(again) == pack(made)


@pytest.mark.parametrize("measure", ["wet_bulb", "dew_point", "relative_humidity"])
def test_a_year_comes_back_from_a_csv_of_each_measure_of_humidity(measure):
    made = climates.year_of("dublin")
    share = np.clip(weather_file.moist.relative_humidity(made.dry_c, made.dew_c), 0, 1)
    wet = wet_bulb_c(made.dry_c, share)
    given = {"wet_bulb": wet, "dew_point": made.dew_c, "relative_humidity": 100 * share}[measure]
    read = of(weather_file.from_csv(csv(f"dry_bulb,{measure}", made.dry_c, given), "w.csv").packed)
    assert np.abs(read["dry_bulb"] - made.dry_c).max() < 0.01
    assert np.abs(read["wet_bulb"] - wet).max() < 0.02
    assert np.abs(read["dew_point"] - made.dew_c).max() < 0.03


def test_units_stand_in_the_first_line_and_other_columns_are_passed_over():
    dry = year()
    text = csv(
        "hour, Dry Bulb [degF] ,noise,Relative_Humidity (%)",
        np.arange(HOURS),
        dry * 1.8 + 32,
        dry,
        dry * 0 + 50,
    )
    assert np.abs(of(weather_file.from_csv(text, "w.csv").packed)["dry_bulb"] - dry).max() < 0.01
    kelvin = csv("# made up\n\ndry_bulb [K];dew_point [K]", dry + 273.15, dry + 270.15).replace(",", ";")
    assert np.abs(of(weather_file.from_csv(kelvin, "w.csv").packed)["dew_point"] - (dry - 3)).max() < 0.011


def test_a_leap_year_loses_its_29th_of_february():
    days = np.repeat(np.arange(366.0), 24) / 10
    read = of(weather_file.from_csv(csv("dry_bulb,relative_humidity", days, days * 0 + 50), "w.csv").packed)
    assert read["dry_bulb"][58 * 24] == pytest.approx(5.8)
    assert read["dry_bulb"][59 * 24] == pytest.approx(6.0)


def test_an_epw_gives_hours_latitude_and_the_pressure_of_its_rows():
    dry = year()
    made = weather_file.from_epw(epw(dry), "w.epw")
    read = of(made.packed)
    assert made.latitude_deg == 32.42
    # The hour that ends at 1:00 is the value at 1:00.
    assert np.abs(read["dry_bulb"][1:] - dry[:-1]).max() < 0.006
    assert read["dry_bulb"][0] == pytest.approx(dry[-1], abs=0.006)
    assert np.abs(read["wet_bulb"] - wet_bulb_c(read["dry_bulb"], 0.6, 95000.0)).max() < 0.02
    with_dew = of(weather_file.from_epw(epw(dry, 999, missing_dew=False), "w.epw").packed)
    assert np.abs(with_dew["dew_point"] - (with_dew["dry_bulb"] - 5)).max() < 0.06
    no_pressure = of(weather_file.from_epw(epw(dry).replace(",95000,", ",999999,"), "w.epw").packed)
    wanted = wet_bulb_c(no_pressure["dry_bulb"], 0.6, standard_pressure_pa(546.0))
    assert np.abs(no_pressure["wet_bulb"] - wanted).max() < 0.02


def test_a_grid_file_gives_price_carbon_or_both_in_its_own_units():
    text = csv("price [USD/kWh],carbon [kg/MWh]", year(-0.02, 0.3), year(100, 600))
    both = unpack(grid_file.from_csv(text, "g.csv"), GRID_HOURS)
    assert np.abs(both["price"] - 1000 * year(-0.02, 0.3)).max() < 0.01
    assert np.abs(both["carbon"] - year(100, 600)).max() < 0.01
    assert list(unpack(grid_file.from_csv(csv("carbon [g/kWh]", year(1, 2)), "g.csv"), GRID_HOURS)) == [
        "carbon"
    ]


# --- what is refused


def test_every_wrong_cell_is_named_with_file_line_column_and_value():
    rows = csv("dry_bulb [degC],wet_bulb [degC]", year(), year() - 2).splitlines()
    rows[10], rows[20], rows[30], rows[40] = "warm,1.0", "3.0,", "250.0,4", "5.5"
    found = problems("\n".join(rows))
    assert [(one.line, one.reason[:9]) for one in found] == [(41, "has 1 cel")]
    rows[40] = "1,nan"
    said = [str(one) for one in problems("\n".join(rows))]
    assert said == [
        "w.csv:11: dry_bulb = 'warm': is not a number; write it like 21.5",
        "w.csv:21: wet_bulb = nothing: is not a number; write it like 21.5",
        "w.csv:41: wet_bulb = 'nan': is not a number; write it like 21.5",
    ]
    rows[10], rows[20], rows[40] = "1,0", "3,0", "1,0"
    (hot,) = problems("\n".join(rows))
    assert (hot.line, hot.key, hot.value) == (31, "dry_bulb", "250")
    assert "from -90 degC to 70 degC" in hot.reason
    rows[30] = "4,7"
    (wet,) = problems("\n".join(rows))
    assert str(wet).startswith("w.csv:31: wet_bulb = 7.00 degC: is above dry_bulb, 4.00 degC")


def test_a_thousand_wrong_cells_are_a_dozen_problems():
    text = csv("dry_bulb,wet_bulb", year(), year()).replace("0,", "x,")
    assert len(problems(text)) == 13


BAD_TABLES = [
    ("", "is empty"),
    (csv("dry_blub,wet_bulb", year(), year()), "has no column 'dry_bulb'; is it 'dry_blub'?"),
    (csv("dry_bulb,noise", year(), year()), "has no humidity; add a column wet_bulb"),
    (
        csv("dry_bulb [kW],wet_bulb", year(), year()),
        "dry_bulb = 'kW': is not a unit for it; write dry_bulb [degC]",
    ),
    (csv("dry_bulb,dry_bulb", year(), year()), "is a duplicate column"),
    (csv("dry_bulb,wet_bulb", year()[:-1], year()[:-1]), "has 8,759 rows of values; a year has 8,760 hours"),
    ("dry_bulb,wet_bulb\n", "has 0 rows"),
    (
        csv("dry_bulb,wet_bulb", np.repeat(year(), 4), np.repeat(year(), 4)),
        "has 35,040 rows of values; a year has 8,760 hours (8,784 with 29 February); keep one row of 4 each hour",
    ),
    ("dry_bulb,wet_bulb\n" + "1,1\n" * 400_000, "has 400,001 rows"),
    (
        csv("dry_bulb,wet_bulb", year(), year()).replace(".", ","),
        "has 4 cells, the first line has 2; use a decimal",
    ),
    ("," * 20_000 + "\n1", "is not a list of columns"),
    (
        csv("dry_bulb;wet_bulb", year(), year()).replace(",", ";").replace(".", ","),
        "use a decimal point",
    ),
]


@pytest.mark.parametrize(("text", "reason"), BAD_TABLES)
def test_wrong_tables_are_refused_with_what_would_be_right(text, reason):
    assert reason in "\n".join(map(str, problems(text)))


def test_grid_columns_need_a_unit_and_sense():
    said = "\n".join(map(str, problems(csv("price,carbon", year(), year()), grid_file.from_csv)))
    assert "price: needs its unit; write price [USD/kWh]" in said
    assert "carbon: needs its unit; write carbon [g/kWh]" in said
    (euro,) = problems(csv("price [EUR/MWh]", year()), grid_file.from_csv)
    assert "'EUR/MWh': is not a unit for it" in str(euro)
    assert "must be from" in str(problems(csv("carbon [kg/kWh]", year(100, 400)), grid_file.from_csv)[0])


def test_wrong_epw_rows_are_named():
    good = epw(year()).splitlines()

    def said(line: int, text: str) -> str:
        rows = [*good[:line], text, *good[line + 1 :]]
        return str(problems("\n".join(rows), weather_file.from_epw)[0])

    row = good[100].split(",")
    assert said(0, "LOKATION,x").startswith("w.csv:1: 'LOKATION,x': is not the first line of an EPW")
    assert said(100, "1999,1,4").startswith("w.csv:101: has 3 fields")
    assert "dry_bulb: is a missing value" in said(100, ",".join([*row[:6], "99.9", *row[7:]]))
    assert "dew_point: is a missing value" in said(100, ",".join([*row[:8], "999", *row[9:]]))
    assert "pressure = 2: must be from 31000 to 120000" in said(100, ",".join([*row[:9], "2", *row[10:]]))
    assert "w.csv:101: dry_bulb = 'x': is not a number" in said(100, ",".join([*row[:6], "x", *row[7:]]))
    swapped = [*good[:100], good[101], good[100], *good[102:]]
    assert "is out of order" in str(problems("\n".join(swapped), weather_file.from_epw)[0])
    assert "has 8,759 rows" in str(problems("\n".join(good[:-1]), weather_file.from_epw)[0])
    assert "is not the first line" in str(problems("", weather_file.from_epw)[0])


# --- only files of the scene's folder


def refused(folder: Path | None, said: str) -> str:
    with pytest.raises(ScenarioError) as wrong:
        weather_file.read(said, folder, HERE)
    text = str(wrong.value)
    assert text.startswith("a.twin.yaml:6: site.climate.file")
    return text


def test_files_outside_the_folder_are_never_read(tmp_path):
    inside, outside = tmp_path / "scene", tmp_path / "secret.csv"
    inside.mkdir()
    outside.write_text(csv("dry_bulb,wet_bulb", year(), year()))
    (inside / "link.csv").symlink_to(outside)
    (inside / "up").symlink_to(tmp_path)
    (inside / "round.csv").symlink_to(inside / "round.csv")
    (inside / "folder.csv").mkdir()
    os.mkfifo(inside / "pipe.csv")
    for said in ("../secret.csv", str(outside), "a/../../secret.csv", "x\x00.csv", "a" * 500 + ".csv"):
        assert "must be a path inside the folder of its file" in refused(inside, said)
    for said in ("link.csv", "up/secret.csv"):
        assert "leaves the folder of the scene" in refused(inside, said)
    assert "cannot be read" in refused(inside, "round.csv")
    for said in ("folder.csv", "pipe.csv"):
        assert "is not a regular file" in refused(inside, said)
    assert "is not a weather file; name an .epw or .csv file" in refused(inside, "weather.txt")
    assert "this text has no folder yet; save it first" in refused(None, "weather.csv")


def test_a_missing_a_huge_and_a_binary_file_are_named(tmp_path):
    (tmp_path / "weather.csv").write_text("dry_bulb")
    assert "does not exist; did you mean 'weather.csv'?" in refused(tmp_path, "wheather.csv")
    with (tmp_path / "huge.csv").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "is larger than 8 MB" in refused(tmp_path, "huge.csv")
    (tmp_path / "binary.csv").write_bytes(b"dry_bulb\n\xff\xfe")
    with pytest.raises(ScenarioError, match=r"binary\.csv:2: is not UTF-8 text"):
        weather_file.read("binary.csv", tmp_path, HERE)


# --- in a scenario


def test_a_scene_with_files_runs_where_no_file_is(tmp_path):
    (tmp_path / "w.epw").write_text(epw(year()))
    (tmp_path / "g.csv").write_text(csv("price [USD/MWh],carbon [g/kWh]", year(-5, 300), year(50, 500)))
    (tmp_path / "a.twin.yaml").write_text(scene(climate="{file: w.epw}", grid="{file: g.csv}"))
    document = load(tmp_path / "a.twin.yaml")
    made = document.scenario
    for one in ("w.epw", "g.csv"):
        (tmp_path / one).unlink()
    assert made.site.latitude_deg == 32.42
    assert pickle.loads(pickle.dumps(made)) == made
    assert from_json(to_json(made)) == made
    assert to_json(from_json(to_json(made))) == to_json(made)
    shown = loads(show(document)).scenario
    assert shown.site.climate.hours == made.site.climate.hours
    assert set_value(made, "site.name", "elsewhere").site.grid.hours == made.site.grid.hours


def test_a_changed_file_is_read_again(tmp_path):
    path = tmp_path / "w.csv"
    (tmp_path / "a.twin.yaml").write_text(scene(climate="{file: w.csv}"))
    path.write_text(csv("dry_bulb,dew_point", year(), year() - 3))
    first = load(tmp_path / "a.twin.yaml").scenario.site.climate.hours
    path.write_text(csv("dry_bulb,dew_point", year() + 0.5, year() - 3))
    second = load(tmp_path / "a.twin.yaml").scenario.site.climate.hours
    assert first is not None
    assert second is not None
    assert np.abs(of(second)["dry_bulb"] - of(first)["dry_bulb"] - 0.5).max() < 0.011


def test_paths_are_those_of_the_file_that_says_them(tmp_path):
    below = tmp_path / "base"
    below.mkdir()
    (below / "w.csv").write_text(csv("dry_bulb,dew_point", year(), year() - 3))
    (below / "base.twin.yaml").write_text(scene(climate="{file: w.csv}"))
    over = (
        "format: twin/scenario\nversion: 3\ncatalog: '2026.11'\nextends: base/base.twin.yaml\ntitle: over\n"
    )
    (tmp_path / "over.twin.yaml").write_text(over)
    assert load(tmp_path / "over.twin.yaml").scenario.site.climate.hours is not None
    (tmp_path / "over.twin.yaml").write_text(over + "site: {climate: {file: w.csv}}\n")
    with pytest.raises(
        ScenarioError, match=r"over\.twin\.yaml:6: site\.climate\.file = 'w\.csv': does not exist"
    ):
        load(tmp_path / "over.twin.yaml")


def test_a_shipped_place_by_name_or_as_hours():
    by_name = loads(scene(climate="{place: dublin}")).scenario
    assert by_name.site.latitude_deg == 53.4
    assert by_name.site.climate.hours is None
    as_file = loads(scene(climate="{file: 'builtin:dublin'}")).scenario
    assert np.abs(of(as_file.site.climate.hours)["wet_bulb"] - climates.year_of("dublin").wet_c).max() < 0.006
    assert by_name.site.timezone == "Europe/Dublin"
    own = loads(scene(latitude="10", timezone="UTC", climate="{place: dublin}")).scenario
    assert (own.site.latitude_deg, own.site.timezone) == (10.0, "UTC")


@pytest.mark.parametrize("words", ["Phoenix", "phoenix", "Arizona", "PHOENIX, arizona"])
def test_a_place_is_found_by_the_words_of_people(words):
    assert climates.matching(words) == ["phoenix"]
    if words != "phoenix":
        with pytest.raises(ScenarioError, match=r"unknown place .* did you mean 'phoenix'\?"):
            loads(scene(climate=f"{{place: '{words}'}}"))


def test_a_misspelt_place_is_refused_with_the_nearest():
    assert climates.nearest("sao paolo") == ["sao-paulo"]
    assert climates.nearest("Germany") == ["frankfurt"]
    assert climates.nearest("") == climates.nearest("xyzzy") == []
    with pytest.raises(climates.PlaceError, match=r"unknown place 'xyzzy' .*known: abilene, amsterdam"):
        climates.place("xyzzy")


@pytest.mark.parametrize("name", climates.names())
def test_the_figures_of_a_place_are_plausible(name):
    """Seasons follow the hemisphere, the air is never wetter than full, the highlands are cooler than the coast."""
    here = climates.place(name)
    dry, dew, swing = (np.array(of) for of in (here.normals.dry_c, here.normals.dew_c, here.normals.range_k))
    assert (dew <= dry).all()
    assert swing.min() >= 3.5
    assert swing.max() <= 18.0
    if abs(here.latitude_deg) > 30:  # one warm and one cold season, half a year apart
        north = here.latitude_deg > 0
        warm, cold = int(dry.argmax()), int(dry.argmin())
        assert warm in ((5, 6, 7, 8) if north else (11, 0, 1))
        assert cold in ((11, 0, 1) if north else (5, 6, 7))
        assert (np.diff(np.roll(dry, -cold)[: (warm - cold) % 12 + 1]) > -0.3).all()
        assert (np.diff(np.roll(dry, -warm)[: (cold - warm) % 12 + 1]) < 0.3).all()
    else:
        assert np.ptp(dry) < 24.0
    at_sea_c = dry.mean() + 6.5e-3 * here.altitude_m
    assert at_sea_c == pytest.approx(29.0 - 0.0065 * here.latitude_deg**2, abs=9.0)
    assert abs(here.normals.january_k - here.normals.july_k) < 5.0
    assert climates.mean_wets_c([here])[0] < here.mean_dry_c
    assert here.timezone in available_timezones()


def test_all_continents_have_a_place():
    countries = {climates.place(name).country for name in climates.names()}
    assert {"United States", "Brazil", "Germany", "South Africa", "India", "Australia"} <= countries


def test_the_mean_wet_bulb_of_the_months_is_near_that_of_the_hours():
    names = ("phoenix", "singapore", "lulea")
    by_hours = [climates.year_of(name).wet_c.mean() for name in names]
    assert climates.mean_wets_c([climates.place(name) for name in names]) == pytest.approx(by_hours, abs=0.3)


@pytest.mark.parametrize(
    ("site", "reason"),
    [
        ({"climate": "{place: dubln}"}, r"text:6: .*unknown place .*did you mean 'dublin'"),
        ({"climate": "{file: 'builtin:nowhere'}"}, r"site\.climate\.file: unknown place"),
        (
            {"climate": "{place: dublin, file: w.csv}"},
            r"site\.climate\.place = 'dublin': conflicts with file",
        ),
        (
            {"climate": "{hours: 'x:y'}"},
            r"site\.climate\.hours = 'x:y': must begin with columns among dry_bulb",
        ),
        ({"climate": "{hours: 'dry_bulb:eJw='}"}, r"is not a year of 8760 hours"),
        ({"grid": "{hours: 'price:AAAA'}"}, r"site\.grid\.hours"),
        ({"grid": "{file: g.epw}"}, r"is not an hourly table; name a \.csv file"),
        ({"grid": "{price_day: [1, 2]}"}, r"must have 24 factors"),
    ],
)
def test_what_a_site_cannot_say(site, reason):
    with pytest.raises(ScenarioError, match=reason):
        loads(scene(**site), "text")


def test_a_packed_text_that_would_unpack_to_gigabytes_is_refused():
    import base64
    import zlib

    bomb = base64.b64encode(zlib.compress(bytes(200_000_000), 9)).decode()
    assert len(bomb) < 400_000
    with pytest.raises(ValueError, match="is not a year of 8760 hours"):
        unpack(f"price:{bomb}", GRID_HOURS)


# --- the shipped places


def test_every_place_says_what_its_figures_stand_on():
    assert len(climates.names()) >= 40
    for name in climates.names():
        here = climates.place(name)
        assert len(here.sources) == 3
        assert all("(recalled)" in said or "(estimated)" in said for said in here.sources)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([], "must begin with schema: twin/places"),
        ({"schema": "twin/places", "places": {"x": {}}}, "x: needs the group 'normals'"),
        (
            {"schema": "twin/places", "places": {"x": {"normals": {"source": "s"}}}},
            "needs a source and a status",
        ),
    ],
)
def test_a_file_of_places_that_is_wrong_says_where(said, reason):
    with pytest.raises(climates.PlaceError, match=reason):
        climates.places_of(said)


def test_months_and_ranges_of_places_are_checked():
    def said(**changes):
        sure = {"source": "s", "status": "estimated"}
        normals = {
            "dry_bulb_c": [10] * 12,
            "daily_range_k": [8] * 12,
            "dew_point_c": [5] * 12,
            **sure,
        } | changes
        return {
            "schema": "twin/places",
            "places": {
                "x": {
                    "title": "X",
                    "country": "Y",
                    "timezone": "UTC",
                    "latitude": 1,
                    "altitude_m": 2,
                    "normals": normals,
                    "day_to_day": {"january_k": 1, "july_k": 1, **sure},
                    "sunshine": {"share": 0.5, **sure},
                }
            },
        }

    assert climates.places_of(said())["x"].normals.dry_c == (10.0,) * 12
    for changes, reason in (
        ({"dry_bulb_c": [10] * 11}, "must be a list of 12 numbers"),
        ({"dry_bulb_c": [10] * 11 + ["x"]}, "dry_bulb_c = 'x' must be a number from -60 to 45"),
        ({"dew_point_c": [11] * 12}, "dew_point_c is above dry_bulb_c"),
    ):
        with pytest.raises(climates.PlaceError, match=reason):
            climates.places_of(said(**changes))
