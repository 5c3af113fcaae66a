"""All sheets of a site: which there are, how they are named, and how they refer to one another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from twin.analysis.difference_words import sentence
from twin.catalog import Catalog
from twin.drawings.comparison import comparison_sheets
from twin.drawings.elevation import elevation_sheets
from twin.drawings.network import network_sheet
from twin.drawings.one_line import one_line_sheet
from twin.drawings.paper import PAPERS, Sheet, SheetDraft, TitleBlock, finished
from twin.drawings.piping import piping_sheet
from twin.drawings.plan import PlanDimension, plan_sheet
from twin.drawings.revision import revision_sheets
from twin.drawings.tray_plan import tray_lines
from twin.language import tr
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.record.inputs import app_version, inputs_hash
from twin.scenario.file.diff import differences
from twin.scenario.schema.document import Scenario

KINDS = {
    "plan": ("P", tr("Plan")),
    "elevation": ("E", tr("Rack elevations")),
    "one-line": ("L", tr("One-line diagram")),
    "piping": ("H", tr("Piping")),
    "network": ("N", tr("Network")),
}
"""Kinds of sheets of a site: the letter of their names, and their title for people."""
_REVISION = "C"


class DrawingError(ValueError):
    """A drawing that cannot be; the message is one sentence that says what would be right."""


def drawings(
    scenario: Scenario,
    plant: Plant,
    catalog: Catalog,
    block: TitleBlock,
    kinds: Sequence[str] = tuple(KINDS),
    paper: str = "A3",
    hall: str | None = None,
    dimensions: Sequence[PlanDimension] = (),
) -> list[Sheet]:
    """Return the sheets of a site, numbered, each naming those that belong to it.

    Parameters
    ----------
    scenario, plant, catalog
        The site.
    block
        For the title block.
    kinds
        Which, in this order.
    paper
        A4 to A0.
    hall
        Plan and elevations of this one alone; None: of all.
    dimensions
        Taken in the window, for the plans.

    Raises
    ------
    DrawingError
        When there is no such kind, paper or hall.
    """
    if paper not in PAPERS:
        raise DrawingError(f"paper {paper} is not known; there are {', '.join(PAPERS)}")
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise DrawingError(f"sheet {unknown[0]} is not known; there are {', '.join(KINDS)}")
    if hall is not None and hall not in plant.halls.ids:
        raise DrawingError(f"hall {hall} is not there; there are {', '.join(plant.halls.ids) or 'none'}")
    halls = [slot for slot, id in enumerate(plant.halls.ids) if hall in (None, id)]
    trays = tray_lines(scenario, plant, catalog) if "plan" in kinds else ()
    drafts = [
        draft
        for kind in kinds
        for draft in (
            [plan_sheet(plant, slot, paper, trays, dimensions) for slot in halls]
            if kind == "plan"
            else _drafts(kind, scenario, plant, catalog, paper, halls)
        )
    ]
    return _numbered(drafts, paper, block)


def revision_drawings(
    before: Plant,
    after: Plant,
    sentences: Sequence[str],
    block: TitleBlock,
    paper: str = "A3",
    since: str = "",
) -> list[Sheet]:
    """Return what a revision changed: marked plans of halls, and the changes in words.

    Parameters
    ----------
    before, after
        The site, twice.
    sentences
        The changes in words.
    block
        For the title block, of the revision.
    paper
        A4 to A0.
    since
        The revision before; "": it is not told.
    """
    told = (f"Changes from revision {since} to {block.revision}.",) if since else ()
    drafts = [
        replace(draft, legend=(*told, *draft.legend))
        for draft in revision_sheets(before, after, sentences, paper)
    ]
    return _numbered(drafts, paper, block)


def comparison_drawings(scenarios: Sequence[Scenario], paper: str = "A3") -> list[Sheet]:
    """Return plans of designs side by side, each beside the first, with marks on what differs, and that in words.

    Raises
    ------
    PlantError
        When a hall cannot be built.
    """
    first, *others = scenarios
    plants = [build(scenario) for scenario in scenarios]
    drafts: list[SheetDraft] = []
    for place, other in enumerate(others, 1):
        names = (f"A: {first.title}", f"{'ABCDEFGH'[place]}: {other.title}")
        words = [sentence(difference) for difference in differences(first, other)]
        drafts += comparison_sheets(plants[0], plants[place], names, words, paper)
    block = title_block(first)
    hashes = " | ".join(inputs_hash(scenario)[:8] for scenario in scenarios)
    title = (
        f"{first.title}, compared with {others[0].title if len(others) == 1 else f'{len(others)} designs'}"
    )
    return _numbered(drafts, paper, replace(block, scene=title, revision=hashes))


def _numbered(drafts: Sequence[SheetDraft], paper: str, block: TitleBlock) -> list[Sheet]:
    names = _names(drafts)
    told = _references(drafts, names)
    return [
        finished(
            replace(draft, legend=(*draft.legend, reference)), name, place + 1, len(drafts), paper, block
        )
        for place, (draft, name, reference) in enumerate(zip(drafts, names, told, strict=True))
    ]


def title_block(scenario: Scenario) -> TitleBlock:
    """Return what the title block of a scene says today; its revision changes with whatever the scene says."""
    today = date.today().isoformat()
    return TitleBlock(scenario.title, inputs_hash(scenario)[:8], today, f"gpu-twin {app_version()}")


def svg_names(sheets: Sequence[Sheet], to: Path) -> dict[Path, list[Sheet]]:
    """Return the files of some sheets: `to` itself for one, else with the name of each: hall-P1.svg."""
    if len(sheets) == 1:
        return {to: list(sheets)}
    return {to.with_name(f"{to.stem}-{sheet.name}{to.suffix}"): [sheet] for sheet in sheets}


def _drafts(
    kind: str, scenario: Scenario, plant: Plant, catalog: Catalog, paper: str, halls: Sequence[int]
) -> list[SheetDraft]:
    if kind == "elevation":
        return [draft for slot in halls for draft in elevation_sheets(plant, catalog, slot, paper)]
    if kind == "one-line":
        return [one_line_sheet(scenario, plant, catalog, paper)]
    if kind == "piping":
        return [piping_sheet(plant, catalog, paper)]
    return [network_sheet(plant, paper)]


def _names(drafts: Sequence[SheetDraft]) -> list[str]:
    count: dict[str, int] = defaultdict(int)
    names = []
    for draft in drafts:
        count[draft.kind] += 1
        letter = KINDS[draft.kind][0] if draft.kind in KINDS else _REVISION
        names.append(f"{letter}{count[draft.kind]}")
    return names


def _references(drafts: Sequence[SheetDraft], names: Sequence[str]) -> list[str]:
    """Return what each sheet says of the others."""
    first: dict[str, list[str]] = defaultdict(list)
    for draft, name in zip(drafts, names, strict=True):
        first[draft.title].append(name)
    spans = {
        title: found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}" for title, found in first.items()
    }
    return [
        "; ".join(f"{title}: {span}" for title, span in spans.items() if title != draft.title)
        for draft in drafts
    ]
