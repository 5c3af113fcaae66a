"""Lines of a dialog whose fields no schema describes: a name, and one widget or several side by side."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QWidget

from twin.app.toolkit.look import label
from twin.app.toolkit.plain_text import plain_tip


def line_grid() -> QGridLayout:
    """Return a grid for lines of names and fields."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(14)
    grid.setVerticalSpacing(9)
    grid.setColumnStretch(1, 1)
    return grid


def add_line(grid: QGridLayout, title: str, field: QWidget, tip: str = "", *, spare: bool = False) -> QLabel:
    """Add a field with its name to a grid, and a `spare` line below; return the name, whose buddy is the field."""
    line = grid.rowCount()
    if spare:
        grid.setRowMinimumHeight(line + 1, 0)
    name = label(title, "muted")
    name.setBuddy(field)
    dress(field, title, tip)
    grid.addWidget(name, line, 0)
    grid.addWidget(field, line, 1)
    return name


def dress(field: QWidget, name: str, tip: str) -> None:
    """Let a field say what it is, to the eye that rests on it and to a reader of the screen."""
    if not field.accessibleName():
        field.setAccessibleName(name)
    if tip:
        field.setToolTip(plain_tip(tip))


def beside(*widgets: QWidget, stretch: tuple[int, ...]) -> QWidget:
    """Return widgets side by side as one, with the share of the room that each takes."""
    box = QWidget()
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    for widget, share in zip(widgets, stretch, strict=True):
        row.addWidget(widget, share)
    return box
