"""Groups of items, and the assignment of jobs and rows to tenants and partitions."""

from __future__ import annotations

from dataclasses import dataclass

from twin.commands.edit import names
from twin.commands.edit.addressables import SceneItem, item_of, titled
from twin.commands.edit.changes import Changes, value_at
from twin.commands.edit.command import CommandError, EditedScene
from twin.language import counted, tr
from twin.scenario import Patch


@dataclass(frozen=True)
class MakeGroup:
    """Make a group of items that is selected and moved as one; they leave their present groups."""

    ids: tuple[str, ...]
    name: str = ""

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Group {items}", items=counted(len(self.ids), "item"))

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        if len(self.ids) < 2:
            raise CommandError(tr("a group needs at least two members"))
        allowed = (
            "rows",
            "row",
            "rack",
            "node",
            "loops",
            "loop",
            "stage",
            "power",
            "plant",
            "fabric",
            "store",
        )
        for id in self.ids:
            found = item_of(scene.scenario, id)
            if found.kind not in allowed:
                raise CommandError(tr("{kind} {id} cannot be in a group", kind=titled(found.kind), id=id))
        changes = Changes(scene)
        for group in scene.scenario.groups:
            left = [member for member in group.members if member not in self.ids]
            if len(left) == len(group.members):
                continue
            if left:
                changes.set(f"groups[{group.id}].members", left)
            else:
                changes.take(f"groups[{group.id}]")
        id = names.fresh({group.id for group in scene.scenario.groups}, self.name or "group-1")
        entry = {"id": id} | ({"title": self.name} if self.name else {})
        changes.set(f"groups[{id}]", {**entry, "members": list(dict.fromkeys(self.ids))})
        return changes.patch(self.title)


@dataclass(frozen=True)
class Ungroup:
    """Dissolve groups; their members stay."""

    ids: tuple[str, ...]

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return (
            tr("Ungroup {id}", id=self.ids[0])
            if len(self.ids) == 1
            else tr("Dissolve {count} groups", count=len(self.ids))
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        changes = Changes(scene)
        for id in self.ids:
            found = next((group for group in scene.scenario.groups if id in (group.id, *group.members)), None)
            if found is None:
                raise CommandError(tr("{id} is neither a group nor in one", id=id))
            changes.take(f"groups[{found.id}]")
        return changes.patch(self.title)


@dataclass(frozen=True)
class AssignTenant:
    """Assign jobs and job streams to a tenant, or let it use partitions and stores.

    Parameters
    ----------
    ids
        Jobs, streams, partitions, stores.
    tenant
        Id of the tenant; "": jobs have no tenant, partitions and stores admit every tenant.
    """

    ids: tuple[str, ...]
    tenant: str

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        chosen = self.ids[0] if len(self.ids) == 1 else counted(len(self.ids), "item")
        return (
            tr("Assign {chosen} to {tenant}", chosen=chosen, tenant=self.tenant)
            if self.tenant
            else tr("Remove {chosen} from its tenant", chosen=chosen)
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        if self.tenant and item_of(scene.scenario, self.tenant).kind != "tenant":
            raise CommandError(tr("there is no tenant {tenant!r}", tenant=self.tenant))
        changes = Changes(scene)
        for id in self.ids:
            item = item_of(scene.scenario, id)
            if item.kind in ("job", "stream"):
                _set_or_clear(changes, f"{item.path}.tenant", self.tenant)
            elif item.kind in ("partition", "store"):
                tenants = list(value_at(scene, f"{item.path}.tenants") or [])
                if self.tenant and self.tenant not in tenants:
                    changes.set(f"{item.path}.tenants", [*tenants, self.tenant])
                elif not self.tenant and tenants:
                    changes.clear(f"{item.path}.tenants", [])
            else:
                hint = tr("tenants have jobs, and may use partitions and storage systems")
                raise CommandError(
                    tr("{kind} {id} belongs to no tenant", kind=titled(item.kind), id=id), hint
                )
        return changes.patch(self.title)


@dataclass(frozen=True)
class AssignJob:
    """Set the rows or the partition where jobs may run.

    Parameters
    ----------
    jobs
        Jobs and streams.
    rows
        Row generators; (): any.
    partition
        "": as it is, or none.
    """

    jobs: tuple[str, ...]
    rows: tuple[str, ...] = ()
    partition: str = ""

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        jobs = self.jobs[0] if len(self.jobs) == 1 else counted(len(self.jobs), "job")
        where = self.partition or ", ".join(self.rows)
        return (
            tr("Allow {jobs} on {where}", jobs=jobs, where=where)
            if where
            else tr("Allow {jobs} on all rows", jobs=jobs)
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        changes = Changes(scene)
        for row in self.rows:
            if item_of(scene.scenario, row).kind != "rows":
                raise CommandError(
                    tr("{row} is not a row generator", row=row), tr("jobs run in whole generators")
                )
        for job in self.jobs:
            item: SceneItem = item_of(scene.scenario, job)
            if item.kind not in ("job", "stream"):
                raise CommandError(tr("{job} is not a job", job=job))
            if self.partition or not self.rows:
                _set_or_clear(changes, f"{item.path}.partition", self.partition)
            rows = value_at(scene, f"{item.path}.rows")
            if self.rows and rows != list(self.rows):
                changes.set(f"{item.path}.rows", list(self.rows))
            elif not self.rows and rows:
                changes.clear(f"{item.path}.rows", [])
        return changes.patch(self.title)


@dataclass(frozen=True)
class AssignRows:
    """Put row generators into a partition, or into none; each is in one at most."""

    rows: tuple[str, ...]
    partition: str = ""

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        rows = ", ".join(self.rows) if len(self.rows) < 4 else counted(len(self.rows), "generator")
        return (
            tr("Put {rows} into {partition}", rows=rows, partition=self.partition)
            if self.partition
            else tr("Remove {rows} from partitions", rows=rows)
        )

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        scenario = scene.scenario
        names_of = {partition.id for partition in scenario.partitions}
        if self.partition and self.partition not in names_of:
            raise CommandError(
                tr("there is no partition {partition!r}", partition=self.partition),
                tr("there are {names_of}", names_of=", ".join(names_of)),
            )
        changes = Changes(scene)
        for partition in scenario.partitions:
            left = [row for row in partition.rows if row not in self.rows]
            after = [*left, *self.rows] if partition.id == self.partition else left
            if partition.id == self.partition and set(after) == set(partition.rows):
                continue
            if not after:
                raise CommandError(
                    tr("no row would be left in partition {id}", id=partition.id), tr("delete it instead")
                )
            if after != list(partition.rows):
                changes.set(f"partitions[{partition.id}].rows", after)
        return changes.patch(self.title)


def _set_or_clear(changes: Changes, path: str, value: str) -> None:
    """Set a single id, or take it away."""
    before = value_at(changes.scene, path)
    if value and before != value:
        changes.set(path, value)
    elif not value and before is not None:
        changes.clear(path)
