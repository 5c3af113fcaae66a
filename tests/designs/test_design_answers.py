"""What is answered where no design is found: the nearest need can be met as it is told, and nothing is left behind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import twin
from twin.api.design import answered
from twin.catalog import load_catalog
from twin.designs import design_folder, screening
from twin.designs.answer import Designs, answer, enough
from twin.designs.design_folder import scenes_of, write_folder
from twin.designs.design_scene import DesignError
from twin.designs.need_file import NeedFile, load_need, need_from, shipped_needs

LLAMA = "llama3-405b-54-days"
TOLD = re.compile(r"([\d,.]+) (days|MW) of")


def bf16(days: str = "54", megawatts: str = "40") -> NeedFile:
    """Return the need for Llama 3 405B in 16 bits."""
    text = shipped_needs()[LLAMA].read_text().replace("precision: fp8", "precision: bf16")
    text = text.replace("deadline: 54 day", f"deadline: {days} day").replace(
        "power: 40 MW", f"power: {megawatts} MW"
    )
    return need_from(text)


def told(none: Designs) -> Iterator[NeedFile]:
    """Return the needs that are said to be met instead, with the figures as they are printed."""
    for sentence in none.sentences[1:]:
        limits = {unit: figure.replace(",", "") for figure, unit in TOLD.findall(sentence)}
        assert limits, sentence
        yield bf16(limits.get("days", "54"), limits.get("MW", "40"))


def test_a_limit_is_told_with_four_digits_that_are_enough() -> None:
    assert [enough(value) for value in (61.8201, 61.8, 12_345.6, 0.00412345, 100.0)] == [
        "61.83",
        "61.8",
        "12,350",
        "0.004124",
        "100",
    ]


@pytest.fixture
def screenings(monkeypatch: pytest.MonkeyPatch) -> list[screening.Screened]:
    """Return what has been screened, which grows."""
    screen, found = screening.Screening.screen, list[screening.Screened]()

    def kept(
        of: screening.Screening, candidates: int, progress: screening.Progress = screening.unwatched
    ) -> screening.Screened:
        found.append(screen(of, candidates, progress))
        return found[-1]

    monkeypatch.setattr(screening.Screening, "screen", kept)
    return found


@pytest.mark.parametrize("candidates", [1, 4, 10, 40, 200])
def test_the_needs_that_are_told_can_be_met(candidates: int, screenings: list[screening.Screened]) -> None:
    none = answer(bf16(), load_catalog(), candidates)
    assert not none.designs
    (looked_at,) = screenings
    needs = list(told(none))
    assert needs
    for file in needs:
        assert any(design.with_limits(file.need).feasible for design in looked_at.designs)


@pytest.mark.slow
def test_the_needs_that_are_told_have_designs() -> None:
    for file in told(answer(bf16(), load_catalog(), 1000)):
        assert answer(file, load_catalog(), 1000).designs


def test_few_candidates_are_of_all_sizes() -> None:
    every = {choice.gpus for choice in screening.Screening(load_need(LLAMA), load_catalog()).choices()}
    found = screening.screened(load_need(LLAMA), load_catalog(), 5)
    sizes = sorted(design.choice.gpus for design in found.designs)
    middle = (min(every) + max(every)) / 2
    assert len(sizes) == 5
    assert sizes[0] < middle < sizes[-1]
    assert answer(load_need(LLAMA), load_catalog(), 2).designs


def test_it_is_told_how_many_were_looked_at() -> None:
    none = answer(bf16(), load_catalog(), 4)
    assert none.sentences[0].startswith(f"none of the 4 screened (of {none.possible:,}) keeps all limits")


def test_a_deadline_out_of_reach_is_no_question_of_cuts() -> None:
    text = shipped_needs()[LLAMA].read_text().replace("deadline: 54 day", "deadline: 1 s")
    found = answer(need_from(text), load_catalog(), 10)
    assert found.sentences[0] == "no candidate can be made for this need"
    assert found.reasons
    assert all(
        reason.endswith("no number of GPUs fits the model and its deadline") for reason in found.reasons
    )


@pytest.fixture
def no_scene(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no design become a scene."""

    def refused(*_: object) -> None:
        raise DesignError("its hall is too small")

    monkeypatch.setattr(design_folder, "scene_of_design", refused)


@pytest.mark.usefixtures("no_scene")
def test_designs_without_scenes_are_told_as_that(tmp_path: Path) -> None:
    found = answered("lab-16-to-256", 40, 2)
    made = scenes_of(found, load_catalog())
    assert len(made.left_out) == len(found.designs) == 2
    assert made.answer.sentences == ("2 designs keep all limits, but no scene of them passes its checks",)
    one = scenes_of(answered("lab-16-to-256", 40, 1), load_catalog())
    assert one.answer.sentences == ("1 design keeps all limits, but no scene of it passes its checks",)
    left = twin.design("lab-16-to-256", candidates=40, folder=tmp_path / "designs")
    assert not left.designs
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_there_is_refused_before_anything_is_screened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    monkeypatch.setattr(screening.Screening, "choices", lambda _: pytest.fail("was screened"))
    with pytest.raises(FileExistsError):
        twin.design("lab-16-to-256", folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]


def test_a_folder_that_is_interrupted_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = scenes_of(answered("vision-512", 10, 1), load_catalog())

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(design_folder, "answer_row", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_folder(made, tmp_path / "designs")
    assert not list(tmp_path.iterdir())
