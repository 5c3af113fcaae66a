"""Break something by hand: which fault, now or when, for how long, how much of it."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from twin.app.faults.break_choices import Choice, choices, injection, target_id
from twin.app.form.lines import add_line, beside, dress, line_grid
from twin.app.session.session import Session
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text import elapsed
from twin.language import tr
from twin.plant.cable_names import find_bundle
from twin.plant.find import describe, find
from twin.scenario import parse_injection
from twin.scenario.checks.horizon import too_late
from twin.scenario.checks.interventions import wrong
from twin.scenario.schema.faults import Intervention
from twin.scenario.text.problem import ScenarioError

NOW, LATER = tr("Now"), tr("At")
_SPANS = ("20 s", "60 s", "10 min", "1 h", "8 h")
"""Lengths on offer; any other can be typed."""
_ROWS = {"kind": 0, "target": 0, "at": 1, "for": 2, "count": 3, "value": 4}
"""Rows of the fields, by keys of the intervention."""
_WIDTH_PX = 460
_BREAK_TIP = tr("Inject the fault; the run records it (Enter)")


class BreakDialog(QDialog):
    """Asks what shall go wrong with one thing, and does it through the session.

    Parameters
    ----------
    thing
        Id of what is broken; None: the whole site.
    kind
        Fault that is chosen at first, where the thing has it.
    """

    def __init__(
        self, look: Look, session: Session, thing: str | None, parent: QWidget, kind: str = ""
    ) -> None:
        super().__init__(parent)
        self._session, self.thing = session, thing
        self._asked: Intervention | None = None  # of the run, which has not answered yet
        session.broken.connect(self._on_taken)
        session.refused.connect(self._on_refused)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(_WIDTH_PX)
        self.choices: list[Choice] = []
        if session.document is not None and session.plant is not None:
            found = choices(session.document.scenario, session.plant, thing)
            self.choices = [choice for choice in found if not self._why_not(choice)]
        self._lay_out(look)
        self._fill()
        kinds = [choice.kind for choice in self.choices]
        self.fault_box.setCurrentIndex(kinds.index(kind) if kind in kinds else 0)
        self._on_fault()

    @property
    def choice(self) -> Choice | None:
        """Return the fault that is chosen."""
        index = self.fault_box.currentIndex()
        return self.choices[index] if 0 <= index < len(self.choices) else None

    def _why_not(self, choice: Choice) -> str:
        """Return why something may not be done at this moment, "" when it may."""
        target = target_id(self.thing, choice.kind)
        return self._session.permit(Intervention(at=0.0, kind=choice.kind, target=target))

    @property
    def line(self) -> str:
        """Return the line that does the same from the command line."""
        choice = self.choice
        if choice is None:
            return ""
        lasts = self.lasts_box.currentText()
        return injection(
            choice,
            target_id(self.thing, choice.kind),
            at=self._at(),
            lasts="" if lasts == self.lasts_box.itemText(0) else lasts,
            count=self.count_box.value() if choice.most else None,
            value=self.value_field.text(),
        )

    def do(self) -> bool:
        """Ask for it; return whether what is asked makes sense (else the reason is shown).

        It closes once the run has taken it; what the run refuses is shown too.
        """
        session = self._session
        try:
            asked = parse_injection(self.line, session.document.scenario.start if session.document else None)
        except ScenarioError as error:
            problem = error.problems[0]
            self._refuse(f"{problem.key}: {problem.reason}. {problem.hint}".rstrip(), problem.key)
            return False
        if 0 < session.end_s < asked.at_s:
            self._refuse(tr("It {too_late}.", too_late=too_late(asked.at_s, session.end_s)), "at")
            return False
        if session.document is not None:  # what the run would refuse too, without waiting for it
            scenario = session.document.scenario
            for key, reason, hint in wrong(scenario, asked, lambda _id: "", session.catalog):
                subject = asked.target if key == "target" else key
                self._refuse(f"{subject} {reason}. {hint}".strip(), key)
                return False
        if session.looking_s is not None:  # asked of a time that is over: a branch is
            session.intervene(asked)
            self.close()
            return True
        self._asked = asked
        self.do_button.setEnabled(False)  # until the run has answered
        session.intervene(asked)
        return True

    def done(self, result: int) -> None:
        """Close, and wait for no answer any longer."""
        self._session.broken.disconnect(self._on_taken, missing_ok=True)
        self._session.refused.disconnect(self._on_refused, missing_ok=True)
        super().done(result)

    def _on_taken(self, taken: Intervention) -> None:
        if taken is self._asked:
            self.close()

    def _on_refused(self, refused: Intervention, reason: str) -> None:
        if refused is self._asked:
            self._asked = None
            self.do_button.setEnabled(True)
            self._refuse(reason, "")  # what a field says wrong was found before it was asked

    def _refuse(self, sentence: str, key: str) -> None:
        """Show why what is asked makes no sense, under the field of a key of the intervention where it has one."""
        row = _ROWS.get(key, len(self._titles) - 1)
        self._put_below(row)
        self.problem.setText(sentence)
        self.problem.show()
        if key in _ROWS:
            field = {"at": self.at_field, "count": self.count_box}.get(key, self._titles[row].buddy())
            field.setFocus()

    def _put_below(self, row: int) -> None:
        line, *_ = cast(tuple[int, ...], self._grid.getItemPosition(self._grid.indexOf(self._titles[row])))
        self._grid.addWidget(self.problem, line + 1, 1)

    def _lay_out(self, look: Look) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        head = QHBoxLayout()
        mark = tool_button(look, "alarm", tr("Break"), colour="alarm")
        mark.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        head.addWidget(mark)
        self._title = label("", "title")
        head.addWidget(self._title, 1)
        head.addWidget(label(tr("SIMULATED"), "badge"))
        nest(column, head)
        column.addWidget(label(self._describe(), "muted", wrap=True))
        self.fault_box, self.when_box, self.lasts_box = DropDown(), DropDown(), DropDown()
        self.at_field, self.value_field = QLineEdit(), QLineEdit()
        self.count_box = QSpinBox()
        self.count_words = label("", "muted")
        for field, name, tip in (
            (self.fault_box, tr("What happens"), tr("Faults possible here")),
            (self.when_box, tr("When"), tr("Now, or at a time of the run")),
            (self.at_field, tr("Time of the fault"), tr("Run time or time of day, such as 10 h or 14:30")),
            (self.lasts_box, tr("How long"), tr("Until repaired, or a duration such as 20 min")),
            (self.count_box, tr("How many"), tr("Number affected")),
            (self.value_field, tr("Value"), tr("Severity, with its unit")),
        ):
            dress(field, name, tip)
        self._grid = line_grid()
        self._titles = [
            add_line(self._grid, title, field, spare=True)
            for title, field in (
                (tr("What happens"), self.fault_box),
                (tr("When"), beside(self.when_box, self.at_field, stretch=(1, 1))),
                (tr("How long"), self.lasts_box),
                (tr("How many"), beside(self.count_box, self.count_words, stretch=(1, 1))),
                (tr("Value"), self.value_field),
            )
        ]
        nest(column, self._grid)
        self.problem = label("", "fault", wrap=True)
        self.problem.hide()
        self._put_below(len(self._titles) - 1)
        self.said = label("", "faint", wrap=True)
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.said.setToolTip(tr("The same on the command line: twin run --inject"))
        column.addWidget(self.said)
        self.do_button = QPushButton(tr("Break it"))
        self.do_button.setProperty("role", "primary")
        self.do_button.clicked.connect(self.do)
        cancel = QPushButton(tr("Cancel"))
        cancel.setToolTip(tr("Close without a fault (Esc)"))
        cancel.clicked.connect(self.close)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.do_button)
        nest(column, buttons)
        self.do_button.setDefault(True)  # only now: outside a dialog it is no default, and Enter would cancel

    def _fill(self) -> None:
        for choice in self.choices:
            self.fault_box.addItem(choice.title, choice.kind)
        self.when_box.addItems((NOW, LATER))
        self.at_field.setPlaceholderText(tr("such as 10 h"))
        self.at_field.setEnabled(False)
        self.lasts_box.setEditable(True)
        self.fault_box.currentIndexChanged.connect(self._on_fault)
        self.when_box.currentIndexChanged.connect(self._on_when)
        for signal in (
            self.at_field.textChanged,
            self.lasts_box.editTextChanged,
            self.count_box.valueChanged,
            self.value_field.textChanged,
        ):
            signal.connect(self._say)
        over = self._session.finished and self._session.looking_s is None
        self.do_button.setEnabled(bool(self.choices) and not over)
        self.do_button.setToolTip(
            plain_tip(tr("Run finished: start it again to inject a fault") if over else _BREAK_TIP)
        )

    def _on_fault(self, *_index: int) -> None:
        choice = self.choice
        verb = tr("Break") if choice is None else choice.verb
        title = tr("{verb} {thing}", verb=verb, thing=self.thing or tr("the site"))
        self.setWindowTitle(title)
        self._title.setText(title)
        if choice is None:
            self.problem.setText(tr("No fault is possible here."))
            self.problem.show()
            return
        self.do_button.setText(tr("{verb} it", verb=verb))
        self.lasts_box.clear()
        self.lasts_box.addItems([choice.repair or tr("until cleared"), *_SPANS])
        self.lasts_box.setCurrentIndex(0)
        if (words := self.lasts_box.lineEdit()) is not None:
            words.setCursorPosition(0)  # of long ones the beginning is seen
        self._show_row(2, choice.lasts)
        self._show_row(3, choice.most > 1)
        self.count_box.setRange(1, max(1, choice.most))
        self.count_box.setValue(choice.most)
        self.count_words.setText(
            tr("of {most} {counted}", most=choice.most, counted=choice.counted) if choice.most else ""
        )
        self._show_row(4, bool(choice.dimension))
        self._titles[4].setText(choice.value_title)
        self.value_field.setText(choice.value)
        self._say()
        self.adjustSize()

    def _show_row(self, number: int, on: bool) -> None:
        name = self._titles[number]
        name.setVisible(on)
        name.buddy().setVisible(on)

    def _on_when(self, index: int) -> None:
        self.at_field.setEnabled(index == 1)
        if index == 1:
            self.at_field.setText(self.at_field.text() or f"{self._session.shown_s + 60:g} s")
            self.at_field.setFocus()
        self._say()

    def _at(self) -> str:
        later = self.when_box.currentIndex() == 1
        return self.at_field.text().strip() if later else f"{self._session.shown_s:g} s"

    def _say(self, *_change: object) -> None:
        self.problem.hide()
        now = (
            tr(" (now: {shown_time})", shown_time=elapsed(self._session.shown_s))
            if self.when_box.currentIndex() == 1
            else ""
        )
        self.said.setText(tr("--inject '{line}'{now}", line=self.line, now=now))

    def _describe(self) -> str:
        plant = self._session.plant
        if plant is None or self.thing is None:
            return tr("The whole site")
        found = find(plant, self.thing)
        if found is not None:
            return describe(plant, *found)
        return (
            tr("a cable")
            if find_bundle(plant, self.thing) is not None
            else tr("job {thing}", thing=self.thing)
        )
