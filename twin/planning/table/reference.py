"""Published figures to hold the model against: the tables of tests/reference, which ship with the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from twin.planning.profile.figures import ProfileError, refuse_unknown_keys
from twin.resources import folder

Cell = str | int | float | None

_KEYS = frozenset(("title", "source", "notes", "sources", "common", "shapes", "columns", "rows"))


@dataclass(frozen=True, slots=True)
class ReferenceTable:
    """Figures that somebody published.

    Attributes
    ----------
    name, title
        File name without ending, and what it is.
    source
        Who published it, and where.
    rows
        One mapping of column to cell for each row; what was not published is None. `cite` holds the citation
        of the row where it differs from row to row.
    """

    name: str
    title: str
    source: str
    rows: tuple[Mapping[str, Cell], ...]


@cache
def reference_table(name: str) -> ReferenceTable:
    """Return one published table.

    Parameters
    ----------
    name
        File of tests/reference without ending, such as "dgxc".

    Raises
    ------
    ProfileError
        When the file is missing or wrong, with the key.
    """
    file = f"reference/{name}.yaml"
    text = folder("reference") / f"{name}.yaml"
    if not text.is_file():
        raise ProfileError(file, "", "no such table of published figures")
    try:
        document = YAML(typ="safe", pure=True).load(text.read_text(encoding="utf-8"))
    except (YAMLError, UnicodeDecodeError) as fault:
        raise ProfileError(file, "", f"not readable as YAML: {fault}") from fault
    return parsed_table(document, name, file)


def parsed_table(document: Any, name: str, file: str) -> ReferenceTable:
    """Return the table of a document.

    Parameters
    ----------
    document
        ``title``, ``source``, ``columns`` and ``rows``; ``common`` gives cells of every row, ``shapes`` cells by
        the row's model, ``sources`` the citations that the column ``cite`` names.
    name, file
        Of the table; the file for messages.
    """
    if not isinstance(document, dict):
        raise ProfileError(file, "", "must be a mapping with title, source, columns and rows")
    refuse_unknown_keys(document, _KEYS, file, "")
    for key in ("title", "source", "columns", "rows"):
        if not document.get(key):
            raise ProfileError(file, key, "missing or empty")
    columns = document["columns"]
    rows = []
    for number, cells in enumerate(document["rows"]):
        if not isinstance(cells, list) or len(cells) != len(columns):
            raise ProfileError(file, f"rows.{number}", f"must be a list of {len(columns)} cells")
        given = {column: cell for column, cell in zip(columns, cells, strict=True) if cell is not None}
        shape = document.get("shapes", {}).get(given.get("model"), {})
        row = {**dict.fromkeys(columns), **document.get("common", {}), **shape, **given}
        if "cite" in given:
            if given["cite"] not in document.get("sources", {}):
                raise ProfileError(file, f"rows.{number}.cite", f"{given['cite']!r} is no key of sources")
            row["cite"] = document["sources"][given["cite"]]
        rows.append(row)
    return ReferenceTable(name, document["title"], document["source"], tuple(rows))
