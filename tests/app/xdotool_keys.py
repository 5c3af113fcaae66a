"""The walk by keys alone: a hall is built, saved, opened again, run, a rack is added and used by the next recovery."""

from __future__ import annotations

from pathlib import Path

from xdotool_hands import Box, Person

CLOCK: Box = (310, 25, 700, 85)
PARTS: Box = (0, 130, 272, 580)
STATUS: Box = (0, 976, 900, 1000)
INSPECTED: Box = (1265, 160, 1600, 280)
MENU: Box = (775, 460, 935, 695)


def build_by_keys(person: Person, file: Path) -> None:
    """From nothing to a row of eight racks with a job, saved."""
    person.point(1598, 998)  # out of the way
    person.start()
    person.key("ctrl+n")
    person.sees("Untitled hall")
    person.look("new-scene")
    person.key("ctrl+shift+h")
    person.sees("Build a room")
    person.still()
    person.key("Tab", times=3)
    person.keyed("Down")  # one row
    person.key("Tab", times=15)
    person.keyed("Up", times=2)  # two boxes of storage
    person.look("room")
    person.key("Return")
    person.sees("Build a room", there=False)
    person.sees("Training hall")
    person.look("built")
    take(person, "cdu in row")
    person.key("Up", times=4)
    person.key("Left", times=4)
    person.look("cdu-in-hand")
    person.keyed("Return")
    person.look("cdu")
    person.key("ctrl+j")
    person.sees("Plan a job")
    person.still()
    person.key("Tab", times=2)
    person.keyed("End")
    person.keyed("Left")  # all GPUs but those of a node
    person.look("job-refused")
    person.key("Tab", times=2)
    person.keyed("Up")  # as many sequences as there are copies
    person.keyed("alt+b")
    person.look("job")
    person.keyed("alt+a")
    person.key("Escape")
    person.sees("Plan a job", there=False)
    person.look("checks")
    person.key("ctrl+shift+s")
    person.name_file("Save the scene", file)
    person.look("saved")
    person.key("ctrl+q")
    person.ends()


def open_again_by_keys(person: Person, file: Path, again: Path) -> None:
    """Open the scene in a new program, and save it under another name."""
    person.start(moves=True)  # the last scene comes back by itself, and runs
    person.key("ctrl+o")
    person.name_file("Open a scene", file)
    person.key("alt+1")  # the workspace Design
    person.look("opened", moving=True)
    person.key("space")  # it runs as soon as it is open
    person.still()
    person.key("ctrl+shift+s")
    person.name_file("Save the scene", again)
    person.still()


def run_by_keys(person: Person, again: Path) -> None:
    """Let it run, take the spare out, put a rack in, break a node, and see the job go on with the new rack."""
    person.key("space")
    person.happens("the job runs", lambda event: event.kind == "job_running")
    person.look("run", moving=True)
    go_to(person, "gpu/0/7/3")
    person.keyed("Menu", box=MENU)
    person.key("Down", times=5)
    person.look("menu", moving=True)
    person.key("Right", "Return")  # Drain > Now
    person.happens("the only spare is drained", lambda event: event.kind == "drained")
    person.look("drained", moving=True)
    person.key("Home")
    take(person, "four dgx h100", moving=True)
    person.key("Right", times=6)
    person.look("rack-in-hand", moving=True)
    person.key("Return")
    person.happens("the rack stands in the run", lambda event: event.kind == "edited")
    person.look("joined", moving=True)
    go_to(person, "gpu/0/0/0")
    person.key("b")
    person.sees("Break gpu/0/0/0")
    person.look("break", moving=True)
    person.key("Return")
    person.happens("a spare is taken", lambda event: event.kind == "spare_taken")
    person.look("recovered", moving=True)
    person.key("space")
    person.still(box=CLOCK)
    person.key("ctrl+s")
    person.until(lambda: "\nedits:" in again.read_text(), "the rack is saved with the run")
    person.look("saved-run", moving=True)
    person.key("ctrl+q")
    person.ends()


def take(person: Person, words: str, moving: bool = False) -> None:
    """Take a part in hand."""
    person.key("shift+a", "ctrl+a")
    person.changes(lambda: person.type(words), PARTS)
    person.still(0.5, PARTS)
    person.keyed("Return", box=STATUS)
    if not moving:
        person.still()


def go_to(person: Person, thing: str) -> None:
    """Fly to a thing, by its id."""
    person.key("ctrl+shift+p")
    person.type(thing)
    person.keyed("Return", box=INSPECTED)
    person.still(0.5, INSPECTED)
