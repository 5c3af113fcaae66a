"""Takes pictures of the window again: the queue of a shared cluster, two designs side by side, a lesson."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from twin.scenario import Change, Document, Patch, load
from twin.scenario.file.patch_text import apply

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

ROOT = Path(__file__).parents[1]
PICTURES, SCENES = ROOT / "assets" / "pictures", ROOT / "scenes"
DAY_S, HOUR_S = 86_400.0, 3600.0
_LOOK_MS = 50


def queue(window: MainWindow) -> Iterator[QWidget]:
    """Show who of three tenants holds which GPUs, who waits and why; yield while it comes to that."""
    session = window.session
    window.resize(1600, 1000)
    window.files.open(SCENES / "shared-cluster.twin.yaml")
    while session.frame is None:
        yield window
    session.set_speed(6 * HOUR_S)
    session.play()
    while session.t_s < 3 * DAY_S + 22 * HOUR_S:
        yield window
    session.pause()
    colours = window.hall.strip.colour_box
    colours.setCurrentIndex(colours.findData("gpu.tenant"))
    for name in ("tenants", "queue"):
        window.docks.show(name)
    yield from settled(window)


def without_trip(scene: Document) -> Document:
    """Return the pump trip as a morning on which nothing trips."""
    title = Change("title", "The same morning without the trip")
    return apply(scene, Patch((Change("interventions", None), title), "Remove the trip"))


def compare(window: MainWindow, folder: Path) -> Iterator[QWidget]:
    """Show the pump trip beside the same morning without it, half a minute after the trip; yield until it is drawn."""
    from twin.runtime.inline import run

    tripped = load(SCENES / "pump-trip.twin.yaml")
    paths = folder / "a.twinrun", folder / "b.twinrun"
    for scene, path in zip((tripped, without_trip(tripped)), paths, strict=True):
        run(scene.scenario, record=path)
    window.run_comparing.show(*paths)
    dialog = window.run_comparing.dialog
    assert dialog is not None
    dialog.resize(1480, 940)
    while dialog.halls is None:
        yield dialog
    dialog.look_at(330.0)
    dialog.difference_button.setChecked(True)
    yield from settled(dialog)


def lesson(window: MainWindow) -> Iterator[QWidget]:
    """Show a lesson at its task, eleven seconds after both pumps of a loop have stopped; yield until it is there."""
    window.settings.keep("lesson_person", ["Ada"])
    window.files.open(SCENES / "lessons" / "pump-trip.twin-lesson.yaml")
    session, runner = window.session, window.docks.lesson.runner
    for place, begins_s in ((0, 540.0), (3, 590.0)):
        if place:
            runner.go(place)
        while runner.attempt is None or runner.hall.arriving or session.t_s != begins_s:
            yield window
    session.set_speed(2.0)
    session.play()
    while session.t_s < 611.0:
        yield window
    session.pause()
    yield from settled(window)


def settled(widget: QWidget, looks: int = 60) -> Iterator[QWidget]:
    """Yield while figures and pictures follow what was asked last."""
    for _ in range(looks):
        yield widget


def main() -> None:
    """Take those that are named, or all, in an event loop as people have it."""
    from twin.app.session.session import Session
    from twin.app.shell.main_window import MainWindow
    from twin.app.toolkit.look import Look
    from twin.app.toolkit.settings import UserSettings

    folder = TemporaryDirectory(prefix="twin-pictures-")
    os.environ["XDG_STATE_HOME"] = folder.name
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    app = QApplication(sys.argv[:1])
    look = Look(app, "dark")
    window = MainWindow(look, Session(), UserSettings(Path(folder.name) / "settings.ini"))
    window.show()

    def walk() -> Iterator[None]:
        parts = {
            "queue": queue(window),
            "compare": compare(window, Path(folder.name)),
            "lesson": lesson(window),
        }
        for name in sys.argv[1:] or parts:
            steps = parts[name]
            shown: QWidget = window
            for widget in steps:
                shown = widget
                yield
            shown.grab().save(str(PICTURES / f"{name}.png"))
            print(f"assets/pictures/{name}.png", file=sys.stderr)

    walking = walk()

    def step() -> None:
        try:
            next(walking)
        except StopIteration:
            window.close()
            app.quit()
        except BaseException:
            app.exit(1)
            raise
        else:
            QTimer.singleShot(_LOOK_MS, step)

    QTimer.singleShot(0, step)
    code = app.exec()
    look.close()
    folder.cleanup()
    sys.exit(code)


if __name__ == "__main__":
    main()
