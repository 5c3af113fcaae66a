"""The typical year of the scene on screen, worked out once for each hall, and its rows."""

from __future__ import annotations

from collections.abc import Generator

from twin.analysis.typical_year_words import TITLES, year_figures
from twin.app.world.rows import FactRow, World
from twin.language import tr
from twin.record.site_year import SiteYear, climate_words
from twin.runtime.typical_year import year_or_reason, year_or_reason_steps

COMING = "\N{HORIZONTAL ELLIPSIS}"


class YearCache:
    """The year of the latest hall: facts are asked for at every figure of a run, and a year takes a moment."""

    def __init__(self) -> None:
        self._of: World | None = None
        self._known: SiteYear | str = ""

    def known(self, world: World) -> SiteYear | str | None:
        """Return the typical year at design load, or why there is none; None: it is still to be worked out."""
        of = self._of
        same = of is not None and of.scenario is world.scenario and of.plant is world.plant
        return self._known if same else None

    @property
    def latest(self) -> SiteYear | str | None:
        """Return the year that was worked out last, of a hall before it may be; None: there is none."""
        return self._known if self._of is not None else None

    def steps(self, world: World) -> Generator[None, None, None]:
        """Work out the year of a hall a little at a time."""
        known = yield from year_or_reason_steps(world.scenario, world.plant, world.catalog)
        self._of, self._known = world, known


def year_of(world: World, load: float = 1.0) -> SiteYear | str:
    """Return the typical year of a hall at a load, or why there is none."""
    return year_or_reason(world.scenario, world.plant, world.catalog, load)


def year_rows(world: World, year: SiteYear | str | None) -> list[FactRow]:
    """Return climate and year as rows."""
    climate = world.scenario.site.climate
    mean_day = climate.place is None and climate.file is None
    hint = (
        tr("All days are one: choose a place on the page Edit, for its seasons and hot days")
        if mean_day
        else tr("Typical year, hour by hour")
    )
    rows = [FactRow(tr("Climate"), climate_words(climate), hint=hint)]
    if not isinstance(year, SiteYear):
        return [*rows, FactRow(TITLES["pue"], COMING if year is None else year)]
    load = tr("At design load: racks draw {it_w:,.0f} kW all year. ", it_w=year.it_w / 1000.0)
    return [
        *rows,
        *(FactRow(figure.title, figure.words, hint=load + figure.tip) for figure in year_figures(year)),
    ]
