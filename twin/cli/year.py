"""`twin year`: a site through the typical year of its climate, or of others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Overwrite, Scene, Settings, a_file

if TYPE_CHECKING:
    from twin.record.site_year import SiteYear

EXAMPLE = """Example: twin year lab-16 --place Phoenix --place Dublin

Racks draw a share of their design power all year, and the machines of the engine cool them in the air of each hour.
Nothing fails, batteries rest. Without a place a scene has one mean day, which flatters: give one."""
FORMAT = JsonFormat("site-year")


def year_of_scene(
    scene: Scene,
    place: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLACE",
            help="Climate: a city, state or country such as Phoenix (default: the scene's). May be repeated.",
        ),
    ] = None,
    load: Annotated[
        str, typer.Option(metavar="SHARE", help="Power of the racks over their design power, such as '80 %'.")
    ] = "100 %",
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv", metavar="FILE.csv", parser=a_file, help="Write all 8,760 hours; of one place alone."
        ),
    ] = None,
    replace: Overwrite = False,
    set_: Settings = None,
    json: Json = False,
) -> None:
    """Tell PUE, WUE, peak power and carbon of a site over a typical year.

    With the design day, the hours without compressor, and those in which the facility water is too warm.
    """
    from twin.analysis.typical_year_words import write_hours
    from twin.api.year import year_of
    from twin.cli.errors import BadInput, reporting_errors
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene
    from twin.cli.target import must_be_free
    from twin.scenario.file.set_option import set_texts
    from twin.units import UnitError, parse

    with reporting_errors(scene):
        try:
            share = parse(load, "fraction")
        except UnitError as wrong:
            raise BadInput(f"--load: {wrong}") from None
        document = set_texts(load_scene(scene), set_ or [])
        wanted: list[str | None] = [*place] if place else [None]
        years = [year_of(document.scenario, share, words) for words in wanted]
        if csv is not None:
            if len(years) > 1:
                raise BadInput("--csv writes the hours of one place; name one --place")
            must_be_free(csv, "--csv", scene, replace=replace)
            write_hours(years[0], csv)
        if json:
            print_json(FORMAT, {"scene": document.name, "years": [year_row(year) for year in years]})
        else:
            _print(years)


def year_row(year: SiteYear) -> dict[str, Any]:
    """Return a year as ``--json`` prints it; what a site does not have is null."""
    day = year.design_day
    return {
        "climate": year.climate,
        "mean_day": year.mean_day,
        "load": year.load,
        "it_w": year.it_w,
        "pue": year.pue,
        "worst_hour_pue": year.worst_pue,
        "monthly_pue": year.monthly_pue.tolist(),
        "peak_w": year.peak_w,
        "energy_kwh": year.energy_kwh,
        "wue_l_kwh": year.wue_l_kwh,
        "water_m3": year.water_m3,
        "carbon_kg": year.carbon_kg,
        "hours_without_compressor": year.hours_without_compressor if year.has_compressors else None,
        "hours_above_set_point": year.hours_off_set_point if year.has_plants else None,
        "design_dry_bulb_c": year.design_dry_c,
        "design_wet_bulb_c": year.design_wet_c,
        "design_day": {
            "date": None if year.mean_day else day.words,
            "pue": day.pue,
            "dry_bulb_c": day.dry_c,
            "wet_bulb_c": day.wet_c,
        },
    }


def _print(years: list[SiteYear]) -> None:
    from rich.text import Text

    from twin import units
    from twin.analysis.typical_year_words import months_words, year_figures
    from twin.cli.tables import console, print_table

    first, show = years[0], console().print
    drawn = f"racks draw {units.render(first.it_w, 'power', 4)}, {100 * first.load:g} % of their design power"
    if len(years) == 1:
        show(Text(f"Typical year: {first.climate}; {drawn}\n"))
        print_table(("figure", "over the year"), [(row.title, row.words) for row in year_figures(first)])
        show(Text(f"\nPUE by month: {months_words(first)}"))
    else:
        show(Text(f"Typical years; {drawn}\n"))
        columns = [[row.words for row in year_figures(year)] for year in years]
        titles = [row.title for row in year_figures(first)]
        print_table(("figure", *(year.climate for year in years)), list(zip(titles, *columns, strict=True)))
    if any(year.mean_day for year in years):
        show(
            Text(
                "\nThe scene names no place: one mean day all year flatters. Give --place, or site.climate.place."
            )
        )
    if not first.has_plants:
        show(Text("\nThe site has no facility water: heat leaves for nothing."))
