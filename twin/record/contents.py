"""Contents of a run file beside events and series: header, snapshots and markers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import ValidationError

from twin.record.channels import Entity
from twin.record.frame import FrameLayout
from twin.record.redraw import Redraw
from twin.record.runfile import RunFileError
from twin.record.scenario_json import from_json
from twin.scenario.schema.document import Scenario

UNDONE = "undone"
"""Kind of the markers of what was undone where it was done: nothing else of it is left."""
BY_HAND = ("intervention", "edit", "withdrawn", UNDONE)
"""Markers of what people did: in a branch the scene tells of it."""


@dataclass(frozen=True)
class Header:
    """The header: scene, program and inputs of the run.

    Parameters
    ----------
    file
        Path of the run file, for what is wrong with it.
    scenario_text
        The effective scenario as JSON with units.
    seed
        Of all random draws.
    redraws
        From when on they are of another seed.
    layout
        Counts of entities of the run's frames.
    ids
        Ids of the entities of each kind that series are kept of.
    created
        Wall clock, ISO 8601 in UTC.
    versions
        Of program, Python, numpy, system, CPU.
    inputs
        Hash of each input by name.
    inputs_hash
        One hash over all of them.
    end_s
        Length of the scenario [s].
    """

    file: str
    scenario_text: str
    seed: int
    layout: FrameLayout
    ids: Mapping[Entity, tuple[str, ...]]
    created: str
    versions: Mapping[str, str]
    inputs: Mapping[str, str]
    inputs_hash: str
    end_s: float
    redraws: tuple[Redraw, ...] = ()

    @cached_property
    def scenario(self) -> Scenario:
        """Return the scenario as a document.

        Raises
        ------
        RunFileError
            When the text is no scenario of this program's schema version.
        """
        try:
            return from_json(self.scenario_text)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            reason = first["msg"].removeprefix("Value error, ")  # pydantic's own words before ours
            raise RunFileError(
                f"{self.file}: the scenario in this run file is wrong at {place or 'its begin'}: {reason}"
            ) from error


@dataclass(frozen=True)
class Snapshot:
    """The whole state of an engine at one time.

    Parameters
    ----------
    t_s
        Simulated time [s].
    events
        Rows of events before it.
    event_hash
        Hash of those events.
    data
        What `twin.runtime.loading.gone_on` takes.
    """

    t_s: float
    events: int
    event_hash: str
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Marker:
    """A place in time with a note, or an intervention with its JSON in `data`."""

    id: int
    t_s: float
    kind: str
    text: str
    data: str
