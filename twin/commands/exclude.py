"""Exclusions: accept a finding of the design rules with a reason, and count it again."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from twin.commands.edit.command import CommandError, EditedScene
from twin.language import tr
from twin.scenario import Change, Patch
from twin.scenario.text.emit import flow

_LONGEST_STEM = 34


@dataclass(frozen=True)
class Exclude:
    """Accept the finding of a rule at a target.

    Parameters
    ----------
    rule
        Id of the rule.
    target
        Thing, key or ``*``, as `twin.scenario.schema.exclusion` takes them.
    comment
        Why; kept in the file.
    """

    rule: str
    target: str
    comment: str

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Accept {rule} at {target}", rule=self.rule, target=self.target)

    def patch(self, scene: EditedScene) -> Patch:
        """Return the change that adds the exclusion to the file.

        Raises
        ------
        CommandError
            When the comment is empty.
        """
        comment = " ".join(self.comment.split())
        if not comment:
            raise CommandError(
                tr("an exclusion needs a comment"), tr("write in a few words why the finding is accepted")
            )
        taken = {exclusion.id for exclusion in scene.scenario.exclusions}
        stem = self.rule[:_LONGEST_STEM]
        id = next(name for number in count(1) if (name := f"{stem}-{number}") not in taken)
        value = flow({"id": id, "rule": self.rule, "target": self.target, "comment": comment})
        return Patch((Change(f"exclusions[{id}]", value),), self.title)


@dataclass(frozen=True)
class Include:
    """Count the finding of a rule again: remove the exclusions that cover some targets.

    Parameters
    ----------
    rule
        Id of the rule.
    targets
        All that an exclusion of the finding may name: its things, its key, the name of what holds it, ``*``.
    """

    rule: str
    targets: tuple[str, ...]

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Remove the exclusion of {rule}", rule=self.rule)

    def patch(self, scene: EditedScene) -> Patch:
        """Return the removal of every exclusion that covers the finding.

        Raises
        ------
        CommandError
            When there is none.
        """
        covering = (exclusion for exclusion in scene.scenario.exclusions if exclusion.rule == self.rule)
        excluded = [exclusion.id for exclusion in covering if exclusion.target in self.targets]
        if not excluded:
            raise CommandError(tr("no exclusion of the scene covers this finding of {rule}", rule=self.rule))
        changes = [Change(f"exclusions[{id}]", None) for id in excluded]
        return Patch(tuple(changes), self.title)
