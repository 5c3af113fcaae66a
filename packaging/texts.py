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

from twin.catalog.figure import Status
from twin.commands.edit.addressables import TITLES, ItemKind
from twin.designs.need import SiteNeed
from twin.language import DOMAIN, forms
from twin.lessons.schema import Lesson
from twin.planning.network.traffic import KINDS as COMMUNICATIONS
from twin.plant.tables import Kind, RackKind, SwitchRole
from twin.record.channels import JobState, PowerState, State
from twin.record.event_kinds import KINDS
from twin.record.events import Severity as EventSeverity
from twin.rules import SEVERITIES
from twin.scenario.schema.document import Scenario
from twin.view3d.base.state import LAYERS
from twin.view3d.place.presets import PRESETS

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
    schemas = (Scenario.model_json_schema(), Lesson.model_json_schema(), SiteNeed.model_json_schema())
    for place, text in (*_of_tables(), *_described(list(schemas))):
        catalog.add(text, locations=[(place, 1)], flags=_BRACES if "{" in text else [])
    return catalog


def _of_tables() -> Iterator[tuple[str, str]]:
    """Yield the names of states and kinds, which tables translate by themselves, with the file where they stand."""
    for states in (State, PowerState, JobState):
        yield from (("twin/record/channels.py", state.name.lower().replace("_", " ")) for state in states)
    for kinds in (RackKind, SwitchRole):
        yield from (("twin/plant/tables.py", kind.words) for kind in kinds)
    yield from (("twin/record/events.py", severity.words) for severity in EventSeverity)
    for kind in KINDS.values():
        said = (kind.title, kind.job_title, kind.mark, kind.job_detail)
        yield from (("twin/record/event_kinds", text) for text in said if text)
    yield from (("twin/record/alarms.py", status) for status in ("Active", "Ended", "Happened"))
    yield from (("twin/rules/finding.py", text.capitalize()) for text in (*SEVERITIES, "accepted"))
    yield from (("twin/app/hall/strip.py", text.capitalize()) for text in (*LAYERS, *PRESETS))
    yield from (("twin/plant/tables.py", kind.capitalize()) for kind in get_args(Kind))
    yield from (("twin/catalog/figure.py", status) for status in get_args(Status))
    yield from (("twin/planning/network/traffic.py", kind.capitalize()) for kind in COMMUNICATIONS)


def _described(schema: Any) -> Iterator[tuple[str, str]]:
    """Yield what a schema says of its keys: tips of the window's fields."""
    if isinstance(schema, dict):
        if isinstance(schema.get("description"), str):
            yield "twin/scenario/schema", schema["description"]
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
