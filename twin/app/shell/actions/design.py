"""Actions on what is chosen in hall or outliner: arrays, groups, lines and gaps, hiding and locking."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from twin.app.shell.actions.entry import entry
from twin.commands.place.arrange import ARRANGED
from twin.commands.rentals import TERMS
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.toolkit.shortcuts import Command

_ARRANGED_TIPS = {
    "left": tr("Aligns left sides with the leftmost"),
    "right": tr("Aligns right sides with the rightmost"),
    "front": tr("Aligns the low sides across the rows"),
    "back": tr("Aligns the high sides across the rows"),
    "evenly_x": tr("Equal gaps along the rows"),
    "evenly_y": tr("Equal gaps across the rows"),
}


def design_actions(window: WindowApi) -> list[Command]:
    """Return the actions on the design that lists and dialogs have too."""
    design = window.design
    acts = (
        (
            "array",
            tr("Array…"),
            design.ask_array,
            "Shift+D",
            tr("Repeats the selection along and across the rows"),
        ),
        (
            "group",
            tr("Group…"),
            design.group,
            "Ctrl+G",
            tr("Makes the selection one group, selected with one click"),
        ),
        (
            "ungroup",
            tr("Ungroup"),
            design.ungroup,
            "Ctrl+Shift+G",
            tr("Dissolves the groups of the selection"),
        ),
    )
    made = [
        entry(f"edit.{name}", title, act, menu="edit", group="4", key=key, needs_scene=True, tip=tip)
        for name, title, act, key, tip in acts
    ]
    made += [
        entry(
            f"edit.arrange_{how}",
            title,
            partial(design.arrange, how),
            menu="edit/arrange",
            needs_scene=True,
            tip=_ARRANGED_TIPS[how],
        )
        for how, (title, _) in ARRANGED.items()
    ]
    made += [
        entry(
            f"edit.rent_{terms.replace('-', '_')}",
            tr("Rent nodes: {terms}", terms=title),
            partial(design.rent, terms),
            menu="edit/rent",
            needs_scene=True,
            tip=tr("The selected rows, racks or nodes, else the first row, are rented instead of owned"),
            words=tr("rental lease cloud GPU hours on-demand reserved spot preemptible marketplace add"),
        )
        for terms, title in TERMS.items()
    ]
    made += [
        entry(
            name,
            title,
            act,
            menu="edit/rent",
            group="2",
            needs_scene=True,
            tip=tip,
            words=tr("rental members"),
        )
        for name, title, act, tip in (
            (
                "edit.rent_more",
                tr("Add to a rental"),
                design.rent_more,
                tr("The selected rows, racks or nodes are rented by a rental there is"),
            ),
            (
                "edit.own_again",
                tr("Take from rentals"),
                design.own_again,
                tr("The selected rows, racks or nodes are owned again"),
            ),
        )
    ]
    building = design.building
    parts = (
        (
            "walls",
            tr("Add walls"),
            building.add_walls,
            tr("Walls round the floor of the hall; then set width, depth and thickness"),
            tr("walls wall room outline outer building envelope"),
        ),
        (
            "wall",
            tr("Add a wall\N{HORIZONTAL ELLIPSIS}"),
            building.add_wall,
            tr("Two clicks on the floor make a wall in any direction; then set its ends and thickness"),
            tr("wall inner partition slanted diagonal interior dividing building"),
        ),
        (
            "column",
            tr("Add a column"),
            partial(building.add_column, None),
            tr("Carries a column to its place; then set its size, or a grid by pitch"),
            tr("column pillar grid pitch building structure"),
        ),
        (
            "door",
            tr("Add a door"),
            partial(building.add_door, None),
            tr("Carries a door to a wall; then set its width, hinge and swing"),
            tr("door gate opening swing hinge entrance building"),
        ),
        (
            "underlay",
            tr("Underlay…"),
            building.choose_underlay,
            tr("Lays a PNG, JPEG or SVG of the building on the floor"),
            tr("underlay floor plan drawing picture image background tracing building"),
        ),
        (
            "floor",
            tr("Floor load and ceiling"),
            building.show_hall,
            tr("Shows floor load, ceiling height, raised floor, walls, columns and doors of the hall"),
            tr("floor load limit weight kg/m2 ceiling height raised floor building hall properties"),
        ),
    )
    made += [
        entry(
            f"edit.building_{name}",
            title,
            act,
            menu="edit/building",
            icon="hall",
            needs_scene=True,
            tip=tip,
            words=words,
        )
        for name, title, act, tip, words in parts
    ]
    made.append(
        entry(
            "edit.lock_selection",
            tr("Lock the selection"),
            design.lock,
            menu="edit",
            group="8",
            key="L",
            icon="lock",
            needs_scene=True,
            tip=tr("Locks the selection against edits, or unlocks it"),
        )
    )
    hiding = (
        (
            "hide",
            tr("Hide the selection"),
            design.hide,
            "H",
            tr("Hides the selection in the hall, or shows it again"),
        ),
        (
            "only",
            tr("Show only the selection"),
            design.show_only,
            "Shift+H",
            tr("Hides everything else in the hall"),
        ),
        (
            "show_all",
            tr("Show everything"),
            design.show_all,
            "Ctrl+Alt+H",
            tr("Shows all hidden items again"),
        ),
    )
    made += [
        entry(
            f"view.{name}", title, act, menu="view", key=key, icon="eye", group="3", needs_scene=True, tip=tip
        )
        for name, title, act, key, tip in hiding
    ]
    return made
