"""A whole training beside one step: tokens a day, how long a number of tokens takes, and its energy."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from twin import units
from twin.language import tr
from twin.units import spoken

DAY_S, J_PER_KWH = 86_400.0, 3.6e6
MOST_TOKENS = 1e18
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}
_COUNT = re.compile(
    r"\s*([0-9][0-9,]*\.?[0-9]*(?:e[+-]?[0-9]+)?)\s*([kmbgt]?)(?:\s*tokens?)?\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class WholeTraining:
    """A training to its last token, without interruptions.

    Attributes
    ----------
    tokens
        Of the whole training.
    tokens_s
        Tokens of the whole job in a second [1/s].
    nodes_w
        Power of its nodes while it steps [W]; None: not known.
    pue, pue_of
        Of the hall it runs in, and over what: "over a typical year"; None: not known.
    """

    tokens: float
    tokens_s: float
    nodes_w: float | None = None
    pue: float | None = None
    pue_of: str = "over a typical year"

    @property
    def tokens_per_day(self) -> float:
        """Return the tokens of a day."""
        return self.tokens_s * DAY_S

    @property
    def time_s(self) -> float:
        """Return how long all tokens take [s]."""
        return self.tokens / self.tokens_s

    @property
    def energy_j(self) -> float | None:
        """Return the energy of all tokens, that of cooling and losses included where the PUE is known [J]."""
        return None if self.nodes_w is None else self.nodes_w * (self.pue or 1.0) * self.time_s

    @property
    def words(self) -> str:
        """Return the sentence for people, without what is not known."""
        rate = tr("{tokens} tokens a day", tokens=tokens_words(self.tokens_per_day))
        if not math.isfinite(self.tokens):
            return f"{rate}."
        said = tr(
            "{rate}; {tokens} tokens take {time} without interruptions",
            rate=rate,
            tokens=tokens_words(self.tokens),
            time=spoken(self.time_s),
        )
        if self.nodes_w is None or self.energy_j is None:
            return f"{said}."
        energy = energy_words(self.energy_j)
        nodes = units.render(float(f"{self.nodes_w:.3g}"), "power")
        if self.pue is None:
            return tr(
                "{said} and {energy} (nodes {nodes}, without cooling).", said=said, energy=energy, nodes=nodes
            )
        pue = f"{self.pue:.3f} {self.pue_of}"
        return tr(
            "{said} and {energy} (nodes {nodes}, PUE {pue}).", said=said, energy=energy, nodes=nodes, pue=pue
        )


def tokens_words(tokens: float) -> str:
    """Return a number of tokens as papers write it.

    >>> tokens_words(14.8e12), tokens_words(4.218e9)
    ('14.8 T', '4.22 B')
    """
    scale, letter = next(
        ((scale, letter) for letter, scale in (("T", 1e12), ("B", 1e9), ("M", 1e6)) if tokens >= scale),
        (1.0, ""),
    )
    return f"{float(f'{tokens / scale:.3g}'):,g} {letter}".rstrip()


def energy_words(energy_j: float) -> str:
    """Return an energy as bills have it.

    >>> energy_words(7.3e13), energy_words(4.1e9)
    ('20.3 GWh', '1.14 MWh')
    """
    kwh = energy_j / J_PER_KWH
    scale, unit = (1e6, "GWh") if kwh >= 1e6 else (1e3, "MWh") if kwh >= 1e3 else (1.0, "kWh")
    return f"{float(f'{kwh / scale:.3g}'):,g} {unit}"


def tokens_in(words: str) -> float | None:
    """Return a number of tokens as people write it; None where it is none.

    Examples
    --------
    >>> tokens_in("15 T"), tokens_in("300B tokens"), tokens_in("1,000"), tokens_in("many")
    (15000000000000.0, 300000000000.0, 1000.0, None)
    """
    found = _COUNT.fullmatch(words)
    if found is None:
        return None
    tokens = float(found[1].replace(",", "")) * _SCALES[found[2].lower()]
    return tokens if 0.0 < tokens <= MOST_TOKENS else None
