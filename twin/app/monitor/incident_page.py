"""The page of one incident: what failed, the phases of the stop, its cost, spare, repair and cause."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from twin.analysis.account_words import account_title
from twin.analysis.incident import Incident
from twin.analysis.incident_card import HOUR_S, IncidentCard, hours
from twin.app.monitor.phase_chart import PhaseChart
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text import significant
from twin.language import tr
from twin.shown_text import capitalised

_MOST_FOLLOWED, _MOST_JOBS = 6, 6
_DOTS = "\N{HORIZONTAL ELLIPSIS}"


class IncidentPage(QScrollArea):
    """Shows a card.

    Attributes
    ----------
    card
        What it shows; None: nothing.
    """

    fly_wanted = Signal(str)  # id of what failed
    list_wanted = Signal(str)  # cause
    now_wanted = Signal()  # show what is known by now
    interval_wanted = Signal(str)  # job: what if it saved at another interval
    spares_wanted = Signal(str)  # job: what if there were more spares
    hour_wanted = Signal()  # explain the hour
    job_wanted = Signal(str)  # its page

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.card: IncidentCard | None = None
        self.setWidgetResizable(True)
        self.setAccessibleName(tr("Incident"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._column = QVBoxLayout()
        self._column.setContentsMargins(14, 12, 14, 14)
        self._column.setSpacing(8)
        self._head(look)
        self.phases = PhaseChart(look)
        self._state = label("", "muted", wrap=True)
        self._column.addWidget(self.phases)
        self._column.addWidget(self._state)
        self._cost, self._spare, self._back = (
            _Tile(title) for title in (tr("Cost"), tr("Spare node"), tr("Repair"))
        )
        for tile in (self._cost, self._spare, self._back):
            self._column.addWidget(tile)
        self._kind = label("", "", wrap=True)
        self.list_button = _link(tr("Show all by cause"))
        self.list_button.setToolTip(tr("Every incident so far, and what each cause cost"))
        self.list_button.clicked.connect(self._on_list)
        self._rate, self._followed = label("", "muted", wrap=True), label("", "muted", wrap=True)
        for widget in (self._kind, self.list_button, self._rate, self._followed):
            self._column.addWidget(widget)
        self._asks()
        self._column.addStretch(1)
        content = QWidget()
        content.setProperty("role", "panel")
        content.setLayout(self._column)
        self.setWidget(content)

    def _head(self, look: Look) -> None:
        self._mark = tool_button(look, "interrupted", tr("Incident"), colour="alarm")
        self._mark.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._title, self._place = label("", "title", wrap=True), label("", "value", wrap=True)
        for words in (self._title, self._place):
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.fly_button = QPushButton(tr("Fly there"))
        self.fly_button.setToolTip(tr("Select what failed, and fly to it"))
        self.fly_button.clicked.connect(self._on_fly)
        self._when, self._known = label("", "muted", wrap=True), label("", "muted", wrap=True)
        self.now_button = QPushButton(tr("Show the whole incident"))
        self.now_button.setProperty("role", "primary")
        self.now_button.setToolTip(tr("Back to the latest time: the whole cost of this incident"))
        self.now_button.clicked.connect(lambda: self.now_wanted.emit())
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.addWidget(self._mark, 0, 0, Qt.AlignmentFlag.AlignTop)
        for row, widget in enumerate((self._title, self._place, self._when, self._known, self.now_button)):
            grid.addWidget(widget, row, 1)
        grid.addWidget(self.fly_button, 5, 1, Qt.AlignmentFlag.AlignLeft)
        grid.setColumnStretch(1, 1)
        nest(self._column, grid)

    def _asks(self) -> None:
        self.interval_button = QPushButton(tr("What if: other checkpoints{dots}", dots=_DOTS))
        self.interval_button.setToolTip(
            tr("A branch from the time on screen, with another interval from then on")
        )
        self.spares_button = QPushButton(tr("What if: more spares{dots}", dots=_DOTS))
        self.spares_button.setToolTip(tr("ETTR of the job with other spares, checkpoints and failures"))
        self.hour_button = QPushButton(tr("Explain this hour"))
        self.hour_button.setToolTip(tr("Where the GPU time went in the hour that began with it"))
        self.job_button = QPushButton(tr("Job page"))
        self.job_button.setToolTip(tr("The page of the job that stopped"))
        self.interval_button.clicked.connect(lambda: self.interval_wanted.emit(self.job))
        self.spares_button.clicked.connect(lambda: self.spares_wanted.emit(self.job))
        self.hour_button.clicked.connect(lambda: self.hour_wanted.emit())
        self.job_button.clicked.connect(lambda: self.job_wanted.emit(self.job))
        pair = QHBoxLayout()
        pair.setSpacing(6)
        for button in (self.hour_button, self.job_button):
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            pair.addWidget(button)
        self._column.addWidget(self.interval_button)
        self._column.addWidget(self.spares_button)
        nest(self._column, pair)

    @property
    def job(self) -> str:
        """Return the job that the incident cost most; "": it stopped none."""
        return self.card.stops[0].stop.job if self.card is not None and self.card.stops else ""

    @property
    def cost_words(self) -> str:
        """Return what it says of the cost."""
        return self._cost.words

    def show_card(
        self,
        card: IncidentCard,
        *,
        later: bool,
        recorded: str,
        whole: Incident | None = None,
        gpu_h_usd: tuple[float, float, float] | None = None,
    ) -> None:
        """Show a card.

        Parameters
        ----------
        later
            Whether more is known by now than at the time shown.
        recorded
            Up to when costs are recorded, where that is earlier; "": up to the time shown.
        whole
            The same incident as known by now, where a time before is shown.
        gpu_h_usd
            Full cost of a GPU-hour installed: P5, P50, P95 [USD]; None: not known.
        """
        another = self.card is None or self.card.incident.id != card.incident.id
        self.card = card
        self._title.setText(card.title)
        self._place.setText(card.place)
        self._when.setText(f"{card.when}, {card.interrupted}")
        self._known.setText(capitalised(card.known))
        self.now_button.setVisible(later)
        first = card.stops[0] if card.stops else None
        self.phases.show_phases(first.phases if first is not None else (), card.known_s)
        self._state.setText(_states(card))
        self._state.setVisible(bool(card.stops))
        costs = [f"{capitalised(account_title(account))} {hours(gpu_s)}" for account, gpu_s in card.costs]
        parts = [
            _usd_words(card, gpu_h_usd),
            card.share,
            *([] if len(costs) < 2 else ["\n".join(costs)]),
            card.remark,
            recorded,
        ]
        self._cost.show_words(
            _cost_words(card, whole) if later else card.cost, "\n".join(part for part in parts if part)
        )
        self._spare.show_words(card.spare, card.spares_left)
        self._spare.setVisible(bool(card.stops))
        self._back.show_words(card.back, card.repair)
        self._kind.setText(card.kind)
        self._rate.setText(card.rate)
        self._rate.setVisible(bool(card.rate))
        more = len(card.followed) - _MOST_FOLLOWED
        followed = [
            *card.followed[:_MOST_FOLLOWED],
            *([tr("and {more:,} more kinds", more=more)] if more > 0 else []),
        ]
        self._followed.setText(tr("What followed:\n") + "\n".join(followed) if followed else "")
        self._followed.setVisible(bool(followed))
        for button in (self.interval_button, self.spares_button, self.job_button):
            button.setVisible(bool(card.stops))
        if another:
            self.verticalScrollBar().setValue(0)

    def _on_fly(self) -> None:
        if self.card is not None:
            self.fly_wanted.emit(self.card.incident.subject)

    def _on_list(self) -> None:
        if self.card is not None:
            self.list_wanted.emit(self.card.incident.cause)


class _Tile(QFrame):
    """A title, a figure and what explains it."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setProperty("role", "tile")
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 6, 10, 7)
        column.setSpacing(1)
        self._title = title
        self._value, self._detail = label("", "kpi", wrap=True), label("", "muted", wrap=True)
        for widget in (label(title, "muted"), self._value, self._detail):
            column.addWidget(widget)

    def show_words(self, value: str, detail: str) -> None:
        """Show a figure, and what explains it."""
        self._value.setText(value)
        self._detail.setText(detail)
        self._detail.setVisible(bool(detail))
        self.setAccessibleName(f"{self._title}: {value}")
        self.setToolTip(plain_tip(detail))

    @property
    def words(self) -> str:
        """Return what it says."""
        return f"{self._value.text()}\n{self._detail.text()}"


def _cost_words(card: IncidentCard, whole: Incident | None) -> str:
    """Return the cost as known at a time before now, and what it has come to since where that is more."""
    so_far = tr("{cost} so far", cost=card.cost)
    by_now = "" if whole is None or not whole.cost_gpu_s else hours(whole.cost_gpu_s)
    if by_now in ("", card.cost):
        return so_far if card.stops else card.cost
    return tr("{so_far}, {by_now} by now", so_far=so_far, by_now=by_now)


def _usd_words(card: IncidentCard, gpu_h_usd: tuple[float, float, float] | None) -> str:
    """Return what the hours cost that are known at the time shown; "": none, or nobody knows."""
    gpu_h = sum(line.gpu_s for line in card.stops) / HOUR_S
    if gpu_h_usd is None or gpu_h <= 0.0:
        return ""
    low, middle, high = (significant(gpu_h * usd) for usd in gpu_h_usd)
    return tr("{middle} USD at full cost ({low} to {high})", low=low, middle=middle, high=high)


def _states(card: IncidentCard) -> str:
    """Return whether the jobs run again: of one job the words, of several a line each."""
    if len(card.stops) == 1:
        return capitalised(card.stops[0].state)
    lines = [f"{line.stop.job}: {line.state}, {hours(line.gpu_s)}" for line in card.stops[:_MOST_JOBS]]
    more = len(card.stops) - _MOST_JOBS
    return "\n".join([*lines, *([tr("and {more:,} more", more=more)] if more > 0 else [])])


def _link(text: str) -> QPushButton:
    made = QPushButton(text)
    made.setProperty("role", "link")
    made.setCursor(Qt.CursorShape.PointingHandCursor)
    made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    return made
