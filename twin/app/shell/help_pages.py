"""Pages of the Help menu that are no files: the story of the scene, what this program is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.app.toolkit.read_only_dialog import Page, Prose
from twin.catalog import load_catalog
from twin.language import tr

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from twin.scenario.schema.document import Scenario
    from twin.view3d.gl.capability import Capability


def show_story(scenario: Scenario, parent: QWidget) -> None:
    """Show title, notes and sources of a scene."""
    page = Page(scenario.title, parent)
    write_story(scenario, page.prose)
    page.show()


def write_story(scenario: Scenario, prose: Prose) -> None:
    """Write notes and sources of a scene."""
    prose.add_paragraphs(" ".join(p.split()) for p in scenario.notes.split("\n\n") if p.strip())
    if scenario.sources:
        prose.add_section(tr("Sources"))
        prose.add_paragraphs(scenario.sources)


def show_about(capability: Capability, parent: QWidget) -> None:
    """Show what this program is and what it draws with."""
    page = Page("gpu-twin", parent)
    page.prose.add_paragraphs(
        [tr("An interactive digital twin of a GPU data centre. All figures are simulated.")]
    )
    page.prose.add_pairs(
        [
            (tr("Graphics"), capability.renderer),
            ("OpenGL", capability.version),
            (tr("Renderer"), "software" if capability.software else "hardware"),
            (tr("Catalogue"), load_catalog().version),
            (tr("Licence"), tr("Apache-2.0")),
        ]
    )
    page.show()
