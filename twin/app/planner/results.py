"""What the planner says of a draft, at a glance: figures, the bar of one step, memory, trust, what would help."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from twin.app.planner.draft import DraftEstimate, JobDraft, worth
from twin.app.planner.search import offers, what_would_fit
from twin.app.planner.whole_training_row import WholeTrainingRow
from twin.app.toolkit.account_colours import memory_pieces, step_pieces
from twin.app.toolkit.charts.stack_bar import StackBar
from twin.app.toolkit.look import Look, label, with_role
from twin.app.toolkit.nested_layouts import clear, nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.standing_badge import StandingBadge
from twin.app.toolkit.text import MISSING, prefixed, quantity, span
from twin.language import tr
from twin.planning.job.job import JobEstimate
from twin.planning.job.result import MEMORY_SHARE

_ADVICE_LETTERS = 96
"""What a row of buttons has room for; the cheapest comes first, and always."""


class FigureTile(QFrame):
    """A figure under its title."""

    def __init__(self, title: str, tip: str) -> None:
        super().__init__()
        self.setProperty("role", "tile")
        self.setToolTip(plain_tip(tip))
        self._name = title
        self._value = label(MISSING, "kpi")
        self._note = label("", "faint", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(11, 6, 11, 6)
        column.setSpacing(0)
        self._head = QHBoxLayout()
        self._head.setSpacing(6)
        self._head.addWidget(label(title, "faint"), 1)
        nest(column, self._head)
        column.addWidget(self._value)
        column.addWidget(self._note)

    @property
    def text(self) -> str:
        """Return the figure as shown."""
        return self._value.text()

    def add_badge(self, badge: QWidget) -> None:
        """Put a badge beside the title."""
        self._head.addWidget(badge, 0, Qt.AlignmentFlag.AlignRight)

    def show_figure(self, value: str, note: str = "") -> None:
        """Show a figure and a note under it."""
        self._value.setText(value)
        self._note.setText(note)
        self.setAccessibleName(f"{self._name}: {value} {note}".strip())


class JobResults(QWidget):
    """Right upper part of the job dialog."""

    advised = Signal(object)  # Draft

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.tiles = {
            "step": FigureTile(tr("Step time"), tr("At the reference clock, without throttling or failures")),
            "rate": FigureTile(tr("Throughput"), tr("Of the whole job, without interruptions")),
            "mfu": FigureTile("MFU", tr("Model FLOP utilisation against the dense peak of the precision")),
            "flops": FigureTile(tr("Each GPU"), tr("Model FLOP per GPU and second")),
            "memory": FigureTile(tr("Memory"), tr("Of the fullest GPU")),
        }
        self.standing = StandingBadge()
        self.tiles["step"].add_badge(self.standing)
        self.step_bar = StackBar(look, tr("One step"), span, legend_lines=2)
        self.memory_bar = StackBar(look, tr("Memory of the fullest GPU"), partial(quantity, unit="B"))
        self.trust = label("", "muted", wrap=True)
        self.trust.setMinimumHeight(2 * self.trust.fontMetrics().height())
        self.trust.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.advice = QWidget()
        self._advice_row = QHBoxLayout(self.advice)
        self._advice_row.setContentsMargins(0, 0, 0, 0)
        self._advice_row.setSpacing(6)
        self.advice_buttons: list[QPushButton] = []
        tiles = QHBoxLayout()
        tiles.setSpacing(8)
        for tile in self.tiles.values():
            tiles.addWidget(tile, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 8)
        column.setSpacing(9)
        nest(column, tiles)
        self.whole = WholeTrainingRow()
        column.addWidget(self.whole)
        column.addWidget(self.step_bar)
        column.addWidget(self.memory_bar)
        column.addWidget(self.advice)
        column.addWidget(self.trust)

    def show_judged(self, judged: DraftEstimate) -> None:
        """Show an estimate; where there is none, why."""
        estimate = judged.estimate
        self.whole.show_judged(judged)
        if estimate is None:
            for tile in self.tiles.values():
                tile.show_figure(MISSING)
            self.standing.show_standing(None)
            self.step_bar.show_pieces((), MISSING)
            self.memory_bar.show_pieces((), MISSING)
            with_role(self.trust, "fault")
            self.trust.setText(
                " ".join(tr("This cannot run: {reason}.", reason=reason) for reason in judged.faults.values())
            )
            self._show_advice(judged, None)
            return
        self._show_figures(estimate)
        self.standing.show_standing(estimate.standing, estimate.standing_tip)
        self._show_bars(estimate)
        with_role(self.trust, "muted")
        self.trust.setText(worth(judged.draft, estimate))
        self._show_advice(judged, estimate)

    def event(self, event: QEvent) -> bool:
        """Keep the height that wrapped lines need: a low dialog takes it from the charts."""
        done = super().event(event)
        layout = self.layout()
        if layout is not None and event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self.setMinimumHeight(layout.totalHeightForWidth(self.width()))
        return done

    def show_live(self, step_s: float | None) -> None:
        """Show the step time that the job of the run has now, beside the planned one."""
        tile = self.tiles["step"]
        if step_s is None:
            tile.show_figure(tile.text)
        else:
            tile.show_figure(tile.text, tr("in the run now {step_time}", step_time=span(step_s)))

    def _show_figures(self, estimate: JobEstimate) -> None:
        if estimate.kind == "load":
            for name, tile in self.tiles.items():
                tile.show_figure(span(estimate.step_s) if name == "step" else MISSING)
            return
        flops_s = estimate.parts.model_flop / estimate.gpus / estimate.step_s
        unit = estimate.unit_of_work or tr("steps")
        rate_s = estimate.rate_s if estimate.work_per_step else 1.0 / estimate.step_s
        used = estimate.memory.total_bytes / estimate.gpu_bytes
        self.tiles["step"].show_figure(span(estimate.step_s))
        self.tiles["rate"].show_figure(f"{prefixed(rate_s)}", f"{unit}/s")
        self.tiles["mfu"].show_figure(f"{100 * estimate.mfu:.1f} %")
        self.tiles["flops"].show_figure(f"{prefixed(flops_s)}", "FLOP/s")
        self.tiles["memory"].show_figure(
            f"{100 * used:.0f} %", tr("fits") if estimate.fits else tr("does not fit")
        )

    def _show_bars(self, estimate: JobEstimate) -> None:
        self.step_bar.show_pieces(step_pieces(estimate.parts), _step_words(estimate))
        if estimate.kind == "load":
            self.memory_bar.show_pieces((), MISSING)
            return
        usable = MEMORY_SHARE * estimate.gpu_bytes
        used, whole = quantity(estimate.memory.total_bytes, "B"), quantity(estimate.gpu_bytes, "B")
        words = tr("{used} of {whole}", used=used, whole=whole) + (
            "" if estimate.fits else tr(", does not fit")
        )
        self.memory_bar.show_pieces(
            memory_pieces(estimate.memory), words, capacity=estimate.gpu_bytes, usable=usable
        )

    def _show_advice(self, judged: DraftEstimate, estimate: JobEstimate | None) -> None:
        clear(self._advice_row)
        self.advice_buttons = []
        self.advice.setVisible(estimate is not None and not estimate.fits)
        if estimate is None or estimate.fits:
            return
        offered = offers(judged.draft)
        words = tr("Options that fit:") if offered else _why_not(judged, estimate)
        self._advice_row.addWidget(label(words, "muted", wrap=not offered), 0 if offered else 1)
        room = _ADVICE_LETTERS
        for offer in offered:
            if self.advice_buttons and len(offer.words) > room:
                break
            room -= len(offer.words) + 4
            long = len(offer.words) > _ADVICE_LETTERS
            button = QPushButton(
                f"{offer.words[:_ADVICE_LETTERS]}\N{HORIZONTAL ELLIPSIS}" if long else offer.words
            )
            button.setAutoDefault(False)
            button.setToolTip(plain_tip(f"{offer.words}: {offer.figures}"))
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(partial(self._on_offer, offer.draft))
            self._advice_row.addWidget(button)
            self.advice_buttons.append(button)
        if offered:
            self._advice_row.addStretch(1)

    def _on_offer(self, draft: JobDraft) -> None:
        self.advised.emit(draft)


def _why_not(judged: DraftEstimate, estimate: JobEstimate) -> str:
    """Return why a job does not fit, and what would."""
    would = what_would_fit(judged.draft)
    return tr("It {reason}.", reason=estimate.reason) + (
        f" {would[:1].upper()}{would[1:].rstrip('.')}." if would else ""
    )


def _step_words(estimate: JobEstimate) -> str:
    """Return how long a step takes and what it is made of, or how a service answers."""
    words = span(estimate.step_s)
    if estimate.phases:
        words += ": " + ", ".join(f"{phase.name} {span(phase.seconds)}" for phase in estimate.phases)
    if estimate.service is not None:
        service = estimate.service
        words += tr(
            " of {word}requests: first token after {first_token_time}, then one per {token_time}; "
            "{utilisation:.0f} % busy",
            word=tr("too many ") if service.overloaded else "",
            first_token_time=span(service.first_token_s),
            token_time=span(service.token_s),
            utilisation=100 * service.utilisation,
        )
    return words
