"""Ticks of the time axis of plots: in narrow ones, too, their texts leave each other room. No window."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

import pytest
from PySide6.QtWidgets import QApplication

from twin.app.plots.plot_items import TimeAxis
from twin.app.toolkit.clock import Clock

_TEXT_PX, _EDGE_PX = 52.0, 18.0
_START = datetime.fromisoformat("2026-06-01T09:55-05:00")


@pytest.mark.parametrize("size_px", [72.0, 90.0, 130.0, 400.0])
@pytest.mark.parametrize("span_s", [100.0, 2009.0, 2569.0, 7094.0, 86400.0, 6.5 * 86400.0])
def test_texts_of_times_leave_each_other_room(qapp: QApplication, span_s: float, size_px: float) -> None:
    axis = TimeAxis(Clock(_START, dated=True))
    ((spacing_s, offset_s),) = axis.tickSpacing(0.0, span_s, size_px)
    assert spacing_s * size_px / span_s >= _TEXT_PX
    edge_s = span_s * _EDGE_PX / size_px
    first_s = offset_s + spacing_s * math.ceil((edge_s - offset_s) / spacing_s)
    assert first_s <= span_s - edge_s  # there is one at least
    (text,) = axis.tickStrings([first_s], 1.0, spacing_s)
    moment = _START + timedelta(seconds=first_s)
    assert text in (f"{moment:%H:%M:%S}", f"{moment:%H:%M}", f"{moment.day} {moment:%b}")
    left_out = (f"{moment:%H%M%S}", f"{moment:%S}", "0")[text.count(":")]
    assert int(left_out) == 0
