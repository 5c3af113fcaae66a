"""What is handed over of a scene, as one zip file: scene, report, drawings, lists, 3D, and a page that lists them."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from twin.drawings.paper import Sheet
from twin.drawings.render import pdf_bytes
from twin.drawings.site_drawings import drawings, title_block
from twin.handover.anonymous_scene import STAYING, anonymous_scene
from twin.lists.list_file import NoWorkbook, csv_bytes, workbook_bytes
from twin.lists.site_lists import LISTS
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.report.markup import page, table, tag
from twin.report.paper import report_bytes
from twin.report.scene_report import scene_report
from twin.report.style import STYLE
from twin.scenario import Document
from twin.scenario.formats.sibling_files import FileLimit, found
from twin.scenario.reading.extend import SceneSource
from twin.scenario.text.problem import Problem
from twin.solids.gltf import glb_bytes
from twin.solids.site_solids import site_solids

SCENE_FOLDER = "scene"
PAGE = "index.html"
PAPER = "A3"
"""Of the drawings."""
MOST_BYTES = 50_000_000
"""Of a file that a scene names."""
NAMING = "file"
"""Key whose text is the path of a file beside the one that holds it."""
_STAMP = (2020, 1, 1, 0, 0, 0)
"""Time of all entries; the sheets have the date."""


@dataclass(frozen=True)
class PackageEntry:
    """One file of a package.

    Parameters
    ----------
    name
        Its path inside.
    title
        What it is, for people.
    data
        What it holds.
    """

    name: str
    title: str
    data: bytes

    @property
    def digest(self) -> str:
        """Return its SHA-256 in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


def package_bytes(
    document: Document, tell: Callable[[str], None] = lambda words: None, *, anonymous: bool = False
) -> bytes:
    """Return a zip file with all that is handed over of a scene; `tell` hears what is being made.

    With `anonymous`, names of people, customers, hosts and files are made up, and prices and stories left out; the page
    says what else is.

    Raises
    ------
    PlantError
        When the hall cannot be built.
    ScenarioError
        When a file that the scene names is gone or too large.
    """
    if anonymous:
        with tempfile.TemporaryDirectory() as folder:
            made = anonymous_scene(document, Path(folder))
            return _packed(made.document, tell, made.left_out)
    return _packed(document, tell)


def _packed(
    document: Document, tell: Callable[[str], None], left_out: tuple[str, ...] | None = None
) -> bytes:
    entries = []
    for entry in package_entries(document):
        tell(entry.name)
        entries.append(entry)
    entries.insert(0, PackageEntry(PAGE, "What is in here", _page(document, entries, left_out).encode()))
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for entry in entries:
            packed.writestr(zipfile.ZipInfo(entry.name, _STAMP), entry.data, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def package_entries(document: Document) -> Iterator[PackageEntry]:
    """Yield the files of a package but for the page that lists them."""
    scenario = document.scenario
    yield from scene_entries(document)
    plant = build(scenario)
    report = scene_report(document)
    for name, kind in (("report.html", "for a browser"), ("report.pdf", "on paper")):
        title = f"Report of the scene as designed, for who decides, builds and checks, {kind}"
        yield PackageEntry(name, title, report_bytes(Path(name), report))
    sheets = drawings(scenario, plant, plant.catalog, title_block(scenario), paper=PAPER)
    title = f"Drawings, {PAPER}: {_sheets_words(sheets)}"
    yield PackageEntry("drawings.pdf", title, pdf_bytes(sheets, scenario.title))
    yield from _lists(document, plant)
    solids = glb_bytes(site_solids(plant, plant.catalog), scenario.title)
    yield PackageEntry("hall.glb", "The hall for 3D programs, as glTF", solids)


def scene_entries(document: Document) -> Iterator[PackageEntry]:
    """Yield a scene and all files that it needs: what it extends, its own parts and models, files that it names."""
    own, *inherited = document.files
    folder = own.path.parent.resolve() if own.path is not None else None
    name = own.path.name if own.path is not None else "scene.twin.yaml"
    needed: dict[str, bytes] = {}
    for source in inherited:  # a shipped one lies elsewhere: everybody has it
        if source.path is not None and folder is not None and source.path.resolve().is_relative_to(folder):
            needed[source.path.resolve().relative_to(folder).as_posix()] = source.text.encode()
    for part in document.scenario.own_files:
        needed[part.file] = part.text.encode()
    for source in document.files:
        if source.path is not None and folder is not None and source.path.resolve().is_relative_to(folder):
            needed = dict(_named_files(source, folder)) | needed
    yield PackageEntry(f"{SCENE_FOLDER}/{name}", "The scene: twin open opens it", own.text.encode())
    for path, data in needed.items():
        yield PackageEntry(f"{SCENE_FOLDER}/{path}", "A file that the scene needs", data)


def _named_files(source: SceneSource, top: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files beside one file of a scene that it names: series, weather, traces; by their path below `top`."""
    assert source.path is not None
    folder = source.path.parent.resolve()
    for named in dict.fromkeys(_files_in(source.tree.plain())):
        place = Problem(source.name, 0, "", "", "")
        origin = found(named, folder, place, FileLimit(MOST_BYTES, "a package"))
        yield origin.path.relative_to(top).as_posix(), origin.path.read_bytes()


def _files_in(value: object) -> Iterator[str]:
    """Yield what the keys of a scene say that name a file."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == NAMING and isinstance(inner, str):
                yield inner
            else:
                yield from _files_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _files_in(inner)


def _lists(document: Document, plant: Plant) -> Iterator[PackageEntry]:
    made = [kind.make(document.scenario, plant, plant.catalog) for kind in LISTS.values()]
    for site_list in made:
        title = f"{site_list.title}, {len(site_list.rows):,} rows"
        yield PackageEntry(f"lists/{site_list.name}.csv", title, csv_bytes(site_list))
    try:
        yield PackageEntry("lists/lists.xlsx", "All lists as a workbook of Excel", workbook_bytes(made))
    except NoWorkbook:
        return


def _sheets_words(sheets: Sequence[Sheet]) -> str:
    """Return which sheets there are: those of one title together."""
    names: dict[str, list[str]] = {}
    for sheet in sheets:
        names.setdefault(sheet.title, []).append(sheet.name)
    return "; ".join(
        f"{found[0] if len(found) == 1 else f'{found[0]} to {found[-1]}'} {title}"
        for title, found in names.items()
    )


def _page(document: Document, entries: list[PackageEntry], left_out: tuple[str, ...] | None) -> str:
    rows = [
        (
            tag("a", entry.name, href=entry.name),
            entry.title,
            f"{len(entry.data):,}",
            tag("code", entry.digest),
        )
        for entry in entries
    ]
    block = title_block(document.scenario)
    body = tag(
        "main",
        tag("h1", document.scenario.title),
        tag(
            "p",
            f"Revision {block.revision} of the scene, as in the title block of each drawing; made by {block.program}. "
            "A design that is simulated, not measured: what is estimated the report says, and in the bill of materials "
            "the column of each price.",
        ),
        tag(
            "p",
            "What belongs together; each file with its size and its SHA-256, by which it is known to be as it was sent "
            "(sha256sum FILE, on Windows certutil -hashfile FILE SHA256).",
        ),
        table(("file", "what it is", "bytes", "SHA-256"), rows),
        *(() if left_out is None else _anonymity(left_out)),
    )
    return page(document.scenario.title, STYLE, body)


def _anonymity(left_out: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the page says of an anonymous package."""
    lacking = [tag("p", "Left out: " + "; ".join(left_out) + ".")] if left_out else []
    return (
        tag("h2", "Anonymous"),
        tag(
            "p",
            "Names of tenants, users, jobs, halls, hosts, stores and files are made up, the same everywhere in the "
            "package; titles and stories are gone.",
        ),
        *lacking,
        tag("p", "Not replaced: " + "; ".join(STAYING) + "."),
    )
