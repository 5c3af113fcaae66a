"""Thousands of random acts of a person in the real window; what must hold after each is looked at after each.

``python -m tests.app.monkey --seed 7 --upto 1234`` does the same acts again up to the one that went wrong.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import os
import pkgutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from tests.app.monkey_held import FOLDER, answer

# The worker imports this module too, so Qt comes only with a window.


def main(arguments: list[str] | None = None) -> int:
    """Let one monkey loose in a window of its own; return 1 when something went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.app.monkey", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--upto", type=int, default=500, help="how many acts")
    parser.add_argument("--scenes", nargs="+", default=None, metavar="NAME")
    parser.add_argument("--go-on", action="store_true", help="tell each fault once and go on")
    parser.add_argument("--acts", action="store_true", help="print each act before it is done")
    told = parser.parse_args(arguments)
    if "DISPLAY" not in os.environ and sys.platform.startswith("linux"):
        command = [sys.executable, "-m", "tests.app.monkey", *(arguments or sys.argv[1:])]
        os.execvp("xvfb-run", ["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24", *command])
    faulthandler.enable()
    with tempfile.TemporaryDirectory(prefix="monkey-") as name:
        return _loose(told, Path(name))


def _load_all() -> None:
    """Load all code, and the table of units: what comes once, whenever it is first asked for, is no leak.

    A film is made by the libraries of PyAV alone, 17 MiB.
    """
    import twin

    for name in ("av", "pyarrow.parquet"):  # where they are installed
        with suppress(ImportError):
            importlib.import_module(name)

    for module in pkgutil.walk_packages(twin.__path__, "twin."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    _load_units()


def _load_units() -> None:
    from twin.units import parse

    parse("1 gallon/minute", "volume_flow")


def _loose(told: argparse.Namespace, folder: Path) -> int:
    from twin.report.platform_choice import decide_platform

    decide_platform()
    from PySide6.QtCore import QCoreApplication, Qt
    from PySide6.QtWidgets import QApplication

    from twin.app.shell.crash_guard import make_errors_whole

    make_errors_whole()  # before the classes of the window are defined
    from tests.app.monkey_watch import SCENES, Monkey, WentWrong, watched
    from twin.app.session.session import Session
    from twin.app.shell.gui_thread_gc import GuiCollector
    from twin.app.shell.main_window import MainWindow
    from twin.app.shell.start import ExceptionHook
    from twin.app.toolkit.look import Look
    from twin.app.toolkit.settings import UserSettings

    _load_all()
    os.environ |= {"XDG_STATE_HOME": str(folder / "state"), "TWIN_STATE_DIR": str(folder / "state")}
    os.environ[FOLDER] = str(folder)
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    app = QApplication(sys.argv[:1])
    look = Look(app, "dark")
    window = MainWindow(look, Session(), UserSettings(folder / "settings.ini"))
    hook, collector = ExceptionHook(window), GuiCollector(app)
    window.resize(1400, 900)
    window.show()
    window.activateWindow()
    for _, command in window.menus.model.commands:
        _ = (
            command.run_injected
        )  # app-model keeps two functions of each from its first time on: no leak either
    collector.start()
    acts = open(folder / "acts", "w", encoding="utf-8")  # noqa: SIM115 - until the end

    def tell(words: str) -> None:
        print(words, file=sys.stdout if told.acts else acts, flush=True)

    monkey = Monkey(window, folder, told.seed, tuple(told.scenes or SCENES), tell)
    code, seen = 0, set[str]()
    with watched(monkey):
        first = 0
        while first < told.upto:
            try:
                first = monkey.run(told.upto, first)
            except WentWrong as wrong:
                code, first = 1, monkey.number + 1
                monkey.wrong.clear()
                key = str(wrong).partition("\n")[2][-200:]  # where, and what
                if key not in seen:
                    seen.add(key)
                    print(f"{wrong}\nagain: python -m tests.app.monkey --seed {told.seed} --upto {first}")
                if not told.go_on:
                    break
        monkey.measure(first)
    print(monkey.report())
    if code == 0 and monkey.leaks():
        code = 1
    window.editing.file.asks = False
    window.close()
    window.deleteLater()
    collector.stop()
    hook.remove()
    look.close()
    return code


if __name__ == "__mp_main__" and FOLDER in os.environ:  # in a worker
    _load_units()
    answer()
if __name__ == "__main__":
    sys.exit(main())
