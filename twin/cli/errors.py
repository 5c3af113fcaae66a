"""Errors of commands: one sentence each on standard error, and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn

import typer

from twin.api.errors import BadInput

__all__ = ["BadInput", "ExitCode", "Failure", "input_errors", "reporting_errors", "warn"]


class ExitCode(IntEnum):
    """Exit codes of commands."""

    DONE = 0
    FINDINGS = 1
    UNREADABLE = 2
    FAILED = 3
    INTERRUPTED = 130


class Failure(Exception):
    """The input is valid, but the command failed; the message is one sentence for people."""


@contextmanager
def reporting_errors(scene: str = "") -> Iterator[None]:
    """Tell the errors that input can cause, and exit with the code they stand for; bugs pass through.

    Parameters
    ----------
    scene
        What the person asked for, named where an error does not name a file itself.
    """
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _end([f"{place}{error.strerror or error}"], ExitCode.FAILED)
    except Failure as error:
        _end([str(error)], ExitCode.FAILED)
    except input_errors() as error:
        _end(_sentences(error, scene), ExitCode.UNREADABLE)


def warn(sentence: str) -> None:
    """Print a warning; the command goes on."""
    print(f"warning: {sentence}", file=sys.stderr)


def _end(sentences: list[str], code: ExitCode) -> NoReturn:
    for sentence in sentences:
        print(f"error: {sentence}", file=sys.stderr)
    raise typer.Exit(code) from None


def input_errors() -> tuple[type[Exception], ...]:
    """Return the errors that input can cause; asked for only when something went wrong, as this loads the engine."""
    from pydantic import ValidationError

    from twin.catalog import CatalogError, UnknownPart
    from twin.economics.price_book import PriceError
    from twin.planning.job.job import PlanError
    from twin.plant.error import PlantError
    from twin.record.runfile import RunFileError
    from twin.resources import ResourceError
    from twin.runtime.inline import InterventionRefused
    from twin.scenario import ScenarioError
    from twin.sim.jobs.plan import UnplaceableJob
    from twin.sim.thermal.part_models import UncooledNode
    from twin.units import UnitError

    of_scenes = (ScenarioError, PlantError, UncooledNode, UnplaceableJob, PlanError, ResourceError)
    of_files = (CatalogError, UnknownPart, PriceError, RunFileError, ValidationError)
    return (*of_scenes, *of_files, InterventionRefused, UnitError, BadInput)


def _sentences(error: Exception, scene: str) -> list[str]:
    """Return one sentence for each error."""
    from pydantic import ValidationError

    from twin.catalog import CatalogError, UnknownPart
    from twin.record.runfile import RunFileError
    from twin.scenario import ScenarioError
    from twin.units import UnitError

    if isinstance(error, ScenarioError):
        return [str(problem) for problem in error.problems]
    if isinstance(error, CatalogError | RunFileError | UnitError | BadInput):
        return [str(error)]
    where = f"{scene}: " if scene else ""
    if isinstance(error, ValidationError):
        return [f"{where}the scene inside is damaged"]
    return [f"{where}{error.args[0] if isinstance(error, UnknownPart) else error}"]
