"""The strip over the hall: what colours it, which layers it shows, where the camera stands, what is selected."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu, QToolButton

from twin.app.hall.crumbs import Crumbs
from twin.app.session.session import Session
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.overflow_row import GivingWay
from twin.language import tr
from twin.record.channels import BY_ID, COLOUR_BY
from twin.view3d.base.state import CABLES_BY, LAYERS, CablesBy
from twin.view3d.place.presets import PRESETS
from twin.view3d.view.hall_view import HallView

_LAYER_TITLES = {"power": tr("Power path"), "trays": tr("Near trays"), "air": tr("Air")}


def layer_title(layer: str) -> str:
    """Return a layer's name in menus."""
    return _LAYER_TITLES.get(layer) or tr(layer.capitalize())


class HallStrip(GivingWay):
    """Boxes and menus that act on the state of a view, and follow it."""

    def __init__(self, look: Look, view: HallView, session: Session) -> None:
        super().__init__()
        self._look, self._view, self._state, self._session = look, view, view.state, session
        captions = label(tr("Cables"), "muted"), label(tr("Colour by"), "muted")
        self.colour_box = DropDown()
        self.colour_box.setAccessibleName(tr("Colour GPUs by"))
        self.colour_box.setToolTip(tr("Quantity shown as GPU colour"))
        self.colour_box.setMinimumWidth(160)
        for channel in COLOUR_BY:
            title = BY_ID[channel].title
            self.colour_box.addItem(title[:1].upper() + title[1:], channel)
        self.cables_box = DropDown()
        self.cables_box.setAccessibleName(tr("Colour cables by"))
        self.cables_box.setToolTip(tr("Quantity shown as cable colour"))
        for by, title in (("rail", tr("By rail")), ("load", tr("By load"))):
            self.cables_box.addItem(title, by)
        self.layers_button = self._menu_button("layers", tr("Layers"), self._fill_layers)
        self.camera_button = self._menu_button("camera", tr("Camera"), self._fill_camera)
        self.crumbs = Crumbs(self._go_up_to)
        self.scene_label = label("", "muted")
        for widget in (captions[1], self.colour_box, captions[0], self.cables_box, self.layers_button):
            self.row.addWidget(widget)
        self.row.addWidget(self.camera_button)
        self.row.addStretch(1)
        self.row.addWidget(self.crumbs)
        self.row.addWidget(self.scene_label)
        self.give_way = (self.scene_label, *captions, self.cables_box, self.crumbs)  # menus have it as well
        self._connect()

    def _connect(self) -> None:
        state, events = self._state, self._state.events
        self.colour_box.setCurrentIndex(COLOUR_BY.index(state.colour_by))
        self.colour_box.currentIndexChanged.connect(
            lambda index: setattr(state, "colour_by", COLOUR_BY[index])
        )
        self.cables_box.currentIndexChanged.connect(
            lambda index: setattr(state, "cables_by", CABLES_BY[index])
        )
        events.colour_by.connect(self._on_colour_by)
        events.cables_by.connect(self._on_cables_by)
        events.selection.connect(self.show_way)

    def set_layer(self, layer: str, on: bool) -> None:
        """Show or hide a layer."""
        layers = set(self._state.layers)
        (layers.add if on else layers.discard)(layer)
        self._state.layers = frozenset(layers)

    def show_way(self, *_selection: object) -> None:
        """Show the way to what is selected; without it, the title of the scene."""
        self.crumbs.show_way(self._session.plant, self._state.selection)
        document = self._session.document
        self.scene_label.setText(
            document.scenario.title if document is not None and not self.crumbs.ids else ""
        )

    def _on_colour_by(self, colour_by: str) -> None:
        self.colour_box.setCurrentIndex(COLOUR_BY.index(colour_by))

    def _on_cables_by(self, cables_by: CablesBy) -> None:
        self.cables_box.setCurrentIndex(CABLES_BY.index(cables_by))

    def _go_up_to(self, id: str) -> None:
        self._state.selection = (id,)
        self._view.fly_to(id)

    def _menu_button(self, icon: str, title: str, fill: Callable[[QMenu], None]) -> QToolButton:
        button = tool_button(self._look, icon, title)
        button.setText(f" {title}")
        button.setToolButtonStyle(button.toolButtonStyle().ToolButtonTextBesideIcon)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.aboutToShow.connect(lambda: fill(menu))
        button.setMenu(menu)
        return button

    def _fill_layers(self, menu: QMenu) -> None:
        menu.clear()
        for layer in LAYERS:
            action = menu.addAction(layer_title(layer))
            action.setCheckable(True)
            action.setChecked(layer in self._state.layers)
            action.toggled.connect(lambda on, name=layer: self.set_layer(name, on))

    def _fill_camera(self, menu: QMenu) -> None:
        menu.clear()
        for preset in PRESETS:
            menu.addAction(tr(preset.capitalize()), partial(self._view.preset, preset))
        menu.addSeparator()
        framing = menu.addAction(tr("Frame the selection"), self._view.frame_selection)
        framing.setEnabled(bool(self._state.selection))
