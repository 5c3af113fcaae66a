"""The Study window, driven by mouse and keys in the real window: set up, run, pause, look, open the run of a point."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QMessageBox

from twin.analysis.seeds import sample
from twin.scenario import load
from twin.scenario.file.set_option import set_texts
from twin.studies.sensitivity import SobolIndex
from twin.studies.study import SweepRequest, carried_out, planned
from twin.studies.study_figures import chosen_figures
from twin.studies.sweep_file import SweepFile, read_sweep
from twin.studies.sweep_records import SweepContents

pytestmark = pytest.mark.gl
INTERVAL, PAUSE = "jobs[llama3].checkpoint.interval", "jobs[llama3].checkpoint.pause"


@pytest.fixture
def study(request: pytest.FixtureRequest, use_window, my_lab: Path):
    """Return the main window with a scene of one's own, and the Study window over it, set up anew."""
    window = use_window(my_lab)
    window.menus.execute("analyse.study")
    dialog = window.studies.dialog
    dialog.take_open_scene()
    dialog.form.keys.show_keys([])
    dialog.form.design_box.setCurrentIndex(0)
    dialog.form.number.setValue(5)
    dialog.form.seeds.setValue(1)
    dialog.form.length.setText("10 min")
    dialog.form.choose_figures(("goodput", "energy_per_gpu_h"))
    yield window, dialog
    dialog.run.close()
    dialog.close()
    del window, dialog
    request.node.funcargs.clear()  # pytest keeps what the last test was given until after the window is gone


def ready(dialog, qtbot, runs: int) -> None:
    qtbot.waitUntil(lambda: not dialog.form.waits)
    assert dialog.form.runs == runs, dialog.form.told.text()


def carry_out(dialog, qtbot) -> SweepContents:
    """Press Run, and wait until all is done and shown."""
    QTest.mouseClick(dialog.foot.run_button, Qt.MouseButton.LeftButton)
    assert dialog.run.is_running
    qtbot.waitUntil(lambda: not dialog.run.is_running)
    qtbot.waitUntil(lambda: dialog.run.is_read)
    assert not dialog.form.told.isVisible(), dialog.form.told.text()
    return dialog.run.contents


def closed_forms(folder: Path, vary: list[str], **asked: object) -> Path:
    """Return the file of a study without runs."""
    path = folder / "closed.sweep"
    document = load(folder / "my-lab.twin.yaml")
    request = SweepRequest(str(folder / "my-lab.twin.yaml"), vary, out=path, workers=1, **asked)
    carried_out(document, planned(document, request, chosen_figures(["renewal_ettr", "mean_between_s"])))
    return path


def test_it_is_found_by_the_words_of_its_users(use_window, lab: Path) -> None:
    window = use_window(lab)
    for words in ("sweep", "study", "sensitivity", "vary", "parameter", "what if many"):
        window.open_palette()
        window.palette_popup.field.setText(words)
        titles = [entry.title for entry in window.palette_popup.shown[:4]]
        assert any(title.startswith("Study:") for title in titles), (words, titles)
        window.palette_popup.hide()
    assert window.menus.qt_actions["analyse.study"].shortcut().toString() == "Shift+V"


def test_a_study_is_set_up_by_keys_run_and_its_points_open(study, qtbot, my_lab: Path) -> None:
    window, dialog = study
    window.menus.execute("analyse.study")
    row = dialog.form.keys.rows[0]
    qtbot.waitUntil(row.path.hasFocus)
    QTest.keyClicks(row.path, INTERVAL)
    QTest.keyClick(row.path, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: row.values.text() == "15..60 min")  # proposed round what stands
    assert row.now.text() == "Checkpoint interval (job llama3), now 30 min"
    row.values.setText("5min, 30min")
    dialog.form.seeds.setValue(2)
    ready(dialog, qtbot, 4)
    assert dialog.foot.budget.text().startswith("2 points, 4 runs")
    assert dialog.form.out == my_lab.with_name("my-lab-1.sweep")
    contents = carry_out(dialog, qtbot)
    assert contents.header.seeds == (1, 2)
    assert read_sweep(my_lab.with_name("my-lab-1.sweep")) == contents
    # the same figures as runs of the scene with these values
    scene = set_texts(load(my_lab), [f"{INTERVAL}=5min"]).scenario
    alone = sample(scene, 2, 600.0)
    assert contents.runs[0, 2].figures["goodput"] == alone.figures["goodput"]
    # pictures and table tell of the same points
    results = dialog.results
    assert results.picture == "line"
    assert results.table.rows.table[1][:2] == ("0", "5min")
    xy, places = results.line.spots()
    assert places.tolist() == [0, 1]
    QTest.mouseClick(results.line, Qt.MouseButton.LeftButton, pos=QPointF(*xy[0]).toPoint())
    assert results.selected == 0
    assert results.table.currentIndex().row() == 0
    assert "5min" in dialog.strip.words.text()
    # its run opens with the seed that is chosen; nothing of the open scene is lost
    dialog.strip.seed_box.setCurrentIndex(1)
    before = my_lab.read_text()
    QTest.mouseClick(dialog.strip.open_button, Qt.MouseButton.LeftButton)
    session = window.session
    qtbot.waitUntil(lambda: session.frame is not None and session.begun)
    assert session.seed == 2
    assert session.document.scenario.jobs[0].checkpoint.interval == 300.0
    assert session.path.name == "my-lab-point-0.twin.yaml"
    assert window.editing.file.is_new  # saving asks where
    assert my_lab.read_text() == before
    assert dialog.run.contents is contents  # the study stays
    assert dialog.isVisible()


def test_unsaved_work_is_asked_about_before_a_run_opens(study, qtbot, my_lab: Path, monkeypatch) -> None:
    window, dialog = study
    assert window.files.open(closed_forms(my_lab.parent, [f"{INTERVAL}=5min,10min"]))
    qtbot.waitUntil(lambda: dialog.results.points is not None)
    editor = window.editing.editor
    window.docks.inspector.properties.edit(())
    from twin.commands.place.properties import SetProperty

    editor.do(SetProperty(("",), "duration", "2 day"))
    window.editing.file.asks = True
    asked: list[str] = []

    def cancel(box: QMessageBox) -> int:
        asked.append(box.text())
        return QMessageBox.StandardButton.Cancel

    monkeypatch.setattr(QMessageBox, "exec", cancel)
    dialog.open_point(1)
    assert asked
    assert window.session.document.scenario.duration_s == 2 * 86400.0
    monkeypatch.setattr(QMessageBox, "exec", lambda box: QMessageBox.StandardButton.Discard)
    dialog.open_point(1)
    assert window.session.document.scenario.jobs[0].checkpoint.interval == 300.0
    window.editing.file.asks = False


def test_bad_entries_are_told_at_their_fields(study, qtbot) -> None:
    _, dialog = study
    form = dialog.form
    form.keys.show_keys([(INTERVAL, "5min, ten"), ("seed", "1,2"), ("jobs[llama3].nodez", "1,2")])
    qtbot.waitUntil(lambda: not form.waits)
    told = [row.told.text() for row in form.keys.rows]
    assert "a duration" in told[0]
    assert "every point runs with the same seeds" in told[1]
    assert "did you mean 'nodes'" in told[2]
    assert all(row.told.isVisible() for row in form.keys.rows)
    assert not dialog.foot.run_button.isEnabled()
    form.keys.show_keys([(INTERVAL, "20..5 min")])
    qtbot.waitUntil(lambda: not form.waits)
    assert "lower to the higher" in form.keys.rows[0].told.text()
    form.keys.show_keys([(INTERVAL, "5..20 min")])
    form.length.setText("a while")
    qtbot.waitUntil(lambda: not form.waits)
    assert form.told.isVisible()
    form.length.setText("1 h")
    form.design_box.setCurrentIndex(4)
    form.goals.add_limit().choose("power_max_w", "<=", "20 apples")
    qtbot.waitUntil(lambda: not form.waits)
    assert "20 apples" in form.goals.told.text()
    form.goals.limits[0].value.setText("20 kW")
    qtbot.waitUntil(lambda: not form.waits)
    assert not form.goals.told.isVisible()
    assert form.runs == 196
    assert dialog.foot.budget.text().startswith("at most 196 points, 196 runs")
    form.goals.show_goals((), ())
    form.design_box.setCurrentIndex(0)
    kept = form.out.with_name("kept.sweep")
    kept.write_text("of somebody else")
    form.name_file(kept, own=True)
    qtbot.waitUntil(lambda: not form.waits)
    QTest.mouseClick(dialog.foot.run_button, Qt.MouseButton.LeftButton)
    assert "is there already" in form.file_told.text()
    assert not dialog.run.is_running
    assert kept.read_text() == "of somebody else"
    form.name_file(kept.with_name("free.sweep"), own=True)
    form.place.address.setText("tls://10.0.0.5:8786")
    qtbot.waitUntil(lambda: not form.waits)
    assert form.place.certificates_row.isVisible()
    assert "needs certificates" in form.place.told.text()
    QTest.mouseClick(dialog.foot.run_button, Qt.MouseButton.LeftButton)
    assert not dialog.run.is_running
    form.place.address.clear()
    qtbot.waitUntil(lambda: not form.waits)
    assert not form.place.told.isVisible()
    assert not form.place.certificates_row.isVisible()


def test_vary_this_comes_from_a_field_of_the_inspector(study, qtbot, my_lab: Path) -> None:
    window, dialog = study
    dialog.close()
    window.docks.enter("design")
    panel = window.docks.inspector.properties
    window.docks.show("inspector")
    window.docks.inspector.show_things(("crah",))
    window.docks.inspector.show_page("properties")
    qtbot.waitUntil(lambda: ("supply", False) in panel.rows)
    row = panel.row("supply")
    row.field.setFocus()
    row.field.customContextMenuRequested.emit(QPoint(4, 4))
    menu = next(child for child in row.field.findChildren(QMenu) if child.isVisible())
    action = menu.actions()[-1]
    assert action.text().startswith("Vary this")
    action.trigger()
    menu.close()
    assert dialog.isVisible()
    (key,) = dialog.form.keys.rows
    assert key.path.text() == "cooling.loops[crah].supply"
    assert key.values.text() == "17..27 degC"
    qtbot.waitUntil(lambda: not dialog.form.waits)
    assert dialog.form.points == 6  # with the scene as it stands


def test_a_file_is_shown_while_another_program_writes_it(study, qtbot, my_lab: Path) -> None:
    window, dialog = study
    whole = closed_forms(my_lab.parent, [f"{INTERVAL}=5..60 min", f"{PAUSE}=1..60 s"], points=4)
    contents = read_sweep(whole)
    growing = my_lab.with_name("growing.sweep")
    records = [*contents.points.values(), *contents.runs.values()]
    with SweepFile(contents.header, growing) as file:
        window.files.open_and_play(growing)  # as the menu, the welcome page and a drop do
        assert dialog.isVisible()
        qtbot.waitUntil(lambda: dialog.form.keys.rows[0].path.text() == INTERVAL)
        for record in records:
            file.add(record)
        qtbot.waitUntil(
            lambda: dialog.results.points is not None and len(dialog.results.points.numbers) == 17
        )
    assert dialog.results.picture == "heat"
    heat = dialog.results.heat
    assert len(heat.cells) == 16
    assert dialog.form.number.value() == 4  # as it was asked
    assert growing in window.settings.recent
    window.welcome.refresh()
    # a cell is chosen by mouse, the next one by an arrow key
    at = heat.spots()[0][heat.spots()[1].tolist().index(6)]
    QTest.mouseClick(heat, Qt.MouseButton.LeftButton, pos=QPointF(*at).toPoint())
    assert dialog.results.selected == 6
    values = dialog.results.points.texts(6)
    QTest.keyClick(heat, Qt.Key.Key_Right)
    moved = dialog.results.points.texts(dialog.results.selected)
    assert moved[1] == values[1]
    assert float(moved[0].split()[0]) > float(values[0].split()[0])
    assert (
        dialog.results.table.rows.row_of(dialog.results.selected) == dialog.results.table.currentIndex().row()
    )
    # hover tells the values
    assert values[0] in heat.said_at(QPointF(*at))
    for name, chart in dialog.results.charts.items():
        QTest.mouseClick(dialog.results.buttons[name], Qt.MouseButton.LeftButton)
        assert chart.isVisible()
        assert chart.selected == dialog.results.selected
    # no sweep at all
    bad = my_lab.with_name("bad.sweep")
    bad.write_text("nothing")
    assert not window.files.open(bad)
    assert dialog.run.path == growing


def test_runs_are_saved_as_a_table_and_points_as_scenes(study, qtbot, my_lab: Path, tmp_path: Path) -> None:
    window, dialog = study
    assert window.files.open(closed_forms(my_lab.parent, [f"{INTERVAL}=5min,10min"]))
    qtbot.waitUntil(lambda: dialog.results.points is not None)
    dialog.files.export(dialog.results.points, tmp_path / "runs.csv")
    rows = list(csv.DictReader((tmp_path / "runs.csv").read_text().splitlines()))
    assert [row[INTERVAL] for row in rows] == ["", "5min", "10min"]
    assert float(rows[1]["renewal_ettr"]) == dialog.run.contents.closed(1)["renewal_ettr"]
    dialog.files.export(dialog.results.points, tmp_path / "runs.parquet")
    assert (tmp_path / "runs.parquet").stat().st_size > 0
    dialog.results.copy()
    assert "5min" in QGuiApplication.clipboard().text()
    dialog.results.select(2)
    point = dialog.point(2, 1)
    dialog.files.save(point, tmp_path / "saved.twin.yaml")
    saved = load(tmp_path / "saved.twin.yaml")
    assert saved.scenario.jobs[0].checkpoint.interval == 600.0
    assert saved.text.count("#") == load(my_lab).text.count("#")  # comments stay


def test_all_pictures_call_keys_as_the_inspector_does_and_tell_their_paths(
    study, qtbot, my_lab: Path
) -> None:
    window, dialog = study
    assert window.files.open(closed_forms(my_lab.parent, [f"{INTERVAL}=5min,10min", f"{PAUSE}=10 s,20 s"]))
    qtbot.waitUntil(lambda: dialog.results.points is not None)
    results = dialog.results
    title = "Checkpoint interval (job llama3) [min]"
    for name in ("line", "heat", "parallel"):
        results.buttons[name].click()
        chart = results.charts[name]
        qtbot.waitUntil(chart.isVisible)
        spot, axis = next((spot, axis) for spot, axis in chart.titles() if axis.key == INTERVAL)
        assert axis.title == ("Checkpoint interval [min]" if name == "parallel" else title)
        assert chart.said_at(spot.center()) == f"<b>{axis.title}</b><br>{INTERVAL}"
    assert results.across_box.itemText(0) == "Checkpoint interval (job llama3)"
    assert results.across_box.itemData(0) == INTERVAL
    heads = results.table.rows
    assert heads.headerData(1, Qt.Orientation.Horizontal) == "Checkpoint interval [min]"
    assert INTERVAL in heads.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    results.select(1)
    assert "Checkpoint interval 5min, Checkpoint pause 10 s" in dialog.strip.words.text()
    chart = results.indices
    chart.show_indices([(INTERVAL, SobolIndex(0.4, 0.1, 0.5, 0.1))], "note", {INTERVAL: title})
    (item,) = chart.items()
    assert title in item.words
    assert INTERVAL in item.said


def test_a_file_of_another_scene_is_shown_and_says_what_it_lacks(study, qtbot, my_lab: Path) -> None:
    window, dialog = study
    path = closed_forms(my_lab.parent, [f"{INTERVAL}=5min,10min"])
    elsewhere = my_lab.parent / "elsewhere"
    elsewhere.mkdir()
    shutil.move(path, elsewhere / "moved.sweep")
    my_lab.write_text(my_lab.read_text().replace("30 min", "45 min"))
    window.session.draft.mark_saved()
    assert window.files.open(my_lab)
    assert window.files.open(elsewhere / "moved.sweep")
    qtbot.waitUntil(lambda: dialog.results.points is not None)
    dialog.results.select(1)
    assert dialog.document is None
    assert not dialog.strip.open_button.isEnabled()
    assert "scene is not known" in dialog.strip.words.text()
    assert not dialog.foot.run_button.isEnabled()
    dialog.take_open_scene()
    assert dialog.document is not None


@pytest.mark.slow
def test_a_study_pauses_and_goes_on_without_running_twice(study, qtbot, my_lab: Path) -> None:
    _, dialog = study
    values = ",".join(f"{minutes}min" for minutes in range(5, 17))
    dialog.form.keys.vary(INTERVAL, values)
    ready(dialog, qtbot, 13)
    QTest.mouseClick(dialog.foot.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.run.contents is not None and len(dialog.run.contents.runs) > 0)
    assert dialog.foot.bar.isVisible()
    QTest.mouseClick(dialog.foot.pause_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog.run.is_running)
    qtbot.waitUntil(lambda: dialog.run.is_read)
    there = dict(dialog.run.contents.runs)
    assert 0 < len(there) < 13
    assert dialog.foot.run_button.text() == "Go on"
    contents = carry_out(dialog, qtbot)
    assert len(contents.runs) == 13
    assert contents.runs.items() >= there.items()
    assert not dialog.foot.run_button.isEnabled()  # all is done
    # another study has another file
    dialog.form.seeds.setValue(2)
    qtbot.waitUntil(lambda: not dialog.form.waits)
    assert dialog.form.out != dialog.run.path
    assert dialog.foot.run_button.text() == "Run"


@pytest.mark.slow
def test_indices_and_best_designs_are_asked_for_and_shown(study, qtbot) -> None:
    _, dialog = study
    form = dialog.form
    form.choose_figures(("renewal_ettr",))
    form.keys.show_keys([(INTERVAL, "5..60 min"), (PAUSE, "1..60 s")])
    form.design_box.setCurrentIndex(3)
    form.number.setValue(16)
    ready(dialog, qtbot, 64)
    carry_out(dialog, qtbot)
    assert dialog.results.picture == "indices"
    rows = dict(dialog.results.indices.rows)
    assert set(rows) == {INTERVAL, PAUSE}
    assert all(0.2 < rows[key].total < 1.0 for key in rows)
    form.design_box.setCurrentIndex(4)
    form.choose_figures(())
    form.goals.show_goals((), ())
    form.goals.aims[0].choose("renewal_ettr", "max")
    form.goals.add_aim().choose("interval_s", "min")
    form.number.setValue(24)
    qtbot.waitUntil(lambda: not form.waits)
    assert dialog.foot.budget.text().startswith("at most 24 points")
    carry_out(dialog, qtbot)
    best = dialog.results.points.best
    assert best
    assert dialog.results.picture == "scatter"
    assert set(dialog.results.points.numbers[dialog.results.scatter.front].tolist()) == set(best)
