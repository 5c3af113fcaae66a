"""A prefab on its way into the hall: its footprints, what it asks of the site, the command that puts it down."""

from __future__ import annotations

from functools import lru_cache

from twin.app.placing.payload import Carried
from twin.catalog import Catalog
from twin.commands.budget.budget import budget
from twin.commands.budget.part_load import PartLoad
from twin.commands.edit.command import Command
from twin.commands.place.snap import LandingPlace
from twin.commands.room.prefabs import PREFABS, AddPrefab, footprints
from twin.commands.room.room_design import scene_of


def carried_prefab(catalog: Catalog, id: str) -> Carried | None:
    """Return a prefab on its way into the hall; None for one that is not known."""
    if id not in PREFABS:
        return None
    fragment = PREFABS[id].fragment()
    stands = footprints(fragment, catalog)

    def on_floor(place: LandingPlace, facing: int, hall: str) -> Command:
        return AddPrefab(id, hall=hall, at=(place.x_m, place.y_m), turned=facing > 0)

    return Carried(
        PREFABS[id].title, stands.shape, stands.heights_m, load=_load(id, catalog), on_floor=on_floor
    )


@lru_cache(maxsize=32)
def _load(id: str, catalog: Catalog) -> PartLoad:
    """Return what a prefab asks of a site beyond what it brings itself."""
    fragment = PREFABS[id].fragment()
    figures = budget(scene_of(fragment, catalog))
    brings = {str(stage.get("kind")) for stage in fragment.entries.get("power", ())}
    power_w = 0.0 if "utility" in brings else figures.it_w
    cools_w = figures.cooling_w - figures.heat_w
    return PartLoad(
        power_w,
        0.0,
        0,
        figures.weight_kg or None,
        figures.cost_usd or None,
        gives_w=cools_w if cools_w > 0 and not fragment.rows else 0.0,
        unpriced=tuple(figures.unpriced),
    )
