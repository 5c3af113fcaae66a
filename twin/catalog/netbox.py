"""A device type of the NetBox library as an own part: what its file says is unverified, and the rest is told.

Fields as in the public schema of the device type library: manufacturer, model, slug, u_height, weight, weight_unit,
airflow, power-ports with maximum_draw and allocated_draw [W], interfaces with their type.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from twin.catalog.catalog import Catalog
from twin.catalog.document import DocumentNode, read_document
from twin.catalog.errors import CatalogError
from twin.catalog.fields import FieldSpec
from twin.catalog.kinds import PART_FIELDS
from twin.catalog.part import Part, PartGroup
from twin.catalog.part_text import HEAD

_SLUG = re.compile(r"[-a-z0-9_]{1,60}")
_SPEED = re.compile(r"([0-9.]{1,6})([gt])?base")
_INFINIBAND_GBS = {"qdr": 40, "fdr10": 40, "fdr": 56, "edr": 100, "hdr": 200, "ndr": 400, "xdr": 800}
_KG = {"kg": 1.0, "g": 1e-3, "lb": 0.45359237, "oz": 0.028349523}
_AIR = (
    "front-to-rear",
    "rear-to-front",
    "left-to-right",
    "right-to-left",
    "side-to-rear",
    "bottom-to-top",
    "mixed",
)
_GROUPS = "nics"
"""The one list of parts that a node cannot do without."""

Origin = Literal["NetBox", "like", "missing"]


@dataclass(frozen=True, slots=True)
class ImportedFigure:
    """A key of an imported part: its text, and whether the file says it, a like part does, or nobody."""

    key: str
    text: str
    origin: Origin
    doc: str


@dataclass(frozen=True, slots=True)
class ImportedPart:
    """An own part made of a device type.

    Attributes
    ----------
    id
        Its slug.
    text
        A catalogue file with it.
    figures
        Each number of its kind with where it comes from.
    """

    id: str
    text: str
    figures: tuple[ImportedFigure, ...]


def imported(text: str, file: str, like: str, catalog: Catalog) -> ImportedPart:
    """Return a device type as a part of the kind of a shipped one.

    Numbers of the file are unverified. What the kind needs and the file lacks is as that of the shipped part, with
    status estimated and a note. What else it lacks is left out.

    Parameters
    ----------
    text, file
        Of the device type.
    like
        Part of the catalogue that it is like; raises UnknownPart.
    catalog
        With that part.

    Raises
    ------
    CatalogError
        When it is no device type, with file, line and key.
    """
    model = catalog.part(like)
    table = read_document(text, file).table
    if table is None:
        raise CatalogError(file, 1, "", "is no device type: it has no keys")
    device = _Device(table, file)
    slug, said = device.text("slug"), dict(_said(device, model))
    if not _SLUG.fullmatch(slug):
        raise CatalogError(file, table["slug"].line, "slug", f"is {slug[:60]!r}; it has a-z, 0-9, - and _")
    lines = [f"  {slug}:"]
    found: list[ImportedFigure] = []
    words = {"title": device.text("model"), "vendor": device.text("manufacturer")}
    for spec in PART_FIELDS[model.KIND]:
        line, figure = _line(spec, said, model, catalog, slug.replace("-", "_"), words)
        lines += line
        found += figure
    head = [
        f"# {_plain(device.text('manufacturer'))} {_plain(device.text('model'))}, from a device type of NetBox.",
        HEAD.rstrip(),
        "",
        "sources:",
        f"  netbox_{slug.replace('-', '_')}: {_quoted(f'NetBox device type {file}')}",
        f"  like_{slug.replace('-', '_')}: {_quoted(f'as {like} of the catalogue')}",
        "",
        f"{model.KIND}:",
    ]
    return ImportedPart(slug, "\n".join([*head, *lines, ""]), tuple(found))


@dataclass(frozen=True, slots=True)
class _Device:
    table: dict[str, DocumentNode]
    file: str

    def text(self, key: str) -> str:
        """Return a text that every device type has."""
        branch = self.table.get(key)
        if branch is None:
            raise CatalogError(self.file, 1, key, "is missing; a device type of NetBox has it")
        if not isinstance(branch.content, str) or not branch.content:
            raise CatalogError(self.file, branch.line, key, "must be one plain value")
        return branch.content[:200]

    def number(self, key: str, table: dict[str, DocumentNode] | None = None) -> float | None:
        """Return a number that is not negative; None where it is not said."""
        branch = (self.table if table is None else table).get(key)
        if branch is None:
            return None
        try:
            value = float(branch.content) if isinstance(branch.content, str) else -1.0
        except ValueError:
            value = -1.0
        if not 0.0 <= value <= 1e9:
            raise CatalogError(
                self.file, branch.line, key, f"is {str(branch.content)[:40]!r}; it must be a number"
            )
        return value

    def items(self, key: str) -> list[dict[str, DocumentNode]]:
        """Return the entries of a list, such as power-ports."""
        branch = self.table.get(key)
        if branch is None:
            return []
        entries = branch.content if isinstance(branch.content, list) else [branch]
        for entry in entries:
            if entry.table is None:
                raise CatalogError(self.file, entry.line, key, "must be a list of groups of keys")
        return [entry.table for entry in entries if entry.table is not None]


def _said(device: _Device, model: Part) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield what the file says, by key of the kind: value and note."""
    height = device.number("u_height")
    if height:
        yield "height_u", (f"{height:g}", "")
    weight = device.number("weight")
    if weight:
        unit = device.text("weight_unit")
        if unit not in _KG:
            line = device.table["weight_unit"].line
            raise CatalogError(device.file, line, "weight_unit", f"is {unit!r}; known are {', '.join(_KG)}")
        yield "weight", (f"{weight * _KG[unit]:.5g} kg", "" if unit == "kg" else f"{weight:g} {unit}")
    ports = device.items("power-ports")
    for key, field in (("max", "maximum_draw"), ("typical", "allocated_draw")):
        draws = [draw for port in ports if (draw := device.number(field, port)) is not None]
        if draws and sum(draws) > 0.0:
            yield key, (f"{sum(draws):g} W", f"{field} of {len(draws)} power ports together")
    if ports and model.KIND == "node":
        yield "psu_count", (str(len(ports)), "power ports")
    if device.table.get("airflow") is not None and device.text("airflow") in _AIR:
        yield "cooling", ("air", "")
    speeds = Counter(_speeds(device))
    if model.KIND == "switch" and speeds:
        fastest = max(speeds)
        count = speeds[fastest]
        yield "ports", (str(count), "interfaces of the highest speed")
        yield "port_bandwidth", (f"{fastest:g} Gb/s", "type of the interfaces")
        yield "capacity", (f"{count * fastest:g} Gb/s", "ports x speed")


def _speeds(device: _Device) -> Iterator[float]:
    """Yield the speed of each interface that carries data [Gb/s]; those of unknown types are passed over."""
    for entry in device.items("interfaces"):
        kind = entry["type"].text if "type" in entry else None
        if not kind or ("mgmt_only" in entry and entry["mgmt_only"].content == "true"):
            continue
        if kind.startswith("infiniband-"):
            speed = float(_INFINIBAND_GBS.get(kind.removeprefix("infiniband-"), 0))
        else:
            match = _SPEED.match(kind)
            scale = {"g": 1.0, "t": 1e3, None: 1e-3}
            speed = float(match[1]) * scale[match[2]] if match and match[1].count(".") < 2 else 0.0
        if speed:
            yield speed


def _line(
    spec: FieldSpec,
    said: dict[str, tuple[str, str]],
    model: Part,
    catalog: Catalog,
    slug: str,
    words: dict[str, str],
) -> tuple[list[str], list[ImportedFigure]]:
    """Return the lines of one key of the part, and what to tell of it."""
    own, like = f"netbox_{slug}", f"like_{slug}"
    held = getattr(model, spec.name)
    if spec.shape == "text":
        return ([f"    {spec.key}: {_quoted(words[spec.key])}"] if spec.key in words else []), []
    if spec.key in said:
        value, note = said[spec.key]
        told = ImportedFigure(spec.key, value, "NetBox", spec.doc)
        if spec.shape == "choice":
            return [f"    {spec.key}: {value}"], [told]
        more = f", note: {_quoted(note)}" if note else ""
        return [f"    {spec.key}: {{value: {value}, source: {own}, status: unverified{more}}}"], [told]
    if spec.shape == "groups" and spec.key == _GROUPS and held:
        lines = [_group(group, like) for group in held]
        text = ", ".join(f"{group.count} x {group.part}" for group in held)
        return [f"    {spec.key}:", *lines], [ImportedFigure(spec.key, text, "like", spec.doc)]
    if spec.optional:
        return [], [ImportedFigure(spec.key, "", "missing", spec.doc)]
    if spec.shape in ("choice", "reference", "flag"):
        value = str(held).lower() if spec.shape == "flag" else str(held)
        return [f"    {spec.key}: {value}"], [ImportedFigure(spec.key, value, "like", spec.doc)]
    text = catalog.provenance(model.id, spec.name).text
    line = f"    {spec.key}: {{value: {_quoted(text)}, source: {like}, status: estimated}}"
    return [line], [ImportedFigure(spec.key, text, "like", spec.doc)]


def _group(group: PartGroup, source: str) -> str:
    use = f", use: {group.use}" if group.use else ""
    return f"      - {{part: {group.part}, count: {group.count}{use}, source: {source}, status: estimated}}"


def _quoted(text: str) -> str:
    return json.dumps(_plain(text), ensure_ascii=False)


def _plain(text: str) -> str:
    return "".join(letter for letter in text if letter.isprintable())
