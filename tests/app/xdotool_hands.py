"""Hands and eyes of a person before the real program: mouse and keys by xdotool, the screen, and the files it writes.

Nothing inside the program is touched. What a step waits for is something to be seen: a window's title, the picture,
a file; each with a limit.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage
from screen_eye import ScreenEye

from twin.record.events import Event
from twin.record.reader import Reader
from twin.record.runfile import RunFileError

TOOLS = ("Xvfb", "openbox", "xdotool")
TWIN = Path(sys.executable).with_name("twin")
WIDTH_PX, HEIGHT_PX = 1600, 1000
LIMIT_S = 300.0
_FLAT = """<openbox_config xmlns="http://openbox.org/3.4/rc"><applications>
<application type="normal"><decor>no</decor><maximized>yes</maximized></application>
</applications><keyboard/><mouse><context name="Close"><mousebind button="Left" action="Click">
<action name="Close"/></mousebind></context></mouse></openbox_config>"""
"""The window fills the screen, so that places are those of the window; dialogs have a cross to be closed by."""
Box = tuple[int, int, int, int]
"""Left, top, right and bottom on the screen [px]."""
WHOLE: Box = (0, 0, WIDTH_PX, HEIGHT_PX)
MENUS: Box = (0, 0, WIDTH_PX, 28)
STATUS_PX = 26
"""Height of the status bar, which tells what an entry of a menu does."""


class UnexpectedError(AssertionError):
    """What a step waited for did not come."""


def missing() -> list[str]:
    """Return the tools that are not installed here."""
    return [name for name in TOOLS if shutil.which(name) is None]


@contextmanager
def desktop(home: Path) -> Iterator[dict[str, str]]:
    """Yield the environment of a screen of its own, with a window manager and an empty home folder."""
    (home / ".config/openbox").mkdir(parents=True, exist_ok=True)
    (home / ".config/openbox/rc.xml").write_text(_FLAT)
    came, goes = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(goes), "-screen", "0", f"{WIDTH_PX}x{HEIGHT_PX}x24", "-nolisten", "tcp"],
        pass_fds=[goes],
        stderr=subprocess.DEVNULL,
    )
    os.close(goes)
    with os.fdopen(came) as told:
        display = f":{told.readline().strip()}"
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "QT_", "TWIN_"))
    }
    env = kept | {
        "DISPLAY": display,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "TWIN_STATE_DIR": str(home / "state"),
    }
    manager = subprocess.Popen(["openbox"], env=env, stderr=subprocess.DEVNULL)
    try:
        yield env
    finally:
        for process in (manager, server):
            process.terminate()
            process.wait(LIMIT_S)


class Person:
    """Someone who sees the screen of `env` and keeps pictures of what was seen.

    Parameters
    ----------
    env
        As `desktop` gives it.
    pictures
        Folder for the pictures.
    """

    def __init__(self, env: dict[str, str], pictures: Path) -> None:
        self._env, self.pictures, self._count = env, pictures, 0
        self._program: subprocess.Popen[bytes] | None = None
        self._eye = ScreenEye(env["DISPLAY"])
        pictures.mkdir(parents=True, exist_ok=True)

    # -- the program ----

    def start(self, moves: bool = False) -> None:
        """Start the program, and wait until its window stands still; or its menus, where a scene comes back running."""
        log = (self.pictures / "twin.log").open("ab")
        self._program = subprocess.Popen([TWIN], env=self._env, stdout=log, stderr=log, cwd=self._env["HOME"])
        log.close()
        program = self._program

        def up() -> bool:
            if program.poll() is not None:
                raise UnexpectedError(
                    f"the program ended with {program.returncode}: see {self.pictures}/twin.log"
                )
            return self._do("search", "--onlyvisible", "--name", "gpu-twin")

        self.until(up, "a window 'gpu-twin' should be there")
        self.still(2.0, MENUS if moves else WHOLE)

    def ends(self) -> None:
        """Wait until the program is gone; raises where it failed."""
        program = self._program
        assert program is not None
        self.until(lambda: program.poll() is not None, "the program should end")
        if program.returncode != 0:
            raise UnexpectedError(f"the program ended with {program.returncode}")
        self._program = None

    def stop(self) -> None:
        """End the program, if it still runs, and look no more."""
        self._eye.close()
        if self._program is not None:
            self._program.terminate()
            self._program.wait(LIMIT_S)

    # -- eyes ----

    def until(self, there: Callable[[], bool], what: str, limit_s: float = LIMIT_S) -> None:
        """Wait until something is there."""
        end_s = time.monotonic() + limit_s
        while not there():
            if time.monotonic() > end_s:
                self._keep("not-as-expected")
                raise UnexpectedError(f"within {limit_s:g} s: {what}")
            time.sleep(0.1)

    def sees(self, title: str, there: bool = True) -> None:
        """Wait until a window whose title has these words is there, or gone."""
        words = f"a window {title!r} should be {'there' if there else 'gone'}"
        self.until(lambda: self._do("search", "--onlyvisible", "--name", title) is there, words)

    def screen(self, box: Box = WHOLE) -> np.ndarray:
        """Return what is seen, shape (height, width, 3)."""
        left, top, right, bottom = box
        return self._eye.picture(WIDTH_PX, HEIGHT_PX)[top:bottom, left:right]

    def still(self, still_s: float = 0.5, box: Box = WHOLE, limit_s: float = LIMIT_S) -> np.ndarray:
        """Wait until the picture stands still for so long, and return it."""
        end_s = time.monotonic() + limit_s
        last, since_s = self.screen(box), time.monotonic()
        while time.monotonic() - since_s < still_s:
            if time.monotonic() > end_s:
                self._keep("never-still")
                raise UnexpectedError(f"the picture does not stand still in {limit_s:g} s")
            time.sleep(0.1)
            now = self.screen(box)
            since_s = time.monotonic() if differ(now, last) else since_s
            last = now
        return last

    def changes(self, act: Callable[[], object], box: Box = WHOLE, limit_s: float = LIMIT_S) -> None:
        """Do something, and wait until it shows."""
        before = self.screen(box)
        act()
        self.until(lambda: differ(self.screen(box), before), "nothing is seen of what was done", limit_s)

    def look(self, name: str, moving: bool = False) -> None:
        """Keep a picture of this step; of what moves, as it is now."""
        if not moving:
            self.still()
        self._keep(name)

    def _keep(self, name: str) -> None:
        self._count += 1
        rgb = self.screen()
        height, width = rgb.shape[:2]
        image = QImage(rgb.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
        image.save(str(self.pictures / f"{self._count:02d}-{name}.png"))

    # -- hands ----

    def point(self, x_px: int, y_px: int) -> None:
        """Move the pointer."""
        self._do("mousemove", x_px, y_px)

    def click(self, x_px: int, y_px: int, button: int = 1, box: Box = WHOLE) -> None:
        """Click, and wait for what comes of it."""
        self.point(x_px, y_px)
        self.still(0.3, box)  # what the pointer itself lights up
        self.changes(lambda: self._do("click", button), box)
        self.still(0.4, box)

    def press(self, x_px: int, y_px: int, button: int = 1) -> None:
        """Click where the picture moves by itself."""
        self.point(x_px, y_px)
        time.sleep(0.2)  # a hand comes to rest before it clicks
        self._do("click", button)

    def last_entry(self, x_px: int, y_px: int) -> None:
        """Open a menu of the menu bar, and choose its last entry, wherever the menu ends."""
        strip = (x_px, MENUS[3], x_px + 24, HEIGHT_PX - STATUS_PX)
        before = self.screen(strip)
        self.click(x_px, y_px, box=strip)
        end = np.flatnonzero((self.screen(strip) != before).any(axis=(1, 2)))[-1]
        self.press(x_px + 30, int(end) + MENUS[3] - 18)

    def corner(self, title: str) -> tuple[int, int]:
        """Return where the upper left corner of a window is, below its title."""
        found = self._said("search", "--onlyvisible", "--name", title).split()
        self._do("mousemove", "--window", found[-1], 0, 0)
        at = dict(line.split("=") for line in self._said("getmouselocation", "--shell").split())
        return int(at["X"]), int(at["Y"])

    def menu(self, left_px: int, least_px: int) -> int:
        """Wait for a menu whose left edge is there, and return its top: it is one colour for so many pixels down."""
        tops: list[int] = []

        def opened() -> bool:
            column = self.screen((left_px + 3, 0, left_px + 4, HEIGHT_PX))[:, 0].astype(int)
            ends = np.flatnonzero((column[1:] != column[:-1]).any(axis=1)) + 1
            edges = np.array([0, *ends.tolist(), HEIGHT_PX])
            longest = int(np.diff(edges).argmax())
            tops.append(int(edges[longest]))
            return bool(edges[longest + 1] - edges[longest] >= least_px)

        self.until(opened, "a menu should be there")
        return tops[-1]

    def inside(self, title: str, x_px: int, y_px: int, moving: bool = False) -> None:
        """Click at a place of a dialog, counted from its corner; `moving`: what is behind it moves by itself."""
        left, top = self.corner(title)
        (self.press if moving else self.click)(left + x_px, top + y_px)

    def drag(self, start: tuple[int, int], end: tuple[int, int], seen: Callable[[], object]) -> None:
        """Drag from one place to another, look, and let go."""
        self.point(*start)
        self._do("mousedown", 1)
        for step in range(1, 16):
            self.point(*(round(a + (b - a) * step / 15) for a, b in zip(start, end, strict=True)))
            time.sleep(0.05)  # a hand takes its time, and Qt starts no drag of a pointer that leaps
        seen()
        self._do("mouseup", 1)

    def key(self, *keys: str, times: int = 1) -> None:
        """Press keys one after the other."""
        for _ in range(times):
            for one in keys:
                self._do("key", "--clearmodifiers", one)
                time.sleep(0.05)  # nobody types faster

    def keyed(self, *keys: str, times: int = 1, box: Box = WHOLE) -> None:
        """Press keys, and wait for what comes of them."""
        self.changes(lambda: self.key(*keys, times=times), box)
        self.still(0.4, box)

    def type(self, words: object) -> None:
        """Type words."""
        self._do("type", "--delay", 40, words)

    def name_file(self, dialog: str, path: Path) -> None:
        """Type the name of a file where one is asked for."""
        self.sees(dialog)
        self.key("ctrl+a")
        self.type(path)
        self.key("Return")
        self.sees(dialog, there=False)

    def _said(self, *words: object) -> str:
        asked = ["xdotool", *map(str, words)]
        return subprocess.run(asked, env=self._env, capture_output=True, check=False, text=True).stdout

    def _do(self, *words: object) -> bool:
        asked = ["xdotool", *map(str, words)]
        return subprocess.run(asked, env=self._env, capture_output=True, check=False).returncode == 0

    # -- what the program wrote ----

    @property
    def runs(self) -> list[Path]:
        """Return the run files, the newest last."""
        folder = Path(self._env["TWIN_STATE_DIR"]) / "runs"
        return sorted(folder.glob("*.twinrun"), key=lambda path: path.stat().st_mtime_ns)

    def events(self) -> list[Event]:
        """Return what happened in the newest run, so far as it is written."""
        try:
            with Reader(self.runs[-1]) as run:
                return run.events()
        except (RunFileError, IndexError):
            return []  # it is being begun

    def happens(self, what: str, like: Callable[[Event], bool], limit_s: float = LIMIT_S) -> None:
        """Wait until the newest run tells of something."""
        self.until(lambda: any(map(like, self.events())), what, limit_s)


CURSOR_PX = 60
"""Pixels of a blinking cursor, at most: in a small box they are no small part."""


def differ(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two pictures differ by more than a blinking cursor."""
    moved = (np.abs(one.astype(int) - other).max(axis=2) > 12).sum()
    return bool(moved > max(1e-4 * one.shape[0] * one.shape[1], CURSOR_PX))
