"""Climates to choose from: what people call them, and which one is meant by what was typed. No widgets."""

from __future__ import annotations

from functools import lru_cache

from twin.commands.edit.command import CommandError
from twin.language import tr
from twin.scenario.formats import climates

PLACE_KEY = "site.climate.place"
"""Path of the climate of a scene."""
NO_PLACE = tr("no place: a mean day of 15 °C")
"""What holds where no climate is chosen, by the defaults of the schema."""


@lru_cache(maxsize=1)
def place_titles() -> dict[str, str]:
    """Return what stands in a list for each climate, in order; the first time it takes a third of a second."""
    known = [climates.place(name) for name in climates.names()]
    wet_c = climates.mean_wets_c(known)
    return {
        entry.name: tr(
            "{words}: {mean_dry_c:.0f} °C, wet bulb {wet:.0f} °C",
            words=entry.words,
            mean_dry_c=entry.mean_dry_c,
            wet=wet,
        )
        for entry, wet in sorted(zip(known, wet_c, strict=True), key=lambda pair: pair[0].words)
    }


def place_title(name: str) -> str:
    """Return what people call a climate; one that is not known is called what it is."""
    return climates.place(name).words if name in climates.names() else name


def place_named(words: str) -> str:
    """Return the climate that is meant by words of people: "Phoenix", "phoenix", "Arizona".

    Raises
    ------
    CommandError
        When none or several may be meant, with the likeliest.
    """
    plain = words.strip()
    found = [plain] if plain in climates.names() else climates.matching(plain.partition(":")[0])
    if plain and len(found) == 1:
        return found[0]
    near = found if plain and found else climates.nearest(plain)
    named = " or ".join(place_title(name) for name in near[:4])
    reason = (
        tr("{words!r} may be several places", words=words)
        if plain and found
        else tr("no climate is known of {words!r}", words=words)
    )
    raise CommandError(
        reason,
        tr("did you mean {named}?", named=named) if near else tr("choose the nearest one from the list"),
    )


def meant_place(words: str) -> str:
    """Return the climate that is meant by words of people; those that may mean none or several as they are."""
    try:
        return place_named(words)
    except CommandError:
        return words
