"""Actions on what is looked at."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from twin.app.hall.strip import layer_title
from twin.app.shell.actions.entry import entry
from twin.app.shell.workspaces import WORKSPACES
from twin.app.toolkit.theme import next_text_scale
from twin.language import tr
from twin.record.channels import BY_ID, COLOUR_BY
from twin.view3d.base.state import LAYERS, CablesBy, TilesBy
from twin.view3d.place.presets import DRAWINGS, PRESETS

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


_COLOUR_KEYS = ("1", "2", "3", "4", "5", "6", "9", "Y", "Shift+Y")
"""In the order of `COLOUR_BY`, whose later ones have none; 7 and 8 colour the cables."""
_TILES: tuple[tuple[TilesBy, str, str], ...] = (
    (
        "mean",
        tr("Racks, rows and halls show their mean"),
        tr("From afar each is drawn in the mean of its GPUs"),
    ),
    (
        "worst",
        tr("Racks, rows and halls show their worst"),
        tr("From afar each is drawn in the worst of its GPUs"),
    ),
)
_CABLES: tuple[tuple[str, CablesBy, str], ...] = (("7", "load", tr("link load")), ("8", "rail", "rail"))


def view_actions(window: WindowApi) -> list[Command]:
    """Return the actions of the View menu."""
    hall, state = window.hall, window.hall.state
    actions = [
        entry(
            "view.frame",
            tr("Frame the selection"),
            hall.view.frame_selection,
            menu="view",
            key="F",
            icon="fly",
            needs_scene=True,
            tip=tr("Flies to the selection"),
        ),
        entry(
            "view.up",
            tr("Select the parent"),
            window.going.to_parent,
            menu="view",
            key="Ctrl+Up",
            needs_scene=True,
            tip=tr("From a GPU to its node, its rack, its row"),
        ),
        entry(
            "view.out",
            tr("Go one up"),
            window.going.up,
            menu="view",
            key="Backspace",
            needs_scene=True,
            tip=tr("Out of what a double-click went into: from a GPU to its node, its rack, its row"),
            words=tr("zoom out, back, parent, breadcrumb"),
        ),
        entry(
            "view.falls",
            tr("What falls if this falls"),
            partial(_show_falls, window),
            menu="view",
            icon="check",
            needs_scene=True,
            words=tr("single point of failure redundancy spof blast radius outage"),
            tip=tr("Lists single points of failure in Checks, the worst first; a click flies there"),
        ),
        entry(
            "view.clear",
            tr("Clear the selection"),
            partial(_step_back, window),
            menu="view",
            key="Escape",
            tip=tr("Goes one up where a double-click went in, else clears the selection"),
        ),
    ]
    for number, channel in enumerate(COLOUR_BY, start=1):
        actions.append(
            entry(
                f"view.colour_{channel.split('.')[1]}",
                tr("Colour by {title}", title=BY_ID[channel].title),
                partial(setattr, state, "colour_by", channel),
                menu="view/colour",
                key=_COLOUR_KEYS[number - 1] if number <= len(_COLOUR_KEYS) else "",
                icon="colour",
                needs_scene=True,
                is_on=partial(hall.is_coloured_by, channel),
                tip=tr("Every GPU in the hall shows its {title}", title=BY_ID[channel].title),
            )
        )
    for key, by, title in _CABLES:
        actions.append(
            entry(
                f"view.cables_{by}",
                tr("Colour cables by {title}", title=title),
                partial(setattr, state, "cables_by", by),
                menu="view/colour",
                key=key,
                icon="colour",
                group="2",
                needs_scene=True,
                is_on=partial(hall.cables_are_by, by),
                tip=tr("Cables show their {title}", title=title),
            )
        )
    actions.extend(
        entry(
            f"view.tiles_{by}",
            title,
            partial(setattr, state, "tiles_by", by),
            menu="view/colour",
            icon="colour",
            group="3",
            needs_scene=True,
            is_on=partial(hall.tiles_are_by, by),
            words=tr("semantic zoom aggregate mean worst maximum overview campus"),
            tip=tip,
        )
        for by, title, tip in _TILES
    )
    actions.extend(
        entry(
            f"view.layer_{layer}",
            tr("Layer: {layer_title}", layer_title=layer_title(layer)),
            partial(hall.toggle_layer, layer),
            menu="view/layers",
            icon="layers",
            needs_scene=True,
            is_on=partial(hall.shows, layer),
            tip=tr("Shows or hides in the hall: {layer_title}", layer_title=layer_title(layer)),
        )
        for layer in LAYERS
    )
    actions.extend(
        entry(
            f"view.{dock.name}",
            dock.view.title,
            partial(window.docks.show_roomy if dock.view.roomy else window.docks.show, dock.name),
            menu="view",
            key=dock.view.key,
            icon=dock.view.icon,
            group="2",
            needs_scene=True,
            tip=tr("Shows the {title} dock", title=dock.title),
            words=dock.words,
        )
        for dock in window.docks.table
        if dock.view is not None
    )
    for number, preset in enumerate(PRESETS, start=1):
        actions.append(
            entry(
                f"view.camera_{preset}",
                tr("Camera: {preset}", preset=preset),
                partial(hall.view.preset, preset),
                menu="view/camera",
                key="Home" if preset == "overview" else f"Ctrl+{number}",
                icon="camera",
                needs_scene=True,
                tip=tr(
                    "Flies to the drawing from {preset}, of the hall that is selected or of the site",
                    preset=preset,
                )
                if preset in DRAWINGS
                else tr("Flies to the view {preset}", preset=preset),
                words=tr("orthographic, plan, elevation, drawing") if preset in DRAWINGS else "",
            )
        )
    return [*actions, *_workspaces(window), *_text_sizes(window)]


def _workspaces(window: WindowApi) -> list[Command]:
    def enter(name: str) -> None:
        window.show_hall()
        window.docks.enter(name)

    return [
        entry(
            f"view.workspace_{workspace.name}",
            tr("Workspace: {title}", title=workspace.title),
            partial(enter, workspace.name),
            menu="view/workspace",
            key=f"Alt+{number}",  # Ctrl with a number is a camera
            icon="layout",
            needs_scene=True,
            is_on=partial(window.docks.is_in, workspace.name),
            tip=workspace.tip,
        )
        for number, workspace in enumerate(WORKSPACES, start=1)
    ]


def _text_sizes(window: WindowApi) -> list[Command]:
    def change(steps: int) -> None:
        window.look.scale_text(next_text_scale(window.look.text_scale, steps) if steps else 1.0)
        window.settings.text_scale = window.look.text_scale

    return [
        entry(
            f"view.text_{name}",
            title,
            partial(change, steps),
            menu="view/text",
            key=key,
            icon="text",
            tip=tip,
        )
        for name, title, steps, key, tip in (
            ("larger", tr("Larger text"), 1, "Ctrl+=", tr("Makes all text larger")),
            ("smaller", tr("Smaller text"), -1, "Ctrl+-", tr("Makes all text smaller")),
            ("usual", tr("Reset text size"), 0, "Ctrl+0", tr("Text size of the system")),
        )
    ]


def _step_back(window: WindowApi) -> None:
    """Take back the last click of who measures, else clear the selection."""
    if window.hall.measure.active:
        window.hall.measure.back()
    else:
        window.clear_selection()


def _show_falls(window: WindowApi) -> None:
    """List in Checks what falls if one thing falls."""
    window.docks.show("checks")
    window.docks.checks.show_falls()
