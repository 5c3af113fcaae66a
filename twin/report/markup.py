"""HTML and SVG as text: all text but our own markup is escaped, so that no content of a file acts in a report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from twin.shown_text import in_html


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Child: TypeAlias = "str | Markup | int | float | Iterable[Child] | None"
_VOID = frozenset(
    ("br", "img", "meta", "link", "hr", "rect", "line", "circle", "path", "polyline", "polygon", "use")
)


def tag(name: str, /, *children: Child, **attributes: str | int | float | bool | None) -> Markup:
    """Return an element; children that are no `Markup` are escaped, attributes always.

    Parameters
    ----------
    name
        Of the element.
    attributes
        A trailing underscore is dropped (``class_``), others become dashes; None and False leave one out, True has no
        value.

    Examples
    --------
    >>> tag("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    attribute_text = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(
            f"<{name}{attribute_text}>"
            if name in ("br", "img", "meta", "link", "hr")
            else f"<{name}{attribute_text}/>"
        )
    return Markup(f"<{name}{attribute_text}>{joined(children)}</{name}>")


def joined(children: Iterable[Child]) -> Markup:
    """Return children one after the other, escaped where they are no markup."""
    return Markup("".join(_text(child) for child in children))


def number(value: float | int | None, text: str, figure: str | None = None) -> Markup:
    """Return a figure as people read it, with its exact value and its name for programs; None: unknown.

    >>> number(0.25, "25 %", "goodput")
    '<data value="0.25" data-figure="goodput">25 %</data>'
    """
    if value is None:
        return tag("span", "unknown", class_="unknown")
    return tag("data", text, value=repr(value), data_figure=figure)


def table(
    heads: Iterable[Child],
    rows: Iterable[Iterable[Child]],
    *,
    caption: str = "",
    right: int = 0,
    left: int = 0,
    class_: str | None = None,
) -> Markup:
    """Return a table; the first cell of each row names it, the last `left` are words, `right` before numbers."""
    heads = list(heads)
    first_word = len(heads) - left
    classes = ["num" if first_word - right <= k < first_word else None for k in range(len(heads))]
    head = tag(
        "tr", [tag("th", head_cell, scope="col", class_=classes[k]) for k, head_cell in enumerate(heads)]
    )
    body = []
    for row in rows:
        cells: list[Child] = [
            tag("th", cell, scope="row") if k == 0 else tag("td", cell, class_=_cell_class(cell, classes[k]))
            for k, cell in enumerate(row)
        ]
        body.append(tag("tr", cells))
    inside = [tag("caption", caption) if caption else None, tag("thead", head), tag("tbody", body)]
    return tag("div", tag("table", inside, class_=class_), class_="scroll")


def _cell_class(cell: Child, of_column: str | None) -> str | None:
    """Return the classes of a cell: a number in a column of numbers is a figure, which stays on one line."""
    return (
        f"{of_column} figure"
        if of_column and isinstance(cell, Markup) and cell.startswith("<data")
        else of_column
    )


def page(title: str, style: str, body: Child) -> str:
    """Return a whole document that asks for nothing outside itself."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("title", title),
        Markup(f"<style>{style}</style>"),
    ]
    return f"<!DOCTYPE html>\n{tag('html', tag('head', head), tag('body', body), lang='en-GB')}\n"


def _attribute(key: str, value: str | int | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{in_html(str(value))}"'


def _text(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return in_html(child)
    if isinstance(child, int | float):
        return str(child)
    return joined(child)
