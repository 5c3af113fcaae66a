"""The form of a need: what the site is wanted for, each refusal beside the field it belongs to."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QGridLayout, QPushButton

from twin.app.form.field import Field, FieldState
from twin.app.form.field_form import FieldForm, add_heading
from twin.app.form.places import place_named
from twin.app.form.row import FieldRow
from twin.app.needs.need_draft import MOST_ITEMS, NeedDraft, general_words, problem_line, problem_words
from twin.app.needs.need_fields import NeedSection, default_text, sections, shown_text, source_of, value_text
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.plain_text import plain_tip
from twin.commands.edit.command import CommandError
from twin.language import tr
from twin.scenario.text.emit import scalar
from twin.scenario.text.problem import Problem, ScenarioError

_LISTS = {
    "workloads": (
        tr("Add a workload"),
        tr("Workloads are done one after another, each on all GPUs of its stage"),
    ),
    "stages": (tr("Add a stage of growth"), tr("How many GPUs are in service from which month on")),
}
_FILES = {
    "config": (
        tr("Choose a config.json\N{HORIZONTAL ELLIPSIS}"),
        tr("As a model is published with"),
        tr("The config.json of a model"),
        tr("Models (*.json);;All files (*)"),
    ),
    "file": (
        tr("Choose a job trace\N{HORIZONTAL ELLIPSIS}"),
        tr("Jobs of another cluster, in the folder of the need: its GPUs follow from them instead of stages"),
        tr("A job trace beside the need"),
        tr("Job traces (*.swf *.csv *.json *.txt);;All files (*)"),
    ),
}
"""By the last word of a field that names a file: its button, what that is for, its dialog, the files shown there."""


class NeedForm(FieldForm):
    """Shows a need and tells of every edit.

    Attributes
    ----------
    told
        What is wrong with the need where no field is of it.
    """

    changed = Signal(object)  # NeedDraft

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("Settings of the need"))
        self._draft: NeedDraft | None = None
        self._shape: tuple[NeedSection, ...] = ()
        self._refused: dict[str, str] = {}  # typed, and no value: it stays until it is put right
        self.buttons: dict[str, QPushButton] = {}
        self.told = label("", "fault", wrap=True)
        self.told.hide()
        self._column.setSpacing(4)
        self._stack(below=(self.told,))

    @property
    def first_fault(self) -> FieldRow | None:
        """Return the first field that says something is wrong; None: none does."""
        return next((row for row in self.rows.values() if not row.told.isHidden()), None)

    def show_draft(self, draft: NeedDraft, problems: tuple[Problem, ...] = ()) -> None:
        """Show a need and what is wrong with it, without telling of it."""
        if self._draft is None or draft.source.path != self._draft.source.path:
            self._refused.clear()
        self._draft = draft
        shape = tuple(sections(draft.plain, draft.catalog))
        if shape != self._shape:
            self._shape = shape
            self._build(shape)
        for key, row in self.rows.items():
            if key in self._refused:
                continue
            row.settle()
            row.show(self._state(draft, row.of))
        general = []
        for problem in reversed(problems):  # the first at a field stays
            at, own = self._row_of(problem.key), problem.file == draft.source.name
            if not own:
                at = self._row_naming(problem) or at
            if at is None:
                general.append(general_words(problem))
            elif at.of.key not in self._refused:
                at.refuse(problem_words(problem) if own else problem_line(problem))
        self.told.setText("\n".join(reversed(general)))
        self.told.setVisible(bool(general))

    def focus_fault(self) -> bool:
        """Go to what is wrong; return whether anything is."""
        row = self.first_fault
        if row is not None:
            row.field.setFocus()
            self.ensureWidgetVisible(row.told)
        elif not self.told.isHidden():
            self.ensureWidgetVisible(self.told)
        return row is not None or not self.told.isHidden()

    # -- building ----

    def _build(self, shape: tuple[NeedSection, ...]) -> None:
        grid = self._begin_body()
        self.rows, self.buttons = {}, {}
        for place, section in enumerate(shape):
            self._head(grid, section)
            for of in section.fields:
                self.rows[of.key] = self._row(of, grid, grid.rowCount())
                files = _FILES.get(of.key.rpartition(".")[2])
                if files is not None:
                    self._add_button(grid, of.key, files[:2], partial(self._ask_file, of.key, *files[2:]))
            following = shape[place + 1].key if place + 1 < len(shape) else ""
            if following == "dataset":
                self._add_list(grid, "workloads")
            elif following == "trace":
                self._add_list(grid, "stages")
        self._show_body(row.field for row in self.rows.values())

    def _head(self, grid: QGridLayout, section: NeedSection) -> None:
        line = add_heading(grid, section.heading, 2 if section.item else 3)
        if section.item:
            name, _, place = section.key.removesuffix("]").partition("[")
            button = tool_button(self._look, "close", tr("Remove {what}", what=section.heading))
            button.clicked.connect(partial(self._remove, name, int(place)))
            grid.addWidget(button, line, 2, Qt.AlignmentFlag.AlignRight)

    def _add_list(self, grid: QGridLayout, key: str) -> None:
        self._add_button(grid, key, _LISTS[key], partial(self._add, key))

    def _add_button(self, grid: QGridLayout, key: str, words: tuple[str, str], done: object) -> None:
        button = QPushButton(words[0])
        button.setToolTip(plain_tip(words[1]))
        button.setProperty("role", "link")
        button.setAutoDefault(False)
        button.clicked.connect(done)
        self.buttons[key] = button
        grid.addWidget(button, grid.rowCount(), 0, 1, 3, Qt.AlignmentFlag.AlignLeft)

    def _state(self, draft: NeedDraft, of: Field) -> FieldState:
        value = draft.value(of.key)
        if of.key.endswith(".kind"):
            return FieldState(source_of(draft.value(of.key.removesuffix(".kind"))))
        default = default_text(of)
        if value is None and of.kind in ("choice", "switch"):
            return FieldState(default, ghost=default)
        text = "" if value is None else shown_text(of, value)
        return FieldState(text, ghost=default, resettable=value is not None)

    def _row_of(self, key: str) -> FieldRow | None:
        """Return the field that a problem is of: at its key, above or below it."""
        if key in self.rows:
            return self.rows[key]
        inside = [row for name, row in self.rows.items() if key and name.startswith((f"{key}.", f"{key}["))]
        around = [row for name, row in self.rows.items() if key.startswith((f"{name}.", f"{name}["))]
        return next(iter((*around, *inside)), None)

    def _row_naming(self, problem: Problem) -> FieldRow | None:
        """Return the field that names the file in which something is wrong, or one beside it of that key."""
        for name, row in self.rows.items():
            if self._draft is not None and self._draft.value(name) == problem.file:
                return self.rows.get(f"{name.rpartition('.')[0]}.{problem.key}", row)
        return None

    # -- telling ----

    def _enter(self, of: Field, words: str | None) -> None:
        """Tell of the need with what was entered, or why it is no such value."""
        draft = self._draft
        if draft is None:
            return
        self._refused.pop(of.key, None)
        try:
            if of.key.endswith(".kind"):
                made = draft.with_source(of.key.removesuffix(".kind"), words or "preset")
            elif not (words or "").strip():
                made = draft.changed(of.key, None)
            elif of.kind == "place":
                made = draft.changed(of.key, scalar(place_named(words or "")))
            else:
                made = draft.changed(of.key, value_text(of, words or ""))
        except (CommandError, ScenarioError) as wrong:
            why = wrong.problems[0].reason if isinstance(wrong, ScenarioError) else str(wrong)
            self._refused[of.key] = why
            self.rows[of.key].refuse(why)
            return
        self.changed.emit(made)

    def _add(self, key: str) -> None:
        draft = self._draft
        if draft is not None and len(draft.value(key) or []) < MOST_ITEMS:
            self._refused.clear()
            self.changed.emit(draft.with_item(key))

    def _remove(self, key: str, place: int) -> None:
        if self._draft is not None:
            self._refused.clear()
            self.changed.emit(self._draft.without_item(key, place))

    def _ask_file(self, key: str, title: str, kinds: str) -> None:
        """Let the person choose the file that a field names."""
        draft = self._draft
        if draft is None:
            return
        begin = str(draft.folder or Path.home())
        chosen, _ = QFileDialog.getOpenFileName(self, title, begin, kinds)
        if chosen:
            self._refused.pop(key, None)
            self.changed.emit(with_file(draft, key, Path(chosen)))


def with_file(draft: NeedDraft, key: str, path: Path) -> NeedDraft:
    """Return a need that names a file; one that is saved nowhere looks for it in the folder of that."""
    if draft.source.path is None:
        draft = replace(draft, folder=path.parent)
    folder = draft.folder or path.parent
    return draft.changed(key, scalar(os.path.relpath(path, folder)))
