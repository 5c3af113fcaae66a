"""*File > Export 3D*: the hall as it is shown, as glTF or OpenUSD for other programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from twin.app.documents.file_to_write import file_to_write
from twin.app.session.session import Session
from twin.language import counted, tr
from twin.solids.gltf import glb_bytes
from twin.solids.site_solids import site_solids
from twin.solids.usd import usda_text
from twin.whole_file import write_whole

_FILTERS = {".glb": tr("glTF (*.glb)"), ".usda": tr("OpenUSD (*.usda)")}


def ask_solids(session: Session, colour_by: str, parent: QWidget, tell: Callable[[str, str], None]) -> None:
    """Let the person choose where the solids of the hall go, and write them."""
    path = file_to_write(session, parent, tr("Export 3D"), _FILTERS)
    if path is not None:
        write_solids(session, colour_by, path, tell)


def write_solids(session: Session, colour_by: str, path: Path, tell: Callable[[str, str], None]) -> None:
    """Write the hall with the colours of the moment that is shown, and say so, or why not."""
    document, plant = session.document, session.plant
    if document is None or plant is None:
        return
    solids = site_solids(plant, plant.catalog, session.frame, colour_by)
    title = document.scenario.title
    usd = path.suffix == ".usda"
    try:
        write_whole(path, usda_text(solids, title).encode() if usd else glb_bytes(solids, title))
    except OSError as error:
        tell(tr("Not exported"), tr("{path}: {error}", path=path, error=error.strerror or error))
    else:
        tell(tr("Exported"), tr("{path}, {things}", path=path, things=counted(len(solids), "thing")))
