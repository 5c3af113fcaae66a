"""`twin handover` writes a package; `twin open` refuses one that cannot be opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Twin = Callable[..., Result]
pytestmark = pytest.mark.usefixtures("qapp")  # a second kind of application would break tests of the window


def test_a_scene_is_packed_and_a_bad_package_refused(twin: Twin, tmp_path: Path) -> None:
    said = twin("handover", "lab-16", "-o", tmp_path / "lab.zip")
    assert "files" in said.stdout
    assert "must end in .zip" in twin("handover", "lab-16", "-o", tmp_path / "lab.tar", code=2).stderr
    assert "exists already" in twin("handover", "lab-16", "-o", tmp_path / "lab.zip", code=2).stderr
    (tmp_path / "bad.zip").write_bytes(b"no zip")
    assert "is no zip file" in twin("open", tmp_path / "bad.zip", code=2).stderr
