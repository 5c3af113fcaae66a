"""The inspector: everything known about the selected thing, live."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from psygnal import Signal
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from twin.app.form.segment_switch import SegmentSwitch
from twin.app.inspector.edit import EditPanel, SizeWatch
from twin.app.inspector.facts import NOW, Facts, Section, facts_of
from twin.app.inspector.failure_page import FailurePage
from twin.app.inspector.year_dialog import YearDialog
from twin.app.session.figure_age import age_words
from twin.app.session.session import Session
from twin.app.toolkit.charts.month_bars import MonthBars
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, label, tool_button, with_role
from twin.app.toolkit.nested_layouts import nest_in_cell, put_page
from twin.app.toolkit.overflow_row import ToolRow
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.sliced_work import SlicedWork
from twin.app.toolkit.standing_badge import StandingBadge
from twin.app.toolkit.theme import scaled
from twin.app.world.rows import FactRow, World, kind_word
from twin.app.world.site_year import YearCache, year_rows
from twin.commands.edit.addressables import item_of, people_say, titled
from twin.commands.edit.command import CommandError
from twin.language import counted, tr
from twin.record.channels import State
from twin.record.site_year import SiteYear
from twin.view3d.base import palette

YEAR = tr("Typical year")
"""Title of the figures of a year at design load."""
_NAME_PX, _BADGE_PX = 120, 70
_ROOMY_PX, _AROUND_PX, _ROUGH_PX, _NAME_SHARE = 250, 48, 16, 0.44
"""From this room on values have all they ask for [px at the usual text]; what is round; steps; the share of names."""
_BADGES = {"published": "spec", "estimated": "est.", "unverified": "unver."}
_YEAR_MS = 500
"""So long the typical year waits for something to happen to the hall: the first takes a fifth of a second."""
_LATE_MS = 400
"""So long what is known of a thing stays after an edit of the run, unless figures of the changed hall come first."""
_DRAWN_MS = 30
"""Between two looks whether a changed hall is drawn: its picture goes before its facts."""


class Inspector(Dock):
    """Shows `facts_of` the selection; links lead to the rack, row, loop or job named."""

    chosen = Signal(str)  # id a link leads to
    shown = Signal(object)  # id of what is shown now, None for the whole scene
    plan_wanted = Signal(object)  # id of the job shown
    break_wanted = Signal(object)  # id of what is shown, None for the whole scene
    incident_wanted = Signal(str)  # id of what is shown

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "inspector", tr("Inspector"), "info", parent)
        self._session = session
        self._thing: str | None = None
        self.colour_by = "gpu.temp_c"  # what colours the hall: by that a hall tells its worst racks
        self._several = ""  # what is shown, where it is not one thing alone: "8 racks"
        self.facts: Facts | None = None
        self._years = YearCache()
        self._year_work: SlicedWork[None] = SlicedWork(
            self, lambda _: self._update(), lambda: session.picture_due()
        )
        self.months: MonthBars | None = None
        self._values: list[QLabel | QPushButton] = []
        self._built_px: int | None = None  # the room that lines were built for
        self._now_titles: list[QLabel] = []
        self.body.addWidget(self._head())
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setAccessibleName(tr("Facts of the selection"))
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.properties = EditPanel(look, session)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._scroll)
        self._pages.addWidget(self.properties)
        self.failures = FailurePage(session)
        self._pages.addWidget(self.failures)
        self.body.addWidget(self._pages, 1)
        self.setMinimumWidth(300)
        session.opened.connect(self._on_opened)
        session.plant_changed.connect(self._on_plant)
        session.figures_changed.connect(self._on_figures)
        self.visibilityChanged.connect(self._on_figures)
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.timeout.connect(self._update_behind)
        self._year_due = QTimer(self)
        self._year_due.setSingleShot(True)
        self._year_due.setInterval(_YEAR_MS)
        self._year_due.timeout.connect(self._work_out_year)
        self._no_run = ""  # why no run can be made of the scene
        session.cannot_begin.connect(partial(setattr, self, "_no_run"))
        SizeWatch(self, self._follow_width)

    @property
    def thing(self) -> str | None:
        """Return the id of what is shown; None for the whole scene."""
        return self._thing

    @property
    def year_comes(self) -> bool:
        """Return whether the typical year is still to be worked out."""
        return self._year_due.isActive() or self._year_work.is_running

    @property
    def job(self) -> str | None:
        """Return the id of the job shown; None when it is something else."""
        return self._thing if self.facts is not None and self.facts.kind == "job" else None

    def show_coloured(self, colour_by: str) -> None:
        """Tell by this channel which racks of a hall are the worst."""
        self.colour_by = colour_by
        self._update()

    def show_thing(self, thing: str | None) -> None:
        """Show the thing with this id; None shows the whole scene."""
        self.show_things((thing,) if thing is not None else ())

    def show_things(self, things: tuple[str, ...]) -> None:
        """Show several things: facts of the last, properties of all of them together."""
        self._thing = things[-1] if things else None
        self._several = self._counted(things) if len(things) > 1 else ""
        self.page_buttons["failures"].setVisible(not things)
        if things and self.page_buttons["failures"].isChecked():
            self.show_page("facts")
        self.properties.edit(things)
        self._update()
        self.shown.emit(self._thing)

    def show_page(self, page: str) -> None:
        """Show "facts", "properties", or of the scene "failures"."""
        self.page_buttons[page].setChecked(True)
        self._pages.setCurrentIndex(list(self.page_buttons).index(page))

    def open_year(self) -> None:
        """Show the typical year of the scene beside that of other places."""
        editor = self.properties.editor
        if editor is not None and self._session.document is not None:
            YearDialog(self._look, self._session, editor, self.window()).show()

    def _head(self) -> QWidget:
        head = QWidget()
        grid = QGridLayout(head)
        grid.setContentsMargins(14, 12, 14, 10)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(2)
        self._mark = tool_button(self._look, "info", tr("What is shown"), colour="accent")
        self._mark.setFixedSize(34, 34)
        self._mark.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._title = label(tr("Nothing open"), "title", wrap=True)
        self._title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._subtitle = label("", "muted", wrap=True)
        self._kind = label("", "badge")
        self._state = label("", "badge")
        badges = QHBoxLayout()
        badges.setSpacing(5)
        badges.addWidget(self._kind, 0, Qt.AlignmentFlag.AlignVCenter)
        badges.addWidget(self._state, 0, Qt.AlignmentFlag.AlignVCenter)
        badges.addStretch(1)
        self._tools = ToolRow(self._look)
        self.plan_button = QPushButton(tr("Plan\N{HORIZONTAL ELLIPSIS}"))
        self.plan_button.setToolTip(tr("Open this job in the job dialog"))
        self.plan_button.clicked.connect(lambda: self.plan_wanted.emit(self._thing))
        self.incident_button = QPushButton(tr("Incident"))
        self.incident_button.setToolTip(tr("What failed here last, whom it stopped, and what that cost"))
        self.incident_button.clicked.connect(self._on_incident)
        self.break_button = QPushButton(tr("Break\N{HORIZONTAL ELLIPSIS}"))
        self.break_button.setToolTip(tr("Inject a fault"))
        self.break_button.clicked.connect(lambda: self.break_wanted.emit(self._thing))
        for button in (self.plan_button, self.incident_button, self.break_button):
            self._tools.add(button)
        self._tools.give_way = (self.plan_button, self.incident_button, self.break_button)
        self._tools.want(self.plan_button, False)
        self._tools.want(self.incident_button, False)
        badges.addWidget(self._tools)
        grid.addWidget(self._mark, 0, 0, 2, 1, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self._title, 0, 1)
        grid.addWidget(self._subtitle, 1, 1)
        nest_in_cell(grid, badges, 2, 1)
        grid.addWidget(self._page_switch(), 3, 0, 1, 2)
        grid.setColumnStretch(1, 1)
        return head

    def _on_incident(self) -> None:
        if self._thing is not None:
            self.incident_wanted.emit(self._thing)

    def _page_switch(self) -> QWidget:
        """Return the switch between what is known and what can be set."""
        choices = {
            "facts": (tr("Facts"), tr("Live facts")),
            "properties": (tr("Edit"), tr("Properties to edit, also of several items at once")),
            "failures": (tr("Failures"), tr("What fails in the scene: rates, repairs, failures a year")),
        }
        switch = SegmentSwitch(tr("Facts or properties"), choices)
        switch.chosen.connect(self.show_page)
        self.page_buttons = switch.buttons
        self.page_buttons["facts"].setChecked(True)
        return switch

    def _on_plant(self) -> None:
        """Show the same thing of the changed hall, or the scene when it is gone."""
        if self.year_comes:
            self._year_work.stop()
            self._year_due.start()  # one edit after another: the year of the last is enough
        world = self._world()
        gone = self._thing is not None and world is not None and self._facts_of(world, self._thing) is None
        if gone:
            self.show_thing(None)
        else:
            if self._session.begun and self._session.shown is None:
                self._late.start(_LATE_MS)  # what is shown stays until its figures of the changed hall come
            else:
                self._update_behind()
            self.shown.emit(self._thing)

    def _on_figures(self) -> None:
        if self.isVisible():
            self._update()

    def _on_opened(self, _path: object) -> None:
        self._year_work.stop()
        self._years = YearCache()  # the other hall is let go
        self.show_thing(None)

    def _update_behind(self) -> None:
        if self._session.picture_due():
            self._late.start(_DRAWN_MS)
        else:
            self._update()

    def _update(self) -> None:
        self._late.stop()
        world = self._world()
        facts = self._facts_of(world, self._thing) if world is not None else None
        if facts is None:
            return
        if self.facts is None or _shape(facts) != _shape(self.facts) or self._built_px != self._room_px:
            self._build(facts)
        self._fill(facts)
        self.facts = facts

    def _facts_of(self, world: World, id: str | None) -> Facts | None:
        """Return the facts of a thing; of a generator, a tenant and the like its name alone."""
        facts = facts_of(world, id)
        if facts is not None and id is None:
            if self._years.known(world) is None and not self.year_comes:
                self._year_due.start()
            rows = tuple(year_rows(world, self._years.latest))  # until it is there, that of the hall before
            *others, last = facts.sections
            return replace(facts, sections=(*others, Section(YEAR, rows), last))
        if facts is not None or id is None:
            return facts
        try:
            kind = titled(item_of(world.scenario, id).kind)
        except CommandError:
            return None
        return Facts(id, kind, id, tr("Part of the design; see Edit"), "layers", ())

    def _work_out_year(self) -> None:
        """Work out the year of the scene, unless something else is looked at by now; pictures go first."""
        session = self._session
        run_to_come = session.frame is None and not (session.recording or session.lost or self._no_run)
        if run_to_come or session.picture_due():
            self._year_due.start()
            return
        world = self._world()
        if world is not None and self._thing is None and self._years.known(world) is None:
            self._year_work.begin(self._years.steps(world))

    def _counted(self, things: tuple[str, ...]) -> str:
        """Return how many of what there are."""
        document = self._session.document
        try:
            return people_say(document.scenario, things) if document is not None else ""
        except CommandError:  # cables are no things of the design
            return counted(len(things), "item")

    def _world(self) -> World | None:
        session = self._session
        if session.document is None or session.plant is None:
            return None
        read = session.document.scenario, session.plant, session.catalog, session.shown, session.events
        return World(*read, self.colour_by)

    @property
    def _room_px(self) -> int | None:
        """Return how much room the lines of facts have, about; None: as much as they ask for."""
        room_px = self.width() - _AROUND_PX
        return room_px // _ROUGH_PX * _ROUGH_PX if room_px < scaled(_ROOMY_PX) else None

    def _follow_width(self) -> None:
        """Let facts have the room that there is."""
        if self.facts is not None and self._built_px != self._room_px:
            self._late.start(_DRAWN_MS)

    def _build(self, facts: Facts) -> None:
        self._built_px = self._room_px
        self._look.dress(self._mark, facts.icon, "accent")
        self._kind.setText(kind_word(facts.kind))
        self._tools.want(self.plan_button, facts.kind == "job")
        self._tools.want(self.break_button, bool(facts.sections) and facts.kind not in ("store", "fabric"))
        self._values, self._now_titles, self.months = [], [], None
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(14, 0, 14, 14)
        column.setSpacing(0)
        for section in facts.sections:
            column.addWidget(self._section(section))
        column.addStretch(1)
        put_page(self._scroll, content)

    def _section(self, section: Section) -> QFrame:
        frame = QFrame()
        grid = QGridLayout(frame)
        grid.setContentsMargins(0, 10, 0, 4)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(5)
        title = label(section.title.upper(), "section")
        grid.addWidget(title, 0, 0, 1, 2)
        if section.title == NOW:
            self._now_titles.append(title)
        for number, row in enumerate(section.rows, start=1):
            name = label(row.label, "muted", wrap=True)
            name.setToolTip(plain_tip(row.hint))
            value = self._value(row)
            value.setToolTip(plain_tip(row.hint))
            self._values.append(value)
            room_px = scaled(_NAME_PX)
            if self._built_px is not None:
                badge_px = scaled(_BADGE_PX) if any(other.badge for other in section.rows) else 0
                word = max(row.label.split(), key=len, default="")
                room_px = round(_NAME_SHARE * (self._built_px - badge_px))
                room_px = max(room_px, name.fontMetrics().horizontalAdvance(word) + 2)
                if isinstance(value, QLabel) and not isinstance(value, StandingBadge):
                    value.setWordWrap(True)
                    value.setMinimumWidth(min(_wide(value), self._built_px - badge_px - room_px))
            name.setMinimumWidth(min(_wide(name), room_px))  # a long value would leave it a word a line
            grid.addWidget(name, number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value, number, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            if row.badge:
                badge = label(_BADGES.get(row.badge, row.badge), "badge")
                badge.setToolTip(plain_tip(row.hint))
                grid.addWidget(badge, number, 2)
        grid.setColumnStretch(0, 1)
        if section.title == YEAR:
            self._add_year(grid, len(section.rows) + 1)
        return frame

    def _add_year(self, grid: QGridLayout, line: int) -> None:
        """Put the months below the figures of a year, and what leads on to all of it."""
        self.months = MonthBars(self._look, "PUE", 1.0, "{:.2f}".format)
        grid.addWidget(self.months, line, 0, 1, 2)
        more = QPushButton(tr("Other places and loads\N{HORIZONTAL ELLIPSIS}"))
        more.setProperty("role", "link")
        more.setToolTip(tr("The typical year in other climates and at other loads; its hours as a table"))
        more.clicked.connect(lambda: self.open_year())
        grid.addWidget(more, line + 1, 0, 1, 2, Qt.AlignmentFlag.AlignRight)

    def _value(self, row: FactRow) -> QLabel | QPushButton:
        if row.link:
            button = QPushButton(row.value)
            button.setProperty("role", "link")
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(lambda _=False, link=row.link: self.chosen.emit(link))
            return button
        if row.standing is not None:
            badge = StandingBadge()
            badge.show_standing(row.standing, row.hint)
            return badge
        made = label(row.value, "value", wrap=len(row.value) > 18)
        made.setAlignment(Qt.AlignmentFlag.AlignRight)
        return made

    def _fill(self, facts: Facts) -> None:
        several = self._several
        subtitle = tr("Last selected: {title}", title=facts.title) if several else facts.subtitle
        for field, words in ((self._title, several or facts.title), (self._subtitle, subtitle)):
            if field.text() != words:
                field.setText(words)
                field.setVisible(bool(words))
        rows = [row for section in facts.sections for row in section.rows]
        for widget, row in zip(self._values, rows, strict=True):
            if isinstance(widget, StandingBadge):
                widget.show_standing(row.standing, row.hint)
            elif widget.text() != row.value:
                widget.setText(row.value)
        if self.months is not None:
            self._show_months(self.months)
        age = age_words(self._session)
        for title in self._now_titles:
            title.setText(tr("AT {age}", age=age.upper()) if age else NOW.upper())
        self._tools.want(self.incident_button, facts.troubled)
        self._state.setVisible(facts.state is not None)
        if facts.state is not None:
            self._show_state(facts.state)

    def _show_months(self, months: MonthBars) -> None:
        year = self._years.latest
        months.setVisible(isinstance(year, SiteYear))
        if isinstance(year, SiteYear):
            months.show_months(year.monthly_pue.tolist())

    def _show_state(self, state: State) -> None:
        words = f"{palette.STATE_ICON[state]} {state.words}"
        if words != self._state.text():
            red, green, blue = (round(255 * part) for part in palette.STATE_RGB[state])
            self._state.setText(words)
            self._state.setStyleSheet(f"border: 1px solid rgb({red},{green},{blue});")
            with_role(self._state, "badge")


def _wide(words: QLabel) -> int:
    words.ensurePolished()
    return words.fontMetrics().horizontalAdvance(words.text()) + 2


def _shape(facts: Facts) -> tuple[object, ...]:
    """Return what of the facts needs new widgets when it differs."""
    return (
        facts.id,
        facts.kind,
        tuple((s.title, tuple((r.label, r.link) for r in s.rows)) for s in facts.sections),
    )
