"""The form of the job dialog: every choice of a job, each refusal beside the field it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QWidget

from twin.app.form.field import Field, FieldState
from twin.app.form.field_form import FieldForm, add_heading
from twin.app.form.row import FieldEditor, form_grid
from twin.app.form.typed import text_of, typed_value
from twin.app.planner.draft import JobDraft, edited, on_hardware, shown_value
from twin.app.planner.fields import fields_for
from twin.app.planner.hardware import PlannerHardware
from twin.app.planner.presets import Preset, work_name
from twin.app.toolkit.count_field import CountBox, CountSlider, notches
from twin.app.toolkit.look import Look, label
from twin.commands.edit.command import CommandError
from twin.language import tr

_MODEL = Field("model", tr("Model"), tr("Published models, and the jobs of the open scene"), kind="choice")
_HARDWARE = Field(
    "hardware",
    tr("Hardware"),
    tr("GPUs of the open scene, or any GPU with a calibration profile"),
    kind="choice",
)
_GPUS = Field("gpus", "GPUs", tr("GPUs of the job"), kind="count", low=1, steps="slide")


class JobForm(FieldForm):
    """Shows a draft and tells of every edit.

    Attributes
    ----------
    edited
        Path of the field last changed.
    """

    changed = Signal(object)  # Draft

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("Settings of the job"))
        self._draft: JobDraft | None = None
        self._presets: list[Preset] = []
        self._hardware: list[PlannerHardware] = []
        self._shape: tuple[Field, ...] = ()
        self.edited = ""
        self.data_parallel = label("", "value")
        fixed = QWidget()
        grid = form_grid(fixed)
        self._first = {
            of.key: self._row(of, grid, 2 * line) for line, of in enumerate((_MODEL, _HARDWARE, _GPUS))
        }
        self.rows = dict(self._first)
        self._stack(above=(fixed,))

    @property
    def editors(self) -> dict[str, FieldEditor]:
        """Return the widgets of the workload's fields by path."""
        return {key: row.field for key, row in self.rows.items() if key not in self._first}

    @property
    def faults(self) -> dict[str, QLabel]:
        """Return the lines that refusals stand on by path."""
        return {key: row.told for key, row in self.rows.items()}

    @property
    def model_box(self) -> QComboBox:
        """Return the list of models."""
        return self._first["model"].field  # type: ignore[return-value]

    @property
    def hardware_box(self) -> QComboBox:
        """Return the list of hardware."""
        return self._first["hardware"].field  # type: ignore[return-value]

    @property
    def gpus(self) -> CountSlider:
        """Return the slider of GPUs."""
        return self._first["gpus"].field  # type: ignore[return-value]

    def offer(self, presets_offered: list[Preset], hardware: list[PlannerHardware]) -> None:
        """Fill the lists of models and hardware."""
        self._presets, self._hardware = presets_offered, hardware
        for key, titles in (
            ("model", [preset.title for preset in presets_offered]),
            ("hardware", [choice.title for choice in hardware]),
        ):
            self._first[key].offer([str(place) for place in range(len(titles))], titles)

    def show_draft(self, draft: JobDraft, faults: Mapping[str, str]) -> None:
        """Show a draft and what is wrong with it, without telling of it."""
        self._draft = draft
        shape = fields_for(draft.workload, draft.hardware.catalog)
        if shape != self._shape:
            self._shape = shape
            self._build(shape)
        all_but_one = draft.hardware.gpus - draft.hardware.node_gpus  # leaves a spare node
        self.gpus.set_stops(notches(draft.hardware.gpus, (draft.gpus, all_but_one)))
        batch = self.editors.get("global_batch")
        if isinstance(batch, CountBox):
            batch.set_unit(draft.batch_unit)
        models = (str(place) for place, preset in enumerate(self._presets) if preset.is_of(draft.workload))
        texts = {
            "model": next(models, ""),
            "hardware": str(self._hardware.index(draft.hardware)),
            "gpus": str(draft.gpus),
        }
        name = work_name(draft.workload)  # of a model that is not in the list
        for key, row in self.rows.items():
            text = texts[key] if key in texts else text_of(row.of, shown_value(draft, key))
            row.settle()
            row.show(FieldState(text, ghost=name if key == "model" else ""))
            if key in faults:
                row.refuse(faults[key])
        copies = draft.data_parallel
        self.data_parallel.setText(
            "\N{EM DASH}" if copies is None else tr("{copies:,} copies", copies=copies)
        )

    # -- building ----

    def _build(self, shape: tuple[Field, ...]) -> None:
        grid, heading = self._begin_body(), ""
        self.rows = dict(self._first)
        self.data_parallel = label("", "value")
        last_cut = [of.key for of in shape if of.key in ("parallelism.context", "parallelism.expert")][-1:]
        for of in shape:
            line = grid.rowCount()
            if of.heading != heading:
                heading = of.heading
                line = add_heading(grid, heading) + 1
            self.rows[of.key] = self._row(of, grid, line)
            if [of.key] == last_cut:
                self._add_copies(grid, line + 2)
        self._show_body((self.gpus.box, *self.editors.values()))

    def _add_copies(self, grid: QGridLayout, line: int) -> None:
        grid.addWidget(label(tr("Data DP"), "muted"), line, 0)
        self.data_parallel.setToolTip(tr("Copies of the model that share the batch: GPUs / (TP x PP x CP)"))
        self.data_parallel.setAlignment(Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self.data_parallel, line, 1)
        grid.addWidget(label(tr("derived"), "faint"), line, 2)

    # -- telling ----

    def _enter(self, of: Field, text: str) -> None:
        """Tell of the draft with what was entered, or why it is no such value."""
        draft = self._draft
        if draft is None:
            return
        if of is _MODEL:
            changed = self._presets[int(text)].apply(draft)
        elif of is _HARDWARE:
            changed = on_hardware(draft, self._hardware[int(text)])
        else:
            try:
                value = typed_value(of, text)
            except CommandError as refusal:
                self.rows[of.key].refuse(str(refusal))
                return
            self.edited = of.key
            changed = replace(draft, gpus=value) if of is _GPUS else edited(draft, of.key, value)
        self.changed.emit(changed)
