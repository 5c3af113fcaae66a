"""Import of a year of the grid: a CSV of hours with the price of energy, its carbon intensity, or both."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path as FilePath

from twin.scenario.formats import hourly_csv, sibling_files
from twin.scenario.formats.hourly_csv import LIMIT, HourlyColumn
from twin.scenario.formats.sibling_files import Origin
from twin.scenario.schema.hourly_text import pack
from twin.scenario.text.problem import Problem, ScenarioError, shown

PRICE_USD_J = 1e-3 / 3.6e6
"""One USD/MWh [USD/J]."""
CARBON_KG_J = 1e-3 / 3.6e6
"""One g/kWh [kg/J]."""

_KNOWN = {
    # Hours with too much sun and wind have prices below nothing; markets cap them.
    "price": HourlyColumn("energy_price", "", -10.0 / 3.6e6, 100.0 / 3.6e6),
    "carbon": HourlyColumn("carbon_intensity", "", 0.0, 3.0 / 3.6e6),
}
_UNIT = {"price": PRICE_USD_J, "carbon": CARBON_KG_J}


def read(path: str, folder: FilePath | None, place: Problem) -> str:
    """Return the packed hours of a ``.csv`` inside the folder of a scene.

    Parameters
    ----------
    path
        Its path.
    folder
        Of the scene that names it; None: its text lies nowhere yet.
    place
        File, line and key that name it.

    Raises
    ------
    ScenarioError
        When it is no such file, with each cell that is wrong.
    """
    if FilePath(path).suffix.lower() != ".csv":
        reason, hint = "is not an hourly table", "name a .csv file with the columns price and carbon"
        raise ScenarioError([Problem(place.file, place.line, place.key, shown(path), reason, hint)])
    return _read(sibling_files.found(path, folder, place, LIMIT))


@lru_cache(maxsize=8)
def _read(origin: Origin) -> str:
    return from_csv(sibling_files.text_of(origin, LIMIT), origin.name)


def from_csv(text: str, name: str) -> str:
    """Return the packed hours of a CSV text; raises as `read`."""
    made = hourly_csv.table(text, name, _KNOWN)
    return pack({column: values / _UNIT[column] for column, values in made.columns.items()})
