"""The tenants and the partitions they share: what each may have, has and waits for; jobs are dropped on partitions."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtCore import QModelIndex, QRectF, Qt
from PySide6.QtGui import QColor, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QPainter
from PySide6.QtWidgets import (
    QMainWindow,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from twin.app.queue.feed import QueueFeed
from twin.app.queue.gantt_colours import colour_of
from twin.app.queue.gantt_paint import partition_colour
from twin.app.queue.moves import JOBS_MIME
from twin.app.queue.tenant_facts import PartitionLine, Partitions, TenantLine, tenant_lines
from twin.app.session.session import Session
from twin.app.toolkit import text
from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, label, line, tool_button
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable
from twin.language import tr

TENANT_COLUMNS = (
    tr("Tenant"),
    tr("GPUs held"),
    tr("Quota"),
    tr("Share"),
    tr("Running"),
    tr("Queued"),
    tr("Mean wait time"),
    tr("Isolation"),
    tr("Network"),
)
PARTITION_COLUMNS = (
    tr("Partition"),
    tr("GPUs held"),
    "GPUs",
    tr("Queued"),
    tr("Limit"),
    tr("Open to"),
    tr("Rows"),
    tr("Network"),
)
_HELD, _QUOTA = 1, 2
_MOST_QUOTA = 10_000_000
_ROW_PX, _SWATCH_PX = 24, 10
_TENANT_PX = (132, 100, 72, 72, 84, 84, 92, 90)
_PARTITION_PX = (132, 100, 68, 84, 72, 110, 90)


class _Lines(ColumnModel):
    """Rows of texts, each with a colour and how full it is; some cells can be typed over."""

    typed = Signal(int, str)  # row, what was typed

    def __init__(self, look: Look, titles: tuple[str, ...], left: frozenset[int]) -> None:
        super().__init__(titles)
        self._look, self._left = look, left
        self.texts: list[tuple[str, ...]] = []
        self.fills: list[tuple[float, QColor, bool]] = []  # share 0..1, colour, whether it is above its quota
        self.may_type: frozenset[tuple[int, int]] = frozenset()  # row and column

    def show_lines(self, texts: list[tuple[str, ...]], fills: list[tuple[float, QColor, bool]]) -> None:
        """Show these rows."""
        if len(texts) != len(self.texts):
            self.beginResetModel()
            self.texts, self.fills = texts, fills
            self.endResetModel()
        elif texts != self.texts or fills != self.fills:
            self.texts, self.fills = texts, fills
            last = self.index(len(texts) - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.texts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, colour or alignment of a cell."""
        row, column = index.row(), index.column()
        if row >= len(self.texts):
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self.texts[row][column]
        if role == Qt.ItemDataRole.ToolTipRole:
            how = (
                tr("\nDouble-click or F2 changes it; empty: no limit")
                if (row, column) in self.may_type
                else ""
            )
            return plain_tip(self.texts[row][column] + how)
        if role == Qt.ItemDataRole.DecorationRole and column == 0:
            return self.fills[row][1]
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(self._look.theme.text if column <= _HELD else self._look.theme.muted)
        if role == Qt.ItemDataRole.TextAlignmentRole and column not in self._left:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return whether a cell can be typed over."""
        types = (index.row(), index.column()) in self.may_type
        return super().flags(index) | (Qt.ItemFlag.ItemIsEditable if types else Qt.ItemFlag.NoItemFlags)

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Tell what was typed; the cell shows it once the scene has it."""
        if role != Qt.ItemDataRole.EditRole or str(value) == self.texts[index.row()][index.column()]:
            return False
        self.typed.emit(index.row(), str(value))
        return True


class _Bar(QStyledItemDelegate):
    """Draws how full a row is behind its figure."""

    def __init__(self, look: Look, model: _Lines, parent: QTableView) -> None:
        super().__init__(parent)
        self._look, self._model = look, model

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | Index) -> None:
        """Paint ground, bar and figure."""
        self.initStyleOption(option, index)
        words, option.text = option.text, ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        share, tint, over = self._model.fills[index.row()]
        field = QRectF(option.rect).adjusted(4, 5, -4, -5)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._look.theme.raised))
        painter.drawRoundedRect(field, 3, 3)
        shade = QColor(self._look.theme.warning) if over else QColor(tint)
        shade.setAlpha(150)
        painter.setBrush(shade)
        painter.drawRoundedRect(
            QRectF(field.left(), field.top(), field.width() * min(share, 1.0), field.height()), 3, 3
        )
        painter.setPen(QColor(self._look.theme.text))
        painter.drawText(field.adjusted(4, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, words)
        painter.restore()


class PartitionTable(RowTable):
    """Partitions; jobs can be dropped on a row."""

    dropped = Signal(list, str)  # job ids, partition id
    dragged = Signal(str, str)  # job id, partition id under the drag; both "" when it left

    def __init__(self, look: Look, model: _Lines) -> None:
        super().__init__(look, tr("Partitions"), _ROW_PX, model)
        self.partition_ids: list[str] = []
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take jobs."""
        if event.mimeData().hasFormat(JOBS_MIME):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Mark the partition under the pointer."""
        row = self.indexAt(event.position().toPoint()).row()
        jobs = _dragged_jobs(event)
        if jobs and 0 <= row < len(self.partition_ids):
            self.selectRow(row)
            self.dragged.emit(jobs[0], self.partition_ids[row])
            event.acceptProposedAction()
        else:
            event.ignore()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Forget the drag."""
        self.clearSelection()
        self.dragged.emit("", "")

    def dropEvent(self, event: QDropEvent) -> None:
        """Tell which jobs shall go where."""
        row = self.indexAt(event.position().toPoint()).row()
        jobs = _dragged_jobs(event)
        self.dragged.emit("", "")
        if jobs and 0 <= row < len(self.partition_ids):
            event.acceptProposedAction()
            self.dropped.emit(jobs, self.partition_ids[row])


class TenantsDock(Dock):
    """Tables of tenants and partitions."""

    colour_wanted = Signal(str)  # colouring of the hall
    dropped = Signal(list, str)  # job ids, partition id
    dragged = Signal(str, str)
    quota_wanted = Signal(str, object)  # tenant id, GPUs at a time; None: no limit

    def __init__(self, look: Look, session: Session, feed: QueueFeed, parent: QMainWindow) -> None:
        super().__init__(look, "tenants", tr("Tenants"), "row", parent)
        self._session, self._feed, self._seen = session, feed, False
        self._partitions: Partitions | None = None
        self._lines: list[TenantLine] = []
        self.tenants = _Lines(look, TENANT_COLUMNS, frozenset({0, 1, 7, 8}))
        self.partitions = _Lines(look, PARTITION_COLUMNS, frozenset({0, 1, 5, 6, 7}))
        self.tenant_table = RowTable(look, tr("Tenants"), _ROW_PX, self.tenants)
        self.partition_table = PartitionTable(look, self.partitions)
        self.tenant_table.setEditTriggers(
            RowTable.EditTrigger.DoubleClicked | RowTable.EditTrigger.EditKeyPressed
        )
        self._dress(self.tenant_table, self.tenants, _TENANT_PX)
        self._dress(self.partition_table, self.partitions, _PARTITION_PX)
        self.tenant_table.clicked.connect(lambda _: self.colour_wanted.emit("gpu.tenant"))
        self.partition_table.clicked.connect(lambda _: self.colour_wanted.emit("gpu.partition"))
        self.partition_table.dropped.connect(self.dropped.emit)
        self.partition_table.dragged.connect(self.dragged.emit)
        self._lower = QWidget()
        column = QVBoxLayout(self._lower)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(line())
        column.addWidget(self.partition_table)
        self.body.addWidget(self.tenant_table, 3)
        self.body.addWidget(self._lower, 2)
        self._none = label(tr("No tenants or partitions in this scene"), "muted")
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.body.addWidget(self._none, 1)
        for by, title in (
            ("gpu.tenant", tr("Colour the hall by tenant")),
            ("gpu.partition", tr("Colour it by partition")),
        ):
            button = tool_button(look, "colour" if by == "gpu.tenant" else "row", title)
            button.clicked.connect(lambda _=False, by=by: self.colour_wanted.emit(by))
            self.tools.add(button)
        self.tenants.typed.connect(self._on_typed)
        feed.begun.connect(self._on_begun)
        session.document_changed.connect(self._on_document)  # an edit, before the run plays
        feed.changed.connect(self._refresh)
        look.changed.connect(self._refresh)
        self.visibilityChanged.connect(self._on_visible)

    def _dress(self, table: RowTable, model: _Lines, widths_px: tuple[int, ...]) -> None:
        table.setItemDelegateForColumn(_HELD, _Bar(self._look, model, table))
        table.share_width(dict(enumerate(widths_px)), len(widths_px))

    def _on_visible(self, seen: bool) -> None:
        self._seen = seen
        self._refresh()

    def edit_quota(self) -> None:
        """Let the quota of the tenant that is marked be typed; of the first where none is."""
        row = max(self.tenant_table.currentIndex().row(), 0)
        place = self.tenants.index(row, _QUOTA)
        if self.tenants.flags(place) & Qt.ItemFlag.ItemIsEditable:
            self.tenant_table.setCurrentIndex(place)
            self.tenant_table.edit(place)

    def _on_typed(self, row: int, words: str) -> None:
        bare = words.replace(",", "").strip()
        none = bare in ("", text.MISSING, "none")
        if none or (bare.isdecimal() and int(bare) <= _MOST_QUOTA):
            self.quota_wanted.emit(self._lines[row].id, None if none else int(bare))

    def _on_document(self, _document: object) -> None:
        self._on_begun()
        self._refresh()

    def _on_begun(self) -> None:
        document, history = self._session.document, self._feed.history
        if document is None or history is None:
            return
        self._partitions = Partitions(document.scenario, history)
        self.partition_table.partition_ids = [partition.id for partition in document.scenario.partitions]
        some = bool(document.scenario.partitions)
        self._lower.setVisible(some)
        shown = bool(document.scenario.tenants) or len(history.tenants) > 1 or some
        self.tenant_table.setVisible(shown)
        self._none.setVisible(not shown)

    def _refresh(self, *_theme: object) -> None:
        document = self._session.document
        if document is None or self._partitions is None or not self._seen:
            return
        history = self._feed.history
        if history is None:
            return
        lines = self._lines = tenant_lines(document.scenario, history)
        own = {tenant.id for tenant in document.scenario.tenants}
        self.tenants.may_type = frozenset(
            (row, _QUOTA) for row, tenant in enumerate(lines) if tenant.id in own
        )
        installed = max(int(history.plant.gpus.present.sum()), 1)
        self.tenants.show_lines(
            [_tenant_texts(line) for line in lines], [self._tenant_fill(line, installed) for line in lines]
        )
        parts = self._partitions.lines()
        fills = [
            (line.held_gpus / max(line.gpus, 1), QColor(partition_colour(line.number)), False)
            for line in parts
        ]
        self.partitions.show_lines([_partition_texts(line) for line in parts], fills)

    def _tenant_fill(self, tenant: TenantLine, installed: int) -> tuple[float, QColor, bool]:
        most = tenant.quota_gpus if tenant.quota_gpus is not None else installed
        over = tenant.quota_gpus is not None and tenant.held_gpus > tenant.quota_gpus
        return tenant.held_gpus / max(most, 1), colour_of(tenant.number, self._look.theme), over


def _tenant_texts(tenant: TenantLine) -> tuple[str, ...]:
    apart = {"none": "", "node": tr("own nodes"), "leaf": tr("own leaves"), "rack": tr("own racks")}[
        tenant.isolation
    ]
    words = ", ".join(word for word in (apart, "encrypted" if tenant.encrypted else "") if word)
    return (
        tenant.title,
        text.gpus(tenant.held_gpus),
        f"{tenant.quota_gpus:,}" if tenant.quota_gpus is not None else text.MISSING,
        f"{100 * tenant.share:.0f} %",
        f"{tenant.running_jobs:,}",
        f"{tenant.waiting_jobs:,}",
        text.duration(tenant.wait_mean_s),
        words or text.MISSING,
        tenant.network or text.MISSING,
    )


def _partition_texts(partition: PartitionLine) -> tuple[str, ...]:
    return (
        partition.title,
        text.gpus(partition.held_gpus),
        f"{partition.gpus:,}",
        f"{partition.waiting_jobs:,}",
        text.duration(partition.limit_s),
        partition.tenants,
        partition.rows,
        partition.network or text.MISSING,
    )


def _dragged_jobs(event: QDropEvent) -> list[str]:
    if not event.mimeData().hasFormat(JOBS_MIME):
        return []
    return bytes(event.mimeData().data(JOBS_MIME).data()).decode().split("\n")
