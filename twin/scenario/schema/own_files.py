"""Own parts and models of a scene: what the files beside it hold, kept in the scene so that runs need no folder."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from twin.catalog.catalog import Catalog, load_catalog, with_own
from twin.catalog.own_texts import MOST_BYTES, OwnText
from twin.scenario.schema.base import DocumentPart


def _inside(path: str) -> str:
    """Return a path that leads nowhere out of its folder; `ValueError` for another."""
    if "\x00" in path or "\\" in path or path.startswith("/") or ".." in PurePosixPath(path).parts:
        raise ValueError("must be a path inside the folder of its file")
    return path


OwnPath = Annotated[str, StringConstraints(min_length=1, max_length=400), AfterValidator(_inside)]
"""A file or folder, by its path inside the folder of the scene."""


class OwnFile(DocumentPart):
    """One file of own parts or models."""

    file: OwnPath = Field(description="path inside the folder of the scene")
    holds: Literal["parts", "models"] = Field(description="what it holds")
    text: str = Field(max_length=MOST_BYTES, description="what the file says")


def own_digest(files: tuple[OwnFile, ...]) -> str | None:
    """Return a hash of own parts and models, 32 hexadecimal digits; None where there are none."""
    if not files:
        return None
    told = blake2b(digest_size=16)
    for own in sorted(files, key=lambda file: file.file):
        told.update(f"{own.file}\0{own.holds}\0{len(own.text)}\0{own.text}".encode())
    return told.hexdigest()


def catalog_with(files: tuple[OwnFile, ...], shipped: Catalog | None = None) -> Catalog:
    """Return a catalogue with own parts and models, the shipped one unless given; raises `CatalogError` for a text."""
    if not files:
        return load_catalog() if shipped is None else shipped
    return with_own(tuple(OwnText(own.file, own.holds, own.text) for own in files), shipped)
