"""A field that is added to the schema stands in every form by one entry: title, unit, bounds, help, refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import pydantic
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QGridLayout, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from twin.app.form.field import Field, FieldState, field_of
from twin.app.form.row import FieldRow, form_grid
from twin.app.form.typed import text_of, typed_value
from twin.app.inspector.property_fields import Property
from twin.app.inspector.property_row import PropertyRow
from twin.app.planner import fields
from twin.app.planner.draft import JobDraft
from twin.app.planner.form import JobForm
from twin.app.planner.hardware import profile_hardware
from twin.app.planner.presets import presets
from twin.app.toolkit.count_field import CountBox, CountSlider, notches
from twin.app.toolkit.look import Look
from twin.commands.edit.command import CommandError
from twin.scenario.schema.quantity import Duration, Fraction
from twin.scenario.schema.work import Load

Show = Callable[[Field, str], FieldRow]


class Toy(Load):
    """A load with keys that no form knows of."""

    depth: int = pydantic.Field(default=4, ge=1, le=64, description="layers that wait for each other")
    pause_s: Duration = pydantic.Field(default=2.0, alias="pause", gt=0, le=60, description="between two")
    order: Literal["none", "first"] | None = pydantic.Field(default=None, description="what goes first")
    share: Fraction = pydantic.Field(default=0.5, ge=0.1, le=1, description="of the work")
    width: Literal[2, 4] = pydantic.Field(default=2, description="bytes of one")
    late: bool = pydantic.Field(default=False, description="whether it may be late")
    groups: tuple[str, ...] = pydantic.Field(default=(), description="who waits; none: all")


@pytest.fixture
def look(qapp: QApplication) -> Iterator[Look]:
    look = Look(qapp, "dark")
    yield look
    look.close()


def field(path: str, **said: object) -> Field:
    made = field_of(Toy, path, Field, **said)
    assert made is not None
    return made


@pytest.fixture
def show(look: Look, qtbot: QtBot) -> Iterator[Show]:
    """Return what puts the row of a field on a page of its own and shows a value in it."""
    pages: list[QWidget] = []

    def make(of: Field, text: str) -> FieldRow:
        page, row = QWidget(), FieldRow(look, of)
        qtbot.addWidget(page)
        pages.append(page)
        row.put_into(form_grid(page), 0)
        row.show(FieldState(text))
        page.show()
        qtbot.waitExposed(page)
        return row

    yield make
    pages.clear()


def test_the_schema_says_what_a_field_is() -> None:
    depth = field("depth", unit="layers")
    assert (depth.title, depth.tip) == ("Depth", "Layers that wait for each other (1 to 64)")
    assert (depth.kind, depth.low, depth.high, depth.unit) == ("count", 1, 64, "layers")
    pause = field("pause")  # by its key as by its attribute
    assert (pause.kind, pause.dimension, pause.above) == ("quantity", "duration", True)
    assert field("pause_s").tip == pause.tip == "Between two (0 to 60 s)"
    assert field("order").choices == ("none", "first")
    assert field("order").optional
    assert field("share").tip == "Of the work (10 to 100 %)"
    assert field("late").kind == "switch"
    assert field("groups").kind == "names"
    assert field_of(Toy, "kind", Field) is None  # it is always the same


@pytest.mark.parametrize(
    ("path", "typed", "value"),
    [
        ("depth", "1,0", 10),
        ("pause", "250 ms", 0.25),
        ("share", "25 %", 0.25),
        ("order", "first", "first"),
        ("order", "", None),
        ("width", "4", 4),
        ("late", "true", True),
        ("groups", "a, b", ["a", "b"]),
    ],
)
def test_what_is_typed_is_a_value_of_the_program(path: str, typed: str, value: object) -> None:
    assert typed_value(field(path, choices=("a", "b")) if path == "groups" else field(path), typed) == value


@pytest.mark.parametrize(
    ("path", "typed", "told"),
    [
        ("depth", "65", "must be at most 64"),
        ("depth", "four", "'four' is not a whole number; write it like 8"),
        ("pause", "2 min", "must be at most 1 min"),
        ("pause", "0 s", "must be more than 0 s"),
        ("pause", "2 kW", "duration"),
        ("share", "5 %", "must be at least 10 %"),
        ("order", "fist", "did you mean 'first'"),
    ],
)
def test_what_is_no_value_is_told_in_words(path: str, typed: str, told: str) -> None:
    with pytest.raises(CommandError, match=told):
        typed_value(field(path), typed)


def test_each_kind_has_its_editor_and_tells_what_is_entered(show: Show) -> None:
    depth = show(field("depth", unit="layers", steps="double"), "4")
    assert isinstance(depth.field, CountBox)
    assert (depth.field.minimum(), depth.field.maximum()) == (1, 64)
    assert depth.field.accessibleDescription() == "Layers that wait for each other (1 to 64) (layers)"
    told: list[object] = []
    depth.entered.connect(told.append)
    QTest.keyClick(depth.field, Qt.Key.Key_Up)
    assert told == ["8"]
    share = show(field("share", steps="one"), "50 %")
    assert isinstance(share.field, CountBox)
    assert (share.field.minimum(), share.field.text(), share.text) == (10, "50 %", "50 %")
    late = show(field("late"), "false")
    assert isinstance(late.field, QCheckBox)
    assert late.field.text() == "Late"
    late.entered.connect(told.append)
    late.field.click()
    assert told == ["8", "true"]


def test_a_click_near_the_line_of_a_slider_moves_it(look: Look, qtbot: QtBot) -> None:
    count = CountSlider("GPUs")
    qtbot.addWidget(count)
    count.set_stops(notches(64))
    count.show()
    qtbot.waitExposed(count)
    slider = count.slider
    for from_line_px, shown in ((0, 3), (6, 6), (-6, 12)):
        at = QPoint(slider.width() - 3, slider.height() // 2 + from_line_px)
        QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=at)
        assert count.box.value() == shown


def test_a_choice_called_none_is_not_taken_for_nothing(show: Show) -> None:
    order = show(field("order"), "first")
    assert isinstance(order.field, QComboBox)
    assert [order.field.itemText(place) for place in range(3)] == ["default", "none", "first"]
    told: list[object] = []
    order.entered.connect(told.append)
    for place in (1, 0):
        order.field.setCurrentIndex(place)
        order.field.activated.emit(place)
    assert told == ["none", ""]


def test_a_refusal_stands_below_its_field_until_it_is_put_right(show: Show) -> None:
    pause = show(field("pause"), "2 s")
    assert isinstance(pause.field, QLineEdit)
    pause.refuse("must be at most 60 s")
    assert pause.told.isVisible()
    assert pause.told.text().endswith("Must be at most 60 s")
    assert pause.told.geometry().top() >= pause.field.geometry().bottom()
    assert pause.field.accessibleDescription() == "must be at most 60 s"
    QTest.keyClick(pause.field, Qt.Key.Key_Escape)
    assert not pause.told.isVisible()
    assert pause.field.accessibleDescription() == pause.of.tip


def test_the_inspector_has_the_same_row_with_its_source(look: Look, qtbot: QtBot) -> None:
    of = field_of(Toy, "pause", Property, heading="Toy")
    assert of is not None
    page = QWidget()
    qtbot.addWidget(page)
    row = PropertyRow(look, of)
    row.put_into(QGridLayout(page), 0)
    row.show(FieldState(text_of(of, 2.0), source="set", hint="toy.twin.yaml, line 3", resettable=True))
    assert (row.text, row.badge.text()) == ("2 s", "set")
    assert row.field.toolTip() == row.name.toolTip() != ""
    assert row.reset.isVisibleTo(page)


def test_the_job_dialog_takes_a_key_by_one_entry(
    look: Look, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        fields.FIELDS,
        "Work of a step",
        (
            *fields.FIELDS["Work of a step"],
            fields.entry("depth", "Depth", "layers"),
            fields.entry("pause_s", "Pause"),
        ),
    )
    hardware = profile_hardware()
    form = JobForm(look)
    qtbot.addWidget(form)
    form.offer(presets(None), hardware)
    draft = JobDraft(Toy.model_validate({"kind": "load", "gpu": "50 %"}), 8, hardware[0])
    form.show_draft(draft, {"depth": "8 GPUs are not a multiple of 3"})
    form.show()
    qtbot.waitExposed(form)
    assert list(form.editors) == ["gpu", "depth", "pause_s"]
    row = form.rows["depth"]
    assert {"Depth", "layers"} <= {words.text() for words in form.findChildren(QLabel)}
    assert isinstance(row.field, CountBox)
    assert (row.field.value(), row.field.maximum()) == (4, 64)
    assert row.field.toolTip() == "Layers that wait for each other (1 to 64)"
    assert row.told.isVisible()
    assert "not a multiple" in row.told.text()
    drafts: list[JobDraft] = []
    form.changed.connect(drafts.append)
    row.field.setValue(16)
    assert drafts[-1].workload.depth == 16  # type: ignore[union-attr]
    pause = form.rows["pause_s"]
    assert isinstance(pause.field, QLineEdit)
    for typed in ("3 min", "500 ms"):
        pause.field.selectAll()
        QTest.keyClicks(pause.field, typed)
        QTest.keyClick(pause.field, Qt.Key.Key_Return)
        if typed == "3 min":
            assert "at most 1 min" in pause.told.text()
            assert len(drafts) == 1
    assert form.edited == "pause_s"
    assert drafts[-1].workload.pause_s == 0.5  # type: ignore[union-attr]


def test_a_field_can_be_followed_at_every_key(show: Show) -> None:
    told: list[str] = []
    for of, keys in (
        (field("depth", steps="one"), "23"),
        (field("pause", steps="tenth"), "1.5"),
        (field("pause"), "1 s"),
    ):
        row = show(of, "")
        told.clear()
        row.follow(lambda row=row: told.append(row.text))  # type: ignore[misc]
        row.field.selectAll()  # type: ignore[union-attr]
        QTest.keyClicks(row.field, keys)
        assert len(told) >= 2
        assert told[-1] == {"23": "23", "1.5": "1.5 s", "1 s": "1 s"}[keys]
