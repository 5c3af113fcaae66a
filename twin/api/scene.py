"""A scene to ask questions of, and to run."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from twin.api.arguments import Settings, Texts, Time, path_of, seconds_of, seed_of, settings_of, texts_of
from twin.api.changes import with_changes
from twin.api.errors import BadInput, as_arguments, warn
from twin.api.named import load_scene
from twin.api.run import Run
from twin.api.running import prepared, recorded, summary_of

if TYPE_CHECKING:
    from twin.planning.risk.random_incidents import Level
    from twin.record.site_year import SiteYear
    from twin.rules import Report, Rule
    from twin.scenario import Document, Scenario
    from twin.scenario.schema.scheduling import Policy


def load(scene: str | os.PathLike[str]) -> Scene:
    """Return a scene by its file or by its name.

    Parameters
    ----------
    scene
        A ``*.twin.yaml`` file, with or without its ending, or a shipped scene such as ``lab-16`` or
        ``builtin:lab-16``.

    Raises
    ------
    ScenarioError
        When there is none, or it is wrong anywhere; each problem has file, line and key.

    Examples
    --------
    >>> import twin
    >>> lab = twin.load("lab-16")
    >>> lab.title, lab.duration_s
    ('A laboratory with 16 GPUs', 86400.0)
    """
    return Scene(load_scene(path_of(scene, "scene")))


class Scene:
    """What exists and what happens: halls, power, cooling, fabric, jobs, failures. It never changes.

    Parameters
    ----------
    document
        The scene as it was read.
    injections
        What is done to it beside what its file says, ``T KIND TARGET [k=v]`` each.
    """

    def __init__(self, document: Document, injections: Sequence[str] = ()) -> None:
        self.document = document
        self._injections = tuple(injections)

    def __repr__(self) -> str:
        return f"<Scene {self.name}: {self.title}>"

    @property
    def name(self) -> str:
        """Return the name of its file."""
        return self.document.name

    @property
    def title(self) -> str:
        """Return its title, for people."""
        return self.document.scenario.title

    @property
    def text(self) -> str:
        """Return the text of its file, with what `changed` set."""
        return self.document.text

    @property
    def seed(self) -> int:
        """Return the seed that a run draws from where none is named."""
        return self.document.scenario.seed

    @property
    def duration_s(self) -> float:
        """Return how long a run lasts [s]."""
        return self.document.scenario.duration_s

    @cached_property
    def scenario(self) -> Scenario:
        """Return all that the scene says as typed values in SI units, what is done to it included."""
        with as_arguments():
            return with_changes(self.document, (), self._injections, warn=warn)

    def changed(self, set: Settings = (), inject: Texts = ()) -> Scene:
        """Return the same scene with values changed and interventions added; this one stays as it is.

        Parameters
        ----------
        set
            ``"jobs[llama3].checkpoint.pause=20 s"``, several of them, or values by path.
        inject
            ``"T KIND TARGET [k=v]"`` or several; it is held against the scene when it is needed.

        Raises
        ------
        ScenarioError
            When a path leads nowhere, or a value does not fit there.

        Examples
        --------
        >>> import twin
        >>> twin.load("lab-16").changed(set={"duration": "2 h"}).duration_s
        7200.0
        """
        from twin.scenario.file.set_option import set_texts

        with as_arguments():
            document = set_texts(self.document, settings_of(set))
        return Scene(document, [*self._injections, *texts_of(inject, "inject")])

    def run(
        self,
        seed: int | None = None,
        until: Time | None = None,
        inject: Texts = (),
        set: Settings = (),
        *,
        policy: Policy | None = None,
        jobs: str | os.PathLike[str] | None = None,
        format: str | None = None,
        map: Settings = (),
        keep_jobs: bool = False,
        incidents: Level | None = None,
        record: str | os.PathLike[str] | None = None,
    ) -> Run:
        """Run the scene in this process, as fast as possible, and return what came of it.

        The same scene, seed and changes give the same run, here and with ``twin run``.

        Parameters
        ----------
        seed
            Of all random draws; None: the scene's own.
        until
            Stop there: seconds, or text such as "10 day"; None: at the end of the scene.
        inject
            ``"10 h fail gpu/0/1"``, or several: a time, a kind, a target, options.
        set
            ``"jobs[llama3].checkpoint.interval=10 min"``, several, or values by path.
        policy
            Of the scheduler.
        jobs, format, map
            A trace of jobs to run instead of the scene's, until the last has ended; its format, None: told from the
            file; and how its rows become jobs, such as ``{"size": 0.5}``.
        keep_jobs
            Whether the scene's jobs stay beside those of `jobs`.
        incidents
            Level of random incidents; None: none.
        record
            Run file to keep; None: a file that is deleted with the run. None may be there.

        Raises
        ------
        ScenarioError
            When something does not fit the scene.
        BadInput
            When an argument is wrong; it is a `ValueError`.
        RunFileError
            When the run file cannot be written.

        Examples
        --------
        >>> import twin
        >>> run = twin.load("lab-16").run(seed=3, until="2 h")
        >>> run.summary["jobs"][0]["state"]
        'running'
        """
        from twin.api.job_trace import work_of

        seed, settings = (
            seed_of(seed),
            [*settings_of(set), *([f"scheduler.policy={policy}"] if policy else [])],
        )
        until_s = None if until is None else seconds_of(until, "until")
        if incidents not in (None, "light", "medium", "heavy"):
            raise BadInput(f"incidents: {incidents!r} is no level; give light, medium or heavy")
        if jobs is None and (format or map or keep_jobs):
            raise BadInput("format, map and keep_jobs say how to take the jobs of a trace; give it as jobs")
        with as_arguments():
            work = None
            if jobs is not None:
                path, maps = Path(path_of(jobs, "jobs")), settings_of(map, "map")
                work = work_of(path, format, maps, keep_jobs, settings, until_s, warn)
            injections = [*self._injections, *texts_of(inject, "inject")]
            scenario = prepared(
                self.document, settings, injections, until_s, work, incidents, seed, warn=warn
            )
        folder = None if record is not None else Path(tempfile.mkdtemp(prefix="twin-run-"))
        file = folder / "run.twinrun" if folder is not None else _free(path_of(record or "", "record"))
        try:
            result = recorded(scenario, self.name, seed, until_s, file, warn=warn)
            summary = summary_of(result) if folder is None else summary_of(replace(result, run_file=None))
            return Run(file, summary, folder)
        except BaseException:
            if folder is not None:
                with suppress(OSError):
                    shutil.rmtree(folder)
            raise

    def check(self, rules: Sequence[Rule] = ()) -> Report:
        """Return what the design rules find in the scene, and some of your own; the engine is not asked.

        Parameters
        ----------
        rules
            Held against the scene after those that are shipped.

        Raises
        ------
        PlantError
            When no hall can be built of it.

        Examples
        --------
        >>> import twin
        >>> twin.load("lab-16").check().failed
        False
        """
        from twin.plant.build import build
        from twin.rules import RULES, check
        from twin.scenario.schema.scene_catalog import catalog_of

        known = {rule.id for rule in RULES}
        for rule in rules:
            if rule.id in known:
                raise BadInput(f"rules: there is a rule {rule.id!r} already; give yours another id")
            known.add(rule.id)
        catalog = catalog_of(self.scenario)
        plant = build(self.scenario, catalog)
        return check(self.scenario, plant, catalog, rules=(*RULES, *rules))

    def year(self, load: float = 1.0, place: str | None = None) -> SiteYear:
        """Return the typical year of the site at one load, hour by hour: PUE, WUE, peak, carbon; nothing is run.

        Parameters
        ----------
        load
            Power of all racks over their design power, 0 to 1.5.
        place
            Another climate than the scene's: a city, state or country of `assets/weather/places.yaml`.

        Raises
        ------
        BadInput
            When the load is out of range, or the place is not known.
        PlantError
            When nothing draws power, or the hall cannot be cooled as it stands.

        Examples
        --------
        >>> import twin
        >>> year = twin.load("fat-tree-1k").year(place="dublin")
        >>> round(year.pue, 1), year.facility_w.shape
        (1.1, (8760,))
        """
        from twin.api.year import year_of

        return year_of(self.scenario, load, place)


def _free(path: str) -> Path:
    """Return a path that is free; raises `BadInput` where a file exists."""
    if Path(path).exists():
        raise BadInput(f"record: {path} is there already; give another name, or delete it")
    return Path(path)
