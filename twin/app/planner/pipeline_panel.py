"""The pipeline of one step with its legend: how long the passes are, how much of the time stages wait."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from twin.app.planner.pipeline_chart import PipelineChart, block_colour
from twin.app.planner.pipeline_schedule import PipelineStep
from twin.app.toolkit.account_colours import colour
from twin.app.toolkit.charts.painting import legend_entry
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.plain_text import MarkupLabel
from twin.app.toolkit.text import span
from twin.language import counted, tr


class PipelineGantt(QWidget):
    """Legend and chart."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._look = look
        self._timeline: PipelineStep | None = None
        self._legend = MarkupLabel()
        self._legend.setWordWrap(True)
        self.chart = PipelineChart(look)
        self._empty = label("", "muted", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 4)
        column.setSpacing(4)
        column.addWidget(self._legend)
        column.addWidget(self.chart, 1)
        column.addWidget(self._empty, 1)
        look.changed.connect(self._on_theme)
        self.show_timeline(None, "")

    def show_timeline(self, timeline: PipelineStep | None, why_not: str = "") -> None:
        """Show one step, or why there is none to show."""
        self._timeline = timeline
        self.chart.show_timeline(timeline)
        self.chart.setVisible(timeline is not None)
        self._legend.setVisible(timeline is not None)
        self._empty.setVisible(timeline is None)
        self._empty.setText(why_not)
        self._write()

    def _on_theme(self, _theme: object) -> None:
        self._write()

    def _write(self) -> None:
        made, theme = self._timeline, self._look.theme
        if made is None:
            return
        schedule = made.schedule
        whole = schedule.microbatches + made.left_out
        keys = [
            (block_colour(theme, False, 0), "forward", span(made.forward_s)),
            (block_colour(theme, True, 0), "backward", span(made.backward_s)),
            (
                theme.faint,
                tr("waiting (bubble)"),
                f"{max(made.bubble_share, 0.0):.1%}".replace("%", " % of the pipeline"),
            ),
            *((colour(theme, p.account), p.title.lower(), span(p.value)) for p in made.tail),
        ]
        marks = (
            "\N{BLACK SQUARE}",
            "\N{BLACK SQUARE}",
            "\N{WHITE SQUARE}",
            *["\N{BLACK SQUARE}"] * len(made.tail),
        )
        entries = (
            legend_entry(theme, tint, name, figure, mark)
            for mark, (tint, name, figure) in zip(marks, keys, strict=True)
        )
        shade = (
            tr("; shades: {chunks} chunks of a stage", chunks=schedule.chunks) if schedule.chunks > 1 else ""
        )
        words = f"{counted(schedule.stages, 'stage')}, {counted(whole, 'microbatch')}{shade}"
        unbroken = words.replace(" ", "\N{NO-BREAK SPACE}")
        self._legend.setText(
            "&nbsp;&nbsp; ".join(entries)
            + f"&nbsp;&nbsp; <span style='color:{theme.faint}'>{unbroken}</span>"
        )
        self.chart.setAccessibleDescription(
            tr(
                "{words}; forward {keys}, backward {second_key}, bubble {key}",
                words=words,
                keys=keys[0][2],
                second_key=keys[1][2],
                key=keys[2][2],
            )
        )
