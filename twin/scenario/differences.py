"""What differs between two scenes as they take effect: which thing, which value, from what to what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from twin.scenario import fields
from twin.scenario.document import Scenario
from twin.scenario.fields import Spot
from twin.scenario.show import plain
from twin.scenario.write import flow

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
    "ownership": "Cloud",
    "failures": "Failures",
    "interventions": "What is done at a time",
    "edits": "What is done at a time",
    "exclusions": "Accepted findings",
    "groups": "Groups",
}
"""Heading of each key of a scene."""

Kind = Literal["added", "removed", "changed"]
_SHORT = 120


@dataclass(frozen=True)
class Difference:
    """One value, or one whole thing, that differs.

    Attributes
    ----------
    path
        Where, in the grammar of `twin.scenario.path`.
    section
        Heading it belongs under.
    kind
        Whether it came, went, or is another.
    before, after
        As a file would write it; "" where there is nothing.
    means
        What the key is, from the schema; "" for a whole thing.
    """

    path: str
    section: str
    kind: Kind
    before: str
    after: str
    means: str = ""

    @property
    def sentence(self) -> str:
        """Return it as one line for people."""
        if self.kind == "added":
            return f"{self.path} is new: {_short(self.after)}"
        if self.kind == "removed":
            return f"{self.path} is gone: it was {_short(self.before)}"
        means = f" ({self.means})" if self.means else ""
        return f"{self.path}: {_short(self.before)} \N{RIGHTWARDS ARROW} {_short(self.after)}{means}"


def differences(before: Scenario, after: Scenario) -> list[Difference]:
    """Return what differs between two scenes after inheritance, in the order of the schema."""
    found = list(_of_groups(plain(before), plain(after), fields.ROOT, ""))
    order = list(dict.fromkeys(SECTIONS.values()))
    return sorted(found, key=lambda one: order.index(one.section))


def _of_groups(before: dict[str, Any], after: dict[str, Any], spot: Spot, path: str) -> Iterator[Difference]:
    known = [key for key in fields.keys(spot) if key in before or key in after]
    rest = [key for key in (*before, *after) if key not in known]
    kind = after.get("kind", before.get("kind"))
    for key in dict.fromkeys([*known, *rest]):
        if key in ("extends", "branch") and not path:
            continue
        word = f"[{key}]" if spot.table or spot.item is not None else f".{key}" if path else key
        yield from _of_values(before.get(key), after.get(key), fields.below(spot, key, kind), path + word)


def _of_values(before: Any, after: Any, spot: Spot, path: str) -> Iterator[Difference]:
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_groups(before, after, spot, path)
        return
    if _named(before) and _named(after):
        yield from _of_groups(_by_id(before), _by_id(after), Spot(item=spot.item, table=True), path)
        return
    section = SECTIONS.get(path.partition(".")[0].partition("[")[0], "Scene")
    kind: Kind = "added" if before is None else "removed" if after is None else "changed"
    means = spot.description if kind == "changed" else ""
    yield Difference(path, section, kind, _text(before), _text(after), means)


def _named(value: Any) -> bool:
    """Return whether a value is a list of things with ids, or none yet."""
    return value is None or (
        isinstance(value, list) and all(isinstance(one, dict) and "id" in one for one in value)
    )


def _by_id(items: list[dict[str, Any]] | None) -> dict[str, Any]:
    return {one["id"]: one for one in items or ()}


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return flow(value)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}\N{HORIZONTAL ELLIPSIS}"
