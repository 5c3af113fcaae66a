"""Texts of a lesson in the window: escaped, pictures from its own folder alone, HTML as it stands."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLabel

from twin.app.teach.markdown_view import MarkdownView, blocks_in_html
from twin.app.teach.question_form import number_typed
from twin.app.toolkit.look import Look
from twin.markdown_text import read_markdown


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
    assert not shown.pixmap().isNull()
    assert missing.pixmap().isNull()
    assert missing.text() == "no hall"
    look.close()


def test_numbers_may_have_a_comma() -> None:
    assert number_typed("1,5") == 1.5
    assert number_typed("\N{MINUS SIGN}2 000") == -2000.0
    assert number_typed("nan") is None
