"""A scene without the names of people and customers: made-up ones in their places, and no prices, stories or files.

The same scene comes to the same names every time: they count things up in the order of the scene.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from twin.scenario import Document, ScenarioError, load
from twin.scenario.file.effective_text import plain
from twin.scenario.schema.document import Scenario
from twin.scenario.text.emit import block
from twin.scenario.text.parse import parse

FILE = "design.twin.yaml"
TITLE = "Design"
STAYING = (
    "ids of power, cooling and networks without such a name",
    "ids of own parts, models and causes of failure",
    "the place whose climate the site has",
)
"""What is not replaced, for the page of the package."""

_LEFT_OUT = {
    "notes": "descriptions",
    "sources": "sources",
    "chapters": "the tour",
    "branch": "the run that it branches from",
    "traces": "recorded jobs",
    "trace": "the recorded failures",
    "edits": "edits at given times",
    "exclusions": "accepted findings with their comments",
    "prices": "prices of the scene: those of the catalogue take their place",
    "clouds": "clouds with their prices",
    "ownership": "the cost of own GPUs",
    "price": "prices of energy, heat and rented nodes",
    "price_day": "prices of energy, heat and rented nodes",
    "price_limit": "prices of energy, heat and rented nodes",
    "host_prices": "prices of energy, heat and rented nodes",
    "price_steps": "prices of energy, heat and rented nodes",
    "underlay": "the drawing on the floor",
}
"""Keys that are left out wherever they stand, and what that is."""
_PRICE_SERIES = "hours of prices"
_UNTOLD = ("title", "name", "comment", "file", "parts", "models", "own_files")
"""Keys that are left out and need no word: names, and paths of files whose contents stay."""
_UNTOLD_OF_PARTS = ("price", "vendor", "note", "notes", "comment", "_name_or_path")
_NOUNS = {
    "halls": "hall",
    "rows": "host",
    "storage": "store",
    "jobs": "job",
    "streams": "stream",
    "tenants": "tenant",
    "partitions": "partition",
    "reservations": "reservation",
    "groups": "group",
    "rentals": "rental",
    "interventions": "event",
    "power_purchases": "contract",
    "heat_sales": "sale",
    "doors": "door",
    "columns": "column",
    "inner_walls": "wall",
}
"""Lists of the scene whose things get other ids, and the noun of these."""
_EQUIPMENT = {
    "fabrics": "network",
    "power": "supply",
    "plants": "water",
    "loops": "cooling",
    "power_caps": "cap",
}
"""The same of lists whose ids say what a thing is: only those that hold a name that is replaced elsewhere."""
_TELLING_LETTERS = 4
"""A shorter id or word of a title, such as `a` or `gpu`, tells nobody's name; one of a tenant or user may."""
_ITEMS = ("rows", "halls", "storage", "doors", "columns", "inner_walls", *_EQUIPMENT)
_REFERENCES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("tenant", "tenants"), ("tenants",)),
    **dict.fromkeys(("user", "users"), ("users",)),
    "partition": ("partitions",),
    "network": ("networks",),
    "jobs": ("jobs", "streams"),
    **dict.fromkeys(
        ("rows", "racks", "serves", "feeds", "storage", "backs", "rack", "hall", "members"), _ITEMS
    ),
    **dict.fromkeys(("from", "or_from", "to", "at", "plant"), _ITEMS),
    **dict.fromkeys(
        ("target", "value"), (*_ITEMS, *(section for section in _NOUNS if section not in _ITEMS))
    ),
}
"""Keys whose texts name things, and the lists in which these are."""
_NAMED_FREELY = ("hpc", "vision")
"""Kinds of work whose `model` is a display name."""
_DROPPABLE = ("interventions", "rentals", "reservations", "groups", "streams")
"""Sections that a scene can do without, should what they say be wrong without a price or a name."""
_IN_BRACKETS = re.compile(r"(?<=\[)[^\]]+(?=\])")


@dataclass
class AnonymousScene:
    """A scene with made-up names.

    Parameters
    ----------
    document
        As it was written into a folder and read again.
    names
        Made-up names by original ones, for each list of the scene.
    left_out
        What it lacks, in words.
    """

    document: Document
    names: dict[str, dict[str, str]]
    left_out: tuple[str, ...]


@dataclass
class _Replacing:
    names: dict[str, dict[str, str]]
    left_out: dict[str, None] = field(default_factory=dict)

    def tree(self, value: Any, key: str, section: str) -> Any:
        """Return a piece of the scene with other names; `section` is the list that it is an entry of."""
        if isinstance(value, dict):
            return self._keys(value, key, section)
        if isinstance(value, list | tuple):
            return [self.tree(item, key, key) for item in value]
        if not isinstance(value, str):
            return value
        if key == "id":
            return self.names.get(section, {}).get(value, value)
        return self._reference(value, _REFERENCES.get(key, ()))

    def _keys(self, value: dict[str, Any], key: str, section: str) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for inner_key, inner in value.items():
            if inner_key in _LEFT_OUT and not (key == "overrides" or key == "places"):
                self.left_out[_LEFT_OUT[inner_key]] = None
            elif inner_key == "title" and key == "calibration":
                made[inner_key] = "own profile"
            elif inner_key in _UNTOLD:
                continue
            elif inner_key == "model" and value.get("kind") in _NAMED_FREELY:
                made[inner_key] = "work"
            elif inner_key == "hours" and (key == "grid" or section == "rentals"):
                self.left_out[_PRICE_SERIES] = None
            elif inner_key == "source" and isinstance(inner, str):
                made[inner_key] = "left out"
            elif inner_key == "label" and section == "rows":
                made[inner_key] = self.names["rows"][value["id"]].upper()
            elif key in ("overrides", "places"):
                made[self._reference(inner_key, _ITEMS)] = self.tree(inner, inner_key, "")
            else:
                made[inner_key] = self.tree(inner, inner_key, section if inner_key == "id" else "")
        return made

    def _reference(self, text: str, spaces: Iterable[str]) -> str:
        """Return an id, the id of an item (gpu/0/3) or a path (jobs[train].nodes) with another name."""

        def named(name: str) -> str:
            head = re.split(r"[/#]", name, maxsplit=1)[0]
            found = next((self.names[space][head] for space in spaces if head in self.names[space]), None)
            return name if found is None else found + name[len(head) :]

        whole = named(text)
        return whole if whole != text else _IN_BRACKETS.sub(lambda match: named(match.group()), text)


def anonymous_scene(document: Document, folder: Path) -> AnonymousScene:
    """Write a scene with made-up names into an empty folder, with its own parts and models, and return it.

    Raises
    ------
    ScenarioError
        When it cannot be read without what is left out.
    OSError
        When the disk refuses.
    """
    scenario = document.scenario
    replacing = _Replacing(_made_up(scenario))
    shown = plain(scenario, exact=True)
    shown.pop("extends", None)
    tree = {"format": shown["format"], "title": TITLE, **replacing.tree(shown, "", "")}
    _write_own_files(scenario, folder)
    while True:
        (folder / FILE).write_text(block(tree))
        try:
            made = load(folder / FILE)
            break
        except ScenarioError as error:
            wrong = {re.split(r"[.\[]", problem.key)[0] for problem in error.problems}
            drop = [section for section in _DROPPABLE if section in wrong and section in tree]
            if not drop:
                raise
            for section in drop:
                del tree[section]
                replacing.left_out[f"{section}, which need what is left out"] = None
    return AnonymousScene(made, replacing.names, tuple(replacing.left_out))


def _made_up(scenario: Scenario) -> dict[str, dict[str, str]]:
    """Return the made-up names of all lists, and of users and of networks that stores are reached through."""
    buildings = [hall.building for hall in scenario.halls if hall.building is not None]
    entries: dict[str, Iterable[Any]] = {
        "rows": [rows for hall in scenario.halls for rows in hall.rows],
        "doors": [door for building in buildings for door in building.doors],
        "columns": [grid for building in buildings for grid in building.columns],
        "inner_walls": [wall for building in buildings for wall in building.inner_walls],
    }
    for section in _NOUNS:
        owner: Any = scenario if hasattr(scenario, section) else scenario.site
        entries.setdefault(section, getattr(owner, section, ()))
    names = {
        section: _counted(_NOUNS[section], (entry.id for entry in found))
        for section, found in entries.items()
    }
    users: list[str | None] = [user for tenant in scenario.tenants for user in tenant.users]
    users += [job.user for job in scenario.jobs]
    users += [stream.user for stream in scenario.streams]
    networks: list[str | None] = [store.network for store in scenario.storage]
    networks += [partition.network for partition in scenario.partitions]
    telling_names = _telling_names(scenario, names, users)
    for section, noun in _EQUIPMENT.items():
        things: Iterable[Any] = getattr(scenario if hasattr(scenario, section) else scenario.cooling, section)
        telling = [thing.id for thing in things if any(name in thing.id.lower() for name in telling_names)]
        names[section] = _counted(noun, telling)
    return {**names, "users": _counted("user", users), "networks": _counted("vlan", networks)}


def _telling_names(
    scenario: Scenario, names: dict[str, dict[str, str]], users: Iterable[str | None]
) -> set[str]:
    """Return what an id of equipment may not hold, in small letters: people, tenants, things with made-up names."""
    things = {thing for section in names for thing in names[section]}
    titles = [tenant.title for tenant in scenario.tenants] + [hall.title for hall in scenario.halls]
    words = things.union(*(re.findall(r"\w+", title) for title in (*titles, scenario.site.name)))
    long = {word.lower() for word in words if len(word) >= _TELLING_LETTERS}
    people = {person.lower() for person in (*names["tenants"], *users) if person}
    return people | long.difference(_NOUNS.values())


def _counted(noun: str, names: Iterable[str | None]) -> dict[str, str]:
    given = dict.fromkeys(name for name in names if name is not None)
    return {name: f"{noun}-{place}" for place, name in enumerate(given, 1)}


def _write_own_files(scenario: Scenario, folder: Path) -> None:
    """Write own parts and models without prices, titles, makers and notes; the folder of a `config.json` names it."""
    read = [
        json.loads(own.text) if own.file.endswith(".json") else parse(own.text, own.file).plain()
        for own in scenario.own_files
    ]
    sources = _counted("source", (key for tree in read for key in tree.get("sources", ())))
    for number, (own, original) in enumerate(zip(scenario.own_files, read, strict=True), 1):
        is_config = own.file.endswith(".json")
        file = folder / own.file if is_config else folder / own.holds / f"own-{number}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        tree = _own_tree(original, sources)
        file.write_text(json.dumps(tree) if is_config else block(tree))


def _own_tree(value: Any, sources: dict[str, str], id: str = "") -> Any:
    """Return a piece of an own file; `sources` are made-up keys of its sources by original ones."""
    if isinstance(value, list):
        return [_own_tree(item, sources) for item in value]
    if not isinstance(value, dict):
        return value
    made: dict[str, Any] = {}
    for key, inner in value.items():
        if key in _UNTOLD_OF_PARTS:
            continue
        if key == "title":
            made[key] = id
        elif key == "sources":
            made[key] = dict.fromkeys((sources[name] for name in inner), "left out")
        elif key == "source":
            made[key] = _own_source(inner, sources, "layers" in value)
        else:
            made[key] = _own_tree(inner, sources, str(key))
    return made


def _own_source(source: Any, sources: dict[str, str], of_model: bool) -> Any:
    """Return the keys of sources of a figure, or what a model says of its own, without what they name."""
    if of_model:
        return "left out"
    return " ".join(sources.get(key, key) for key in str(source).split())
