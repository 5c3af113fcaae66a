"""Which scene and hall stand when: as the draft is built before its run, after each edit of it, and looking back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from twin.app.session.frame_migration import carried_over, is_of
from twin.app.session.run_state import RunState
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.session.session_state import SessionState
from twin.app.toolkit.problem_notice import Trouble
from twin.language import tr
from twin.plant.build import plant_of
from twin.plant.patch import rebuild
from twin.plant.tables import Plant
from twin.record.events import Event
from twin.record.frame import Frame, FrameLayout
from twin.scenario import Document
from twin.scenario.file.apply_edits import edited, in_order
from twin.scenario.file.scene_at import effective
from twin.scenario.generators.all_jobs import keep_jobs
from twin.scenario.schema.edit import Edit

FRAMES_KEPT = 20
"""Halls before the present one whose last picture is kept, for whoever undoes their edits."""


class HallUnknown(Exception):
    """The hall of a recorded frame cannot be built; the message is one clause for people."""


class HallVersions:
    """Scenes and halls of one run, of each epoch as far as they were needed.

    Attributes
    ----------
    foreseen
        The present as an edit makes it that waits for its answer; None: nothing waits, or it could not be foreseen.
    """

    def __init__(self, session: SessionState) -> None:
        self._session = session
        self._left_out: set[str] = set()  # ids of edits of the file that could not act in this run
        self.plants: dict[int, Plant] = {}
        self._documents: dict[int, Document] = {}
        self._frames: dict[int, Frame | None] = {}  # the last before the next edit, of the newest halls
        self.foreseen: RunState | None = None
        self._basis: tuple[Plant, Document] | None = None  # hall before, and scene after, of what is foreseen

    def clear(self) -> None:
        """Another run."""
        self._left_out.clear()
        self._forget()
        self.foreseen = self._basis = None

    def _forget(self, from_epoch: int = 0) -> None:
        """Forget the halls of an epoch and those after it."""
        for known in (self.plants, self._documents, self._frames):
            for epoch in [epoch for epoch in known if epoch >= from_epoch]:
                del known[epoch]

    def seeded(self, document: Document) -> Document:
        """Return a document with the seed of this run, where it decides which jobs come, and with the jobs it drew."""
        document, draft = self._with_seed(document), self._session.draft
        if draft is not None:
            keep_jobs(document.scenario, self._with_seed(draft.file).scenario)
        return document

    def _with_seed(self, document: Document) -> Document:
        scenario, seed = document.scenario, self._session.seed
        if not scenario.streams or scenario.seed == seed:
            return document
        return replace(document, scenario=scenario.model_copy(update={"seed": seed}))

    def rewritten(self) -> None:
        """The draft was changed before its run began: that is how it stands."""
        draft = self._session.draft
        assert draft is not None
        document = self.seeded(draft.shown)
        self._session.show(document, plant_of(document.scenario), anew=True)

    def foresee(self, after: Document) -> None:
        """Show the hall that an edit makes at once, while the worker looks whether it can act."""
        live = self._session.live
        assert live.plant is not None
        document = self.seeded(after)
        try:
            plant = rebuild(live.plant, document.scenario, fresh=plant_of(document.scenario))
        except SCENE_ERRORS:  # the worker says what is wrong with it
            return
        self._foresee(after, document, plant, live.frame and carried_over(live.frame, plant))

    def foresee_back(self, after: Document) -> None:
        """Show the hall before the last edit at once, where it is known, while the worker looks whether that can be."""
        plant = self._session.live.plant
        assert plant is not None
        epoch = plant.epoch - 1
        if epoch in self.plants:
            self._foresee(after, self.seeded(after), self.plants[epoch], self._frames.get(epoch))

    def _foresee(self, after: Document, document: Document, plant: Plant, frame: Frame | None) -> None:
        session, live = self._session, self._session.live
        assert live.plant is not None
        before = session.document, session.plant
        self.foreseen = RunState(document, plant, frame, live.events, live.by_hand)
        self._basis = live.plant, after
        self._tell_with_frame(before)

    def take_back(self) -> None:
        """Show the hall as it stands: the worker has refused what was foreseen, or asks no more."""
        session = self._session
        if self.foreseen is None:
            return
        before, self.foreseen = (session.document, session.plant), None
        self._tell_with_frame(before)

    def tell(self, before: tuple[object, object]) -> None:
        """Tell of scene and hall on screen where they are others than `before`."""
        session = self._session
        other_hall = session.plant is not before[1]
        if other_hall:
            session.shown = None  # of another hall
        if session.document is not before[0]:
            session.document_changed.emit(session.document)
        if other_hall:
            session.plant_changed.emit(session.plant)

    def _tell_with_frame(self, before: tuple[object, object]) -> None:
        """Tell of a hall that there is a picture of already."""
        self.tell(before)
        if self._session.looking_s is None and self._session.frame is not None:
            self._session.frame_changed.emit(self._session.frame)

    def edited(self) -> None:
        """An edit of the draft acts in the run: let it stand in the hall that makes."""
        session, draft, live = self._session, self._session.draft, self._session.live
        assert draft is not None
        assert live.document is not None
        assert live.plant is not None
        plant, document = live.plant, self.seeded(draft.shown)
        self._left_out &= {edit.id for edit in draft.file.scenario.edits}  # one that was undone leaves its id
        acted = [edit for edit in self._acting() if edit.at_s <= draft.t_s]
        if len(acted) > plant.epoch:
            self.plants[plant.epoch], self._documents[plant.epoch] = plant, live.document
            self._frames[plant.epoch] = live.frame
            self._frames.pop(plant.epoch - FRAMES_KEPT, None)
            scenario = live.document.scenario
            if self._left_out:  # the scene that is shown has them, the hall has not
                scenario = self.seeded(draft.file).scenario
                for edit in acted[: plant.epoch]:
                    scenario = edited(scenario, edit.changes)
            alone = len(acted) == plant.epoch + 1 and not self._left_out
            if alone and self._is_foreseen(plant, draft.shown):
                assert self.foreseen is not None
                assert self.foreseen.document is not None
                assert self.foreseen.plant is not None
                document, plant = self.foreseen.document, self.foreseen.plant
            for edit in acted[plant.epoch :]:  # the worker rebuilds at each of them
                try:
                    after = edited(scenario, edit.changes)
                    plant, scenario = rebuild(plant, after, fresh=plant_of(after)), after
                except SCENE_ERRORS as error:  # the scene was changed below it; the worker leaves it out too
                    self._left_out.add(edit.id)
                    session.trouble.emit(
                        Trouble(tr("An edit no longer fits"), f"{edit.title or edit.id}: {error}")
                    )
        elif len(acted) < plant.epoch:  # one that had acted here was refused there, or undone
            foreseen = self.foreseen if self._is_foreseen(plant, draft.shown) else None
            if len(acted) not in self.plants:
                self._build(effective(draft.file, 0.0), acted, len(acted))
            plant = self.plants[len(acted)]
            if foreseen is not None and foreseen.document is not None:
                document = foreseen.document
            self._forget(len(acted) + 1)
        session.show(document, plant)

    def of_scene(self) -> Plant | None:
        """Return the hall of the scene as it stands now; None where that has edits which could not act in the run."""
        return None if self._left_out else self._session.live.plant

    def _is_foreseen(self, before: Plant, after: Document) -> bool:
        """Return whether what is foreseen is this scene, made of this hall."""
        basis = self._basis if self.foreseen is not None else None
        return basis is not None and basis[0] is before and basis[1] is after

    def believe(self, layout: FrameLayout) -> None:
        """Build the hall from the file again where it differs from the worker's hall, which counts."""
        session, draft, plant = self._session, self._session.draft, self._session.live.plant
        if draft is None or plant is None or layout.epoch != plant.epoch or is_of(layout, plant):
            return
        self._forget()
        self._build(effective(draft.file, 0.0), self._acting(), layout.epoch)
        session.show(self.seeded(draft.shown), self.plants.get(layout.epoch, plant))

    def leave_out(self, events: Iterable[Event]) -> None:
        """Take note of edits that the worker refused when their time came: its hall stands without them."""
        session, draft = self._session, self._session.draft
        refused = {event.subject: event for event in events if event.kind == "refused"}
        for edit in self._acting():
            if edit.id not in refused:
                continue
            self._left_out.add(edit.id)
            self._forget()
            session.trouble.emit(
                Trouble(tr("An edit no longer fits"), f"{edit.title or edit.id}: {refused[edit.id].text}")
            )
            if draft is not None and edit.at_s <= draft.t_s:
                self.edited()

    def at(self, frame: Frame) -> tuple[Document, Plant]:
        """Return scene and hall that a recorded frame is of; raises what making them raises."""
        draft, live, epoch = self._session.draft, self._session.live, frame.layout.epoch
        assert draft is not None
        assert live.document is not None
        assert live.plant is not None
        if is_of(frame.layout, live.plant):
            return live.document, live.plant
        edits = self._acting()
        for known in (True, False):
            if not known:  # made of edits that the file holds no more, or did not hold yet
                self._forget()
            if epoch not in self.plants:
                self._build(effective(draft.file, 0.0), edits, epoch)
            plant = self.plants.get(epoch)
            if plant is not None and is_of(frame.layout, plant):
                break
        else:
            raise HallUnknown(
                tr("the file's edits differ from the edits of that time: the hall cannot be rebuilt")
            )
        if epoch not in self._documents:
            until_s = edits[epoch - 1].at_s if 0 < epoch <= len(edits) else 0.0
            self._documents[epoch] = self.seeded(effective(draft.file, until_s))
        return self._documents[epoch], plant

    def _acting(self) -> list[Edit]:
        """Return the edits of the run that act or have acted in it, in their order."""
        draft = self._session.draft
        edits = in_order(draft.file.scenario) if draft is not None else []
        return [edit for edit in edits if edit.id not in self._left_out]

    def _build(self, first: Document, edits: Iterable[Edit], epoch: int) -> None:
        """Build the hall and let edits act on it, one by one as they did in the run."""
        scenario = self.seeded(first).scenario
        plant = self.plants[0] if 0 in self.plants else plant_of(scenario)
        self.plants[0] = plant
        for edit in edits:
            if plant.epoch == epoch:
                return
            scenario = edited(scenario, edit.changes)
            after = self.plants.get(plant.epoch + 1)
            plant = rebuild(plant, scenario) if after is None else after
            self.plants[plant.epoch] = plant
