"""A page of ours in the HTML that Qt lays out: no grids, no variables, drawings and pictures by name beside it."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser

from twin.report.style import PAPER

FAMILIES = ("Inter", "Noto Sans", "DejaVu Sans", "Liberation Sans", "Arial", "Helvetica", "sans-serif")
CARDS_ABREAST = 4
_SMALL = 0.62
"""Of the width of the text, of a picture beside others on its page."""
KEEP = "keep"
"""Anchor of a paragraph that what follows stays with."""
PAGE_OF = "000"
"""Before the key of a heading: its page, once that is known."""
PAPER_STYLE = f"""
p{{margin-top:3px;margin-bottom:5px}} h1{{font-size:24px;margin-top:2px;margin-bottom:4px}}
h2{{font-size:16px;margin-top:16px;margin-bottom:5px}} h3{{font-size:13px;margin-top:10px;margin-bottom:4px}}
h2.part{{font-size:20px;margin-top:0px}} h2.flows{{margin-top:24px}} .badge{{font-size:10px;font-weight:bold}}
table{{font-size:10.5px}} th{{text-align:left;font-weight:normal}} thead th{{font-weight:bold;color:{PAPER["quiet"]}}}
.num{{text-align:right}} .figure,.figures tbody th{{white-space:nowrap}}
.note,.lead,.caption,.reader{{color:{PAPER["quiet"]}}} .note,.caption{{font-size:10.5px}}
.head{{font-size:12px;font-weight:bold;margin-top:8px;margin-bottom:2px}}
.reader{{font-size:12px;font-weight:normal}} .unknown{{color:{PAPER["quiet"]};font-style:italic}}
.mono{{font-family:"DejaVu Sans Mono";font-size:9px}}
.bad{{color:{PAPER["bad"]};font-weight:bold}} .warn{{color:{PAPER["warn"]};font-weight:bold}}
.good{{color:{PAPER["good"]};font-weight:bold}}
.name{{color:{PAPER["quiet"]};font-size:10px;margin-top:0px;margin-bottom:0px}}
.value{{font-size:15px;font-weight:bold;margin-top:0px;margin-bottom:1px}} .asked{{font-weight:bold}}
.wide td,.wide th{{font-size:8.5px}} a{{color:#000000;text-decoration:none}}
"""
_SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_VIEW = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_CLASS = re.compile(r'<(\w+)((?: [\w-]+="[^"]*")*?) class="([^"]*)"')
_LONG_WORD = re.compile(r"[0-9a-f]{8}(?=[0-9a-f])")
_DATA = re.compile(r"data:image/png;base64,(.*)", re.DOTALL)
_DRAWN = {
    "grid": f'stroke="{PAPER["hair"]}"',
    "axis": f'stroke="{PAPER["faint"]}"',
    "limit": f'stroke="{PAPER["bad"]}" stroke-width="1.2" stroke-dasharray="7 4"',
    "mark": f'stroke="{PAPER["bad"]}" stroke-opacity="0.45"',
    "whisker": f'stroke="{PAPER["ink"]}" stroke-width="1.5"',
    "gap": 'stroke="#ffffff" stroke-width="3"',
    "thread": f'stroke="{PAPER["quiet"]}" stroke-dasharray="2 3"',
    "line": 'fill="none" stroke-width="1.6" stroke-linejoin="round"',
    "band": 'stroke="none" fill-opacity="0.22"',
    "strong": f'fill="{PAPER["ink"]}"',
    "title": f'fill="{PAPER["ink"]}" font-weight="bold"',
    "fq": f'fill="{PAPER["faint"]}"',
    "fgood": f'fill="{PAPER["good"]}"',
    "fbad": f'fill="{PAPER["bad"]}"',
    "hollow": f'fill="#ffffff" stroke="{PAPER["ink"]}" stroke-width="1.5"',
    "full": f'fill="{PAPER["ink"]}" stroke="{PAPER["ink"]}" stroke-width="1.5"',
    **{f"l{n}": f'stroke="{PAPER[f"c{n}"]}"' for n in range(1, 5)},
    **{f"f{n}": f'fill="{PAPER[f"c{n}"]}"' for n in range(1, 5)},
}
"""What the classes of drawings come to on paper."""
_DROPPED = frozenset(("head", "style", "title", "footer"))
_KEPT = frozenset(
    ("h1", "h3", "p", "b", "i", "br", "ul", "ol", "li", "span", "sub", "sup", "strong", "em", "code", "pre")
)
_CELLS = frozenset(("thead", "tbody", "tr"))


@dataclass
class PaperPage:
    """A page for Qt.

    Attributes
    ----------
    title
        Of the document.
    html
        Of the page; an image stands alone in its paragraph.
    drawings, images
        SVG and PNG by the names that the page has for them.
    contents
        Keys of what the contents list, in order.
    second
        Key of the second part, which the contents come before; "": there is none.
    later
        Keys of the parts after it.
    """

    title: str
    html: str
    drawings: dict[str, str] = field(default_factory=dict)
    images: dict[str, bytes] = field(default_factory=dict)
    contents: list[str] = field(default_factory=list)
    second: str = ""
    later: list[str] = field(default_factory=list)


def paper_page(html: str, wide_px: int) -> PaperPage:
    """Return a page of ours for Qt, with drawings and pictures as wide as its lines [px]."""
    drawings: dict[str, str] = {}
    sizes: dict[str, tuple[float, float]] = {}

    def taken(found: re.Match[str]) -> str:
        name = f"drawing:{len(drawings)}"
        drawings[name] = _plain(found.group())
        view = _VIEW.search(found.group())
        wide, high = (float(side) for side in view.groups()) if view else (16.0, 9.0)
        sizes[name] = (wide_px, wide_px * high / wide)
        return f'<img src="{name}">'

    reader = _Reader(_SVG.sub(taken, html), wide_px, sizes)
    return PaperPage(
        reader.title,
        "".join(reader.out),
        drawings,
        reader.images,
        reader.contents,
        reader.second,
        reader.later,
    )


def _plain(svg: str) -> str:
    """Return a drawing whose classes are written out, for they come from the style sheet of the page."""

    def dressed(found: re.Match[str]) -> str:
        name, before, classes = found.groups()
        drawn = " ".join(_DRAWN.get(word, "") for word in classes.split())
        return f"<{name}{before} {drawn}"

    svg = re.sub(r"<title>.*?</title>", "", svg, flags=re.DOTALL)
    plain = re.sub(r"<text(?![^>]*class=\"[^\"]*(?:strong|title))", f'<text fill="{PAPER["quiet"]}"', svg)
    families = "'" + "','".join(FAMILIES[:3]) + "'"
    root = f'<svg xmlns="http://www.w3.org/2000/svg" font-family="{families}" font-size="12"'
    return _CLASS.sub(dressed, plain).replace("<svg", root, 1)


class _Reader(HTMLParser):
    """Rewrites a page of ours, element by element."""

    def __init__(self, html: str, wide_px: int, sizes: dict[str, tuple[float, float]]) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.out: list[str] = []
        self.images: dict[str, bytes] = {}
        self.contents: list[str] = []
        self.second = ""
        self.later: list[str] = []
        self._wide_px, self._sizes = wide_px, sizes
        self._whole = self.out
        self._listed: list[str] = []
        self._has_parts = 'class="part"' in html
        self._table = 0
        self._captioned: list[str] = []
        self._open: list[tuple[str, str]] = []
        self._dropped: list[str] = []
        self._anchor = ""
        self._cards = 0
        self._parts = 0
        self.feed(html)
        self.close()
        self._list_contents()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attrs}
        classes = found.get("class", "")
        if tag in ("meta", "link", "hr"):
            return
        if tag == "img":
            self._image(found)
            return
        if tag == "br":
            self._say("<br>")
            return
        if tag in _DROPPED:
            self._dropped.append(tag)
        begin, end = self._wrapped(tag, classes, found)
        self._say(begin)
        self._open.append((tag, end))

    def handle_endtag(self, tag: str) -> None:
        _, end = self._open.pop()
        self._say(end)
        if tag in _DROPPED:
            self._dropped.pop()
        elif tag == "nav":
            self.out = self._whole
            if not self._has_parts:
                self._list_contents()
        elif tag == "caption":
            self.out = self._whole
            self.out.insert(
                self._table, f'<p class="head"><a name="{KEEP}"></a>{"".join(self._captioned)}</p>'
            )

    def handle_data(self, data: str) -> None:
        if self._dropped[-1:] == ["title"]:
            self.title += data
        if any("mono" in end for _, end in self._open):
            data = _LONG_WORD.sub(lambda piece: f"{piece.group()}\N{ZERO WIDTH SPACE}", data)
        self._say(escape(data))

    def _say(self, text: str) -> None:
        if not self._dropped:
            self.out.append(text)

    def _wrapped(self, tag: str, classes: str, found: dict[str, str]) -> tuple[str, str]:
        """Return what stands for the begin and the end of an element."""
        css = f' class="{classes}"' if classes else ""
        within = [name for name, _ in self._open]
        if tag == "section":
            self._anchor = found.get("id", "")
            return "", ""
        if tag == "h2":
            anchor, self._anchor = self._anchor, ""
            if classes == "part":
                self._parts += 1
                if self._parts == 2:
                    self._list_contents()
                    self.second = anchor
                elif self._parts > 2:
                    self.later.append(anchor)
            return f'<h2{css}><a name="{escape(anchor)}"></a>', "</h2>"
        if tag == "dl":
            self._cards = 0
            if classes == "cards":
                return '<table width="100%" cellspacing="0" cellpadding="5" border="0"><tr>', "</tr></table>"
            return "", ""
        if tag == "div" and within[-1:] == ["dl"]:
            return self._card()
        if tag in ("dt", "dd"):
            name = ("name", "value") if self._in_cards() else ("asked", "")
            return f'<p class="{name[tag == "dd"]}">', "</p>"
        if tag == "nav":
            self.out = self._listed
            return "", ""
        if "nav" in within:
            return self._link(found, within) if tag == "a" else ("", "")
        if tag == "table":
            self._table = len(self.out)
            width = "" if classes == "facts" else ' width="100%"'
            return f'<table{width}{css} cellspacing="0" cellpadding="3" border="0">', "</table>"
        if tag in ("th", "td"):
            align = ' align="right"' if "num" in classes.split() else ' align="left"'
            line = f' style="border-bottom:1px solid {PAPER["hair"]}"'
            return f"<{tag}{css}{align}{line}>", f"</{tag}>"
        if tag == "caption":
            self._captioned = self.out = []
            return "", ""
        if tag == "figcaption":
            return '<p class="caption">', "</p>"
        if tag in _CELLS or tag in _KEPT:
            return f"<{tag}{css}>", f"</{tag}>{'<!--mono-->' if classes == 'mono' else ''}"
        return "", ""

    def _in_cards(self) -> bool:
        return any(end == "</tr></table>" for name, end in self._open if name == "dl")

    def _card(self) -> tuple[str, str]:
        if not self._in_cards():
            return "", ""
        row = "</tr><tr>" if self._cards and self._cards % CARDS_ABREAST == 0 else ""
        self._cards += 1
        return f'{row}<td width="{100 // CARDS_ABREAST}%">', "</td>"

    def _link(self, found: dict[str, str], within: list[str]) -> tuple[str, str]:
        """Return a line of the contents, further in where it is of a part."""
        key = found.get("href", "").removeprefix("#")
        self.contents.append(key)
        inside = within.count("li") > 1
        name = (
            ("<td>\N{NO-BREAK SPACE}\N{NO-BREAK SPACE}\N{NO-BREAK SPACE}", "")
            if inside
            else ("<td><b>", "</b>")
        )
        return f"<tr>{name[0]}", f'{name[1]}</td><td align="right">{PAGE_OF}{escape(key)}.</td></tr>'

    def _list_contents(self) -> None:
        if self._listed:
            self.out += [
                "<h2>Contents</h2>",
                '<table width="100%" cellspacing="0" cellpadding="1" border="0">',
            ]
            self.out += [*self._listed, "</table>"]
            self._listed.clear()

    def _image(self, found: dict[str, str]) -> None:
        name = found.get("src", "")
        if (data := _DATA.fullmatch(name)) is not None:
            name = f"picture:{len(self.images)}"
            self.images[name] = base64.b64decode(data.group(1))
            across, down = _png_size(self.images[name])
            paper_px = self._wide_px * (_SMALL if found.get("class") == "small" else 1.0)
            self._sizes[name] = (paper_px, paper_px * down / across)
        wide, high = self._sizes.get(name, (0.0, 0.0))
        if wide:
            self._say(f'<p><img src="{escape(name)}" width="{wide:.0f}" height="{high:.0f}"></p>')


def _png_size(data: bytes) -> tuple[int, int]:
    """Return width and height of a PNG [px]; 16 x 9 of what is none."""
    wide, high = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    return (wide, high) if wide and high else (16, 9)
