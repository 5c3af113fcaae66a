"""Availability of the hall as a table: its systems first, then what takes most GPU-hours."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.planning.risk.availability_figures import HOUR_S, YEAR_S, HallAvailability, JobAvailability
from twin.planning.risk.availability_text import SYSTEMS, figure, share

COLUMNS = (
    tr("What"),
    tr("Available"),
    tr("Outages / year"),
    tr("Hours / year"),
    "GPUs",
    tr("GPU-hours / year"),
)
WHAT, AVAILABLE, OUTAGES, HOURS, GPUS, GPU_HOURS = range(len(COLUMNS))
TIPS = (
    tr("A system of the hall, or what takes it from GPUs: worst first"),
    tr("Share of the time in which no GPU lacks it"),
    tr("Outages a year in which any GPU lacks it"),
    tr("Hours a year in which any GPU lacks it"),
    tr("GPUs that one such outage takes"),
    tr("GPU-hours a year that are lost"),
)


@dataclass(frozen=True)
class AvailabilityRow:
    """A row: a system, or what takes it.

    Attributes
    ----------
    texts
        Of each column.
    targets
        Ids of the items that take part; none of a system.
    tip
        What it is; "": its column says it.
    """

    texts: tuple[str, ...]
    targets: tuple[str, ...] = ()
    tip: str = ""


def rows_of(found: HallAvailability, gpus: int) -> list[AvailabilityRow]:
    """Return the rows of a hall with so many GPUs."""
    year_h = YEAR_S / HOUR_S
    systems = [
        AvailabilityRow(
            (
                SYSTEMS[system.system],
                share(system.available),
                figure(system.outages),
                figure(system.hours),
                "",
                figure((1.0 - system.of_gpus) * gpus * year_h),
            )
        )
        for system in found.systems
    ]
    rows = [*systems, *_job_rows(found.job)]
    return rows + [
        AvailabilityRow(
            (
                entry.what[:1].upper() + entry.what[1:],
                "",
                figure(entry.outages),
                figure(entry.hours),
                f"{entry.gpus:,}",
                figure(entry.gpu_hours),
            ),
            entry.targets,
        )
        for entry in found.worst
    ]


def _job_rows(job: JobAvailability | None) -> list[AvailabilityRow]:
    """Return what that leaves to the job."""
    if job is None:
        return []
    rows = [
        AvailabilityRow(
            (
                tr("Job {job}: stopped by these", job=job.job),
                "",
                figure(job.interruptions),
                figure(job.hours),
                "",
                "",
            ),
            tip=tr("Interruptions by power, cooling and network; hours with restarts and lost work"),
        )
    ]
    if job.in_service is not None:
        what = tr(
            "Job {job}: {nodes:,} of {pool:,} nodes in service", job=job.job, nodes=job.nodes, pool=job.pool
        )
        rows.append(
            AvailabilityRow(
                (what, share(job.in_service), "", "", "", ""),
                tip=tr("Share of the time in which enough nodes are not in repair"),
            )
        )
    return rows


class AvailabilityModel(ColumnModel):
    """Rows are systems, then contributors."""

    def __init__(self, look: Look) -> None:
        super().__init__(COLUMNS)
        self._look = look
        self.rows: list[AvailabilityRow] = []

    def show_rows(self, rows: list[AvailabilityRow]) -> None:
        """Show other rows."""
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of rows."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, colour or tip of a cell."""
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return row.texts[column]
        if role == Qt.ItemDataRole.ForegroundRole:
            theme = self._look.theme
            return QColor(theme.accent if not row.targets and column == WHAT else theme.text)
        if role == Qt.ItemDataRole.TextAlignmentRole and column != WHAT:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole:
            more = (
                tr("\nGo to {targets}", targets=", ".join(row.targets[:6]))
                if row.targets and column == WHAT
                else ""
            )
            return plain_tip(f"{row.texts[column]}\n{row.tip or TIPS[column]}{more}".lstrip("\n"))
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return title, tip or alignment of a column."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(TIPS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole and section != WHAT:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return super().headerData(section, orientation, role)
