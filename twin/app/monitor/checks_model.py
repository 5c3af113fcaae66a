"""Findings of the design rules as a table: the worst first, those accepted apart."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.rules import BY_ID, Finding, Measure, Report

COLUMNS = (tr("Rule"), tr("Finding"), tr("Value"), tr("Limit"), tr("Where"))
RULE, WHAT, IS, LIMIT, WHERE = range(len(COLUMNS))
SIGNS = {"error": ("alarm", "alarm"), "warning": ("warning", "warning"), "notice": ("info", "notice")}
"""Icon and colour of each severity; they differ in both."""
ACCEPTED = ("check", "muted")
KINDS = ("error", "warning", "notice", "accepted")


def kind_of(finding: Finding) -> str:
    """Return what a finding counts as: its severity, or that it is accepted."""
    return "accepted" if finding.excluded else finding.severity


def sign_of(finding: Finding) -> tuple[str, str]:
    """Return icon and colour of a finding."""
    return ACCEPTED if finding.excluded else SIGNS[finding.severity]


class RulesModel(ColumnModel):
    """Rows are findings of the chosen kinds."""

    def __init__(self, look: Look) -> None:
        super().__init__(COLUMNS)
        self._look = look
        self._report = Report(())
        self._rows: list[Finding] = []
        self.kinds = frozenset(KINDS[:-1])
        look.changed.connect(self._repaint)

    def show_report(self, report: Report) -> None:
        """Take another report."""
        self._report = report
        self._choose()

    def show_kinds(self, kinds: frozenset[str]) -> None:
        """Show findings of these `KINDS` alone."""
        self.kinds = kinds
        self._choose()

    def finding_at(self, row: int) -> Finding:
        """Return the finding of a row."""
        return self._rows[row]

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of findings shown."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, icon or colour of a cell."""
        finding, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(finding, column)
        if role == Qt.ItemDataRole.DecorationRole and column == RULE:
            return self._look.icon(*sign_of(finding))
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(self._colour(finding, column))
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (IS, LIMIT):
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(whole(finding))
        if role == Qt.ItemDataRole.AccessibleTextRole and column == RULE:
            return f"{tr(kind_of(finding).capitalize())}: {BY_ID[finding.rule].title}"
        return None

    def _choose(self) -> None:
        rows = [finding for finding in self._report.findings if kind_of(finding) in self.kinds]
        rows.sort(key=lambda finding: finding.excluded)
        if rows == self._rows:
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def _words(self, finding: Finding, column: int) -> str:
        if column == RULE:
            return BY_ID[finding.rule].title
        if column == WHAT:
            return f"{finding.comment} ({finding.sentence})" if finding.excluded else finding.sentence
        if column == IS:
            return _said(finding.value)
        return _said(finding.limit) if column == LIMIT else place_of(finding)

    def _colour(self, finding: Finding, column: int) -> str:
        theme = self._look.theme
        if finding.excluded:
            return theme.muted
        return str(getattr(theme, sign_of(finding)[1])) if column in (RULE, IS) else theme.text

    def _repaint(self, *_theme: object) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(COLUMNS) - 1))


def place_of(finding: Finding) -> str:
    """Return where a finding is, in few words: its first thing and how many more, else its key."""
    if not finding.ids:
        return finding.key
    more = len(finding.ids) - 1
    return finding.ids[0] + (f" +{more:,}" if more else "")


def whole(finding: Finding) -> str:
    """Return everything about a finding, for its tool tip."""
    rule = BY_ID[finding.rule]
    lines = [f"{tr(kind_of(finding).capitalize())}: {rule.title} ({rule.id})", finding.sentence]
    if finding.fix:
        lines.append(f"\N{RIGHTWARDS ARROW} {finding.fix}")
    if finding.comment:
        lines.append(tr("Accepted: {comment}", comment=finding.comment))
    lines += [tr("Key: {key}", key=finding.key)] if finding.key else []
    return "\n".join(
        [*lines, tr("Checks: {checks}", checks=rule.checks), tr("Source: {source}", source=rule.source)]
    )


def _said(measure: Measure | None) -> str:
    return measure.text if measure is not None else ""
