"""The strip of tools above the hall: colours, layers, camera, and where the selection is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu, QToolButton

from twin.app.hall.crumbs import Crumbs
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.overflow_row import GivingWay
from twin.record.channels import BY_ID, COLOUR_BY
from twin.view3d.base.state import CABLES_BY, LAYERS, ViewState
from twin.view3d.place.presets import PRESETS
from twin.view3d.view.hall_view import HallView


class HallStrip(GivingWay):
    """Writes what is chosen into the state of the view.

    Parameters
    ----------
    layer_title
        Returns a layer's name in menus.
    set_layer
        Shows or hides a layer.
    go
        Selects and shows a thing.
    """

    def __init__(
        self,
        look: Look,
        state: ViewState,
        view: HallView,
        layer_title: Callable[[str], str],
        set_layer: Callable[[str, bool], None],
        go: Callable[[str], None],
    ) -> None:
        super().__init__()
        self._look, self._state, self._view = look, state, view
        self._layer_title, self._set_layer = layer_title, set_layer
        row, captions = self.row, (label("Cables", "muted"), label("Colour by", "muted"))
        row.addWidget(captions[1])
        self.colour_box = DropDown()
        self.colour_box.setAccessibleName("Colour GPUs by")
        self.colour_box.setToolTip("Quantity shown as GPU colour")
        self.colour_box.setMinimumWidth(160)
        for channel in COLOUR_BY:
            title = BY_ID[channel].title
            self.colour_box.addItem(title[:1].upper() + title[1:], channel)
        self.colour_box.setCurrentIndex(COLOUR_BY.index(state.colour_by))
        self.colour_box.currentIndexChanged.connect(self._on_colour_box)
        row.addWidget(self.colour_box)
        row.addWidget(captions[0])
        self.cables_box = DropDown()
        self.cables_box.setAccessibleName("Colour cables by")
        self.cables_box.setToolTip("Quantity shown as cable colour")
        for by, title in (("rail", "By rail"), ("load", "By load")):
            self.cables_box.addItem(title, by)
        self.cables_box.currentIndexChanged.connect(self._on_cables_box)
        row.addWidget(self.cables_box)
        self.layers_button = self._menu_button("layers", "Layers", self._fill_layers)
        self.camera_button = self._menu_button("camera", "Camera", self._fill_camera)
        row.addWidget(self.layers_button)
        row.addWidget(self.camera_button)
        row.addStretch(1)
        self.crumbs, self.scene_label = Crumbs(go), label("", "muted")
        row.addWidget(self.crumbs)
        row.addWidget(self.scene_label)
        self.give_way = (self.scene_label, *captions, self.cables_box, self.crumbs)  # menus have it as well

    def _on_colour_box(self, index: int) -> None:
        self._state.colour_by = COLOUR_BY[index]

    def _on_cables_box(self, index: int) -> None:
        self._state.cables_by = CABLES_BY[index]

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
            action = menu.addAction(self._layer_title(layer))
            action.setCheckable(True)
            action.setChecked(layer in self._state.layers)
            action.toggled.connect(lambda on, name=layer: self._set_layer(name, on))

    def _fill_camera(self, menu: QMenu) -> None:
        menu.clear()
        for preset in PRESETS:
            menu.addAction(preset.capitalize(), partial(self._view.preset, preset))
        menu.addSeparator()
        framing = menu.addAction("Frame the selection", self._view.frame_selection)
        framing.setEnabled(bool(self._state.selection))
