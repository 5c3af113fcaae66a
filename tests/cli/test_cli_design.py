"""`twin design` where no folder can be written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from twin.designs import design_folder, screening
from twin.designs.design_scene import DesignError

Twin = Callable[..., Result]


def test_designs_without_scenes_end_with_one_and_no_folder(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise DesignError("its hall is too small")

    monkeypatch.setattr(design_folder, "scene_of_design", refused)
    folder = tmp_path / "designs"
    done = twin("design", "lab-16-to-256", "--candidates", "40", "--most", "2", "-o", str(folder), code=1)
    assert "2 designs keep all limits, but no scene of them passes its checks" in done.output
    assert "no candidate" not in done.output
    assert done.output.count("left out: 256 x ") == 2
    assert not folder.exists()


def test_a_folder_that_is_there_is_refused_before_anything_is_screened(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    monkeypatch.setattr(screening.Screening, "choices", lambda _: pytest.fail("was screened"))
    done = twin("design", "lab-16-to-256", "-o", str(tmp_path), code=None)
    assert done.exit_code not in (0, 1)
    assert "is there already, and not an empty folder" in done.output
