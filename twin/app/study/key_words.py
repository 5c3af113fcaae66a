"""What a key that varies is called: the label of its field in the inspector, and the thing that it belongs to."""

from __future__ import annotations

from typing import NamedTuple

from twin.analysis.difference_words import parts_of
from twin.language import tr
from twin.scenario.schema.titles import TITLES, title_of_key
from twin.scenario.text.problem import ScenarioError

_UNSAID = ("workload", "stack", "at", "racks")
"""Groups that say nothing of their keys."""


class KeyWords(NamedTuple):
    """The label of a key, and what it belongs to, "" for the whole scene.

    Examples
    --------
    >>> key_words("jobs[pretrain].checkpoint.interval")
    KeyWords(label='Checkpoint interval', thing='job pretrain')
    >>> key_words("halls[h].rows[gpu].racks.nodes[0].count").full, key_words("duration").full
    ('Nodes per rack (row gpu)', 'Duration')
    """

    label: str
    thing: str

    @property
    def full(self) -> str:
        """Return both."""
        return tr("{label} ({thing})", label=self.label, thing=self.thing) if self.thing else self.label


def key_words(path: str) -> KeyWords:
    """Return what a key is called; one that is no path is called what it is."""
    try:
        thing, keys = parts_of(path)
    except ScenarioError:
        return KeyWords(path, "")
    said = [key for key in keys if not key.isdecimal()]
    if not said:
        return KeyWords(path, "")
    label, group = title_of_key(".".join(said)), said[-2] if len(said) > 1 else ""
    if group and group not in _UNSAID and ".".join(said[-2:]) not in TITLES:
        label = f"{title_of_key(group)} {_inside(label)}"
    return KeyWords(label, _inside(thing))


def _inside(words: str) -> str:
    """Return words as they stand within others: an abbreviation stays as it is."""
    return words if words[1:2].isupper() else words[:1].lower() + words[1:]
