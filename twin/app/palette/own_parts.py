"""Own parts in the window: a copy of a shipped part to change, the folder they lie in, and reading them again."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QInputDialog, QMenu, QMessageBox, QWidget

from twin.app.session.save_folder import is_shipped
from twin.app.session.session import Session
from twin.app.toolkit.plain_text import make_plain, plain_tip
from twin.catalog import CatalogError, UnknownPart
from twin.catalog.part_text import copy_of
from twin.language import tr
from twin.plant.build import plant_of
from twin.plant.error import PlantError
from twin.scenario import ScenarioError
from twin.scenario.schema.own_files import OwnFile, catalog_with
from twin.whole_file import write_whole

FOLDER = "parts"
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9+._-]+")


class OwnParts:
    """What can be done with the own parts of the open scene.

    Parameters
    ----------
    session
        With the scene.
    window
        In front of which questions are asked.
    """

    def __init__(self, session: Session, window: QWidget) -> None:
        self._session, self._window = session, window

    @property
    def folder(self) -> Path | None:
        """Return where own parts of the scene lie, there or not; None: the scene is not saved, or shipped."""
        draft = self._session.draft
        path = draft.file.path if draft is not None and self._session.recording is None else None
        if path is None or is_shipped(path):
            return None
        return path.parent / FOLDER

    def menu(self, part: str | None) -> QMenu:
        """Return the menu of what can be done; `part` is the shipped part that is chosen."""
        menu, there = QMenu(self._window), self.folder is not None
        why = "" if there else tr("Save the scene first: its own parts lie in the folder beside it")
        shipped = part is not None and part not in self._session.catalog.own_parts
        for title, act, can in (
            (
                tr("Copy to own parts\N{HORIZONTAL ELLIPSIS}"),
                lambda: self.copy(part or ""),
                there and shipped,
            ),
            (tr("Open the folder of own parts"), self.open_folder, there),
            (tr("Read own parts again"), self.reread, there),
        ):
            action = menu.addAction(title, act)
            action.setEnabled(can)
            action.setToolTip(plain_tip(why))
        menu.setToolTipsVisible(True)
        return menu

    def copy(self, part: str) -> bool:
        """Copy a shipped part under a name that is asked for, and read it; return whether it is there."""
        folder, catalog = self.folder, self._session.catalog
        if folder is None:
            return False
        asked = tr("Name of the copy of {part}", part=part)
        name, agreed = QInputDialog.getText(
            self._window, tr("Copy to own parts"), asked, text=_NOT_IN_A_NAME.sub("-", f"{part}-own")
        )
        name = name.strip()
        if not agreed or not name:
            return False
        target = folder / f"{name}.yaml"
        try:
            text = copy_of(catalog, part, name)
            own = OwnFile(file=f"{FOLDER}/{target.name}", holds="parts", text=text)
            draft = self._session.draft
            before = draft.file.scenario.own_files if draft is not None else ()
            catalog_with((*before, own))  # refuses names that are taken or none
            if target.exists():
                return self._tell(tr("{file} is there already", file=target))
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(target, text.encode())
        except (CatalogError, UnknownPart, ValueError) as wrong:
            return self._tell(str(wrong))
        except OSError as wrong:
            return self._tell(
                tr("{file} cannot be written: {error}", file=target, error=wrong.strerror or wrong)
            )
        return self.reread()

    def open_folder(self) -> None:
        """Show the folder of own parts in the program of the system for folders; it is made where it is not there."""
        folder = self.folder
        if folder is None:
            return
        try:
            folder.mkdir(exist_ok=True)
        except OSError as wrong:
            self._tell(tr("{file} cannot be written: {error}", file=folder, error=wrong.strerror or wrong))
            return
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    def reread(self) -> bool:
        """Read the files of own parts again, with undo as it was; a run that has begun starts again, if one agrees."""
        session = self._session
        draft = session.draft
        if draft is None:
            return False
        try:
            file = draft.reread()
            plant_of(file.scenario)
        except (ScenarioError, PlantError, UnknownPart) as wrong:
            return self._tell(str(wrong))
        if file.scenario.own_files == draft.file.scenario.own_files:
            return False
        if session.begun and not self._agrees():
            return False
        draft.take_parts_of(file)
        session.work_on(draft, session.path or Path(file.name), session.seed)
        return True

    def _agrees(self) -> bool:
        box = QMessageBox(self._window)
        box.setObjectName("own-parts")
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(tr("Own parts"))
        box.setText(tr("The own parts of this scene have changed. With them the run starts again."))
        box.setStandardButtons(QMessageBox.StandardButton.Ok | QMessageBox.StandardButton.Cancel)
        make_plain(box)
        return bool(box.exec() == QMessageBox.StandardButton.Ok)

    def _tell(self, words: str) -> bool:
        box = QMessageBox(self._window)
        box.setObjectName("own-parts-refused")
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle(tr("Own parts"))
        box.setText(words)
        make_plain(box)
        box.exec()
        return False
