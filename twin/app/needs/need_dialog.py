"""The window *From a need*: a form of what a site is wanted for, and the designs that meet it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from twin.app.needs.front_panel import FrontPanel
from twin.app.needs.need_draft import NEW, NeedDraft
from twin.app.needs.need_form import NeedForm
from twin.app.needs.need_search import NeedSearch
from twin.app.toolkit import theme
from twin.app.toolkit.count_field import CountBox
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.nested_layouts import nest
from twin.designs.design_folder import new_folder, write_folder
from twin.designs.need import SUFFIX
from twin.designs.need_file import NeedFile, shipped_needs
from twin.language import tr
from twin.scenario.text.problem import ScenarioError

_FORM_PX, _FORM_SHARE, _OF_SCREEN, _CANDIDATES, _MOST = 350, 0.34, 0.96, 1000, 1_000_000
_MOST_TEXT = 100_000
_FILTER = tr("Needs (*{suffix});;All files (*)", suffix=SUFFIX)


class NeedDialog(QDialog):
    """Asks for a need, and shows its designs; it keeps both until it is closed for good.

    Attributes
    ----------
    draft
        The need as it stands.
    search
        What was found for it.
    """

    open_wanted = Signal(object)  # FoundDesign
    compare_wanted = Signal(object)  # list of FoundDesign
    told = Signal(str, str)  # title and sentence

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("From a need"))
        self.setSizeGripEnabled(True)
        wanted = QSize(1080 + theme.scaled(_FORM_PX), 880)
        self.resize(wanted.boundedTo(self.screen().availableSize() * _OF_SCREEN))
        self.search = NeedSearch(self)
        self.form, self.panel = NeedForm(look), FrontPanel(look, self.search)
        self.draft = NeedDraft.of(NEW, f"need{SUFFIX}")
        self.examples: dict[str, QPushButton] = {}
        self._answered = ""  # text of the need that was searched last
        self._lay_out(look)
        self.form.changed.connect(self.show_draft)
        self.find_button.clicked.connect(self.find_designs)
        self.panel.open_wanted.connect(self._on_open)
        self.panel.compare_wanted.connect(self._on_compare)
        self.panel.save_wanted.connect(self.ask_folder)
        self.panel.need_wanted.connect(self.use_need)
        self.panel.confirm_wanted.connect(
            lambda names, count: self.search.confirm(names, range(1, count + 1))
        )
        self.search.changed.connect(self._on_search)
        self.search.failed.connect(lambda why: self.told.emit(tr("The search failed"), why))
        QShortcut(QKeySequence.StandardKey.Save, self, self.save)
        QShortcut(QKeySequence.StandardKey.Open, self, self.ask_file)
        self.show_draft(self.draft)

    # -- the need ----

    def show_draft(self, draft: NeedDraft) -> NeedFile | None:
        """Show a need, and what is wrong with it; return it where it is one."""
        self.draft = draft
        judged = draft.judged()
        self.form.show_draft(draft, () if isinstance(judged, NeedFile) else judged)
        screen_px = round(self.screen().availableSize().width() * _OF_SCREEN)
        wide_px = min(theme.scaled(_FORM_PX), round(_FORM_SHARE * screen_px))
        self._side.setFixedWidth(max(wide_px, self.form.needed_px))
        self.setWindowTitle(tr("From a need: {title}[*]", title=draft.title))
        self.setWindowModified(draft.dirty)
        self.panel.show_stale(draft.source.text != self._answered)
        return judged if isinstance(judged, NeedFile) else None

    def new(self) -> None:
        """Begin with a new need; what was found goes."""
        self.search.forget()
        self._answered = ""
        self.show_draft(NeedDraft.of(NEW, f"need{SUFFIX}"))

    def unsaved(self) -> list[str]:
        """Return the text of the need where that is saved nowhere; [] else."""
        text = self.draft.source.text
        return [text] if self.draft.dirty and len(text) < _MOST_TEXT else []

    def restore(self, text: str) -> None:
        """Go on with a need that was not saved when the window was closed."""
        try:
            draft = NeedDraft.of(text, f"need{SUFFIX}")
        except ScenarioError:
            return
        self.show_draft(replace(draft, saved=""))

    def open_file(self, path: Path) -> bool:
        """Begin with the need of a file; return whether it can be read."""
        try:
            draft = NeedDraft.opened(path, shipped=path in shipped_needs().values())
        except ScenarioError as wrong:
            self.told.emit(tr("{name} cannot be opened", name=path.name), str(wrong))
            return False
        self.show_draft(draft)
        return True

    def ask_file(self) -> None:
        """Let the person choose a need."""
        begin = str(self.draft.source.path.parent if self.draft.source.path is not None else Path.home())
        chosen, _ = QFileDialog.getOpenFileName(self, tr("Open a need"), begin, _FILTER)
        if chosen:
            self.open_file(Path(chosen))

    def save(self) -> bool:
        """Save the need where it came from; a new one asks where. Return whether it is saved."""
        path = self.draft.source.path
        if path is None:
            folder = self.draft.folder if self.draft.folder is not None else Path.home()
            begin = (
                folder if folder not in {each.parent for each in shipped_needs().values()} else Path.home()
            )
            chosen, _ = QFileDialog.getSaveFileName(
                self, tr("Save the need"), str(begin / self.draft.source.name), _FILTER
            )
            if not chosen:
                return False
            path = Path(chosen if chosen.endswith((".yaml", ".yml")) else f"{chosen}{SUFFIX}")
        try:
            made = self.draft.saved_at(path)
        except OSError as error:
            self.told.emit(tr("Need not saved"), str(error))
            return False
        self.show_draft(made)
        return True

    # -- its designs ----

    def find_designs(self) -> None:
        """Look for designs, or go to what is wrong with the need."""
        judged = self.draft.judged()
        if self.form.focus_fault() or not isinstance(judged, NeedFile):
            return
        self._answered = self.draft.source.text
        self.search.begin(judged, self.candidates.value())
        self.panel.show_stale(False)

    def use_need(self, values: Mapping[str, str]) -> None:
        """Change limits so that there are designs, and look for them."""
        self.show_draft(self.draft.with_all(values))
        self.find_designs()

    def ask_folder(self) -> None:
        """Let the person choose where a folder of the designs goes, and write it."""
        made = self.search.scenes()
        if made is None or not made.names:
            return
        begin = self.draft.source.path.parent if self.draft.source.path is not None else Path.home()
        chosen, _ = QFileDialog.getSaveFileName(
            self, tr("Save the designs as a new folder"), str(begin / "designs")
        )
        if not chosen:
            return
        try:
            write_folder(made, new_folder(Path(chosen)))
        except OSError as error:
            self.told.emit(tr("Designs not saved"), str(error))
        else:
            self.told.emit(tr("Designs saved"), chosen)

    def showEvent(self, event: QShowEvent) -> None:
        """Begin at the first field."""
        super().showEvent(event)
        if not event.spontaneous() and self.search.answer is None:
            next(iter(self.form.rows.values())).field.setFocus()

    def close_search(self) -> None:
        """End what runs; call when the window closes."""
        self.search.close()

    # -- building ----

    def _lay_out(self, look: Look) -> None:
        self._side = side = QWidget()
        side.setProperty("role", "side")
        side.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        left = QVBoxLayout(side)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(0)
        nest(left, self._files(look))
        left.addWidget(self.form, 1)
        nest(left, self._find())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(side)
        row.addWidget(self.panel, 1)
        self.panel.examples.addWidget(label(tr("EXAMPLES"), "section"))
        for path in shipped_needs().values():
            button = QPushButton(NeedDraft.opened(path).title)
            button.setProperty("role", "link")
            button.setAutoDefault(False)
            button.setToolTip(tr("Begin with this need; it is saved elsewhere"))
            button.clicked.connect(partial(self.open_file, path))
            self.examples[path.name.removesuffix(SUFFIX)] = button
            self.panel.examples.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    def _files(self, look: Look) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(14, 8, 12, 4)
        row.setSpacing(6)
        row.addWidget(label(tr("A need"), "headline"), 1)
        self.new_button = tool_button(look, "scenes", tr("A new need, and the examples"))
        self.new_button.clicked.connect(self.new)
        row.addWidget(self.new_button)
        self.open_button = tool_button(look, "open", tr("Open a need (Ctrl+O)"))
        self.open_button.clicked.connect(self.ask_file)
        self.save_button = tool_button(look, "save", tr("Save the need (Ctrl+S)"))
        self.save_button.clicked.connect(self.save)
        row.addWidget(self.open_button)
        row.addWidget(self.save_button)
        return row

    def _find(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setContentsMargins(14, 8, 12, 10)
        column.setSpacing(6)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.candidates = CountBox(1, _MOST, doubles=True)
        self.candidates.setValue(_CANDIDATES)
        self.candidates.setAccessibleName(tr("Candidates to screen"))
        self.candidates.setToolTip(tr("Candidates that are screened"))
        self.find_button = QPushButton(tr("&Find designs"))
        self.find_button.setProperty("role", "primary")
        self.find_button.setAutoDefault(False)
        self.find_button.setToolTip(tr("Screen candidates, and build and check a scene of each good one"))
        row.addWidget(label(tr("Candidates"), "muted"), 1)
        row.addWidget(self.candidates)
        nest(column, row)
        column.addWidget(self.find_button)
        return column

    # -- following ----

    def _on_search(self) -> None:
        self.find_button.setText(tr("&Find designs") if not self.search.busy else tr("&Find anew"))
        self.panel.show_stale(self.draft.source.text != self._answered)

    def _on_open(self, name: str) -> None:
        self.open_wanted.emit(next(candidate for candidate in self.search.found if candidate.name == name))

    def _on_compare(self, names: list[str]) -> None:
        self.compare_wanted.emit(
            [candidate for candidate in self.search.found if candidate.name in names and candidate.passes]
        )
