"""SVG texts looked at before they are drawn: no entities, nothing from outside, no more elements than can be drawn."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from xml.parsers import expat

MOST_ELEMENTS = 50_000
"""Of a text, and of what it draws with all that it repeats."""
DEEPEST = 200
_LINK = re.compile(r"url\(\s*['\"]?([^)'\"]*)['\"]?\s*\)")
_NUMBER = re.compile(r"\s*([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)\s*(px|pt|pc|mm|cm|in|)\s*")
_PX = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}
_REFUSED = frozenset(
    {"image", "feImage", "script", "foreignObject", "animate", "animateTransform", "set", "filter"}
)
LARGEST = 1e6
THINNEST = 100.0
"""Long side over short side."""


class SvgError(ValueError):
    """A text is no SVG that may be drawn; the message is a clause that follows its name."""


@dataclass
class _Element:
    """One element: its id, the ids that it repeats, and what is in it."""

    id: str = ""
    repeats: list[str] = field(default_factory=list)
    inside: list[_Element] = field(default_factory=list)


@dataclass
class _Reader:
    """Reads a text once; raises `SvgError` at the first thing that may not be."""

    open: list[_Element] = field(default_factory=list)
    top: _Element | None = None
    size: tuple[float, float] | None = None
    by_id: dict[str, _Element] = field(default_factory=dict)
    count: int = 0
    in_style: int = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take the beginning of an element."""
        tag = name.rpartition(":")[2]
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise SvgError(f"has more than {MOST_ELEMENTS:,} elements; simplify the drawing")
        if len(self.open) >= DEEPEST:
            raise SvgError(f"has elements more than {DEEPEST} deep")
        if tag in _REFUSED:
            raise SvgError(f"has a <{tag}>; only lines, shapes and text are drawn")
        found = _Element(attributes.get("id", ""))
        for key, value in attributes.items():
            if key.startswith("on"):
                raise SvgError(f"has the script {key}")
            if key.rpartition(":")[2] == "href":
                found.repeats.append(_own(value))
            found.repeats += [_own(link) for link in _LINK.findall(value)]
            if "@import" in value:
                raise SvgError("reaches for a file outside itself")
        if self.top is None:
            if tag != "svg":
                raise SvgError("is no SVG picture")
            self.top, self.size = found, _size(attributes)
        elif self.open:
            self.open[-1].inside.append(found)
        if found.id:
            self.by_id.setdefault(found.id, found)
        self.open.append(found)
        self.in_style += tag == "style"

    def end(self, name: str) -> None:
        """Take the end of an element."""
        self.open.pop()
        self.in_style -= name.rpartition(":")[2] == "style"

    def text(self, text: str) -> None:
        """Take text: style sheets may name nothing outside."""
        if self.in_style and (
            "@import" in text or any(not link.startswith("#") for link in _LINK.findall(text))
        ):
            raise SvgError("reaches for a file outside itself")


def size_of(text: str) -> tuple[float, float]:
    """Return width and height of an SVG that may be drawn, in its own units.

    Raises
    ------
    SvgError
        When it is none, declares entities, reaches for anything outside, or would draw too much.
    """
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = _entity
    parser.ExternalEntityRefHandler = _outside
    parser.ProcessingInstructionHandler = _instruction
    parser.buffer_text = True
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as bad:
        raise SvgError(f"is no SVG picture: {expat.ErrorString(bad.code)} in line {bad.lineno}") from None
    if reader.top is None or reader.size is None:
        raise SvgError("is no SVG picture")
    drawn = _drawn(reader.top, reader.by_id, {})
    if drawn > MOST_ELEMENTS:
        raise SvgError(f"repeats its elements to more than {MOST_ELEMENTS:,}; simplify the drawing")
    return reader.size


def _entity(*_declared: object) -> None:
    raise SvgError("declares entities; save it without them")


def _outside(*_named: object) -> int:
    raise SvgError("reaches for a file outside itself")


def _instruction(target: str, _data: str) -> None:
    if target == "xml-stylesheet":
        raise SvgError("reaches for a file outside itself")


def _own(link: str) -> str:
    """Return the id that a link within the drawing names."""
    if not link.strip().startswith("#"):
        raise SvgError("reaches for a file outside itself; embed or remove it")
    return link.strip()[1:]


def _drawn(element: _Element, by_id: dict[str, _Element], known: dict[int, float], deep: int = 0) -> float:
    """Return how many elements one draws with all that it repeats; raises `SvgError` where it repeats itself."""
    before = known.get(id(element))
    if before is not None:
        if math.isnan(before):
            raise SvgError("repeats an element within itself")
        return before
    if deep > DEEPEST:
        raise SvgError(f"has elements more than {DEEPEST} deep")
    known[id(element)] = math.nan
    named = (by_id[name] for name in element.repeats if name in by_id)
    number = 1.0 + sum(_drawn(inner, by_id, known, deep + 1) for inner in (*element.inside, *named))
    known[id(element)] = number
    return number


def _size(attributes: dict[str, str]) -> tuple[float, float]:
    box = re.split(r"[\s,]+", attributes.get("viewBox", "").strip())
    sides = [_length(attributes.get(key, "")) for key in ("width", "height")]
    if len(box) == 4:
        try:
            sides = [float(box[2]), float(box[3])]
        except ValueError:
            raise SvgError("has a viewBox that is none") from None
    width, height = sides
    if not all(side is not None and math.isfinite(side) and 0 < side <= LARGEST for side in sides):
        raise SvgError("has no size; give it a viewBox")
    assert width is not None
    assert height is not None
    if max(width / height, height / width) > THINNEST:
        raise SvgError(f"is more than {THINNEST:g} times as long as wide")
    return width, height


def _length(text: str) -> float | None:
    match = _NUMBER.fullmatch(text)
    return float(match[1]) * _PX[match[2]] if match else None
