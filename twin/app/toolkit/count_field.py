"""Fields for counts: a box whose steps double, and a slider over powers of two with an exact box."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QHBoxLayout, QSlider, QSpinBox, QWidget

from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr


class CountBox(QSpinBox):
    """A whole number; it takes effect when typing pauses at Enter or the field is left, and at once by steps.

    Parameters
    ----------
    doubles
        Whether a step doubles or halves, rather than adding one.
    """

    def __init__(self, low: int, high: int, *, doubles: bool) -> None:
        super().__init__()
        self._doubles, self._unit = doubles, 1
        self.setRange(low, high)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def set_unit(self, unit: int) -> None:
        """Let steps end at multiples of a number: others would be refused."""
        self._unit = max(unit, 1)

    def stepBy(self, steps: int) -> None:
        """Double or halve once for each step, or add."""
        if not self._doubles:
            super().stepBy(steps)
            return
        value = self.value()
        for _ in range(abs(steps)):
            value = doubled(value, self._unit) if steps > 0 else halved(value, self._unit)
        self.setValue(value)

    def validate(self, text: str, at: int) -> object:
        """Return whether a text is a number of the range, with or without commas."""
        digits = text.strip().removesuffix(self.suffix()).replace(",", "").replace(" ", "")
        if not digits:
            return QValidator.State.Intermediate, text, at
        if not digits.isdigit() or int(digits) > self.maximum():
            return QValidator.State.Invalid, text, at
        state = (
            QValidator.State.Acceptable if int(digits) >= self.minimum() else QValidator.State.Intermediate
        )
        return state, text, at

    def textFromValue(self, value: int) -> str:
        """Return the number with its thousands apart, in any language of the desktop."""
        return f"{value:,}"

    def valueFromText(self, text: str) -> int:
        """Return what was typed; commas and blanks do not matter."""
        digits = "".join(letter for letter in text if letter.isdigit())
        return int(digits) if digits else self.minimum()


def doubled(value: int, unit: int = 1) -> int:
    """Return twice a multiple of `unit`, or the next multiple above what is none.

    Examples
    --------
    >>> doubled(128, 248), doubled(248, 248), doubled(300, 248)
    (248, 496, 496)
    """
    whole, rest = divmod(value, unit)
    return unit * (whole + 1 if rest else 2 * whole)


def halved(value: int, unit: int = 1) -> int:
    """Return half a multiple of `unit`, or the next multiple below what is none; of less than it plainly half.

    Examples
    --------
    >>> halved(992, 248), halved(300, 248), halved(128, 248)
    (496, 248, 64)
    """
    if value <= unit:
        return max(value // 2, 1)
    whole, rest = divmod(value, unit)
    return unit * (whole if rest else max(whole // 2, 1))


def notches(most: int, also: Iterable[int] = ()) -> list[int]:
    """Return the stops of a slider up to `most`: powers of two, one and a half of each, and what is named.

    Examples
    --------
    >>> notches(20, also=(10,))
    [1, 2, 3, 4, 6, 8, 10, 12, 16, 20]
    """
    powers = [2**k for k in range(most.bit_length())]
    halves = [3 * power // 2 for power in powers if power > 1]
    return sorted({n for n in (*powers, *halves, most, *also) if 1 <= n <= most})


class CountSlider(QWidget):
    """A slider with few stops and a box for any number between."""

    changed = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._stops = [1]
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(tr("{name}, in steps", name=name))
        self.slider.setToolTip(
            plain_tip(tr("{name}, in steps; any number in the field beside it", name=name))
        )
        self.slider.setPageStep(2)
        self.box = CountBox(1, 1, doubles=True)
        self.box.setAccessibleName(name)
        self.box.setToolTip(plain_tip(tr("{name}: any number", name=name)))
        self.box.setFixedWidth(84)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.slider, 1)
        row.addWidget(self.box)
        self.slider.valueChanged.connect(self._on_slider)
        self.box.valueChanged.connect(self._on_box)

    def set_stops(self, stops: list[int]) -> None:
        """Offer these numbers on the slider, and any up to the last in the box."""
        self._stops = stops
        for widget in (self.slider, self.box):
            widget.blockSignals(True)
        self.slider.setRange(0, len(stops) - 1)
        self.box.setRange(1, stops[-1])
        self._place_slider(self.box.value())
        for widget in (self.slider, self.box):
            widget.blockSignals(False)

    def show_count(self, count: int) -> None:
        """Show a number without telling of it."""
        for widget in (self.slider, self.box):
            widget.blockSignals(True)
        self.box.setValue(count)
        self._place_slider(count)
        for widget in (self.slider, self.box):
            widget.blockSignals(False)

    def _place_slider(self, count: int) -> None:
        self.slider.setValue(max(bisect_right(self._stops, count) - 1, 0))

    def _on_slider(self, notch: int) -> None:
        self.box.blockSignals(True)
        self.box.setValue(self._stops[notch])
        self.box.blockSignals(False)
        self.changed.emit(self._stops[notch])

    def _on_box(self, count: int) -> None:
        self.slider.blockSignals(True)
        self._place_slider(count)
        self.slider.blockSignals(False)
        self.changed.emit(count)
