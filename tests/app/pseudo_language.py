"""A language of no people: each text in accents, a third longer, in brackets: what is not translated is seen."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.mofile import write_mo

from twin.language import DOMAIN

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

NAME = "en_XA"
TEXTS = Path(__file__).parents[2] / "packaging" / "texts.py"
_KEPT = re.compile(r"\{\{|\}\}|\{[^{}]*\}|<[^<>]*>|&\w+;|&(?=\w)|%[sd]|\*\.\w+|\n")
"""What a translator leaves: names of values, marks of HTML, of keys and of files."""
_ACCENTS = str.maketrans("aeiouyncszAEIOUYNCSZ", "áéíóúýñçšžÁÉÍÓÚÝÑÇŠŽ")
_LONGER = 0.3
_FILL = "~~~~~~~ "


def pseudo(text: str) -> str:
    """Return a text in the language."""
    parts, at = [], 0
    for kept in _KEPT.finditer(text):
        parts += [text[at : kept.start()].translate(_ACCENTS), kept.group()]
        at = kept.end()
    parts.append(text[at:].translate(_ACCENTS))
    head, body, tail = re.fullmatch(r"(\s*)(.*?)(\s*)", "".join(parts), re.DOTALL).groups()  # type: ignore[union-attr]
    longer = round(_LONGER * len(body))
    return f"{head}[{body}{(_FILL * longer)[:longer].rstrip()}]{tail}"


def write(folder: Path) -> None:
    """Write the catalogue of the language where the window looks for it."""
    catalog: Catalog = runpy.run_path(str(TEXTS))["template"]()
    for message in catalog:
        if message.id:
            message.string = (
                pseudo(message.id) if isinstance(message.id, str) else (*map(pseudo, message.id),)
            )
    place = folder / NAME / "LC_MESSAGES" / f"{DOMAIN}.mo"
    place.parent.mkdir(parents=True)
    with place.open("wb") as out:
        write_mo(out, catalog)
