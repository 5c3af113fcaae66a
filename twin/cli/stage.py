"""Environment for drawing off screen: a display, and a Qt application made in the right order."""

from __future__ import annotations

import sys

from twin.report.stage import qt_application

__all__ = ["on_display", "qt_application"]


def on_display(size: tuple[int, int]) -> None:
    """Go on if there is a display; else run this command again on a virtual one (Xvfb), and exit with its code.

    Raises
    ------
    Failure
        When no display can be had.
    """
    import typer

    from twin.cli.display import has_display, in_virtual_display

    if not has_display():
        raise typer.Exit(in_virtual_display(sys.argv[1:], *size))
