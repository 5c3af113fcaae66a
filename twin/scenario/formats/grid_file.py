"""Import of a year of prices: of the grid with its carbon intensity, or of rented GPUs; a CSV of hours."""

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
PER_1000_HOURS = 1.0 / (1000.0 * 3600.0)
"""One USD for 1000 hours of a GPU [USD/s]."""
_RENT = {"price": HourlyColumn("rent_price", "", 0.0, 1000.0 / 3600.0)}


def read(path: str, folder: FilePath | None, place: Problem, *, rent: bool = False) -> str:
    """Return the packed hours of a ``.csv`` inside the folder of a scene.

    Parameters
    ----------
    path
        Its path.
    folder
        Of the scene that names it; None: its text lies nowhere yet.
    place
        File, line and key that name it.
    rent
        Whether it has the price of rented GPUs, not of the grid.

    Raises
    ------
    ScenarioError
        When it is no such file, with each cell that is wrong.
    """
    if FilePath(path).suffix.lower() != ".csv":
        columns = "column price" if rent else "columns price and carbon"
        reason, hint = "is not an hourly table", f"name a .csv file with the {columns}"
        raise ScenarioError([Problem(place.file, place.line, place.key, shown(path), reason, hint)])
    return _read(sibling_files.found(path, folder, place, LIMIT), rent)


@lru_cache(maxsize=8)
def _read(origin: Origin, rent: bool) -> str:
    text = sibling_files.text_of(origin, LIMIT)
    if not rent:
        return from_csv(text, origin.name)
    prices = hourly_csv.table(text, origin.name, _RENT).columns["price"]
    return pack({"price": prices / PER_1000_HOURS})


def from_csv(text: str, name: str) -> str:
    """Return the packed hours of a CSV text; raises as `read`."""
    made = hourly_csv.table(text, name, _KNOWN)
    return pack({column: values / _UNIT[column] for column, values in made.columns.items()})
