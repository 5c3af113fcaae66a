"""What goes wrong, told in one sentence each on standard error, with the exit code it stands for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

import typer


class ExitCode(IntEnum):
    """What a command tells who called it."""

    DONE = 0
    FINDINGS = 1
    UNREADABLE = 2
    FAILED = 3
    INTERRUPTED = 130


class BadInput(ValueError):
    """What was asked for cannot be done as asked; the message is one sentence for people."""


class Failure(Exception):
    """The input is good, but what was asked for did not work out; the message is one sentence for people."""


@contextmanager
def told(scene: str = "") -> Iterator[None]:
    """Tell the errors that input can cause, and exit with the code they stand for; bugs pass through.

    Parameters
    ----------
    scene
        What the person asked for, named where an error does not name a file itself.
    """
    from pydantic import ValidationError

    from twin.catalog import CatalogError, UnknownPart
    from twin.planning.figures import ProfileError
    from twin.planning.job import PlanError
    from twin.plant.error import PlantError
    from twin.record.runfile import RunFileError
    from twin.runtime.inline import InterventionRefused
    from twin.scenario import ScenarioError
    from twin.sim.body import UncooledNode
    from twin.sim.plan import UnplaceableJob
    from twin.units import UnitError

    where = f"{scene}: " if scene else ""
    try:
        yield
    except ScenarioError as error:
        sentences, code = [str(problem) for problem in error.problems], ExitCode.UNREADABLE
    except (PlantError, UncooledNode, UnplaceableJob, PlanError, ProfileError, InterventionRefused) as error:
        sentences, code = [f"{where}{error}"], ExitCode.UNREADABLE
    except UnknownPart as error:
        sentences, code = [f"{where}{error.args[0]}"], ExitCode.UNREADABLE
    except (CatalogError, RunFileError, UnitError, BadInput) as error:
        sentences, code = [str(error)], ExitCode.UNREADABLE
    except ValidationError:
        sentences, code = [f"{where}the scenario inside is damaged"], ExitCode.UNREADABLE
    except BrokenPipeError:  # the reader of our output has left, as `head` does
        sys.stderr.close()
        raise typer.Exit(ExitCode.DONE) from None
    except OSError as error:
        place = f"{error.filename}: " if error.filename else where
        sentences, code = [f"{place}{error.strerror or error}"], ExitCode.FAILED
    except Failure as error:
        sentences, code = [str(error)], ExitCode.FAILED
    else:
        return
    for sentence in sentences:
        print(f"error: {sentence}", file=sys.stderr)
    raise typer.Exit(code)
