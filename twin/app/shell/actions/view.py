"""Actions on what is looked at."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.app.shell.workspaces import WORKSPACES
from twin.app.toolkit.theme import next_text_scale
from twin.record.channels import BY_ID, COLOUR_BY
from twin.view3d.base.state import LAYERS, CablesBy
from twin.view3d.place.presets import PRESETS

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command


_COLOUR_KEYS = ("1", "2", "3", "4", "5", "6", "9", "Y", "Shift+Y")
"""In the order of `COLOUR_BY`, whose later ones have none; 7 and 8 colour the cables."""
_CABLES: tuple[tuple[str, CablesBy, str], ...] = (("7", "load", "link load"), ("8", "rail", "rail"))


def view_actions(window: WindowApi) -> list[Command]:
    """Return the actions of the View menu."""
    hall, state = window.hall, window.hall.state
    actions = [
        entry(
            "view.frame",
            "Frame the selection",
            hall.view.frame_selection,
            menu="view",
            key="F",
            icon="fly",
            needs_scene=True,
            tip="Flies to the selection",
        ),
        entry(
            "view.up",
            "Select the parent",
            window.going.to_parent,
            menu="view",
            key="Ctrl+Up",
            needs_scene=True,
            tip="From a GPU to its node, its rack, its row",
        ),
        entry(
            "view.falls",
            "What falls if this falls",
            partial(_show_falls, window),
            menu="view",
            icon="check",
            needs_scene=True,
            words="single point of failure redundancy spof blast radius outage",
            tip="Lists single points of failure in Checks, the worst first; a click flies there",
        ),
        entry(
            "view.clear",
            "Clear the selection",
            window.clear_selection,
            menu="view",
            key="Escape",
            tip="Clears the selection; on the welcome page, returns to the hall",
        ),
    ]
    for number, channel in enumerate(COLOUR_BY, start=1):
        actions.append(
            entry(
                f"view.colour_{channel.split('.')[1]}",
                f"Colour by {BY_ID[channel].title}",
                partial(setattr, state, "colour_by", channel),
                menu="view/colour",
                key=_COLOUR_KEYS[number - 1] if number <= len(_COLOUR_KEYS) else "",
                icon="colour",
                needs_scene=True,
                is_on=partial(hall.is_coloured_by, channel),
                tip=f"Every GPU in the hall shows its {BY_ID[channel].title}",
            )
        )
    for key, by, title in _CABLES:
        actions.append(
            entry(
                f"view.cables_{by}",
                f"Colour cables by {title}",
                partial(setattr, state, "cables_by", by),
                menu="view/colour",
                key=key,
                icon="colour",
                group="2",
                needs_scene=True,
                is_on=partial(hall.cables_are_by, by),
                tip=f"Cables show their {title}",
            )
        )
    actions.extend(
        entry(
            f"view.layer_{layer}",
            f"Layer: {hall.layer_title(layer)}",
            partial(hall.toggle_layer, layer),
            menu="view/layers",
            icon="layers",
            needs_scene=True,
            is_on=partial(hall.shows, layer),
            tip=f"Shows or hides in the hall: {hall.layer_title(layer)}",
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
            tip=f"Shows the {dock.title} dock",
            words=dock.words,
        )
        for dock in window.docks.table
        if dock.view is not None
    )
    for number, preset in enumerate(PRESETS, start=1):
        actions.append(
            entry(
                f"view.camera_{preset}",
                f"Camera: {preset}",
                partial(hall.view.preset, preset),
                menu="view/camera",
                key="Home" if preset == "overview" else f"Ctrl+{number}",
                icon="camera",
                needs_scene=True,
                tip=f"Flies to the view {preset}",
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
            f"Workspace: {workspace.title}",
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
            ("larger", "Larger text", 1, "Ctrl+=", "Makes all text larger"),
            ("smaller", "Smaller text", -1, "Ctrl+-", "Makes all text smaller"),
            ("usual", "Reset text size", 0, "Ctrl+0", "Text size of the system"),
        )
    ]


def _show_falls(window: WindowApi) -> None:
    """List in Checks what falls if one thing falls."""
    window.docks.show("checks")
    window.docks.checks.show_falls()
