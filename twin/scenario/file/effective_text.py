"""The effective scenario as text: inheritance applied, every default filled in, numbers with units."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel

from twin import units
from twin.catalog import Catalog
from twin.scenario.file.load import Document
from twin.scenario.generators import expand
from twin.scenario.schema import fields
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fields import FieldSpot
from twin.scenario.schema.quantity import rendered
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.text.emit import block


def show(document: Document | Scenario, catalog: Catalog | None = None, *, exact: bool = False) -> str:
    """Return the scenario as YAML text that loads by itself; a comment on top counts what stands there.

    Parameters
    ----------
    document
        What to show.
    catalog
        For the counts; none: that of the scene.
    exact
        Numbers keep all their bits: the text loads as the very same scenario.
    """
    scenario = document if isinstance(document, Scenario) else document.scenario
    made = expand.counts(scenario, catalog or catalog_of(scenario))
    numbers = ((made.rows, "row"), (made.racks, "rack"), (made.nodes, "node"), (made.gpus, "GPU"))
    rows, racks, nodes, gpus = (f"{n:,} {noun}{'' if n == 1 else 's'}" for n, noun in numbers)
    head = f"# {racks} in {rows}, {nodes}, {gpus}\n"
    if isinstance(document, Document):
        head += f"# from {' extends '.join(source.name for source in document.files)}\n"
    shown = plain(scenario, exact=exact)
    shown.pop("extends", None)
    return head + block(shown)


def plain(part: BaseModel, spot: FieldSpot | None = None, *, exact: bool = False) -> dict[str, Any]:
    """Return a part of a scenario as a file would hold it: keys of the file, text with units.

    What is not given and has no default, and what is empty, is left out. Numbers are rounded for people unless all
    their bits are wanted (`exact`).
    """
    kind = getattr(part, "kind", None)
    own_spot = spot or fields.spot_of(type(part))
    shown: dict[str, Any] = {}
    for key, (name, _) in fields.fields_of(type(part)).items():
        value = getattr(part, name)
        if value not in (None, "", (), {}):
            shown[key] = _plain(value, fields.below(own_spot, key, kind), exact)
    return shown


def defaults(spot: FieldSpot, kind: object = None) -> dict[str, Any]:
    """Return the defaults of the keys of a group, as `plain` gives them; `kind` as in `fields.keys`."""
    found = {}
    for key, (_, info) in fields.keys(spot, kind).items():
        value = None if info.is_required() else info.get_default(call_default_factory=False)
        if value not in (None, "", (), {}):
            found[key] = _plain(value, fields.below(spot, key, kind), exact=False)
    return found


def _plain(value: object, spot: FieldSpot, exact: bool) -> Any:
    if isinstance(value, BaseModel):
        return plain(value, spot, exact=exact)
    if isinstance(value, tuple):
        return [_plain(item, fields.below(spot, 0), exact) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item, fields.below(spot, key), exact) for key, item in value.items()}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float) and spot.quantity is not None:
        dimension = spot.quantity.dimension
        text = rendered(value, dimension)
        if exact and units.parse(text, dimension) != value:
            return f"{value!r} {units.DIMENSIONS[dimension].si_unit}".rstrip()
        return text
    return value
