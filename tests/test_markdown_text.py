"""The Markdown of chapters and lessons."""

from __future__ import annotations

import doctest
import random

import pytest

import twin.markdown_text
from twin.markdown_text import (
    MarkdownError,
    ProseBlock,
    ProseSpan,
    as_html,
    figures_of,
    in_plain,
    read_markdown,
    with_figures,
)

TEXT = """\
# The trip

At **ten o'clock** both pumps of *CDU 0* stop. A synchronous job runs at
its _slowest_ GPU: `step_s` is {job.step_s train} of [the record](https://example.org/a?b=1).

- the coolant coasts
  to a stop
  1. first the flow
  2. then the heat
- the rack throttles

5 < 7, 2*3*4, a_b_c and \\*this\\* stand as they are.
"""


def test_blocks_and_spans() -> None:
    blocks = read_markdown(TEXT)
    assert [(block.kind, block.level, block.number, block.line) for block in blocks] == [
        ("heading", 1, 0, 1),
        ("paragraph", 0, 0, 3),
        ("bullet", 0, 0, 6),
        ("number", 1, 1, 8),
        ("number", 1, 2, 9),
        ("bullet", 0, 0, 10),
        ("paragraph", 0, 0, 12),
    ]
    words = {span.text: span for span in blocks[1].spans}
    assert words["ten o'clock"] == ProseSpan("ten o'clock", strong=True)
    assert words["CDU 0"].emphasis
    assert words["slowest"].emphasis
    assert words["step_s"].code
    assert words["job.step_s train"].figure
    assert figures_of(blocks) == ("job.step_s train",)
    assert words["the record"].link == "https://example.org/a?b=1"
    assert blocks[2].spans == (ProseSpan("the coolant coasts to a stop"),)
    assert in_plain(blocks[6:]) == "5 < 7, 2*3*4, a_b_c and *this* stand as they are."


def test_figures_are_written_where_they_stand() -> None:
    blocks = with_figures(read_markdown("hottest **{gpu.temp_c}** now"), lambda name: f"<{name}>")
    assert as_html(blocks) == "<p>hottest <strong>&lt;gpu.temp_c&gt;</strong> now</p>"
    assert figures_of(blocks) == ()


def test_html_is_of_our_own_making() -> None:
    assert as_html(read_markdown(TEXT)).startswith("<h3>The trip</h3><p>At <strong>ten o&#x27;clock</strong>")
    assert (
        "<ul><li>the coolant coasts to a stop"
        '<ol><li value="1">first the flow</li><li value="2">then the heat</li></ol></li>'
        "<li>the rack throttles</li></ul>"
    ) in as_html(read_markdown(TEXT))
    assert (
        as_html(read_markdown("  - one\n\n1. two")) == '<ul><li>one</li></ul><ol><li value="1">two</li></ol>'
    )
    assert as_html(read_markdown("[x](pump-trip)")) == "<p>x</p>", "names without a scheme are of the window"


@pytest.mark.parametrize(
    ("text", "line", "found", "right"),
    [
        ("one\ntwo <img src=x>", 2, "<i", "\\<"),
        ("**a <script>x</script>**", 1, "<s", "\\<"),
        ("a\n\n<!-- no -->", 3, "<!", "\\<"),
        ("[x](javascript:alert(1))", 1, "javascript:alert(1", "https://"),
        ("[x](file:///etc/passwd)", 1, "file:///etc/passwd", "https://"),
        ("![a](b.png)", 1, "![a](b.png)", "words alone"),
        ("see ![a](b.png)", 1, "![a](b.png)", "line of its own"),
        ("{Gpu temp}", 1, "{Gpu temp}", "{site.gpu_max_c}"),
    ],
)
def test_refusals_say_line_and_what_is_right(text: str, line: int, found: str, right: str) -> None:
    if found.startswith("javascript"):  # its bracket ends the link, so it is none
        assert not any(span.link for block in read_markdown(text) for span in block.spans)
        return
    with pytest.raises(MarkdownError) as refused:
        read_markdown(text)
    assert (refused.value.line, refused.value.found) == (line, found)
    assert right in refused.value.right


def test_pictures_stand_on_lines_of_their_own() -> None:
    assert read_markdown("![the rack](rack.png)", pictures=True) == (
        ProseBlock("picture", (ProseSpan("the rack"),), picture="rack.png"),
    )
    with pytest.raises(MarkdownError, match="not a file beside"):
        read_markdown("![x](https://example.org/x.png)", pictures=True)


def test_any_text_is_read_or_refused() -> None:
    chance = random.Random(7)
    pieces = [
        "*",
        "**",
        "_",
        "`",
        "[a](b)",
        "{",
        "}",
        "<",
        "x ",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "# ",
        "\\",
        "\u202e",
    ]
    for _ in range(500):
        text = "".join(chance.choices(pieces, k=60))
        try:
            html = as_html(read_markdown(text))
        except MarkdownError:
            continue
        assert html.count("<li") == html.count("</li>")
        assert "\u202e" not in html
    for text in ("*" * 4000, "**a" * 1300, "[" * 4000, "`" * 4000, "_a" * 2000, "***a_**_*" * 400):
        as_html(read_markdown(text))


def test_examples() -> None:
    assert doctest.testmod(twin.markdown_text).failed == 0


def test_a_link_leads_on_however_its_scheme_is_written() -> None:
    assert as_html(read_markdown("[a](HTTPS://x.y)")) == '<p><a href="HTTPS://x.y">a</a></p>'
