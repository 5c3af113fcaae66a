"""What was found for a need: designs in a table and a picture, or what stands in the way and the nearest need."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from twin.app.needs.front_chart import FrontChart
from twin.app.needs.front_rows import FoundDesign, row_of, told_of
from twin.app.needs.front_table import FrontTable
from twin.app.needs.need_search import NeedSearch
from twin.app.toolkit.count_field import CountBox
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.nested_layouts import clear, nest
from twin.app.toolkit.overflow_row import ToolRow
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.theme import scaled
from twin.designs.answer import Designs
from twin.designs.relaxed_need import relaxed
from twin.language import counted, tr

_FINE, _BAR_PX, _SEEDS, _MOST_SEEDS = 1000, 150, 5, 200
_HINT = tr(
    "Say on the left what the site is wanted for, and what it may cost, draw and emit. Find designs screens a thousand "
    "candidates by closed forms, and shows those that no other beats in cost, time, carbon, power and availability."
)


class FrontPanel(QWidget):
    """Follows a search.

    Attributes
    ----------
    table, chart
        The designs.
    uses
        Buttons that change the need so that there are designs, by their words.
    """

    open_wanted = Signal(str)  # name of a design
    compare_wanted = Signal(object)  # names of designs
    save_wanted = Signal()
    need_wanted = Signal(object)  # values by key of the need
    confirm_wanted = Signal(object, int)  # names, how many seeds

    def __init__(self, look: Look, search: NeedSearch) -> None:
        super().__init__()
        self._search = search
        self.table, self.chart = FrontTable(look), FrontChart(look)
        self.uses: dict[str, QPushButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(8)
        nest(column, self._head(look))
        self.stale = label(tr("The need has changed since: find designs again."), "looking", wrap=True)
        self.stale.hide()
        column.addWidget(self.stale)
        self.pages = QStackedWidget()
        for page in (self._first(), self._results(look), self._nothing()):
            self.pages.addWidget(page)
        column.addWidget(self.pages, 1)
        self.table.chosen.connect(self._on_looked)
        self.chart.chosen.connect(self._on_looked)
        self.table.opened.connect(self._open)
        self.chart.opened.connect(self._open)
        self.table.front.ticks_changed.connect(self._enable)
        look.changed.connect(lambda _: self.table.viewport().update())
        search.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what the search has found so far."""
        search, answer = self._search, self._search.answer
        self.bar.setVisible(search.busy)
        self.cancel_button.setVisible(search.busy)
        self.bar.setValue(round(_FINE * search.done))
        self.progress.setText(search.words)
        self.headline.setText(self._headline(answer))
        self.headline.setVisible(bool(self.headline.text()))
        if answer is None:
            self.table.front.untick()
            self.pages.setCurrentIndex(0)
        elif not answer.designs:
            self._show_nothing(answer)
        else:
            need = answer.file.need
            self.table.front.show_rows([row_of(candidate, need) for candidate in search.found])
            self.chart.show_designs(answer, search.found)
            if not self.table.current and search.found:
                self.table.go_to(search.found[0].name)
            self.pages.setCurrentIndex(1)
        self._enable()

    def show_stale(self, stale: bool) -> None:
        """Say that the need is another one than that of the designs, or no more."""
        self.stale.setVisible(stale and self._search.answer is not None)

    # -- building ----

    def _head(self, look: Look) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        words = QVBoxLayout()
        words.setSpacing(2)
        self.headline = label("", "title", wrap=True)
        self.headline.setTextFormat(Qt.TextFormat.PlainText)
        self.progress = label("", "muted")
        words.addWidget(self.headline)
        words.addWidget(self.progress)
        nest(row, words, 1)
        self.bar = QProgressBar()
        self.bar.setRange(0, _FINE)
        self.bar.setFixedWidth(scaled(_BAR_PX))
        self.bar.setAccessibleName(tr("Progress of the search"))
        self.cancel_button = tool_button(look, "close", tr("Cancel; what was found stays"))
        self.cancel_button.clicked.connect(self._search.cancel)
        row.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.cancel_button, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def _first(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(label(_HINT, "lead", wrap=True))
        self.examples = QVBoxLayout()
        self.examples.setSpacing(6)
        nest(column, self.examples)
        column.addStretch(1)
        return page

    def _results(self, look: Look) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(self.chart)
        split.setSizes([300, 260])
        column.addWidget(split, 1)
        self.said = label("", "muted", wrap=True)
        column.addWidget(self.said)
        row = ToolRow(look)
        row.row.setSpacing(8)
        self.seeds = CountBox(1, _MOST_SEEDS, doubles=False)
        self.seeds.setValue(_SEEDS)
        self.seeds.setAccessibleName(tr("Full runs of each design"))
        self.seeds.setToolTip(tr("Full runs of each design, with seeds from 1 on"))
        self.confirm_button = QPushButton(tr("Confirm by full runs"))
        self.confirm_button.setToolTip(
            tr("Simulate the ticked designs, or the candidate looked at, with failures over several seeds")
        )
        self.save_button = QPushButton(tr("Save the designs\N{HORIZONTAL ELLIPSIS}"))
        self.save_button.setToolTip(tr("A new folder with a scene of each design and tables"))
        self.compare_button = QPushButton(tr("Compare"))
        self.compare_button.setToolTip(tr("Money, time, carbon and power of the ticked designs side by side"))
        self.open_button = QPushButton(tr("Open the scene"))
        self.open_button.setProperty("role", "primary")
        self.open_button.setToolTip(tr("Open the design looked at as a scene (Enter)"))
        self.confirm_button.clicked.connect(
            lambda: self.confirm_wanted.emit(self._meant(), self.seeds.value())
        )
        self.save_button.clicked.connect(lambda: self.save_wanted.emit())
        self.compare_button.clicked.connect(lambda: self.compare_wanted.emit(list(self.table.front.ticked)))
        self.open_button.clicked.connect(lambda: self._open(self.table.current))
        row.add(self.seeds)
        row.add(self.confirm_button)
        row.row.insertStretch(2, 1)
        for button in (self.save_button, self.compare_button, self.open_button):
            row.add(button)
        row.give_way = (self.save_button, self.confirm_button, self.compare_button)
        for button in (self.confirm_button, self.save_button, self.compare_button, self.open_button):
            button.setAutoDefault(False)
        column.addWidget(row)
        return page

    def _nothing(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        box = QFrame()
        box.setProperty("role", "said")
        inside = QVBoxLayout(box)
        inside.setContentsMargins(14, 12, 14, 12)
        inside.setSpacing(8)
        self.why = label("", "", wrap=True)
        self.why.setTextFormat(Qt.TextFormat.PlainText)
        self.why.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        inside.addWidget(self.why)
        self._ways = QVBoxLayout()
        self._ways.setSpacing(6)
        nest(inside, self._ways)
        column.addWidget(box)
        column.addStretch(1)
        return page

    # -- showing ----

    def _headline(self, answer: Designs | None) -> str:
        if answer is None:
            return ""
        if not answer.designs:
            return tr("No design keeps all limits") if not answer.failed else tr("No scene passes its checks")
        return tr(
            "{designs} that no other beats; {feasible:,} of {screened:,} candidates keep all limits",
            designs=counted(len(answer.designs), "design"),
            feasible=answer.feasible,
            screened=answer.screened,
        )

    def _show_nothing(self, answer: Designs) -> None:
        self.why.setText("\n".join(f"{words[:1].upper()}{words[1:]}." for words in answer.sentences))
        ways: list[tuple[str, Mapping[str, str]]] = []
        if answer.near is not None and answer.binding is not None:
            values = relaxed(answer.near.limits)
            ways.append((tr("Use the nearest need: {values}", values=", ".join(values.values())), values))
        for limit in answer.alone:
            values = relaxed([limit])
            if values != dict(ways[0][1]):
                ways.append(
                    (
                        tr(
                            "Change the {limit} alone: {value}",
                            limit=limit.title,
                            value=next(iter(values.values())),
                        ),
                        values,
                    )
                )
        if list(self.uses) != [words for words, _ in ways]:
            clear(self._ways)
            self.uses = {}
            for place, (words, asked) in enumerate(ways):
                button = QPushButton(words)
                button.setProperty("role", "" if place else "primary")
                button.setAutoDefault(False)
                button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
                told = ", ".join(f"{k}: {v}" for k, v in values.items())
                button.setToolTip(plain_tip(tr("Sets {values} and finds designs", values=told)))
                button.clicked.connect(partial(self.need_wanted.emit, asked))
                self._ways.addWidget(button)
                self.uses[words] = button
        self.pages.setCurrentIndex(2)

    def _enable(self) -> None:
        search, looked_at = self._search, self._looked_at()
        ticked = self.table.front.ticked
        passing = [candidate.name for candidate in search.found if candidate.passes]
        self.open_button.setEnabled(looked_at is not None and looked_at.passes)
        self.confirm_button.setEnabled(not search.busy and any(name in passing for name in self._meant()))
        self.seeds.setEnabled(not search.busy)
        self.save_button.setEnabled(not search.busy and bool(passing))
        self.compare_button.setEnabled(2 <= len([name for name in ticked if name in passing]) <= 8)
        self.said.setText(told_of(looked_at) if looked_at is not None else "")

    def _meant(self) -> list[str]:
        """Return the designs that are ticked, else the one that is looked at."""
        return list(self.table.front.ticked) or [name for name in (self.table.current,) if name]

    def _looked_at(self) -> FoundDesign | None:
        return next(
            (candidate for candidate in self._search.found if candidate.name == self.table.current),
            None,
        )

    def _on_looked(self, name: str) -> None:
        self.table.go_to(name)
        self.chart.look_at(name)
        self._enable()

    def _open(self, name: str) -> None:
        found = next((candidate for candidate in self._search.found if candidate.name == name), None)
        if found is not None and found.passes:
            self.open_wanted.emit(name)
