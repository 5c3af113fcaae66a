"""The dock of parts and the room wizard in the real window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest

from tests.app.window_steps import wait, with_palette
from twin.app.placing.mime import PART_MIME, dragged_part

if TYPE_CHECKING:
    from twin.app.palette.room_preview import RoomPreview
    from twin.app.palette.room_wizard import RoomWizard
    from twin.app.shell.main_window import MainWindow

MakeWindow = Callable[[Path], "MainWindow"]


@pytest.fixture
def show_parts(use_window: MakeWindow, lab: Path) -> Callable[[], MainWindow]:
    """Return what opens the laboratory with the palette in front: a fixture must not hold the window itself."""
    return lambda: with_palette(use_window(lab))


def test_letters_find_arrows_choose_and_enter_takes_in_hand(show_parts: Callable[[], MainWindow]) -> None:
    window = show_parts()
    palette, place = window.docks.palette, window.tools.place
    assert palette.search.hasFocus()
    QTest.keyClicks(palette.search, "h100")
    first = palette.list.item
    assert first is not None
    QTest.keyClick(palette.search, Qt.Key.Key_Down)
    assert palette.list.item is not first
    QTest.keyClick(palette.search, Qt.Key.Key_Up)
    assert palette.list.item == first
    QTest.keyClick(palette.search, Qt.Key.Key_Return)
    assert place.active
    assert place.carried is not None
    assert window.hall.view.native.hasFocus()
    place.cancel()
    palette.group.setCurrentText("Recently used")
    assert palette.list.rows.row_of(first.id) == 0


def test_a_row_is_dragged_with_what_it_is(show_parts: Callable[[], MainWindow]) -> None:
    window = show_parts()
    rows = window.docks.palette.list.rows
    assert rows.flags(rows.index(0)) == Qt.ItemFlag.NoItemFlags  # the title of a group
    for id, kind in (("QM9700", "switch"), ("nvl72-row", "")):
        data = rows.mimeData([rows.index(rows.row_of(id))])
        assert data.hasFormat(PART_MIME)
        carried = dragged_part(data)
        assert carried is not None
        assert (carried.part or carried.prefab, carried.kind) == (id, kind)
        assert window.tools.carry(carried) is not None


def test_a_star_is_kept(show_parts: Callable[[], MainWindow]) -> None:
    window = show_parts()
    palette = window.docks.palette
    palette.list.choose("floor-PDU")
    palette.list.scrollTo(palette.list.currentIndex())
    where = palette.list.star_rect("floor-PDU").center()
    QTest.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert window.settings.kept("favourite_parts") == ["floor-PDU"]
    palette.group.setCurrentText("Favourites")
    assert [getattr(one, "id", "") for one in palette.list.rows.rows] == ["floor-PDU"]
    QTest.keyClick(palette.list, Qt.Key.Key_Asterisk)
    assert window.settings.kept("favourite_parts") == []
    assert palette.list.rows.rows == []
    assert "no favourites yet" in palette.count.text()


def test_the_counter_follows_the_hall(show_parts: Callable[[], MainWindow]) -> None:
    window = show_parts()
    from twin.commands.place.place import AddPart

    palette = window.docks.palette
    assert palette.list.rows.counts["DGX-H100"].there == 2
    assert window.editing.editor.do(AddPart("DGX-H100", at=(6.0, 6.0)))
    wait(lambda: palette.list.rows.counts["DGX-H100"].there == 3)
    assert palette.list.rows.counts["DGX-H100"].loose == 1
    row = palette.list.rows.index(palette.list.rows.row_of("DGX-H100"))
    assert "3 in the hall, 1 not connected" in str(row.data(Qt.ItemDataRole.AccessibleTextRole))
    assert window.editing.editor.undo()
    wait(lambda: palette.list.rows.counts["DGX-H100"].there == 2)


def test_every_part_has_a_picture_of_its_own_or_is_drawn(show_parts: Callable[[], MainWindow]) -> None:
    window = show_parts()
    from twin.app.palette.model import items_of
    from twin.app.palette.part_pictures import PartPictures
    from twin.catalog import load_catalog

    pictures, catalog = PartPictures(), load_catalog()
    assert [one.id for one in items_of(catalog) if not pictures.has(one.id)] == []
    size = QSize(72, 54)
    drawn = pictures.picture(
        "no-such-part", catalog.part("floor-PDU"), size, 1.0, window.look.theme
    ).toImage()
    taken = pictures.picture("floor-PDU", None, size, 1.0, window.look.theme).toImage()
    assert drawn.size() == taken.size() == size
    colours = {drawn.pixel(x, y) for x in range(8, 64) for y in range(6, 48)}
    assert len(colours) > 20
    assert drawn != taken


@pytest.mark.parametrize("width_px", [224, 272])
def test_parts_are_told_apart_in_a_narrow_dock(show_parts: Callable[[], MainWindow], width_px: int) -> None:
    window = show_parts()
    from twin.app.palette.model import PaletteItem

    rows = window.docks.palette.list
    rows.resize(width_px, 400)
    rows.doItemsLayout()
    items = [one for one in rows.rows.rows if isinstance(one, PaletteItem)]
    assert len(items) > 60
    for item in items:
        lines = rows.shown(item.id)
        said, title, figures = ("".join(text.split()) for text in ("".join(lines), item.title, item.figures))
        assert said.startswith(title)  # no letter of a name is lost
        assert said.startswith(title + figures) or (item.prefab and said.endswith("…"))
        tip = rows.rows.index(rows.rows.row_of(item.id)).data(Qt.ItemDataRole.ToolTipRole)
        assert not item.prefab or item.figures in tip
        box = rows.visualRect(rows.rows.index(rows.rows.row_of(item.id)))
        assert box.height() >= 12 * len(lines)
    heads = {" ".join(rows.shown(item.id)[:5]) for item in items}
    assert len(heads) == len(items)


def test_a_counter_that_takes_a_line_makes_its_row_higher(show_parts: Callable[[], MainWindow]) -> None:
    window = show_parts()
    from twin.app.palette.model import Count

    rows = window.docks.palette.list
    rows.resize(224, 400)
    row = rows.rows.index(rows.rows.row_of("floor-PDU"))
    before = rows.visualRect(row).height()
    rows.rows.show_marks({"floor-PDU": Count(1200, 1100)}, frozenset())
    wait(lambda: rows.visualRect(row).height() > before)
    assert rows.shown("floor-PDU")[-2:] == ["1,200 in the hall,", "1,100 not connected"]


def _wizard(window: MainWindow) -> RoomWizard:
    from twin.app.palette.room_wizard import RoomWizard

    window.menus.execute("edit.room")
    return window.findChildren(RoomWizard)[-1]


def test_the_room_is_seen_while_one_types_and_built_as_one_step(show_parts: Callable[[], MainWindow]) -> None:
    window = show_parts()
    wizard = _wizard(window)
    before, figures = wizard.preview.grab().toImage(), wizard.figures["GPUs"].text()
    wizard.fields["rows"].setValue(3)  # type: ignore[attr-defined]
    wait(lambda: wizard.figures["GPUs"].text() != figures)
    assert wizard.preview.grab().toImage() != before
    assert wizard.figures["GPUs"].text() == "768 in 96 nodes"
    wizard.fields["nodes"].setValue(9)  # type: ignore[attr-defined]
    wait(lambda: not wizard.build.isEnabled())
    assert wizard.faults["nodes"].isVisible()
    assert "at most 6" in wizard.faults["nodes"].text()
    assert not wizard.where_label.text(), "nothing is said of where a room stands that cannot be"
    wizard.fields["rows"].setValue(999)  # type: ignore[attr-defined]
    wizard.fields["nodes"].setValue(4)  # type: ignore[attr-defined]
    wait(lambda: "999 rows are too many; choose 1 to 200" in wizard.faults["rows"].text())
    wizard.fields["rows"].setValue(3)  # type: ignore[attr-defined]
    wait(wizard.build.isEnabled)
    assert wizard.where_label.text()
    assert not wizard.faults["nodes"].isVisible()
    text = window.session.draft.file.text if window.session.draft is not None else ""
    QTest.mouseClick(wizard.build, Qt.MouseButton.LeftButton)
    wait(lambda: window.session.plant is not None and len(window.session.plant.nodes.ids) == 98)
    draft = window.session.draft
    assert draft is not None
    assert draft.undo_title == "Add Training hall"
    assert window.editing.editor.undo()
    assert draft.file.text == text


def test_a_room_is_asked_for_in_nodes_or_in_racks(show_parts: Callable[[], MainWindow]) -> None:
    wizard = _wizard(show_parts())
    racks, total = wizard.fields["racks"], wizard.fields["total_nodes"]
    wait(lambda: total.value() == 64)  # type: ignore[attr-defined]
    racks.setValue(5)  # type: ignore[attr-defined]
    wait(lambda: total.value() == 40)  # type: ignore[attr-defined]
    total.setValue(32)  # type: ignore[attr-defined]
    wait(lambda: wizard.figures["GPUs"].text() == "256 in 32 nodes")
    assert (wizard.room.rows, wizard.room.racks) == (2, 4)
    total.setValue(33)  # type: ignore[attr-defined]
    wait(lambda: total.value() == 40)  # type: ignore[attr-defined]  # whole racks
    total.stepBy(-1)  # type: ignore[attr-defined]
    wait(lambda: total.value() == 32)  # type: ignore[attr-defined]
    hardware = wizard.fields["part"]
    hardware.setCurrentIndex(hardware.findData("GB200-NVL72"))  # type: ignore[attr-defined]
    wait(lambda: total.value() == 2 * 4 * 18)  # type: ignore[attr-defined]
    rows = wizard.fields["rows"]
    rows.setValue(3)  # type: ignore[attr-defined]
    racks.setValue(400)  # type: ignore[attr-defined]
    wait(lambda: wizard.design is None)
    total.setValue(2 * 3 * 18)  # type: ignore[attr-defined]
    wait(lambda: wizard.design is not None)  # racks for the rows refused, not for those of the last room
    assert (wizard.room.rows, wizard.room.racks) == (3, 2)
    wizard.close()


def test_suggestions_of_places_are_read_in_full(show_parts: Callable[[], MainWindow]) -> None:
    wizard = _wizard(show_parts())
    box = wizard.place.field
    line, popup = box.lineEdit(), box.completer().popup()  # type: ignore[attr-defined]
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "Par")
    wait(popup.isVisible)
    assert popup.property("role") == "suggestions"
    assert popup.viewport().width() >= popup.sizeHintForColumn(0)
    popup.hide()
    wizard.close()


def _painted(preview: RoomPreview, colour: QColor) -> int:
    """Return how many pixels of the plan have a colour."""
    picture = preview.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return int((np.frombuffer(picture.constBits(), np.uint32) == colour.rgb()).sum())


def test_the_plan_names_what_it_draws_and_nothing_else(show_parts: Callable[[], MainWindow]) -> None:
    window = show_parts()
    wizard, theme = _wizard(window), window.look.theme
    plan = wizard.preview
    legend = plan.legend()
    assert list(legend) == ["already there", "nodes", "network", "fronts", "air handlers", "PDUs"]
    assert legend["fronts"] == QColor(theme.text)
    drawn = list(legend.values())[1:]  # the first one lets the ground through
    assert len({colour.name() for colour in drawn}) == len(drawn)
    assert all(_painted(plan, colour) > 50 for colour in drawn)
    assert not _painted(plan, QColor(theme.series[1]))
    wizard.fields["storage"].setValue(4)  # type: ignore[attr-defined]
    wait(lambda: "storage" in plan.legend())
    assert _painted(plan, plan.legend()["storage"]) > 50
    hardware = wizard.fields["part"]
    hardware.setCurrentIndex(hardware.findData("GB200-NVL72"))  # type: ignore[attr-defined]
    wait(lambda: "CDUs" in plan.legend())
    wizard.close()


def test_a_room_tells_what_its_parts_cost(show_parts: Callable[[], MainWindow]) -> None:
    wizard = _wizard(show_parts())
    assert wizard.figures["Parts"].text().endswith(" M USD")
    wizard.close()


def test_a_room_beside_a_large_hall_is_still_seen(show_parts: Callable[[], MainWindow]) -> None:
    from twin.commands.place.footprint import FloorFootprints

    window = show_parts()
    wizard = _wizard(window)
    plan, made = wizard.preview, wizard.design
    assert made is not None
    found = []
    for size_m in (1.0, 80.0):
        there = (np.array([one]) for one in (0, 0.0, -size_m, size_m, size_m))
        plan.show_room(made.scene.plant, FloorFootprints(["hall"], *there))
        found.append(_painted(plan, plan.legend()["nodes"]))
    assert found[1] > 0.9 * found[0] > 1000
    wizard.close()


def test_all_of_the_wizard_has_a_name(show_parts: Callable[[], MainWindow]) -> None:
    window = show_parts()
    wizard = _wizard(window)
    for name, widget in wizard.fields.items():
        assert widget.accessibleName(), name
        assert widget.toolTip(), name
    wizard.close()
