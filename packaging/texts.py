"""Collects the texts of the window for translators, as a template of GNU gettext: ``texts.py [FILE]``.

``msginit`` or any editor of such files makes the catalogue of a language from it; ``TWIN_LANGUAGES`` names the folder
where the window looks for ``LANGUAGE/LC_MESSAGES/twin.mo`` (see ``twin/language.py``).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import write_po

from twin.commands.edit.addressables import TITLES, ItemKind
from twin.language import DOMAIN, forms
from twin.rules import SEVERITIES
from twin.scenario.schema.document import Scenario

ROOT = Path(__file__).parents[1]
_BRACES = ["python-brace-format"]


def template() -> Catalog:
    """Return every text of the window, with the places where it stands."""
    catalog = Catalog(project="gpu-twin", charset="utf-8", fuzzy=False)
    for place, text in _marked("tr", 1):
        catalog.add(text, locations=[place], flags=_BRACES if "{" in text else [])
    for place, noun in _marked("counted", 2):
        catalog.add(forms(noun), locations=[place], flags=_BRACES)
    for noun in (*TITLES.values(), *get_args(ItemKind), "accepted finding", *SEVERITIES):
        catalog.add(forms(noun), locations=[("twin/commands/edit/addressables.py", 1)], flags=_BRACES)
    for text in _described(Scenario.model_json_schema()):
        catalog.add(text, locations=[("twin/scenario/schema", 1)])
    return catalog


def _described(schema: Any) -> Iterator[str]:
    """Yield what a schema says of its keys: tips of the window's fields."""
    if isinstance(schema, dict):
        if isinstance(schema.get("description"), str):
            yield schema["description"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from _described(part)


def _marked(function: str, argument: int) -> Iterator[tuple[tuple[str, int], str]]:
    """Yield each text that is an argument of a function, with its place."""
    keywords = {function: (argument,)}
    for path, line, text, _, _ in extract_from_dir(ROOT / "twin", [("**.py", "python")], keywords=keywords):
        yield (f"twin/{path}", line), str(text)


def main(file: Path) -> None:
    """Write the template."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as out:
        write_po(out, template(), width=100, sort_by_file=True)
    print(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out" / f"{DOMAIN}.pot")
