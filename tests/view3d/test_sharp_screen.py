"""Screens of any pixel ratio: the picture has all their pixels, and what is clicked is what is drawn there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from patience import HANG_S
from usual_cases import usually


@pytest.mark.parametrize("ratio", usually([1.0, 1.5, 2.0], [1.5]))
def test_what_is_drawn_is_what_is_picked(ratio: float) -> None:
    script = Path(__file__).with_name("sharp_screen.py")
    environment = {**os.environ, "QT_SCALE_FACTOR": f"{ratio:g}"}
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    assert told["ratio"] == ratio
    width, height = told["size"]
    assert told["picture"] == [round(height * ratio), round(width * ratio)]
    assert len(told["found"]) == 4
    for gpu, selected, pixels in told["found"]:
        assert selected == [gpu]
        assert pixels > 40 * ratio**2  # the tile is drawn in the screen's own pixels
