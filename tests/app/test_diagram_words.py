"""Words of diagrams in a narrow dock: values of lines lie on nothing, a name of two says the first and how many."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cut_texts import cut_in, written
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from twin.app.diagrams.diagram import Box, Diagram, DiagramLine
from twin.app.diagrams.diagram_view import DiagramView
from twin.app.toolkit.look import Look

DOCK_PX = QSize(300, 520)


@pytest.fixture
def look(qapp: QApplication) -> Iterator[Look]:
    look = Look(qapp, "dark")
    yield look
    look.close()


def view_of(diagram: Diagram, look: Look, qtbot: QtBot) -> DiagramView:
    view = DiagramView(look, "Toy")
    qtbot.addWidget(view)
    view.fit(DOCK_PX)
    view.show_diagram(diagram)
    view.resize(view.sizeHint().expandedTo(DOCK_PX))
    view.show()
    return view


def cooling(loops: int) -> Diagram:
    """Return pumps with loops beside each other, each with its racks, all with supply and return."""
    boxes = [Box("pumps", "pump", "2 pumps", "flow 100\xa0%", 0, (loops - 1) / 2)]
    lines = []
    for number in range(loops):
        boxes += [
            Box(f"loop {number}", "crah", f"CRAH {number}", "", 1, number),
            Box(f"racks {number}", "rack", "9 racks", "", 2, number),
        ]
        lines += [
            DiagramLine("pumps", f"loop {number}", supply_c=17.0, return_c=25.6, flow=1.0),
            DiagramLine(f"loop {number}", f"racks {number}", supply_c=24.0, return_c=35.9, flow=1.0),
        ]
    return Diagram(tuple(boxes), tuple(lines), loops)


@pytest.mark.parametrize("loops", [1, 2, 3, 4, 7])
def test_supply_and_return_of_many_loops_lie_on_nothing(loops: int, look: Look, qtbot: QtBot) -> None:
    view = view_of(cooling(loops), look, qtbot)
    temperatures = [one.words for one in written(view) if "°" in one.words]
    assert len(temperatures) == 4 * loops
    assert cut_in(view) == []
    boxes = [view.spot(box.key) for box in view.diagram.boxes]
    for one in written(view):
        if "°" in one.words:
            middle = one.spot.center()
            assert not any(box.contains(middle) for box in boxes), one.words


def test_the_value_of_a_line_ends_at_the_edge(look: Look, qtbot: QtBot) -> None:
    boxes = (Box("sky", "sky", "Outdoors", "", 0, 0.0), Box("water", "chiller", "water", "", 1, 0.0))
    heat = DiagramLine("sky", "water", "4.97 MW, 10,477 L/h of water and more words than there is room for")
    view = view_of(Diagram(boxes, (heat,), 1), look, qtbot)
    assert "4.97 MW" in [one.words for one in written(view)]
    assert cut_in(view) == []


def test_what_is_scrolled_in_any_case_has_room_for_its_words(look: Look, qtbot: QtBot) -> None:
    boxes = [Box("water", "chiller", "water-core, chiller", "compressor, 12 kW", 0, 4.5)]
    boxes += [
        Box(f"loop {number}", "crah", f"CRAH-CORE ×{number}", "36\xa0pumps, flow\xa0100\xa0%", 1, number)
        for number in range(10)
    ]
    lines = tuple(DiagramLine("water", box.key, supply_c=17.0, return_c=25.6, flow=1.0) for box in boxes[1:])
    view = view_of(Diagram(tuple(boxes), lines, 10), look, qtbot)
    assert view.width() > DOCK_PX.width()
    assert cut_in(view) == []


def test_a_name_of_two_says_the_first_where_both_have_no_room(look: Look, qtbot: QtBot) -> None:
    boxes = [Box("grid", "utility", "grid", "", 0, 1.5)]
    boxes += [
        Box(f"pdu-{number}", "pdu", f"pdu-{number}, fans-{number}", "×128, max 10\xa0%", 1, number)
        for number in range(4)
    ]
    lines = tuple(DiagramLine("grid", box.key, "2.4 MW") for box in boxes[1:])
    view = view_of(Diagram(tuple(boxes), lines, 4), look, qtbot)
    assert "pdu-0 +1" in [one.words for one in written(view)]
    assert cut_in(view) == []
