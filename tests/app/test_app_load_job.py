"""A job of which only the power is known in the job dialog and the jobs dock: nothing is made up, nothing breaks."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from twin.app.inspector.facts import facts_of
from twin.app.jobs.model import MFU, job_text
from twin.app.planner.dialog import JobDialog
from twin.app.planner.facts import plan_rows
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import MISSING
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.plant.build import build
from twin.scenario import load
from twin.scenario.schema.work import Load

pytestmark = pytest.mark.gl
_LAB = Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml"


@pytest.fixture(scope="module")
def world() -> World:
    scenario = load(_LAB).scenario
    workload = Load.model_validate({"kind": "load", "gpu": "79 %", "cpu": "33 %"})
    job = scenario.jobs[0].model_copy(update={"workload": workload})
    scenario = scenario.model_copy(update={"jobs": (job,)})
    return World(scenario, build(scenario), load_catalog(), None)


def test_the_dialog_shows_its_step_and_says_what_it_does_not_know(qtbot: QtBot, world: World) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    look, window = Look(app, "dark"), QMainWindow()
    qtbot.addWidget(window)
    dialog = JobDialog(look, window)
    dialog.set_world(world)
    dialog.show()
    qtbot.waitExposed(dialog)
    assert isinstance(dialog.draft.workload, Load)
    assert dialog.results.tiles["step"].text == "60.0 s"
    assert {dialog.results.tiles[name].text for name in ("rate", "mfu", "flops", "memory")} == {MISSING}
    assert "gives the power of this load" in dialog.results.trust.text()
    assert "(scene)" in dialog.form.model_box.currentText()
    assert list(dialog.form.editors) == ["gpu"]
    assert not dialog.best_button.isEnabled()
    for tab in range(dialog.tabs.count()):
        dialog.tabs.setCurrentIndex(tab)
        dialog.refresh()
    assert dialog.scaling is not None
    assert dialog.scaling.plot.note.text().startswith("Only the power")
    dialog.copy_yaml()
    assert "kind: load" in app.clipboard().text()
    dialog.close()
    look.close()


def test_the_inspector_and_the_jobs_dock_show_no_figure_that_nobody_gave(world: World) -> None:
    facts = facts_of(world, world.scenario.jobs[0].id)
    assert facts is not None
    assert facts.subtitle.startswith("load of 79 % on ")
    rows = plan_rows(world, world.scenario.jobs[0])
    assert [row.label for row in rows] == ["Step time"]
    assert "gives the power of this load" in rows[0].hint

    names = ("state", "step", "step_s", "mfu", "goodput", "gpus")
    shown = SimpleNamespace(t_s=10.0, values={f"job.{name}": np.array([2.0]) for name in names})
    assert job_text(world.scenario.jobs[0], 0, shown, MFU) == MISSING  # type: ignore[arg-type]


def test_priority_and_floor_of_a_job_are_shown_where_they_are_given(world: World) -> None:
    job = world.scenario.jobs[0].model_copy(update={"priority": -3, "power_floor": 0.8})
    rows = {row.label: row.value for row in plan_rows(world, job)}
    assert rows["Power floor"] == "80 % of working power"
    assert rows["Priority"] == "-3"
