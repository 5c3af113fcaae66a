"""The room wizard: a few figures on the left, the room they make on the right at once, built as one step."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from twin.app.palette.room_figures import figures_of
from twin.app.palette.room_preview import RoomPreview, beside
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import PlainLabel, plain_tip
from twin.catalog import Catalog, NodePart, RackPart
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.room.join_facility_loop import water_of
from twin.commands.room.room import AddRoom, RoomDesign, RoomError, RoomRequest, design, free_corner, is_empty

_CHOSEN = "by size"
_TITLES = {
    "title": ("Name", "Name of the room"),
    "part": ("Hardware", "Nodes go into plain cabinets; catalogue racks include their nodes"),
    "nodes": ("Nodes in a rack", "In plain cabinets; other racks include their nodes"),
    "rows": ("Rows", "Rows of racks, alternating front to front and back to back"),
    "racks": ("Racks in a row", "Racks of each row"),
    "row_pitch_m": ("Row to row", "From the front of one row to the front of the next: rack depth and aisle"),
    "rack_pitch_m": ("Rack to rack", "Centre to centre; 0: no gap"),
    "containment": ("Containment", "Aisle enclosed to keep hot and cold air apart"),
    "cdu": ("Coolant", "CDU for nodes with cold plates"),
    "cdu_in_row": ("CDUs in the row", "At the end of their row, not beside the rows"),
    "air": ("Air", "Air handler, or a rear door on each rack"),
    "spare": (
        "One spare machine (N+1)",
        "One more CDU, air handler, chiller and generator than needed in each group",
    ),
    "feeds": ("Power", "Two feeds (2N): each alone carries the full load"),
    "generators": ("Diesel generators", "They carry the load when the utility fails"),
    "cabling": ("Network", "Rail-optimised: NIC n of every node on leaf n"),
    "switch": ("Switch", "Part for leaves and spines"),
    "storage": ("Storage boxes", "DDN AI400X2, in separate racks"),
}
_CHOICES: dict[str, tuple[tuple[str, object], ...]] = {
    "containment": (("Hot aisle", "hot"), ("Cold aisle", "cold"), ("None", "none")),
    "feeds": (("A and B", 2), ("One feed", 1)),
    "cabling": (("Rail-optimised", "rail-optimised"), ("Leaf and spine", "leaf-spine"), ("None", "none")),
}


class RoomWizard(QDialog):
    """Asks what a room is to be like.

    Attributes
    ----------
    design
        The room as it would be built; None where it cannot be.
    fields, faults
        Widgets by name of the figure, and the line under each that says what is wrong with it.
    """

    def __init__(
        self, look: Look, session: Session, editor: Editor, catalog: Catalog, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._editor, self._catalog = session, editor, catalog
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Build a room")
        self.setSizeGripEnabled(True)
        self.resize(1080, 720)
        self.design: RoomDesign | None = None
        self.fields: dict[str, QWidget] = {}
        self.faults: dict[str, QLabel] = {}
        self.figures: dict[str, QLabel] = {}
        self.preview = RoomPreview(look)
        self.where_label = label("", "muted", wrap=True)
        self._grid = QGridLayout()
        self.build = QPushButton("Build")
        self.build.setProperty("role", "primary")
        self.build.setToolTip("Adds the room to the hall as one step; Undo removes it")
        self.build.clicked.connect(self._build)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self.refresh)
        self._lay_out(self._form())
        session.plant_changed.connect(self._on_plant)
        self.finished.connect(lambda _: session.plant_changed.disconnect(self._on_plant))
        self.refresh()

    @property
    def room(self) -> RoomRequest:
        """Return what is asked for."""
        values: dict[str, object] = {}
        for name, widget in self.fields.items():
            if isinstance(widget, QLineEdit):
                values[name] = widget.text().strip()
            elif isinstance(widget, QComboBox):
                values[name] = widget.currentData()
            elif isinstance(widget, QCheckBox):
                values[name] = widget.isChecked()
            elif isinstance(widget, QSpinBox | QDoubleSpinBox):
                values[name] = widget.value()
        return replace(RoomRequest(), **values)  # type: ignore[arg-type]

    def refresh(self) -> None:
        """Work the room out and show it, or say at its field what cannot be."""
        room = self.room
        for fault in self.faults.values():
            fault.hide()
        self._enable(room)
        try:
            self.design = design(room, self._catalog)
        except RoomError as wrong:
            self.design = None
            fault = self.faults[wrong.field]
            fault.setText(str(wrong))
            fault.show()
            self.fields[wrong.field].setAccessibleDescription(str(wrong))
            self.preview.show_stale()
            self.where_label.setText("")  # what stood there was said of a room that could be built
            self.build.setEnabled(False)
            return
        self._show(self.design)
        self.build.setEnabled(True)

    # -- what is shown ----

    def _show(self, made: RoomDesign) -> None:
        scene = self._scene()
        corner = free_corner(scene) if scene is not None else (0.0, 0.0)
        self.preview.show_room(made.scene.plant, beside(scene.plant if scene else None, 0, corner))
        if scene is None or is_empty(scene):
            self.where_label.setText("The room goes into the empty hall.")
        else:
            stands = (
                f"The room goes beside the present rows, from x {corner[0]:.1f} m and y {corner[1]:.1f} m on."
            )
            water = water_of(scene)
            grows = (
                f" Its heat goes to {water}, the facility water loop of the hall, enlarged to match."
                if water
                else ""
            )
            self.where_label.setText(stands + grows)
        shown = {figure.label: figure for figure in figures_of(made.scene)}
        for name, figure in shown.items():
            if name not in self.figures:
                self._figure(name)
            self.figures[name].setText(figure.words)
            self.figures[name].setToolTip(plain_tip(figure.tip))
            self.figures[name].setAccessibleDescription(figure.tip)
        for name, part in self.figures.items():
            if name not in shown:
                part.setText("none")
                part.setToolTip("")

    def _figure(self, name: str) -> None:
        row = self._grid.rowCount()
        self._grid.addWidget(label(name, "muted"), row, 0)
        self.figures[name] = label("", "value", wrap=True)
        self._grid.addWidget(self.figures[name], row, 1)

    def _enable(self, room: RoomRequest) -> None:
        part = self._catalog.part(room.part)
        self.fields["nodes"].setEnabled(isinstance(part, NodePart))
        if isinstance(part, RackPart):
            held = [self._catalog.part(group.part) for group in part.layout]
            nodes = [part for part in held if isinstance(part, NodePart)]
        else:
            nodes = [part] if isinstance(part, NodePart) else []
        wet = any(part.liquid_fraction for part in nodes)
        for name in ("cdu", "cdu_in_row"):
            self.fields[name].setEnabled(wet)
        self.fields["switch"].setEnabled(room.cabling != "none")

    def _scene(self) -> EditedScene | None:
        document, plant = self._session.document, self._session.plant
        return None if document is None or plant is None else EditedScene.of(document, plant, self._catalog)

    def _build(self) -> None:
        if self.design is None:
            return
        if self._editor.do(AddRoom(self.design.room, drawn=self.design)):
            self.accept()
        else:
            try:
                scene = self._scene()
                if scene is not None:
                    AddRoom(self.design.room, drawn=self.design).patch(scene)
                self.where_label.setText(self._editor.why_not())
            except CommandError as wrong:
                self.where_label.setText(str(wrong))

    def _on_plant(self, _: object) -> None:
        self._later.start()

    # -- building ----

    def _form(self) -> QWidget:
        form = QWidget()
        form.setProperty("role", "panel")
        grid = QGridLayout(form)
        grid.setContentsMargins(14, 12, 14, 12)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(5)
        first = RoomRequest()
        for row, (name, (title, tip)) in enumerate(_TITLES.items()):
            widget = self._field(name, getattr(first, name))
            widget.setToolTip(plain_tip(tip))
            widget.setAccessibleName(title)
            self.fields[name] = widget
            if isinstance(widget, QCheckBox):
                widget.setText(title)
            else:
                title_label = PlainLabel(title)
                title_label.setBuddy(widget)
                grid.addWidget(title_label, 2 * row, 0)
            grid.addWidget(widget, 2 * row, 1)
            fault = label("", "fault", wrap=True)
            fault.hide()
            self.faults[name] = fault
            grid.addWidget(fault, 2 * row + 1, 1)
        grid.setRowStretch(2 * len(_TITLES), 1)
        return form

    def _field(self, name: str, value: object) -> QWidget:
        """Return the widget for a figure of the room, standing at its first value."""
        if isinstance(value, bool):
            box = QCheckBox()
            box.setChecked(value)
            box.toggled.connect(lambda _: self._later.start())
            return box
        if name in _CHOICES or name in ("part", "cdu", "air", "switch"):
            combo = QComboBox()
            for title, data in _CHOICES.get(name) or self._parts(name):
                combo.addItem(title, data)
            combo.setCurrentIndex(max(combo.findData(value), 0))
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(22)
            combo.currentIndexChanged.connect(lambda _: self._later.start())
            return combo
        if isinstance(value, str):
            line = QLineEdit(value)
            line.textChanged.connect(lambda _: self._later.start())
            return line
        spin: QSpinBox | QDoubleSpinBox
        if isinstance(value, float):
            spin = QDoubleSpinBox()
            spin.setRange(0.0, 30.0)
            spin.setSingleStep(0.1)
            spin.setSuffix(" m")
            spin.setValue(value)
            if name == "rack_pitch_m":
                spin.setSpecialValueText("side to side")
            spin.valueChanged.connect(lambda _: self._later.start())
        else:
            assert isinstance(value, int)
            spin = QSpinBox()
            spin.setRange(0, 9999)
            spin.setValue(value)
            spin.valueChanged.connect(lambda _: self._later.start())
        return spin

    def _parts(self, name: str) -> list[tuple[str, object]]:
        """Return the parts to choose from."""
        catalog = self._catalog
        if name == "part":
            nodes = [catalog.node(id) for id in catalog.ids("node")]
            found: list[NodePart | RackPart] = [part for part in nodes if part.n_gpu and part.height_u >= 2]
            racks = (catalog.rack(id) for id in catalog.ids("rack"))
            found += [part for part in racks if part.n_gpu]
            return [(f"{part.title} ({part.id})", part.id) for part in found]
        kinds = {"cdu": ("cdu",), "air": ("crah", "rdhx"), "switch": ("switch",)}[name]
        parts = [catalog.part(id) for kind in kinds for id in catalog.ids(kind)]
        fit = [
            part
            for part in parts
            if getattr(part, "fabric", "scale-out") == "scale-out"
            and getattr(part, "rejects_to", "") != "room air"
        ]
        return [(_CHOSEN, ""), *((part.title, part.id) for part in fit)]

    def _lay_out(self, form: QWidget) -> None:
        scroll = QScrollArea()
        scroll.setWidget(form)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setMinimumWidth(410)
        scroll.setAccessibleName("Settings of the room")
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields take the keyboard
        right = QVBoxLayout()
        right.setSpacing(10)
        right.addWidget(self.preview, 1)
        self._grid.setColumnStretch(1, 1)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(3)
        nest(right, self._grid)
        right.addWidget(self.where_label)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        cancel = QPushButton("Cancel")
        cancel.setToolTip("Close without building")
        cancel.clicked.connect(self.reject)
        buttons.addWidget(cancel)
        buttons.addWidget(self.build)
        nest(right, buttons)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 14, 12)
        row.setSpacing(14)
        row.addWidget(scroll, 2)
        side = QWidget()
        side.setLayout(right)
        right.setContentsMargins(0, 12, 0, 0)
        row.addWidget(side, 3)
        self.fields["title"].setFocus()
        self.build.setDefault(True)  # only now: outside a dialog it is no default, and Enter would cancel
