"""The catalogue as rows for a table or JSON; the caller decides how to print them."""

from __future__ import annotations

from typing import TypedDict

from twin.catalog.catalog import Catalog
from twin.catalog.fields import FieldSpec
from twin.catalog.figure import STATUSES
from twin.catalog.kinds import PART_FIELDS
from twin.catalog.plausibility import check


class PartRow(TypedDict):
    """One part of `twin catalog list`; the counts say how many of its numbers have which standing."""

    id: str
    kind: str
    title: str
    vendor: str
    published: int
    derived: int
    recalled: int
    estimated: int
    unverified: int


class FigureRow(TypedDict):
    """One line of `twin catalog show`; `value` is in `unit` (SI), `text` as the file writes it."""

    key: str
    value: float | str
    unit: str
    text: str
    low: float | None
    high: float | None
    status: str | None
    source: str | None
    date: str | None
    note: str
    doc: str


class FindingRow(TypedDict):
    """One finding of `twin catalog check`."""

    severity: str
    part: str
    key: str
    message: str


def list_rows(catalog: Catalog, kind: str | None = None) -> list[PartRow]:
    """Return one row per part, of one kind or all; raises UnknownPart for an unknown kind."""
    rows = []
    for part_id in catalog.ids(kind):
        part = catalog.part(part_id)
        standing = dict.fromkeys(STATUSES, 0)
        for figure in catalog.figures(part_id):
            standing[figure.status] += 1
        row = PartRow(
            id=part_id,
            kind=part.KIND,
            title=part.title,
            vendor=part.vendor,
            published=standing["published"],
            derived=standing["derived"],
            recalled=standing["recalled"],
            estimated=standing["estimated"],
            unverified=standing["unverified"],
        )
        rows.append(row)
    return rows


def show_rows(catalog: Catalog, part_id: str) -> list[FigureRow]:
    """Return one row per number, text or reference of a part; raises UnknownPart."""
    part = catalog.part(part_id)
    rows = []
    figures = {figure.key: figure for figure in catalog.figures(part_id)}
    for spec in PART_FIELDS[part.KIND]:
        keys = [key for key in figures if key == spec.name or key.startswith(f"{spec.name}[")]
        for key in keys:
            figure = figures[key]
            row = FigureRow(
                key=key,
                value=figure.value,
                unit=figure.unit,
                text=figure.text,
                low=figure.low,
                high=figure.high,
                status=figure.status,
                source=figure.citation,
                date=figure.date or None,
                note=figure.note,
                doc=spec.doc,
            )
            rows.append(row)
        held = getattr(part, spec.name)
        if spec.shape == "flag":
            rows.append(_word_row(spec, "true" if held else "false"))
        elif not keys and spec.shape in ("text", "choice", "reference") and held:
            rows.append(_word_row(spec, held))
    return rows


def check_rows(catalog: Catalog) -> list[FindingRow]:
    """Return one row per finding of the plausibility check."""
    return [
        FindingRow(severity=finding.severity, part=finding.part, key=finding.key, message=finding.message)
        for finding in check(catalog)
    ]


def _word_row(spec: FieldSpec, word: str) -> FigureRow:
    return FigureRow(
        key=spec.name,
        value=word,
        unit="",
        text=word,
        low=None,
        high=None,
        status=None,
        source=None,
        date=None,
        note="",
        doc=spec.doc,
    )
