"""The pages of the Help menu: the story of the scene, every key, what this program is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from twin.app.toolkit.read_only_dialog import Page, Prose
from twin.catalog import load_catalog
from twin.resources import folder

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from twin.app.toolkit.command_palette import PaletteEntry
    from twin.scenario.schema.document import Scenario
    from twin.view3d.gl.capability import Capability

_MOUSE = [
    ("Left drag", "orbit"),
    ("Right or middle drag", "pan"),
    ("Right click", "menu of the item"),
    ("Wheel", "zoom to the pointer"),
    ("Double click", "fly there"),
]


def show_story(scenario: Scenario, parent: QWidget) -> None:
    """Show title, notes and sources of a scene."""
    page = Page(scenario.title, parent)
    write_story(scenario, page.prose)
    page.show()


def write_story(scenario: Scenario, prose: Prose) -> None:
    """Write notes and sources of a scene."""
    prose.add_paragraphs(" ".join(p.split()) for p in scenario.notes.split("\n\n") if p.strip())
    if scenario.sources:
        prose.add_section("Sources")
        prose.add_paragraphs(scenario.sources)


def show_keys(entries: Iterable[PaletteEntry], parent: QWidget) -> None:
    """Show every key."""
    page = Page("Keys", parent)
    page.prose.add_pairs([*((entry.shortcut, entry.title) for entry in entries if entry.shortcut), *_MOUSE])
    page.show()


def show_why_figures_changed(parent: QWidget) -> None:
    """Show why a scene comes to other figures today than in a run file of an older version."""
    title, *lines = (
        (folder("assets") / "help" / "why-figures-changed.md").read_text(encoding="utf-8").splitlines()
    )
    page = Page(title.removeprefix("# "), parent)
    for line in lines:
        if line.startswith("## "):
            page.prose.add_section(line.removeprefix("## "))
        elif line.strip():
            page.prose.add_paragraphs([line.removeprefix("- ").replace("`", "")])
    page.show()


def show_about(capability: Capability, parent: QWidget) -> None:
    """Show what this program is and what it draws with."""
    page = Page("gpu-twin", parent)
    page.prose.add_paragraphs(
        ["An interactive digital twin of a GPU data centre. All figures are simulated."]
    )
    page.prose.add_pairs(
        [
            ("Graphics", capability.renderer),
            ("OpenGL", capability.version),
            ("Renderer", "software" if capability.software else "hardware"),
            ("Catalogue", load_catalog().version),
            ("Licence", "Apache-2.0"),
        ]
    )
    page.show()
