"""The typical year of the scene on screen, worked out once for each hall, and its rows."""

from __future__ import annotations

from twin.analysis.typical_year import SiteYear, climate_words, typical_year
from twin.analysis.typical_year_words import year_figures
from twin.app.world.rows import FactRow, World
from twin.catalog import CatalogError
from twin.plant.error import PlantError

NOT_YET = "not known yet: "


class YearCache:
    """The year of the latest hall that was asked about: facts are asked for at every figure of a run."""

    def __init__(self) -> None:
        self._of: World | None = None
        self._known: SiteYear | str = ""

    def year(self, world: World) -> SiteYear | str:
        """Return the typical year at design load, or why there is none."""
        of = self._of
        if of is None or of.scenario is not world.scenario or of.plant is not world.plant:
            self._of, self._known = world, year_of(world)
        return self._known


def year_of(world: World, load: float = 1.0) -> SiteYear | str:
    """Return the typical year of a hall at a load, or why there is none."""
    try:
        return typical_year(world.scenario, world.plant, world.catalog, load)
    except (PlantError, CatalogError) as wrong:
        return NOT_YET + str(wrong)


def year_rows(world: World, year: SiteYear | str) -> list[FactRow]:
    """Return climate and year as rows."""
    climate = world.scenario.site.climate
    mean_day = climate.place is None and climate.file is None
    hint = (
        "All days are one: choose a place on the page Edit, for its seasons and hot days"
        if mean_day
        else "Typical year, hour by hour"
    )
    rows = [FactRow("Climate", climate_words(climate), hint=hint)]
    if isinstance(year, str):
        return [*rows, FactRow("PUE over the year", year)]
    load = f"At design load: racks draw {year.it_w / 1e3:,.0f} kW all year. "
    return [
        *rows,
        *(FactRow(figure.title, figure.words, hint=load + figure.tip) for figure in year_figures(year)),
    ]
