"""Reports on paper: pages with numbers, contents that tell them, nothing torn, whole files or none."""

from __future__ import annotations

import base64
import errno
import re
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSizeF
from PySide6.QtGui import QFont, QFontMetrics, QImage, QPainter, QTextDocument, QTextTable
from typer.testing import CliRunner

from twin.cli.app import app
from twin.report.charts import Bar, waterfall
from twin.report.markup import joined, number, table, tag
from twin.report.pages import ReportPart, document, report
from twin.report.paper import laid_out, pdf_bytes
from twin.report.paper_markup import PAPER_STYLE, paper_page
from twin.report.range_bars import RangeDot, range_dots
from twin.report.style import PAPER, STYLE

pytestmark = pytest.mark.usefixtures("qapp")
ROWS = [
    (f"cause {number}", "many words that go over two lines or more " * 4, f"{number} MW")
    for number in range(90)
]
CHART = waterfall([Bar("installed", 0.0, 9.0, "9", "whole"), Bar("left", 0.0, 4.0, "4", "left")], "way")


def parts() -> str:
    """Return a report whose second part is long."""
    long = table(("cause", "why", "power"), ROWS, right=1, caption="All causes")
    return report(
        "A hall",
        "simulated",
        [
            ReportPart("summary", "Summary", "for all", (("What?", "This."),), (("a", "Glance", CHART),)),
            ReportPart(
                "long", "Long", "for few", (("Why?", "So."),), (("b", "Causes", long), ("c", "After", "x"))
            ),
            ReportPart("last", "Last", "for one", (), (("d", "End", tag("p", "end")),)),
        ],
        "1",
    )


def test_short_parts_have_a_page_each() -> None:
    made = [
        ReportPart(f"p{n}", f"Part {n}", "", (), ((f"s{n}", "Section", tag("p", "x")),)) for n in range(4)
    ]
    laid = laid_out(report("Four", "lead", made, "1"))
    assert laid.pages == 4
    assert [laid.page_of[f"p{n}"] for n in range(4)] == [1, 2, 3, 4]
    assert laid.number_words(3) == "4 of 4"
    assert laid_out(document("One", "lead", [("a", "A", "x"), ("b", "B", "y")], "1")).pages == 1


def test_a_pdf_has_as_many_pages_and_the_contents_name_them() -> None:
    text = parts()
    laid, data = laid_out(text), pdf_bytes(text)
    assert data.startswith(b"%PDF-")
    assert data.rstrip().endswith(b"%%EOF")
    assert len(re.findall(rb"/Type /Page\b", data)) == laid.pages > 4
    titles = ["Summary", "Glance", "Long", "Causes", "After", "Last", "End"]
    keys = ["summary", "a", "long", "b", "c", "last", "d"]
    assert laid.contents() == [
        (title, str(laid.page_of[key])) for title, key in zip(titles, keys, strict=True)
    ]
    assert (laid.page_of["summary"], laid.page_of["long"], laid.page_of["last"]) == (1, 2, laid.pages)


def test_no_row_is_torn_and_heads_stand_on_every_page() -> None:
    laid = laid_out(parts())
    assert laid.torn_rows() == []
    first, second = (_ink(laid, number, 60, 88) for number in (2, 3))
    assert first == second, "the head of the table is repeated"
    assert _ink(laid, 2, 1040, 1110) != _ink(laid, 3, 1040, 1110), "the foot has the number of the page"


def _png(wide: int, high: int) -> str:
    image = QImage(wide, high, QImage.Format.Format_RGB32)
    image.fill(0x336699)
    data = QByteArray()
    device = QBuffer(data)
    device.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(device, "PNG")
    return f"data:image/png;base64,{base64.b64encode(bytes(data.data())).decode()}"


def _summary(lines: int, sections: int) -> str:
    picture = tag(
        "figure", tag("img", src=_png(320, 180), class_="small"), tag("figcaption", "The hall at work")
    )
    said = joined([tag("p", f"line {n}") for n in range(lines)])
    parts = [ReportPart("summary", "Summary", "", (), (("a", "Glance", joined([said, picture])),))]
    many = tuple((f"s{n}", f"Section {n}", tag("p", "x")) for n in range(sections))
    return report("A hall", "lead", [*parts, ReportPart("second", "Second", "", (), many)], "1")


def test_a_picture_is_made_smaller_to_stay_on_its_page_and_keeps_its_words() -> None:
    full, least = (laid_out(_summary(lines, 4)) for lines in (20, 33))
    (whole, _), (small, _) = (laid.drawn[0] for laid in (full, least))
    assert small.height() < whole.height()
    assert small.width() / small.height() == pytest.approx(whole.width() / whole.height())
    assert small.bottom() < least.high, "on the first page"
    assert least.torn_paragraphs() == []
    far = laid_out(_summary(42, 4)).drawn[0][0]
    assert far.top() > least.high, "as large as ever, on the next page"
    assert far.height() == pytest.approx(whole.height())


def test_a_picture_stays_on_the_page_that_it_fits_on_whatever_table_follows() -> None:
    """Its caption is kept with it and leads to no table: 300 px fit below 26 lines, not below 30."""
    drawing = tag("svg", tag("line", x1=0, x2=9, y1=0, y2=9), viewBox="0 0 820 300")
    rows = table(("a", "b"), [(f"row {n}", "1 MW") for n in range(6)])
    shown = joined([tag("figure", drawing, tag("figcaption", "What is seen")), rows])
    for lines, sheet in ((26, 0), (30, 1)):
        said = joined([tag("p", f"line {n}") for n in range(lines)])
        pieces = (("a", "Lines", said), ("b", "Picture", shown))
        laid = laid_out(report("Title", "lead", [ReportPart("p", "Part", "", (), pieces)], "1"))
        (place, _), (on,) = laid.drawn[0], laid.rows_by_page()
        assert place.top() // laid.high == sheet
        assert (laid.page_of["b"], laid.pages, on) == (sheet + 1, 2, [6])


def test_the_second_part_begins_below_contents_that_have_left_the_page_of_the_first() -> None:
    apart = laid_out(_summary(33, 6))
    assert (apart.page_of["summary"], apart.page_of["second"]) == (1, 2)
    assert apart.pages == 2, "no page of contents alone"
    beside = laid_out(_summary(2, 4))
    assert (beside.page_of["second"], beside.pages) == (2, 2)


def test_a_part_begins_below_what_would_be_alone_on_its_page() -> None:
    """No page is nearly empty; a part after a page that is well filled has one of its own."""

    def pages(rows: int) -> tuple[int, int]:
        long = table(("a", "b"), [(f"row {n}", "1 MW") for n in range(rows)])
        made = [
            ReportPart(f"p{n}", f"Part {n}", "", (), ((f"s{n}", "Section", tag("p", "x")),)) for n in range(3)
        ]
        made[1] = ReportPart("p1", "Part 1", "", (), (("s1", "Section", long),))
        laid = laid_out(report("Three", "lead", made, "1"))
        return laid.page_of["p2"], laid.pages

    assert pages(30) == (3, 3)
    assert pages(48) == (3, 3), "below the rest of the table"
    assert pages(80) == (4, 4)


def test_no_page_is_empty() -> None:
    """A note below a table that ends with its page begins the next one, and what ends with a page is the end."""
    for words, count in ((30, 29), (30, 45), (1, 37)):
        rows = [(f"row {n}", "many words " * words) for n in range(count)]
        body = joined(
            [table(("a", "b"), rows), tag("p", "a note", class_="note"), tag("h3", "x"), tag("p", "y")]
        )
        laid = laid_out(document("A", "b", [("c", "C", body)], "1"))
        assert set(range(laid.pages)) == laid.filled_pages(), (words, count)


def test_neither_lines_nor_rows_are_left_alone() -> None:
    words = "many words that go over more than one line of the paper " * 3
    for lines in (31, 34):
        body = joined(
            [*(tag("p", f"line {n}") for n in range(lines)), tag("ul", [tag("li", words) for _ in range(5)])]
        )
        assert laid_out(document("A", "b", [("c", "C", body)], "1")).torn_paragraphs() == []
    for count in range(43, 55):
        rows = [(f"row {n}", "1 MW") for n in range(count)]
        laid = laid_out(document("A", "b", [("c", "C", table(("a", "b"), rows))], "1"))
        assert laid.torn_rows() == []
        (pages,) = laid.rows_by_page()
        assert min(pages) >= 4, (count, pages)
        assert sum(pages) == count


def test_a_sheet_tells_how_far_down_it_is_filled() -> None:
    """Each line more takes as much of a sheet."""
    five, six, ten = (
        laid_out(document("A", "b", [("c", "C", joined([tag("p", "A line.")] * lines))], "1")).page_ends()[0]
        for lines in (5, 6, 10)
    )
    assert 0.0 < five < six < ten < 1.0
    assert ten - five == pytest.approx(5.0 * (six - five), rel=0.01)


def test_a_table_of_too_few_rows_is_not_torn() -> None:
    """Seven rows of six lines each, below so much text that only some of them would fit."""
    rows = [(f"row {number}", "many words " * 60) for number in range(7)]
    for lines in (30, 36, 42):
        above = joined([tag("p", "A line.") for _ in range(lines)])
        made = document("A", "b", [("c", "C", joined([above, table(("a", "b"), rows)]))], "1")
        assert laid_out(made).rows_by_page() == [[7]], lines


def _ink(laid, number: int, top: int, bottom: int) -> bytes:  # type: ignore[no-untyped-def]
    """Return a strip of a sheet, as painted at 96 dots an inch."""
    image = QImage(796, 1123, QImage.Format.Format_Grayscale8)
    image.fill(255)
    painter = QPainter(image)
    laid.paint(painter, number)
    painter.end()
    strip = image.copy(0, top, 796, bottom - top)  # lines of a multiple of four bytes have no padding
    assert min(bytes(strip.constBits())) < 128, "there is something"
    return bytes(strip.constBits())


def test_drawings_stay_drawings_in_the_colours_of_paper() -> None:
    dots = range_dots(
        [RangeDot("PUE", -1.0, 0.5, 2.0, "+0.5", True), RangeDot("x", 0.0, 0.0, 0.0, "0", False)], "apart"
    )
    page = paper_page(document("A", "b", [("c", "C", [CHART, dots])], "1"), 600)
    assert len(page.drawings) == 2
    for drawing in page.drawings.values():
        assert "class=" not in drawing
        assert "var(" not in drawing
        assert "viewBox=" in drawing
    assert page.drawings["drawing:1"].count("<circle") == 2
    assert "var(" not in PAPER_STYLE
    for name, colour in PAPER.items():
        assert f"--{name}:{colour}" in STYLE.partition("@media print")[2]


def test_text_of_others_stays_text() -> None:
    page = paper_page(document("<b>x</b>", "&lt;", [("a", "<i>", tag("p", "<script>1</script>"))], "1"), 600)
    assert "<script>" not in page.html
    assert "&lt;script&gt;" in page.html
    assert page.title == "<b>x</b>"


def test_a_report_is_written_as_pdf_and_not_over_another(tmp_path: Path) -> None:
    path = tmp_path / "lab.pdf"
    words = ["report", "lab-16", "--no-run", "-o"]
    runner = CliRunner()
    assert runner.invoke(app, [*words, str(path)], catch_exceptions=False).exit_code == 0
    assert path.read_bytes().startswith(b"%PDF-")
    for place, told in (
        (path, "exists already"),
        (tmp_path / "none" / "a.pdf", "no folder"),
        (tmp_path / "a.docx", "must end in .html"),
    ):
        said = runner.invoke(app, [*words, str(place)], catch_exceptions=False)
        assert said.exit_code == 2
        assert told in " ".join(said.stderr.split())
    assert sorted(file.name for file in tmp_path.iterdir()) == ["lab.pdf"]


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("twin.whole_file.os.fsync", full)
    path = tmp_path / "lab.pdf"
    said = CliRunner().invoke(app, ["report", "lab-16", "--no-run", "-o", str(path)], catch_exceptions=False)
    assert said.exit_code != 0
    assert "No space left" in said.stderr
    assert "Traceback" not in said.stderr
    assert list(tmp_path.iterdir()) == []


def test_hashes_may_break_and_numbers_may_not() -> None:
    page = paper_page(
        document("A", "b", [("c", "C", tag("span", "0123456789abcdef" * 4, class_="mono"))], "1"), 600
    )
    assert "01234567\N{ZERO WIDTH SPACE}89abcdef" in page.html
    assert (
        "\N{NO-BREAK SPACE}MW"
        in paper_page(document("A", "b", [("c", "C", joined(["1 MW"]))], "1"), 600).html
    )


def test_a_figure_stays_on_one_line_however_narrow_its_column() -> None:
    figure = "\N{MINUS SIGN}0.00328 USD"
    row = ("Energy cost", *(number(-0.00328, figure) for _ in range(6)), "yes, less, for less work done " * 3)
    heads = ("figure", *"ABCDEF", "significant")
    page = paper_page(document("A", "b", [("c", "C", table(heads, [row], right=7))], "1"), 680)
    laid = QTextDocument()
    laid.setDefaultStyleSheet(PAPER_STYLE)
    laid.setHtml(page.html)
    laid.setPageSize(QSizeF(680, 900))
    assert laid.pageCount() >= 1, "it is laid out"
    *_, found = (frame for frame in laid.rootFrame().childFrames() if isinstance(frame, QTextTable))
    lines = [
        found.cellAt(1, column).firstCursorPosition().block().layout().lineCount() for column in range(8)
    ]
    assert lines[1:7] == [1] * 6
    assert lines[7] > 1


def test_a_long_title_at_the_foot_leaves_room_for_the_page() -> None:
    font = QFont()
    font.setPixelSize(10)
    metrics = QFontMetrics(font)
    long = laid_out(document("Donaudampfschifffahrt" * 20, "b", [], "1")).foot_words(metrics)
    assert long.endswith("\N{HORIZONTAL ELLIPSIS} \N{MIDDLE DOT} simulated, not measured")
    assert metrics.horizontalAdvance(long) < 620
    assert laid_out(document("A hall", "b", [], "1")).foot_words(metrics).startswith("A hall \N{MIDDLE DOT}")
