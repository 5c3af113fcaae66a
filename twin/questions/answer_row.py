"""An answer as `--json` prints it, and its figures as the cells of a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from twin.questions.answer import AnswerChart, TradeAnswer
from twin.questions.question import TradeQuestion


def question_row(question: TradeQuestion) -> dict[str, Any]:
    """Return what a question asks."""
    return {
        "key": question.key,
        "title": question.title,
        "words": question.words,
        "needs_scene": question.needs_scene,
        "inputs": [
            {
                "key": entry.key,
                "title": entry.title,
                "tip": entry.tip,
                "kind": entry.kind,
                "dimension": entry.dimension or None,
                "low": entry.low,
                "high": entry.high,
                "optional": entry.optional,
            }
            for entry in question.inputs
        ],
    }


def answer_row(question: TradeQuestion, given: Mapping[str, str], answer: TradeAnswer) -> dict[str, Any]:
    """Return an answer, with the inputs that it is for; what is not known, or endless, is null."""
    return {
        "question": question.key,
        "title": question.title,
        "inputs": dict(given),
        "sentence": answer.sentence,
        "figures": [
            {
                "key": figure.key,
                "title": figure.title,
                "value": _number(figure.value),
                "low": _number(figure.low),
                "high": _number(figure.high),
                "unit": figure.unit,
                "words": figure.words,
            }
            for figure in answer.figures
        ],
        "chart": _chart(answer.chart),
        "method": list(answer.method),
        "rests_on": list(answer.rests_on),
    }


def figure_cells(answer: TradeAnswer) -> list[tuple[str, str, str]]:
    """Return title, value and range of each figure."""
    return [(figure.title, figure.words, figure.range_words) for figure in answer.figures]


def _chart(chart: AnswerChart) -> dict[str, Any]:
    return {
        "title": chart.title,
        "x": {"title": chart.x_title, "unit": chart.x_unit, "log": chart.is_log},
        "y": {"title": chart.y_title, "unit": chart.y_unit},
        "curves": [
            {
                "title": curve.title,
                **{
                    name: [_number(value) for value in getattr(curve, name)]
                    for name in ("x", "y", "low", "high")
                },
            }
            for curve in chart.curves
        ],
        "marks": [{"title": mark.title, "x": _number(mark.x), "y": _number(mark.y)} for mark in chart.marks],
        "bars": [
            {
                "title": bar.title,
                "value": _number(bar.value),
                "low": _number(bar.low),
                "high": _number(bar.high),
            }
            for bar in chart.bars
        ],
    }


def _number(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
