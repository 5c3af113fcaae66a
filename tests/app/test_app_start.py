"""Starting and ending the app as a program of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from patience import HANG_S
from PySide6.QtGui import QImage

pytestmark = pytest.mark.gl

_PROGRAM = """
import sys
from twin.app.shell.start import run_app

if __name__ == "__main__":
    sys.exit(run_app(sys.argv[1], exit_after_s=float(sys.argv[2]), picture=sys.argv[3], speed=600.0))
"""


def _run(scene: Path, seconds: float, picture: Path, home: Path) -> subprocess.CompletedProcess[str]:
    program = home / "program.py"
    program.write_text(_PROGRAM)
    environ = os.environ | {"XDG_CONFIG_HOME": str(home / "config"), "XDG_STATE_HOME": str(home / "state")}
    return subprocess.run(
        [sys.executable, str(program), str(scene), str(seconds), str(picture)],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        env=environ,
        check=False,
    )


def test_the_app_opens_a_scene_leaves_a_picture_and_ends_by_itself(
    qapp: object, lab: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "window.png"
    done = _run(lab, 6.0, picture, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Fatal" not in done.stderr
    assert QImage(str(picture)).width() >= 980
    assert not [
        p for p in psutil.process_iter(["cmdline"]) if str(tmp_path) in " ".join(p.info["cmdline"] or [])
    ]


@pytest.mark.slow
def test_a_bad_scene_ends_an_unattended_start_with_2(qapp: object, tmp_path: Path) -> None:
    done = _run(tmp_path / "missing.twin.yaml", 20.0, tmp_path / "no.png", tmp_path)
    assert done.returncode == 2, done.stderr
