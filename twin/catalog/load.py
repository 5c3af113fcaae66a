"""A catalogue file to typed parts and their figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from twin.catalog.document import DocumentNode, read_document
from twin.catalog.efficiency import parse_efficiency
from twin.catalog.errors import CatalogError, nearest
from twin.catalog.fields import FieldSpec
from twin.catalog.figure import STATUSES, Figure, Status
from twin.catalog.kinds import PART_FIELDS, PART_TYPES
from twin.catalog.own_models import OwnModel
from twin.catalog.part import Part, PartGroup
from twin.units import UnitError, parse

FORMAT = "twin/catalog"
FORMAT_VERSION = 1
_HEAD_KEYS = ("format", "version", "edition", "sources")
_FIGURE_KEYS = ("value", "source", "status", "note", "low", "high", "date")
_GROUP_KEYS = ("part", "count", "abreast", "use", "source", "status", "note")
_UNKNOWN = ("null", "~", "")


@dataclass(slots=True)
class FileContents:
    """Contents of one or more catalogue files, before references are looked up."""

    edition: str = ""
    sources: dict[str, str] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    figures: dict[str, dict[str, Figure]] = field(default_factory=dict)
    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Part id -> file and line."""
    models: dict[str, OwnModel] = field(default_factory=dict)
    """Own models; the shipped ones are presets of the planner."""

    def copy(self) -> FileContents:
        """Return contents that can be added to without touching these."""
        return FileContents(
            self.edition,
            dict(self.sources),
            dict(self.parts),
            dict(self.figures),
            dict(self.places),
            dict(self.models),
        )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a file a value stands, for errors."""

    file: str
    part: str
    sources: dict[str, str]

    def error(self, branch: DocumentNode, key: str, reason: str) -> CatalogError:
        return CatalogError(self.file, branch.line, f"{self.part}.{key}" if self.part else key, reason)


def read_sources(texts: dict[str, str], into: FileContents) -> dict[str, DocumentNode]:
    """Read the heads of all files, so that a part of one file may cite the sources of another."""
    documents = {}
    for file, text in texts.items():
        document = read_document(text, file)
        table = _table(document, _Place(file, "", {}), "the file")
        for key, wanted in (("format", FORMAT), ("version", str(FORMAT_VERSION))):
            found = table.get(key)
            if found is None or found.text != wanted:
                line = found.line if found is not None else 1
                shown = f"is {found.text!r}" if found is not None else "is missing"
                raise CatalogError(file, line, key, f"{shown}; a catalogue has '{key}: {wanted}'")
        if "edition" in table:
            into.edition = _text(table["edition"], _Place(file, "", {}), "edition")
        if "sources" in table:
            for key, branch in _table(table["sources"], _Place(file, "", {}), "sources").items():
                if key in into.sources:
                    raise CatalogError(
                        file, branch.line, f"sources.{key}", "is given twice; choose another key"
                    )
                into.sources[key] = _text(branch, _Place(file, "", {}), f"sources.{key}")
        documents[file] = document
    return documents


def read_parts(document: DocumentNode, file: str, into: FileContents) -> None:
    """Add the parts of one file.

    Raises
    ------
    CatalogError
        At the first value that is not what its key needs.
    """
    for kind, section in (document.table or {}).items():
        if kind in _HEAD_KEYS:
            continue
        part_type = PART_TYPES.get(kind)
        if part_type is None:
            reason = f"is no kind of part; {nearest(kind, (*PART_TYPES, *_HEAD_KEYS))}"
            raise CatalogError(file, section.line, kind, reason)
        for part_id, branch in _table(section, _Place(file, "", {}), kind).items():
            if part_id in into.parts:
                where = "{}:{}".format(*into.places[part_id])
                raise CatalogError(file, branch.line, part_id, f"is already at {where}; choose another id")
            part, figures = _read_part(part_type, part_id, branch, file, into.sources)
            into.parts[part_id] = part
            into.figures[part_id] = figures
            into.places[part_id] = (file, branch.line)


def check_references(contents: FileContents) -> None:
    """Raise CatalogError when a part names one that does not exist or is of the wrong kind."""
    for part_id, part in contents.parts.items():
        for spec in PART_FIELDS[part.KIND]:
            if spec.shape not in ("reference", "groups"):
                continue
            held = getattr(part, spec.name)
            named = [group.part for group in held] if spec.shape == "groups" else [held] if held else []
            for part_named in named:
                found = contents.parts.get(part_named)
                if found is None or found.KIND not in spec.about:
                    file, line = contents.places[part_id]
                    fitting = [
                        candidate.id for candidate in contents.parts.values() if candidate.KIND in spec.about
                    ]
                    reason = f"{part_named!r} is no {' or '.join(spec.about)}; {nearest(part_named, fitting)}"
                    raise CatalogError(file, line, f"{part_id}.{spec.key}", reason)


def _read_part(
    part_type: type[Part], part_id: str, branch: DocumentNode, file: str, sources: dict[str, str]
) -> tuple[Part, dict[str, Figure]]:
    place = _Place(file, part_id, sources)
    table = _table(branch, place, part_id)
    known = {spec.key: spec for spec in PART_FIELDS[part_type.KIND]}
    for key, value in table.items():
        if key not in known:
            raise place.error(value, key, f"is no key of a {part_type.KIND}; {nearest(key, known)}")
    held: dict[str, object] = {"id": part_id}
    figures: dict[str, Figure] = {}
    for key, spec in known.items():
        given = table.get(key)
        if given is not None and given.text not in _UNKNOWN:
            held[spec.name] = _READERS[spec.shape](given, spec, place, figures)
        elif not spec.optional:
            reason = f"is missing; a {part_type.KIND} needs it: {spec.doc}"
            raise place.error(branch if given is None else given, key, reason)
    return part_type(**held), figures  # type: ignore[arg-type]


_Figures = dict[str, Figure]


def _read_text(branch: DocumentNode, spec: FieldSpec, place: _Place, _: _Figures) -> str:
    return _text(branch, place, spec.key)


def _read_choice(branch: DocumentNode, spec: FieldSpec, place: _Place, _: _Figures) -> str:
    word = _text(branch, place, spec.key)
    if word not in spec.about:
        raise place.error(branch, spec.key, f"is {word!r}; it must be one of {', '.join(spec.about)}")
    return word


def _read_flag(branch: DocumentNode, spec: FieldSpec, place: _Place, _: _Figures) -> bool:
    word = _text(branch, place, spec.key)
    if word not in ("true", "false"):
        raise place.error(branch, spec.key, f"is {word!r}; it must be true or false")
    return word == "true"


def _read_quantity(branch: DocumentNode, spec: FieldSpec, place: _Place, figures: _Figures) -> float:
    dimension = spec.about[0]

    def convert(text: str) -> float:
        value = parse(text, dimension)
        return value if dimension == "temperature" else _positive(value, text, spec)

    return _figure(branch, spec, place, figures, convert)


def _read_number(branch: DocumentNode, spec: FieldSpec, place: _Place, figures: _Figures) -> float:
    unit = spec.about[0]

    def convert(text: str) -> float:
        return _positive(parse(text.removesuffix(unit).strip(), "fraction"), text, spec)

    return _figure(branch, spec, place, figures, convert)


def _read_count(branch: DocumentNode, spec: FieldSpec, place: _Place, figures: _Figures) -> int:
    return int(_figure(branch, spec, place, figures, lambda text: _positive(_whole(text), text, spec)))


def _positive(value: float, text: str, spec: FieldSpec) -> float:
    if value < 0.0 or (value == 0.0 and not spec.zero):
        raise UnitError(f"{text!r} is not above zero; this is: {spec.doc}")
    return value


def _whole(text: str) -> float:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise UnitError(f"{text!r} is no whole number such as '8'")
    return float(text)


def _read_efficiency(branch: DocumentNode, spec: FieldSpec, place: _Place, figures: _Figures) -> object:
    _figure(branch, spec, place, figures, lambda text: parse_efficiency(text).points[-1][1])
    return parse_efficiency(figures[spec.name].text)


def _read_groups(
    branch: DocumentNode, spec: FieldSpec, place: _Place, figures: _Figures
) -> tuple[PartGroup, ...]:
    if not isinstance(branch.content, list):
        raise place.error(
            branch, spec.key, "must be a list of '- {part: ..., count: ..., source: ..., status: ...}'"
        )
    groups = []
    for index, item in enumerate(branch.content):
        key = f"{spec.key}[{index}]"
        table = _table(item, place, key)
        for name, value in table.items():
            if name not in _GROUP_KEYS:
                raise place.error(
                    value, f"{key}.{name}", f"is no key of a group; {nearest(name, _GROUP_KEYS)}"
                )
        part = _text(_required(table, "part", item, place, key), place, f"{key}.part")
        try:
            given = _text(_required(table, "count", item, place, key), place, f"{key}.count")
            number = _positive(_whole(given), given, spec)
            beside = _text(table["abreast"], place, f"{key}.abreast") if "abreast" in table else "1"
            abreast = _positive(_whole(beside), beside, spec)
        except UnitError as error:
            raise place.error(item, f"{key}.count", str(error)) from None
        use = _text(table["use"], place, f"{key}.use") if "use" in table else ""
        figures[key] = _figure_of(table, item, place, key, number, "", f"{number:.0f} x {part}")
        groups.append(PartGroup(part, int(number), use, int(abreast)))
    return tuple(groups)


def _figure(
    branch: DocumentNode, spec: FieldSpec, place: _Place, figures: _Figures, convert: Callable[[str], float]
) -> float:
    """Read `{value: ..., source: ..., status: ...}` and keep it under the name of the field."""
    table = branch.table
    if table is None:
        reason = "must be '{value: ..., source: ..., status: ...}', so that one sees where the number is from"
        raise place.error(branch, spec.key, reason)
    for name, entry in table.items():
        if name not in _FIGURE_KEYS:
            raise place.error(
                entry, f"{spec.key}.{name}", f"is no key of a number; {nearest(name, _FIGURE_KEYS)}"
            )

    def number(name: str) -> float:
        held = _required(table, name, branch, place, spec.key)
        try:
            return convert(_text(held, place, f"{spec.key}.{name}"))
        except UnitError as error:
            raise place.error(held, f"{spec.key}.{name}", str(error)) from None

    value = number("value")
    low = number("low") if "low" in table else None
    high = number("high") if "high" in table else None
    if not (low if low is not None else -math.inf) <= value <= (high if high is not None else math.inf):
        raise place.error(branch, spec.key, "low, value and high must rise")
    text = table["value"].text or ""
    figures[spec.name] = _figure_of(
        table, branch, place, spec.name, value, spec.unit, text, low=low, high=high
    )
    return value


def _figure_of(
    table: dict[str, DocumentNode],
    branch: DocumentNode,
    place: _Place,
    key: str,
    value: float,
    unit: str,
    text: str,
    *,
    low: float | None = None,
    high: float | None = None,
) -> Figure:
    source = _text(_required(table, "source", branch, place, key), place, f"{key}.source")
    status = _text(_required(table, "status", branch, place, key), place, f"{key}.status")
    if status not in STATUSES:
        raise place.error(
            table["status"], f"{key}.status", f"is {status!r}; it must be one of {', '.join(STATUSES)}"
        )
    for key_of_source in source.split():
        if key_of_source not in place.sources:
            reason = (
                f"{key_of_source!r} is not in the table of sources; {nearest(key_of_source, place.sources)}"
            )
            raise place.error(table["source"], f"{key}.source", reason)
    return Figure(
        part=place.part,
        key=key,
        value=value,
        unit=unit,
        text=text,
        source=source,
        citation="; ".join(place.sources[key_of_source] for key_of_source in source.split()),
        status=_status(status),
        note=_text(table["note"], place, f"{key}.note") if "note" in table else "",
        date=_text(table["date"], place, f"{key}.date") if "date" in table else "",
        low=low,
        high=high,
    )


def _status(word: str) -> Status:
    return word  # type: ignore[return-value]  # checked against STATUSES by the caller


def _required(
    table: dict[str, DocumentNode], name: str, branch: DocumentNode, place: _Place, key: str
) -> DocumentNode:
    if name not in table:
        raise place.error(branch, f"{key}.{name}", "is missing; a number has value, source and status")
    return table[name]


def _table(branch: DocumentNode, place: _Place, key: str) -> dict[str, DocumentNode]:
    if branch.table is None:
        raise place.error(branch, key, "must be a table of 'key: value'")
    return branch.table


def _text(branch: DocumentNode, place: _Place, key: str) -> str:
    if branch.text is None:
        raise place.error(branch, key, "must be one plain value, not a table or list")
    return branch.text


_READERS: dict[str, Callable[[DocumentNode, FieldSpec, _Place, _Figures], object]] = {
    "quantity": _read_quantity,
    "number": _read_number,
    "count": _read_count,
    "efficiency": _read_efficiency,
    "text": _read_text,
    "choice": _read_choice,
    "flag": _read_flag,
    "reference": _read_text,
    "groups": _read_groups,
}
