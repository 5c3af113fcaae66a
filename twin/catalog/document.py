"""A YAML file as a tree of texts that know their line.

Every scalar stays text: the part types know the dimension of each key. Two readers give the same tree: a fast
one for the plain style the shipped files are written in (one `key: {flow}` a line), 20 times quicker than a
full parser at start-up, and ruamel.yaml for any other YAML. A test holds them equal.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError, YAMLWarning
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from twin.catalog.errors import CatalogError

MAX_FILE_CHARS = 2_000_000
_MAX_DEPTH = 12


@dataclass(slots=True)
class DocumentNode:
    """One place of the document: a text, a table or a list."""

    line: int
    content: str | dict[str, DocumentNode] | list[DocumentNode]

    @property
    def text(self) -> str | None:
        """The text; None when this is a table or a list."""
        return self.content if isinstance(self.content, str) else None

    @property
    def table(self) -> dict[str, DocumentNode] | None:
        """The table; None when this is a text or a list."""
        return self.content if isinstance(self.content, dict) else None


def read_document(text: str, file: str) -> DocumentNode:
    """Return the tree of a YAML text.

    Raises
    ------
    CatalogError
        When it is no YAML, too large or too deep, or has a key twice, an alias, or a key that is no text.
    """
    if len(text) > MAX_FILE_CHARS:
        raise CatalogError(file, 0, "", f"has more than {MAX_FILE_CHARS} characters; a catalogue is smaller")
    quick = _read_plain(text)
    return quick if quick is not None else read_any_yaml(text, file)


# One line of the plain style: indent, optional list dash, key, value. Anything else goes to the full parser.
_LINE = re.compile(r"( *)([A-Za-z0-9_.+-]+):(?: +(.*))?")
_ITEM = re.compile(r"( *)- +(\{.*\})")
_PAIR = re.compile(r'\s*([A-Za-z0-9_]+): +("[^"\\]*"|[A-Za-z0-9+.<~(/][^,"{}\[\]#\']*?)\s*(?:,|$)')
_PLAIN = re.compile(r"[A-Za-z0-9+.<~(/][^\"{}\[\]#]*")
_QUOTED = re.compile(r'"[^"\\]*"')


def _read_plain(text: str) -> DocumentNode | None:
    """Read the plain style; None when the text is in any other."""
    root: dict[str, DocumentNode] = {}
    levels: list[tuple[int, DocumentNode]] = [(-1, DocumentNode(1, root))]
    opened: tuple[int, DocumentNode] | None = (
        None  # a key without value: the next deeper line says what it holds
    )
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.rstrip()
        if not line or line.lstrip().startswith("#"):
            continue
        item = _ITEM.fullmatch(line)
        match = item or _LINE.fullmatch(line)
        if match is None:
            return None
        indent = len(match[1])
        if opened is not None and indent > opened[0]:
            opened[1].content = [] if item else {}
            levels.append((indent, opened[1]))
        opened = None
        while levels[-1][0] > indent:
            levels.pop()
        if levels[-1][0] != indent and len(levels) > 1:
            return None
        if levels[-1][0] == -1:
            levels.append((indent, levels[0][1]))
        holder = levels[-1][1].content
        value = _plain_value(match[2] if item else match[3], number)
        if value is None:
            return None
        if item and isinstance(holder, list):
            holder.append(value)
        elif not item and isinstance(holder, dict) and match[2] not in holder:
            holder[match[2]] = value
            if match[3] is None:
                opened = (indent, value)
        else:
            return None
    return levels[0][1]


def _plain_value(text: str | None, line: int) -> DocumentNode | None:
    if text is None:
        return DocumentNode(line, "")
    if text.startswith("{"):
        return _flow_table(text, line)
    if _QUOTED.fullmatch(text):
        return DocumentNode(line, text[1:-1])
    if _PLAIN.fullmatch(text) and ": " not in text and not text.endswith(":"):
        return DocumentNode(line, text)
    return None


def _flow_table(text: str, line: int) -> DocumentNode | None:
    body = text[1:-1].strip()
    if not text.endswith("}"):
        return None
    table: dict[str, DocumentNode] = {}
    position = 0
    while position < len(body):
        pair = _PAIR.match(body, position)
        if pair is None or pair[1] in table or (": " in pair[2] and pair[2][0] != '"'):
            return None
        value = pair[2]
        table[pair[1]] = DocumentNode(line, value[1:-1] if value[0] == '"' else value)
        position = pair.end()
    return DocumentNode(line, table)


def read_any_yaml(text: str, file: str) -> DocumentNode:
    """Read any YAML 1.2 document with ruamel.yaml; raises as `read_document`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", YAMLWarning)  # a reused anchor is only a warning to ruamel
            node = YAML(typ="safe", pure=True).compose(text)
    except YAMLWarning:
        raise CatalogError(file, 0, "", "an anchor is not allowed in a catalogue") from None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = f"is no YAML: {error.problem or error.context}"
        raise CatalogError(file, mark.line + 1 if mark else 0, "", reason) from None
    except (YAMLError, ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else "too deep"
        raise CatalogError(file, 0, "", f"is no YAML: {reason}") from None
    if node is None:
        raise CatalogError(file, 0, "", "is empty; a catalogue starts with 'format: twin/catalog'")
    tree = _branch(node, file, set(), 0)
    tree.line = 1
    return tree


def _branch(node: Node, file: str, seen: set[int], depth: int) -> DocumentNode:
    line = node.start_mark.line + 1
    if id(node) in seen or depth > _MAX_DEPTH:
        reason = "an alias is not allowed in a catalogue" if depth <= _MAX_DEPTH else "nested too deep"
        raise CatalogError(file, line, "", reason)
    seen.add(id(node))
    if isinstance(node, SequenceNode):
        return DocumentNode(line, [_branch(child, file, seen, depth + 1) for child in node.value])
    if isinstance(node, MappingNode):
        table: dict[str, DocumentNode] = {}
        for key, child in node.value:
            name = key.value if isinstance(key, ScalarNode) else ""
            key_line = key.start_mark.line + 1
            if not name:
                raise CatalogError(file, key_line, "", "a key must be a plain text")
            if name in table:
                raise CatalogError(file, key_line, name, "is given twice; keep one of them")
            table[name] = _branch(child, file, seen, depth + 1)
            table[name].line = key_line
        return DocumentNode(line, table)
    return DocumentNode(line, str(node.value))
