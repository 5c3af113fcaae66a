"""The pages of the help, read from assets/help in the order of its contents, and what their links lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath

from twin.language import tr
from twin.resources import folder

START = "index.md"
KEYS = "keys.md"
"""The page of the keys: no file, it is made of the actions of the window."""
WHY_FIGURES_CHANGED = "why-figures-changed.md"

_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_LINK = re.compile(r"^- \[[^\]]+\]\(([^)#\s]+\.md)\)", re.MULTILINE)
_API = re.compile(r"^::: (\S+)$", re.MULTILINE)
_HEADING = re.compile(r"^(#{1,6}) (.+)$")


@dataclass(frozen=True)
class HelpPage:
    """A page of the help.

    Parameters
    ----------
    name
        Path in assets/help, with slashes.
    text
        Markdown, without what only the site of the help needs.
    group
        Heading of the contents under which it stands, "" for the contents themselves.
    depth
        1 for a page below the one before it, such as a decision; 0 for others.
    """

    name: str
    title: str
    text: str
    group: str = ""
    depth: int = 0

    def sections(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield heading, anchor and lines of each section, the one of the title first."""
        heading, lines, fenced = self.title, [], False
        anchors: dict[str, int] = {}
        anchor = ""
        for line in self.text.splitlines():
            fenced ^= line.startswith("```")
            found = None if fenced else _HEADING.match(line)
            if found is None:
                lines.append(line)
                continue
            if lines or anchor:
                yield heading, anchor, lines
            heading, lines = _unmarked(found[2]), []
            anchor = next_anchor(heading, anchors)
        yield heading, anchor, lines

    @cached_property
    def headings(self) -> str:
        """The words of its headings, from which tables of definitions are left out."""
        return " ".join(heading for heading, _, _ in self.sections())


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading, the same as on the site of the help.

    >>> anchor_of("jobs.workload (llm-training)")
    'jobsworkload-llm-training'
    """
    bare = re.sub(r"[^\w\s-]", "", heading).strip().lower()
    return re.sub(r"[-\s]+", "-", bare)


def next_anchor(heading: str, taken: dict[str, int]) -> str:
    """Return the anchor of the next heading of a page; of headings with one text the second has "_1".

    Parameters
    ----------
    taken
        How often each text was an anchor so far; counted on.
    """
    anchor = anchor_of(heading)
    before = taken.get(anchor, 0)
    taken[anchor] = before + 1
    return f"{anchor}_{before}" if before else anchor


def plain(line: str) -> str:
    r"""Return a line of Markdown as it reads: no links, emphasis or lines of tables.

    >>> plain("| `cap` | see [faults](faults.md), **now** | 3 \| 4 |")
    'cap  ·  see faults, now  ·  3 | 4'
    """
    line = line.strip()
    if line.startswith("|"):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
        line = "  \N{MIDDLE DOT}  ".join(cell for cell in cells if cell.strip("-"))
    return _unmarked(re.sub(r"^(?:#+|[-*]|>|\d+\.) +", "", line))


def _unmarked(words: str) -> str:
    words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", words)
    return re.sub(r"\*\*|`|\\(?=[*<\[|_])", "", words)


def resolve(page: str, link: str) -> str:
    """Return what a link of a page leads to, as a path in assets/help: nothing of it is opened.

    >>> resolve("decisions/index.md", "../faults.md"), resolve("index.md", "../../secret")
    ('faults.md', '../../secret')
    """
    return normpath(join(dirname(page), link)) if link else page


@cache
def pages() -> Mapping[str, HelpPage]:
    """Return all pages by name, in the order of the contents.

    Raises
    ------
    FileNotFoundError
        When the installation lacks the help.
    """
    files = {name: file for name, file in _files(folder("assets") / "help") if name.endswith(".md")}
    contents = _read(files[START])
    made = {START: HelpPage(START, tr("Contents"), contents)}
    group = ""
    for line in contents.splitlines():
        if line.startswith("## "):
            group = line.removeprefix("## ")
        elif (found := _LINK.match(line)) is not None and found[1] in files:
            name = found[1]
            made[name] = _page(name, files[name], group)
            for below in sorted(files) if name.endswith("/index.md") else ():
                if dirname(below) == dirname(name) and below != name:
                    made[below] = _page(below, files[below], group, depth=1)
    return made


def picture(name: str) -> bytes | None:
    """Return a drawing of the help (SVG) by its path in assets/help; None for everything else."""
    return _drawings().get(name)


@cache
def _drawings() -> Mapping[str, bytes]:
    return {
        name: file.read_bytes() for name, file in _files(folder("assets") / "help") if name.endswith(".svg")
    }


def _files(root: Traversable, at: str = "") -> Iterator[tuple[str, Traversable]]:
    for file in root.iterdir():
        if file.is_dir():
            yield from _files(file, f"{at}{file.name}/")
        else:
            yield f"{at}{file.name}", file


def _read(file: Traversable) -> str:
    text = _COMMENT.sub("", file.read_text(encoding="utf-8"))
    # The site writes the docstrings there; here they are named.
    return _API.sub(lambda found: f"- `{found[1]}`", text)


def _page(name: str, file: Traversable, group: str, depth: int = 0) -> HelpPage:
    text = _read(file)
    title = next(line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))
    return HelpPage(name, _unmarked(title), text, group, depth)
