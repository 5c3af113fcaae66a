"""Why the run is slow, as a table: the accounts of a range, the dearest first, each with what is behind it below."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QColor, QFont

from twin.analysis.account_words import MEANINGS
from twin.analysis.explain import Explanation, LossCause, Lost
from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.shown_text import spelled

COLUMNS = (tr("Share"), tr("Account and cause"), tr("GPU-hours"))
SHARE, WHAT, HOURS = range(len(COLUMNS))
BAR_ROLE = Qt.ItemDataRole.UserRole + 1
"""Length of a row's bar, 0 to 1; None: it has none."""


@dataclass(frozen=True)
class LossRow:
    """An account, or below it a thing behind it."""

    lost: Lost
    cause: LossCause | None = None

    @property
    def goes_to(self) -> LossCause | None:
        """Return where a click leads: to the thing itself, of an account to the dearest of its things."""
        return self.cause or next(iter(self.lost.causes), None)

    @property
    def gpu_s(self) -> float:
        """Return what it took [GPU s]."""
        return self.lost.gpu_s if self.cause is None else self.cause.gpu_s


def rows_of(found: Explanation) -> list[LossRow]:
    """Return the rows of an explanation: accounts, and where there are several things behind one, each of them."""
    made = []
    for lost in found.lost:
        made.append(LossRow(lost))
        if len(lost.causes) > 1:
            made += [LossRow(lost, cause) for cause in lost.causes]
    return made


class WhyModel(ColumnModel):
    """Rows are accounts and what is behind them."""

    def __init__(self, look: Look) -> None:
        super().__init__(COLUMNS)
        self._look = look
        self._installed = self._largest = 1.0
        self.shown: list[LossRow] = []

    def show_explanation(self, found: Explanation | None) -> None:
        """Show another one; None: there is nothing to explain."""
        rows = [] if found is None else rows_of(found)
        if found is not None:
            self._installed = found.installed_gpu_s or 1.0
            self._largest = max((loss.gpu_s for loss in found.lost), default=1.0) or 1.0
        same = [(row.lost.account, row.goes_to and row.goes_to.subject) for row in rows] == [
            (row.lost.account, row.goes_to and row.goes_to.subject) for row in self.shown
        ]
        if same and rows:  # figures alone moved: what is selected stays
            self.shown = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, HOURS))
            return
        self.beginResetModel()
        self.shown = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, bar or colour of a cell."""
        if index.row() >= len(self.shown):
            return None
        row, column, theme = self.shown[index.row()], index.column(), self._look.theme
        if role == Qt.ItemDataRole.DisplayRole:
            return (self._share(row), _words(row), f"{row.gpu_s / 3600:,.2f}")[column]
        if role == BAR_ROLE and column == SHARE:
            return max(row.gpu_s, 0.0) / self._largest
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(theme.text if row.cause is None and column != HOURS else theme.muted)
        if role == Qt.ItemDataRole.FontRole and row.cause is None and column == SHARE:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (SHARE, HOURS):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(_told(row))
        if role == Qt.ItemDataRole.AccessibleTextRole and column == WHAT:
            return f"{self._share(row)}: {_words(row).strip()}"
        return None

    def _share(self, row: LossRow) -> str:
        return f"{100 * row.gpu_s / self._installed:.2f} %"


def _words(row: LossRow) -> str:
    if row.cause is not None:
        return f"      {spelled(row.cause.text)}"
    lost = row.lost
    # Where each of several follows in a line of its own, they need not be told here.
    text = lost.headline if len(lost.causes) > 1 else lost.text
    return f"{lost.title[:1].upper()}{lost.title[1:]}: {spelled(text)}"


def _told(row: LossRow) -> str:
    """Return everything about a row, for its tool tip."""
    if row.cause is not None:
        return spelled(row.cause.text)
    lines = [
        f"{row.lost.title[:1].upper()}{row.lost.title[1:]}: {MEANINGS[row.lost.account]}",
        spelled(row.lost.text),
    ]
    lines += [spelled(cause.text) for cause in row.lost.causes]
    if row.lost.more:
        lines.append(tr("and {more:,} more", more=row.lost.more))
    return "\n".join(dict.fromkeys(lines))
