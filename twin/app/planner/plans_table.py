"""The best plans that the search found, as a table; a row chosen is applied. What was refused is counted below."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from twin.app.planner.draft import JobDraft, estimate_draft
from twin.app.planner.search import Offer, is_plan, nearest_drafts, with_plan
from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import clear, nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable
from twin.app.toolkit.standing_badge import StandingBadge
from twin.app.toolkit.text import quantity, span
from twin.language import tr
from twin.planning.search.search import Candidate, SearchResult

COLUMNS = (
    tr("Step"),
    "MFU",
    tr("Memory"),
    tr("Bubble"),
    "TP",
    "PP",
    "CP",
    "DP",
    "EP",
    "VP",
    tr("Micro"),
    tr("Recompute"),
    tr("Sharding"),
)
_FIRST_WORD = COLUMNS.index(tr("Recompute"))
_TIPS = (
    tr("Time of one step"),
    tr("Model FLOP utilisation"),
    tr("Of the fullest GPU"),
    tr("Share of the step spent in the pipeline bubble"),
    tr("Tensor parallel"),
    tr("Pipeline stages"),
    tr("Context parallel"),
    tr("Data parallel"),
    tr("Expert parallel"),
    tr("Interleave: virtual stages of each GPU"),
    tr("Sequences of one microbatch"),
    tr("Activation recomputation"),
    tr("State sharded by data parallelism"),
)
_SHARDING = {"none": "none", "optimizer": tr("ZeRO-1"), "gradients": tr("ZeRO-2"), "weights": "FSDP"}


_ROW_PX = 25


class PlanModel(ColumnModel):
    """One row for each plan; the one in force is marked."""

    def __init__(self, look: Look) -> None:
        super().__init__(COLUMNS)
        self._look = look
        self.plans: tuple[Candidate, ...] = ()
        self._draft: JobDraft | None = None

    def show_plans(self, plans: tuple[Candidate, ...], draft: JobDraft) -> None:
        """Show these plans."""
        self.beginResetModel()
        self.plans, self._draft = plans, draft
        self.endResetModel()

    def in_force(self) -> int:
        """Return the row of the plan that the draft is cut as; -1 when there is none."""
        if self._draft is None:
            return -1
        return next((row for row, plan in enumerate(self.plans) if is_plan(self._draft, plan)), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of plans."""
        return 0 if parent.isValid() else len(self.plans)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return title or tip of a column."""
        if role == Qt.ItemDataRole.ToolTipRole and orientation == Qt.Orientation.Horizontal:
            return _TIPS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and orientation == Qt.Orientation.Horizontal:
            side = Qt.AlignmentFlag.AlignRight if section < _FIRST_WORD else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return super().headerData(section, orientation, role)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, alignment or colour of a cell."""
        plan, column = self.plans[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _texts(plan)[column]
        if role == Qt.ItemDataRole.TextAlignmentRole and column < _FIRST_WORD:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and self._draft is not None and is_plan(self._draft, plan):
            return QColor(self._look.theme.accent)
        return None


class PlansTable(QWidget):
    """Table and, below it, how many cuts each constraint refused."""

    chosen = Signal(object)  # Candidate
    near_wanted = Signal(object)  # JobDraft that some layout runs

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._look = look
        self.model = PlanModel(look)
        self.table = RowTable(look, tr("Best plans"), _ROW_PX, self.model)
        last = self.model.columnCount() - 1
        self.table.share_width(lambda: {place: self.table.widest(place) for place in range(last)}, last)
        self.model.modelReset.connect(self.table.share)
        self.table.clicked.connect(self._on_chosen)
        self.table.activated.connect(self._on_chosen)
        self.summary = label("", "muted", wrap=True)
        self.refused = label("", "faint", wrap=True)
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 2)
        head.addWidget(self.summary, 1)
        self.standing = StandingBadge()
        head.addWidget(self.standing, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 6)
        column.setSpacing(2)
        nest(column, head)
        self._near_row = QHBoxLayout()
        self._near_row.setContentsMargins(12, 2, 12, 2)
        self.near_buttons: list[QPushButton] = []
        nest(column, self._near_row)
        column.addWidget(self.table, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 2, 12, 2)
        foot.addWidget(self.refused, 1)
        nest(column, foot)

    def show_found(self, found: SearchResult, draft: JobDraft) -> None:
        """Show what a search found for a draft."""
        offered = () if found.best else nearest_drafts(draft)
        said = tr(" Nearest that work:") if offered else ""
        plan = estimate_draft(with_plan(draft, found.best[0])) if found.best else None
        self.standing.show_standing(
            plan.standing if plan is not None else None, plan.standing_tip if plan is not None else ""
        )
        self._offer(offered)
        self.model.show_plans(found.best, draft)
        self.table.horizontalHeader().setVisible(bool(found.best))
        self.table.setColumnHidden(COLUMNS.index("EP"), all(plan.parallel.ep == 1 for plan in found.best))
        row = self.model.in_force()
        if row >= 0:
            self.table.selectRow(row)
        if found.best:
            self.summary.setText(
                tr(
                    "{tried:,} configurations tried on {gpus:,} GPUs; the fastest that fit, one per "
                    "layout. Click or Enter applies one.",
                    tried=found.tried,
                    gpus=draft.gpus,
                )
            )
        else:
            self.summary.setText(
                tr("No layout of {gpus:,} GPUs works: constraints below.{said}", gpus=draft.gpus, said=said)
            )
        counted = sorted(((n, why) for why, n in found.refused.items() if n), reverse=True)
        self.refused.setText(
            tr(
                "Refused:  {reasons}",
                reasons="  \N{MIDDLE DOT}  ".join(f"{n:,} {why}" for n, why in counted),
            )
        )
        self.refused.setVisible(bool(counted))

    def show_none(self, why: str) -> None:
        """Show that there is nothing to search, and why."""
        self.model.beginResetModel()
        self.model.plans = ()
        self.model.endResetModel()
        self._offer(())
        self.standing.show_standing(None)
        self.summary.setText(why)
        self.table.horizontalHeader().hide()
        self.refused.setVisible(False)

    def _offer(self, offered: Sequence[Offer]) -> None:
        """Show drafts near by, each on a button that takes it."""
        clear(self._near_row)
        self.near_buttons = []
        for offer in offered:
            button = QPushButton(offer.words)
            button.setAutoDefault(False)
            button.setToolTip(plain_tip(offer.figures))
            button.clicked.connect(partial(self._on_near, offer.draft))
            self._near_row.addWidget(button)
            self.near_buttons.append(button)
        if offered:
            self._near_row.addStretch(1)

    def _on_near(self, draft: JobDraft) -> None:
        self.near_wanted.emit(draft)

    def _on_chosen(self, index: Index) -> None:
        self.chosen.emit(self.model.plans[index.row()])


def _texts(plan: Candidate) -> tuple[str, ...]:
    cut, parts = plan.parallel, plan.parts
    return (
        span(plan.step_s),
        f"{100 * parts.mfu:.1f} %",
        quantity(plan.memory.total_bytes, "B"),
        f"{100 * parts.pipeline_bubble_s / plan.step_s:.1f} %",
        str(cut.tp),
        str(cut.pp),
        str(cut.cp),
        f"{cut.dp:,}",
        str(cut.ep),
        str(cut.vp),
        str(cut.microbatch),
        plan.stack.recompute,
        _SHARDING[plan.stack.sharding],
    )
