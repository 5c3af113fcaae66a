"""Text of a shipped part, as a file of own parts begins with it."""

from __future__ import annotations

from twin.catalog.catalog import Catalog, shipped_texts
from twin.catalog.errors import UnknownPart

HEAD = "format: twin/catalog\nversion: 1\n"
"""First lines of a catalogue file."""


def copy_of(catalog: Catalog, part_id: str, new_id: str) -> str:
    """Return a catalogue file with a shipped part under a name of its own: all figures with their sources.

    Raises
    ------
    UnknownPart
        When it is no shipped part.
    """
    file, _, line = catalog.place(part_id).rpartition(":")
    texts = shipped_texts()
    if file not in texts:
        raise UnknownPart(
            "shipped part", part_id, [name for name in catalog.ids() if name not in catalog.own_parts]
        )
    lines = texts[file].splitlines()
    first = int(line) - 1
    indent = len(lines[first]) - len(lines[first].lstrip())
    last = first + 1
    while last < len(lines) and (not lines[last].strip() or _indent(lines[last]) > indent):
        last += 1
    body = [text for text in lines[first + 1 : last] if text.strip() and not text.lstrip().startswith("#")]
    title = f'{indent * 2 * " "}title: "{catalog.part(part_id).title} (own)"'
    body = [title if text.strip().startswith("title:") else text for text in body]
    remark = (
        f"# A copy of {part_id} of the shipped catalogue: change figures, and say of each where it is from.\n"
    )
    return "\n".join(
        [remark + HEAD.rstrip(), "", f"{catalog.part(part_id).KIND}:", f"  {new_id}:", *body, ""]
    )


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
