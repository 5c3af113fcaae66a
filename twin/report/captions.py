"""Captions of a film of chapters: text in pieces that can be read while they are shown, burnt in and as WebVTT."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from twin.markdown_text import in_plain, read_markdown, with_figures
from twin.shown_text import printable

_LETTERS = 110
"""A caption has two lines, of some fifty letters each."""
_WORDS_S, _LEAST_S = 2.4, 2.0
"""Words read in a second, and the least time of a caption [s]."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_NAME = re.compile("\ue000(\\d+)\ue001")
"""The number of a figure, between signs of no language, which a text of a file may not have."""
_OURS = str.maketrans("", "", "\ue000\ue001")


@dataclass(frozen=True)
class Caption:
    """A piece of text.

    Parameters
    ----------
    begin_s, end_s
        When it is shown [s of the film].
    template
        Its words, with figures yet to be written.
    names
        Of the figures of the chapter.
    """

    begin_s: float
    end_s: float
    template: str
    names: tuple[str, ...]

    def words(self, figure: Callable[[str], str]) -> str:
        """Return its words with the figures of a moment."""
        return _NAME.sub(lambda found: figure(self.names[int(found[1])]), self.template)


def reading_s(text: str) -> float:
    """Return how long it takes to read the text of a chapter [s]."""
    return sum(_needs_s(piece) for piece in _pieces(_template(text)[0]))


def captions_of(text: str, begin_s: float, lasts_s: float) -> tuple[Caption, ...]:
    """Return the captions of a chapter: each for its share of the time, the last until the end.

    Parameters
    ----------
    text
        Of the chapter.
    begin_s, lasts_s
        When it is shown, and how long [s of the film].
    """
    template, names = _template(text)
    pieces = _pieces(template)
    spare = max(lasts_s / max(sum(map(_needs_s, pieces)), 1e-9), 1.0)
    found, at_s = [], begin_s
    for piece in pieces:
        end_s = at_s + _needs_s(piece) * min(spare, 2.0)
        found.append(Caption(at_s, end_s, piece, names))
        at_s = end_s
    if found:
        last = found[-1]
        found[-1] = Caption(last.begin_s, begin_s + lasts_s, last.template, names)
    return tuple(found)


def as_vtt(captions: Iterable[tuple[Caption, str]]) -> str:
    """Return captions with their words as a WebVTT file."""
    cues = [
        f"{number}\n{_clock(caption.begin_s)} --> {_clock(caption.end_s)}\n{_in_vtt(words)}\n"
        for number, (caption, words) in enumerate(captions, 1)
    ]
    return "\n".join(["WEBVTT\n", *cues])


def _template(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text in plain words, and the names of its figures, which stand in it by number."""
    names: list[str] = []

    def numbered(name: str) -> str:
        names.append(name)
        return f"\ue000{len(names) - 1}\ue001"

    plain = with_figures(read_markdown(text.translate(_OURS)), numbered)
    return in_plain(plain), tuple(names)


def _pieces(plain: str) -> list[str]:
    """Return a text in pieces of whole sentences, where they are not too long, else of whole words."""
    found: list[str] = []
    for line in plain.splitlines():
        held = ""
        for sentence in _SENTENCE.split(line):
            for part in _split(sentence):
                if held and len(held) + len(part) + 1 > _LETTERS:
                    found.append(held)
                    held = part
                else:
                    held = f"{held} {part}".strip()
        found += [held] if held else []
    return found


def _split(sentence: str) -> list[str]:
    """Return a long sentence in parts of about the same length, after commas where there are some."""
    if len(sentence) <= _LETTERS:
        return [sentence]
    middle = len(sentence) // 2
    commas = [found.end() for found in re.finditer(r",\s", sentence)] or [
        found.end() for found in re.finditer(r"\s", sentence)
    ]
    if not commas:
        return [sentence]
    cut = min(commas, key=lambda place: abs(place - middle))
    left, right = sentence[:cut].strip(), sentence[cut:].strip()
    return [*_split(left), *_split(right)] if left and right else [sentence]


def _needs_s(piece: str) -> float:
    return max(len(piece.split()) / _WORDS_S, _LEAST_S)


def _clock(at_s: float) -> str:
    whole_ms = round(at_s * 1000)
    seconds, ms = divmod(whole_ms, 1000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{ms:03d}"


def _in_vtt(words: str) -> str:
    return printable(words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
