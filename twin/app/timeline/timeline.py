"""The bar of the timeline: which time is on screen, back to live, backwards, events, loop, bookmarks, and the strip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from psygnal import Signal
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from twin.app.bookmarks.goto_dialog import GotoDialog, NoteDialog
from twin.app.bookmarks.moments_dialog import MomentsDialog
from twin.app.bookmarks.view_file import TimeMark
from twin.app.bookmarks.views import Views
from twin.app.faults.random_incidents import words_of
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.app.timeline.marks import Ahead, still_ahead
from twin.app.timeline.strip import TimelineStrip
from twin.app.toolkit.look import Look, label, line, tool_button, with_role
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.text import elapsed
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.record.events import Severity
from twin.record.runfile import RunFileError
from twin.scenario.reading.run_times import Times
from twin.scenario.schema.faults import Intervention
from twin.shown_text import one_line

_STATE_PX = 196
"""Least width of the words that say which time is on screen."""
_SPARE_PX = 4


class Timeline(QWidget):
    """Shows a run over its time, and lets one look at any of it."""

    said = Signal(str)  # what is to be told in passing

    def __init__(self, look: Look, session: Session) -> None:
        super().__init__()
        self._look, self._session = look, session
        self._views: Views | None = None
        self._editor: Editor | None = None
        self.setProperty("role", "transport")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.strip = TimelineStrip(look, session.curves.history)
        self.strip.notes = self._notes
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 0, 14, 4)
        row.setSpacing(8)
        nest(row, self._state())
        row.addWidget(line("bar"))
        nest(row, self._left())
        row.addWidget(self.strip, 1)
        nest(row, self._right())
        self._connect()
        self._on_run()

    # -- building ----

    def _state(self) -> QVBoxLayout:
        self.state_label: QLabel = label("", "muted")
        self.live_button = QPushButton(tr("Back to live"))
        self.live_button.clicked.connect(self.back_to_live)
        self.go_on_button = QPushButton(tr("Continue this run"))
        self.go_on_button.setToolTip(tr("Continue from the end of the recording, in a copy of its file"))
        self.go_on_button.clicked.connect(self.go_on)
        column = QVBoxLayout()
        column.setSpacing(3)
        column.addStretch(1)
        for widget in (self.state_label, self.live_button, self.go_on_button):
            column.addWidget(widget)
        column.addStretch(1)
        return column

    def _left(self) -> QHBoxLayout:
        self.before_button = tool_button(self._look, "step_back", tr("Previous event"))
        self.backwards_button = tool_button(self._look, "back", tr("Play backwards"))
        self.after_button = tool_button(self._look, "step", tr("Next event"))
        self.before_button.clicked.connect(partial(self.step, -1))
        self.backwards_button.clicked.connect(self.play_backwards)
        self.after_button.clicked.connect(partial(self.step, 1))
        return _beside(self.before_button, self.backwards_button, self.after_button)

    def _right(self) -> QHBoxLayout:
        self.loop_button = tool_button(self._look, "repeat", tr("Loop the range shown"))
        self.loop_button.setCheckable(True)
        self.loop_button.clicked.connect(self.toggle_loop)
        self.bookmark_button = tool_button(self._look, "bookmark", tr("Bookmark this time"))
        self.bookmark_button.clicked.connect(lambda: self.bookmark())
        self.goto_button = tool_button(self._look, "clock", tr("Go to a time"))
        self.goto_button.clicked.connect(self.ask_time)
        self.whole_button = tool_button(self._look, "whole", tr("Show the whole run"))
        self.whole_button.clicked.connect(self.show_whole)
        return _beside(self.loop_button, self.bookmark_button, self.goto_button, self.whole_button)

    def _connect(self) -> None:
        session, strip = self._session, self.strip
        strip.scrubbed.connect(self.scrub)
        strip.held.connect(partial(setattr, session.replay, "scrubbing"))
        strip.to_live.connect(self.back_to_live)
        strip.loop_wanted.connect(lambda loop: session.replay.set_loop(*loop))
        strip.menu_wanted.connect(self.offer)
        session.run_started.connect(self.strip.let_go)
        session.run_started.connect(self._on_run)
        session.began.connect(lambda _file: self._on_run())
        session.time_changed.connect(self.on_time)
        session.advanced.connect(self._on_advanced)
        session.looked.connect(lambda _t_s: self.on_time())
        session.playing_changed.connect(lambda _playing: self.on_time())
        session.broken.connect(lambda _one: self._on_advanced())
        session.mended.connect(self._on_mended)
        session.document_changed.connect(lambda _document: self._on_advanced())
        session.curves.changed.connect(strip.renew)
        session.replay.loop_changed.connect(self._on_loop)
        self._look.changed.connect(self._make_room)

    def attach(self, views: Views, editor: Editor) -> None:
        """Take what keeps bookmarks, and what takes edits out again."""
        self._views, self._editor = views, editor
        views.changed.connect(self._on_bookmarks)
        editor.changed.connect(self._on_advanced)

    def show_keys(self, tip: Callable[[QWidget, str, str], None]) -> None:
        """Let `tip` write the tool tips of the buttons, with the keys of their actions."""
        for button, action, words in (
            (self.live_button, "timeline.live", tr("Return to the latest simulated time")),
            (self.before_button, "timeline.before", tr("Previous event")),
            (self.backwards_button, "timeline.backwards", tr("Play backwards")),
            (self.after_button, "timeline.after", tr("Next event")),
            (self.loop_button, "timeline.loop", tr("Loop the range shown")),
            (self.bookmark_button, "timeline.bookmark", tr("Bookmark this time, with a note")),
            (self.goto_button, "timeline.goto", tr("Go to a time")),
            (self.whole_button, "timeline.whole", tr("Show the whole run")),
        ):
            tip(button, action, words)

    # -- what actions do ----

    def scrub(self, t_s: float) -> None:
        """Look at a time; the record stands still for it."""
        self._session.replay.pause()
        self._session.replay.look(t_s)

    def back_to_live(self) -> None:
        """Show the present; of a recording, its end."""
        self._session.replay.back_to_live()

    def go_on(self) -> None:
        """Let a recording that did not come to its end go on."""
        end_s = self._session.t_s
        try:
            from_s = self._session.go_on()
        except RunFileError as error:
            self.said.emit(str(error))
            return
        if from_s < end_s:
            when = self._session.clock.says(from_s)
            self.said.emit(
                tr("Continues from its last snapshot, {when}; later records are simulated again", when=when)
            )

    def simulate_anew(self) -> None:
        """Leave the record, and run the scene from its start."""
        self._session.restart()

    def step(self, by: int, least: Severity | None = None) -> None:
        """Look at the next event, or with -1 at the one before; None: at those that are listed."""
        least = self._session.least_listed if least is None else least
        if not self._session.replay.step(by, least):
            self.said.emit(tr("No earlier event") if by < 0 else tr("No later event"))

    def play_backwards(self) -> None:
        """Go back in time, or stand still where that is done."""
        replay = self._session.replay
        if replay.backwards:
            replay.pause()
        else:
            replay.play(-self._session.speed)

    def loop_from(self) -> None:
        """Begin the loop at the time on screen."""
        self._session.replay.set_loop(self._session.shown_s, None)

    def loop_to(self) -> None:
        """End the loop at the time on screen."""
        self._session.replay.set_loop(None, self._session.shown_s)

    def toggle_loop(self) -> None:
        """Go over and over through what the strip shows, or no more."""
        replay, scale = self._session.replay, self.strip.scale
        if replay.loop is None:
            replay.set_loop(scale.from_s, scale.to_s)
        else:
            replay.clear_loop()

    def show_whole(self) -> None:
        """Show the whole run on the strip."""
        self.strip.show_whole(self._session.end_s)

    def zoom(self, factor: float) -> None:
        """Show less or more, about the time on screen."""
        self.strip.show_scale(self.strip.scale.zoomed(self._session.shown_s, factor))

    def ask_time(self) -> None:
        """Ask where to go."""
        session = self._session
        if session.document is None:
            return
        times = Times(session.document.scenario.start, session.shown_s, session.t_s)
        dialog = GotoDialog(times, session.clock, self.window())
        dialog.chosen.connect(self.scrub)
        dialog.open()

    def bookmark(self, at_s: float | None = None) -> None:
        """Ask for a note, and keep the time on screen with it."""
        views, session = self._views, self._session
        if views is None or session.document is None:
            return
        t_s = session.shown_s if at_s is None else at_s
        title = tr("Bookmark {time}", time=session.clock.says(t_s))
        NoteDialog(title, "", lambda note: views.add_moment(t_s, note), self.window()).open()

    def take_out(self, one: Ahead) -> None:
        """Take out what is still to come in the run, as if nobody had ever asked for it."""
        if isinstance(one.what, Intervention):
            self._session.intervene(one.what, out=True)
        elif self._editor is not None:
            self._editor.take_out(one.what.id)

    def show_bookmarks(self) -> None:
        """List the bookmarked times."""
        if self._views is not None and self._session.document is not None:
            dialog = MomentsDialog(self._views, self._session.clock, self.window())
            dialog.chosen.connect(self.scrub)
            dialog.show()

    # -- following ----

    def _make_room(self) -> None:
        """Give the words beside the strip the width of the longest that they can be, in the size of text in force."""
        session, font = self._session, QFont(QApplication.font())
        font.setWeight(QFont.Weight.DemiBold)
        longest = (
            tr("LOOKING AT  {longest}", longest=session.clock.longest) if session.document is not None else ""
        )
        px = max(QFontMetrics(font).horizontalAdvance(longest) + scaled(_SPARE_PX), scaled(_STATE_PX))
        for widget in (self.state_label, self.live_button, self.go_on_button):
            widget.setFixedWidth(px)

    def _on_run(self) -> None:
        session = self._session
        self._make_room()
        self.strip.shown.marks.follow(session.live.events)
        self.strip.shown.clock = session.clock if session.document is not None else None
        self.strip.show_whole(session.end_s)
        self._on_loop()
        self._on_advanced()
        self.on_time()

    def _on_advanced(self, _t_s: float = 0.0) -> None:
        session, strip = self._session, self.strip
        strip.shown.reach_s = session.t_s
        if session.draft is not None:
            edits = [edit.at_s for edit in session.draft.file.scenario.edits]
            done = [
                intervention.at_s
                for intervention in (*session.draft.file.scenario.interventions, *session.live.by_hand)
            ]
            strip.shown.acts = (*edits, *done)
            strip.shown.chapters = tuple(chapter.at_s for chapter in session.draft.file.scenario.chapters)
        if strip.shown.marks.events is not session.live.events:
            strip.shown.marks.follow(session.live.events)
        strip.renew()

    def _on_mended(self, intervention: Intervention) -> None:
        self._on_advanced()
        self.said.emit(
            tr(
                "Removed from the run: {intervention}, {at}",
                intervention=words_of(intervention),
                at=self._session.clock.says(intervention.at_s),
            )
        )

    def _on_bookmarks(self) -> None:
        moments = self._views.moments if self._views is not None else ()
        self.strip.shown.bookmarks = tuple(kept.t_s for kept in moments)
        self.strip.refresh()

    def _on_loop(self) -> None:
        loop = self._session.replay.loop
        self.strip.show_loop(loop)
        self.loop_button.setChecked(loop is not None)

    def on_time(self, _t_s: float = 0.0) -> None:
        """Show the time and the state of the run on screen."""
        session = self._session
        document, looking = session.document, session.looking_s is not None
        for widget in (self.before_button, self.backwards_button, self.after_button, *self._tools):
            widget.setEnabled(document is not None and session.replay.possible)
        if document is None:
            self.state_label.setText("")
            self.live_button.hide()
            self.go_on_button.hide()
            return
        when = session.clock.says(session.shown_s)
        alone = session.recording is not None
        if alone:
            words, role = tr("RECORDING  {when}", when=when), "looking"
        elif looking:
            words, role = tr("LOOKING AT  {when}", when=when), "looking"
        else:
            words, role = "LIVE", "live"
        if words != self.state_label.text():
            self.state_label.setText(words)
        if self.state_label.property("role") != role:
            with_role(self.state_label, role)
        self.live_button.setVisible(looking and not alone)
        self.live_button.setText(tr("Not live: back to live"))
        self.go_on_button.setVisible(alone and not session.finished and not session.grows)
        description = tr(
            "{words}, {shown_time} after the start", words=words.lower(), shown_time=elapsed(session.shown_s)
        )
        self.strip.show_time(session.shown_s, looking=looking, describe=description)
        backwards = session.replay.backwards
        if backwards != (self.backwards_button.property("stands") is False):
            self.backwards_button.setProperty("stands", not backwards)
            self._look.dress(self.backwards_button, "pause" if backwards else "back")

    @property
    def _tools(self) -> tuple[QToolButton, ...]:
        return (self.loop_button, self.bookmark_button, self.goto_button, self.whole_button)

    def _notes(self, low_s: float, high_s: float) -> Sequence[str]:
        """Return what bookmarks, edits and interventions in a range of time say."""
        session = self._session
        found = [
            tr("Bookmark: {note}", note=bookmark.note or tr("no note"))
            for bookmark in self._moments(low_s, high_s)
        ]
        if session.draft is not None:
            scenario = session.draft.file.scenario
            found += [
                tr("Chapter: {title}", title=one_line(chapter.title))
                for chapter in scenario.chapters
                if low_s <= chapter.at_s <= high_s
            ]
            found += [
                tr("Edit: {title}", title=edit.title or edit.id)
                for edit in scenario.edits
                if low_s <= edit.at_s <= high_s
            ]
            for done, who in ((scenario.interventions, tr("Scene")), (session.live.by_hand, tr("By hand"))):
                found += [
                    f"{who}: {kept.kind.replace('_', ' ')} {kept.target}"
                    for kept in done
                    if low_s <= kept.at_s <= high_s
                ]
        return found

    def _moments(self, low_s: float, high_s: float) -> list[TimeMark]:
        moments = self._views.moments if self._views is not None else ()
        return [kept for kept in moments if low_s <= kept.t_s <= high_s]

    def offer(self, place: QPoint, at_s: float) -> None:
        """Offer what can be done with a time."""
        session, views = self._session, self._views
        if session.document is None or views is None:
            return
        menu = QMenu(self)
        menu.setObjectName("time menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        been_s = min(at_s, self.strip.shown.reach_s)  # what is ahead can be taken out, not looked at
        menu.addAction(
            tr("Go to {been_time}", been_time=session.clock.says(been_s)), partial(self.scrub, been_s)
        )
        menu.addAction(tr("Bookmark it\N{HORIZONTAL ELLIPSIS}"), partial(self.bookmark, been_s))
        menu.addSeparator()
        menu.addAction(tr("Start loop here"), partial(session.replay.set_loop, been_s, None))
        menu.addAction(tr("End loop here"), partial(session.replay.set_loop, None, been_s))
        menu.addAction(tr("Clear loop"), session.replay.clear_loop).setEnabled(
            session.replay.loop is not None
        )
        around_s = 6.0 * self.strip.scale.px_s
        for bookmark in still_ahead(session, at_s - around_s, at_s + around_s):
            menu.addSeparator()
            title = f"{session.clock.says(bookmark.at_s)}  {bookmark.title}"
            menu.addAction(title.replace("&", "&&")).setEnabled(False)
            menu.addAction(tr("Remove from the run"), partial(self.take_out, bookmark))
        for moment in self._moments(at_s - around_s, at_s + around_s):
            menu.addSeparator()
            menu.addAction(tr("Bookmark: {note}", note=moment.note or tr("no note"))).setEnabled(False)
            take = partial(views.note, moment)
            ask = partial(NoteDialog, tr("Note of the bookmark"), moment.note, take, self.window())
            menu.addAction(tr("Change note\N{HORIZONTAL ELLIPSIS}"), lambda ask=ask: ask().open())
            kept = tuple(bookmark for bookmark in views.moments if bookmark is not moment)
            menu.addAction(tr("Delete"), partial(views.take_moments, kept))
        menu.popup(place)


def _beside(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(2)
    for widget in widgets:
        row.addWidget(widget)
    return row
