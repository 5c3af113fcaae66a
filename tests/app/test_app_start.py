"""Starting and ending the app as a program of its own."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from multiprocessing import active_children
from pathlib import Path

import psutil
import pytest
from patience import HANG_S
from PySide6.QtGui import QImage

from twin.app.shell.start import run_app

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


def test_a_window_loads_nothing_that_only_files_and_designs_need() -> None:
    code = "import sys, twin.app.shell.main_window; print(*sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(out.stdout.split())
    assert "twin.app.shell.main_window" in loaded
    assert not {
        name
        for name in loaded
        if name.split(".")[:2] in (["twin", part] for part in ("handover", "drawings", "solids", "designs"))
        or name in ("pyqtgraph", "twin.report.run_report", "twin.report.film", "twin.lists.site_lists")
    }


def test_the_worker_starts_while_the_scene_is_read_and_ends_where_that_is_no_good() -> None:
    found = []

    def read() -> Path:
        found.extend(process.name for process in active_children())
        raise ValueError("no scene")

    with pytest.raises(ValueError, match="no scene"):
        run_app(read)
    assert "twin worker" in found
    assert "twin worker" not in [process.name for process in active_children()]
    assert gc.isenabled()
