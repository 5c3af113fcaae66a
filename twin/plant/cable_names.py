"""Names of cables: bundles and links by id, and a line that describes the ends of a bundle."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from twin.arrays import Ints32
from twin.plant.links import LinkKind, Links, find_link, links_of
from twin.plant.tables import Plant, SwitchRole

BUNDLE_PREFIX = "bundle/"
MOST_NAMED = 3
"""More ends than this, when they do not follow one another, are counted instead."""


def bundle_id(bundle: int) -> str:
    """Return the id of a bundle: "bundle/17"."""
    return f"{BUNDLE_PREFIX}{bundle}"


def find_bundle(plant: Plant, id: str) -> int | None:
    """Return the bundle with this id, or the one that the link with this id lies in; None for anything else."""
    if not id or id in plant.slots:
        return None
    number = id.removeprefix(BUNDLE_PREFIX)
    if number != id and number.isdecimal():
        return int(number) if int(number) < len(plant.bundles.rail) else None
    link = find_link(plant, id)
    return None if link is None else int(plant.bundles.of_link[link])


def links_in(plant: Plant, bundle: int) -> Ints32:
    """Return the links of a bundle."""
    return np.flatnonzero(plant.bundles.of_link == bundle).astype(np.int32)


def describe_bundle(plant: Plant, bundle: int) -> str:
    """Return one line for people, such as "leaf ib/0/3 to spines ib/s/0-15, 32 cables of 400 Gb/s"."""
    a, b = bundle_ends(plant, bundle)
    return f"{a} to {b}, {bundle_size(plant, bundle)}"


def bundle_short(plant: Plant, bundle: int) -> str:
    """Return both ends by their ids alone: "gpu/0/1/0-3 - ib/0/3"."""
    words = (end.split(" ", 1)[1] for end in bundle_ends(plant, bundle))
    return " \N{EN DASH} ".join(words)


def bundle_size(plant: Plant, bundle: int) -> str:
    """Return number and speed of the cables of a bundle: "32 cables of 400 Gb/s"."""
    cables = int(plant.bundles.cables[bundle])
    gbit_s = float(plant.bundles.cable_bytes_s[bundle]) * 8e-9
    return f"{cables} cable{'s' if cables != 1 else ''} of {gbit_s:,.0f} Gb/s"


def bundle_ends(plant: Plant, bundle: int) -> tuple[str, str]:
    """Return the nodes or switches at both ends: "node gpu/0/1/0", "leaves ib/0/0-7"."""
    links, in_bundle = links_of(plant), links_in(plant, bundle)
    return _end(plant, links, in_bundle, first=True), _end(plant, links, in_bundle, first=False)


def _end(plant: Plant, links: Links, in_bundle: Ints32, *, first: bool) -> str:
    kind = int(links.kind[in_bundle[0]])
    slots = np.unique((links.a if first else links.b)[in_bundle])
    if kind == LinkKind.PEER or (kind == LinkKind.NODE and first):
        return _counted("node", "nodes", [plant.nodes.ids[k] for k in slots])
    role = SwitchRole(int(plant.switches.role[slots[0]]))
    plural = {SwitchRole.LEAF: "leaves", SwitchRole.SPINE: "spines", SwitchRole.CORE: "cores"}[role]
    return _counted(role.name.lower(), plural, [plant.switches.ids[k] for k in slots])


def _counted(singular: str, plural: str, ids: list[str]) -> str:
    words = id_range(ids)
    if words is not None:
        return f"{singular if len(ids) == 1 else plural} {words}"
    return f"{len(ids)} {plural} from {ids[0]} to {ids[-1]}"


def id_range(ids: Iterable[str]) -> str | None:
    """Return ids in short, None when that would not be short.

    Examples
    --------
    >>> id_range(["ib/1/0", "ib/1/1", "ib/1/2", "ib/1/3"]), id_range(["a/3", "b/5"])
    ('ib/1/0-3', 'a/3, b/5')
    """
    names = list(ids)
    parts = [name.rpartition("/") for name in names]
    numbers = [int(last) for _, _, last in parts if last.isdecimal()]
    alike = len({head for head, _, _ in parts}) == 1 and len(numbers) == len(names) > 1
    if alike and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{names[0]}-{numbers[-1]}"
    return ", ".join(names) if len(names) <= MOST_NAMED else None
