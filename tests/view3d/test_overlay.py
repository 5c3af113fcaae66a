"""The overlay: legend, title and mark are in the picture, and what it covers is told beforehand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from twin.plant.tables import Plant
from twin.record.frame import Frame
from twin.view3d.colour.legend import legend_for
from twin.view3d.layers.overlay import draw_overlay, format_time, overlay_areas, save_png

TEXT = {"title": "Llama 3", "subtitle": "16,384 H100", "seed": 7, "t_s": 90000.0}


@pytest.mark.parametrize("colour_by", ["gpu.temp_c", "gpu.state", "gpu.job"])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_overlay_draws_inside_its_areas_only(
    qapp: QApplication, hall: Plant, frame: Frame, colour_by: str, scale: float
) -> None:
    legend = legend_for(colour_by, hall, frame)
    plain = np.full((int(400 * scale), int(640 * scale), 3), 30, np.uint8)
    drawn = draw_overlay(plain, legend, scale=scale, **TEXT)  # type: ignore[arg-type]
    changed = (drawn != plain).any(axis=2)
    covered = np.zeros_like(changed)
    areas = overlay_areas(640, 400, legend, **TEXT)  # type: ignore[arg-type]
    assert len(areas) == 3
    for left, top, width, height in areas:
        y, x = (
            slice(int((top - 1) * scale), int((top + height + 2) * scale)),
            slice(int((left - 1) * scale), int((left + width + 2) * scale)),
        )
        covered[y, x] = True
        assert changed[y, x].any()
    assert not (changed & ~covered).any()


def test_ramp_of_the_legend_is_in_the_picture(qapp: QApplication, hall: Plant, frame: Frame) -> None:
    legend = legend_for("gpu.temp_c", hall, frame)
    drawn = draw_overlay(np.zeros((400, 640, 3), np.uint8), legend, **TEXT)  # type: ignore[arg-type]
    for _, rgb in legend.stops[1:-1]:
        assert (np.abs(drawn / 255.0 - np.array(rgb)).max(axis=2) < 0.05).any()


def test_png_carries_its_metadata(qapp: QApplication, tmp_path: Path) -> None:
    path = tmp_path / "shot.png"
    save_png(np.full((20, 30, 3), 99, np.uint8), path, {"scenario": "abc", "seed": "7"})
    image = QImage(str(path))
    assert (image.width(), image.height()) == (30, 20)
    assert (image.text("scenario"), image.text("seed")) == ("abc", "7")


def test_png_in_a_missing_folder_is_an_error(qapp: QApplication, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot write"):
        save_png(np.zeros((2, 2, 3), np.uint8), tmp_path / "no" / "shot.png", {})


def test_time_is_days_and_clock() -> None:
    assert format_time(59) == "00:00:59"
    assert format_time(12 * 86400 + 7.5 * 3600) == "day 12, 07:30:00"
