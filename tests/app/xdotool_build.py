"""Builds a hall by mouse alone in the real program, as a person does it, and takes a picture of each step.

By hand: ``python tests/app/xdotool_build.py FOLDER`` (needs Xvfb, openbox, xdotool and xwd; about four minutes on two
cores). Nothing inside the program is touched: places are those of a window of 1600 x 1000. What was saved is checked
with ``twin check`` and ``twin diff``, and that the rack joined the spares by what the file holds. Typed are names of
files only.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage

DISPLAY = ":78"
TWIN = Path(sys.executable).with_name("twin")
LIMIT_S = 60.0


def xdotool(*words: object) -> bool:
    """Do something with mouse or keys; return whether it was done."""
    done = subprocess.run(["xdotool", *map(str, words)], capture_output=True, check=False)
    return done.returncode == 0


def screen() -> np.ndarray:
    """Return the picture on the screen as rows of red, green and blue."""
    raw = b""
    while len(raw) < 100:  # a window that goes away meanwhile makes xwd give up
        raw = subprocess.run(["xwd", "-root", "-silent"], capture_output=True, check=False).stdout
    header = struct.unpack(">25I", raw[:100])
    start, width, height, line, colours = header[0], header[4], header[5], header[12], header[19]
    pixel = header[11] // 8
    rows = np.frombuffer(raw, np.uint8, offset=start + 12 * colours)[: line * height].reshape(height, line)
    return np.ascontiguousarray(rows[:, : width * pixel].reshape(height, width, pixel)[:, :, 2::-1])


def differ(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two pictures differ by more than a blinking cursor."""
    return bool((np.abs(one.astype(int) - other).max(axis=2) > 12).mean() > 1e-4)


class Person:
    """Hands and eyes; `pictures` is where the steps are kept."""

    def __init__(self, pictures: Path) -> None:
        self.pictures, self._count = pictures, 0
        self.program: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the program, and wait until its window stands still."""
        self.program = subprocess.Popen([TWIN], stderr=(self.pictures / "twin.log").open("ab"))
        self.sees("gpu-twin")
        time.sleep(3)
        self.settle(1.5)

    def sees(self, title: str, there: bool = True) -> None:
        """Wait until a window with this title is there, or gone."""
        end_s = time.monotonic() + LIMIT_S
        while xdotool("search", "--onlyvisible", "--name", title) is not there:
            if time.monotonic() > end_s:
                self.look("not-as-expected")
                raise SystemExit(f"a window {title!r} should be {'there' if there else 'gone'}")
            time.sleep(0.2)

    def settle(self, still_s: float = 0.6, limit_s: float = 8.0) -> np.ndarray:
        """Wait until the picture stands still, or does not get to; return it."""
        end_s = time.monotonic() + limit_s
        last, since_s = screen(), time.monotonic()
        while time.monotonic() < end_s and time.monotonic() - since_s < still_s:
            time.sleep(0.15)
            now = screen()
            since_s = time.monotonic() if differ(now, last) else since_s
            last = now
        return last

    def look(self, name: str) -> None:
        """Keep a picture of this step."""
        rgb = self.settle(limit_s=3.0)
        self._count += 1
        image = QImage(
            rgb.tobytes(), rgb.shape[1], rgb.shape[0], 3 * rgb.shape[1], QImage.Format.Format_RGB888
        )
        image.save(str(self.pictures / f"mouse-{self._count:02d}-{name}.png"))

    def click(self, x_px: int, y_px: int, settle: bool = True) -> None:
        """Click, and wait for what comes of it."""
        before = screen()
        xdotool("mousemove", x_px, y_px)
        time.sleep(0.3)
        xdotool("click", 1)
        end_s = time.monotonic() + 4.0
        while not differ(screen(), before) and time.monotonic() < end_s:
            time.sleep(0.1)
        if settle:
            self.settle()

    def turn(self, x_px: int, y_px: int, notches: int) -> None:
        """Turn the wheel over a field."""
        self.click(x_px, y_px)
        xdotool("click", "--repeat", abs(notches), "--delay", 150, 4 if notches > 0 else 5)
        self.settle()

    def drag(self, start: tuple[int, int], end: tuple[int, int], name: str) -> None:
        """Drag from one place to another, and look before letting go."""
        xdotool("mousemove", *start)
        time.sleep(0.3)
        xdotool("mousedown", 1)
        for step in range(1, 16):
            xdotool("mousemove", *(round(a + (b - a) * step / 15) for a, b in zip(start, end, strict=True)))
            time.sleep(0.06)
        time.sleep(1.0)
        self.look(name)
        xdotool("mouseup", 1)
        self.settle()

    def name_file(self, dialog: str, path: Path) -> None:
        """Type the name of a file where one is asked for."""
        self.sees(dialog)
        time.sleep(0.5)
        xdotool("key", "ctrl+a")
        xdotool("type", "--delay", 30, path)
        xdotool("key", "Return")
        self.sees(dialog, there=False)
        self.settle()


def build(person: Person, file: Path) -> None:
    """From an empty hall to a row of eight racks with a job, saved."""
    person.start()
    person.click(34, 35)
    person.click(80, 66)
    person.sees("Untitled hall")
    person.look("new-scene")
    person.click(706, 726)  # Build a room
    person.sees("Build a room")
    person.settle(1.0)
    person.turn(518, 264, -1)  # one row
    person.turn(518, 668, 2)  # two boxes of storage
    person.look("room")
    person.click(1296, 834)
    person.sees("Build a room", there=False)
    time.sleep(1.5)
    person.look("built")
    person.click(131, 35)
    person.click(182, 256)
    person.sees("Plan a job")
    person.settle(1.5)
    person.click(438, 123)
    time.sleep(1.0)
    xdotool("key", "Escape")  # the list is painted at its second opening for sure
    person.click(438, 123)
    time.sleep(1.0)
    person.click(392, 218)  # ViT-L/16
    person.click(452, 185)
    person.click(452, 185)  # all GPUs but those of a node
    person.look("job")
    person.click(332, 859)  # Add to the scene
    person.click(1369, 90)
    person.sees("Plan a job", there=False)
    person.look("checks")
    person.click(34, 35)
    person.click(80, 214)
    person.name_file("Save the scene", file)
    person.look("saved")


def main() -> None:
    """Build, save, open again, run, drag a rack in."""
    pictures = Path(sys.argv[1]).resolve()
    home = pictures / "home"
    home.mkdir(parents=True, exist_ok=True)
    os.environ |= {"DISPLAY": DISPLAY, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
    os.environ |= {"XDG_DATA_HOME": str(home / ".local/share"), "XDG_STATE_HOME": str(home / ".local/state")}
    servers = [subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", "1600x1000x24"])]
    time.sleep(2)
    servers.append(subprocess.Popen(["openbox"]))
    time.sleep(1)
    person, file, again = Person(pictures), home / "row.twin.yaml", home / "again.twin.yaml"
    try:
        build(person, file)
        subprocess.run([TWIN, "check", file], check=True)
        person.click(34, 35)
        person.click(62, 371)  # Quit
        person.sees("gpu-twin", there=False)
        person.start()
        person.click(34, 35)
        person.click(71, 94)
        person.name_file("Open a scene", file)
        person.sees("Training hall")
        person.look("opened")
        person.click(34, 35)
        person.click(80, 214)
        person.name_file("Save the scene", again)
        subprocess.run([TWIN, "diff", file, again], check=True)
        person.click(1322, 35)  # Design
        person.click(208, 165)
        person.click(183, 281)  # Nodes
        person.click(73, 78)  # Play
        person.look("run")
        person.drag((138, 276), (1106, 714), "ghost")
        time.sleep(3)
        person.click(73, 78)
        person.look("joined")
        person.click(34, 35)
        person.click(66, 187)  # Save
        time.sleep(2)
        assert "rack-1" in again.read_text().partition("\nedits:")[2], "the rack is no edit of the run"
    finally:
        for process in (person.program, *reversed(servers)):
            if process is not None:
                process.terminate()


if __name__ == "__main__":
    main()
