"""An answer worked out in another process, so that nobody waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from twin.analysis.background_process import Aside, Tell
from twin.catalog import load_catalog
from twin.plant.build import build
from twin.questions.answer import TradeAnswer
from twin.questions.question import AskedScene, QuestionError, Setting
from twin.questions.table import QUESTIONS
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of


@dataclass(frozen=True)
class NoAnswer:
    """Why there is none, and the input that it is because of; "": of none."""

    reason: str
    key: str


def answer_aside(
    question: str, scenario: Scenario | None, given: Mapping[str, str]
) -> Aside[TradeAnswer | NoAnswer]:
    """Return the process that answers a question."""
    return Aside(_answered, question, scenario, dict(given), name="twin-ask", alone=True)


def _answered(
    question: str, scenario: Scenario | None, given: Mapping[str, str], tell: Tell
) -> TradeAnswer | NoAnswer:
    catalog = load_catalog() if scenario is None else catalog_of(scenario)
    scene = AskedScene(scenario, build(scenario, catalog)) if scenario is not None else None
    try:
        return QUESTIONS[question].answer(Setting(catalog, scene, given))
    except QuestionError as wrong:
        return NoAnswer(str(wrong), wrong.key)
