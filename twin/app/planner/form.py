"""The form of the job dialog: every choice of a job, each refusal beside the field it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from twin.app.planner.draft import JobDraft, on_hardware
from twin.app.planner.fields import FormField, edited, fields_for, shown_value
from twin.app.planner.hardware import PlannerHardware
from twin.app.planner.presets import Preset
from twin.app.toolkit.count_field import CountBox, CountSlider, notches
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.plain_text import plain_tip

_BOX_PX = 116
_SECTIONS = {
    "Work": "WORK OF A STEP",
    "Layout": "PARALLELISM LAYOUT",
    "Memory": "MEMORY",
    "Overlap": "OVERLAP",
}


class JobForm(QScrollArea):
    """Shows a draft and tells of every edit."""

    changed = Signal(object)  # Draft

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setAccessibleName("Settings of the job")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields take the keyboard
        self._look = look
        self._draft: JobDraft | None = None
        self._presets: list[Preset] = []
        self._hardware: list[PlannerHardware] = []
        self._shape: tuple[FormField, ...] = ()
        self.edited = ""  # path of the field last changed
        self.editors: dict[str, QWidget] = {}
        self.faults: dict[str, QLabel] = {}
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.model_box = self._combo("Model")
        self.model_box.setToolTip("Published models, and the jobs of the open scene")
        self.hardware_box = self._combo("Hardware")
        self.hardware_box.setToolTip("GPUs of the open scene, or any GPU with a calibration profile")
        self.gpus = CountSlider("GPUs")
        self.gpus.setToolTip("GPUs of the job")
        self.data_parallel = label("", "value")
        self._content: QWidget | None = None
        self.model_box.activated.connect(self._on_model)
        self.hardware_box.activated.connect(self._on_hardware)
        self.gpus.changed.connect(self._on_gpus)
        self._fixed = QWidget()
        self._rows = QWidget()
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(14, 10, 12, 10)
        column.setSpacing(0)
        column.addWidget(self._fixed)
        column.addWidget(self._rows)
        column.addStretch(1)
        self._column = column
        self._build_fixed()
        self.setWidget(content)

    def offer(self, presets_offered: list[Preset], hardware: list[PlannerHardware]) -> None:
        """Fill the lists of models and hardware."""
        self._presets, self._hardware = presets_offered, hardware
        for box, titles in (
            (self.model_box, [preset.title for preset in presets_offered]),
            (self.hardware_box, [choice.title for choice in hardware]),
        ):
            box.clear()
            box.addItems(titles)

    def show_draft(self, draft: JobDraft, faults: Mapping[str, str]) -> None:
        """Show a draft and what is wrong with it, without telling of it."""
        shape = fields_for(draft)
        if shape != self._shape:
            self._shape = shape
            self._build_rows(shape)
        all_but_one = draft.hardware.gpus - draft.hardware.node_gpus  # leaves a spare node
        stops = notches(draft.hardware.gpus, (draft.gpus, all_but_one))
        self.gpus.set_stops(stops)
        self.gpus.show_count(draft.gpus)
        self.hardware_box.setCurrentIndex(self._hardware.index(draft.hardware))
        self.model_box.setCurrentIndex(
            next((i for i, preset in enumerate(self._presets) if preset.is_of(draft.workload)), -1)
        )
        self._draft = None  # editors speak only while a draft is shown
        batch = self.editors.get("global_batch")
        if isinstance(batch, CountBox):
            batch.set_unit(draft.batch_unit)
        for spec in shape:
            _put(self.editors[spec.path], shown_value(draft, spec))
        copies = draft.data_parallel
        self.data_parallel.setText("\N{EM DASH}" if copies is None else f"{copies:,} copies")
        for path, place in self.faults.items():
            place.setText(faults.get(path, ""))
            place.setVisible(path in faults)
        self._draft = draft

    # -- building ----

    def _combo(self, name: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(12)
        return box

    def _fault(self, path: str) -> QLabel:
        made = label("", "fault", wrap=True)
        made.setVisible(False)
        self.faults[path] = made
        return made

    def _build_fixed(self) -> None:
        grid = _grid(self._fixed)
        for row, (title, editor, path) in enumerate(
            (
                ("Model", self.model_box, "model"),
                ("Hardware", self.hardware_box, "hardware"),
                ("GPUs", self.gpus, "gpus"),
            )
        ):
            name = label(title, "muted")
            name.setBuddy(editor)
            grid.addWidget(name, 2 * row, 0)
            grid.addWidget(editor, 2 * row, 1, 1, 2)
            grid.addWidget(self._fault(path), 2 * row + 1, 0, 1, 3)

    def _build_rows(self, shape: tuple[FormField, ...]) -> None:
        self._draft = None
        self._rows.hide()
        self._rows.deleteLater()
        self._rows = QWidget()
        self.editors = {}
        self.faults = {path: self.faults[path] for path in ("model", "hardware", "gpus")}
        self.data_parallel = label("", "value")
        grid, row, section = _grid(self._rows), 0, ""
        for spec in shape:
            if spec.section != section:
                section = spec.section
                head = label(_SECTIONS[section], "section")
                head.setContentsMargins(0, 9, 0, 1)
                grid.addWidget(head, row, 0, 1, 3)
                row += 1
            row = self._add_field(grid, row, spec)
            if spec.path == "parallelism.expert" or (
                spec.path == "parallelism.context" and not any(s.path == "parallelism.expert" for s in shape)
            ):
                grid.addWidget(label("Data DP", "muted"), row, 0)
                self.data_parallel.setToolTip(
                    "Copies of the model that share the batch: GPUs / (TP x PP x CP)"
                )
                self.data_parallel.setAlignment(Qt.AlignmentFlag.AlignRight)
                grid.addWidget(self.data_parallel, row, 1)
                grid.addWidget(label("derived", "faint"), row, 2)
                row += 1
        self._column.insertWidget(1, self._rows)
        before: QWidget = self.gpus.box
        for editor in self.editors.values():  # they came last: Tab would pass the whole dialog before them
            QWidget.setTabOrder(before, editor)
            before = editor

    def _add_field(self, grid: QGridLayout, row: int, spec: FormField) -> int:
        editor = self._editor(spec)
        editor.setToolTip(plain_tip(spec.tip))
        editor.setAccessibleName(spec.title)
        editor.setAccessibleDescription(f"{spec.tip} ({spec.unit})" if spec.unit else spec.tip)
        self.editors[spec.path] = editor
        if isinstance(editor, QCheckBox):
            grid.addWidget(editor, row, 0, 1, 3)
        else:
            name = label(spec.title, "muted")
            name.setBuddy(editor)
            name.setToolTip(plain_tip(spec.tip))
            grid.addWidget(name, row, 0)
            grid.addWidget(editor, row, 1, 1, 1 if spec.unit else 2)
            if spec.unit:
                grid.addWidget(label(spec.unit, "faint"), row, 2)
        grid.addWidget(self._fault(spec.path), row + 1, 0, 1, 3)
        return row + 2

    def _editor(self, spec: FormField) -> QWidget:
        tell = partial(self._on_field, spec)
        if spec.switch:
            switch = QCheckBox(spec.title)
            switch.toggled.connect(tell)
            return switch
        if spec.choices:
            box = self._combo(spec.title)
            for value, title in spec.choices:
                box.addItem(title, value)
            box.activated.connect(lambda at, box=box: tell(box.itemData(at)))
            return box
        count = CountBox(spec.low, 100 if spec.share else spec.high, doubles=spec.doubles)
        count.setFixedWidth(_BOX_PX)
        if spec.share:
            count.setSuffix(" %")
            count.valueChanged.connect(lambda value: tell(value / 100.0))
        elif spec.real:
            count.valueChanged.connect(lambda value: tell(float(value)))
        else:
            count.valueChanged.connect(tell)
        return count

    # -- telling ----

    def _on_field(self, spec: FormField, value: object) -> None:
        if self._draft is not None:
            self.edited = spec.path
            self.changed.emit(edited(self._draft, spec, value))

    def _on_model(self, at: int) -> None:
        if self._draft is not None and 0 <= at < len(self._presets):
            self.changed.emit(self._presets[at].apply(self._draft))

    def _on_hardware(self, at: int) -> None:
        if self._draft is not None and 0 <= at < len(self._hardware):
            self.changed.emit(on_hardware(self._draft, self._hardware[at]))

    def _on_gpus(self, gpus: int) -> None:
        if self._draft is not None:
            self.edited = "gpus"
            self.changed.emit(replace(self._draft, gpus=gpus))


def _grid(widget: QWidget) -> QGridLayout:
    grid = QGridLayout(widget)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(8)
    grid.setVerticalSpacing(3)
    grid.setColumnMinimumWidth(0, 88)
    grid.setColumnStretch(2, 1)
    return grid


def _put(editor: QWidget, value: object) -> None:
    """Show a value in an editor without its telling of it."""
    editor.blockSignals(True)
    if isinstance(editor, QCheckBox):
        editor.setChecked(bool(value))
    elif isinstance(editor, QComboBox):
        editor.setCurrentIndex(editor.findData(value))
    elif isinstance(editor, CountBox) and isinstance(value, int):
        editor.setValue(value)
    elif isinstance(editor, CountBox) and isinstance(value, float):
        editor.setValue(round(100.0 * value if editor.suffix() else value))
    editor.blockSignals(False)
