"""Questions in words of the trade, and their answers."""

from __future__ import annotations

import os
from difflib import get_close_matches

from twin.api.arguments import Settings, path_of
from twin.api.errors import BadInput, as_arguments
from twin.api.named import load_scene
from twin.api.scene import Scene
from twin.catalog import load_catalog
from twin.plant.build import build
from twin.questions.answer import TradeAnswer
from twin.questions.question import AskedScene, QuestionError, Setting, TradeQuestion
from twin.questions.table import QUESTIONS
from twin.scenario import Scenario
from twin.scenario.schema.scene_catalog import catalog_of


def ask(
    question: str,
    scene: str | os.PathLike[str] | Scene | None = None,
    *,
    set: Settings = (),
    **given: str,
) -> TradeAnswer:
    """Return the answer to a question of the trade: figures with ranges, one chart, how they were worked out.

    Parameters
    ----------
    question
        Its key, as ``twin ask --list`` prints it: ``gpus-in``, ``run-out``, ``one-more-nine``, ``checkpoint-interval``,
        ``rack-size``, ``own-or-rent``.
    scene
        That it is about, or that its inputs are from where nobody gives them; None: usual values.
    set
        Changes of the scene, as for `Scene.run`.
    **given
        Inputs by their keys, with units, an underscore in place of a hyphen: ``power="20 MW"``.

    Raises
    ------
    ScenarioError
        When the scene cannot be.
    BadInput
        When there is no such question, an input means nothing, or there is no answer.

    Examples
    --------
    >>> import twin
    >>> found = twin.ask("gpus-in", power="20 MW", redundancy="N+1", part="DGX-H100")
    >>> found.figures[0].value, found.figure("site_w").value < 20e6
    (14640, True)
    """
    with as_arguments():
        known = question_of(question)
        found = None
        if scene is not None:
            opened = scene if isinstance(scene, Scene) else Scene(load_scene(path_of(scene, "scene")))
            found = (opened.changed(set) if set else opened).scenario
        return answered(known, found, {key.replace("_", "-"): str(text) for key, text in given.items()})


def question_of(name: str) -> TradeQuestion:
    """Return a question by its key; raises `BadInput`."""
    if name in QUESTIONS:
        return QUESTIONS[name]
    near = get_close_matches(name, QUESTIONS, n=1)
    meant = f"did you mean {near[0]}?" if near else f"known are {', '.join(QUESTIONS)}"
    raise BadInput(f"question: there is no {name!r}; {meant}")


def setting_of(scenario: Scenario | None, given: dict[str, str]) -> Setting:
    """Return where a question is asked, with the scene built."""
    catalog = load_catalog() if scenario is None else catalog_of(scenario)
    scene = AskedScene(scenario, build(scenario, catalog)) if scenario is not None else None
    return Setting(catalog, scene, given)


def answered(question: TradeQuestion, scenario: Scenario | None, given: dict[str, str]) -> TradeAnswer:
    """Return the answer to a question; raises `BadInput` where there is none."""
    try:
        return question.answer(setting_of(scenario, given))
    except QuestionError as wrong:
        raise BadInput(f"--{wrong.key}: {wrong}" if wrong.key else str(wrong)) from None
