"""The real program, walked as a screen reader does: all that can have the focus has a role and a name."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from patience import HANG_S

DEBIAN_PYTHON = "/usr/bin/python3"
WALK = Path(__file__).with_name("at_spi_walk.py")
TOP = Path(__file__).parents[2]


def _missing() -> str:
    for program in ("dbus-run-session", "Xvfb"):
        if shutil.which(program) is None:
            return program
    if not Path("/usr/libexec/at-spi-bus-launcher").exists():
        return "at-spi2-core"
    asked = subprocess.run([DEBIAN_PYTHON, "-c", "import dbus"], capture_output=True, check=False)
    return "" if asked.returncode == 0 else "python3-dbus"


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(_missing()), reason=f"needs {_missing()}"),
]

SESSION = """
set -eu
mkfifo "$TWIN_FOLDER/number"
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3>"$TWIN_FOLDER/number" 2>/dev/null &
screen=$!
export DISPLAY=":$(head -1 "$TWIN_FOLDER/number")"
"$TWIN_PYTHON" -m twin.cli open "$1" --no-play 2>"$TWIN_FOLDER/errors" &
program=$!
trap 'kill $program; wait $program || true; kill $screen' EXIT
"$TWIN_DEBIAN_PYTHON" "$TWIN_WALK" gpu-twin "$TWIN_PATIENCE_S"
"""


def walked(scene: str, folder: Path) -> list[dict[str, object]]:
    """Return every object of the program with a scene open."""
    environment = {
        **os.environ,
        "TWIN_FOLDER": str(folder),
        "TWIN_PYTHON": sys.executable,
        "TWIN_DEBIAN_PYTHON": DEBIAN_PYTHON,
        "TWIN_WALK": str(WALK),
        "TWIN_PATIENCE_S": str(HANG_S),
        "TWIN_STATE_DIR": str(folder / "state"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "QT_QPA_PLATFORM": "xcb",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "PYTHONPATH": str(TOP),
    }
    command = ["dbus-run-session", "--", "sh", "-c", SESSION, "sh", scene]
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            printed, errors = process.communicate(timeout=HANG_S)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    lines = printed.splitlines()
    assert lines, errors
    assert lines[-1] == "end", (lines[-1], errors)
    return [json.loads(line) for line in lines if line.startswith("{")]  # the bus speaks as well


def is_empty(thing: dict[str, object]) -> bool:
    """Return whether there is nothing to say of a thing: a text field for words without words, a bar without tabs."""
    within = {"label": 0, "page tab list": 2}.get(str(thing["role"]))  # a bar has two buttons that scroll it
    return within is not None and int(str(thing["children"])) <= within


def test_all_that_can_have_the_focus_has_a_role_and_a_name(tmp_path: Path) -> None:
    things = walked("lab-16", tmp_path)
    assert len(things) > 300
    nameless = [
        f"{' > '.join(thing['above'][-4:])} > {thing['role']}"  # type: ignore[index]
        for thing in things
        if thing["focusable"]
        and not is_empty(thing)
        and (not str(thing["name"]).strip() or thing["role"] in ("", "unknown", "invalid"))
    ]
    assert sorted(nameless) == []
    halls = [thing for thing in things if str(thing["name"]).startswith("Hall in 3D")]
    assert halls
    assert all(hall["description"] for hall in halls)
