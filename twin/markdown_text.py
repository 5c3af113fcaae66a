r"""The Markdown of chapters and lessons: read into blocks of spans, which each surface writes in its own way.

It has paragraphs, headings (``#`` to ``###``), lists (``-`` and ``1.``, one level below), ``**strong**``,
``*emphasis*``, `` `code` ``, links, figures of the run in braces (``{site.gpu_max_c}``), and pictures on lines of
their own where the file may have them. A backslash takes the meaning from what follows it. HTML is refused: what
stands here is never markup of anything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from twin.shown_text import in_html, printable

ProseKind = Literal["paragraph", "heading", "bullet", "number", "picture"]

_HEADING = re.compile(r" {0,3}(#{1,3})\s+(.*?)\s*#*$")
_ITEM = re.compile(r"(\s*)(?:[-*+]|(\d{1,4})[.)])\s+(\S.*)$")
_PICTURE = re.compile(r"\s*!\[([^\[\]]*)\]\(([^()\s]+)\)\s*$")
_LISTS: Mapping[str, str] = {"bullet": "ul", "number": "ol"}
_NESTED = 2
"""Spaces before an item that stands below another."""
_INLINE = re.compile(
    r"""\\(?P<escaped>[\\`*_{}\[\]()#+\-.!<>])
    | `(?P<code>[^`]+)`
    | \*\*(?P<strong>(?=\S).+?(?<=\S))\*\*
    | (?<!\w)\*(?P<emphasis>(?=[^\s*]).+?(?<=[^\s*]))\*(?!\w)
    | (?<!\w)_(?P<underlined>(?=[^\s_]).+?(?<=[^\s_]))_(?!\w)
    | (?P<picture>!\[[^\[\]]*\]\([^()]*\))
    | \[(?P<words>[^\[\]]+)\]\((?P<target>[^()\s]*)\)
    | \{(?P<figure>[^{}\n]*)\}
    | (?P<html><[A-Za-z/!?])""",
    re.VERBOSE | re.DOTALL,
)
_MEANING = re.compile(r"[\\`*_{\[<]")
_BEGIN = re.compile(r"^(\s*\d{0,4})([#+\-.)])", re.MULTILINE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_SCHEMES = ("http:", "https:")
_FIGURE = re.compile(r"[a-z][A-Za-z0-9_.\-/]*(?: [A-Za-z0-9_.\-/]+)*")


class MarkdownError(ValueError):
    """A text is not of this Markdown.

    Attributes
    ----------
    line
        Of the text, from 1.
    found, reason, right
        What stands there, what is wrong with it, and what would be right.
    """

    def __init__(self, line: int, found: str, reason: str, right: str) -> None:
        super().__init__(f"line {line}: {printable(found)!r} {reason}; {right}")
        self.line, self.found, self.reason, self.right = line, found, reason, right


@dataclass(frozen=True)
class ProseSpan:
    """Words of one look.

    Attributes
    ----------
    link
        Where they lead, "" nowhere: an http(s) address, or a name without a scheme that the surface knows. It opens
        when a person clicks it, never by itself.
    figure
        The text is the name of a figure of the run, which the surface writes in its place.
    """

    text: str
    strong: bool = False
    emphasis: bool = False
    code: bool = False
    link: str = ""
    figure: bool = False


@dataclass(frozen=True)
class ProseBlock:
    """A paragraph, a heading, an item of a list or a picture.

    Attributes
    ----------
    level
        Of a heading 1 to 3; of an item 0, below another 1.
    number
        Of an item of a numbered list.
    picture
        Name of the file of a picture, whose spans are the words for those who do not see it.
    line
        Where it begins, from 1.
    """

    kind: ProseKind
    spans: tuple[ProseSpan, ...]
    level: int = 0
    number: int = 0
    picture: str = ""
    line: int = 1


def read_markdown(text: str, *, pictures: bool = False) -> tuple[ProseBlock, ...]:
    r"""Return the blocks of a text.

    Parameters
    ----------
    text
        What a file says.
    pictures
        Whether it may show pictures. Where their files may lie is for the caller to say.

    Raises
    ------
    MarkdownError
        With the line, and what would be right: for HTML, an unknown kind of link, or a picture where none may be.

    Examples
    --------
    >>> [(block.kind, [span.text for span in block.spans]) for block in read_markdown("Hot: **88** C.\n\n- one")]
    [('paragraph', ['Hot: ', '88', ' C.']), ('bullet', ['one'])]
    """
    return tuple(
        replace(block, spans=_joined(_spans(block.spans[0].text, block.line, ProseSpan(""))))
        if block.kind != "picture"
        else block
        for block in _blocks(text, pictures)
    )


def escaped(text: str) -> str:
    r"""Return words as a text in which none of them means anything.

    >>> escaped("*kv_cache* {x}"), escaped("- 3 %"), escaped("2. rack")
    ('\\*kv\\_cache\\* \\{x}', '\\- 3 %', '2\\. rack')
    """
    return _BEGIN.sub(r"\1\\\2", _MEANING.sub(r"\\\g<0>", text))


def figures_of(blocks: Iterable[ProseBlock]) -> tuple[str, ...]:
    """Return the names of the figures in a text, in its order."""
    return tuple(span.text for block in blocks for span in block.spans if span.figure)


def with_figures(blocks: Iterable[ProseBlock], value: Callable[[str], str]) -> tuple[ProseBlock, ...]:
    """Return blocks with words of `value` where the names of figures stand."""
    return tuple(
        replace(
            block,
            spans=tuple(
                replace(span, text=value(span.text), figure=False) if span.figure else span
                for span in block.spans
            ),
        )
        for block in blocks
    )


def in_plain(blocks: Iterable[ProseBlock]) -> str:
    r"""Return a text without any look, a line a block: for screen readers and captions.

    >>> in_plain(read_markdown("Look:\n\n1. the *pump*\n2. the rack"))
    'Look:\n1. the pump\n2. the rack'
    """
    lines = []
    for block in blocks:
        words = printable("".join(span.text for span in block.spans))
        mark = f"{block.number}. " if block.kind == "number" else "- " if block.kind == "bullet" else ""
        lines.append(f"{'  ' * block.level if mark else ''}{mark}{words}")
    return "\n".join(lines)


def as_html(blocks: Iterable[ProseBlock], *, heading: int = 3) -> str:
    """Return a text as HTML of our own making, each word of the file escaped; pictures are their words.

    Parameters
    ----------
    blocks
        Figures stand in it by now.
    heading
        Level of its first headings.

    Examples
    --------
    >>> as_html(read_markdown("a < b, **so** it is"))
    '<p>a &lt; b, <strong>so</strong> it is</p>'
    """
    made, lists = list[str](), list[str]()  # the lists that are open, each with an open item

    def close(depth: int, keep: str = "") -> None:
        while len(lists) > depth or (len(lists) == depth > 0 and lists[-1] != keep):
            made.append(f"</li></{lists.pop()}>")

    for block in blocks:
        words = "".join(map(_span_html, block.spans))
        if block.kind in _LISTS:
            listed, depth = _LISTS[block.kind], block.level + 1
            close(depth, listed)
            made.append("</li>" if len(lists) == depth else f"<{listed}>")
            lists += [listed] * (depth - len(lists))
            made.append(f'<li value="{block.number}">{words}' if listed == "ol" else f"<li>{words}")
            continue
        close(0)
        tag = f"h{min(heading + block.level - 1, 6)}" if block.kind == "heading" else "p"
        made.append(f"<{tag}>{words}</{tag}>")
    close(0)
    return "".join(made)


def _span_html(span: ProseSpan) -> str:
    words = in_html(span.text)
    for shown, tag in ((span.code, "code"), (span.emphasis, "em"), (span.strong, "strong")):
        words = f"<{tag}>{words}</{tag}>" if shown else words
    return f'<a href="{in_html(span.link)}">{words}</a>' if span.link.lower().startswith(_SCHEMES) else words


def _blocks(text: str, pictures: bool) -> Iterator[ProseBlock]:
    """Yield blocks with their raw words as one span."""
    held: ProseBlock | None = None
    listed = False  # the last block was an item, so another can stand below it
    for number, line in enumerate(text.splitlines(), 1):
        begun = _begun(line, number, pictures)
        if begun is None and line.strip() and held is not None:  # it goes on
            held = replace(held, spans=(ProseSpan(f"{held.spans[0].text}\n{line.strip()}"),))
            continue
        if held is not None:
            yield held
        held = begun or (
            ProseBlock("paragraph", (ProseSpan(line.strip()),), line=number) if line.strip() else None
        )
        if held is not None:
            held = held if listed or held.kind not in _LISTS else replace(held, level=0)
            listed = held.kind in _LISTS
        if held is not None and held.kind in ("heading", "picture"):
            yield held
            held = None
    if held is not None:
        yield held


def _begun(line: str, number: int, pictures: bool) -> ProseBlock | None:
    """Return the block that begins with a line that says so; None for words."""
    if heading := _HEADING.match(line):
        return ProseBlock("heading", (ProseSpan(heading[2]),), len(heading[1]), line=number)
    if item := _ITEM.match(line):
        below = len(item[1].expandtabs(4)) >= _NESTED
        if item[2]:
            return ProseBlock("number", (ProseSpan(item[3]),), int(below), int(item[2]), line=number)
        return ProseBlock("bullet", (ProseSpan(item[3]),), int(below), line=number)
    if picture := _PICTURE.match(line):
        if not pictures:
            raise MarkdownError(number, picture[0].strip(), "is a picture", "this text has words alone")
        if _SCHEME.match(picture[2]):
            raise MarkdownError(number, picture[2], "is not a file beside this one", "write its name alone")
        return ProseBlock("picture", (ProseSpan(picture[1]),), picture=picture[2], line=number)
    return None


def _spans(text: str, line: int, look: ProseSpan) -> Iterator[ProseSpan]:
    """Yield the spans of a text that has the look of what is round it."""
    at = 0
    for found in _INLINE.finditer(text):
        yield replace(look, text=text[at : found.start()])
        yield from _piece(found, line + text.count("\n", 0, found.start()), look)
        at = found.end()
    yield replace(look, text=text[at:])


def _piece(found: re.Match[str], line: int, look: ProseSpan) -> Iterator[ProseSpan]:
    emphasis = found["emphasis"] or found["underlined"]
    if found["html"]:
        raise MarkdownError(line, found["html"], "begins HTML", "write \\< for the sign itself")
    if found["picture"]:
        raise MarkdownError(line, found["picture"], "is a picture among words", "give it a line of its own")
    if found["escaped"]:
        yield replace(look, text=found["escaped"])
    elif found["code"]:
        yield replace(look, text=found["code"], code=True)
    elif found["strong"] and not look.strong:
        yield from _spans(found["strong"], line, replace(look, strong=True))
    elif emphasis and not look.emphasis:
        yield from _spans(emphasis, line, replace(look, emphasis=True))
    elif found["words"] and not look.link:
        yield from _spans(found["words"], line, replace(look, link=_target(found["target"], line)))
    elif found["figure"] is not None:
        yield replace(look, text=_figure(found["figure"], line), figure=True)
    else:
        yield replace(look, text=found[0])


def _target(target: str, line: int) -> str:
    scheme = _SCHEME.match(target)
    if not target or (scheme and scheme[0].lower() not in _SCHEMES):
        raise MarkdownError(line, target, "leads nowhere", "write an address that begins with https://")
    return target


def _figure(name: str, line: int) -> str:
    if not _FIGURE.fullmatch(name):
        raise MarkdownError(
            line,
            f"{{{name}}}",
            "names no figure",
            "write it like {site.gpu_max_c}, or \\{ for the brace itself",
        )
    return name


def _joined(spans: Iterable[ProseSpan]) -> tuple[ProseSpan, ...]:
    """Return spans of one look as one, line ends as spaces."""
    made: list[ProseSpan] = []
    for span in spans:
        words = span.text.replace("\n", " ")
        if made and not span.figure and replace(made[-1], text="") == replace(span, text=""):
            made[-1] = replace(span, text=made[-1].text + words)
        elif words:
            made.append(replace(span, text=words))
    return tuple(made)
