"""Where the shipped data files are: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from textwrap import dedent
from typing import Any

_IN_CHECKOUT = {"reference": "tests/reference"}
"""Where a folder lies in a checkout when not at its top."""


def folder(name: str) -> Traversable:
    """Return the shipped folder `name` ("assets", "scenes" or "reference").

    Raises
    ------
    FileNotFoundError
        When the installation lacks the folder.
    """
    inside = files("twin") / name
    if inside.is_dir():
        return inside
    beside = Path(str(files("twin"))).parent / _IN_CHECKOUT.get(name, name)
    if beside.is_dir():
        return beside
    raise FileNotFoundError(f"this installation of gpu-twin has no folder {name!r}; install it again")


class ResourceError(ValueError):
    """A shipped file is missing or wrong.

    Parameters
    ----------
    file, key
        Where the fault is; `key` is dotted, empty for the whole file, and both where `reason` says it.
    reason
        What is wrong and what would be right.
    line
        Of the file, from 1; 0 when unknown.
    """

    def __init__(self, file: str, key: str, reason: str, line: int = 0) -> None:
        self.file, self.key, self.reason, self.line = file, key, reason, line
        where = f"{file}:{line}" if line else file
        super().__init__(": ".join(part for part in (where, key, reason) if part))


def shipped_mapping(path: str, error: type[ResourceError] = ResourceError) -> Mapping[str, Any]:
    """Return the mapping in a shipped YAML file; each key of it is parsed when it is asked for.

    Parameters
    ----------
    path
        From the shipped folder on: "assets/profiles/h100.yaml".
    error
        Raised when the file is missing, is no YAML, or no mapping; by a key, when that is asked for.
    """
    text = shipped_text(path, error)
    parse = partial(mapping_in, file=path, error=error)
    texts = yaml_texts(text)
    return YamlParts(texts, parse) if texts else parse(text)


def shipped_text(path: str, error: type[ResourceError] = ResourceError) -> str:
    """Return the text of a shipped file, `path` and `error` as of `shipped_mapping`."""
    name, *steps = path.split("/")
    file = folder(name)
    for step in steps:
        file = file / step
    if not file.is_file():
        raise error(path, "", "no such file")
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise error(path, "", f"is no UTF-8 text: {fault.reason}") from fault


def mapping_in(text: str, file: str, error: type[ResourceError] = ResourceError) -> Mapping[str, Any]:
    """Return the mapping in a text of YAML, of which nothing is run; `file` is for messages.

    Raises `error` when it is no YAML, nested without end, no mapping, or has a key that is no text.
    """
    from ruamel.yaml.error import YAMLError

    try:
        document = parse_yaml(text)
        odd = _odd_key(document)
    except YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        problem = getattr(fault, "problem", None) or str(fault).splitlines()[0]
        raise error(file, "", f"not readable as YAML: {problem}", mark.line + 1 if mark else 0) from fault
    except RecursionError as fault:
        raise error(file, "", "not readable as YAML: nested too deeply") from fault
    except ValueError as fault:
        raise error(file, "", f"not readable as YAML: {fault}") from fault
    if not isinstance(document, dict):
        raise error(file, "", "must be a mapping of keys to values")
    if odd:
        raise error(file, odd, "the key must be a text; put it in quotes")
    return document


def _odd_key(document: Any) -> str:
    """Return the dotted place of the first key of nested mappings that is no text; empty: there is none."""
    for key, below in document.items() if isinstance(document, dict) else ():
        if not isinstance(key, str):
            return str(key)
        if odd := _odd_key(below):
            return f"{key}.{odd}"
    return ""


def group_in(
    document: Mapping[str, Any], file: str, key: str, error: type[ResourceError] = ResourceError
) -> Mapping[str, Any]:
    """Return a mapping inside a document; raises `error` when it is missing or no mapping."""
    found = document.get(key)
    if not isinstance(found, Mapping):
        raise error(file, key, "missing or no mapping")
    return found


@lru_cache(maxsize=64)
def parse_yaml(text: str) -> Any:
    """Return what a YAML text says, nothing of it run; the same text is parsed once, so leave the result as it is.

    Profiles and presets are read by the scenario's checks and by the planner, and parsing them takes a tenth of a
    second.

    Raises
    ------
    ruamel.yaml.error.YAMLError
        When it is no YAML.
    """
    from ruamel.yaml import YAML  # scenes can be listed without it

    return YAML(typ="safe", pure=True).load(text)


# At the left edge: a key, or anything that is neither indented nor a comment.
_EDGE = re.compile(r"^(?:([A-Za-z][A-Za-z0-9_.+/-]*):(?=[ \n]|\Z)|[^ #\n].*)", re.MULTILINE)


class YamlParts(Mapping[str, Any]):
    """A group of a YAML text of which each key is parsed when somebody asks for it.

    Parameters
    ----------
    texts
        Text of each key with what is below it, as `yaml_texts` gives it.
    parse
        Returns what such a text says.
    """

    def __init__(self, texts: Mapping[str, str], parse: Callable[[str], Any] = parse_yaml) -> None:
        self._texts, self._parse = texts, parse
        self._known: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        if key not in self._known:
            self._known[key] = self._value(key)
        return self._known[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def _value(self, key: str) -> Any:
        text = self._texts[key]
        body = text.lstrip("\n")
        head, _, below = body.partition("\n")
        above = "\n" * (len(text) - len(body) + 1)  # so that an error names its line
        texts = yaml_texts(above + dedent(below)) if head == f"{key}:" else None
        if texts and all(part.lstrip("\n").startswith(f"{name}:\n") for name, part in texts.items()):
            return YamlParts(texts, self._parse)  # a group of groups
        return self._parse(text)[key]


def yaml_texts(text: str) -> dict[str, str] | None:
    """Return the text of each key at the left edge; None: it is no plain group of keys, to be parsed as a whole.

    Lines before a key are kept empty in its text, so that an error names its line.
    """
    edges = list(_EDGE.finditer(text))
    keys = [edge[1] for edge in edges]
    if not keys or None in keys or len(set(keys)) < len(keys):
        return None
    ends = [*(edge.start() for edge in edges[1:]), len(text)]
    parts = [text[edge.start() : end] for edge, end in zip(edges, ends, strict=True)]
    if any(part.count(left) != part.count(right) for part in parts for left, right in ("{}", "[]")):
        return None  # a key at the edge may stand in brackets that were opened before
    return {
        key: "\n" * text.count("\n", 0, edge.start()) + part
        for key, edge, part in zip(keys, edges, parts, strict=True)
    }
