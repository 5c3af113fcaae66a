"""Actions on the window: docks, layout, theme, command palette."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.app.toolkit.theme import ThemeChoice
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command

_THEMES: dict[ThemeChoice, str] = {
    "system": tr("follow the system"),
    "dark": "dark",
    "light": "light",
    "contrast": tr("high contrast"),
}


def window_actions(window: WindowApi) -> list[Command]:
    """Return the actions of the Window menu."""

    def toggle_motion() -> None:
        window.hall.state.still = window.settings.still = not window.hall.state.still

    actions = [
        entry(
            "window.palette",
            tr("Command palette"),
            window.open_palette,
            menu="window",
            key="Ctrl+Shift+P",
            icon="search",
            tip=tr("Search every action, or type an id to go to that item"),
        ),
    ]
    actions.extend(
        entry(
            f"window.dock_{dock.name}",
            tr("Show {title}", title=dock.title),
            partial(window.docks.toggle, dock.name),
            menu="window",
            group="2",
            needs_scene=True,
            is_on=partial(window.docks.is_shown, dock.name),
            tip=tr("Shows or closes the {title} dock", title=dock.title),
            words=dock.words,
        )
        for dock in window.docks.table
    )
    actions.append(
        entry(
            "window.reset_layout",
            tr("Reset this workspace"),
            window.docks.reset,
            menu="window",
            icon="layers",
            group="3",
            needs_scene=True,
            tip=tr("Restores the default layout of this workspace"),
        )
    )
    actions.append(
        entry(
            "window.full_screen",
            tr("Full screen"),
            window.toggle_full_screen,
            menu="window",
            key="F11",
            group="3",
            tip=tr("Switches full screen on or off"),
        )
    )
    actions.append(
        entry(
            "window.reduced_motion",
            tr("Reduced motion"),
            toggle_motion,
            menu="window",
            group="4",
            is_on=lambda: window.hall.state.still,
            tip=tr("The camera goes at once instead of flying; coolant, traffic and lights stand still"),
            words=tr("animation flying flow vestibular sickness accessibility calm"),
        )
    )
    for choice, title in _THEMES.items():
        actions.append(
            entry(
                f"window.theme_{choice}",
                tr("Theme: {title}", title=title),
                partial(window.choose_theme, choice),
                menu="window/theme",
                icon="theme",
                group="4",
                is_on=partial(window.look.is_chosen, choice),
                tip=tr("Colours of the window and the hall: {title}", title=title),
            )
        )
    return actions
