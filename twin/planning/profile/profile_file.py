"""Profiles in files of the user: read for `twin estimate --profile FILE`, written by `twin calibrate`."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from twin.physics.training_inputs import SoftwareStack
from twin.planning.profile.figures import PLAIN_UNITS, STATUSES, ProfileError, ProfileFigure, parse_document
from twin.planning.profile.profiles import (
    DIMENSION_OF,
    CalibratedProfile,
    Confidence,
    OwnError,
    profile_from,
    stack_keys,
)
from twin.units import parse
from twin.whole_file import write_whole

LARGEST_BYTES = 256 * 1024
"""Of a profile file; a shipped one has 4 kB."""

_UNIT_OF: Mapping[str, str] = {
    "compute": "TFLOP/s",
    "bandwidth": "GB/s",
    "data": "GB",
    "duration": "s",
    "flop": "GFLOP",
    "number": "1",
}


def load_profile_file(path: Path | str) -> CalibratedProfile:
    """Return the profile in a file; it may extend any shipped one. Nothing in it is run.

    Raises
    ------
    ProfileError
        With file, line, key, what is wrong and what would be right.
    """
    file = Path(path)
    text = _text_of(file)
    document = parse_document(text, str(path))
    try:
        return profile_from(document, file.stem, str(path))
    except ProfileError as fault:
        raise ProfileError(fault.file, fault.key, fault.reason, _line(text, fault.key)) from None


def write_profile(
    path: Path | str,
    *,
    title: str,
    extends: str,
    figures: Mapping[str, ProfileFigure],
    gpus: tuple[str, ...] = (),
    notes: str = "",
    confidence: Confidence = "own runs",
    stack: SoftwareStack | None = None,
    own_error: OwnError | None = None,
) -> CalibratedProfile:
    """Write a profile that changes a shipped one, and return it as it now reads.

    The text is written beside the file and renamed over it: a crash leaves the old file or the new one.

    Parameters
    ----------
    path
        Where to.
    title
        For people.
    extends
        Shipped profile that gives the rest.
    figures
        What differs, by field of `Profile`, in SI units.
    gpus
        Catalogue names it serves; none: those of the profile it extends.
    notes
        What it was fitted to.
    confidence
        How far it is calibrated.
    stack
        What the software does; none: as the profile it extends.
    own_error
        What own runs show of it.

    Raises
    ------
    ProfileError
        When a figure is none of a profile, or the file cannot be written.
    """
    document: dict[str, Any] = {"title": title, "extends": extends, "confidence": confidence}
    if gpus:
        document["gpus"] = list(gpus)
    if notes:
        document["notes"] = notes
    if stack is not None:
        document["stack"] = {key: getattr(stack, key) for key in stack_keys()}
    if own_error is not None:
        document["own_runs"] = {
            "rows": own_error.rows,
            "most_gpus": own_error.most_gpus,
            "mean_pct": float(f"{own_error.mean_pct:.3g}"),
            "p90_pct": float(f"{100 * math.expm1(own_error.p90):.3g}"),
        }
    document["figures"] = {
        field: _entry(str(path), field, figures[field]) for field in sorted(figures, key=_place(str(path)))
    }
    profile = profile_from(document, Path(path).stem, str(path))  # refuses what could not be read again
    stream = io.StringIO()
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.width = 110
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    writer.dump(document, stream)
    head = "# Effective numbers of a GPU with its software stack. Fitted ones are no hardware facts.\n"
    try:
        write_whole(path, (head + stream.getvalue()).encode())
    except OSError as fault:
        raise ProfileError(str(path), "", f"cannot be written: {fault.strerror or fault}") from None
    return profile


def _text_of(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST_BYTES:
            raise ProfileError(str(file), "", f"is larger than {LARGEST_BYTES // 1024} kB; no profile is")
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise ProfileError(str(file), "", f"is no UTF-8 text: {fault.reason}") from None
    except OSError as fault:
        raise ProfileError(str(file), "", f"cannot be read: {fault.strerror or fault}") from None


def _line(text: str, key: str) -> int:
    """Return the line of a dotted key, or of the last part of it that is there; 0 for the whole file."""
    node, line = YAML(pure=True).load(text), 0  # the round-trip reader knows lines, and runs nothing either
    for part in key.split("."):
        position = getattr(node, "lc", None)
        if position is None or not isinstance(node, dict) or part not in node:
            break
        line = position.key(part)[0] + 1
        node = node[part]
    return line


def _place(file: str) -> Any:
    """Return the order of fields, as in `Profile`."""
    order = {name: place for place, name in enumerate(DIMENSION_OF)}

    def place(field: str) -> int:
        if field not in order:
            raise ProfileError(file, f"figures.{field}", f"unknown key; known are {', '.join(order)}")
        return order[field]

    return place


def _entry(file: str, field: str, figure: ProfileFigure) -> dict[str, Any]:
    if figure.status not in STATUSES:
        raise ProfileError(
            file, f"figures.{field}.status", f"{figure.status!r} is none of {', '.join(STATUSES)}"
        )
    dimension = DIMENSION_OF[field]
    unit = _UNIT_OF[dimension]
    plain = PLAIN_UNITS.get(dimension)
    unit_si = plain[unit] if plain is not None else parse(f"1 {unit}", dimension)
    # Twelve digits: a fit is not known better, and 0.744 is written as people read it.
    value = float(f"{figure.value / unit_si:.12g}")
    return {"value": value, "unit": unit, "status": figure.status, "source": figure.source}
