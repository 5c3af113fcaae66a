"""Text of documents, run files and traces where it leaves the program: terminal, HTML, JSON, spreadsheets.

Titles, ids and subjects are anybody's. A control character among them could drive a terminal, one that turns the
direction of writing could show another text than the one that stands there, and a cell could be a formula.
"""

from __future__ import annotations

import re

_ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Controls but newline and tab, those of C1, line separators, marks of direction, halves of characters."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings of a cell that a spreadsheet takes for a formula: OWASP, "CSV Injection"."""

_ABBREVIATION = re.compile(
    r"(?<![\w/.\-])(?:gpu|cpu|nic|nccl|hbm\d?e?|sram|dram|ssd|io|psu|cdu|crah|ecc)(?![\w/\-])"
)
"""As words of their own; neither in ids nor in names of parts."""


def printable(text: str) -> str:
    r"""Return a text with every character that acts instead of being read written as its escape.

    >>> printable("A\x1b[31mred \u202egnp\n")
    'A\\x1b[31mred \\u202egnp\n'
    """
    return _ACTS.sub(_escaped, text)


def one_line(text: str, most: int = 200) -> str:
    r"""Return a text for a title or a row of a list: printable, on one line, an ellipsis for what is beyond `most`.

    >>> one_line("A hall\n  of two lines"), one_line("A hall of two lines", 10)
    ('A hall of two lines', 'A hall of…')
    """
    whole = printable(" ".join(text.split()))
    return whole if len(whole) <= most else f"{whole[: most - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}"


def capitalised(text: str) -> str:
    """Return a title or clause as the start of a line.

    >>> capitalised("GPUs held"), capitalised("lost work"), capitalised("")
    ('GPUs held', 'Lost work', '')
    """
    return text[:1].upper() + text[1:]


def inner(title: str) -> str:
    """Return a title as it stands inside a sentence.

    >>> inner("Faulty GPU"), inner("GPU memory")
    ('faulty GPU', 'GPU memory')
    """
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def spelled(words: str) -> str:
    """Return words made from ids, their abbreviations in capitals; ids of things ("gpu/0/1") stay.

    Examples
    --------
    >>> spelled("gpu hbm3 memory on gpu/0/1/0")
    'GPU HBM3 memory on gpu/0/1/0'
    """
    return _ABBREVIATION.sub(lambda found: found.group().upper(), words)


def in_html(text: str) -> str:
    """Return a text for HTML and SVG, between tags or as an attribute in double quotes.

    >>> in_html("a < b")
    'a &lt; b'
    """
    from html import escape  # brings a table of all entities along, which a run has no use for

    return escape(printable(text), quote=True)


def in_json(text: str) -> str:
    """Return JSON text that says the same without any character that acts; JSON itself escapes the first 32."""
    return _ACTS.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def in_cell(text: str) -> str:
    """Return a text for a cell of a CSV file: printable, and never a formula; what is a number stays one.

    >>> in_cell("=1+1"), in_cell("-1.5"), in_cell("rack")
    ("'=1+1", '-1.5', 'rack')
    """
    if not text.startswith(_FORMULA):
        return printable(text)
    try:
        float(text)
    except ValueError:
        return f"'{printable(text)}"
    return text if text[0] in "+-" else f"'{printable(text)}"


def _escaped(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
