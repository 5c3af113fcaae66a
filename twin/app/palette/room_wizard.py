"""The room wizard: a few figures on the left, the room they make on the right at once, built as one step."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from twin.app.form.field import Field, FieldState
from twin.app.form.place_row import PlaceRow
from twin.app.form.places import PLACE_KEY
from twin.app.form.row import FieldEditor, FieldRow
from twin.app.form.typed import text_of, typed_value
from twin.app.palette.room_figures import figures_of, year_figures_of
from twin.app.palette.room_preview import RoomPreview, beside
from twin.app.placing.payload import Together
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.app.toolkit import theme
from twin.app.toolkit.charts.month_bars import MonthBars
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.world.rows import World
from twin.app.world.site_year import year_of
from twin.catalog import NodePart, RackPart
from twin.commands.edit.command import Command, CommandError, EditedScene
from twin.commands.place.properties import SetProperty
from twin.commands.room.join_facility_loop import water_of
from twin.commands.room.room import AddRoom, RoomDesign, RoomError, RoomRequest, design, free_corner, is_empty
from twin.commands.room.room_plan import stack_of
from twin.language import tr
from twin.record.site_year import SiteYear
from twin.scenario.checks.sizes import MOST_NODES
from twin.scenario.file.resolve_references import in_place

_FORM_PX = 410
_TOTAL = "total_nodes"
"""The field of what rows and racks come to: a room is asked for in racks."""
_CHOSEN = tr("by size")
_ASKED = tr("As the redundancy asks")
_LEVELS: Mapping[str, str] = {
    "N": tr("N: no spare"),
    "N+1": tr("N+1: a spare in each group"),
    "2N": tr("2N: everything twice"),
}
_SAID: Mapping[str, Mapping[str, bool | int | None]] = {
    "spare": {"": None, "yes": True, "no": False},
    "feeds": {"": None, "2": 2, "1": 1},
}
"""What choices of a figure mean that may be left to the targets."""
_PARTS: Mapping[str, str] = {}
"""Choices of what is chosen from the catalogue."""


def _count(key: str, title: str, tip: str, unit: str, most: int = 9999) -> Field:
    return Field(key, title, tip, kind="count", unit=unit, low=0, high=most, steps="one")


def _pitch(key: str, title: str, tip: str) -> Field:
    return Field(key, title, tip, kind="quantity", dimension="length", low=0, high=30, steps="tenth")


def _switch(key: str, title: str, tip: str) -> Field:
    return Field(key, title, tip, kind="switch")


def _choice(key: str, title: str, tip: str, choices: Mapping[str, str] = _PARTS) -> Field:
    return Field(key, title, tip, kind="choice", choices=tuple(choices), titles=tuple(choices.values()))


_FIELDS = (
    Field("title", tr("Name"), tr("Name of the room")),
    _choice("part", tr("Hardware"), tr("Nodes go into plain cabinets; catalogue racks include their nodes")),
    _count("nodes", tr("Nodes in a rack"), tr("In plain cabinets; other racks include their nodes"), "nodes"),
    _count("rows", tr("Rows"), tr("Rows of racks, alternating front to front and back to back"), "rows"),
    _count("racks", tr("Racks in a row"), tr("Racks of each row"), "racks"),
    _count(
        _TOTAL,
        tr("Nodes in all"),
        tr("Sets the racks in a row: whole racks for so many nodes"),
        "nodes",
        most=MOST_NODES,
    ),
    _pitch(
        "row_pitch_m",
        tr("Row to row"),
        tr("From the front of one row to the front of the next: rack depth and aisle"),
    ),
    _pitch("rack_pitch_m", tr("Rack to rack"), tr("Centre to centre; 0: no gap")),
    _choice(
        "containment",
        tr("Containment"),
        tr("Aisle enclosed to keep hot and cold air apart"),
        {"hot": tr("Hot aisle"), "cold": tr("Cold aisle"), "none": tr("None")},
    ),
    _choice("cdu", tr("Coolant"), tr("CDU for nodes with cold plates")),
    _switch("cdu_in_row", tr("CDUs in the row"), tr("At the end of their row, not beside the rows")),
    _choice("air", tr("Air"), tr("Air handler, or a rear door on each rack")),
    _choice(
        "power",
        tr("Power redundancy"),
        tr(
            "N+1: a spare transformer, UPS and generator, and PDUs A and B. 2N: two chains from two utilities"
        ),
        _LEVELS,
    ),
    _choice(
        "cooling",
        tr("Cooling redundancy"),
        tr("N+1: a spare CDU, air handler and chiller in each group. 2N: twice as many as needed"),
        _LEVELS,
    ),
    _choice(
        "network",
        tr("Network redundancy"),
        tr(
            "N: each NIC has one cable; N+1 and 2N: two, to two leaves, so that any switch may fail. The room begins "
            "with N, because two cables take twice the leaves: nodes behind a failed leaf wait, and jobs restart "
            "without them"
        ),
        _LEVELS,
    ),
    _choice(
        "spare",
        tr("Spare machines"),
        tr(
            "One more CDU, air handler, chiller, transformer, UPS and generator than needed in each group, or none"
        ),
        {"": _ASKED, "yes": tr("One in each group"), "no": tr("None")},
    ),
    _choice(
        "feeds",
        tr("Feeds"),
        tr("Two feeds: each alone carries the full load"),
        {"": _ASKED, "2": tr("A and B"), "1": tr("One feed")},
    ),
    _switch("generators", tr("Diesel generators"), tr("They carry the load when the utility fails")),
    _choice(
        "cabling",
        tr("Network"),
        tr("Rail-optimised: NIC n of every node on leaf n"),
        {"rail-optimised": tr("Rail-optimised"), "leaf-spine": tr("Leaf and spine"), "none": tr("None")},
    ),
    _choice("switch", tr("Switch"), tr("Part for leaves and spines")),
    _count("storage", tr("Storage boxes"), tr("DDN AI400X2, in separate racks"), tr("boxes")),
)


def _value(first: RoomRequest, key: str, typed: object) -> Any:
    """Return what is typed into a field as the figure of the request has it."""
    return _SAID[key][str(typed)] if key in _SAID else type(getattr(first, key))(typed)


class RoomWizard(QDialog):
    """Asks what a room is to be like.

    Attributes
    ----------
    design
        The room as it would be built; None where it cannot be.
    rows
        Fields by name of the figure.
    """

    def __init__(self, look: Look, session: Session, editor: Editor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._editor = session, editor
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Build a room"))
        self.setSizeGripEnabled(True)
        wanted = QSize(670 + theme.scaled(_FORM_PX), 720)
        self.resize(wanted.boundedTo(self.screen().availableSize() * 0.96))
        self.design: RoomDesign | None = None
        self.rows: dict[str, FieldRow] = {}
        self.figures: dict[str, QLabel] = {}
        self.place, self._place = PlaceRow(look), ""
        self.preview, self.months = RoomPreview(look), MonthBars(look, "PUE", 1.0, "{:.2f}".format)
        self.where_label = label("", "muted", wrap=True)
        self._grid = QGridLayout()
        self.build = QPushButton(tr("Build"))
        self.build.setProperty("role", "primary")
        self.build.setToolTip(tr("Adds the room to the hall as one step; Undo removes it"))
        self.build.clicked.connect(self._build)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self.refresh)
        self._lay_out(self._form(look))
        session.plant_changed.connect(self._on_plant)
        self.finished.connect(lambda _: session.plant_changed.disconnect(self._on_plant))
        self.refresh()

    @property
    def room(self) -> RoomRequest:
        """Return what is asked for."""
        first = RoomRequest()
        asked = {key: typed_value(row.of, row.text) for key, row in self.rows.items() if key != _TOTAL}
        return replace(first, **{key: _value(first, key, typed) for key, typed in asked.items()})

    @property
    def fields(self) -> dict[str, FieldEditor]:
        """Return the widgets by name of the figure."""
        return {key: row.field for key, row in self.rows.items()}

    @property
    def faults(self) -> dict[str, QLabel]:
        """Return the lines that say what is wrong with a figure, by its name."""
        return {key: row.told for key, row in self.rows.items()}

    def refresh(self) -> None:
        """Work the room out and show it, or say at its field what cannot be."""
        room = self.room
        for row in self.rows.values():
            row.settle()
        self._enable(room)
        try:
            self.design = design(room, self._session.catalog)
        except RoomError as wrong:
            self.design = None
            self.rows[wrong.field].refuse(str(wrong))
            self.preview.show_stale()
            self.where_label.setText("")  # what stood there was said of a room that could be built
            self.build.setEnabled(False)
            return
        self._show(self.design)
        self._tell_total(self.design)
        self.build.setEnabled(True)

    # -- what is shown ----

    def _show(self, made: RoomDesign) -> None:
        scene = self._scene()
        corner = free_corner(scene) if scene is not None else (0.0, 0.0)
        self.preview.show_room(made.scene.plant, beside(scene.plant if scene else None, 0, corner))
        if scene is None or is_empty(scene):
            self.where_label.setText(tr("The room goes into the empty hall."))
        else:
            stands = tr(
                "The room goes beside the existing rows, from x {corner:.1f} m and y {second_corner:.1f} m on.",
                corner=corner[0],
                second_corner=corner[1],
            )
            water = water_of(scene)
            grows = (
                tr(
                    " Its heat goes to {water}, the facility water loop of the hall, enlarged to match.",
                    water=water,
                )
                if water
                else ""
            )
            self.where_label.setText(stands + grows)
        year = self._year(made)
        self.months.setVisible(isinstance(year, SiteYear) and not year.mean_day)
        if isinstance(year, SiteYear):
            self.months.show_months(year.monthly_pue.tolist())
        shown = {figure.label: figure for figure in [*figures_of(made.scene), *year_figures_of(year)]}
        for name, figure in shown.items():
            if name not in self.figures:
                self._figure(name)
            self.figures[name].setText(figure.words)
            self.figures[name].setToolTip(plain_tip(figure.tip))
            self.figures[name].setAccessibleDescription(figure.tip)
        for name, part in self.figures.items():
            if name not in shown:
                part.setText(tr("none"))
                part.setToolTip("")

    def _tell_total(self, made: RoomDesign) -> None:
        """Show how many nodes the racks hold; a step is a rack more in each row."""
        total = int(made.scene.plant.nodes.present.sum())
        self.rows[_TOTAL].show(FieldState(str(total)))
        self.fields[_TOTAL].setSingleStep(max(total // max(made.room.racks, 1), 1))  # type: ignore[union-attr]

    def _on_total(self, words: str | None) -> None:
        """Choose the racks of a row for so many nodes; none typed: the racks stay."""
        if words:
            room = self.room
            with suppress(RoomError):  # of what cannot be built its own field says so
                held = room.rows * stack_of(replace(room, racks=1), self._session.catalog).nodes
                self.rows["racks"].settle()  # a refused number gives way, too
                self.rows["racks"].show(FieldState(str(-(-int(words) // held))))
        self._later.start()

    def _year(self, made: RoomDesign) -> SiteYear | str:
        """Return the typical year of a room alone, where it is to stand."""
        scene = made.scene
        scenario = in_place(scene.scenario, self._place) if self._place else scene.scenario
        return year_of(World(scenario, scene.plant, scene.catalog, None))

    def _on_place(self, name: str) -> None:
        self._place = name
        self._later.start()

    def _figure(self, name: str) -> None:
        row = self._grid.rowCount()
        self._grid.addWidget(label(name, "muted"), row, 0)
        self.figures[name] = label("", "value", wrap=True)
        self._grid.addWidget(self.figures[name], row, 1)

    def _enable(self, room: RoomRequest) -> None:
        part = self._session.catalog.part(room.part)
        self.fields["nodes"].setEnabled(isinstance(part, NodePart))
        if isinstance(part, RackPart):
            held = [self._session.catalog.part(group.part) for group in part.layout]
            nodes = [part for part in held if isinstance(part, NodePart)]
        else:
            nodes = [part] if isinstance(part, NodePart) else []
        wet = any(part.liquid_fraction for part in nodes)
        for name in ("cdu", "cdu_in_row"):
            self.fields[name].setEnabled(wet)
        self.fields["switch"].setEnabled(room.cabling != "none")

    def _scene(self) -> EditedScene | None:
        document, plant = self._session.document, self._session.plant
        return (
            None
            if document is None or plant is None
            else EditedScene.of(document, plant, self._session.catalog)
        )

    def _build(self) -> None:
        if self.design is None:
            return
        wanted: Command = AddRoom(self.design.room, drawn=self.design)
        scene = self._scene()
        if scene is not None and self._place != (scene.scenario.site.climate.place or ""):
            moved = SetProperty(("",), PLACE_KEY, self._place or None)
            wanted = Together((wanted, moved), wanted.title)
        if self._editor.do(wanted):
            self.accept()
        else:
            try:
                if scene is not None:
                    wanted.patch(scene)
                self.where_label.setText(self._editor.why_not())
            except CommandError as wrong:
                self.where_label.setText(str(wrong))

    def _on_plant(self, _: object) -> None:
        self._later.start()

    # -- building ----

    def _form(self, look: Look) -> QWidget:
        form = QWidget()
        form.setProperty("role", "panel")
        grid = QGridLayout(form)
        grid.setContentsMargins(14, 12, 14, 12)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(2, 1)
        first, scene = self._first(), self._scene()
        self._place = (scene.scenario.site.climate.place if scene is not None else None) or ""
        self.place.put_into(grid, 0, indent=1)
        self.place.show(FieldState(self._place, resettable=bool(self._place)))
        self.place.chosen.connect(self._on_place)
        for line, of in enumerate(_FIELDS, start=1):
            row = self.rows[of.key] = FieldRow(look, of)
            row.put_into(grid, 2 * line, indent=1)
            if of.kind == "choice" and not of.choices:
                row.offer(*self._parts(of.key))
            if of.key == _TOTAL:
                row.entered.connect(self._on_total)
                continue
            row.show(FieldState("" if of.key in _SAID else text_of(of, getattr(first, of.key))))
            row.follow(self._later.start)
        self.rows["rack_pitch_m"].field.setSpecialValueText(tr("side to side"))  # type: ignore[union-attr]
        grid.setRowStretch(2 * len(_FIELDS) + 2, 1)
        return form

    def _first(self) -> RoomRequest:
        """Return the request that the form begins with: at the targets of the scene."""
        room, scene = RoomRequest(), self._scene()
        if scene is None:
            return room
        asked = scene.scenario.site.redundancy
        return replace(
            room,
            power=asked.power or room.power,
            cooling=asked.cooling or room.cooling,
            network=asked.network or room.network,
        )

    def _parts(self, name: str) -> tuple[list[str], list[str]]:
        """Return the parts to choose from and their titles."""
        catalog = self._session.catalog
        if name == "part":
            nodes = [catalog.node(id) for id in catalog.ids("node")]
            found: list[NodePart | RackPart] = [part for part in nodes if part.n_gpu and part.height_u >= 2]
            racks = (catalog.rack(id) for id in catalog.ids("rack"))
            found += [part for part in racks if part.n_gpu]
            return [part.id for part in found], [f"{part.title} ({part.id})" for part in found]
        kinds = {"cdu": ("cdu",), "air": ("crah", "rdhx"), "switch": ("switch",)}[name]
        parts = [catalog.part(id) for kind in kinds for id in catalog.ids(kind)]
        fit = [
            part
            for part in parts
            if getattr(part, "fabric", "scale-out") == "scale-out"
            and getattr(part, "rejects_to", "") != "room air"
        ]
        return ["", *(part.id for part in fit)], [_CHOSEN, *(part.title for part in fit)]

    def _told(self) -> QScrollArea:
        """Return the figures and the months of the year, which scroll where text is large."""
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 8, 0)
        nest(column, self._grid)
        column.addWidget(self.months)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidget(content)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setAccessibleName(tr("Figures of the room"))
        return scroll

    def _lay_out(self, form: QWidget) -> None:
        scroll = QScrollArea()
        scroll.setWidget(form)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setMinimumWidth(theme.scaled(_FORM_PX))
        scroll.setAccessibleName(tr("Settings of the room"))
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields take the keyboard
        right = QVBoxLayout()
        right.setSpacing(10)
        right.addWidget(self.preview, 1)
        self._grid.setColumnStretch(1, 1)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(3)
        right.addWidget(self._told(), 1)
        right.addWidget(self.where_label)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        cancel = QPushButton(tr("Cancel"))
        cancel.setToolTip(tr("Close without building"))
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
