"""The walk by mouse alone: a hall is built, saved, opened again, run; a rack dragged in is used by the next recovery.

Places are those of a window of 1600 x 1000 in text of usual size; places in dialogs count from their corners. Typed are
names of files only. Where the layout of the window was changed the picture ``not-as-expected`` shows what was met.
"""

from __future__ import annotations

from pathlib import Path

from xdotool_hands import HEIGHT_PX, Box, Person

CLOCK: Box = (310, 25, 700, 85)
MENU: Box = (0, 30, 340, 300)
PARTS: Box = (0, 130, 272, 580)
FILE, RUN, DESIGN, PLAY = (32, 15), (131, 15), (1322, 14), (71, 58)
NEW, OPEN, SAVE, SAVE_AS = (80, 46), (81, 100), (75, 192), (81, 219)
PLAN_JOB = (173, 235)
BUILD_ROOM = (703, 705)
CDU_PAIR, CDU_PLACE = (90, 553), (735, 400)
GROUPS, RACKS, FOUR_DGX, RACK_PLACE = (214, 203), (182, 322), (115, 449), (1060, 690)
SPARE, BUSY = (872, 575), (704, 535)
"""GPUs in the hall: of the node that no job has, and of one that the job has."""
MENU_PX = 400
"""The menu of a thing is at least so high."""


def build_by_mouse(person: Person, file: Path) -> None:
    """From nothing to a row of eight racks with a job, saved."""
    person.start()
    person.click(*FILE, box=MENU)
    person.click(*NEW)
    person.sees("Untitled hall")
    person.look("new-scene")
    person.click(*BUILD_ROOM)
    person.sees("Build a room")
    person.still()
    person.inside("Build a room", 257, 161)  # one row
    person.inside("Build a room", 257, 695)
    person.inside("Build a room", 257, 695)  # two boxes of storage
    person.look("room")
    person.inside("Build a room", 1034, 694)  # Build
    person.sees("Build a room", there=False)
    person.sees("Training hall")
    person.look("built")
    person.drag(CDU_PAIR, CDU_PLACE, lambda: person.look("cdu-in-hand"))
    person.look("cdu")
    person.click(*RUN)
    person.click(*PLAN_JOB)
    person.sees("Plan a job")
    person.still()
    person.inside("Plan a job", 219, 90)
    person.inside("Plan a job", 219, 90)  # all GPUs but those of a node
    person.look("job-refused")
    person.inside("Plan a job", 217, 134)  # as many sequences as there are copies
    person.inside("Plan a job", 54, 731)  # Best plan
    person.look("job")
    person.inside("Plan a job", 112, 761)  # Add to the scene
    person.inside("Plan a job", 1151, -9)  # the cross
    person.sees("Plan a job", there=False)
    person.look("checks")
    person.click(*FILE, box=MENU)
    person.press(*SAVE_AS)
    person.name_file("Save the scene", file)
    person.look("saved")
    person.last_entry(*FILE)  # Quit
    person.ends()


def open_again_by_mouse(person: Person, file: Path, again: Path) -> None:
    """Open the scene in a new program, and save it under another name."""
    person.start(moves=True)  # the last scene comes back by itself, and runs
    person.click(*FILE, box=MENU)
    person.press(*OPEN)
    person.name_file("Open a scene", file)
    person.press(*DESIGN)
    person.look("opened", moving=True)
    person.press(*PLAY)  # it runs as soon as it is open
    person.still()
    person.click(*FILE, box=MENU)
    person.press(*SAVE_AS)
    person.name_file("Save the scene", again)
    person.still()


def run_by_mouse(person: Person, again: Path) -> None:
    """Let it run, take the spare out, drag a rack in, break a node, and see the job go on with the new rack."""
    person.press(*PLAY)
    person.happens("the job runs", lambda event: event.kind == "job_running")
    person.look("run", moving=True)
    choose(person, SPARE, 169, 169, "drain")
    person.happens("the only spare is drained", lambda event: event.kind == "drained")
    person.changes(lambda: person.press(*GROUPS), PARTS)
    person.changes(lambda: person.press(*RACKS), PARTS)
    person.still(0.5, PARTS)
    person.drag(FOUR_DGX, RACK_PLACE, lambda: person.look("rack-in-hand", moving=True))
    person.happens("the rack stands in the run", lambda event: event.kind == "edited")
    person.look("joined", moving=True)
    choose(person, BUSY, 283, 283, "break-menu")
    person.sees("Break gpu/0")
    person.look("break", moving=True)
    person.inside("Break gpu/0", 410, 232, moving=True)
    person.happens("a spare is taken", lambda event: event.kind == "spare_taken")
    person.look("recovered", moving=True)
    person.changes(lambda: person.press(*PLAY), CLOCK)
    person.still(box=CLOCK)
    person.click(*FILE, box=MENU)
    person.press(*SAVE)
    person.until(lambda: "\nedits:" in again.read_text(), "the rack is saved with the run")
    person.look("saved-run", moving=True)
    person.last_entry(*FILE)  # Quit
    person.ends()


def choose(person: Person, thing: tuple[int, int], entry_px: int, inner_px: int, name: str) -> None:
    """Choose from a submenu of the menu of a thing in the hall.

    Places count down from the top of the menu, which opens above the pointer where it does not fit below.
    """
    x_px, y_px = thing
    person.press(x_px, y_px, 3)
    top_px = person.menu(x_px, MENU_PX)
    beside = (x_px + 190, 0, x_px + 260, HEIGHT_PX)
    person.changes(lambda: person.press(x_px + 60, top_px + entry_px), beside)
    person.look(name, moving=True)
    person.press(x_px + 210, top_px + inner_px)
