"""Design rule of the chapters: what they show, tell or try that is not there at their time."""

from __future__ import annotations

from collections.abc import Iterator

from twin.catalog import Catalog, UnknownPart
from twin.language import tr
from twin.markdown_text import figures_of, read_markdown
from twin.plant.build import Builder
from twin.plant.error import PlantError
from twin.plant.find import find
from twin.plant.tables import Plant
from twin.record.figure_name import ids_of, read_name
from twin.rules.finding import Found
from twin.rules.rule import Rule
from twin.rules.rule_context import RuleContext
from twin.scenario import ScenarioError
from twin.scenario.checks import chapters
from twin.scenario.file.apply_edits import changed, in_order
from twin.scenario.schema.document import Scenario


class _Hall:
    """The scene at a time of its run; its plant is built once something asks for it."""

    def __init__(self, scenario: Scenario, catalog: Catalog, builder: Builder, plant: Plant | None) -> None:
        self.scenario = scenario
        self._catalog, self._builder, self._plant = catalog, builder, plant

    @property
    def plant(self) -> Plant | None:
        """Return the plant; None where it cannot be built, which other findings tell."""
        if self._plant is None:
            try:
                self._plant = self._builder.plant(self.scenario, self._catalog)
            except (PlantError, UnknownPart):
                return None
        return self._plant

    def item(self, id: str) -> str:
        """Return why an id is of nothing; "" when it is of something."""
        plant = self.plant
        return "" if plant is None or find(plant, id) is not None else f"{id!r} does not exist"

    def lacks(self, name: str) -> bool:
        """Return whether there is no figure of a name."""
        read = read_name(name)
        if read is None or not read.id or read.channel is None:
            return read is None
        plant = self.plant
        return plant is not None and read.id not in ids_of(read.channel.entity, self.scenario, plant)


class _Halls:
    """The hall of any time of a run, with the edits up to then."""

    def __init__(self, case: RuleContext) -> None:
        scenario, builder = case.whole, Builder()
        plant = None if scenario.edits and scenario is not case.scenario else case.plant
        self._made = [(0.0, _Hall(scenario, case.catalog, builder, plant))]
        last_s = max((chapter.at_s for chapter in scenario.chapters), default=0.0)
        for edit in in_order(scenario):
            if edit.at_s > last_s:
                break
            try:
                scenario = changed(scenario, edit.changes)
            except ScenarioError:  # another finding tells it
                break
            self._made.append((edit.at_s, _Hall(scenario, case.catalog, builder, None)))

    def at(self, t_s: float) -> _Hall:
        """Return the hall at a time [s]."""
        return [hall for at_s, hall in self._made if at_s <= t_s][-1]


def _stale(case: RuleContext) -> Iterator[Found]:
    """Yield the keys of chapters that do not fit the run, such as a camera at a rack that was taken out."""
    if not case.whole.chapters:
        return
    halls = _Halls(case)

    def hall_at(t_s: float) -> chapters.Hall:
        hall = halls.at(t_s)
        return hall.scenario, hall.item

    for at, reason, fix in chapters.stale(case.whole, hall_at, case.catalog):
        yield Found(at=at, reason=reason, fix=fix)
    for i, chapter in enumerate(case.whole.chapters):
        hall = halls.at(chapter.at_s)
        for key, text in (("text", chapter.text), ("notes", chapter.notes)):
            for name in dict.fromkeys(figures_of(read_markdown(text))):
                if hall.lacks(name):
                    yield Found(
                        at=("chapters", i, key),
                        reason=tr("{name} is no figure of this run", name=f"{{{name}}}"),
                        fix=tr(
                            "write a channel of the site, or of one thing: {of_site}, {of_one}",
                            of_site="{site.gpu_max_c}",
                            of_one="{job.step_s llama3}",
                        ),
                    )


RULES = (
    Rule(
        "chapter-stale",
        tr("Chapter does not fit the run"),
        "data",
        "warning",
        tr(
            "Chapters out of order, key moments outside their chapter, and what chapters look at, select, tell, break "
            "or change that is not there at their time."
        ),
        tr("the scene itself"),
        _stale,
    ),
)
