"""Texts in another language: translated, and in English wherever the catalogue is missing, damaged or wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from twin import language
from twin.language import counted, english, tr

WHERE = Path("de", "LC_MESSAGES", "twin.mo")
Use = Callable[[Path], None]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Iterator[Use]:
    """Return what lets texts be German, from the catalogue in a folder."""

    def choose(folder: Path) -> None:
        monkeypatch.setenv(language.FOLDER, str(folder))
        monkeypatch.setenv("LANGUAGE", "de")
        language.catalogue.cache_clear()

    yield choose
    monkeypatch.undo()
    language.catalogue.cache_clear()


def written(folder: Path, *texts: tuple[str | tuple[str, str], str | tuple[str, str]]) -> Path:
    """Write a catalogue; return its folder."""
    catalog = Catalog(locale="de")
    for text, translated in texts:
        catalog.add(text, translated)
    place = folder / WHERE
    place.parent.mkdir(parents=True)
    with place.open("wb") as out:
        write_mo(out, catalog)
    return folder


def test_values_stand_where_the_language_has_them(use: Use, tmp_path: Path) -> None:
    use(written(tmp_path, ("{rack} in {row}", "in {row}: {rack}"), ("Nothing waits", "Nichts wartet")))
    assert tr("{rack} in {row}", rack="r1", row="A") == "in A: r1"
    assert tr("Nothing waits") == "Nichts wartet"
    assert tr("Never collected") == "Never collected"
    assert tr("") == ""


@pytest.mark.parametrize(
    "broken",
    ["{nodes} Racks", "{} Racks", "{count Racks", "{count:q} Racks", "{count.real.x}", "{count:>9000000000}"],
)
def test_a_translation_of_other_values_gives_english(use: Use, tmp_path: Path, broken: str) -> None:
    use(written(tmp_path, ("{count} racks", broken), (("{number} rack", "{number} racks"), (broken, broken))))
    assert tr("{count} racks", count=3) == "3 racks"
    if "{count" in broken or "{nodes" in broken:
        assert (counted(1, "rack"), counted(3, "rack")) == ("1 rack", "3 racks")


def test_numbers_have_the_forms_of_the_language(use: Use, tmp_path: Path) -> None:
    use(written(tmp_path, (("{number} rack", "{number} racks"), ("{number} Schrank", "{number} Schränke"))))
    assert (counted(1, "rack"), counted(2000, "rack")) == ("1 Schrank", "2,000 Schränke")
    assert counted(2, "switch") == "2 switches"


def test_without_a_catalogue_texts_are_english(use: Use, tmp_path: Path) -> None:
    for folder in (tmp_path / "none", tmp_path):
        use(folder)
        assert tr("{count} racks", count=3) == "3 racks"
    a_file = tmp_path / "file"
    a_file.write_text("no folder")
    use(a_file)
    assert tr("Racks") == "Racks"


@pytest.mark.parametrize("damage", [b"", b"no catalogue", b"\xde\x12\x04\x95" + b"\xff" * 40, None])
def test_a_damaged_catalogue_gives_english(use: Use, tmp_path: Path, damage: bytes | None) -> None:
    place = written(tmp_path, ("Racks", "Schränke")) / WHERE
    place.write_bytes(place.read_bytes()[:-9] if damage is None else damage)
    use(tmp_path)
    assert tr("Racks") == "Racks"


def test_what_is_started_writes_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(language.FOLDER, "/languages")
    with english():
        assert language.FOLDER not in language.os.environ
    assert language.os.environ[language.FOLDER] == "/languages"
