"""Words broken over a few lines, for what is painted line by line."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QTextLayout


def wrapped(text: str, font: QFont, width_px: int, most: int) -> list[str]:
    """Return the lines of a text; where it has more than `most`, the last of them ends in an ellipsis.

    Parameters
    ----------
    text
        Without line breaks.
    font
        It is painted in.
    width_px
        Of a line [px].
    most
        Lines.
    """
    layout = QTextLayout(text, font)
    layout.beginLayout()
    starts: list[int] = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width_px, 1))
        starts.append(line.textStart())
    layout.endLayout()
    ends = [*starts[1:], len(text)]
    lines = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    if len(lines) <= most:
        return lines
    rest = text[starts[most - 1] :].strip()
    return [*lines[: most - 1], QFontMetrics(font).elidedText(rest, Qt.TextElideMode.ElideRight, width_px)]
