"""Own models beside a scene: shapes in a file of presets, or in the `config.json` that a model is published with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from twin.catalog.config_json import MOST, ConfigError, shape_in_text
from twin.catalog.document import DocumentNode, read_document
from twin.catalog.errors import CatalogError, nearest
from twin.catalog.figure import STATUSES

_WORDS = ("title", "source", "status")
_FLAGS = ("gated", "deferred_head")
_COUNTS = ("layers", "hidden", "ffn", "heads", "kv_heads", "vocab", "seq", "head_size", "predicted")
_NEEDED = ("layers", "hidden", "ffn", "heads", "vocab", "seq", "gated", "source", "status")
_PARTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "experts": (("count", "per_token", "ffn"), ("shared", "dense_layers", "most_nodes")),
    "latent": (("query_rank", "kv_rank", "head_plain", "head_rotary", "head_value"), ()),
    "window": (("tokens",), ("full_every",)),
    "state_space": (("layers", "feed_forward", "heads", "head", "state"), ("groups",)),
}
"""Parts of a model, each with the numbers that it needs, and those that it may have."""
_KEYS = (*_WORDS, *_FLAGS, *_COUNTS, *_PARTS)


@dataclass(frozen=True, slots=True)
class OwnModel:
    """A model of one's own.

    Attributes
    ----------
    id, title
        Its name in scenes, and the name for people.
    shape
        Checked numbers by the keys of `assets/profiles/models.yaml`: layers, hidden, experts, ...
    source, status
        Where the shape comes from, and how sure that is.
    file, line
        Where it stands.
    """

    id: str
    title: str
    shape: Mapping[str, Any]
    source: str
    status: str
    file: str
    line: int

    @property
    def place(self) -> str:
        """Return file and line."""
        return f"{self.file}:{self.line}"


def read_models(text: str, file: str) -> list[OwnModel]:
    """Return the models of a file beside a scene.

    A file of YAML has `models:` with entries as in `assets/profiles/models.yaml`. A `config.json` is one model, named
    after its folder; another JSON file after itself.

    Raises
    ------
    CatalogError
        With file, line, key, what is wrong and what would be right.
    """
    if file.lower().endswith(".json"):
        return [_of_config(text, file)]
    document = read_document(text, file)
    table = _table(document, file, "the file")
    if "models" not in table:
        raise CatalogError(file, 1, "models", "is missing; a file of models begins with 'models:'")
    for key in table:
        if key != "models":
            raise CatalogError(file, table[key].line, key, "is no key of a file of models; it has 'models'")
    return [_model(name, entry, file) for name, entry in _table(table["models"], file, "models").items()]


def _of_config(text: str, file: str) -> OwnModel:
    path = PurePosixPath(file)
    name = path.parent.name if path.name == "config.json" else path.name.rpartition(".")[0]
    try:
        shape = shape_in_text(text)
    except ConfigError as wrong:
        raise CatalogError(file, 1, "", str(wrong)) from None
    return OwnModel(name.lower(), name, shape, f"config.json as published: {file}", "published", file, 1)


def _model(name: str, entry: DocumentNode, file: str) -> OwnModel:
    table = _table(entry, file, name)
    for key, value in table.items():
        if key not in _KEYS:
            raise CatalogError(
                file, value.line, f"{name}.{key}", f"is no key of a model; {nearest(key, _KEYS)}"
            )
    for key in _NEEDED:
        if key not in table:
            raise CatalogError(file, entry.line, f"{name}.{key}", "is missing; a model needs it")
    words = {key: _text(table[key], file, f"{name}.{key}") for key in _WORDS if key in table}
    if words["status"] not in STATUSES:
        reason = f"is {words['status']!r}; it must be one of {', '.join(STATUSES)}"
        raise CatalogError(file, table["status"].line, f"{name}.status", reason)
    shape: dict[str, Any] = {}
    for key in _COUNTS:
        if key in table:
            shape[key] = _count(table[key], file, f"{name}.{key}", MOST.get(key, MOST["ffn"]))
    for key in _FLAGS:
        if key in table:
            word = _text(table[key], file, f"{name}.{key}")
            if word not in ("true", "false"):
                raise CatalogError(
                    file, table[key].line, f"{name}.{key}", f"is {word!r}; it must be true or false"
                )
            shape[key] = word == "true"
    for part, (needed, more) in _PARTS.items():
        if part in table:
            shape[part] = _part(table[part], file, f"{name}.{part}", needed, more)
    shape.setdefault("kv_heads", shape["heads"])
    if "latent" not in shape and shape["heads"] % shape["kv_heads"]:
        reason = f"{shape['kv_heads']} do not divide {shape['heads']} attention heads"
        raise CatalogError(file, table["kv_heads"].line, f"{name}.kv_heads", reason)
    if "experts" in shape and shape["experts"]["per_token"] > shape["experts"]["count"]:
        reason = f"are {shape['experts']['per_token']} of {shape['experts']['count']} experts"
        raise CatalogError(file, table["experts"].line, f"{name}.experts.per_token", reason)
    return OwnModel(name, words.get("title", name), shape, words["source"], words["status"], file, entry.line)


def _part(
    branch: DocumentNode, file: str, key: str, needed: tuple[str, ...], more: tuple[str, ...]
) -> dict[str, int]:
    table = _table(branch, file, key)
    for name in table:
        if name not in (*needed, *more):
            reason = f"is no key of it; {nearest(name, (*needed, *more))}"
            raise CatalogError(file, table[name].line, f"{key}.{name}", reason)
    for name in needed:
        if name not in table:
            raise CatalogError(file, branch.line, f"{key}.{name}", "is missing")
    return {
        name: _count(value, file, f"{key}.{name}", MOST["hidden"], 1 if name in needed else 0)
        for name, value in table.items()
    }


def _count(branch: DocumentNode, file: str, key: str, most: int, least: int = 1) -> int:
    text = _text(branch, file, key)
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not least <= int(text) <= most:
        reason = f"is {text[:40]!r}; it must be a whole number from {least} to {most:,}"
        raise CatalogError(file, branch.line, key, reason)
    return int(text)


def _table(branch: DocumentNode, file: str, key: str) -> dict[str, DocumentNode]:
    if branch.table is None:
        raise CatalogError(file, branch.line, key, "must be a table of 'key: value'")
    return branch.table


def _text(branch: DocumentNode, file: str, key: str) -> str:
    if not isinstance(branch.content, str) or not branch.content:
        raise CatalogError(file, branch.line, key, "must be one plain value")
    return branch.content
