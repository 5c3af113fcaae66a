"""Texts of a lesson in the window: escaped, pictures from its own folder alone, HTML as it stands."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLabel

from twin.app.teach.markdown_view import MarkdownView, blocks_in_html
from twin.app.teach.question_form import QuestionForm, number_typed
from twin.app.teach.review import Review
from twin.app.teach.said import solved_said, why_said
from twin.app.teach.step_page import StepPage
from twin.app.toolkit.look import Look
from twin.lessons.attempt import Attempt
from twin.lessons.handout import handout
from twin.lessons.judgement import bound_of, judge, value_words
from twin.lessons.lesson_check import check_lesson
from twin.lessons.lesson_file import lesson_from
from twin.lessons.measure import LedgerMeasure
from twin.lessons.schema import NumberQuestion
from twin.markdown_text import read_markdown

LAB = Path(__file__).parents[1] / "lessons" / "lab.twin-lesson.yaml"


def test_words_of_a_file_are_escaped_and_figures_are_not_names() -> None:
    made = blocks_in_html(
        read_markdown("a < b & [c](https://example.org/?a=1&b=2) is {hot}"),
        lambda name: f"<i>{name}</i>",
        "#123456",
    )
    assert "a &lt; b &amp; " in made
    assert 'href="https://example.org/?a=1&amp;b=2"' in made
    assert "<i>hot</i>" in made


def test_html_is_shown_as_it_stands_and_pictures_lie_in_the_folder(
    qapp: QApplication, tmp_path: Path
) -> None:
    look = Look(qapp, "dark")
    inside, outside = tmp_path / "lesson", tmp_path / "out.png"
    inside.mkdir()
    picture = QImage(20, 10, QImage.Format.Format_RGB32)
    assert picture.save(str(inside / "in.png"))
    assert picture.save(str(outside))
    view = MarkdownView(look, inside)
    view.show_text("It is <b>bold</b>.")
    assert [each.text() for each in view.findChildren(QLabel)] == ["It is <b>bold</b>."]
    view = MarkdownView(look, inside)
    view.show_text("![a hall](in.png)\n\n![no hall](../out.png)")
    shown, missing = view.findChildren(QLabel)
    assert shown.pixmap().size() == picture.size()
    assert missing.pixmap().isNull()
    assert missing.text() == "no hall"
    look.close()


def test_numbers_may_have_a_comma() -> None:
    assert number_typed("1,5") == 1.5
    assert number_typed("\N{MINUS SIGN}2 000") == -2000.0
    assert number_typed("nan") is None
    assert number_typed("1.234,5") == 1234.5
    assert number_typed("1,234.5") == 1234.5


def test_figures_of_the_window_can_be_typed_in_again(qapp: QApplication) -> None:
    for value, unit in ((1234.0, "GPU h"), (1500.0, "steps"), (12340.0, "GPUs"), (-0.0125, "")):
        words = value_words(value, unit)
        assert number_typed(words.removesuffix(unit)) == value
        measure = LedgerMeasure(kind="ledger", accounts=("productive",))
        if unit == measure.unit:
            assert bound_of(words, measure) == value
    question = NumberQuestion(kind="number", ask="?", right=1.0, too_low="low", too_high="high")
    for given in (12345.67, 1234567.0):
        assert QuestionForm(question, given).answer == given
    form = QuestionForm(question, None)
    assert form.field is not None
    form.field.setText("1,234")
    assert form.read.text() == "Read as 1.234"


def test_words_that_are_no_markdown_are_said_as_they_stand(qapp: QApplication) -> None:
    look = Look(qapp, "dark")
    text = LAB.read_text().replace(
        "solved: A cap lowers the clocks, not the number of GPUs.", 'solved: "It drew {power}, *no* more."'
    )
    text = text.replace("- text: IT power at most 15 kW", '- text: "*IT_power* {at} most"')
    attempt = Attempt(lesson_from(text, LAB.name, LAB.parent), "anna")
    attempt.go(2)
    page = StepPage(look, attempt)
    verdict = judge(attempt.step, attempt.evidence(attempt.document().scenario, None, 0.0))
    page.show_said(solved_said(attempt))
    page.show_review(Review(verdict, {"power": "12 kW"}, 0.0))
    assert page.said.text.words == "It drew 12 kW, no more."
    look.choose("light")
    page.write_again()
    (shown,) = (each.text() for each in page.said.text.findChildren(QLabel))
    assert look.theme.warning in shown
    page.show_said(why_said(attempt, verdict))
    assert page.said.text.words.startswith(attempt.step.conditions[0].text)
    look.close()


def test_a_handout_shows_questions_as_the_window_does() -> None:
    text = LAB.read_text().replace("What is the IT power now, in kW?", "'What is the *IT power*, now {x}?'")
    page = handout(lesson_from(text, LAB.name, LAB.parent))
    assert "What is the <em>IT power</em>, now \N{HORIZONTAL ELLIPSIS}" in page


def test_names_in_all_that_is_said_are_checked() -> None:
    text = LAB.read_text()
    for said, key in (
        ("Heat follows power.", "steps[cap].hints[0].text"),
        ("A cap of 690 W is more than the GPUs draw; little changes.", "steps[cap].mistakes[0].why"),
        ("It is more.", "steps[figure].question.too_low"),
        ("What is the IT power now, in kW?", "steps[figure].question.ask"),
    ):
        wrong = text.replace(said, f'"It is {{nothing}} {said}"')
        told = check_lesson(lesson_from(wrong, LAB.name, LAB.parent))
        assert [problem.key for problem in told if "shows {nothing}" in problem.reason] == [key]
