"""The Money dock of the real window: figures as `twin cost` has them, the way to parts, prices that are typed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

import twin
from twin.api.cost import of_scene
from twin.app.money.dock import PAGES
from twin.app.money.figures import capital_rows
from twin.app.money.price_dialog import PriceDialog
from twin.economics.cash_flow import Plan
from twin.economics.price_draws import SAMPLES


def shown(use_window, qtbot, lab: Path):
    """Return the window of the scene, and its dock with figures."""
    window = use_window(lab)
    window.docks.enter("design")
    window.docks.show_roomy("money")
    dock = window.docks.money
    qtbot.waitUntil(lambda: dock.found is not None and not dock.waits)
    return window, dock


def test_figures_are_those_of_the_books(use_window, qtbot, lab: Path) -> None:
    window, dock = shown(use_window, qtbot, lab)
    books = of_scene(window.session.document.scenario, Plan(), SAMPLES)
    assert [row.title for row in dock.capital.rows] == [row.title for row in capital_rows(books)]
    total = dock.capital.rows[-1]
    assert total.is_total
    low, middle, high = np.quantile(books.drawn.capital.total_usd, [0.05, 0.5, 0.95])
    assert (total.low, total.middle, total.high) == pytest.approx((low, middle, high), rel=1e-12)
    assert dock.gpu_h_usd()[1] == pytest.approx(dock.units.rows[0].middle)
    share = 100 * float(np.median(books.drawn.capital.estimated_share))
    assert dock.badge.standing is not None
    assert dock.badge.standing.word == f"{share:.0f} % estimates"
    assert dock.shares.text().count("often quoted") == 3
    assert len(dock.ledger.rows) == 0
    for name in PAGES:
        dock.show_page(name)
        dock.copy()
        assert QGuiApplication.clipboard().text().count("\t") > 2, name


def test_a_group_leads_to_its_parts(use_window, qtbot, lab: Path) -> None:
    window, dock = shown(use_window, qtbot, lab)
    places = {row.key: place for place, row in enumerate(dock.capital.rows)}
    spot = dock.capital.items()[places["network"]].spot.center().toPoint()
    QTest.mouseClick(dock.capital, Qt.MouseButton.LeftButton, pos=spot)
    plant = window.session.plant
    assert set(window.hall.state.selection) == set(plant.switches.ids)
    dock.capital.setFocus()
    dock.capital.go_to("gpu")
    QTest.keyClick(dock.capital, Qt.Key.Key_Return)
    selected = set(window.hall.state.selection)
    assert selected
    assert selected <= set(plant.racks.ids)


def test_a_finished_run_has_its_ledger(use_window, qtbot, tmp_path: Path) -> None:
    path = tmp_path / "short.twin.yaml"
    head = 'extends: builtin:lab-16\nformat: twin/scenario\nversion: 3\ncatalog: "2026.11"\n'
    path.write_text(f"{head}title: an hour\nduration: 1 h\n")
    window, dock = shown(use_window, qtbot, path)
    assert len(dock.ledger.rows) == 0
    window.session.set_speed(float("inf"))
    window.session.play()
    qtbot.waitUntil(lambda: window.session.summary is not None)
    qtbot.waitUntil(lambda: len(dock.ledger.rows) > 0 and not dock.waits)
    drawn = dock.found.ledgers[1]
    found = twin.cost(window.session.run_file, samples=SAMPLES)
    assert float(drawn.total_usd[0]) == pytest.approx(float(found.period_usd(found.drawn)[0]), rel=1e-9)
    assert "GPU-hour productive" in [row.title for row in dock.units.rows]


def test_a_price_is_typed_and_undone(use_window, qtbot, lab: Path) -> None:
    window, dock = shown(use_window, qtbot, lab)
    before = dock.capital.rows[-1].middle
    place = next(k for k, row in enumerate(dock.swings.rows) if row.key == "H100-SXM")
    dock.show_page("swings")
    spot = dock.swings.items()[place].spot.center().toPoint()
    QTest.mouseDClick(dock.swings, Qt.MouseButton.LeftButton, pos=spot)
    dialog = dock.findChild(PriceDialog)
    assert dialog is not None
    for field, words in zip(dialog.fields.values(), ("31000", "30000", "32000"), strict=True):
        field.setText(words)
    QTest.mouseClick(dialog.set_button, Qt.MouseButton.LeftButton)
    assert dialog.words.isVisible()  # they do not rise
    assert not window.session.document.scenario.prices
    dialog.fields["low"].setText("29000")
    old = dock.found
    QTest.mouseClick(dialog.set_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dock.found is not old and not dock.waits)
    price = window.session.document.scenario.prices["H100-SXM"]
    assert (price.low, price.likely, price.high, price.currency) == (29000.0, 30000.0, 32000.0, "USD")
    assert dock.capital.rows[-1].middle > before
    assert dock.found.scene_prices["H100-SXM"].standing == "scene"
    old = dock.found
    window.editing.editor.undo()
    qtbot.waitUntil(lambda: dock.found is not old and not dock.waits)
    assert not window.session.document.scenario.prices
    assert dock.capital.rows[-1].middle == pytest.approx(before)


def test_the_dock_is_found_by_the_words_of_its_users(use_window, lab: Path) -> None:
    window = use_window(lab)
    for words in ("CAPEX", "TCO", "USD", "budget", "own rent"):
        window.open_palette()
        QTest.keyClicks(window.palette_popup.field, words)
        assert "Show Money" in [entry.title for entry in window.palette_popup.shown[:4]], words
        window.palette_popup.hide()
    assert window.menus.qt_actions["view.money"].shortcut().toString() == "Shift+M"


def test_crossings_stand_where_both_cost_the_same(use_window, qtbot, lab: Path) -> None:
    _, dock = shown(use_window, qtbot, lab)
    dock.show_page("rent")
    found = dock.rent.found
    for offer, way, x, y in dock.rent.crossings():
        across, up = dock.rent.axes()
        use = across.value(x)
        own = found.fixed_usd_h + found.energy_usd_h * (0.4 + 0.6 * use)
        assert float(np.median(own / use)) == pytest.approx(up.value(y), rel=0.02), (offer.id, way)
        assert dock.rent.said_at(QPointF(x, y))
