"""Catalogue and profiles as a run read them: kept in its header, so that a later change of a value can be named."""

from __future__ import annotations

import base64
import json
import zlib
from binascii import Error as Base64Error
from functools import lru_cache

from twin.record.run_summary import strict_json
from twin.record.runfile import MAX_BLOB_BYTES
from twin.resources import folder

FOLDERS = ("catalog", "profiles")
_MAX_BYTES = 16 * 2**20


@lru_cache(maxsize=1)
def constants() -> dict[str, str]:
    """Return the text of each shipped file of the catalogue and the profiles, by name ("catalog/gpus.yaml")."""
    try:
        assets = folder("assets")
    except FileNotFoundError:
        return {}
    return {
        f"{name}/{item.name}": item.read_text(encoding="utf-8")
        for name in FOLDERS
        for item in sorted((assets / name).iterdir(), key=lambda entry: entry.name)
        if item.name.endswith(".yaml")
    }


@lru_cache(maxsize=1)
def packed() -> str:
    """Return `constants` as one short text for a header."""
    return packed_text(json.dumps(constants()), 6)


def unpacked(text: str) -> dict[str, str]:
    """Decode the output of `packed`.

    Raises
    ------
    ValueError
        When the text is damaged, or larger than any catalogue.
    """
    return {
        str(name): str(file_text) for name, file_text in strict_json(unpacked_text(text, _MAX_BYTES)).items()
    }


def packed_text(text: str, level: int = 1) -> str:
    """Return a text as a shorter one that tells when it is damaged."""
    return base64.b64encode(zlib.compress(text.encode(), level)).decode()


def unpacked_text(text: str, limit: int = MAX_BLOB_BYTES) -> str:
    """Decode the output of `packed_text`; `ValueError` when it is damaged or longer than `limit` [B]."""
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(base64.b64decode(text, validate=True), limit)
    except (zlib.error, Base64Error) as error:
        raise ValueError("a packed text is damaged") from error
    if not unpacker.eof:
        raise ValueError("a packed text is truncated or too large")
    return raw.decode()
