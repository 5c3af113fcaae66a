"""Texts of the window in the language of the person who uses it.

Every text that the window writes goes through :func:`tr`; the figures and names that it speaks of go along as values,
so that a translation may put them where its language has them. Translations are catalogues of GNU gettext,
``LANGUAGE/LC_MESSAGES/twin.mo`` in the folder that ``TWIN_LANGUAGES`` names. The language is that of the system
(``LANGUAGE``, ``LC_ALL``, ``LC_MESSAGES``, ``LANG``); where there is no catalogue of it, or a damaged one, the texts
are English. Command line, files and JSON stay English, and so does the engine: other programs read what they write.
"""

from __future__ import annotations

import gettext
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from string import Formatter

DOMAIN = "twin"
"""Name of the catalogues."""
FOLDER = "TWIN_LANGUAGES"
"""Environment variable: folder of the catalogues."""


def tr(text: str, /, **values: object) -> str:
    """Return a text in the language of the user, its values put in.

    Parameters
    ----------
    text
        In English, a name in braces for each value, as in ``str.format``.
    **values
        What stands in place of the names.

    Examples
    --------
    >>> tr("{count} racks wait", count=3)
    '3 racks wait'
    >>> tr("Nothing waits")
    'Nothing waits'
    """
    said = _translated(catalogue(), text)
    return said.format_map(values) if values else said


def counted(number: int, noun: str) -> str:
    """Return a number of things, in the form that the language has for this number.

    Parameters
    ----------
    noun
        One of the things, in English.

    Examples
    --------
    >>> counted(1, "rack"), counted(3000, "rack"), counted(2, "switch"), counted(2, "battery")
    ('1 rack', '3,000 racks', '2 switches', '2 batteries')
    """
    one_or_more = forms(noun)
    text = catalogue().ngettext(*one_or_more, number)
    return _checked(text, one_or_more[number != 1]).format(number=f"{number:,}")


def forms(noun: str) -> tuple[str, str]:
    """Return the texts that stand for one thing and for several."""
    if noun.endswith("rows"):  # "set of rows"
        several = noun
    elif noun.endswith(("s", "ch", "x")):
        several = f"{noun}es"
    else:
        several = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{{number}} {noun}", f"{{number}} {several}"


@contextmanager
def english() -> Iterator[None]:
    """Let programs that are started inside a with block write English."""
    folder = os.environ.pop(FOLDER, None)
    try:
        yield
    finally:
        if folder is not None:
            os.environ[FOLDER] = folder


@lru_cache(maxsize=8192)  # a window has some 4,000 texts, and draws a few of them again and again
def _translated(translations: gettext.NullTranslations, text: str) -> str:
    return (
        _checked(translations.gettext(text), text) if text else text
    )  # the empty text is the head of a catalogue


def _checked(translated: str, text: str) -> str:
    """Return a translation, or the text where a translation asks for other values, or in another form, than it has."""
    try:
        return translated if _fields(translated) <= _fields(text) else text
    except ValueError:  # braces that do not belong together
        return text


def _fields(text: str) -> set[tuple[str | None, ...]]:
    return {part[1:] for part in Formatter().parse(text) if part[1] is not None}


@lru_cache(maxsize=1)
def catalogue() -> gettext.NullTranslations:
    """Return the translations that texts are looked up in."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return gettext.NullTranslations()
    try:
        return gettext.translation(DOMAIN, folder, fallback=True)
    except (OSError, ValueError, struct.error) as error:  # a folder or file that is not to be read
        import logging  # few processes ever need it

        logging.getLogger(__name__).warning("no translation from %s: %s", folder, error)
        return gettext.NullTranslations()
