"""The pages of the help as the window reads them: contents, sections, links and search."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from twin.app.help.pages import START, WHY_FIGURES_CHANGED, HelpPage, pages, picture, resolve
from twin.app.help.search import find_in
from twin.app.shell.dock_table import DOCKS
from twin.resources import folder

HELP = Path(str(folder("assets"))) / "help"
_LINK = re.compile(r"(!?)\]\(([^)\s]+)\)")


def anchors(page: HelpPage) -> set[str]:
    return {anchor for _, anchor, _ in page.sections()}


def test_every_page_is_read_in_the_order_of_the_contents() -> None:
    names = list(pages())
    assert set(names) == {path.relative_to(HELP).as_posix() for path in HELP.rglob("*.md")}
    assert names[:3] == [START, "start.md", "window.md"]
    assert names.index("decisions/index.md") + 1 == names.index("decisions/01-scenario-text-is-spliced.md")
    assert [pages()[name].group for name in ("window.md", "trust.md", "glossary.md")] == [
        "Use",
        "Trust",
        "Build on it",
    ]
    assert pages()[WHY_FIGURES_CHANGED].title == "Why figures of older runs differ"


def test_marks_of_the_generator_and_of_the_site_are_not_shown() -> None:
    for page in pages().values():
        assert "<!--" not in page.text
        assert ":::" not in page.text
    assert "- `twin.api.errors.BadInput`" in pages()["python.md"].text


def test_every_link_leads_to_a_page_or_a_drawing_of_the_help() -> None:
    for page in pages().values():
        prose = re.sub(r"^```.*?^```", "", page.text, flags=re.MULTILINE | re.DOTALL)
        for _, link in _LINK.findall(prose):
            if link.startswith("https://"):
                continue
            path, _, anchor = link.partition("#")
            target = resolve(page.name, path)
            assert target in pages() or picture(target) is not None, (page.name, link)
            assert not anchor or anchor in anchors(pages()[target]), (page.name, link)


@pytest.mark.parametrize("entry", DOCKS, ids=lambda entry: entry.name)
def test_the_help_of_every_dock_exists(entry) -> None:  # type: ignore[no-untyped-def]
    name, _, anchor = entry.help.partition("#")
    assert not anchor or anchor in anchors(pages()[name])


@pytest.mark.parametrize(
    "link", ["../../LICENSE", "/etc/passwd", "../icons/logo.svg", "..", "../help/index.md"]
)
def test_nothing_outside_the_help_is_a_page_or_a_drawing(link: str) -> None:
    target = resolve("window.md", link)
    assert target not in pages()
    assert picture(target) is None


def test_search_finds_sections_with_all_words() -> None:
    found = find_in(pages().values(), "coolant")
    assert len({find.page.name for find in found}) > 5
    assert found[0].heading == "3. Heat and coolant"  # those with the word in their heading first
    assert all("coolant" in find.line.lower() for find in found)
    both = find_in(pages().values(), "CHECKPOINT interval")
    assert both
    assert ("scene-keys.md", "jobscheckpoint") in [(find.page.name, find.anchor) for find in both]
    for find in both:
        lines = next(lines for _, anchor, lines in find.page.sections() if anchor == find.anchor)
        text = " ".join((find.page.title, find.heading, *lines)).lower()
        assert "checkpoint" in text
        assert "interval" in text


def test_search_takes_words_from_their_beginning_and_leaves_out_words_of_questions() -> None:
    assert not find_in(pages().values(), "oolant")
    assert find_in(pages().values(), "drain node") == find_in(pages().values(), "How do I drain a node?")
    assert find_in(pages().values(), "how do i")  # nothing else is said: then these
    assert find_in(pages().values(), "  ") == []
    assert find_in(pages().values(), "[(*") == []
