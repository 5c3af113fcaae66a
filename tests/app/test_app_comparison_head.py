"""What the heads of the table of two runs say: of figures the mean over the seeds, of money the median."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.record.small_run import SUMMARY
from twin.analysis.compare import Sample, compare, sample_of
from twin.analysis.run_cost import RunCost
from twin.app.compare.table import APART, A, FigureTable
from twin.app.toolkit.look import Look


def spent(seed: int) -> Sample:
    total = (1000.0 + seed) * np.linspace(0.8, 1.2, 11)
    cost = RunCost(total, 0.25 * total, 100.0, 25.0, ("H100-SXM",))
    return sample_of(SUMMARY | {"ettr": 0.9 + 0.01 * seed}, cost)


@pytest.mark.parametrize(
    ("seeds", "money", "of_a", "apart"),
    [
        (1, True, "A", "B \N{MINUS SIGN} A\nmoney: median"),
        (3, True, "A, mean", "B \N{MINUS SIGN} A, mean\nmoney: median"),
        (3, False, "A, mean", "B \N{MINUS SIGN} A, mean"),
    ],
)
def test_a_difference_is_headed_by_what_it_is(
    seeds: int, money: bool, of_a: str, apart: str, qapp: QApplication, qtbot: QtBot
) -> None:
    look = Look(qapp, "dark")
    table = FigureTable(look)
    qtbot.addWidget(table)
    runs = [spent(seed) if money else replace(spent(seed), cost=None) for seed in range(seeds)]
    other = [replace(each, figures=each.figures | {"ettr": 0.5 + 0.02 * k}) for k, each in enumerate(runs)]
    table.show_comparison(compare(runs, other, range(seeds)))
    head = table.headerItem()
    assert (head.text(A), head.text(APART)) == (of_a, apart)
    assert ("median" in head.toolTip(APART)) == money
    look.close()
