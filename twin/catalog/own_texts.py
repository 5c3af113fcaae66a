"""Texts of files beside a scene that hold own parts and own models, added to what the shipped catalogue has."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from twin import resources
from twin.catalog.cause_parts import CausePart
from twin.catalog.cloud_parts import ShapePart
from twin.catalog.document import DocumentNode
from twin.catalog.errors import CatalogError
from twin.catalog.load import FileContents, check_references, read_parts, read_sources
from twin.catalog.machine_failure import MachineFailurePart
from twin.catalog.own_models import read_models
from twin.catalog.price_parts import PricePart

MOST_BYTES = 500_000
"""Of one file of own parts or models; the largest shipped one has 60 kB."""
MOST_OF_ALL = 2_000_000
"""Characters of all files of a scene together, which its run files hold."""
MOST_FILES = 64
MOST_PARTS = 500
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._-]{0,59}")
_ELSEWHERE = {
    CausePart.KIND: "write failures.causes in the scene",
    MachineFailurePart.KIND: "only the shipped catalogue has them",
    PricePart.KIND: "write prices in the scene",
    ShapePart.KIND: "write clouds in the scene",
    "edition": "only the shipped catalogue has one",
}
"""Sections of the shipped catalogue that hold no parts to build with, and what stands for them in a scene."""

Holds = Literal["parts", "models"]


class OwnText(NamedTuple):
    """A file of own parts or models: its path beside the scene, what it holds, and its text."""

    file: str
    holds: Holds
    text: str


def read_own(texts: tuple[OwnText, ...], into: FileContents) -> tuple[str, ...]:
    """Add own parts and models to those that are shipped, and return the ids of the parts.

    Raises
    ------
    CatalogError
        At the first text that is wrong or too large, and for an id that is taken, with both places.
    """
    for file, _, text in texts:
        if len(text) > MOST_BYTES:
            raise CatalogError(file, 0, "", f"is larger than {MOST_BYTES // 1000} kB; split it")
    if sum(len(text.text) for text in texts) > MOST_OF_ALL:
        raise CatalogError(
            texts[0].file, 0, "", f"and the others are larger than {MOST_OF_ALL // 1_000_000} MB together"
        )
    shipped = len(into.parts)
    documents = read_sources({file: text for file, holds, text in texts if holds == "parts"}, into)
    for file, document in documents.items():
        _refuse_elsewhere(document, file)
        read_parts(document, file, into)
    own = tuple(into.parts)[shipped:]
    for part_id in own:
        _refuse_odd_id(part_id, *into.places[part_id])
    if len(own) > MOST_PARTS:
        file, line = into.places[own[MOST_PARTS]]
        raise CatalogError(
            file, line, own[MOST_PARTS], f"is one part too many; at most {MOST_PARTS:,} are read"
        )
    check_references(into)
    for file, holds, text in texts:
        for model in read_models(text, file) if holds == "models" else ():
            _refuse_odd_id(model.id, file, model.line)
            taken = into.models[model.id].place if model.id in into.models else shipped_models().get(model.id)
            if taken:
                raise CatalogError(file, model.line, model.id, f"is already at {taken}; choose another name")
            into.models[model.id] = model
    return own


def _refuse_elsewhere(document: DocumentNode, file: str) -> None:
    for key, section in (document.table or {}).items():
        if key in _ELSEWHERE:
            raise CatalogError(file, section.line, key, f"holds no own parts; {_ELSEWHERE[key]}")


def _refuse_odd_id(name: str, file: str, line: int) -> None:
    if not _ID.fullmatch(name):
        reason = "is no name: letters, digits and + . _ -, a letter or digit first, at most 60 characters"
        raise CatalogError(file, line, name[:60], reason)


@lru_cache(maxsize=1)
def shipped_models() -> dict[str, str]:
    """Return file and line of the shipped presets, by name."""
    file = "assets/profiles/models.yaml"
    text = resources.shipped_text(file)
    return {
        match[1]: f"{file}:{text.count(chr(10), 0, match.start()) + 1}"
        for match in re.finditer(r"^  ([a-z0-9.-]+):$", text, re.MULTILINE)
    }
