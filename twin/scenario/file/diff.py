"""Differences of two scenes in effect: item, key, old and new value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from twin.catalog import show_rows
from twin.catalog.kinds import PART_FIELDS
from twin.scenario.file.effective_text import defaults, plain
from twin.scenario.schema import fields
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fields import FieldSpot
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.text.emit import flow
from twin.scenario.text.path import split

SECTIONS: dict[str, str] = {
    "title": "Scene",
    "notes": "Scene",
    "sources": "Scene",
    "start": "Scene",
    "duration": "Scene",
    "ends": "Scene",
    "speed": "Scene",
    "seed": "Scene",
    "catalog": "Scene",
    "site": "Site",
    "halls": "Halls",
    "fabrics": "Network",
    "power": "Power",
    "power_caps": "Power",
    "cooling": "Cooling",
    "storage": "Storage",
    "tenants": "Tenants and work",
    "jobs": "Tenants and work",
    "streams": "Tenants and work",
    "traces": "Tenants and work",
    "scheduler": "Tenants and work",
    "partitions": "Tenants and work",
    "reservations": "Tenants and work",
    "clouds": "Cloud",
    "rentals": "Rented nodes",
    "ownership": "Cloud",
    "prices": "Prices",
    "failures": "Failures",
    "interventions": "Interventions",
    "edits": "Interventions",
    "exclusions": "Accepted findings",
    "parts": "Own parts and models",
    "models": "Own parts and models",
    "groups": "Groups",
    "chapters": "Chapters",
}
"""Heading of each key of a scene."""

Kind = Literal["added", "removed", "changed"]
_LISTED = ("interventions", "links")
"""Lists in which an entry may have no id, and is known by all that it says."""


@dataclass(frozen=True)
class Difference:
    """One value, or one whole item, that differs; `twin.analysis.difference_words` describes it for people.

    Attributes
    ----------
    path
        Where, in the grammar of `twin.scenario.text.path`.
    section
        Heading it belongs under.
    kind
        Whether it came, went, or is another; what an override does to the thing it is about.
    old, new
        As a file would hold it, keys at their defaults left out; None where there is nothing.
    means
        What the key is, from the schema; "" for a whole thing.
    """

    path: str
    section: str
    kind: Kind
    old: Any
    new: Any
    means: str = ""

    @property
    def before(self) -> str:
        """Return the old value as text of a file; "" without one."""
        return _text(self.old)

    @property
    def after(self) -> str:
        """Return the new value as text of a file; "" without one."""
        return _text(self.new)


def differences(before: Scenario, after: Scenario) -> list[Difference]:
    """Return the differences of two scenes after inheritance, in the order of the schema."""
    texts = [{**plain(scenario), "own_files": None} for scenario in (before, after)]  # told by their figures
    found = [*_of_groups(texts[0], texts[1], fields.ROOT, ""), *_of_own(before, after)]
    order = list(dict.fromkeys(SECTIONS.values()))
    return sorted(found, key=lambda difference: order.index(difference.section))


def value_at(scenario: Scenario, path: str) -> Any:
    """Return what a scene has at a path as a file would hold it, keys at their defaults left out; None for nothing."""
    value: Any = plain(scenario)
    spot = fields.ROOT
    for step in split(path):
        if isinstance(value, list):
            value, spot = _by_id(value).get(step), fields.below(spot, 0)
        elif value is not None:
            spot, value = fields.below(spot, step, value.get("kind")), value.get(step)
    return _trimmed(value, spot)


def _of_own(before: Scenario, after: Scenario) -> Iterator[Difference]:
    """Yield the differences of own parts and models: each figure of one that both have."""
    section = SECTIONS["parts"]
    if before.own_files == after.own_files:
        return
    both = _own_figures(before), _own_figures(after)
    for path in dict.fromkeys([*both[0], *both[1]]):
        old, new = (known.get(path) for known in both)
        if old is None or new is None:
            yield Difference(path, section, "removed" if new is None else "added", old, new)
            continue
        for key in dict.fromkeys([*old, *new]):
            if old.get(key) != new.get(key):
                kind: Kind = "added" if key not in old else "removed" if key not in new else "changed"
                yield Difference(f"{path}.{key}", section, kind, old.get(key), new.get(key))


def _own_figures(scenario: Scenario) -> dict[str, dict[str, Any]]:
    """Return what own parts and models say, by their path."""
    catalog = catalog_of(scenario)
    found: dict[str, dict[str, Any]] = {}
    for id in catalog.own_parts:
        keys = {spec.name: spec.key for spec in PART_FIELDS[catalog.part(id).KIND]}
        found[f"own_parts[{id}]"] = {
            keys.get(row["key"], row["key"]): row["text"] for row in show_rows(catalog, id)
        }
    for name, model in catalog.own_models.items():
        found[f"own_models[{name}]"] = {"title": model.title, **model.shape}
    return found


def _of_groups(
    before: dict[str, Any], after: dict[str, Any], spot: FieldSpot, path: str
) -> Iterator[Difference]:
    known = [key for key in fields.keys(spot) if key in before or key in after]
    rest = [key for key in (*before, *after) if key not in known]
    kind = after.get("kind", before.get("kind"))
    for key in dict.fromkeys([*known, *rest]):
        if key in ("extends", "branch") and not path:
            continue
        word = f"[{key}]" if spot.table or spot.item is not None else f".{key}" if path else key
        yield from _of_values(before.get(key), after.get(key), fields.below(spot, key, kind), path + word)


def _of_values(before: Any, after: Any, spot: FieldSpot, path: str) -> Iterator[Difference]:
    if before == after:
        return
    if spot.table:
        before, after = before or {}, after or {}
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_groups(before, after, spot, path)
        return
    if _named(before) and _named(after):
        yield from _of_groups(_by_id(before), _by_id(after), FieldSpot(item=spot.item, table=True), path)
        return
    if path.endswith(_LISTED):
        yield from _of_entries(before or [], after or [], spot, path)
        return
    yield _difference(before, after, spot, path)


def _difference(before: Any, after: Any, spot: FieldSpot, path: str) -> Difference:
    old, new = (_trimmed(value, spot) for value in (before, after))
    kind: Kind = "added" if before is None else "removed" if after is None else "changed"
    if ".overrides[" in path and isinstance(after or before, dict):
        kind = _kind_of_override(old or {}, new or {})
    section = SECTIONS.get(path.partition(".")[0].partition("[")[0], "Scene")
    return Difference(
        path, section, kind, old, new, "" if isinstance(after or before, dict) else spot.description
    )


def _kind_of_override(old: dict[str, Any], new: dict[str, Any]) -> Kind:
    """Return the kind of change of a generated item: removed, restored, added, or different from its neighbours."""
    if new.get("absent") or _is_one_more(old):
        return "removed"
    return "added" if old.get("absent") or _is_one_more(new) else "changed"


def _is_one_more(override: dict[str, Any]) -> bool:
    return "part" in override and "u" in override


def _of_entries(before: list[Any], after: list[Any], spot: FieldSpot, path: str) -> Iterator[Difference]:
    """Yield entries that only one of two lists has; of several alike, as many as it has more."""
    left = list(after)
    for entry in before:
        if entry in left:
            left.remove(entry)
        else:
            yield _difference(entry, None, fields.below(spot, 0), path)
    for entry in left:
        yield _difference(None, entry, fields.below(spot, 0), path)


def _trimmed(value: Any, spot: FieldSpot) -> Any:
    """Return a value without keys that stand at their defaults, as a person would write it."""
    if isinstance(value, list):
        return [_trimmed(item, fields.below(spot, 0)) for item in value]
    if not isinstance(value, dict) or not spot.models:
        return value
    kind = value.get("kind")
    usual = defaults(spot, kind)
    below = {key: fields.below(spot, key, kind) for key in value}
    return {
        key: _trimmed(inner, below[key])
        for key, inner in value.items()
        if key not in usual or usual[key] != inner
    }


def _named(value: Any) -> bool:
    """Return whether a value is a list of items with ids, or an empty one."""
    return value is None or (
        isinstance(value, list) and all(isinstance(entry, dict) and "id" in entry for entry in value)
    )


def _by_id(items: list[dict[str, Any]] | None) -> dict[str, Any]:
    return {entry["id"]: entry for entry in items or ()}


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return flow(value)
